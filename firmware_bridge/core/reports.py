"""What a device's event means to the table: sights and entries, a trigger, and what it is where no row takes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from drivers.cards import SPECIAL, UNREAD, Face
from drivers.protocol.messages import (
    Body,
    CardDrawn,
    CardFed,
    CardIn,
    CommandResult,
    EventsLost,
    FeedEmpty,
    HoldConfirmed,
    IntakeChanged,
    Inventory,
    JamChanged,
    Kind,
    Lapsed,
    LidMoved,
    Operation,
    Purpose,
    TrayChanged,
)
from firmware_bridge.core.accounts import OUT, UNSEEN, Account
from firmware_bridge.core.batch_reports import BATCH_REPORTS
from firmware_bridge.core.changes import AnyChange, Booked, OrderClosed, Seen, Sight
from firmware_bridge.core.events import Told
from firmware_bridge.core.report import A_CARD_STICKS, Report, hindered
from firmware_bridge.core.state import State
from firmware_bridge.core.words import IncidentKind, Place, Trigger

LID_FORCED = "the lid was opened though it was not released"
SECOND_SPECIAL = "a special card came though the warning card was out, or none is used: a cut card was left in the shoe"
DISK_EXPLAINS_NS = 10 * 10**9
"""For so long after a slow flush a lapse is put down to it: the device tells it as soon as that flush returned."""


def _card_drawn(state: State, event: Told) -> Report:
    body: CardDrawn = event.body  # type: ignore[assignment]
    if body.face == SPECIAL:
        incident = (IncidentKind.SPECIAL_CARD, event.device, SECOND_SPECIAL)
        return Report((), Trigger.SPECIAL_CARD, None, (), incident)
    incident = (IncidentKind.UNEXPECTED_CARD, event.device, "a card came out of the shoe out of turn")
    entries: tuple[AnyChange, ...] = ()
    if body.purpose != Purpose.VERIFY:  # a card of the shoe's own tray is no card of the machine
        entries = left_the_shoe(state.account, where_it_lies(state), 1, "out of turn", body.face, hides(state))
    return Report((), Trigger.CARD_DRAWN, None, entries, incident)


def hides(state: State) -> Place:
    """Where cards are that went in past every sensor: in the machine, or in a shoe that stands by itself."""
    return Place.SHOE if state.fed_by_hand else Place.MACHINE


def where_it_lies(state: State) -> Place:
    """Where a card lies that left the shoe without a step that takes it: on the table, or with what is unloaded."""
    return Place.TABLE if state.rounds and state.account.at(Place.UNLOADED) == 0 else Place.UNLOADED


def left_the_shoe(
    account: Account, target: Place, cards: int, cause: str, face: Face = UNREAD, unseen_in: Place = Place.MACHINE
) -> tuple[Booked, ...]:
    """Cards left the shoe. Beyond what the books hold inside, they went in past every sensor, or are over."""
    out = Booked(Place.SHOE, target, cards, cause, face)
    unseen = cards - max(0, account.inside)
    if unseen <= 0:
        return (out,)
    source = account.first_of(*OUT, Place.MISSING, Place.OUTSIDE)
    return Booked(source, unseen_in, unseen, UNSEEN), out


def _card_in(state: State, event: Told) -> Report:
    source = state.account.first_of(*OUT, Place.MISSING, Place.OUTSIDE, Place.UNLOADED)
    incident = (IncidentKind.UNEXPECTED_CARD, event.device, "a card went into the machine out of turn")
    fed = (Seen(event.device, Sight.FEED_EMPTY, False),) if state.devices[event.device].feed_empty else ()
    return Report(fed, Trigger.CARD_IN, None, (Booked(source, Place.MACHINE, 1, "out of turn"),), incident)


def _card_fed(state: State, event: Told) -> Report:
    del state, event
    return Report((Booked(Place.MACHINE, Place.SHOE, 1, "fed"),), Trigger.CARD_FED)


def _hold_confirmed(state: State, event: Told) -> Report:
    del state
    return Report((Seen(event.device, Sight.HOLD_CONFIRMED, True),) if event.current else ())


def _lapsed(state: State, event: Told) -> Report:
    """Whoever reads it is sent to the right thing: the cable, or the disk for which the controller waited."""
    detail = "the controller was not heard in time: held"
    if state.slow_flush_ms and state.at - state.slow_flush_at <= DISK_EXPLAINS_NS:
        detail += f"; it waited for the journal's disk, of which a flush took {state.slow_flush_ms} ms"
    return Report(incident=(IncidentKind.RELEASE_LAPSED, event.device, detail))


def _lid_moved(state: State, event: Told) -> Report:
    del state
    body: LidMoved = event.body  # type: ignore[assignment]
    trigger = Trigger.LID_OPENED if body.open else Trigger.LID_CLOSED
    incident = (IncidentKind.LID_OPENED, event.device, LID_FORCED)
    return Report((Seen(event.device, Sight.LID_OPEN, body.open),), trigger, None, (), incident)


def _tray_changed(state: State, event: Told) -> Report:
    body: TrayChanged = event.body  # type: ignore[assignment]
    trigger = Trigger.TRAY_FILLED if body.occupied else Trigger.TRAY_EMPTIED
    if not body.occupied and state.devices[event.device].kind is Kind.SHOE:
        trigger = Trigger.SHOE_TRAY_EMPTIED
    return Report((Seen(event.device, Sight.TRAY_OCCUPIED, body.occupied),), trigger)


def _intake_changed(state: State, event: Told) -> Report:
    del state
    body: IntakeChanged = event.body  # type: ignore[assignment]
    trigger = Trigger.INTAKE_READY if body.ready else Trigger.INTAKE_NOT_READY
    return Report((Seen(event.device, Sight.INTAKE_READY, body.ready),), trigger)


def _feed_empty(state: State, event: Told) -> Report:
    del state
    return Report((Seen(event.device, Sight.FEED_EMPTY, True),), Trigger.FEED_EMPTY)


def _command_result(state: State, event: Told) -> Report:
    body: CommandResult = event.body  # type: ignore[assignment]
    if state.order is None or not state.order.is_answered_by(body.id):
        return Report()  # a late result is recorded as what it is and answers nothing else (rule 18)
    closed = OrderClosed(body.id, "done" if body.done else "not_done")
    shuffled = body.done and state.order.operation is Operation.SHUFFLE
    return Report((closed,), Trigger.SHUFFLED if shuffled else Trigger.COUNT_UNKNOWN)


def _inventory(state: State, event: Told) -> Report:
    body: Inventory = event.body  # type: ignore[assignment]
    if state.order is None or not state.order.is_answered_by(body.id):
        return Report()
    return Report((OrderClosed(body.id, "done"),), Trigger.COUNTED)


def _jam_changed(state: State, event: Told) -> Report:
    body: JamChanged = event.body  # type: ignore[assignment]
    if state.takes_whole_sets:  # which may have faults of its own besides
        return hindered(state, event.device, A_CARD_STICKS, body.jammed, body.place.name.lower())
    incident = (IncidentKind.JAM, event.device, body.place.name.lower())
    trigger = Trigger.JAMMED if body.jammed else Trigger.JAM_CLEARED
    return Report((Seen(event.device, Sight.JAMMED, body.jammed),), trigger, None, (), incident)


def _events_lost(state: State, event: Told) -> Report:
    del state
    body: EventsLost = event.body  # type: ignore[assignment]
    return Report(incident=(IncidentKind.EVENTS_LOST, event.device, f"the device dropped {body.dropped} of its events"))


REPORTS: dict[type[Body], Callable[[State, Any], Report]] = {
    CardDrawn: _card_drawn,
    CardIn: _card_in,
    CardFed: _card_fed,
    HoldConfirmed: _hold_confirmed,
    Lapsed: _lapsed,
    LidMoved: _lid_moved,
    TrayChanged: _tray_changed,
    IntakeChanged: _intake_changed,
    FeedEmpty: _feed_empty,
    CommandResult: _command_result,
    Inventory: _inventory,
    JamChanged: _jam_changed,
    EventsLost: _events_lost,
    **BATCH_REPORTS,
}
