"""Which alarm is presented: one at a time, and the one on which somebody can act."""

from __future__ import annotations

from drivers.protocol.messages import Kind
from firmware_bridge.core.device_state import MACHINES
from firmware_bridge.core.state import OpenIncident, State
from firmware_bridge.core.words import BEING_LOADED, EMPTIES_THE_MACHINE, IN_PLAY, OPENS, Incident, IncidentKind, Role
from firmware_bridge.rulebooks.schema import House

SECOND = 10**9

URGENCY: tuple[IncidentKind, ...] = (
    IncidentKind.JAM,
    IncidentKind.DAMAGED_CARD,
    IncidentKind.LID_OPENED,
    IncidentKind.POWER_LOST,
    IncidentKind.ROUND_CUT,
    IncidentKind.UNREADABLE,
    IncidentKind.WRONG_DEAL,
    IncidentKind.FOREIGN_CARD,
    IncidentKind.DUPLICATE,
    IncidentKind.SPILL,
    IncidentKind.UNEXPECTED_CARD,
    IncidentKind.COUNT_MISMATCH,
    IncidentKind.SEQUENCE,
    IncidentKind.CARD_LOST,
    IncidentKind.EVENTS_LOST,
    IncidentKind.MEMORY_LOST,
    IncidentKind.JOURNAL_BEHIND,
    IncidentKind.IDENTITY_CHANGED,
    IncidentKind.LINK_LOST,
    IncidentKind.KEYPAD_LOST,
    IncidentKind.SCREEN_LOST,
    IncidentKind.RELEASE_LAPSED,
    IncidentKind.HOST_BREAK,
    IncidentKind.JOURNAL_FAILED,
    IncidentKind.SLOW_JOURNAL,
    IncidentKind.MISREAD,
    IncidentKind.SEQUENCE_WARNING,
    IncidentKind.SPECIAL_CARD,
    IncidentKind.DISK_LOW,
    IncidentKind.SUPERVISOR_CALLED,
)
"""All kinds of incident, the most urgent first."""

READ_IN_PLAY = frozenset({IncidentKind.DUPLICATE, IncidentKind.UNREADABLE})
"""Kinds of which the cards that are out are read again; of a table that closes every card is."""

HOLDS_CARDS = MACHINES | {Kind.SHOE}
"""Devices of which it is settled first whether they belong here: a count of another machine's cards proves nothing."""

DEALERS_FIRST = frozenset(
    {IncidentKind.CARD_LOST, IncidentKind.LINK_LOST, IncidentKind.KEYPAD_LOST, IncidentKind.SCREEN_LOST}
)
"""Kinds whose remedy lies in the dealer's reach, a card or a cable: the floor is called only if that does not help."""

AWAITS_A_DEVICE = frozenset(
    {Incident.COUNTING, Incident.SHUFFLING, Incident.READING_REPLACEMENT, Incident.READING_AGAIN}
)
"""States in which nobody can act on an incident."""


AWAITS_THE_CLOSING = frozenset({Incident.OUT_OF_SERVICE, Incident.SEALED})
"""States that only the closing of the table leaves: every card is read then."""

AWAITS_A_CARD = frozenset({Incident.AWAITING_REPLACEMENT, Incident.WRONG_REPLACEMENT})
"""States of a damaged card that only its replacement leaves, until the table is closed."""


def presented(state: State) -> int:
    """Return the number of the alarm that is presented; 0 if none is open.

    First those on which somebody can act or that nobody has seen; of these the ones not cleared yet, by urgency, the
    older first.
    """
    return min(state.incidents, key=lambda number: _rank(state, number), default=0)


def next_call(incident: OpenIncident, house: House) -> tuple[Role, int] | None:
    """Return who is called next about an alarm, and when in table time: dealer, then floor, then room manager.

    None: nobody any more, for it is seen and dealt with, or the room manager has it already.
    """
    if incident.acknowledged is not None and incident.state is Incident.CLEARED:
        return None
    floor_at = incident.stands_since.at
    if incident.kind in DEALERS_FIRST:
        floor_at += house.call_supervisor_after_s * SECOND
        if not incident.escalated and incident.acknowledged is None:
            return Role.SUPERVISOR, floor_at
    if Role.ROOM_MANAGER in incident.escalated:
        return None
    seen_at = incident.acknowledged.at if incident.acknowledged else floor_at  # seen is not done: the time runs anew
    return Role.ROOM_MANAGER, seen_at + house.escalate_after_s * SECOND


def _rank(state: State, number: int) -> tuple[bool, bool, tuple[int, bool], bool, int]:
    incident = state.incidents[number]
    waits = incident.acknowledged is not None and _nobody_can_act(state, incident)
    under_way = incident.state is not Incident.RAISED  # a second card is named before the first is replaced
    return waits, incident.state is Incident.CLEARED, _urgency(state, incident), under_way, number


def _urgency(state: State, incident: OpenIncident) -> tuple[int, bool]:
    """Its kind's; another device that holds cards goes before all that tells of cards and that it would be asked."""
    device = state.devices.get(incident.about)
    if incident.kind is IncidentKind.IDENTITY_CHANGED and device is not None and device.kind in HOLDS_CARDS:
        return URGENCY.index(IncidentKind.LID_OPENED), False
    return URGENCY.index(incident.kind), True


def settled_by_reading(state: State, incident: OpenIncident) -> bool:
    """The table closes over a count that differs: the verification settles it, and nobody counts again."""
    return incident.state is Incident.COUNT_DIFFERS and state.session not in IN_PLAY | BEING_LOADED


COUNTED_BY_THE_MACHINE = frozenset(
    {
        IncidentKind.LID_OPENED,
        IncidentKind.POWER_LOST,
        IncidentKind.SPILL,
        IncidentKind.UNEXPECTED_CARD,
        IncidentKind.COUNT_MISMATCH,
        IncidentKind.SEQUENCE,
        IncidentKind.EVENTS_LOST,
        IncidentKind.MEMORY_LOST,
        IncidentKind.JOURNAL_BEHIND,
    }
)
"""Kinds that only a count by the machine settles; a jam is the technician's too."""


def may_be_counted(state: State) -> bool:
    """Whether a count may be had: of a machine that is there, of a hand-fed shoe's cards while they are played."""
    if state.fed_by_hand:
        return state.session in IN_PLAY | OPENS
    return state.machine is not None and state.machine.is_there


def _nobody_can_act(state: State, incident: OpenIncident) -> bool:
    machine, counted = state.machine, incident.kind in COUNTED_BY_THE_MACHINE
    if counted and not may_be_counted(state) and incident.state is not Incident.CLEARED:
        return True  # what can be done is about its lost link: connect it, or take it out of service
    if incident.state in AWAITS_A_DEVICE or incident.state in AWAITS_THE_CLOSING:
        return True
    if settled_by_reading(state, incident):
        return True
    if incident.kind in READ_IN_PLAY and incident.state is Incident.RAISED and state.session not in IN_PLAY:
        return True
    if incident.state in AWAITS_A_CARD and state.session in EMPTIES_THE_MACHINE:
        return True  # no replacement came while it was played; the table closes without one
    device = state.devices.get(incident.about)
    if incident.kind is IncidentKind.IDENTITY_CHANGED and device is not None and not device.is_there:
        return True  # its lost link comes first
    if incident.kind is IncidentKind.LINK_LOST and device is machine:
        return False  # the technician may take it out of service
    return incident.kind in DEALERS_FIRST and incident.state is Incident.RAISED
