"""Somebody who has never seen the program clears an alarm by what the screen says, and by nothing else."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey, JamPlace
from firmware_bridge.core.words import Place, Session, Trigger
from firmware_bridge.view import describe
from tests.table.evening import ROOM_MANAGER, SUPERVISOR, Evening
from tests.view.newcomer import Newcomer


@pytest.fixture
def ready() -> Evening:
    evening = Evening()
    evening.open_and_load()
    return evening


def jam(evening: Evening, place: JamPlace) -> None:
    """A card sticks on this path: on its way out while cards are dealt, or in while they go back."""
    evening.deal(6)
    evening.hands.jam(place)
    if place is JamPlace.INTAKE:
        evening.key(DealerKey.ROUND_OVER)
        evening.hands.put_in_intake_tray(evening.hands.on_table)
    for _ in range(60):
        evening.hands.pull_card()
        evening.table.run(0.05)
    evening.table.run(1.0)


def is_at_peace(evening: Evening) -> bool:
    return not evening.state.incidents and not evening.reasons()


@pytest.mark.clause("PT-A2", "SB-9")
@pytest.mark.parametrize("place", JamPlace)
def test_a_jam_is_cleared_by_what_the_screen_says(ready: Evening, place: JamPlace) -> None:
    jam(ready, place)
    newcomer = Newcomer(ready)
    first = newcomer.view().alarm
    assert first is not None
    assert (first.big, first.place) == ("JAM", place.name.lower())
    newcomer.clear()
    course = [deed for deed in newcomer.done if deed != "wait"]
    assert course == ["release_lid", "open_lid", "clear_jam", "close_lid", "answer_no", "confirm_incident"]
    assert is_at_peace(ready)
    assert ready.reasons() == [] or ready.session is Session.RETURNING


@pytest.mark.clause("PT-A1", "PT-A2", "PT-E4")
@pytest.mark.parametrize("place", JamPlace)
def test_a_card_damaged_by_a_jam_is_replaced_by_what_the_screen_says(ready: Evening, place: JamPlace) -> None:
    jam(ready, place)
    newcomer = Newcomer(ready, damaged=True)
    newcomer.clear()
    assert {"answer_yes", "lay_replacement", "yes", "confirm_replacement"} <= set(newcomer.done)
    assert ready.state.account.at(Place.SET_ASIDE) == 1
    assert is_at_peace(ready)


@pytest.mark.clause("PT-A1", "PT-E4")
@pytest.mark.parametrize("wrong_first", [False, True], ids=["right at once", "another card first"])
def test_a_damaged_card_is_replaced_by_what_the_screen_says(ready: Evening, wrong_first: bool) -> None:
    ready.deal(5)
    ready.key(DealerKey.DAMAGED_CARD)
    newcomer = Newcomer(ready, wrong_first=wrong_first)
    newcomer.clear()
    assert newcomer.done.count("lay_replacement") == 1 + wrong_first
    assert is_at_peace(ready)
    assert ("wrong replacement" in " ".join(v.alarm.stands for v in newcomer.views if v.alarm)) is wrong_first
    assert newcomer.view().may_deal


@pytest.mark.clause("PT-A1")
def test_the_notice_to_the_inspectorate_is_owed_until_the_room_manager_sent_it(ready: Evening) -> None:
    ready.deal(5)
    ready.key(DealerKey.DAMAGED_CARD)
    newcomer = Newcomer(ready)
    newcomer.clear()
    view = newcomer.view()
    assert any("the room manager sends it, then step 54 [PT-A1]" in duty for duty in view.duties)
    line = next(line for line in view.asks if line.trigger == "notice_sent")
    assert (line.role, line.number, line.due) == ("room_manager", 54, True)
    assert ready.act(ROOM_MANAGER, Trigger.NOTICE_SENT, line.about) is None
    assert not any("inspectorate" in duty for duty in newcomer.view().duties)


@pytest.mark.clause("SB-9", "PT-A2")
def test_a_lid_that_was_forced_is_cleared_by_what_the_screen_says(ready: Evening) -> None:
    ready.hands.open_lid(force=True)
    ready.table.run(1.0)
    newcomer = Newcomer(ready)
    newcomer.clear()
    course = [deed for deed in newcomer.done if deed not in ("wait", "acknowledge")]
    assert course == ["close_lid", "count_machine", "confirm_incident"]
    assert is_at_peace(ready)


@pytest.mark.clause("SB-9")
def test_power_lost_is_cleared_by_what_the_screen_says(ready: Evening) -> None:
    ready.hands.reboot("shuffler")
    ready.table.run(3.0)
    newcomer = Newcomer(ready)
    newcomer.clear()
    assert "count_machine" in newcomer.done
    assert is_at_peace(ready)


@pytest.mark.clause("SB-4", "PT-A2")
@pytest.mark.field("BR-001")
def test_a_machine_out_of_service_says_how_the_table_goes_on(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    newcomer = Newcomer(ready)
    assert ready.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) is None
    alarm = newcomer.view().alarm
    assert alarm is not None
    assert {ask.role for ask in alarm.asks if ask.due} == {"technician"}
    assert ready.act(401, Trigger.TAKE_OUT_OF_SERVICE) is None
    ready.key(DealerKey.ROUND_OVER)
    due = {line.trigger for line in newcomer.view().asks if line.due}
    assert {"decide_round", "declare_closed"} <= due
    assert ready.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert ready.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    due = {line.trigger for line in newcomer.view().asks if line.due}
    assert due == {"decide_round", "empty_by_hand"}
    assert ready.act(SUPERVISOR, Trigger.EMPTY_BY_HAND) is None
    assert ready.act(SUPERVISOR, Trigger.RELEASE_LID) is None
    ready.table.run(1.0)
    assert ready.hands.open_lid()
    ready.table.run(0.2)
    line = next(line for line in newcomer.view().asks if line.trigger == "take_all_out")
    assert (line.role, line.about, line.due) == ("supervisor", ready.state.account.inside, True)
    assert f"{line.about} cards" in line.text


def test_of_undealt_cards_nothing_is_told_in_any_of_it(ready: Evening) -> None:
    jam(ready, JamPlace.EXIT)
    Newcomer(ready).clear()
    told = " ".join(describe(logged, 0) or "" for logged in ready.logged())
    assert " of hearts" not in told
    assert " of spades" not in told
