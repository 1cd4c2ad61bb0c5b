"""Incidents: each kind with its table, the clause it rests on, how urgent it is, and when its condition is gone."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from drivers.cards import UNREAD
from firmware_bridge.core.device_state import MACHINES
from firmware_bridge.core.machine import Row
from firmware_bridge.core.outputs import why_not_approved
from firmware_bridge.core.procedures.incidents import (
    counted,
    damaged_card,
    disturbed,
    duplicate,
    foreign_card,
    identity,
    jam,
    link,
    round_cut,
    sequence,
    simple,
    spill,
    unreadable,
    wrong_deal,
)
from firmware_bridge.core.state import OpenIncident, State
from firmware_bridge.core.words import BEING_LOADED, IN_PLAY, Incident, IncidentKind, Place, Session

JUDGED = frozenset({Session.ALL_REGULAR, Session.DIFFERENCE, Session.EMPTIED})
"""States in which every card of the set was read, or the machine was proven empty: no count is more than that."""


class Kind(Struct, frozen=True):
    """One kind of incident. ``after``: as which error the book's ``after_error`` has it; empty: it is none of a round.

    ``gone``: whether its condition is, as far as its rows ask (*condition gone*, *condition back*).
    """

    rows: tuple[Row, ...]
    gone: Callable[[State, OpenIncident], bool]
    after: str = ""


def _link_is_back(state: State, incident: OpenIncident) -> bool:
    device = state.devices.get(incident.about)
    if device is not None and device.kind in MACHINES and _is_done_without(state, incident):
        return True
    is_back = device is None or device.is_there
    return is_back and incident.state is not Incident.OUT_OF_SERVICE


def _judged(state: State, incident: OpenIncident) -> bool:
    del incident
    return state.session in JUDGED


def _is_done_without(state: State, incident: OpenIncident) -> bool:
    """Every card was read, or the machine was proven empty or given up: it is not needed any more."""
    return _judged(state, incident) or (state.out_of_service and incident.state is Incident.CLEARED)


def _stays_settled(state: State, incident: OpenIncident) -> bool:
    """What was settled stays so while the table closes: that the decks are sorted again unsettles nothing."""
    return incident.state is Incident.CLEARED and state.session not in IN_PLAY | BEING_LOADED


def _counted(state: State, incident: OpenIncident) -> bool:
    """Counted in full and agreed since, or every card was read. A card over the set is the session's affair (SB-1)."""
    agrees = state.counts_trusted and state.account.inside >= 0 and state.account.at(Place.SHOE) >= 0
    return _judged(state, incident) or _stays_settled(state, incident) or agrees


def _card_is_back(state: State, incident: OpenIncident) -> bool:
    """Back in the machine; or the table closed over it, and every card was read."""
    is_back = state.account.out == 0 and state.session in IN_PLAY
    return _judged(state, incident) or _stays_settled(state, incident) or is_back


def _is_approved(state: State, incident: OpenIncident) -> bool:
    """Two people approved the device, or the approved one stands there again (SB-10)."""
    return incident.about not in state.devices or not why_not_approved(state, incident.about)


def _screen_is_back(state: State, incident: OpenIncident) -> bool:
    del incident
    return state.screen_shown


def _disk_has_room(state: State, incident: OpenIncident) -> bool:
    del incident
    return not state.disk_low


def _at_once(state: State, incident: OpenIncident) -> bool:
    """Nothing to wait for: what a person has to say about it is the whole of it."""
    del state, incident
    return True


def _is_cleared(state: State, incident: OpenIncident) -> bool:
    """By its own steps alone."""
    del state
    return incident.state is Incident.CLEARED


def _set_is_read(state: State, incident: OpenIncident) -> bool:
    """The card is sealed and every card was read; or every card was read, and all are the set's."""
    return state.session in JUDGED if incident.state is Incident.SEALED else state.session is Session.ALL_REGULAR


def _sorted_already(state: State, incident: OpenIncident) -> bool:
    """It was named and the table closed: from the sorting on the verification clears it."""
    return incident.face != UNREAD and state.session in (Session.SORTING, Session.AWAITING_DECK, *JUDGED)


KINDS: dict[IncidentKind, Kind] = {
    IncidentKind.JAM: Kind(jam.ROWS, _judged, "jam"),
    IncidentKind.DAMAGED_CARD: Kind(damaged_card.ROWS, _sorted_already),
    IncidentKind.LID_OPENED: Kind(disturbed.ROWS, _judged, "human_error"),
    IncidentKind.POWER_LOST: Kind(disturbed.ROWS, _judged, "system_error"),
    IncidentKind.SPILL: Kind(spill.ROWS, _judged, "human_error"),
    IncidentKind.UNEXPECTED_CARD: Kind(counted.ROWS, _counted, "human_error"),
    IncidentKind.COUNT_MISMATCH: Kind(counted.ROWS, _counted, "system_error"),
    IncidentKind.FOREIGN_CARD: Kind(foreign_card.ROWS, _set_is_read, "human_error"),
    IncidentKind.ROUND_CUT: Kind(round_cut.ROWS, _is_cleared),
    IncidentKind.MISREAD: Kind(simple.ROWS, _at_once),
    IncidentKind.DUPLICATE: Kind(duplicate.ROWS, _judged, "system_error"),
    IncidentKind.UNREADABLE: Kind(unreadable.ROWS, _judged),
    IncidentKind.SEQUENCE: Kind(sequence.ROWS, _judged, "system_error"),
    IncidentKind.SEQUENCE_WARNING: Kind(simple.ROWS, _at_once),
    IncidentKind.SPECIAL_CARD: Kind(simple.ROWS, _at_once),
    IncidentKind.EVENTS_LOST: Kind(counted.ROWS, _counted, "system_error"),
    IncidentKind.MEMORY_LOST: Kind(counted.ROWS, _counted, "system_error"),
    IncidentKind.JOURNAL_BEHIND: Kind(counted.ROWS, _counted, "system_error"),
    IncidentKind.IDENTITY_CHANGED: Kind(identity.ROWS, _is_approved),
    IncidentKind.CARD_LOST: Kind(simple.ROWS, _card_is_back),
    IncidentKind.LINK_LOST: Kind(link.ROWS, _link_is_back, "system_error"),
    IncidentKind.KEYPAD_LOST: Kind(simple.ROWS, _link_is_back, "system_error"),
    IncidentKind.SCREEN_LOST: Kind(simple.ROWS, _screen_is_back, "system_error"),
    IncidentKind.RELEASE_LAPSED: Kind(simple.ROWS, _link_is_back, "host_break"),
    IncidentKind.HOST_BREAK: Kind(simple.ROWS, _at_once, "host_break"),
    IncidentKind.JOURNAL_FAILED: Kind(simple.ROWS, _at_once, "host_break"),
    IncidentKind.SLOW_JOURNAL: Kind(simple.ROWS, _at_once, "system_error"),
    IncidentKind.DISK_LOW: Kind(simple.ROWS, _disk_has_room),
    IncidentKind.WRONG_DEAL: Kind(wrong_deal.ROWS, _is_cleared),
    IncidentKind.SUPERVISOR_CALLED: Kind(simple.ROWS, _at_once),
}
"""All kinds; in which order their alarms are presented, ``alarms.URGENCY`` says."""
