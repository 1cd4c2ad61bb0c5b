"""Closing: unloaded, proven empty, sorted, verified; what differs is named (PT-A6, SB-2, SB-4)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey, JamPlace
from firmware_bridge.core.words import CardSet, Incident, IncidentKind, Place, Session, Trigger
from tests.table.byways import pull_until, stands, unloading
from tests.table.evening import DEALER, ROOM_MANAGER, SUPERVISOR, Evening
from tests.table.test_jam import jam


def played(**options: object) -> Evening:
    evening = Evening(**options)  # type: ignore[arg-type]
    evening.open_and_load()
    evening.play_round()
    return evening


@pytest.mark.clause("PT-A6")
def test_nothing_comes_out_before_the_table_is_closed_and_the_supervisor_is_there() -> None:
    evening = played()
    assert evening.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) == "PT-A8"
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    evening.table.run(5)
    assert evening.hands.pull_card() is None
    assert evening.act(DEALER, Trigger.BEGIN_UNLOADING) == "PT-A6"
    assert evening.hands.pull_card() is None


@pytest.mark.clause("PT-A6")
def test_a_supervisor_who_leaves_stops_the_unloading() -> None:
    evening = played()
    evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED)
    evening.act(SUPERVISOR, Trigger.BEGIN_UNLOADING)
    assert evening.table.run(70, lambda: evening.session is Session.ASKING_UNLOAD_PRESENCE)
    evening.table.run(1)
    assert evening.hands.pull_card() is None


@pytest.mark.clause("SB-4")
def test_the_machine_is_proven_empty_by_count_and_by_a_look_into_the_open_lid() -> None:
    evening = played()
    evening.unload()
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) == "SB-4"
    assert not evening.hands.open_lid()  # locked until a supervisor releases it
    assert evening.act(DEALER, Trigger.RELEASE_LID) == "SB-4"
    assert evening.act(SUPERVISOR, Trigger.RELEASE_LID) is None
    evening.table.run(1)
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) == "SB-4"  # nobody looked
    assert evening.hands.open_lid()
    evening.table.run(0.2)
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) == "SB-4"  # the lid stands open
    evening.hands.close_lid()
    evening.table.run(0.5)
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    assert evening.session is Session.SORTING
    assert not evening.hands.open_lid()


@pytest.mark.clause("PT-A6", "SB-4")
def test_a_look_proves_nothing_of_a_machine_that_cards_still_come_out_of() -> None:
    evening = played()
    unloading(evening)
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) == "SB-4"
    assert evening.session is Session.UNLOADING


@pytest.mark.clause("PT-A6")
def test_one_card_swapped_between_two_sorted_decks_fails_the_verification_and_is_named() -> None:
    evening = played()
    evening.unload()
    evening.look()
    piles = list(evening.sort().values())
    piles[0][7], piles[1][20] = piles[1][20], piles[0][7]
    for pile in piles:
        evening.read_deck(pile)
    assert evening.session is Session.DIFFERENCE
    first, second, *rest = evening.state.decks_read
    assert (first.missing, first.over) == (second.over, second.missing)
    assert (len(first.missing), len(first.over)) == (1, 1)
    assert all(deck.regular for deck in rest)
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) == "PT-A6"


@pytest.mark.clause("PT-A6")
def test_decks_sorted_wrongly_may_be_sorted_again_and_both_findings_stay_on_record() -> None:
    evening = played()
    evening.unload()
    evening.look()
    piles = list(evening.sort().values())
    right = [list(pile) for pile in piles]
    piles[0][7], piles[1][20] = piles[1][20], piles[0][7]
    for pile in piles:
        evening.read_deck(pile)
    assert evening.act(SUPERVISOR, Trigger.SORT_AGAIN) is None
    for pile in right:
        evening.read_deck(pile)
    assert evening.session is Session.ALL_REGULAR
    assert len(evening.state.earlier_decks) == 4
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None


@pytest.mark.clause("PT-A6", "PT-A4", "SB-2")
def test_a_missing_card_closes_with_a_difference_that_the_room_manager_signs_and_the_set_is_barred() -> None:
    evening = played()
    evening.unload()
    evening.look()
    piles = list(evening.sort().values())
    gone = piles[2].pop(11)
    for pile in piles:
        evening.read_deck(pile)
    assert evening.session is Session.AWAITING_DECK  # a card is unread by the books
    assert evening.act(SUPERVISOR, Trigger.NO_CARDS_LEFT) is None
    assert evening.session is Session.DIFFERENCE
    assert [deck.missing for deck in evening.state.decks_read] == [(), (), (gone.face,), ()]
    assert evening.state.played.good_count is not None
    assert len(evening.state.rounds) == 1
    assert evening.act(SUPERVISOR, Trigger.SIGN_DIFFERENCE) == "house.difference_signed_by"
    assert evening.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) is None
    assert (evening.session, evening.state.card_set) == (Session.CLOSED_WITH_DIFFERENCE, CardSet.BARRED)
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) == "SB-2"
    assert evening.act(ROOM_MANAGER, Trigger.SET_REPLACED) is None
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) is None
    assert evening.session is Session.SHOWING


@pytest.mark.clause("PT-A10", "PT-A6")
def test_a_card_that_never_came_back_is_named_at_the_verification() -> None:
    evening = played()
    evening.deal(9)
    evening.key(DealerKey.ROUND_OVER)
    lost = evening.hands.on_table[4]
    evening.hands.put_in_intake_tray([card for card in evening.hands.on_table if card is not lost])
    evening.table.run(5)
    assert evening.session is Session.RETURNING
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) == "PT-A10"  # the house gives it time
    evening.table.wait(60)
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    evening.hands.on_table.clear()  # it lies in the table's well
    evening.unload_cards()
    evening.look()
    for pile in evening.sort().values():
        evening.read_deck(pile)
    assert evening.session is Session.DIFFERENCE
    assert evening.state.account.at(Place.MISSING) == 1
    missing = [face for deck in evening.state.decks_read for face in deck.missing]
    assert missing == [lost.face]


@pytest.mark.clause("PT-A6")
def test_with_a_reader_no_deck_is_confirmed_by_eye() -> None:
    evening = played()
    evening.unload()
    evening.look()
    evening.sort()
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_DECK, 52) == "PT-A6"


@pytest.mark.clause("PT-A5", "PT-A4")
def test_after_a_verified_session_the_next_one_may_open() -> None:
    evening = played()
    evening.close()
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    evening.hands.move(evening.hands.set_aside, evening.hands.box)
    evening.open_and_load()
    assert evening.state.session_number == 2


@pytest.mark.clause("SB-4")
def test_a_machine_with_cards_in_its_intake_tray_is_not_empty() -> None:
    evening = played()
    evening.unload()
    assert evening.act(SUPERVISOR, Trigger.RELEASE_LID) is None
    evening.table.run(1)
    assert evening.hands.open_lid()
    evening.table.run(0.2)
    evening.hands.close_lid()
    evening.hands.put_in_intake_tray(evening.hands.on_table[:3])
    evening.table.run(1)
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) == "SB-4"
    evening.hands.take_from_intake_tray()
    evening.table.run(0.2)
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None


@pytest.mark.clause("SB-2")
@pytest.mark.parametrize("regular", [True, False])
def test_no_result_is_signed_over_an_open_incident(regular: bool) -> None:
    evening = played()
    evening.unload()
    evening.look()
    piles = list(evening.sort().values())
    if not regular:
        piles[0][7], piles[1][20] = piles[1][20], piles[0][7]
    for pile in piles:
        evening.read_deck(pile)
    evening.table.unplug("lamp")
    evening.table.run(1)
    step, person = (Trigger.SIGN_RESULT, SUPERVISOR) if regular else (Trigger.SIGN_DIFFERENCE, ROOM_MANAGER)
    assert evening.act(person, step) == "SB-2"
    evening.table.replug("lamp")
    evening.table.run(3)
    assert evening.act(person, step) == "SB-2"  # back is not confirmed
    evening.confirm_all()
    assert evening.act(person, step) is None


@pytest.mark.clause("PT-A6", "SB-4")
def test_only_the_supervisor_confirms_the_machine_empty_and_signs() -> None:
    evening = played()
    evening.unload()
    evening.look_inside()
    for person in (DEALER, ROOM_MANAGER):
        assert evening.act(person, Trigger.CONFIRM_EMPTY) == "SB-4"
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    evening.verify()
    for person in (DEALER, ROOM_MANAGER):
        assert evening.act(person, Trigger.SIGN_RESULT) == "PT-A6"


@pytest.mark.clause("SB-8")
def test_an_open_claim_lets_nobody_close_the_table_or_leave_the_cards() -> None:
    evening = Evening()
    evening.open_and_load()
    evening.deal(9)
    assert evening.key(DealerKey.ROUND_OVER) is None
    assert evening.key(DealerKey.CLAIM) is None
    evening.hands.trip_intake()
    evening.table.run(0.5)
    assert evening.key(DealerKey.YES) == "SB-8"
    evening.table.wait(61)
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) == "SB-8"
    assert evening.act(SUPERVISOR, Trigger.CLOSE_CLAIM, 1) is None
    assert evening.key(DealerKey.YES) is None
    assert evening.key(DealerKey.CLAIM) is None  # about cards in the discard: still heard
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) == "SB-8"


@pytest.mark.clause("PT-A6")
def test_no_deck_is_read_that_does_not_lie_in_the_shoes_tray() -> None:
    evening = played()
    evening.unload()
    evening.look()
    evening.sort()
    assert evening.key(DealerKey.YES) == "PT-A6"
    assert evening.session is Session.AWAITING_DECK


@pytest.mark.clause("PT-A6", "SB-7")
def test_a_card_of_the_table_that_went_into_the_machine_past_every_sensor_is_no_difference(ready: Evening) -> None:
    jam(ready, JamPlace.EXIT)
    assert ready.act(SUPERVISOR, Trigger.RELEASE_LID) is None
    ready.table.run(1)
    ready.hands.open_lid()
    ready.hands.take_stuck_card()
    ready.hands.put_inside(ready.hands.on_table[-2:])  # the stuck one, and one of the round with it
    ready.table.run(0.2)
    ready.hands.close_lid()
    ready.table.run(0.5)
    assert ready.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    assert stands(ready, IncidentKind.JAM, Incident.COUNT_DIFFERS)
    ready.table.run(0.5)
    assert ready.key(DealerKey.ROUND_OVER) is None
    unloading(ready)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_PRESENCE) is None
    pull_until(ready, lambda: ready.session is Session.LOOKING)
    ready.look()
    ready.verify()
    assert ready.session is Session.ALL_REGULAR
