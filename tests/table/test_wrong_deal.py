"""What is not dealt as it is due: stopped, named, and remedied as the book has it or signed as a deviation."""

from __future__ import annotations

import pytest

from firmware_bridge.core import deal_changes as d
from firmware_bridge.core.changes import RoundVoided
from firmware_bridge.core.deal import BANK
from firmware_bridge.core.slips import Remedy, Slip
from firmware_bridge.core.words import IncidentKind, Place, Trigger
from firmware_bridge.rulebooks import load_rulebook
from firmware_bridge.view.describe import describe
from sim_hardware.faults import Fault
from tests.table.dealing import ROUND_OVER, YES, at, at_macau, given, named, of_deal, settled, typed
from tests.table.evening import DEALER, PORTUGAL, SUPERVISOR, Evening
from tests.table.told import asked


@pytest.fixture
def evening() -> Evening:
    """Two of seven places are played at, in Portugal."""
    return at(PORTUGAL, 2, 5)


# ---- what is not dealt so


@pytest.mark.clause("MO-5a")
@pytest.mark.field("BR-012")
def test_a_live_dealer_who_missed_his_first_card_is_stopped_and_offered_the_books_repair_alone() -> None:
    evening = at(load_rulebook("live"), 1, 2, 3)
    evening.deal(6)  # in truth: 1 2 3, none to the bank, 1 2 3
    assert evening.key(YES) is None  # the dealer takes the second pass for dealt
    assert evening.kinds() == [IncidentKind.WRONG_DEAL]
    assert evening.state.incidents[1].detail == "the first cards lie, and 6 of 7 that were due came"
    assert evening.hands.pull_card() is None
    named(evening, Slip.FIRST_CARD_LEFT_OUT)
    shown = asked(evening)
    assert "first card left out, the bank: 5 the round is void [LD-8]; when it is done, type its number" in shown
    assert evening.act(SUPERVISOR, Trigger.TAKE_REMEDY, Remedy.PUT_RIGHT) == "LD-8"
    assert evening.act(SUPERVISOR, Trigger.SIGN_DEVIATION, Remedy.PUT_RIGHT) is None
    (taken,) = of_deal(evening, d.RemedyTaken)
    assert taken == d.RemedyTaken(1, Remedy.PUT_RIGHT, True, "LD-8", SUPERVISOR)
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) is None
    assert given(evening) == [1, 2, 3, 1, 2, 3]  # as they lie
    evening.deal(1)
    assert given(evening) == [1, 2, 3, 1, 2, 3, BANK]
    assert evening.key(YES) is None
    assert evening.reasons() == []


@pytest.mark.field("BR-012")
@pytest.mark.clause("LD-2")
def test_the_books_own_repair_there_voids_the_round() -> None:
    evening = at(load_rulebook("live"), 1, 2)
    evening.deal(4)
    assert evening.key(YES) is None
    named(evening, Slip.FIRST_CARD_LEFT_OUT)
    settled(evening, Remedy.ROUND_VOID)
    assert evening.state.round_void == "LD-8"
    assert "PT-D1" not in evening.reasons()
    assert evening.key(ROUND_OVER) is None
    assert not evening.kinds()


@pytest.mark.clause("PT-D1")
def test_a_place_left_out_shows_when_the_dealer_says_that_the_first_cards_lie(evening: Evening) -> None:
    evening.deal(4)  # in truth: 2, the bank, 2, the bank
    assert evening.key(YES) is None
    assert evening.kinds() == [IncidentKind.WRONG_DEAL]
    named(evening, Slip.PLACE_LEFT_OUT, 5)
    settled(evening, Remedy.PUT_RIGHT)
    assert given(evening) == [2, BANK, 2, BANK]
    evening.deal(2)
    assert given(evening) == [2, BANK, 2, BANK, 5, 5]
    assert evening.reasons() == ["PT-D1"]


@pytest.mark.clause("PT-D1")
def test_a_round_that_is_over_before_its_first_cards_came_is_a_wrong_deal(evening: Evening) -> None:
    evening.deal(3)
    assert evening.key(ROUND_OVER) is None
    assert evening.kinds() == [IncidentKind.WRONG_DEAL]
    assert evening.state.incidents[1].detail == "the round is over, and 3 of 6 that were due came"


def test_a_key_that_was_pressed_too_early_is_no_slip(evening: Evening) -> None:
    evening.deal(5)
    assert evening.key(YES) is None
    assert evening.act(SUPERVISOR, Trigger.NAME_SLIP, Slip.NONE) is None
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) is None
    evening.deal(1)
    assert evening.key(YES) is None
    assert not evening.kinds()


@pytest.mark.clause("MO-5a")
def test_an_exposed_card_is_void_in_macau_it_lies_in_the_discard_and_another_is_due() -> None:
    evening = at_macau("players_closed")
    evening.deal(3)  # one burned, then 2 and 4
    named(evening, Slip.EXPOSED, 4)
    discard = evening.state.account.at(Place.DISCARD)
    settled(evening, Remedy.CARD_VOID)
    assert evening.state.account.at(Place.DISCARD) == discard + 1
    assert "next card: place 4, first, face down" in asked(evening)
    evening.deal(1)
    assert given(evening) == [2, 4]


@pytest.mark.clause("MO-5b")
def test_what_cannot_be_put_right_in_macau_makes_the_round_void_and_both_are_the_books() -> None:
    evening = at_macau("bank_second_late")
    evening.deal(4)
    named(evening, Slip.CARD_TOO_MANY, 4)
    assert "1 put right" in asked(evening)
    settled(evening, Remedy.ROUND_VOID)
    assert [one.clause for one in of_deal(evening, RoundVoided)] == ["MO-5b"]


@pytest.mark.clause("MO-5b")
def test_after_a_deal_that_is_void_in_macau_the_cards_go_back_and_nothing_is_shuffled_first() -> None:
    evening = at_macau("bank_second_late")
    evening.deal(4)
    named(evening, Slip.CARD_TOO_MANY, 4)
    settled(evening, Remedy.ROUND_VOID)
    assert evening.key(ROUND_OVER) is None
    evening.put_back()
    assert evening.reasons() == []
    assert evening.act(SUPERVISOR, Trigger.SHUFFLE_MACHINE) == "SB-9"


@pytest.mark.clause("MO-5b")
def test_once_the_round_is_over_nothing_of_it_can_be_put_right_and_the_book_has_it_void() -> None:
    evening = at_macau("bank_second_late")
    evening.deal(4)
    assert evening.key(ROUND_OVER) is None
    named(evening, Slip.SECOND_CARD_LEFT_OUT, 4)
    shown = asked(evening)
    assert "5 the round is void [MO-5b]" in shown
    assert "put right" not in shown
    for step in (Trigger.TAKE_REMEDY, Trigger.SIGN_DEVIATION):
        assert evening.act(SUPERVISOR, step, Remedy.PUT_RIGHT) == "MO-5b"
    settled(evening, Remedy.ROUND_VOID)


@pytest.mark.clause("PT-D2")
def test_a_banks_second_card_that_was_turned_goes_to_the_discard_and_another_is_drawn(evening: Evening) -> None:
    evening.deal(6)
    named(evening, Slip.BANK_SECOND_TURNED)
    assert "the bank's second card turned, the bank: 2 the card is void" in asked(evening)
    assert evening.act(SUPERVISOR, Trigger.TAKE_REMEDY, Remedy.STANDS) == "PT-D2"
    settled(evening, Remedy.CARD_VOID)
    assert "next card: the bank, second, face down" in asked(evening)
    assert evening.reasons() == []
    evening.deal(1)
    assert given(evening) == [2, 5, BANK, 2, 5, BANK]
    assert evening.reasons() == ["PT-D1"]


@pytest.mark.clause("PT-D4")
@pytest.mark.parametrize(
    ("slip", "remedy", "discarded"),
    [(Slip.UNWANTED_UNSEEN, Remedy.TO_THE_NEXT, 0), (Slip.UNWANTED_SEEN, Remedy.CARD_VOID, 1)],
)
def test_a_card_drawn_against_a_wish_goes_to_the_next_who_asks_or_seen_to_the_discard(
    evening: Evening, slip: Slip, remedy: Remedy, discarded: int
) -> None:
    evening.deal(6)
    assert evening.key(YES) is None
    evening.deal(1)
    named(evening, slip, 2)
    other = Remedy.CARD_VOID if remedy is Remedy.TO_THE_NEXT else Remedy.TO_THE_NEXT
    assert evening.act(SUPERVISOR, Trigger.TAKE_REMEDY, other) == "PT-D4"
    settled(evening, remedy)
    assert evening.state.account.at(Place.DISCARD) == discarded
    assert given(evening) == [2, 5, BANK, 2, 5, BANK]
    assert evening.state.deal is not None
    assert evening.state.deal.due == ()


@pytest.mark.clause("PT-D4")
def test_the_card_that_nobody_wanted_is_the_next_ones_who_asks_before_another_is_drawn(evening: Evening) -> None:
    evening.deal(6)
    assert evening.key(YES) is None
    evening.deal(1)
    named(evening, Slip.UNWANTED_UNSEEN, 2)
    settled(evening, Remedy.TO_THE_NEXT)
    assert "a card waits: it is the next one's who asks, else the bank's" in asked(evening)
    assert evening.key(YES) is None  # place 2 has finished
    assert "next card: place 5, 4th" in asked(evening)  # what waits is its third
    evening.deal(1)
    assert given(evening) == [2, 5, BANK, 2, 5, BANK, 5, 5]
    assert "waits" not in asked(evening)


@pytest.mark.clause("PT-D4")
def test_the_card_that_nobody_asked_for_is_the_banks(evening: Evening) -> None:
    evening.deal(6)
    assert evening.key(YES) is None
    evening.deal(1)
    named(evening, Slip.UNWANTED_UNSEEN, 2)
    settled(evening, Remedy.TO_THE_NEXT)
    for _ in (2, 5):
        assert evening.key(YES) is None
    evening.deal(1)
    assert given(evening) == [2, 5, BANK, 2, 5, BANK, BANK, BANK]


def test_a_slip_is_the_supervisors_to_name_in_a_round_and_to_remedy(evening: Evening) -> None:
    assert evening.act(SUPERVISOR, Trigger.NAME_SLIP, typed(Slip.EXPOSED, 2)) == "house.wrong_deal.remedy"
    evening.deal(2)
    assert evening.act(DEALER, Trigger.NAME_SLIP, typed(Slip.EXPOSED, 2)) == "house.wrong_deal.remedy"
    assert not evening.kinds()
    assert evening.act(SUPERVISOR, Trigger.NAME_SLIP, 9) == "house.wrong_deal.remedy"  # no slip has that number
    assert not evening.kinds()
    named(evening, Slip.EXPOSED, 2)
    assert evening.act(DEALER, Trigger.TAKE_REMEDY, Remedy.STANDS) == "house.wrong_deal.remedy"
    assert evening.kinds() == [IncidentKind.WRONG_DEAL]
    settled(evening, Remedy.STANDS)


def test_a_slip_that_was_named_wrongly_is_named_again(evening: Evening) -> None:
    evening.deal(4)
    named(evening, Slip.EXPOSED, 2)
    assert evening.act(SUPERVISOR, Trigger.NAME_SLIP, typed(Slip.BANK_SECOND_EARLY)) is None
    assert "the bank's second card too early" in asked(evening)
    settled(evening, Remedy.STANDS)
    assert given(evening) == [2, 5, BANK, BANK]
    assert "next card: place 2, second" in asked(evening)
    evening.deal(2)
    assert given(evening) == [2, 5, BANK, BANK, 2, 5]


def test_a_slip_is_told_in_the_last_events_with_its_deviation(evening: Evening) -> None:
    evening.deal(6)
    named(evening, Slip.BANK_SECOND_TURNED)
    assert evening.act(SUPERVISOR, Trigger.SIGN_DEVIATION, Remedy.STANDS) is None
    (logged,) = [one for one in evening.logged() if any(isinstance(it, d.RemedyTaken) for it in one.decision.changes)]
    told = describe(logged, 1, PORTUGAL)
    assert told is not None
    assert "incident 1: it stands as it lies; DEVIATION, signed by supervisor 201 [PT-D2]" in told


def test_a_slip_may_be_named_where_the_deal_is_not_followed() -> None:
    evening = Evening()
    evening.open_and_load()
    evening.deal(6)
    named(evening, Slip.BANK_SECOND_TURNED)
    settled(evening, Remedy.CARD_VOID)
    assert evening.state.account.at(Place.DISCARD) == 1


def test_a_restart_in_the_middle_of_a_deal_goes_on_where_it_was(evening: Evening) -> None:
    evening.deal(4)
    evening.table.start_controller()
    evening.table.run(5)
    assert given(evening) == [2, 5, BANK, 2]
    evening.deal(2)
    assert given(evening) == [2, 5, BANK, 2, 5, BANK]


@pytest.mark.clause("PT-D1")
def test_a_card_that_lay_at_the_mouth_with_the_last_of_the_first_ones_is_one_too_many(evening: Evening) -> None:
    evening.deal(4)
    evening.hands.faults.arm(Fault.DOUBLE_FEED)
    evening.deal(1)
    assert pulled_at_once(evening) == 2
    assert evening.kinds() == [IncidentKind.WRONG_DEAL]
    assert evening.state.incidents[1].detail == "a card came beyond the 6 that were due"
    assert given(evening) == [2, 5, BANK, 2, 5, BANK, 2]
    assert evening.act(SUPERVISOR, Trigger.NAME_SLIP, typed(Slip.CARD_TOO_MANY, 2)) is None
    assert evening.act(SUPERVISOR, Trigger.TAKE_REMEDY, Remedy.CARD_VOID) is None
    assert given(evening) == [2, 5, BANK, 2, 5, BANK]
    assert "PT-D1" in evening.reasons()  # he has not said yet that they lie


def pulled_at_once(evening: Evening) -> int:
    """Cards that come until none does, faster than the gate shuts."""
    came = 0
    for _ in range(60):
        came += evening.hands.pull_card() is not None
        evening.table.run(0.005)
    evening.table.run(0.2)
    return came


def test_a_round_may_be_over_when_its_first_cards_lie_without_another_word(evening: Evening) -> None:
    evening.deal(6)
    assert evening.key(ROUND_OVER) is None
    assert not evening.kinds()
    assert evening.state.deal is None


def test_a_slip_that_was_none_after_all_is_taken_back(evening: Evening) -> None:
    evening.deal(2)
    named(evening, Slip.EXPOSED, 2)
    assert evening.act(SUPERVISOR, Trigger.NAME_SLIP, Slip.NONE) is None
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) is None
    assert not evening.kinds()
