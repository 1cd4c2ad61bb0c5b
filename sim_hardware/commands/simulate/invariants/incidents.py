"""Invariant 4: an incident ends through its steps."""

from __future__ import annotations

from drivers.cards import UNREAD
from firmware_bridge.service.inspection import IncidentKind, Logged, Place, Trigger, changes, events
from sim_hardware.commands.crowd import ROLES
from sim_hardware.commands.simulate.watch import Invariant, Watch, incident_of
from sim_hardware.commands.simulate.world import World

COUNTED = frozenset({Trigger.COUNTED})
SHUFFLED = frozenset({Trigger.COUNTED, Trigger.SHUFFLED})
READ = frozenset({Trigger.CONDITION_GONE})
"""Every card was read at the verification, or the condition is gone: the state says so, no step."""
EMPTIED = frozenset({Trigger.TAKE_OUT_OF_SERVICE, Trigger.CONDITION_GONE})

NEEDS: dict[IncidentKind, tuple[frozenset[str], ...]] = {
    # what must have happened in an incident before it may be confirmed: one of these
    IncidentKind.JAM: (
        SHUFFLED | {Trigger.ANSWER_NO},
        SHUFFLED | {Trigger.ANSWER_YES},
        COUNTED | {Trigger.ANSWER_NO},
        COUNTED | {Trigger.ANSWER_YES},
        READ,
    ),
    IncidentKind.DAMAGED_CARD: (
        frozenset({Trigger.YES, Trigger.CONFIRM_REPLACEMENT}),
        frozenset({Trigger.ANSWER_NO}),
        frozenset({Trigger.CONFIRM_REPLACEMENT}),
        READ,
    ),
    IncidentKind.LID_OPENED: (SHUFFLED, COUNTED, READ),
    IncidentKind.POWER_LOST: (SHUFFLED, COUNTED, READ),
    IncidentKind.SPILL: (COUNTED, READ),
    IncidentKind.SEQUENCE: (SHUFFLED, COUNTED, READ),
    IncidentKind.UNEXPECTED_CARD: (COUNTED, READ),
    IncidentKind.COUNT_MISMATCH: (COUNTED, READ),
    IncidentKind.EVENTS_LOST: (COUNTED, READ),
    IncidentKind.MEMORY_LOST: (COUNTED, READ),
    IncidentKind.JOURNAL_BEHIND: (COUNTED, READ),
    IncidentKind.FOREIGN_CARD: (frozenset({Trigger.CONFIRM_REPLACEMENT, Trigger.CONDITION_GONE}), READ),
    IncidentKind.ROUND_CUT: (frozenset({Trigger.DECIDE_ROUND}),),
    IncidentKind.WRONG_DEAL: (frozenset({Trigger.NAME_SLIP}),),
    IncidentKind.DUPLICATE: (frozenset({Trigger.YES, Trigger.CARD_DRAWN, Trigger.SHOE_TRAY_EMPTIED}), READ),
    IncidentKind.UNREADABLE: (
        frozenset({Trigger.YES, Trigger.CARD_DRAWN}),
        frozenset({Trigger.ANSWER_NO}),
        frozenset({Trigger.ANSWER_YES}),
        READ,
    ),
    IncidentKind.IDENTITY_CHANGED: (frozenset({Trigger.CHECK_DEVICE, Trigger.APPROVE_DEVICE}), READ),
}


class EndsBySteps(Invariant):
    """4: an incident ends only through its steps, by the right role."""

    number = 4

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._open: dict[int, IncidentKind] = {}
        self._steps: dict[int, set[str]] = {}
        self._raised = 0

    def recorded(self, number: int, logged: Logged) -> None:
        """Follow each incident from its raising to its end."""
        for change in logged.decision.changes:
            if isinstance(change, changes.Raised):
                self._raised += 1
                self._open[self._raised], self._steps[self._raised] = change.kind, set()
            elif isinstance(change, changes.Moved) and (incident := incident_of(change)) is not None:
                self._moved(number, incident, change, logged)
        if self._open.keys() != self.state.incidents.keys():
            gone = sorted(self._open.keys() ^ self.state.incidents.keys())
            raise self.broken(f"record {number}: incidents {gone} came or went without being raised or confirmed")

    def _moved(self, number: int, incident: int, moved: changes.Moved, logged: Logged) -> None:
        self._steps[incident].add(moved.trigger)
        if moved.target != "confirmed":
            return
        kind, steps = self._open.pop(incident), self._steps.pop(incident)
        event = logged.event
        by_supervisor = isinstance(event, events.Acted) and ROLES.get(event.person) == "supervisor"
        if not by_supervisor or moved.trigger != Trigger.CONFIRM_INCIDENT:
            raise self.broken(f"record {number}: incident {incident} ({kind}) ended by {moved.trigger}, no supervisor")
        closed = self.state.incidents_closed.get(incident)
        if closed is None or closed.acknowledged is None or closed.cleared is None:
            raise self.broken(f"record {number}: incident {incident} ({kind}) ended unseen, or not cleared")
        aside = kind is IncidentKind.DAMAGED_CARD and closed.face != UNREAD and closed.place is not Place.UNLOADED
        if aside and not closed.envelope:
            raise self.broken(f"record {number}: a damaged card was set aside, and is in no envelope [PT-A1]")
        if kind is IncidentKind.FOREIGN_CARD and not closed.envelope and Trigger.CONFIRM_REPLACEMENT in steps:
            raise self.broken(f"record {number}: a foreign card was taken out, and is in no envelope [SB-1]")
        if kind in NEEDS and not any(needed <= steps for needed in NEEDS[kind]):
            raise self.broken(f"record {number}: incident {incident} ({kind}) ended with nothing but {sorted(steps)}")
