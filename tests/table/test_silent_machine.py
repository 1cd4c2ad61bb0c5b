"""A machine that does not answer in the middle of a jam; and what was settled stays so while the decks are sorted."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey, JamPlace
from firmware_bridge.core.words import Incident, IncidentKind, Session, Trigger
from firmware_bridge.view import Hand
from tests.table.byways import begin_to_empty_by_hand, give_up_the_machine, lose_a_card, stands, verify_and_find_no_more
from tests.table.evening import SUPERVISOR, TECHNICIAN, Evening
from tests.table.test_damaged_card import spare, typed
from tests.table.test_jam import jam, leave_the_round
from tests.table.told import due


def jammed_until(evening: Evening, state: Incident) -> None:
    """Go on with a jam until it stands so."""
    jam(evening, JamPlace.CAROUSEL)
    if state is not Incident.RAISED:
        assert evening.act(SUPERVISOR, Trigger.RELEASE_LID) is None
        evening.table.run(1)
    if state in (Incident.LID_OPEN, Incident.STILL_BLOCKED, Incident.ASKING_DAMAGE, Incident.COUNT_DIFFERS):
        assert evening.hands.open_lid()
        evening.table.run(0.2)
    if state in (Incident.ASKING_DAMAGE, Incident.COUNT_DIFFERS):
        evening.hands.put_inside([evening.hands.take_stuck_card()])
    if state in (Incident.STILL_BLOCKED, Incident.ASKING_DAMAGE, Incident.COUNT_DIFFERS):
        evening.hands.close_lid()
        evening.table.run(0.5)
    if state is Incident.COUNT_DIFFERS:  # its count is broken off by the cable
        assert evening.act(SUPERVISOR, Trigger.ANSWER_NO) is None


@pytest.mark.clause("PT-A2", "SB-1")
@pytest.mark.parametrize(
    "state",
    [
        Incident.RAISED,
        Incident.LID_RELEASED,
        Incident.LID_OPEN,
        Incident.STILL_BLOCKED,
        Incident.ASKING_DAMAGE,
        Incident.COUNT_DIFFERS,
    ],
)
def test_a_machine_unplugged_at_a_jam_is_connected_first_or_is_the_technicians(ready: Evening, state: Incident) -> None:
    jammed_until(ready, state)
    ready.table.unplug("shuffler")
    ready.table.run(2)
    assert due(ready)[0] == Hand.CONNECT
    assert ready.act(SUPERVISOR, Trigger.RELEASE_LID) in ("SB-4", "PT-A2")
    for step in (Trigger.ANSWER_NO, Trigger.COUNT_MACHINE):
        assert ready.act(SUPERVISOR, step) is not None
    ready.act(SUPERVISOR, Trigger.CALL_TECHNICIAN)
    ready.act(SUPERVISOR, Trigger.ACKNOWLEDGE)
    assert ready.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) is None
    assert ready.state.out_of_service


@pytest.mark.clause("SB-4", "PT-A6")
def test_a_machine_out_of_service_is_looked_into_once_more_though_a_card_is_stuck_in_it(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    assert ready.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) is None
    assert ready.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) is None
    leave_the_round(ready)
    assert ready.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert ready.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    ready.table.run(1)
    ready.hands.pull_card()
    ready.table.run(0.2)
    assert ready.act(SUPERVISOR, Trigger.EMPTY_BY_HAND) is None
    for _ in range(2):
        ready.look_inside(ready.hands.take_from_machine)  # and the stuck card stays
        assert Trigger.CONFIRM_EMPTY in due(ready)
        assert ready.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
        verify_and_find_no_more(ready)
        assert ready.session is Session.DIFFERENCE


@pytest.mark.clause("SB-4")
def test_a_machine_given_up_stays_so_when_the_decks_are_sorted_again(ready: Evening) -> None:
    give_up_the_machine(ready)
    begin_to_empty_by_hand(ready)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    assert ready.key(DealerKey.YES) is None
    assert ready.act(SUPERVISOR, Trigger.NO_CARDS_LEFT) is None
    assert ready.act(SUPERVISOR, Trigger.SORT_AGAIN) is None
    assert ready.state.incidents[1].state is Incident.CLEARED
    assert ready.state.out_of_service


@pytest.mark.clause("SB-7", "PT-A6")
def test_a_count_that_the_verification_settled_is_not_asked_for_again_of_an_empty_machine(ready: Evening) -> None:
    lose_a_card(ready)
    assert ready.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert ready.table.run(30, lambda: IncidentKind.COUNT_MISMATCH in ready.kinds())
    ready.unload()
    ready.look()
    verify_and_find_no_more(ready)
    assert ready.session is Session.DIFFERENCE
    assert ready.act(SUPERVISOR, Trigger.SORT_AGAIN) is None
    assert stands(ready, IncidentKind.COUNT_MISMATCH, Incident.CLEARED)
    assert Trigger.COUNT_MACHINE not in due(ready)


@pytest.mark.clause("PT-A1", "PT-A10")
@pytest.mark.field("BR-010")
def test_a_card_damaged_as_the_last_one_out_is_waited_for_in_silence(ready: Evening) -> None:
    ready.deal(9)
    assert ready.key(DealerKey.ROUND_OVER) is None
    damaged, *rest = ready.hands.on_table
    ready.hands.put_in_intake_tray(rest)
    ready.table.run(10)
    assert ready.key(DealerKey.DAMAGED_CARD) is None
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(damaged)) is None
    ready.hands.move([damaged], ready.hands.set_aside)
    records = ready.state.record
    ready.table.wait(120)
    assert ready.state.record == records
    assert ready.kinds() == [IncidentKind.DAMAGED_CARD]
    assert Hand.PUT_CARDS_IN not in due(ready)
    ready.hands.on_table.append(laid := spare(damaged))
    ready.hands.put_in_shoe_tray([laid])
    ready.table.run(0.5)
    assert ready.key(DealerKey.YES) is None
    ready.table.run(2)
    ready.hands.pull_card()
    ready.table.run(0.5)
    assert ready.key(DealerKey.YES) is None
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 7781) is None
    assert ready.kinds() == [IncidentKind.DAMAGED_CARD]  # the dealer has the house's time to put it in
    ready.table.wait(50)
    assert ready.kinds() == [IncidentKind.DAMAGED_CARD]
    ready.hands.take_shoe_output()
    ready.put_back()
    assert ready.session is Session.READY
