"""What the events of a batch shuffler mean to the table: its cycles, what they counted and read, packs that leave."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from drivers.protocol.batch import (
    Backs,
    CycleBegan,
    CycleEnded,
    Faces,
    FaultChanged,
    FaultClass,
    MachineFault,
    Mode,
    Outcome,
    OutputChanged,
    PackOut,
    PassDone,
)
from drivers.protocol.messages import Body, Purpose
from firmware_bridge.core.changes import AnyChange, Booked, OrderClosed, PassCounted, Seen, Sight
from firmware_bridge.core.events import Told
from firmware_bridge.core.report import Report, hindered
from firmware_bridge.core.sets import backs_seen, faces_read, in_hands
from firmware_bridge.core.state import State
from firmware_bridge.core.words import Course, IncidentKind, Place, Trigger


def _output_changed(state: State, event: Told) -> Report:
    del state
    body: OutputChanged = event.body  # type: ignore[assignment]
    seen = Seen(event.device, Sight.OUTPUT_OCCUPIED, body.occupied)
    return Report((seen,), None if body.occupied else Trigger.OUTPUT_TAKEN)


def _cycle_began(state: State, event: Told) -> Report:
    """The order is carried out when the cycle begins; how it ends is another event."""
    body: CycleBegan = event.body  # type: ignore[assignment]
    incident = (IncidentKind.UNEXPECTED_CARD, event.device, "the machine began a cycle that nothing asked for")
    return Report(_order_closed(state, body.id), Trigger.CYCLE_BEGAN, None, (), incident)


def _order_closed(state: State, order: int) -> tuple[AnyChange, ...]:
    return (OrderClosed(order, "done"),) if state.order is not None and state.order.id == order else ()


def _pass_done(state: State, event: Told) -> Report:
    body: PassDone = event.body  # type: ignore[assignment]
    return Report(tuple(PassCounted(body.cards, set=name) for name in state.sets_at(Course.IN_CYCLE)))


def _faces(state: State, event: Told) -> Report:
    body: Faces = event.body  # type: ignore[assignment]
    return Report(tuple(faces_read(body.cards, state.decks, name) for name in state.sets_at(Course.IN_CYCLE)))


def _backs(state: State, event: Told) -> Report:
    body: Backs = event.body  # type: ignore[assignment]
    names = state.sets_at(Course.IN_CYCLE)
    return Report(tuple(backs_seen(body.cards, state.sets[name].backs, name) for name in names))


def _cycle_ended(state: State, event: Told) -> Report:
    """Only a shuffle made to its end has counted and shuffled; a sort, and one that was broken off, has not (SB-5)."""
    del state
    body: CycleEnded = event.body  # type: ignore[assignment]
    shuffled = body.outcome is Outcome.DONE and body.mode is Mode.SHUFFLE
    return Report(heard_by_all=(Trigger.COUNTED, Trigger.SHUFFLED) if shuffled else (Trigger.NOT_SHUFFLED,))


def _pack_out(state: State, event: Told) -> Report:
    body: PackOut = event.body  # type: ignore[assignment]
    entries = []
    for name, cards in state.sets.items():
        target = Place.SHOE if body.purpose == Purpose.DEAL else in_hands(state, name)
        if (inside := cards.account.at(Place.MACHINE)) > 0:
            entries.append(Booked(Place.MACHINE, target, inside, "out of turn", set=name))
    odd = "a pack left the machine out of turn" if entries else "the machine let out cards that the books had not in it"
    incident = (IncidentKind.UNEXPECTED_CARD, event.device, odd)
    return Report((), Trigger.PACK_OUT, None, tuple(entries), incident)


def _fault_changed(state: State, event: Told) -> Report:
    """A part that does not move is dealt with as a card that sticks: under the lid, or by the technician (PT-A2).

    What whoever stands there can end is no incident: it hinders a cycle, and that is an event of its own.
    """
    body: FaultChanged = event.body  # type: ignore[assignment]
    if body.fault is MachineFault.CARDS_INSIDE:
        return Report((Seen(event.device, Sight.CARDS_INSIDE, body.present),))
    if body.fault.fault_class is FaultClass.OPERATOR:
        return Report()
    return hindered(state, event.device, body.fault, body.present, body.fault.name.lower())


BATCH_REPORTS: Mapping[type[Body], Callable[[State, Any], Report]] = MappingProxyType(
    {
        OutputChanged: _output_changed,
        CycleBegan: _cycle_began,
        PassDone: _pass_done,
        Faces: _faces,
        Backs: _backs,
        CycleEnded: _cycle_ended,
        PackOut: _pack_out,
        FaultChanged: _fault_changed,
    }
)
"""By the kind of event."""
