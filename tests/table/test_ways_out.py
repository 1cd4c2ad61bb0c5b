"""Every story has a way out, and no second deed hides behind a first."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey, JamPlace
from firmware_bridge.core.words import Incident, IncidentKind, Session, Trigger
from tests.table.byways import (
    count,
    force_lid,
    jam_in_a_count,
    power_cycle,
    stands,
    verify_and_find_no_more,
)
from tests.table.evening import DEALER, ROOM_MANAGER, SUPERVISOR, Evening
from tests.table.test_damaged_card import lay_replacement, spare, typed
from tests.table.test_damaged_card import standing as standing_card
from tests.table.test_jam import clear, jam, standing


@pytest.mark.clause("PT-E4")
def test_two_decks_marked_imperfect_are_both_named_when_the_table_would_open() -> None:
    evening = Evening()
    assert evening.act(SUPERVISOR, Trigger.MARK_IMPERFECT, 2) is None
    assert evening.act(SUPERVISOR, Trigger.MARK_IMPERFECT, 3) is None
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) == "PT-E4"
    refusal = evening.logged()[-1].decision.refusal
    assert refusal is not None
    assert "2" in refusal.reason
    assert "3" in refusal.reason


@pytest.mark.clause("SB-7", "PT-A6")
def test_a_table_closes_over_a_jam_whose_card_is_gone_and_the_verification_names_it(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    clear(ready, put_back=False)
    gone = ready.hands.on_table[-1]
    assert ready.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    assert ready.table.run(60, lambda: standing(ready) is Incident.COUNT_DIFFERS)
    ready.hands.move([gone], ready.hands.set_aside)
    ready.table.run(0.2)
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.table.wait(61)  # the machine is not sound: it takes none of the round's cards
    assert ready.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert ready.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    ready.table.run(2)
    assert ready.hands.pull_card() is not None
    while ready.session is Session.UNLOADING:
        ready.hands.pull_card()
        ready.table.run(0.03)
    assert ready.table.run(30, lambda: ready.session is Session.LOOKING)
    ready.look()
    verify_and_find_no_more(ready)
    assert ready.session is Session.DIFFERENCE
    assert [face for deck in ready.state.decks_read for face in deck.missing] == [gone.face]
    assert standing(ready) is Incident.CLEARED
    ready.confirm_all()
    assert ready.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) is None


@pytest.mark.clause("PT-A2", "SB-7")
def test_a_lid_forced_again_before_the_first_time_was_confirmed_is_counted_again(ready: Evening) -> None:
    force_lid(ready)
    count(ready)
    assert stands(ready, IncidentKind.LID_OPENED, Incident.CLEARED)
    force_lid(ready, card_goes=True)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
    ready.table.run(1)
    assert ready.hands.pull_card() is None


@pytest.mark.clause("SB-7", "PT-A6")
def test_a_table_closes_over_a_card_taken_through_a_forced_lid(ready: Evening) -> None:
    force_lid(ready, card_goes=True)
    count(ready)
    assert stands(ready, IncidentKind.LID_OPENED, Incident.COUNT_DIFFERS)
    assert ready.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert ready.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    ready.table.run(2)
    assert ready.hands.pull_card() is not None


@pytest.mark.clause("SB-9", "SB-7")
def test_power_lost_again_before_the_first_time_was_confirmed_is_counted_and_shuffled_again(ready: Evening) -> None:
    power_cycle(ready)
    count(ready)
    assert stands(ready, IncidentKind.POWER_LOST, Incident.CLEARED)
    power_cycle(ready)
    assert any(
        one.kind is IncidentKind.POWER_LOST and one.state is Incident.RAISED for one in ready.state.incidents.values()
    )


@pytest.mark.clause("SB-4", "SB-7")
def test_a_machine_that_is_empty_but_for_a_card_that_is_gone_is_proven_empty_and_the_table_closes(
    ready: Evening,
) -> None:
    jam_in_a_count(ready)
    clear(ready, put_back=False)
    ready.hands.move(ready.hands.on_table[-1:], ready.hands.set_aside)
    assert ready.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    assert stands(ready, IncidentKind.JAM, Incident.COUNT_DIFFERS)
    ready.table.run(0.2)
    count(ready)
    ready.table.run(10)
    assert ready.session in (Session.UNLOADING, Session.LOOKING)


@pytest.mark.clause("PT-A10", "PT-A2")
def test_cards_that_the_machine_does_not_take_after_its_jam_are_not_missed(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    clear(ready)
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.table.wait(70)
    assert ready.kinds() == [IncidentKind.JAM]


@pytest.mark.clause("PT-A1", "PT-A6", "PT-E4")
def test_a_table_closed_without_a_replacement_ends_with_the_difference_signed(ready: Evening) -> None:
    card = ready.deal(6)[0]
    assert ready.key(DealerKey.DAMAGED_CARD) is None
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    ready.hands.move([card], ready.hands.set_aside)
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.put_back()
    ready.close()
    assert ready.session is Session.DIFFERENCE
    assert [face for deck in ready.state.decks_read for face in deck.missing] == [card.face]
    assert ready.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) == "SB-2"
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"  # the damaged card is sealed all the same
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 17) is None
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) is None
    assert ready.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) is None


@pytest.mark.clause("PT-E4")
def test_of_two_marked_decks_each_is_replaced_on_its_own() -> None:
    evening = Evening()
    assert evening.act(SUPERVISOR, Trigger.MARK_IMPERFECT, 1) is None
    assert evening.act(SUPERVISOR, Trigger.MARK_IMPERFECT, 4) is None
    assert evening.act(SUPERVISOR, Trigger.DECK_REPLACED, 4) is None
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) == "PT-E4"
    assert evening.act(SUPERVISOR, Trigger.DECK_REPLACED, 1) is None
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) is None


@pytest.mark.clause("PT-A6", "SB-4")
def test_a_table_given_up_between_two_packs_is_unloaded_and_not_opened() -> None:
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    evening.load_pack(100)
    assert evening.end_pack() is None
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.session is Session.WRONG_LOAD
    evening.unload_cards()
    evening.look()
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert evening.session is Session.NOT_OPENED


@pytest.mark.clause("PT-A1", "PT-A6")
def test_a_table_may_close_over_a_wrong_replacement_and_the_card_set_aside_is_named(ready: Evening) -> None:
    card = ready.deal(6)[0]
    ready.key(DealerKey.DAMAGED_CARD)
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    ready.hands.move([card], ready.hands.set_aside)
    lay_replacement(ready, spare(card, face=1 + card.face % 52))
    ready.hands.move(ready.hands.take_shoe_output(), ready.hands.set_aside)
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.put_back()
    ready.unload()
    ready.look()
    assert standing_card(ready) is Incident.AWAITING_ENVELOPE
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 18) is None
    verify_and_find_no_more(ready)
    assert [face for deck in ready.state.decks_read for face in deck.missing] == [card.face]


@pytest.mark.clause("PT-E4")
def test_an_authorised_deck_that_is_replaced_after_all_needs_no_authorisation_any_more() -> None:
    evening = Evening()
    assert evening.act(SUPERVISOR, Trigger.MARK_IMPERFECT, 3) is None
    assert evening.act(ROOM_MANAGER, Trigger.AUTHORISE_DECK, 4711) is None
    assert evening.act(SUPERVISOR, Trigger.DECK_REPLACED, 3) is None
    assert (evening.state.imperfect_decks, evening.state.authorisation) == ([], 0)
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) is None


@pytest.mark.clause("PT-E4", "SB-2")
def test_no_mark_of_a_deck_is_washed_away_by_signing_a_difference_that_there_is_not(ready: Evening) -> None:
    assert ready.act(SUPERVISOR, Trigger.MARK_IMPERFECT, 2) is None
    assert ready.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) == "house.difference_signed_by"
    assert ready.act(ROOM_MANAGER, Trigger.SET_REPLACED) == "SB-2"
    assert ready.state.imperfect_decks == [2]


@pytest.mark.clause("SB-4", "SB-3")
def test_a_second_opening_within_a_session_is_refused_and_signs_no_dealer_out(ready: Evening) -> None:
    ready.deal(3)
    assert ready.act(101, Trigger.OPEN_TABLE) == "SB-4"
    assert ready.state.dealer == DEALER


@pytest.mark.clause("PT-A1", "PT-A4", "PT-E4")
def test_a_card_that_the_dealer_finds_damaged_while_showing_the_cards_is_replaced_before_loading() -> None:
    evening = Evening()
    evening.open_table()
    card = evening.hands.box[7]
    assert evening.key(DealerKey.DAMAGED_CARD) is None
    assert evening.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    evening.hands.move([card], evening.hands.set_aside)
    lay_replacement(evening, spare(card))
    assert evening.key(DealerKey.YES) is None
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 12) is None
    evening.confirm_all()
    evening.hands.move(evening.hands.take_shoe_output(), evening.hands.box)
    evening.table.run(0.5)
    evening.show_and_mix()
    evening.load()
    assert evening.state.account.inside == 208


@pytest.mark.clause("PT-A1", "PT-E4")
def test_a_card_found_damaged_at_the_sorting_is_named_its_deck_marked_and_the_notice_owed(ready: Evening) -> None:
    ready.unload()
    ready.look()
    assert ready.key(DealerKey.DAMAGED_CARD) is None
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
    card = ready.hands.on_table[0]
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    ready.confirm_all()
    ready.verify()
    assert ready.session is Session.ALL_REGULAR
    assert ready.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert [notice.incident for notice in ready.state.notices] == [1]
    assert ready.act(SUPERVISOR, Trigger.OPEN_TABLE) == "PT-E4"


@pytest.mark.clause("PT-A1")
def test_a_second_damaged_card_is_an_incident_of_its_own_once_the_first_is_named(ready: Evening) -> None:
    first = ready.deal(6)[0]
    ready.key(DealerKey.DAMAGED_CARD)
    ready.key(DealerKey.DAMAGED_CARD)
    assert len(ready.kinds()) == 1
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(first)) is None
    ready.key(DealerKey.DAMAGED_CARD)
    assert ready.kinds() == [IncidentKind.DAMAGED_CARD, IncidentKind.DAMAGED_CARD]


@pytest.mark.clause("SB-2")
def test_what_was_raised_after_a_mended_jam_is_presented_before_the_jam_is_confirmed(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    clear(ready)
    assert ready.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    assert ready.table.run(60, lambda: standing(ready) is Incident.CLEARED)
    force_lid(ready, card_goes=True)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
    assert ready.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None


@pytest.mark.clause("SB-2")
@pytest.mark.field("BR-009")
def test_an_alarm_that_was_seen_but_not_dealt_with_goes_to_the_room_manager_too(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    assert ready.act(SUPERVISOR, Trigger.ACKNOWLEDGE) is None
    ready.table.wait(310)
    assert ready.state.incidents[1].escalated


@pytest.mark.clause("SB-2")
def test_the_dealer_answers_no_alarm_that_no_screen_shows(ready: Evening) -> None:
    card = ready.deal(6)[0]
    ready.key(DealerKey.DAMAGED_CARD)
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    lay_replacement(ready, spare(card))
    ready.table.show_screen(False)
    ready.table.run(0.5)
    assert ready.key(DealerKey.YES) == "SB-2"
    assert standing_card(ready) is Incident.ASKING_BACK


@pytest.mark.field("BR-011")
def test_a_shoe_that_is_not_heard_has_not_stopped_until_it_says_so(ready: Evening) -> None:
    ready.deal(3)
    ready.table.unplug("shoe")
    assert ready.state.incidents[1].stopped is None
    ready.table.run(5)
    ready.table.replug("shoe")
    ready.table.run(3)
    assert ready.state.incidents[1].stopped is not None


@pytest.mark.clause("PT-A2", "SB-7")
def test_a_card_taken_through_a_forced_lid_and_found_is_laid_back_and_play_goes_on(ready: Evening) -> None:
    ready.hands.open_lid(force=True)
    ready.table.run(0.2)
    card = ready.hands.take_from_machine(1)[0]
    ready.hands.close_lid()
    ready.table.run(0.5)
    count(ready)
    assert stands(ready, IncidentKind.LID_OPENED, Incident.COUNT_DIFFERS)
    ready.look_inside(lambda: ready.hands.put_inside([card]))
    count(ready)
    assert stands(ready, IncidentKind.LID_OPENED, Incident.CLEARED)
    ready.confirm_all()
    ready.table.run(1)
    assert ready.hands.pull_card() is not None


@pytest.mark.clause("PT-A1")
def test_a_replacement_taken_out_of_the_tray_unread_is_asked_for_again(ready: Evening) -> None:
    card = ready.deal(6)[0]
    ready.key(DealerKey.DAMAGED_CARD)
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    ready.hands.on_table.append(spare(card))
    ready.hands.put_in_shoe_tray(ready.hands.on_table[-1:])
    ready.table.run(0.2)
    ready.hands.press_dealer_key(DealerKey.YES)
    ready.table.step()
    ready.table.step()
    ready.hands.take_from_shoe_tray()
    ready.table.run(2)
    assert standing_card(ready) is Incident.AWAITING_REPLACEMENT


@pytest.mark.clause("PT-A2")
def test_a_jam_that_the_supervisor_clears_while_the_technician_is_awaited_goes_on(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    assert ready.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) is None
    assert ready.act(SUPERVISOR, Trigger.ANSWER_NO) == "PT-A2"  # the card is still stuck
    assert ready.hands.open_lid()
    ready.table.run(0.2)
    ready.hands.put_inside([ready.hands.take_stuck_card()])
    ready.table.run(0.2)
    assert ready.act(SUPERVISOR, Trigger.ANSWER_NO) == "PT-A2"  # the lid stands open
    ready.hands.close_lid()
    ready.table.run(0.5)
    assert ready.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    assert ready.table.run(60, lambda: standing(ready) is Incident.CLEARED)
