"""The alarm line: what happened, since when, who has seen it, who is called; one at a time, the others listed."""

from __future__ import annotations

import msgspec
import pytest

from drivers.cards import face_of
from drivers.protocol.messages import Operation
from firmware_bridge.core import changes as c
from firmware_bridge.core.alarms import next_call, presented
from firmware_bridge.core.incident_asks import INCIDENT_ASKED, RAISED_ASKS
from firmware_bridge.core.state import State
from firmware_bridge.core.words import Incident, IncidentKind, Place, Role, Session, Trigger
from firmware_bridge.readers.follow import Status
from firmware_bridge.readers.terminal import render
from firmware_bridge.view import AlarmLine, AskLine, Hand, TableView, table_view
from tests.view.states import BEGAN, BOOK, LOADED, SECOND, at, booked, moved, state_of

JAM = c.Raised(IncidentKind.JAM, "shuffler", "exit")
CALLED = c.Raised(IncidentKind.SUPERVISOR_CALLED, "", "the dealer calls the floor supervisor")
LATE = BOOK.house.escalate_after_s


def view_of(state: State, later_s: int = 0, alarm: int = 0, message: str = "", *, heard: bool = True) -> TableView:
    """The view so many seconds after the state's last record."""
    status = Status("b1", state.record, state.utc_ns + later_s * SECOND, "number", "", 0, message, alarm)
    return table_view(state, BOOK, status, (), heard=heard)


def alarm_of(state: State, later_s: int = 0, alarm: int = 0) -> AlarmLine:
    found = view_of(state, later_s, alarm).alarm
    assert found is not None
    return found


def due(alarm: AlarmLine) -> list[tuple[str, str]]:
    return [(line.role, line.trigger) for line in alarm.asks if line.due]


def standing(state: Incident, kind: IncidentKind = IncidentKind.JAM, *more: c.AnyChange) -> State:
    raised = JAM if kind is IncidentKind.JAM else c.Raised(kind, "", "")
    return state_of(LOADED, [moved(Session.READY), raised], [moved(state, "incident/1"), *more])


@pytest.mark.clause("PT-A2")
@pytest.mark.parametrize("place", ["intake", "carousel", "exit"])
def test_a_jam_says_where_and_where_its_card_goes_back(place: str) -> None:
    jammed = c.Seen("shuffler", c.Sight.JAMMED, True)
    state = state_of(
        LOADED,
        [c.Raised(IncidentKind.JAM, "shuffler", place), jammed],
        [moved(Incident.LID_OPEN, "incident/1"), c.Seen("shuffler", c.Sight.LID_OPEN, True)],
    )
    alarm = alarm_of(state)
    assert (alarm.place, place in alarm.text, alarm.text.endswith("[PT-A2]")) == (place, True, True)
    (line,) = [line for line in alarm.asks if line.due]
    assert (line.trigger, line.about) == (Hand.CLEAR_JAM, 1)
    assert ("back into the intake tray" in line.text) is (place == "intake")
    assert ("back inside" in line.text) is (place != "intake")


@pytest.mark.clause("PT-A1")
def test_a_damaged_card_of_the_second_set_can_be_named_as_the_screen_says() -> None:
    sets = msgspec.structs.replace(BEGAN, decks=2, backs=("red", "red"), second_backs=("blue", "blue"))
    state = state_of([sets, c.SessionBegan(201, 104), c.Raised(IncidentKind.DAMAGED_CARD, "", "")])
    (line,) = [line for line in alarm_of(state).asks if line.trigger == Trigger.NAME_CARD]
    assert "deck 1-4 (deck 1 red, deck 2 red, deck 3 blue, deck 4 blue)" in line.text


@pytest.mark.clause("SB-2")
@pytest.mark.parametrize(
    ("kind", "state"),
    [(IncidentKind.JAM, state) for state in INCIDENT_ASKED if INCIDENT_ASKED[state]]
    + [(kind, Incident.RAISED) for kind in RAISED_ASKS],
)
def test_whatever_an_alarm_asks_for_is_said_with_role_step_and_words(kind: IncidentKind, state: Incident) -> None:
    alarm = alarm_of(standing(state, kind, c.CardNamed(1, 2, face_of(7, 2), Place.TABLE)))
    assert all(line.text and line.role for line in alarm.asks)
    assert all(f"step {line.number} - " in line.text for line in alarm.asks if line.number)
    assert any(line.due for line in alarm.asks)
    assert "{" not in msgspec.json.encode([line.text for line in alarm.asks]).decode()


def test_calling_the_technician_is_never_what_the_table_waits_for() -> None:
    for state in (Incident.LID_RELEASED, Incident.LID_OPEN, Incident.STILL_BLOCKED):
        assert "call_technician" not in dict(map(reversed, due(alarm_of(standing(state)))))  # type: ignore[arg-type]


def test_the_technician_clears_the_path_before_he_says_that_it_is_repaired() -> None:
    stuck = c.Seen("shuffler", c.Sight.JAMMED, True)
    assert due(alarm_of(standing(Incident.WITH_TECHNICIAN, IncidentKind.JAM, stuck))) == [("technician", "clear_jam")]
    assert due(alarm_of(standing(Incident.WITH_TECHNICIAN)))[0] == ("technician", "repaired")


@pytest.mark.clause("PT-A1")
def test_a_wrong_replacement_says_which_card_was_wanted() -> None:
    named = c.CardNamed(1, 2, face_of(7, 2), Place.TABLE)
    alarm = alarm_of(standing(Incident.WRONG_REPLACEMENT, IncidentKind.DAMAGED_CARD, named))
    assert "7 of hearts is wanted" in alarm.stands
    (line,) = [line for line in alarm.asks if line.due]
    assert (line.role, line.trigger, line.about) == ("dealer", Hand.LAY_REPLACEMENT, 1)
    assert "7 of hearts with the back of deck 2 (blue)" in line.text
    assert "take the wrong card off" in line.text


@pytest.mark.clause("PT-A1", "SB-3")
def test_the_dealers_yes_answers_the_alarm_and_not_the_session_beneath_it() -> None:
    tray = c.Seen("shoe", c.Sight.TRAY_OCCUPIED, True)
    damaged = c.Raised(IncidentKind.DAMAGED_CARD, "", "")
    state = at(Session.MIXING, damaged, moved(Incident.AWAITING_REPLACEMENT, "incident/1"), tray)
    lines = [line for line in view_of(state).asks if line.trigger == "yes"]
    assert [(line.about, line.due) for line in lines] == [(1, True)]
    assert "replacement" in lines[0].text


# ---- acknowledged, and who is called


@pytest.mark.clause("SB-2")
def test_an_alarm_says_since_when_and_who_has_seen_it() -> None:
    state = at(Session.READY, JAM)
    alarm = alarm_of(state, 42)
    assert alarm.since == "since 04:00:03Z"
    assert alarm.acknowledged == "not acknowledged yet"
    seen = alarm_of(state_of(LOADED, [JAM], [c.Acknowledged(1, 201)]))
    assert seen.acknowledged == "acknowledged by supervisor 201 at 04:00:04Z"
    assert (
        seen.escalation == "seen and not dealt with yet; in 5 min the room manager is called [house: escalate_after_s]"
    )
    mended = state_of(LOADED, [JAM], [c.Acknowledged(1, 201)], [moved(Incident.CLEARED, "incident/1")])
    assert alarm_of(mended).escalation == ""


@pytest.mark.field("BR-009")
def test_an_alarm_that_is_not_answered_counts_towards_the_room_manager_and_calls_him() -> None:
    waiting = alarm_of(at(Session.READY, JAM), 100)
    assert waiting.escalation.startswith("unanswered for 1 min 40 s; in 3 min 20 s the room manager is called")
    assert waiting.escalation.endswith("[house: escalate_after_s]")
    called = alarm_of(at(Session.READY, JAM, c.Escalated(1, Role.ROOM_MANAGER)), 2 * LATE)
    assert called.escalation == f"open for {2 * LATE // 60} min: the room manager is called [house: escalate_after_s]"


def test_a_lost_cable_is_the_dealers_to_look_to_before_the_floor_is_called() -> None:
    lost = c.Raised(IncidentKind.LINK_LOST, "shoe", "unplugged")
    assert alarm_of(at(Session.READY, lost), 15).escalation == (
        "the dealer looks to it, for 15 s; in 45 s the supervisor is called [house: call_supervisor_after_s]"
    )
    floor = at(Session.READY, lost, c.Escalated(1, Role.SUPERVISOR))
    assert alarm_of(floor, 60).escalation.startswith("unanswered for 1 min; in 5 min the room manager is called")


def test_the_clock_of_an_alarm_runs_with_the_tables_time() -> None:
    fast = state_of(LOADED, [msgspec.structs.replace(BEGAN, speed=10.0)], [JAM])
    assert alarm_of(fast, 6).escalation.startswith("unanswered for 1 min;")


# ---- one at a time


@pytest.mark.field("BR-044")
def test_the_alarm_that_the_controller_presents_is_shown_while_an_entry_is_open() -> None:
    state = at(Session.READY, CALLED, JAM)
    assert alarm_of(state).kind == "jam"
    kept = view_of(state, alarm=1)
    assert kept.alarm is not None
    assert (kept.alarm.number, kept.alarm.kind) == (1, "supervisor_called")
    assert {line.about for line in kept.alarm.asks} == {1}
    assert "release_lid" not in {line.trigger for line in kept.asks}
    assert view_of(state, alarm=7).alarm == alarm_of(state)


def test_the_other_alarms_are_a_list_with_number_and_one_line_each() -> None:
    view = view_of(at(Session.READY, CALLED, JAM))
    assert [(one.number, one.presented) for one in view.incidents] == [(1, False), (2, True)]
    assert view.incidents[0].text.startswith("incident 1: supervisor called")
    screen = render(view, 100, 60, colour=False)
    assert "OTHER ALARMS\n- incident 1: supervisor called" in screen


def test_an_alarms_asks_come_before_all_others_and_no_step_is_said_twice() -> None:
    for state in Incident:
        if state is Incident.CONFIRMED:
            continue
        view = view_of(standing(state))
        assert view.alarm is not None
        assert view.asks[: len(view.alarm.asks)] == view.alarm.asks
        numbers = [line.number for line in view.asks if line.number]
        assert len(numbers) == len(set(numbers))


# ---- what else people must see


@pytest.mark.field("BR-003")
@pytest.mark.clause("SB-7")
def test_a_lost_card_is_told_by_number_and_with_the_faces_that_lay_open() -> None:
    seven, nine = face_of(7, 2), face_of(9, 0)
    out = [booked(Place.SHOE, Place.TABLE, 1, "deal", face) for face in (seven, nine)]
    state = state_of(
        LOADED,
        [booked(Place.MACHINE, Place.SHOE, 2, "fed"), *out, moved(Session.RETURNING)],
        [booked(Place.TABLE, Place.MACHINE, 1, "return"), c.Raised(IncidentKind.CARD_LOST, "", "1 card")],
    )
    line = _line(view_of(state), Hand.FIND_CARD)
    assert (line.role, line.about, line.due) == ("dealer", 1, True)
    assert "find 1 card of the round" in line.text
    assert line.text.endswith("the round's cards were: 9 of clubs, 7 of hearts")


def test_a_face_that_was_not_read_leaves_no_candidates() -> None:
    out = [booked(Place.SHOE, Place.TABLE, 1, "deal"), moved(Session.RETURNING)]
    line = _line(view_of(state_of(LOADED, out, [c.Raised(IncidentKind.CARD_LOST, "", "")])), Hand.FIND_CARD)
    assert "were" not in line.text


@pytest.mark.field("BR-043")
def test_a_keypad_that_is_gone_is_said_and_asked_for() -> None:
    gone = [c.Unlinked("keypad", "unplugged"), c.Raised(IncidentKind.KEYPAD_LOST, "keypad", "unplugged")]
    view = view_of(state_of(LOADED, gone))
    assert view.alarm is not None
    assert due(view.alarm) == [("supervisor", "connect"), ("supervisor", "acknowledge")]
    assert "no step can be taken" in view.keypad.message
    assert [line.trigger for line in view.asks].count("connect") == 1
    assert "KEYPAD  the keypad is not connected" in render(view, 100, 60, colour=False)


def test_a_screen_that_is_gone_is_asked_for() -> None:
    view = view_of(state_of(LOADED, [c.ScreenChanged(False), c.Raised(IncidentKind.SCREEN_LOST, "", "")]))
    assert _line(view, Hand.RESTORE_SCREEN).role == "supervisor"


def test_a_number_that_is_locked_out_is_shown_with_the_time_left() -> None:
    state = at(Session.READY, c.WrongEntry(4, locked=True))
    (line,) = view_of(state, 60).locked_out
    left = BOOK.house.lock_out_s // 60 - 1
    assert line.startswith(f"number 4 is locked out for {left} min more [house: lock_out_s]")
    assert "step 55" in line
    assert view_of(at(Session.READY, c.WrongEntry(4, locked=False))).locked_out == ()


def test_of_a_lock_out_no_time_runs_off_while_no_controller_is_heard() -> None:
    (line,) = view_of(at(Session.READY, c.WrongEntry(4, locked=True)), heard=False).locked_out
    assert "min" not in line
    assert line.endswith("its time begins anew when the controller runs again")


def test_a_device_alone_goes_on_while_the_machine_counts_or_shuffles() -> None:
    for state in (Incident.COUNTING, Incident.SHUFFLING):
        seen = standing(state, IncidentKind.JAM, c.Acknowledged(1, 201))
        assert due(alarm_of(seen)) == [("", Hand.WAIT)]


@pytest.mark.clause("SB-7")
def test_an_alarm_whose_count_must_wait_for_the_machines_own_work_says_so_and_asks_nobody() -> None:
    """The machine counts or shuffles for the session or for another alarm."""
    lid = c.Raised(IncidentKind.LID_OPENED, "shuffler", "it was opened")
    busy = at(Session.READY, lid, c.OrderGiven("shuffler", 1, Operation.INVENTORY, "session"))
    assert due(alarm_of(at(Session.READY, lid))) == [("supervisor", "count_machine")]
    assert due(alarm_of(busy)) == [("", Hand.WAIT)]
    assert alarm_of(busy).asks[0].text == "Wait: the machine counts or shuffles"


def test_a_count_that_the_jam_broke_off_is_not_asked_for_before_the_jam_is_cleared() -> None:
    ordered = at(Session.COUNTING_LOAD, c.OrderGiven("shuffler", 1, Operation.INVENTORY, "session"))
    assert "wait" in {line.trigger for line in view_of(ordered).asks if line.due}
    broken = at(Session.COUNTING_LOAD, JAM)
    assert "count_machine" not in {line.trigger for line in view_of(broken).asks if line.due}


@pytest.mark.clause("PT-A11")
def test_during_a_jam_nobody_is_pressed_to_leave_cards_in_the_discard() -> None:
    out: list[c.AnyChange] = [booked(Place.MACHINE, Place.TABLE, 9), moved(Session.RETURNING)]
    stuck = [c.Seen("shuffler", c.Sight.JAMMED, True), JAM]
    assert "yes" not in {line.trigger for line in view_of(state_of(LOADED, out, stuck)).asks if line.due}


def test_the_alarm_stands_first_and_large_on_the_screen_and_what_to_do_right_below() -> None:
    view = view_of(at(Session.READY, JAM))
    high = render(view, 100, 60, colour=False).split("\n")
    assert high[2].strip() == "###  ###  #   #"
    assert high.index("*** DO NOT DEAL ***") < high.index("DO NOW") < 14
    low = render(view, 80, 24, colour=False).split("\n")
    assert low[2] == "*** JAM ***"
    assert "> Supervisor: step 42 - release the lid" in low
    assert any(line.startswith("KEYPAD") for line in low)


def _line(view: TableView, hand: Hand) -> AskLine:
    return next(line for line in view.asks if line.trigger == hand)


def damaged(number: int, stands: Incident) -> list[c.AnyChange]:
    """A damaged card that a supervisor has seen."""
    raised = [c.Raised(IncidentKind.DAMAGED_CARD, "", ""), c.Acknowledged(number, 201)]
    return [*raised, *([] if stands is Incident.RAISED else [moved(stands, f"incident/{number}")])]


@pytest.mark.clause("PT-A1")
def test_a_second_damaged_card_is_named_before_the_first_is_replaced() -> None:
    first, second = damaged(1, Incident.AWAITING_REPLACEMENT), damaged(2, Incident.RAISED)
    assert presented(at(Session.READY, *first, *second)) == 2


@pytest.mark.clause("PT-A1")
@pytest.mark.parametrize(("session", "shown"), [(Session.READY, 1), (Session.UNLOADING, 2)])
def test_a_card_that_was_never_replaced_hides_no_alarm_of_a_table_that_closes(session: Session, shown: int) -> None:
    call = c.Raised(IncidentKind.SUPERVISOR_CALLED, "", "the dealer calls the floor supervisor")
    assert presented(at(session, *damaged(1, Incident.AWAITING_REPLACEMENT), call)) == shown


COUNTED = (
    *(IncidentKind.LID_OPENED, IncidentKind.POWER_LOST, IncidentKind.SPILL, IncidentKind.UNEXPECTED_CARD),
    *(IncidentKind.COUNT_MISMATCH, IncidentKind.EVENTS_LOST, IncidentKind.MEMORY_LOST, IncidentKind.JOURNAL_BEHIND),
)


@pytest.mark.clause("SB-7")
@pytest.mark.parametrize("kind", COUNTED)
def test_while_the_machine_is_away_its_lost_link_is_presented_before_what_only_it_can_count(kind: IncidentKind) -> None:
    gone = [c.Unlinked("shuffler", "unplugged"), c.Raised(IncidentKind.LINK_LOST, "shuffler", "unplugged")]
    seen = [c.Raised(kind, "shuffler", ""), c.Acknowledged(1, 201)]
    assert presented(at(Session.READY, *seen, *gone)) == 2


@pytest.mark.clause("SB-2")
@pytest.mark.parametrize("kind", sorted(IncidentKind))
def test_the_dealer_has_first_what_lies_in_his_reach_and_the_floor_everything_else(kind: IncidentKind) -> None:
    reach = {IncidentKind.CARD_LOST, IncidentKind.LINK_LOST, IncidentKind.KEYPAD_LOST, IncidentKind.SCREEN_LOST}
    call = next_call(at(Session.READY, c.Raised(kind, "", "")).incidents[1], BOOK.house)
    assert call is not None
    assert call[0] is (Role.SUPERVISOR if kind in reach else Role.ROOM_MANAGER)
