"""Which alarm is presented: one at a time, and the one on which somebody can act."""

from __future__ import annotations

from firmware_bridge.core.state import OpenIncident, State
from firmware_bridge.core.words import BEING_LOADED, IN_PLAY, Incident, IncidentKind

URGENCY: tuple[IncidentKind, ...] = (
    IncidentKind.JAM,
    IncidentKind.DAMAGED_CARD,
    IncidentKind.LID_OPENED,
    IncidentKind.POWER_LOST,
    IncidentKind.SPILL,
    IncidentKind.UNEXPECTED_CARD,
    IncidentKind.COUNT_MISMATCH,
    IncidentKind.CARD_LOST,
    IncidentKind.EVENTS_LOST,
    IncidentKind.MEMORY_LOST,
    IncidentKind.JOURNAL_BEHIND,
    IncidentKind.LINK_LOST,
    IncidentKind.KEYPAD_LOST,
    IncidentKind.SCREEN_LOST,
    IncidentKind.RELEASE_LAPSED,
    IncidentKind.SLOW_JOURNAL,
    IncidentKind.SUPERVISOR_CALLED,
)
"""All kinds of incident, the most urgent first."""

AWAITS_A_DEVICE = frozenset({Incident.COUNTING, Incident.SHUFFLING, Incident.READING_REPLACEMENT})
"""States in which nobody can act on an incident."""


def presented(state: State) -> int:
    """Return the number of the alarm that is presented; 0 if none is open.

    First those on which somebody can act or that nobody has seen; of these the ones not cleared yet, by urgency, the
    older first.
    """
    return min(state.incidents, key=lambda number: _rank(state, number), default=0)


def _rank(state: State, number: int) -> tuple[bool, bool, int, int]:
    incident = state.incidents[number]
    waits = incident.acknowledged is not None and _nobody_can_act(state, incident)
    return waits, incident.state is Incident.CLEARED, URGENCY.index(incident.kind), number


def settled_by_reading(state: State, incident: OpenIncident) -> bool:
    """The table closes over a count that differs: the verification settles it, and nobody counts again."""
    return incident.state is Incident.COUNT_DIFFERS and state.session not in IN_PLAY | BEING_LOADED


def _nobody_can_act(state: State, incident: OpenIncident) -> bool:
    if incident.state in AWAITS_A_DEVICE or incident.state is Incident.OUT_OF_SERVICE:
        return True
    if settled_by_reading(state, incident):
        return True
    mended_elsewhere = incident.kind in (
        IncidentKind.LINK_LOST,
        IncidentKind.KEYPAD_LOST,
        IncidentKind.SCREEN_LOST,
        IncidentKind.CARD_LOST,
    )
    return mended_elsewhere and incident.state is Incident.RAISED
