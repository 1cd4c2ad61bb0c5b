"""The room manager's steps after an incident: its report to the inspectorate (54), a corrective action (58)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.changes import Corrected
from firmware_bridge.core.words import IncidentKind, Session, Trigger
from firmware_bridge.view import Entry
from tests.table.evening import DEALER, ROOM_MANAGER, SUPERVISOR, TECHNICIAN, Evening
from tests.table.told import entries, incident_told, session_told
from tests.view.newcomer import Newcomer

STEPS = [(Trigger.NOTICE_SENT, "PT-A1"), (Trigger.CORRECTIVE_ACTION, "SB-2")]


@pytest.fixture
def called(ready: Evening) -> Evening:
    """The dealer called the supervisor: incident 1."""
    assert ready.key(DealerKey.CALL_SUPERVISOR) is None
    return ready


def corrections(evening: Evening) -> list[Corrected]:
    """The corrective actions that were entered."""
    return [change for one in evening.logged() for change in one.decision.changes if isinstance(change, Corrected)]


@pytest.mark.clause("SB-2", "PT-A1")
@pytest.mark.parametrize("person", [DEALER, SUPERVISOR, TECHNICIAN])
@pytest.mark.parametrize(("step", "clause"), STEPS)
def test_they_are_nobody_elses(called: Evening, person: int, step: Trigger, clause: str) -> None:
    assert called.act(person, step, 1) == clause
    assert called.state.incidents[1].reported is None
    assert not corrections(called)


@pytest.mark.parametrize("step", [step for step, _ in STEPS])
def test_an_incident_that_there_is_not_is_refused(called: Evening, step: Trigger) -> None:
    assert called.act(ROOM_MANAGER, step, 2) is not None
    assert called.act(ROOM_MANAGER, step, 1) is None


@pytest.mark.field("BR-011")
def test_any_incident_of_the_session_is_reported_once_open_or_confirmed(called: Evening) -> None:
    called.confirm_all()
    assert called.act(ROOM_MANAGER, Trigger.NOTICE_SENT, 1) is None
    assert called.act(ROOM_MANAGER, Trigger.NOTICE_SENT, 1) is not None
    report = entries(incident_told(called), Entry.REPORT)
    assert [line.person for line in report] == [ROOM_MANAGER]


@pytest.mark.field("BR-011", "BR-013")
def test_both_outlive_a_restart(called: Evening) -> None:
    assert called.act(ROOM_MANAGER, Trigger.NOTICE_SENT, 1) is None
    assert called.act(ROOM_MANAGER, Trigger.CORRECTIVE_ACTION, 1) is None
    called.table.start_controller()
    called.table.run(4)
    assert called.state.incidents[1].reported_by == ROOM_MANAGER
    assert called.act(ROOM_MANAGER, Trigger.NOTICE_SENT, 1) is not None
    assert corrections(called) == [Corrected(IncidentKind.SUPERVISOR_CALLED, ROOM_MANAGER)]


@pytest.mark.field("BR-013")
def test_what_comes_after_a_corrective_action_is_counted_from_it(called: Evening) -> None:
    called.confirm_all()
    assert called.act(ROOM_MANAGER, Trigger.CORRECTIVE_ACTION, 1) is None
    called.table.start_controller()
    called.table.run(4)
    called.confirm_all()
    for _ in range(2):
        assert called.key(DealerKey.CALL_SUPERVISOR) is None
        called.confirm_all()
    [repeat] = [one for one in session_told(called).repeats if one.kind is IncidentKind.SUPERVISOR_CALLED]
    assert (repeat.total, repeat.since, repeat.corrected_by) == (3, 2, ROOM_MANAGER)
    assert {(one.role, one.person, one.since) for one in repeat.on_duty} == {
        ("supervisor", SUPERVISOR, 2),
        ("dealer", DEALER, 2),
    }


@pytest.mark.clause("PT-A1")
@pytest.mark.field("BR-010", "BR-011")
def test_a_notice_that_is_still_owed_is_sent_in_a_later_session_and_told_in_the_report_of_its_own(
    ready: Evening,
) -> None:
    ready.deal(3)
    ready.key(DealerKey.DAMAGED_CARD)
    Newcomer(ready).clear()
    deck = ready.state.incidents_closed[1].deck
    ready.key(DealerKey.ROUND_OVER)
    ready.hands.move(ready.hands.take_shoe_output(), ready.hands.on_table)
    ready.put_back()
    ready.close()
    assert ready.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert ready.session is Session.VERIFIED
    assert ready.act(SUPERVISOR, Trigger.DECK_REPLACED, deck) is None
    ready.open_table()
    assert [duty for duty in session_told(ready, 1).duties if duty.startswith("Notice")]
    assert ready.key(DealerKey.CALL_SUPERVISOR) is None  # an incident of the later session
    assert ready.act(ROOM_MANAGER, Trigger.NOTICE_SENT, 1) is None
    assert ready.act(ROOM_MANAGER, Trigger.NOTICE_SENT, 2) is None
    told = incident_told(ready, 1, session=1)
    assert told.reported is not None
    assert told.reported_by == ROOM_MANAGER
    assert not [duty for duty in session_told(ready, 1).duties if duty.startswith("Notice")]
    assert [one.number for one in session_told(ready, 1).incidents] == [1]
