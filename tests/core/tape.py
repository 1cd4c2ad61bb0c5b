"""A controller of its own, and a tape of what leaves it and what its journal does, in order."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from drivers.protocol.messages import (
    EventBody,
    Key,
)
from drivers.protocol.notices import (
    EventTold,
    HeartbeatHeard,
    Notice,
    Order,
    StrokeTold,
)
from firmware_bridge.core import events as e
from firmware_bridge.core.console import CheckWanted, RenewWanted
from firmware_bridge.core.controller import Checked, Controller, FromDevice, Now, Ports
from firmware_bridge.core.records import Entry, Logged
from firmware_bridge.core.state import State
from firmware_bridge.core.steps import STEPS
from firmware_bridge.core.words import Role, Trigger
from firmware_bridge.errors import JournalError
from tests.table.evening import Evening

FLUSH, SIGNED, SEGMENT = "flush", "signed flush", "segment"


class Tape:
    """What left the controller and what its journal did, in order; the journal can be slow, or fail."""

    def __init__(self, evening: Evening) -> None:
        plain = msgspec.to_builtins(evening.state, str_keys=True)
        self.events: list[tuple[str, Order] | str] = []
        self.last_number = evening.state.record
        self.failing = self.no_segment = False
        self.flush_ns = 0
        self.late_ns = 0
        self.recorded: list[e.AnyEvent] = []
        self.now_ns = evening.table.ns
        self.wanted: list[CheckWanted] = []
        ports = Ports(store=self, clock=self._clock, send=self._send, check=self.wanted.append, renew=self._renew)
        state = msgspec.convert(plain, State, strict=False)
        self.controller = Controller(state, evening.table.config.book, ports, "boot")
        self.controller.turn([])
        self.events.clear()

    def append(self, entries: Sequence[Entry], *, sign: bool) -> None:
        if self.failing:
            raise JournalError("the disk fails")
        self.now_ns += self.flush_ns
        self.last_number = entries[-1].number
        self.recorded += [Logged.from_body(entry.body).event for entry in entries]
        self.events.append(SIGNED if sign else FLUSH)

    def begin_segment(self) -> None:
        if self.no_segment:
            raise JournalError("no room for a segment")
        self.events.append(SEGMENT)

    def _clock(self) -> Now:
        return Now(self.now_ns, self.now_ns, self.now_ns)

    def _send(self, device: str, order: Order) -> None:
        self.now_ns += self.late_ns
        self.events.append((device, order))

    def _renew(self, wanted: RenewWanted) -> None:
        self.events.append(f"renew {wanted.person}")

    def tell(self, device: str, *notices: Notice) -> list[tuple[str, Order] | str]:
        """Turn the controller with notices of one device; return what happened."""
        self.events.clear()
        self.controller.turn([FromDevice(device, notices)])
        return list(self.events)

    def event(self, device: str, body: EventBody) -> EventTold:
        """The device's next event."""
        return EventTold(self.controller.state.devices[device].taken + 1, body)

    def act(self, step: Trigger, role: Role = Role.SUPERVISOR, *typed: str) -> list[tuple[str, Order] | str]:
        """A person takes a step on the keypad, and types what it asks; return what the last key led to."""
        self.type("201", "161803")
        self.controller.turn([Checked(self.wanted.pop().entry, role)])
        return self.type(str(STEPS[step].number), *typed)

    def type(self, *numbers: str) -> list[tuple[str, Order] | str]:
        """Type numbers at the keypad, each ended by Enter; return what the last key led to."""
        for number in numbers:
            for key in (*map(int, number), Key.ENTER):
                self.tell("keypad", StrokeTold(key, 0))
        return self.events


def heartbeat(number: int = 1000) -> HeartbeatHeard:
    return HeartbeatHeard(link=7, number=number, held=False, lapsed=False)


def kinds(events: Sequence[tuple[str, Order] | str]) -> list[str]:
    return [one if isinstance(one, str) else type(one[1]).__name__ for one in events]
