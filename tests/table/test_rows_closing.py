"""By-ways of closing, and of the set: cards under way as a gate shuts, counts broken off, differences."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import CardSet, Place, Procedure, Session, Trigger
from tests.table.byways import (
    WITHOUT_READER,
    course,
    jam_in_a_count,
    power_cycle,
    pull_until,
    take_all_out_of,
    take_the_last_stroke,
    unload_the_rest,
    unloading,
)
from tests.table.evening import ROOM_MANAGER, SUPERVISOR, TECHNICIAN, Evening
from tests.table.test_jam import clear, settle


@pytest.mark.clause("PT-A8", "PT-A6")
def test_cards_under_way_as_each_gate_shuts_in_closing_are_in_the_books_and_the_set_is_found_whole(
    ready: Evening,
) -> None:
    account = ready.state.account
    take_the_last_stroke(ready, SUPERVISOR, 40)
    assert ready.session is Session.DECLARED_CLOSED
    assert ready.hands.pull_card() is not None  # the hold is under way
    ready.table.run(1)
    assert ready.hands.pull_card() is None
    assert account.at(Place.TABLE) == 1
    assert ready.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    ready.table.wait(40)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_PRESENCE) is None  # unasked: the minute begins anew
    ready.table.wait(58)
    assert ready.session is Session.UNLOADING
    assert ready.table.run(5, lambda: ready.session is Session.ASKING_UNLOAD_PRESENCE)
    assert ready.hands.pull_card() is not None  # this hold is, too
    ready.table.run(1)
    assert ready.hands.pull_card() is None
    assert account.at(Place.UNLOADED) == 1
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_PRESENCE) is None
    pull_until(ready, lambda: account.at(Place.UNLOADED) == 40)
    ready.table.run(0.5)
    take_the_last_stroke(ready, SUPERVISOR, 32)
    assert ready.session is Session.COUNTING_EMPTY
    assert ready.hands.pull_card() is not None
    assert ready.table.run(10, lambda: ready.session is Session.UNLOADING)  # counted, and not empty yet
    assert account.at(Place.UNLOADED) == 41
    unload_the_rest(ready)
    ready.look()
    ready.verify()
    assert ready.session is Session.ALL_REGULAR
    assert not ready.state.incidents_raised


@pytest.mark.clause("SB-4", "SB-7")
def test_power_lost_while_the_machine_proves_itself_empty_has_it_counted_again(ready: Evening) -> None:
    unloading(ready)
    pull_until(ready, lambda: ready.session is Session.COUNTING_EMPTY)
    power_cycle(ready)
    assert ready.table.run(30, lambda: ready.session is Session.LOOKING)
    ready.look()
    ready.verify()
    assert ready.session is Session.ALL_REGULAR
    assert ready.act(SUPERVISOR, Trigger.SIGN_RESULT) == "SB-2"  # the power cut is not confirmed
    ready.confirm_all()
    assert ready.act(SUPERVISOR, Trigger.SIGN_RESULT) is None


@pytest.mark.clause("SB-7", "PT-A2", "SB-4")
def test_a_jam_in_a_count_while_unloading_is_cleared_counted_again_and_the_unloading_goes_on(ready: Evening) -> None:
    jam_in_a_count(ready)
    unknown = (Trigger.COUNT_UNKNOWN, Session.COUNTING_EMPTY)
    assert unknown in course(ready, Procedure.SESSION), "that the count came to nothing is on record"
    clear(ready)
    settle(ready)
    assert ready.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert ready.table.run(30, lambda: ready.session is Session.UNLOADING)
    ready.table.run(1)
    assert ready.hands.pull_card() is not None


@pytest.mark.clause("SB-4")
def test_a_machine_taken_out_of_service_in_its_count_while_unloading_is_emptied_by_hand(ready: Evening) -> None:
    jam_in_a_count(ready)
    assert ready.act(SUPERVISOR, Trigger.EMPTY_BY_HAND) == "SB-4"  # no technician has said so
    assert ready.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) is None
    assert ready.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) is None
    assert ready.act(SUPERVISOR, Trigger.EMPTY_BY_HAND) is None
    take_all_out_of(ready)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    ready.verify()
    assert ready.session is Session.ALL_REGULAR


@pytest.mark.clause("SB-4")
def test_who_is_not_sure_after_the_look_into_the_machine_looks_once_more(ready: Evening) -> None:
    ready.unload()
    for _ in range(2):
        assert ready.act(SUPERVISOR, Trigger.RELEASE_LID) is None
        ready.table.run(1)
        assert ready.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) == "SB-4"
        assert ready.hands.open_lid()
        ready.table.run(0.2)
        ready.hands.close_lid()
        ready.table.run(0.5)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    assert not ready.hands.open_lid()


# ---- the set


@pytest.mark.clause("PT-E4")
def test_an_authorised_deck_may_still_be_replaced_and_another_marked_deck_asks_for_a_new_authorisation() -> None:
    evening = Evening()
    assert evening.act(SUPERVISOR, Trigger.MARK_IMPERFECT, 2) is None
    assert evening.act(ROOM_MANAGER, Trigger.AUTHORISE_DECK, 4711) is None
    assert evening.act(SUPERVISOR, Trigger.MARK_IMPERFECT, 3) is None
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) == "PT-E4"
    assert evening.act(ROOM_MANAGER, Trigger.AUTHORISE_DECK, 4712) is None
    assert evening.act(SUPERVISOR, Trigger.DECK_REPLACED, 4) == "PT-E4"  # deck 4 is not marked
    assert evening.act(SUPERVISOR, Trigger.DECK_REPLACED, 2) is None
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) == "PT-E4"  # deck 3 is
    assert evening.act(SUPERVISOR, Trigger.DECK_REPLACED, 3) is None
    assert (evening.state.imperfect_decks, evening.state.authorisation) == ([], 0)
    evening.open_table()
    assert evening.state.card_set is CardSet.GOOD
    assert evening.act(SUPERVISOR, Trigger.DECK_REPLACED, 1) == "PT-E4"


@pytest.mark.clause("PT-A6", "PT-E4", "SB-2")
@pytest.mark.parametrize("authorised", [True, False])
def test_without_a_reader_a_card_short_at_the_last_deck_is_a_difference_and_bars_an_imperfect_set(
    authorised: bool,
) -> None:
    evening = Evening(fittings=WITHOUT_READER)
    if authorised:
        assert evening.act(SUPERVISOR, Trigger.MARK_IMPERFECT, 2) is None
        assert evening.act(ROOM_MANAGER, Trigger.AUTHORISE_DECK, 4711) is None
    evening.open_and_load()
    if not authorised:
        assert evening.act(SUPERVISOR, Trigger.MARK_IMPERFECT, 2) is None
    next(place for place in evening.hands.mechanism.compartments if place).pop()  # no sensor sees this card go
    evening.unload()
    evening.look()
    assert evening.key(DealerKey.YES) is None
    for cards in (52, 52, 52, 51):
        assert evening.session is Session.AWAITING_DECK
        assert evening.act(SUPERVISOR, Trigger.CONFIRM_DECK, cards) is None
    assert evening.session is Session.DIFFERENCE
    assert evening.state.decks_read[-1].cards == 51
    assert evening.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) is None
    assert evening.state.card_set is CardSet.BARRED
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) == "SB-2"
    assert evening.act(SUPERVISOR, Trigger.DECK_REPLACED, 1) == "PT-E4"  # one new deck does not mend a barred set
