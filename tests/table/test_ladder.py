"""Who is called about an alarm, and when: dealer, floor, room manager, by the house's times on the table's clock."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey, JamPlace
from firmware_bridge.core.words import Incident, IncidentKind, Role, Trigger
from firmware_bridge.view import Entry
from tests.table.byways import stands
from tests.table.evening import SUPERVISOR, TECHNICIAN, Evening
from tests.table.test_jam import clear, jam
from tests.table.told import entries, incident_told, screen

pytestmark = [pytest.mark.clause("SB-2"), pytest.mark.field("BR-009")]


@pytest.fixture
def unplugged(ready: Evening) -> Evening:
    """The lamp's cable is out: the dealer can put it back."""
    ready.table.unplug("lamp")
    ready.table.run(0.1)
    return ready


def escalated(evening: Evening) -> list[Role]:
    return evening.state.incidents[1].escalated


def clocks(evening: Evening) -> str:
    alarm = screen(evening).alarm
    assert alarm is not None
    return alarm.escalation


def test_a_cable_is_the_dealers_for_a_minute_then_the_floors_then_the_room_managers(unplugged: Evening) -> None:
    unplugged.table.wait(58)
    assert escalated(unplugged) == []
    unplugged.table.wait(4)
    assert escalated(unplugged) == [Role.SUPERVISOR]
    unplugged.table.wait(294)
    assert escalated(unplugged) == [Role.SUPERVISOR]
    unplugged.table.wait(6)
    assert escalated(unplugged) == [Role.SUPERVISOR, Role.ROOM_MANAGER]
    unplugged.table.wait(3600)
    assert escalated(unplugged) == [Role.SUPERVISOR, Role.ROOM_MANAGER], "there is nobody above"


def test_the_screen_shows_the_clock_of_each_rung(unplugged: Evening) -> None:
    assert "the dealer looks to it" in clocks(unplugged)
    assert "the supervisor is called [house: call_supervisor_after_s]" in clocks(unplugged)
    unplugged.table.wait(65)
    assert "unanswered for 1 min 5 s" in clocks(unplugged)
    assert "in 4 min 5" in clocks(unplugged)
    unplugged.table.wait(300)
    assert "the room manager is called [house: escalate_after_s]" in clocks(unplugged)


def test_who_acknowledges_has_the_houses_time_anew(unplugged: Evening) -> None:
    unplugged.table.wait(300)
    assert unplugged.act(SUPERVISOR, Trigger.ACKNOWLEDGE) is None
    assert "seen and not dealt with yet; in 4 min 59 s the room manager is called" in clocks(unplugged)
    unplugged.table.wait(290)
    assert escalated(unplugged) == [Role.SUPERVISOR]
    unplugged.table.wait(12)
    assert escalated(unplugged) == [Role.SUPERVISOR, Role.ROOM_MANAGER]


def test_acknowledged_within_the_dealers_minute_it_goes_to_the_room_manager_next(unplugged: Evening) -> None:
    assert unplugged.act(SUPERVISOR, Trigger.ACKNOWLEDGE) is None
    unplugged.table.wait(310)
    assert escalated(unplugged) == [Role.ROOM_MANAGER]


def test_mended_and_seen_nobody_is_called_any_more(unplugged: Evening) -> None:
    assert unplugged.act(SUPERVISOR, Trigger.ACKNOWLEDGE) is None
    unplugged.table.replug("lamp")
    unplugged.table.wait(3600)
    assert escalated(unplugged) == []
    assert clocks(unplugged) == ""


def test_mended_and_unseen_the_floor_is_called_all_the_same(unplugged: Evening) -> None:
    unplugged.table.replug("lamp")
    unplugged.table.wait(65)
    assert escalated(unplugged) == [Role.SUPERVISOR]


def test_a_restart_sets_no_clock_back(unplugged: Evening) -> None:
    unplugged.table.wait(40)
    unplugged.table.start_controller()
    unplugged.table.wait(22)
    assert escalated(unplugged) == [Role.SUPERVISOR]


def test_what_is_no_dealers_matter_is_the_floors_at_once(ready: Evening) -> None:
    ready.key(DealerKey.CALL_SUPERVISOR)
    assert "the room manager is called" in clocks(ready)
    ready.table.wait(302)
    assert escalated(ready) == [Role.ROOM_MANAGER]


@pytest.mark.field("BR-011")
def test_the_report_tells_who_was_called_and_when(unplugged: Evening) -> None:
    unplugged.table.wait(400)
    called = entries(incident_told(unplugged), Entry.CALLED)
    assert [line.role for line in called] == ["dealer", "supervisor", "room_manager"]
    seconds = [round((line.when.utc_ns - called[0].when.utc_ns) / 10**9) for line in called if line.when]  # type: ignore[union-attr]
    assert seconds == [0, 60, 360]


def test_who_saw_an_alarm_has_not_seen_that_its_cause_came_back(unplugged: Evening) -> None:
    assert unplugged.act(SUPERVISOR, Trigger.ACKNOWLEDGE) is None
    unplugged.table.wait(200)
    unplugged.table.replug("lamp")
    assert unplugged.table.run(5, lambda: unplugged.state.incidents[1].cleared is not None)
    unplugged.table.unplug("lamp")
    unplugged.table.run(0.1)
    alarm = unplugged.state.incidents[1]
    assert alarm.acknowledged is None
    assert "the dealer looks to it" in clocks(unplugged)
    unplugged.table.wait(62)
    assert escalated(unplugged) == [Role.SUPERVISOR], "the house's times run anew"
    unplugged.table.wait(300)
    assert escalated(unplugged) == [Role.SUPERVISOR, Role.ROOM_MANAGER]
    seen = entries(incident_told(unplugged), Entry.ACKNOWLEDGEMENT)
    assert [line.when is None for line in seen] == [False, True], "seen the first time, and not that it came back"


@pytest.mark.clause("SB-4", "PT-A2")
def test_a_shuffler_lost_again_is_given_up_only_by_who_has_seen_that(ready: Evening) -> None:
    ready.table.unplug("shuffler")
    ready.table.run(0.1)
    assert ready.act(SUPERVISOR, Trigger.ACKNOWLEDGE) is None
    ready.table.replug("shuffler")
    assert ready.table.run(5, lambda: ready.state.incidents[1].cleared is not None)
    ready.table.unplug("shuffler")
    ready.table.run(0.1)
    assert ready.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) == "PT-A2"
    assert ready.act(SUPERVISOR, Trigger.ACKNOWLEDGE) is None
    assert ready.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) is None


@pytest.mark.parametrize("before", [65, 400], ids=["floor was called", "room manager was called"])
def test_an_alarm_that_came_back_is_called_about_from_the_first_rung_on(unplugged: Evening, before: int) -> None:
    unplugged.table.wait(before)
    assert unplugged.act(SUPERVISOR, Trigger.ACKNOWLEDGE) is None
    unplugged.table.replug("lamp")
    assert unplugged.table.run(5, lambda: unplugged.state.incidents[1].cleared is not None)
    unplugged.table.unplug("lamp")
    unplugged.table.run(0.1)
    assert escalated(unplugged) == []
    assert "the dealer looks to it" in clocks(unplugged)
    told = incident_told(unplugged)
    assert told.acknowledged is None
    assert "NOT ACKNOWLEDGED" in [line.text for line in told.course]
    unplugged.table.wait(362)
    assert escalated(unplugged) == [Role.SUPERVISOR, Role.ROOM_MANAGER]


@pytest.mark.clause("PT-A2")
def test_a_jam_that_returns_under_the_count_has_been_seen_by_nobody(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    assert ready.act(SUPERVISOR, Trigger.ACKNOWLEDGE) is None
    clear(ready)
    assert ready.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    assert stands(ready, IncidentKind.JAM, Incident.SHUFFLING)
    ready.hands.jam(JamPlace.CAROUSEL)
    ready.table.run(2)
    returned = ready.state.incidents[1]
    assert (returned.state, returned.acknowledged) == (Incident.RAISED, None)
