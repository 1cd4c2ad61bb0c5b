"""The entries of an incident's course: each row of each table can be told, and says whose doing it was."""

from __future__ import annotations

import pytest

from drivers.cards import Face
from drivers.protocol.messages import CardDrawn, DealerKey, DealerKeyPressed
from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import INCIDENT_TABLES
from firmware_bridge.core.records import Logged
from firmware_bridge.core.steps import STEPS
from firmware_bridge.core.words import COMES_BACK, Incident, IncidentKind, Role, Trigger
from firmware_bridge.view import Entry, When
from firmware_bridge.view.incident_course import IncidentCourses
from tests.view.states import BOOK, state_of

ROWS = list(dict.fromkeys(row for rows in INCIDENT_TABLES.values() for row in rows))
PERSON = 4711


def event_of(trigger: Trigger) -> e.AnyEvent:
    """What could have fired a trigger: a step, a dealer's key, a card at the reader, or something of the machine."""
    if trigger in STEPS:
        return e.Acted(PERSON, STEPS[trigger].role, trigger, 1, 2307)
    if trigger is Trigger.YES:
        return e.Told("shoe", 1, DealerKeyPressed(DealerKey.YES, 1))
    if trigger is Trigger.CARD_DRAWN:
        return e.Told("shoe", 1, CardDrawn(1, Face(7)))
    return e.TimerDue("order")


def told(event: e.AnyEvent, *changes: c.AnyChange) -> list[tuple[str, int, str]]:
    courses = IncidentCourses()
    state = state_of([c.DealerSigned(101), c.Raised(IncidentKind.JAM, "shuffler", "exit")])
    courses.add(Logged(0, event, c.Decision(changes)), state, When(9, 0))
    return [(line.entry, line.person, line.text) for line in courses.of(1, BOOK) if line.when]


@pytest.mark.field("BR-011")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.source}-{row.trigger}-{row.target}")
def test_every_row_of_every_incident_is_told_in_words_with_whoever_did_it(row: Row) -> None:
    moved = c.Moved("incident/1", row.trigger, row.source, row.target, row.clause)
    lines = told(event_of(Trigger(row.trigger)), moved)
    if row.trigger is Trigger.CONFIRM_INCIDENT:
        assert lines == [], "the confirmation tells it, with its action"
        return
    (entry, person, text), *then = lines
    comes_back = row.trigger in COMES_BACK and row.target == Incident.RAISED
    assert [one[0] for one in then] == [Entry.CALLED] * comes_back, "somebody is called anew about what came back"
    assert entry is Entry.STEP
    assert "{" not in text
    assert person == (PERSON if row.trigger in STEPS else 101 if row.trigger is Trigger.YES else 0)
    assert person == 0 or str(person) in text or text.startswith("replacement: no reader saw it")


@pytest.mark.clause("PT-A1")
def test_a_replacement_of_another_back_is_told_as_that() -> None:
    moved = c.Moved("incident/1", Trigger.ANSWER_NO, Incident.ASKING_BACK, Incident.AWAITING_REPLACEMENT, "PT-A1")
    assert told(event_of(Trigger.ANSWER_NO), moved) == [
        (Entry.STEP, PERSON, "supervisor 4711 said that the replacement has another back")
    ]


@pytest.mark.field("BR-011")
@pytest.mark.parametrize(("typed", "ends"), [(1, "settled as the cards lie"), (2, "void")])
def test_what_becomes_of_a_round_is_told_in_words_and_by_no_number(typed: int, ends: str) -> None:
    decided = e.Acted(201, Role.SUPERVISOR, Trigger.DECIDE_ROUND, 1, typed)
    moved = c.Moved("incident/1", Trigger.DECIDE_ROUND, Incident.RAISED, Incident.CLEARED, "SB-2")
    assert told(decided, moved) == [
        (Entry.STEP, 201, f"supervisor 201 said what becomes of the round: {ends}"),
    ]


@pytest.mark.field("BR-011")
def test_incidents_raised_by_one_record_are_told_apart() -> None:
    courses = IncidentCourses()
    raised = (c.Raised(IncidentKind.JAM, "shuffler", "exit"), c.Raised(IncidentKind.LINK_LOST, "lamp", "unplugged"))
    state = state_of(list(raised))
    courses.add(Logged(0, e.LinkDown("lamp", "unplugged"), c.Decision(raised)), state, When(2, 0))
    assert [courses.of(number, BOOK)[1].role for number in (1, 2)] == ["supervisor", "dealer"]


@pytest.mark.field("BR-011")
def test_a_report_is_owed_after_what_made_it_owed_in_whichever_order_one_record_holds_them() -> None:
    moved = c.Moved("incident/1", Trigger.CALL_TECHNICIAN, Incident.RAISED, Incident.WITH_TECHNICIAN, "PT-A2")
    both = (c.NoticeOwed(1), moved), (moved, c.NoticeOwed(1))
    for changes in both:
        lines = told(event_of(Trigger.CALL_TECHNICIAN), *changes)
        assert [entry for entry, _, _ in lines] == [Entry.STEP, Entry.OWED]
