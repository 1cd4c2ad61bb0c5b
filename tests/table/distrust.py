"""What makes nobody believe the counts, by kind: each of these happens at the table or at a device, through bytes."""

from __future__ import annotations

from collections.abc import Callable

from drivers.protocol.messages import CardDrawn, DealerKey, EventsLost, Purpose
from firmware_bridge.core.records import Entry
from firmware_bridge.core.words import IncidentKind
from firmware_bridge.journal import MemoryStore
from tests.table.byways import count
from tests.table.evening import Evening


def forget(evening: Evening) -> None:
    """The shoe loses its memory: up to a window of cards may have left unseen."""
    evening.hands.reboot("shoe", memory_lost=True)
    evening.table.run(5)


def miscount(evening: Evening) -> None:
    """A card is not in the machine when it is counted, and back in its place afterwards."""
    place = next(place for place in evening.hands.mechanism.compartments if place)
    card = place.pop()
    count(evening)
    assert evening.table.run(60, lambda: IncidentKind.COUNT_MISMATCH in evening.kinds())
    place.append(card)
    evening.table.run(0.5)


def lose_events(evening: Evening) -> None:
    """The shoe says that it had no place for an event."""
    evening.hands.equipment["shoe"].tell(EventsLost(1))
    evening.table.run(0.5)


def draw_astray(evening: Evening) -> None:
    """The shoe tells of a card that came for a purpose that nobody ordered."""
    evening.hands.equipment["shoe"].tell(CardDrawn(Purpose.VERIFY, face=1))
    evening.table.run(0.5)


def roll_back(evening: Evening) -> None:
    """An older copy of the journal is put back: the shoe was acknowledged further than it reaches."""
    older = MemoryStore(table="BJ 7", seed=bytes(32))
    kept = list(evening.table.store.records())
    older.append([Entry(one.number, one.utc_ns, one.link_ns, one.body) for one in kept], sign=True)
    assert evening.key(DealerKey.YES) is not None
    evening.table.run(3)
    evening.table.store = older
    evening.table.start_controller()
    evening.table.run(5)


Doubt = Callable[[Evening], None]

DOUBTS: dict[IncidentKind, Doubt] = {
    IncidentKind.UNEXPECTED_CARD: draw_astray,
    IncidentKind.COUNT_MISMATCH: miscount,
    IncidentKind.EVENTS_LOST: lose_events,
    IncidentKind.MEMORY_LOST: forget,
    IncidentKind.JOURNAL_BEHIND: roll_back,
}
"""What raises each kind that only a full count ends."""
