"""What the screen asks is never refused when it is done, and no way that it names ends in a blank."""

from __future__ import annotations

import msgspec
import pytest

from drivers.protocol.messages import DealerKey, JamPlace
from firmware_bridge.core.words import Incident, IncidentKind, Place, Session, Trigger
from firmware_bridge.view import Hand
from tests.table.byways import (
    begin_to_empty_by_hand,
    count,
    force_lid,
    give_up_the_machine,
    pull_until,
    stands,
    unloading,
    verify_and_find_no_more,
)
from tests.table.evening import SUPERVISOR, TECHNICIAN, Evening
from tests.table.test_damaged_card import spare, typed
from tests.table.test_jam import clear, jam
from tests.table.told import due, screen


@pytest.mark.clause("SB-7", "PT-A6")
def test_a_table_that_closes_over_a_count_that_differs_is_told_to_draw_its_cards(ready: Evening) -> None:
    force_lid(ready, card_goes=True)
    count(ready)
    assert stands(ready, IncidentKind.LID_OPENED, Incident.COUNT_DIFFERS)
    unloading(ready)
    assert Hand.DRAW_CARDS in due(ready)
    assert ready.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert ready.session is Session.COUNTING_EMPTY  # it is the session's count, and settles nothing of the lid
    pull_until(ready, lambda: ready.session is Session.LOOKING)


@pytest.mark.clause("PT-A1", "PT-E4")
def test_a_second_damaged_card_is_named_before_the_first_is_replaced_and_renames_nothing(ready: Evening) -> None:
    first, second = ready.deal(8)[:2]
    ready.key(DealerKey.DAMAGED_CARD)
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(first)) is None
    assert "only if another card was meant" in next(a.text for a in screen(ready).asks if a.trigger == "name_card")
    ready.key(DealerKey.DAMAGED_CARD)
    assert screen(ready).alarm.number == 2  # type: ignore[union-attr]
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(second)) is None
    assert [one.face for one in ready.state.incidents.values()] == [first.face, second.face]
    assert ready.state.account.at(Place.SET_ASIDE) == 2


@pytest.mark.clause("PT-E4")
def test_a_card_named_wrongly_takes_no_mark_that_was_there_before(ready: Evening) -> None:
    cards = ready.deal(30)
    other = next(card for card in cards if card.deck != cards[0].deck)
    assert ready.act(SUPERVISOR, Trigger.MARK_IMPERFECT, cards[0].deck) is None
    ready.key(DealerKey.DAMAGED_CARD)
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(cards[0])) is None
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(other)) is None
    assert ready.state.imperfect_decks == [cards[0].deck, other.deck]
    assert len(ready.state.notices) == 1  # named twice, one damaged card


@pytest.mark.clause("PT-A1")
def test_one_replacement_passes_the_reader_after_the_other(ready: Evening) -> None:
    first, second = ready.deal(8)[:2]
    for card in (first, second):
        ready.key(DealerKey.DAMAGED_CARD)
        assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    ready.hands.on_table.append(laid := spare(first))
    ready.hands.put_in_shoe_tray([laid])
    ready.table.run(0.2)
    assert ready.key(DealerKey.YES) is None
    ready.table.run(1)
    ready.hands.move(ready.hands.take_shoe_output(), ready.hands.discard)
    ready.hands.on_table.append(laid := spare(second))
    ready.hands.put_in_shoe_tray([laid])
    ready.table.run(0.2)
    assert ready.key(DealerKey.YES) is None  # it answers the one whose back is asked
    assert [one.state for one in ready.state.incidents.values()] == [
        Incident.AWAITING_SEAL,
        Incident.AWAITING_REPLACEMENT,
    ]


@pytest.mark.clause("SB-4")
@pytest.mark.parametrize("laid_in", [0, 1])
def test_a_lid_forced_before_the_look_puts_the_proof_of_emptiness_back_to_its_beginning(
    ready: Evening, laid_in: int
) -> None:
    ready.unload()
    ready.hands.open_lid(force=True)
    ready.hands.put_inside(ready.hands.on_table[:laid_in])
    ready.table.run(0.2)
    ready.hands.close_lid()
    ready.table.run(0.5)
    assert ready.session is Session.UNLOADING
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) == "SB-4"


@pytest.mark.clause("SB-4")
def test_an_empty_machine_may_be_counted_again_before_and_after_the_look(ready: Evening) -> None:
    ready.unload()
    assert ready.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert ready.table.run(60, lambda: ready.session is Session.LOOKING)
    ready.look_inside()
    assert ready.session is Session.LOOKED
    assert ready.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert ready.table.run(60, lambda: ready.session is Session.LOOKING)


@pytest.mark.clause("PT-E2")
def test_a_short_load_is_told_by_its_number_at_once_and_by_its_face_when_it_is_out() -> None:
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    gone = evening.hands.box.pop()
    for cards in (104, 103):
        evening.load_pack(cards)
        assert evening.end_pack() is None
    assert evening.act(SUPERVISOR, Trigger.DECLARE_LOADED) is None
    assert evening.session is Session.WRONG_LOAD
    assert screen(evening).difference == ("207 of 208 cards were loaded",)
    evening.unload_cards()
    evening.look()
    [number, which] = screen(evening).difference
    assert number == "207 of 208 cards were loaded"
    assert which.startswith("the whole set lacks ")
    evening.hands.box.append(gone)


@pytest.mark.clause("PT-A11")
def test_a_round_whose_machine_is_out_of_service_leaves_its_cards_in_the_discard(ready: Evening) -> None:
    ready.deal(5)
    give_up_the_machine(ready)
    assert ready.key(DealerKey.ROUND_OVER) is None
    assert {"yes", "declare_closed"} <= set(due(ready))
    ready.table.wait(70)
    assert IncidentKind.CARD_LOST not in ready.kinds()  # nobody misses what cannot go in
    assert ready.key(DealerKey.YES) is None
    assert ready.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None


@pytest.mark.clause("SB-7")
@pytest.mark.field("BR-004")
def test_a_spill_takes_the_cards_that_were_left_in_the_discard(ready: Evening) -> None:
    ready.deal(6)
    ready.hands.trip_intake()
    ready.table.run(0.5)
    assert ready.key(DealerKey.ROUND_OVER) is None
    assert ready.key(DealerKey.YES) is None
    assert ready.session is Session.READY
    assert ready.act(SUPERVISOR, Trigger.DECLARE_SPILL) is None
    assert "declare_closed" in due(ready)  # the machine takes none: there is no other way on
    ready.hands.trip_intake(False)
    ready.table.run(0.5)
    assert Hand.GATHER_CARDS in due(ready)
    ready.hands.put_in_intake_tray(ready.hands.on_table)
    ready.table.run(5)
    assert ready.state.account.out == 0
    assert ready.kinds() == [IncidentKind.SPILL], "a card that the spill asks for is not one too many"
    count(ready)
    assert stands(ready, IncidentKind.SPILL, Incident.CLEARED)


@pytest.mark.clause("PT-A8", "SB-7")
def test_a_spill_in_a_table_that_closes_puts_no_card_into_the_machine(ready: Evening) -> None:
    unloading(ready)
    ready.hands.move(ready.hands.on_table[:3], ready.hands.discard)
    assert ready.act(SUPERVISOR, Trigger.DECLARE_SPILL) is None
    assert Hand.GATHER_CARDS not in [ask.trigger for ask in screen(ready).asks]


@pytest.mark.clause("PT-A1")
def test_a_damaged_cards_key_with_no_card_out_is_answered_no(ready: Evening) -> None:
    ready.key(DealerKey.DAMAGED_CARD)
    assert due(ready)[:1] == ["answer_no"]
    assert ready.act(SUPERVISOR, Trigger.ANSWER_NO) is None


@pytest.mark.clause("SB-1")
def test_no_step_that_needs_the_machine_is_due_while_it_is_gone(ready: Evening) -> None:
    jam(ready, JamPlace.EXIT)
    clear(ready)
    assert "answer_no" in due(ready)
    ready.table.unplug("shuffler")
    ready.table.run(1)
    assert "answer_no" not in due(ready)


@pytest.mark.clause("SB-1")
def test_no_count_is_due_of_a_machine_that_is_gone(ready: Evening) -> None:
    force_lid(ready)
    assert "count_machine" in due(ready)
    ready.table.unplug("shuffler")
    ready.table.run(1)
    assert "count_machine" not in due(ready)


@pytest.mark.clause("SB-2", "PT-A6")
def test_a_result_is_due_to_be_signed_only_when_nothing_is_open(ready: Evening) -> None:
    ready.unload()
    ready.look()
    ready.key(DealerKey.CALL_SUPERVISOR)
    ready.verify()
    assert "sign_result" not in due(ready)
    ready.confirm_all()
    assert due(ready) == ["sign_result"]


@pytest.mark.clause("PT-A6", "SB-4")
def test_a_difference_may_be_looked_for_in_the_machine_though_an_alarm_wants_the_lid_as_well(ready: Evening) -> None:
    force_lid(ready, card_goes=True)
    count(ready)
    unloading(ready)
    pull_until(ready, lambda: ready.session is Session.LOOKING)
    ready.look()
    verify_and_find_no_more(ready)
    assert ready.session is Session.DIFFERENCE
    assert ready.act(SUPERVISOR, Trigger.RELEASE_LID) is None
    assert ready.session is Session.LID_RELEASED


@pytest.mark.clause("SB-7")
@pytest.mark.field("BR-005")
def test_after_so_many_rounds_a_full_count_is_due_and_the_screen_counts_them() -> None:
    evening = Evening()
    plain = evening.table.config
    house = msgspec.structs.replace(plain.book.house, rounds_between_counts=2)
    evening.table.config = msgspec.structs.replace(plain, book=msgspec.structs.replace(plain.book, house=house))
    evening.table.start_controller()
    evening.table.run(3)
    evening.open_and_load()
    evening.play_round(3)
    assert screen(evening).since_count == "1 of 2 rounds since the last full count"
    evening.play_round(3)
    assert evening.hands.pull_card() is None
    assert due(evening) == ["count_machine"]
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert evening.table.run(60, lambda: evening.session is Session.READY)
    evening.table.run(1)
    assert evening.hands.pull_card() is not None


@pytest.mark.clause("SB-7")
def test_a_card_laid_at_the_shoes_mouth_by_hand_is_found_by_the_next_full_count(ready: Evening) -> None:
    ready.play_round(3)
    ready.hands.open_lid(force=True)
    ready.table.run(0.2)
    strange = spare(next(iter(ready.hands.mechanism.cards())))
    mechanism = ready.hands.mechanism
    (mechanism.buffer if mechanism.mouth else mechanism.mouth).append(strange)
    ready.hands.close_lid()
    ready.table.run(0.5)
    count(ready)
    assert stands(ready, IncidentKind.LID_OPENED, Incident.COUNT_DIFFERS)


@pytest.mark.clause("SB-2")
def test_a_refusal_is_said_at_the_keypad_and_sees_no_alarm(ready: Evening) -> None:
    force_lid(ready)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 5) == "PT-A1"
    assert ready.table.assembly.controller.console.message.endswith("[PT-A1]")
    assert ready.state.incidents[1].acknowledged is None
    count(ready)
    assert ready.state.incidents[1].acknowledged_by == SUPERVISOR


@pytest.mark.clause("PT-A6", "SB-2")
@pytest.mark.field("BR-003")
def test_a_card_lost_stays_an_incident_of_a_table_that_closes_until_every_card_was_read(ready: Evening) -> None:
    lost = ready.deal(5)[0]
    ready.hands.on_table.remove(lost)
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.hands.put_in_intake_tray(ready.hands.on_table)
    ready.table.wait(70)
    assert ready.kinds() == [IncidentKind.CARD_LOST]
    ready.unload()
    assert Hand.FIND_CARD not in due(ready)
    ready.look()
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
    verify_and_find_no_more(ready)
    assert ready.session is Session.DIFFERENCE
    ready.confirm_all()


@pytest.mark.clause("SB-4")
@pytest.mark.field("BR-001")
def test_of_a_machine_that_answers_nothing_all_cards_are_asked_for_before_it_is_confirmed_empty(ready: Evening) -> None:
    give_up_the_machine(ready)
    begin_to_empty_by_hand(ready)
    [line] = [ask for ask in screen(ready).asks if ask.trigger == Hand.TAKE_ALL_OUT]
    assert line.due
    assert "208" in line.text


@pytest.mark.clause("PT-A2", "SB-1")
def test_nobody_is_sent_into_a_machine_that_does_not_answer_and_whose_lid_is_locked(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    ready.table.unplug("shuffler")
    ready.table.run(3)
    assert ready.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) is None
    ready.table.run(0.5)
    assert not ready.hands.open_lid()
    assert due(ready)[0] == Hand.CONNECT
    assert not {Hand.CLEAR_JAM, Hand.OPEN_LID, Hand.CLOSE_LID} & set(due(ready))
    assert ready.act(TECHNICIAN, Trigger.REPAIRED) == "SB-4"  # of a path that nobody sees
    ready.table.replug("shuffler")
    ready.table.run(5)
    assert Hand.CLEAR_JAM in due(ready)


@pytest.mark.clause("PT-A6", "SB-1")
def test_nobody_is_told_to_draw_cards_while_a_device_is_missing_and_none_comes(ready: Evening) -> None:
    unloading(ready)
    assert Hand.DRAW_CARDS in due(ready)
    ready.table.unplug("lamp")
    ready.table.run(3)
    assert Hand.DRAW_CARDS not in due(ready)
    assert Hand.CONNECT in due(ready)


@pytest.mark.clause("PT-A5")
def test_a_table_that_cannot_open_over_cards_in_the_shoes_tray_says_who_takes_them_out() -> None:
    evening = Evening()
    evening.hands.put_in_shoe_tray(evening.hands.box[:3])
    evening.table.run(1)
    assert due(evening)[0] == Hand.EMPTY_SHOE_TRAY
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) is not None
    evening.hands.take_from_shoe_tray()
    evening.table.run(1)
    assert Hand.EMPTY_SHOE_TRAY not in due(evening)
