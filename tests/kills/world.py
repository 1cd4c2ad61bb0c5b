"""A table whose controller is gone at the k-th call of one of its ports, and what every such table must still hold."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from msgspec.structs import replace

from drivers.cards import DECK_SIZE as DECK
from drivers.protocol.messages import Lamp, Purpose
from drivers.protocol.notices import AckEvents, Order
from firmware_bridge.core.controller import Input
from firmware_bridge.core.events import Started, Told
from firmware_bridge.core.fold import digest, fold
from firmware_bridge.core.outputs import desired, why_not_deal
from firmware_bridge.core.records import Logged
from firmware_bridge.core.state import State
from firmware_bridge.core.words import Incident, Place
from firmware_bridge.journal.chain import Record, Tip, advanced, follows
from firmware_bridge.rulebooks import RuleBook, Shelf
from firmware_bridge.service.config import Config
from firmware_bridge.service.replay import replay
from sim_hardware.commands.simulate.world import World
from sim_hardware.commands.stepped import SECOND
from sim_hardware.mechanics import Rates
from sim_hardware.table import Fittings
from tests.table.evening import BACKS, Evening

DECKS = 2
LEASE_S = 3.0
SETTLED_S = 2.5
"""Seconds after which a controller that was started anew has told every device what it shall do."""

VERY_QUICK = Rates(card=0.01, compartment=0.005)


class OneBook(Shelf):
    """The book of this world alone: the same digest as the product's own, at a table of two decks."""

    def __init__(self, book: RuleBook) -> None:
        super().__init__()
        self._book = book

    def find(self, digest: str) -> RuleBook | None:
        """Return it, if that is its digest."""
        return self._book if digest == self._book.digest else None


class KilledWorld(World):
    """The world of a shift without its people, and with one call more: the status file is written after each turn."""

    def __init__(self, config: Config, credentials: Any, seed: int, fittings: Fittings, renewal: Any) -> None:
        equipment = replace(config.book.equipment, decks_allowed=(DECKS,))
        self.calls = 0
        self.dies_at = -1
        self.died_at_ns = -1
        self.before: State | None = None
        """What the journal held when the process was gone."""
        self.told: dict[str, int] = {}
        """The number of each device's last event that is safe; no device of this table loses its memory."""
        self._read = 0
        book = replace(config.book, equipment=equipment)
        super().__init__(replace(config, book=book), credentials, seed, fittings, renewal, lambda: None)
        self.ordered = self._ack_is_safe

    def die_at(self, call: int) -> None:
        """Let the process be gone at this call from now on; what the links had not sent yet is sent, or lost."""
        self.calls, self.dies_at = 0, call
        self._fate = Random(call)

    def port_called(self) -> None:
        """Count a call of store, link or status file; the process is gone at the one that was named."""
        self.calls += 1
        if self.calls == self.dies_at:
            self.kill()
        super().port_called()

    def start_controller(self) -> None:
        """Start a controller; meanwhile every device had to hold itself."""
        if self.died_at_ns >= 0 and self.ns - self.died_at_ns > LEASE_S * SECOND:
            released = [name for name, device in self.physical.devices.items() if device.released_for is not None]
            assert not released, "no lease outlives the controller that gave it"
        super().start_controller()

    def kept(self) -> State:
        """The state that the safe records make, by a fresh fold."""
        return fold((entry.number, entry.utc_ns, entry.body) for entry in self.disk.flushed)

    def read_what_is_safe(self) -> None:
        """Take each event of a device from the journal: in its order, once, none left out."""
        for entry in self.disk.flushed[self._read :]:
            event = Logged.from_body(entry.body).event
            if isinstance(event, Told):
                due = self.told.get(event.device, 0) + 1
                assert event.number == due, f"record {entry.number}: {event.device} told {event.number}, due was {due}"
                self.told[event.device] = event.number
        self._read = len(self.disk.flushed)

    def _turn(self, inputs: Sequence[Input]) -> None:
        super()._turn(inputs)
        if self.running:
            self._guarded(self.port_called)

    def _check_soon(self) -> None:
        """A PIN is checked at once: what happens while one is checked is no matter of these tests."""

    def _be_gone(self) -> None:
        super()._be_gone()
        self.died_at_ns, self.before = self.ns, self.kept()

    def _ack_is_safe(self, device: str, order: Order) -> None:
        if isinstance(order, AckEvents):
            self.read_what_is_safe()
            assert order.number <= self.told.get(device, 0), f"{device} was acknowledged {order.number}: not safe"


class KilledEvening(Evening):
    """Two decks, a quick machine, and hands that bear it when nobody answers."""

    table_of = KilledWorld  # type: ignore[assignment]

    def __init__(self, seed: int = 1) -> None:
        super().__init__(DECKS, seed, Fittings(decks=DECKS, backs=BACKS[:DECKS], rates=VERY_QUICK))
        self.cards = len(self.hands.box)

    @property
    def world(self) -> KilledWorld:
        """The table, as what it is."""
        assert isinstance(self.table, KilledWorld)
        return self.table

    @property
    def is_well(self) -> bool:
        """Whether a controller is there, and every device has told it all."""
        return self.world.running and self.world.started and all(d.caught_up for d in self.state.devices.values())


def look_after_restart(evening: KilledEvening, before: State) -> None:
    """What must stand at a table whose controller has just gone on, before anybody has done anything."""
    state, hands = evening.state, evening.hands
    for number, incident in before.incidents.items():
        still = state.incidents[number]
        assert (still.kind, still.raised) == (incident.kind, incident.raised), "an open alarm is open, as old as it was"
    for notice in before.notices:
        assert notice in state.notices, "what is owed is owed, as long as it was"
    assert state.dealer == before.dealer, "who deals has not gone"
    wanted = desired(state, evening.world.config.book)
    assert hands.lamp_shown is wanted["lamp"].lamp, "the lamp shows what is open, and nothing else"
    open_alarm = any(one.state is not Incident.CLEARED for one in state.incidents.values())
    assert (hands.lamp_shown is Lamp.FLASHING) == open_alarm
    released = hands.devices["shoe"].released_for
    assert released is wanted["shoe"].release
    assert (released is Purpose.DEAL) == (not why_not_deal(state)), "cards come if, and only if, all is in order"
    assert state.locked_out == dict.fromkeys(before.locked_out, started_at(evening)), "a lock-out starts again in full"


def started_at(evening: KilledEvening) -> int:
    """When the controller that runs began, in nanoseconds of table time."""
    logged = (Logged.from_body(entry.body) for entry in reversed(evening.world.disk.flushed))
    return next(one.table_ns for one in logged if isinstance(one.event, Started))


def look_at_the_journal(evening: KilledEvening) -> None:
    """The chain holds, each event of a device stands in it once, and every card of the set is where it belongs."""
    world = evening.world
    world.read_what_is_safe()
    for name, device in evening.hands.devices.items():
        assert world.told.get(name, 0) == device.store.last, f"{name}: nothing that it numbered is lost"
    tip = Tip()
    for part in world.store.parts():
        if isinstance(part, Record):
            assert follows(tip, part), f"record {part.number}"
            tip = advanced(tip, part)
    assert tip.number == world.state.record
    records = ((entry.number, entry.utc_ns, entry.body) for entry in world.disk.flushed)
    found = replay(records, OneBook(world.config.book))
    assert found.difference is None, found.difference
    state = world.state
    assert digest(world.kept()) == digest(state)
    cards = DECK * DECKS
    assert state.account.shown == {Place.VERIFIED: cards, Place.SET_ASIDE: 1, Place.RESERVE: 1}
    assert sorted(deck.deck for deck in state.decks_read if deck.regular) == [1, 2]
