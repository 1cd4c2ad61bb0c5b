"""The words of each kind of incident in one line: what it is, what ends it, and the clause that it is told with."""

from __future__ import annotations

from firmware_bridge.core.words import IncidentKind

INCIDENTS: dict[IncidentKind, str] = {
    IncidentKind.JAM: "jam",
    IncidentKind.KEYPAD_LOST: "keypad not heard",
    IncidentKind.SCREEN_LOST: "no screen",
    IncidentKind.POWER_LOST: "power lost",
    IncidentKind.CARD_LOST: "card lost",
    IncidentKind.SPILL: "cards spilled",
    IncidentKind.LINK_LOST: "device not heard",
    IncidentKind.RELEASE_LAPSED: "controller not heard by the device",
    IncidentKind.EVENTS_LOST: "device dropped events",
    IncidentKind.MEMORY_LOST: "device lost its memory",
    IncidentKind.JOURNAL_BEHIND: "journal is behind the device",
    IncidentKind.IDENTITY_CHANGED: "another device than the approved one",
    IncidentKind.UNEXPECTED_CARD: "card out of turn",
    IncidentKind.COUNT_MISMATCH: "counts disagree",
    IncidentKind.SEQUENCE: "dealt cards were in order",
    IncidentKind.SEQUENCE_WARNING: "a few dealt cards were in order",
    IncidentKind.LID_OPENED: "lid opened unreleased",
    IncidentKind.SLOW_JOURNAL: "journal is slow",
    IncidentKind.JOURNAL_FAILED: "journal could not be written",
    IncidentKind.HOST_BREAK: "controller was gone in a round",
    IncidentKind.DISK_LOW: "journal's disk is getting full",
    IncidentKind.DAMAGED_CARD: "damaged card",
    IncidentKind.SUPERVISOR_CALLED: "supervisor called",
}

_COUNT = "count the machine between rounds, or close and verify"
REMEDIES: dict[IncidentKind, str] = {
    IncidentKind.JAM: "clear it under the lid, or call the technician",
    IncidentKind.KEYPAD_LOST: "connect the keypad again; no step can be taken until then",
    IncidentKind.SCREEN_LOST: "have a screen show this table again",
    IncidentKind.POWER_LOST: _COUNT,
    IncidentKind.SPILL: "gather every card; " + _COUNT,
    IncidentKind.CARD_LOST: "find the cards of the round, or close and verify",
    IncidentKind.LINK_LOST: "connect the device again",
    IncidentKind.RELEASE_LAPSED: "wait until the device is heard again",
    IncidentKind.EVENTS_LOST: _COUNT,
    IncidentKind.MEMORY_LOST: _COUNT,
    IncidentKind.JOURNAL_BEHIND: _COUNT,
    IncidentKind.IDENTITY_CHANGED: "connect the approved one again, or have the technician check this one (step 62)",
    IncidentKind.UNEXPECTED_CARD: _COUNT,
    IncidentKind.COUNT_MISMATCH: _COUNT,
    IncidentKind.SEQUENCE: "put every card into the machine, have it counted and shuffled",
    IncidentKind.SEQUENCE_WARNING: "may be chance; if it comes again, have the machine looked to",
    IncidentKind.LID_OPENED: "close the lid; " + _COUNT,
    IncidentKind.SLOW_JOURNAL: "look to the disk",
    IncidentKind.JOURNAL_FAILED: "have the disk looked to",
    IncidentKind.HOST_BREAK: "have the computer looked to",
    IncidentKind.DISK_LOW: "have room made on the disk; when it is full, the table stops",
    IncidentKind.DAMAGED_CARD: "replace the card at once",
    IncidentKind.SUPERVISOR_CALLED: "go to the table",
}
"""What ends an incident's condition, or is to be done before it is confirmed."""

INCIDENT_CLAUSES: dict[IncidentKind, str] = {
    IncidentKind.JAM: "PT-A2",
    IncidentKind.KEYPAD_LOST: "SB-1",
    IncidentKind.SCREEN_LOST: "SB-2",
    IncidentKind.POWER_LOST: "SB-9",
    IncidentKind.CARD_LOST: "PT-A10",
    IncidentKind.SPILL: "SB-7",
    IncidentKind.LINK_LOST: "SB-1",
    IncidentKind.RELEASE_LAPSED: "SB-1",
    IncidentKind.EVENTS_LOST: "SB-7",
    IncidentKind.MEMORY_LOST: "SB-7",
    IncidentKind.JOURNAL_BEHIND: "SB-11",
    IncidentKind.IDENTITY_CHANGED: "SB-10",
    IncidentKind.UNEXPECTED_CARD: "SB-1",
    IncidentKind.COUNT_MISMATCH: "SB-7",
    IncidentKind.SEQUENCE: "SB-9",
    IncidentKind.SEQUENCE_WARNING: "SB-5",
    IncidentKind.LID_OPENED: "PT-A2",
    IncidentKind.SLOW_JOURNAL: "SB-11",
    IncidentKind.JOURNAL_FAILED: "SB-11",
    IncidentKind.HOST_BREAK: "SB-11",
    IncidentKind.DISK_LOW: "SB-11",
    IncidentKind.DAMAGED_CARD: "PT-A1",
    IncidentKind.SUPERVISOR_CALLED: "PT-A2",
}
"""What an incident is told with, as ``phrases.stands_on`` takes it."""
