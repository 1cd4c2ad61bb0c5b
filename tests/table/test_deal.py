"""A deal that is followed at the table: the places marked, and each card where it is due."""

from __future__ import annotations

import pytest

from firmware_bridge.core.deal import BANK, Due, Layout
from firmware_bridge.core.words import Dealing, Place, Session, Trigger
from firmware_bridge.rulebooks import load_rulebook
from tests.table.dealing import ROUND_OVER, YES, at, at_macau, given, mark
from tests.table.evening import PORTUGAL, SUPERVISOR, Evening, otherwise
from tests.table.told import asked, screen

PLACES = PORTUGAL.equipment.places


HOLE = [(2, 1, True), (4, 1, True), (BANK, 1, True), (2, 2, True), (4, 2, True), (BANK, 2, False)]


@pytest.fixture
def evening() -> Evening:
    """Two of seven places are played at, in Portugal."""
    return at(PORTUGAL, 2, 5)


# ---- the places


def test_a_dealer_who_marks_nothing_is_not_followed_and_deals_as_ever() -> None:
    evening = Evening()
    evening.open_and_load()
    evening.deal(9)
    assert (evening.state.dealing, evening.state.deal) == (Dealing.NOT_FOLLOWED, None)
    assert evening.reasons() == []
    assert not [line for line in asked(evening).splitlines() if "next card" in line]


def test_where_the_house_takes_unmarked_places_for_played_all_are(evening: Evening) -> None:
    del evening
    full = Evening(book=otherwise(PORTUGAL, "house.unmarked_places", "all_in_play"))
    full.open_and_load()
    full.deal(9)
    assert given(full) == [1, 2, 3, 4, 5, 6, 7, BANK, 1]


def test_the_places_are_marked_one_by_one_and_stand_until_they_are_marked_anew(evening: Evening) -> None:
    assert evening.state.layout.in_play == (2, 5)
    evening.play_round(6)
    evening.deal(6)
    assert given(evening) == [2, 5, BANK, 2, 5, BANK]
    assert evening.key(ROUND_OVER) is None
    evening.put_back()
    mark(evening, 1)
    evening.deal(4)
    assert given(evening) == [1, BANK, 1, BANK]


def test_marks_that_are_not_made_to_the_end_are_none(evening: Evening) -> None:
    assert evening.key(ROUND_OVER) is None
    assert evening.key(YES) is None
    assert "press YES if place 2 is in play" in asked(evening)
    evening.deal(1)
    assert evening.state.layout.in_play == (2, 5)
    assert given(evening) == [2]


def test_whoever_deals_before_all_places_are_marked_for_the_first_time_is_not_followed() -> None:
    evening = Evening()
    evening.open_and_load()
    assert evening.key(ROUND_OVER) is None
    evening.deal(2)
    assert (evening.state.dealing, evening.state.deal) == (Dealing.NOT_FOLLOWED, None)


def test_with_none_marked_the_deal_is_not_followed_any_more(evening: Evening) -> None:
    mark(evening)
    evening.deal(5)
    assert evening.state.deal is None


def test_each_place_and_each_turn_is_a_question_of_its_own_which_a_key_pressed_before_does_not_answer(
    evening: Evening,
) -> None:
    prompts = [evening.state.prompt]
    for key in (ROUND_OVER, *[YES] * PLACES):
        assert evening.key(key) is None
        prompts.append(evening.state.prompt)
    evening.deal(2 * PLACES + 2)
    for _ in range(PLACES + 1):
        assert evening.key(YES) is None
        prompts.append(evening.state.prompt)
    assert len(set(prompts)) == len(prompts)


def test_no_places_are_marked_while_dealing_is_held(evening: Evening) -> None:
    evening.table.unplug("lamp")
    evening.table.run(1)
    assert evening.key(ROUND_OVER) == "SB-1"
    assert "mark the places" not in asked(evening)
    assert evening.state.dealing is Dealing.NOT_FOLLOWED


def test_marks_are_of_the_session_and_those_that_were_not_made_to_the_end_too(evening: Evening) -> None:
    assert evening.key(ROUND_OVER) is None
    assert evening.key(YES) is None
    evening.close()
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) is None
    assert (evening.state.dealing, evening.state.layout) == (Dealing.NOT_FOLLOWED, Layout())


# ---- each card where it is due


@pytest.mark.clause("PT-D1")
def test_in_portugal_each_place_and_the_bank_get_one_then_a_second_the_banks_face_down(evening: Evening) -> None:
    seen = []
    for _ in range(6):
        seen += [line.partition("next card: ")[2] for line in asked(evening).splitlines() if "next card: " in line]
        evening.deal(1)
    assert seen == [  # the first one begins the round: until then nothing is followed
        "place 5, first, open",
        "the bank, first, open",
        "place 2, second, open",
        "place 5, second, open",
        "the bank, second, face down",
    ]
    assert given(evening) == [2, 5, BANK, 2, 5, BANK]


@pytest.mark.clause("PT-D1")
def test_no_card_comes_after_the_first_ones_until_the_dealer_says_that_they_lie(evening: Evening) -> None:
    evening.deal(6)
    assert evening.reasons() == ["PT-D1"]
    (reason,) = screen(evening).reasons
    assert reason == "the first cards have come: the dealer says whether they lie as they are due [PT-D1]"
    assert evening.hands.pull_card() is None
    assert evening.key(YES) is None
    assert evening.reasons() == []


@pytest.mark.clause("GN-3")
def test_the_general_game_deals_so_too() -> None:
    evening = at(load_rulebook("general"), 1, 3)
    evening.deal(6)
    assert given(evening) == [1, 3, BANK, 1, 3, BANK]
    assert evening.state.deal is not None
    assert evening.state.deal.given[-1] == Due(BANK, 2, False)
    assert evening.reasons() == ["PT-D1"]


@pytest.mark.clause("LD-2")
def test_a_live_dealers_bank_has_one_card_until_all_players_have_finished() -> None:
    evening = at(load_rulebook("live"), 1, 2)
    evening.deal(5)
    assert evening.reasons() == ["PT-D1"]
    assert evening.key(YES) is None
    evening.deal(1)
    assert evening.key(YES) is None  # place 1 has finished
    assert evening.key(YES) is None  # and place 2, without a card
    evening.deal(1)
    assert given(evening) == [1, 2, BANK, 1, 2, 1, BANK]


@pytest.mark.clause("MO-5a")
@pytest.mark.clause("MO-5c")
@pytest.mark.clause("MO-5d")
@pytest.mark.clause("MO-5e")
@pytest.mark.parametrize(
    ("way", "first", "late"),
    [
        ("players_closed", [(2, 1, False), (4, 1, False), (BANK, 1, True), (2, 2, False), (4, 2, False)], True),
        ("bank_second_late", [(2, 1, True), (4, 1, True), (BANK, 1, True), (2, 2, True), (4, 2, True)], True),
        ("hole_card", HOLE, False),
    ],
)
def test_macaus_three_deals_from_the_left_one_card_at_a_time(
    way: str, first: list[tuple[int, int, bool]], late: bool
) -> None:
    evening = at_macau(way)
    evening.deal(1)  # burned before the first round
    evening.deal(len(first))
    assert evening.reasons() == ["PT-D1"]
    for _ in range(3):
        assert evening.key(YES) is None  # they lie; each place has finished
    evening.deal(1)
    last = (BANK, 2, True) if late else (BANK, 3, True)
    assert evening.state.deal is not None
    assert evening.state.deal.given == tuple(Due(*one) for one in [*first, last])


@pytest.mark.clause("MO-4b")
def test_in_macau_a_card_is_burned_before_the_banks_second_and_none_before_a_later_round_for_it() -> None:
    evening = at_macau("bank_second_late", burn=True)
    evening.deal(6)  # one burned, then five
    for _ in range(3):
        assert evening.key(YES) is None
    burned = evening.state.account.at(Place.DISCARD)
    assert "burn it before the bank's second" in asked(evening)
    evening.deal(1)
    assert evening.state.account.at(Place.DISCARD) == burned + 1
    assert "next card: the bank, second, open" in asked(evening)
    evening.deal(1)
    assert given(evening)[-2:] == [-1, BANK]
    assert evening.state.account.at(Place.TABLE) == 6
    assert evening.key(ROUND_OVER) is None
    assert evening.state.burned == 0


def test_each_place_has_the_deal_until_it_has_finished_and_the_bank_until_the_round_is_over(evening: Evening) -> None:
    evening.deal(6)
    assert evening.key(YES) is None
    evening.deal(2)
    assert "press YES when place 2 has finished" in asked(evening)
    assert evening.key(YES) is None
    assert evening.key(YES) is None
    assert evening.key(YES) == "PT-D1"  # the bank's turn ends with the round
    evening.deal(1)
    assert given(evening)[6:] == [2, 2, BANK]
    assert evening.key(ROUND_OVER) is None
    assert (evening.session, evening.state.dealing, evening.state.deal) == (
        Session.RETURNING,
        Dealing.NOT_FOLLOWED,
        None,
    )
