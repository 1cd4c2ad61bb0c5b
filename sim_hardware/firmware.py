"""The device's side of sabot/1, common to every simulated device; sans-IO, written from the rules alone.

Numbers in brackets are those rules. A subclass adds what its device senses and moves; see README.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar

from drivers.errors import RemoteProtocolError
from drivers.protocol import codec, framing
from drivers.protocol.messages import (
    PROTOCOL_VERSION,
    Ack,
    Ask,
    Capability,
    Command,
    CommandResult,
    Event,
    EventBody,
    Heartbeat,
    Hello,
    HoldConfirmed,
    Lamp,
    Lapsed,
    Lease,
    Level,
    Message,
    Open,
    Purpose,
    SetLevel,
)
from sim_hardware.equipment import Equipment, Identity
from sim_hardware.event_store import EventStore

HEARTBEAT_PERIOD = 0.5
LEASE = 3.0
"""Seconds that a release lasts from the sending of the heartbeat that its lease names (24)."""

LAST_NUMBER = 0xFFFF_FFFF
"""Heartbeats, strokes and revisions end here; they never begin again at 0."""

SILENT_START = b"\0"
"""Ends whatever half frame the far side may have heard before."""


@dataclass
class Session:
    """Everything that an opening sets anew (2). Link 0 is no link: before the first opening after a boot."""

    link: int = 0
    nonce: int | None = None
    revisions: dict[Level, int] = field(default_factory=lambda: dict.fromkeys(Level, 0))
    purpose: Purpose | None = None
    """The purpose of the release in force; None is held."""
    lease_end: float = 0.0
    lapsed: bool = False
    strokes: int = 0
    next_event: int | None = None
    """The next event to send; None until the host asks."""
    heartbeats: dict[int, float] = field(default_factory=dict)
    """When each heartbeat of this link was sent, as far back as a lease could still name it."""


class Firmware(Equipment):
    """A device of sabot/1. ``now`` is seconds of the link clock; ``rng`` draws the random ids (5)."""

    levels: ClassVar[frozenset[Level]] = frozenset()
    """The levels that this device has; it drops any other."""

    def __init__(self, identity: Identity, rng: Random, now: float) -> None:
        self.identity = identity
        self.dropped: Counter[str] = Counter()
        """Frames dropped, by reason."""
        self.begun: Counter[int] = Counter()
        """How often each command was begun, over all boots; not the device's to know."""
        self._rng = rng
        self._handlers: dict[type[Message], Callable[[Any], None]] = {
            Open: self._on_open,
            Ask: self._on_ask,
            Ack: self._on_ack,
            SetLevel: self._on_level,
            Lease: self._on_lease,
            Command: self._on_command,
        }
        self.boot(now, memory_lost=True)

    # ---- life

    def boot(self, now: float, memory_lost: bool = False) -> None:
        """Start anew: held, lid locked, intake shut, lamp dark, no link. Events are kept unless lost."""
        self.now = now
        self._boot_id = self._rng.getrandbits(64)
        if memory_lost:
            self.store = EventStore(self._rng, self.identity.window)
        self._decoder = framing.FrameDecoder()
        self._out = bytearray(SILENT_START)
        self._session = Session()
        self._heartbeat_number = 0
        self._next_heartbeat = now
        self._highest_command = 0
        self.busy_with: int | None = None
        self.values: dict[Level, int] = dict.fromkeys(Level, 0)
        self.on_boot(memory_lost)

    def plugged_in(self) -> None:
        """The line was connected anew: half frames of before are void, ours and theirs."""
        self._decoder = framing.FrameDecoder()
        self._out = bytearray(SILENT_START)

    @property
    def has_to_send(self) -> bool:
        """Whether bytes wait for the next step."""
        return bool(self._out)

    @property
    def deadline(self) -> float:
        """When to step again at the latest."""
        if self._out:
            return self.now
        if self._session.purpose is None:
            return self._next_heartbeat
        return min(self._next_heartbeat, self._session.lease_end)

    def step(self, now: float, received: bytes) -> bytes:
        """Let time pass, take bytes received in any pieces, return bytes to send."""
        self.tick(now)
        if received:
            errors = self._decoder.errors
            for payload in self._decoder.feed(received):
                self._take(payload)
            self.dropped["damaged"] += self._decoder.errors - errors
            self.control()
        out = bytes(self._out)
        self._out.clear()
        return out

    def tick(self, now: float) -> None:
        """Let time pass: the lease may lapse, a heartbeat may be due."""
        self.now = max(self.now, now)
        if self._session.purpose is not None and self.now >= self._session.lease_end:
            self._lapse()
        if self.now >= self._next_heartbeat:
            self._send_heartbeat()

    # ---- what a subclass knows

    @property
    def can_hold(self) -> bool:
        """Whether it can stop cards; one that cannot knows no hold and no release."""
        return self.can(Capability.CAN_HOLD)

    @property
    def released_for(self) -> Purpose | None:
        """The purpose of the release in force; None while held."""
        return self._session.purpose

    @property
    def release_id(self) -> tuple[int, int]:
        """Link and hold revision in force: names one release among all of this boot."""
        return self._session.link, self._session.revisions[Level.HOLD]

    @property
    def link(self) -> int:
        """The link id in force; 0 before the first opening after a boot."""
        return self._session.link

    def tell(self, body: EventBody) -> None:
        """Number and keep an event, and send it at once if the host has asked (8)."""
        self.store.add(body)
        if self.store.ended and self._session.purpose is not None:
            self._session.purpose = None
            self.control()
        self._send_events()

    def next_stroke(self) -> int | None:
        """Count one more stroke of this link (30); None before any link, and after the last number."""
        if not self.link or self._session.strokes == LAST_NUMBER:
            return None
        self._session.strokes += 1
        return self._session.strokes

    def send(self, message: Message) -> None:
        """Send a message."""
        self._out += framing.encode_frame(codec.encode(message))

    # ---- what a subclass adds

    def on_boot(self, memory_lost: bool) -> None:
        """Put what the subclass itself remembers as a boot leaves it."""

    def control(self) -> None:
        """Set actuators as state and levels demand, tell what sensors show; called after every change."""

    def carry_out(self, command: Command) -> bool:  # noqa: ARG002 - a device without commands
        """Begin a command, its result to be told in time; False if it cannot be begun: nothing moves."""
        return False

    # ---- opening (1 to 5)

    def _take(self, payload: bytes) -> None:
        try:
            message = codec.decode(payload)
        except RemoteProtocolError:
            self.dropped["not understood"] += 1
            return
        handler = self._handlers.get(type(message))
        if handler is None:
            self.dropped["not for a device"] += 1
        elif not isinstance(message, Open) and not self.link:
            self.dropped["before any link"] += 1
        elif not isinstance(message, Open) and getattr(message, "link", 0) != self.link:
            self.dropped["of another link"] += 1
        else:
            handler(message)

    def _on_open(self, message: Open) -> None:
        if message.nonce != self._session.nonce:
            self._session = Session(link=self._draw_link(), nonce=message.nonce)
        self.send(
            Hello(
                nonce=message.nonce,
                link=self._session.link,
                boot=self._boot_id,
                memory=self.store.memory,
                first_kept=self.store.first_kept,
                last=self.store.last,
                version=PROTOCOL_VERSION,
                kind=self.identity.kind,
                capabilities=self.identity.capabilities,
                window=self.identity.window,
                simulated=True,
                model=self.identity.model,
                serial=self.identity.serial,
                firmware=self.identity.firmware,
                digest=self.identity.digest,
            )
        )

    def _draw_link(self) -> int:
        while (link := self._rng.getrandbits(32)) in (0, self._session.link):
            pass
        return link

    # ---- events (6 to 8, 11)

    def _on_ask(self, message: Ask) -> None:
        if self.store.keeps(message.number):
            self._session.next_event = message.number
            self._send_events()

    def _on_ack(self, message: Ack) -> None:
        self.store.ack(message.number)
        self._send_events()

    def _send_events(self) -> None:
        if self._session.next_event is None:
            return
        for number, body in self.store.kept_from(self._session.next_event):
            self.send(Event(self._session.link, number, body))
        self._session.next_event = self.store.last + 1

    # ---- heartbeat (9)

    def _send_heartbeat(self) -> None:
        session = self._session
        # After a stall one is sent, not all that were missed.
        self._next_heartbeat += HEARTBEAT_PERIOD * (1 + (self.now - self._next_heartbeat) // HEARTBEAT_PERIOD)
        if self._heartbeat_number == LAST_NUMBER:
            return
        self._heartbeat_number += 1
        session.heartbeats = {number: sent for number, sent in session.heartbeats.items() if sent + LEASE > self.now}
        session.heartbeats[self._heartbeat_number] = self.now
        self.send(
            Heartbeat(
                link=session.link,
                number=self._heartbeat_number,
                first_kept=self.store.first_kept,
                last=self.store.last,
                hold_revision=session.revisions[Level.HOLD],
                lamp_revision=session.revisions[Level.LAMP],
                lid_revision=session.revisions[Level.LID],
                intake_revision=session.revisions[Level.INTAKE],
                prompt_revision=session.revisions[Level.PROMPT],
                held=session.purpose is None,
                lapsed=session.lapsed,
                busy=self.busy_with is not None,
                highest_command=self._highest_command,
                strokes=session.strokes,
            )
        )

    # ---- levels, hold and release (20 to 26)

    def _has(self, level: Level) -> bool:
        return level in self.levels and (level is not Level.HOLD or self.can_hold)

    def _on_level(self, message: SetLevel) -> None:
        revisions = self._session.revisions
        if not self._has(message.level):
            self.dropped["not of this device"] += 1
        elif message.revision <= revisions[message.level]:
            self.dropped["of an old revision"] += 1
        else:
            revisions[message.level] = message.revision
            self.values[message.level] = message.value
            if message.level is Level.HOLD:
                self._hold(message.revision)

    def _hold(self, revision: int) -> None:
        self._session.purpose = None
        self._session.lapsed = False
        self.control()  # The gate is shut first: the confirmation is numbered after the last card (22).
        self.tell(HoldConfirmed(self._session.link, revision))

    def _lapse(self) -> None:
        self._session.purpose = None
        self._session.lapsed = True
        self.control()
        self.tell(Lapsed(self._session.link, self._session.revisions[Level.HOLD]))

    def _on_lease(self, message: Lease) -> None:
        session = self._session
        sent = session.heartbeats.get(message.heartbeat)
        in_force = session.revisions[Level.HOLD]
        if not self._has(Level.HOLD):
            self.dropped["not of this device"] += 1
        elif sent is None or sent + LEASE <= self.now:
            self.dropped["a lease too late"] += 1
        elif self.store.ended or message.revision == LAST_NUMBER:  # A hold must be able to follow.
            self.dropped["out of numbers"] += 1
        elif message.revision > in_force:
            session.revisions[Level.HOLD] = message.revision
            session.purpose, session.lease_end, session.lapsed = message.purpose, sent + LEASE, False
        elif message.revision == in_force and message.purpose is session.purpose:
            session.lease_end = max(session.lease_end, sent + LEASE)
        else:
            self.dropped["of an old revision"] += 1

    # ---- commands (14 to 16)

    def served_elsewhere(self, highest: int) -> None:
        """Another host ordered commands up to this number in this boot, and all of them are done."""
        if self.busy_with is None:
            self._highest_command = max(self._highest_command, highest)

    def _on_command(self, message: Command) -> None:
        if message.id <= self._highest_command or self.busy_with is not None or self.store.ended:
            self.dropped["a command not accepted"] += 1
            return
        self._highest_command = message.id
        if self.carry_out(message):
            self.begun[message.id] += 1
            self.busy_with = message.id
        else:
            self.tell(CommandResult(message.id, done=False))


def lamp_value(firmware: Firmware) -> Lamp:
    """Return the lamp level that a device has in force."""
    return Lamp(firmware.values[Level.LAMP])
