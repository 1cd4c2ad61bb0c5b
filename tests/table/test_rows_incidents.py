"""By-ways of jams, forced lids and lost power: the technician, what strikes twice, unknown counts."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey, JamPlace
from firmware_bridge.core.words import Incident, IncidentKind, Place, Session, Trigger
from tests.table.byways import (
    HURRIED,
    confirm,
    count,
    course,
    empty,
    force_lid,
    lose_a_card,
    power_cycle,
    stands,
    verify_and_find_no_more,
)
from tests.table.evening import ROOM_MANAGER, SUPERVISOR, TECHNICIAN, Evening
from tests.table.test_jam import clear, jam, settle, standing

# ---- a jam


@pytest.mark.clause("PT-A2")
@pytest.mark.parametrize("at", [Incident.LID_RELEASED, Incident.LID_OPEN, Incident.STILL_BLOCKED])
def test_the_supervisor_may_call_the_technician_at_every_point_of_clearing_a_jam(ready: Evening, at: Incident) -> None:
    jam(ready, JamPlace.CAROUSEL)
    assert ready.act(SUPERVISOR, Trigger.RELEASE_LID) is None
    ready.table.run(1)
    if at is not Incident.LID_RELEASED:
        ready.hands.open_lid()
        ready.table.run(0.5)
    if at is Incident.STILL_BLOCKED:
        ready.hands.close_lid()
        ready.table.run(0.5)
    assert standing(ready) is at
    assert ready.act(TECHNICIAN, Trigger.CALL_TECHNICIAN) == "PT-A2"  # only the supervisor calls him
    assert ready.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) is None
    ready.table.run(1)
    assert ready.hands.open_lid()
    ready.hands.put_inside([ready.hands.take_stuck_card()])
    ready.hands.close_lid()
    ready.table.run(0.5)
    assert ready.hands.pull_card() is None
    assert ready.act(TECHNICIAN, Trigger.REPAIRED) is None
    settle(ready)


@pytest.mark.clause("PT-A2")
@pytest.mark.parametrize("looked", [False, True])
def test_a_jam_that_clears_itself_under_the_supervisors_hands_is_still_looked_at_or_asked_about(
    ready: Evening, looked: bool
) -> None:
    jam(ready, JamPlace.CAROUSEL)
    assert ready.act(SUPERVISOR, Trigger.RELEASE_LID) is None
    ready.table.run(1)
    if looked:  # and closed over the stuck card
        ready.hands.open_lid()
        ready.table.run(0.2)
        ready.hands.close_lid()
        ready.table.run(0.5)
        assert standing(ready) is Incident.STILL_BLOCKED
    ready.hands.clear_by_itself()
    ready.table.run(1)
    if not looked:
        assert standing(ready) is Incident.LID_RELEASED  # the lid is released: somebody may be in the machine
        assert course(ready, "incident/1")[-1] == (Trigger.JAM_CLEARED, Incident.LID_RELEASED), "it is on record"
        ready.hands.open_lid()
        ready.table.run(0.2)
        ready.hands.close_lid()
        ready.table.run(0.5)
    assert standing(ready) is Incident.ASKING_DAMAGE
    assert ready.hands.pull_card() is None
    settle(ready)


@pytest.mark.clause("PT-A2")
def test_a_jam_that_clears_itself_and_strikes_again_at_once_is_one_jam_and_cleared_by_its_steps() -> None:
    evening = Evening(fittings=HURRIED)
    evening.open_and_load()
    evening.hands.jam(JamPlace.CAROUSEL)
    while evening.hands.mechanism.stuck is None:
        evening.hands.pull_card()
        evening.table.step()
    evening.hands.jam(JamPlace.CAROUSEL)
    evening.hands.clear_by_itself()  # while the hold is still under way
    evening.table.run(2)
    assert (evening.kinds(), standing(evening)) == ([IncidentKind.JAM], Incident.RAISED)
    assert evening.hands.pull_card() is None
    clear(evening)
    settle(evening)
    evening.table.run(1)
    assert not evening.reasons()


@pytest.mark.clause("PT-A2", "SB-2")
def test_a_jam_that_returns_before_the_first_was_confirmed_begins_anew(ready: Evening) -> None:
    ready.deal(9)
    jam(ready, JamPlace.CAROUSEL)
    clear(ready)
    assert ready.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    assert ready.table.run(60, lambda: standing(ready) is Incident.CLEARED)
    ready.table.run(0.2)
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.hands.jam(JamPlace.INTAKE)
    ready.hands.put_in_intake_tray(ready.hands.on_table)
    ready.table.run(2)
    assert (ready.kinds(), standing(ready)) == ([IncidentKind.JAM], Incident.RAISED)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
    clear(ready)
    assert ready.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    assert ready.table.run(60, lambda: standing(ready) is Incident.CLEARED)
    ready.put_back()
    assert ready.session is Session.READY
    confirm(ready)


@pytest.mark.clause("PT-A2", "SB-9")
def test_a_jam_that_returns_while_the_machine_counts_begins_anew(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    clear(ready)
    assert ready.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    assert standing(ready) is Incident.COUNTING
    ready.hands.jam(JamPlace.CAROUSEL)
    ready.table.run(2)
    assert standing(ready) is Incident.RAISED
    clear(ready)
    settle(ready)


@pytest.mark.clause("SB-9", "SB-7")
@pytest.mark.parametrize("at", [Incident.COUNTING, Incident.SHUFFLING])
def test_power_lost_while_the_machine_counts_or_shuffles_after_a_jam_has_both_done_again(
    ready: Evening, at: Incident
) -> None:
    jam(ready, JamPlace.CAROUSEL)
    clear(ready)
    assert ready.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    assert ready.table.run(60, lambda: standing(ready) is at)
    power_cycle(ready)
    assert standing(ready) is Incident.COUNT_DIFFERS  # unknown is no count
    assert ready.hands.pull_card() is None
    count(ready)
    assert stands(ready, IncidentKind.JAM, Incident.SHUFFLING)
    assert stands(ready, IncidentKind.JAM, Incident.CLEARED)
    count(ready)  # the power cut is an incident of its own
    assert stands(ready, IncidentKind.POWER_LOST, Incident.CLEARED)
    confirm(ready)


@pytest.mark.clause("PT-A2", "SB-7")
def test_a_jam_that_is_told_only_after_its_count_was_given_up_begins_anew(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    clear(ready)
    assert ready.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    ready.table.unplug("shuffler")
    ready.hands.jam(JamPlace.CAROUSEL)
    ready.table.wait(130)
    assert standing(ready) is Incident.COUNT_DIFFERS
    ready.table.replug("shuffler")
    ready.table.run(3)
    assert standing(ready) is Incident.RAISED
    clear(ready)
    settle(ready)
    confirm(ready)


# ---- a lid forced open, power lost


@pytest.mark.clause("PT-A2", "SB-7")
def test_a_lid_forced_open_while_unloading_stops_it_until_the_count_agrees_and_needs_no_shuffle(ready: Evening) -> None:
    assert ready.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert ready.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    while ready.state.account.at(Place.UNLOADED) < 20:
        ready.hands.pull_card()
        ready.table.run(0.03)
    force_lid(ready)
    assert ready.hands.pull_card() is None
    count(ready)
    assert stands(ready, IncidentKind.LID_OPENED, Incident.CLEARED)
    ready.confirm_all()
    ready.table.run(1)
    assert ready.hands.pull_card() is not None


@pytest.mark.clause("SB-7", "SB-9")
def test_a_card_taken_through_a_forced_lid_shows_at_each_count_until_it_lies_inside_again(ready: Evening) -> None:
    force_lid(ready, card_goes=True)
    for _ in range(2):
        count(ready)
        assert stands(ready, IncidentKind.LID_OPENED, Incident.COUNT_DIFFERS)
        assert ready.hands.pull_card() is None
        assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
    ready.hands.open_lid(force=True)
    ready.hands.put_inside(ready.hands.set_aside)
    ready.table.run(0.2)
    ready.hands.close_lid()
    ready.table.run(0.5)
    count(ready)
    assert stands(ready, IncidentKind.LID_OPENED, Incident.SHUFFLING)
    assert stands(ready, IncidentKind.LID_OPENED, Incident.CLEARED)
    confirm(ready)


@pytest.mark.clause("SB-9", "SB-7")
@pytest.mark.parametrize("at", [Incident.COUNTING, Incident.SHUFFLING])
def test_power_lost_in_the_count_or_shuffle_after_a_forced_lid_has_both_done_again(
    ready: Evening, at: Incident
) -> None:
    force_lid(ready)
    count(ready)
    assert stands(ready, IncidentKind.LID_OPENED, at)
    power_cycle(ready)
    assert stands(ready, IncidentKind.LID_OPENED, Incident.RAISED, within=0.1)
    for kind in (IncidentKind.LID_OPENED, IncidentKind.POWER_LOST):
        count(ready)
        assert stands(ready, kind, Incident.SHUFFLING)
        assert stands(ready, kind, Incident.CLEARED)
    confirm(ready)


@pytest.mark.clause("PT-A2", "SB-7")
def test_a_lid_forced_over_the_empty_machine_is_cleared_by_reading_every_card(ready: Evening) -> None:
    empty(ready)
    force_lid(ready)
    assert ready.kinds() == [IncidentKind.LID_OPENED]
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
    ready.verify()
    assert ready.session is Session.ALL_REGULAR
    assert ready.act(SUPERVISOR, Trigger.SIGN_RESULT) == "SB-2"
    ready.confirm_all()
    assert ready.act(SUPERVISOR, Trigger.SIGN_RESULT) is None


@pytest.mark.clause("SB-7", "PT-A6")
def test_counts_that_differ_after_closing_are_settled_by_the_verification_which_names_the_card(ready: Evening) -> None:
    lose_a_card(ready)
    empty(ready)
    force_lid(ready)
    count(ready)
    assert stands(ready, IncidentKind.LID_OPENED, Incident.COUNT_DIFFERS)  # the books still hold the card inside
    verify_and_find_no_more(ready)
    assert ready.session is Session.DIFFERENCE
    assert len([face for deck in ready.state.decks_read for face in deck.missing]) == 1
    ready.confirm_all()
    assert ready.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) is None


# ---- a spill
