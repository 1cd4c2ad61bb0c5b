"""The fold of incidents: what becomes of one from its discovery to its report, one small function a change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firmware_bridge.core import changes as c
from firmware_bridge.core.state import Notice, OpenIncident, SetOfCards, State
from firmware_bridge.core.words import ABOUT_THE_MACHINE, COMES_BACK, Incident, IncidentKind, Place

DISTRUSTS_COUNTS = frozenset(
    {
        IncidentKind.EVENTS_LOST,
        IncidentKind.MEMORY_LOST,
        IncidentKind.JOURNAL_BEHIND,
        IncidentKind.UNEXPECTED_CARD,
        IncidentKind.COUNT_MISMATCH,
        IncidentKind.SPILL,
        IncidentKind.LID_OPENED,
        IncidentKind.POWER_LOST,
        IncidentKind.JAM,
    }
)
"""Incidents after which no count is believed until the machine was counted in full."""


BY_NOW = "; by now "
"""Between what a device differed in when its incident was raised, and what it differs in now."""


def incident_moved(state: State, number: int, change: c.Moved) -> None:
    """Write down where an incident stands now; one that is confirmed is closed."""
    incident, target = state.incidents[number], Incident(change.target)
    if incident.state is not target:
        state.prompt = state.record
    if target is Incident.RAISED and change.trigger in COMES_BACK:  # what was seen then was not this
        incident.again, incident.acknowledged, incident.acknowledged_by = state.moment, None, 0
        incident.escalated = []
    incident.state = target
    if target is Incident.CONFIRMED:
        incident.confirmed = state.moment
        state.incidents_closed[number] = state.incidents.pop(number)
    else:
        incident.cleared = state.moment if target is Incident.CLEARED else None


def _concerned(state: State, kind: IncidentKind) -> list[SetOfCards]:
    """Of what is about the machine, the set that is in it; of all else, every set: a card may be of either (SB-6)."""
    sets = list(state.sets.values())
    inside = [cards for cards in sets if cards.account.at(Place.MACHINE) > 0]
    return inside or sets if kind in ABOUT_THE_MACHINE else sets


def _raised(state: State, change: c.Raised) -> None:
    state.incident_kinds.append(change.kind)
    state.incidents[state.incidents_raised] = OpenIncident(change.kind, change.about, change.detail, state.moment)
    if change.kind in DISTRUSTS_COUNTS:
        for cards in _concerned(state, change.kind):
            cards.counts_trusted = False


def _postponed(state: State, change: c.Postponed) -> None:
    state.postponed.append(change)


def _acknowledged(state: State, change: c.Acknowledged) -> None:
    incident = state.incidents.get(change.incident) or state.incidents_closed[change.incident]
    incident.acknowledged, incident.acknowledged_by = state.moment, change.person


def _card_named(state: State, change: c.CardNamed) -> None:
    incident = state.incidents[change.incident]
    incident.deck, incident.face, incident.place = change.deck, change.face, change.place
    incident.marked_deck = change.deck not in state.imperfect_decks


def _device_changed_again(state: State, change: c.DeviceChangedAgain) -> None:
    incident = state.incidents[change.incident]
    first, _, _ = incident.detail.partition(BY_NOW)  # the first change, which was told then, and the one that stands
    incident.detail = first if change.how == first else first + BY_NOW + change.how


def _read_again(state: State, change: c.ReadAgain) -> None:
    reread = state.incidents[change.incident].reread
    reread[change.face] = reread.get(change.face, 0) + 1


def _replacement_read(state: State, change: c.ReplacementRead) -> None:
    state.incidents[change.incident].read = change.face


def _stopped(state: State, change: c.Stopped) -> None:
    state.incidents[change.incident].stopped = state.moment


def _round_tagged(state: State, change: c.RoundTagged) -> None:
    state.incidents[change.incident].rounds.append(change.round)


def _incident_closed(state: State, change: c.IncidentClosed) -> None:
    incident = state.incidents[change.incident]
    incident.confirmed_by, incident.action = change.person, change.action


def _escalated(state: State, change: c.Escalated) -> None:
    state.incidents[change.incident].escalated.append(change.role)


def _sealed(state: State, change: c.Sealed) -> None:
    state.incidents[change.incident].envelope = change.envelope


def _notice_owed(state: State, change: c.NoticeOwed) -> None:
    state.notices.append(Notice(change.incident, state.moment))


def _notice_sent(state: State, change: c.NoticeSent) -> None:
    state.notices = [notice for notice in state.notices if notice.incident != change.incident]
    incident = state.incidents.get(change.incident) or state.incidents_closed.get(change.incident)
    if incident is not None and incident.reported is None:  # a notice may be sent in a later session
        incident.reported, incident.reported_by = state.moment, change.person


def _corrected(state: State, change: c.Corrected) -> None:
    """Whoever counts repeats reads it in the record: it decides nothing."""


OF_INCIDENTS: dict[type[c.Change], Callable[[State, Any], None]] = {
    c.Raised: _raised,
    c.Postponed: _postponed,
    c.Acknowledged: _acknowledged,
    c.CardNamed: _card_named,
    c.ReplacementRead: _replacement_read,
    c.DeviceChangedAgain: _device_changed_again,
    c.ReadAgain: _read_again,
    c.Stopped: _stopped,
    c.RoundTagged: _round_tagged,
    c.IncidentClosed: _incident_closed,
    c.Escalated: _escalated,
    c.Sealed: _sealed,
    c.NoticeOwed: _notice_owed,
    c.NoticeSent: _notice_sent,
    c.Corrected: _corrected,
}
"""Every change to an incident, and what writes it down."""
