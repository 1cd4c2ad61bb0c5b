"""What an incident asks for, as data: by its state, or, fresh, by its kind. Whose a step is, ``asked.py`` says."""

from __future__ import annotations

from firmware_bridge.core.words import Incident, IncidentKind, Trigger

_LID, _TECHNICIAN = Trigger.RELEASE_LID, Trigger.CALL_TECHNICIAN

INCIDENT_ASKED: dict[Incident, tuple[Trigger, ...]] = {
    Incident.CLEARED: (Trigger.CONFIRM_INCIDENT,),
    Incident.LID_RELEASED: (_TECHNICIAN,),
    Incident.LID_OPEN: (_TECHNICIAN,),
    Incident.STILL_BLOCKED: (_LID, _TECHNICIAN),
    Incident.ASKING_DAMAGE: (Trigger.ANSWER_NO, Trigger.ANSWER_YES),
    Incident.COUNT_DIFFERS: (Trigger.COUNT_MACHINE,),
    Incident.WITH_TECHNICIAN: (Trigger.REPAIRED, Trigger.TAKE_OUT_OF_SERVICE, Trigger.ANSWER_NO, Trigger.ANSWER_YES),
    Incident.AWAITING_REPLACEMENT: (Trigger.YES, Trigger.NAME_CARD),
    Incident.WRONG_REPLACEMENT: (Trigger.YES,),
    Incident.ASKING_BACK: (Trigger.YES, Trigger.ANSWER_NO),
    Incident.AWAITING_SEAL: (Trigger.CONFIRM_REPLACEMENT,),
    Incident.AWAITING_ENVELOPE: (Trigger.CONFIRM_REPLACEMENT,),
    Incident.AWAITING_REMEDY: (Trigger.TAKE_REMEDY, Trigger.SIGN_DEVIATION, Trigger.NAME_SLIP),
}
"""What an incident's state asks for, the first of them first."""

OPENED_BY_HAND = frozenset({Incident.LID_RELEASED, Incident.LID_OPEN})
"""States in which hands are at the lid; only at a jam is there a technician to call."""

RAISED_ASKS: dict[IncidentKind, tuple[Trigger, ...]] = {
    IncidentKind.JAM: (_LID, _TECHNICIAN),
    IncidentKind.DAMAGED_CARD: (Trigger.NAME_CARD, Trigger.ANSWER_NO),
    IncidentKind.LID_OPENED: (Trigger.COUNT_MACHINE,),
    IncidentKind.POWER_LOST: (Trigger.COUNT_MACHINE,),
    IncidentKind.SPILL: (Trigger.COUNT_MACHINE,),
    IncidentKind.UNEXPECTED_CARD: (Trigger.COUNT_MACHINE,),
    IncidentKind.COUNT_MISMATCH: (Trigger.COUNT_MACHINE,),
    IncidentKind.SEQUENCE: (Trigger.COUNT_MACHINE,),
    IncidentKind.EVENTS_LOST: (Trigger.COUNT_MACHINE,),
    IncidentKind.MEMORY_LOST: (Trigger.COUNT_MACHINE,),
    IncidentKind.JOURNAL_BEHIND: (Trigger.COUNT_MACHINE,),
    IncidentKind.FOREIGN_CARD: (Trigger.CONFIRM_REPLACEMENT,),
    IncidentKind.ROUND_CUT: (Trigger.DECIDE_ROUND,),
    IncidentKind.WRONG_DEAL: (Trigger.NAME_SLIP,),
    IncidentKind.DUPLICATE: (Trigger.YES,),
    IncidentKind.UNREADABLE: (Trigger.YES, Trigger.ANSWER_NO, Trigger.ANSWER_YES),
}
"""What a fresh incident asks for, by kind; of the others nothing but to mend its cause."""
