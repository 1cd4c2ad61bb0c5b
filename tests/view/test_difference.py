"""A difference is told card by card, with the last good count and every round since."""

from __future__ import annotations

import msgspec
import pytest

from drivers.cards import ALL_FACES, UNREAD, Face, face_of
from firmware_bridge.core import changes as c
from firmware_bridge.core.words import Place, Session
from firmware_bridge.view import deck_words, difference
from firmware_bridge.view.difference import NAMED_AT_MOST, set_difference
from tests.view.states import BEGAN, LOADED, at, booked, moved, state_of

SEVEN_OF_HEARTS, NINE_OF_CLUBS = face_of(7, 2), face_of(9, 0)


def judged(deck: int, missing: tuple[Face, ...] = (), over: tuple[Face, ...] = (), cards: int = 52) -> c.DeckJudged:
    return c.DeckJudged(deck, cards, missing, over, 0, by_person=False)


@pytest.mark.clause("PT-A6", "SB-7")
def test_a_wrong_deck_is_told_with_the_last_good_count_and_each_round_since() -> None:
    state = state_of(
        LOADED,
        [moved(Session.READY)],
        [c.RoundBegan()],
        [c.RoundBegan()],
        [judged(1), judged(2, (NINE_OF_CLUBS,), (SEVEN_OF_HEARTS,)), moved(Session.AWAITING_DECK)],
    )
    assert difference(state) == (
        "deck 2: 7 of hearts twice, 9 of clubs missing",
        "last good count: record 2 at 04:00:02Z, 208 cards; rounds since: 1 (04:00:04Z), 2 (04:00:05Z)",
    )


def test_a_good_count_later_leaves_only_the_rounds_after_it() -> None:
    state = state_of(LOADED, [c.RoundBegan()], [c.FullCount(208, 208)], [c.RoundBegan()], [judged(1, (NINE_OF_CLUBS,))])
    assert difference(state)[-1].endswith("rounds since: 2 (04:00:05Z)")


@pytest.mark.clause("PT-A6")
def test_two_cards_swapped_between_decks_are_told_as_such() -> None:
    state = at(
        Session.DIFFERENCE,
        judged(1, (SEVEN_OF_HEARTS,), (NINE_OF_CLUBS,)),
        judged(2, (NINE_OF_CLUBS,), (SEVEN_OF_HEARTS,)),
        judged(3),
        judged(4),
    )
    lines = difference(state)
    assert lines[:2] == (
        "deck 1: 9 of clubs twice, 7 of hearts missing",
        "deck 2: 7 of hearts twice, 9 of clubs missing",
    )
    assert "the set as a whole has all its faces" in lines[2]


@pytest.mark.clause("PT-A6")
def test_a_card_lost_and_decks_never_read_are_named() -> None:
    short = at(Session.DIFFERENCE, judged(1), judged(2), judged(3), judged(4, (NINE_OF_CLUBS,), cards=51))
    assert "deck 4: 9 of clubs missing, 51 cards read" in difference(short)
    assert "207 of 208 cards verified" in difference(short)
    assert "the whole set lacks 9 of clubs" in difference(short)
    unread = at(Session.DIFFERENCE, judged(1), judged(2), judged(3))
    assert "deck 4: not read: no cards were left" in difference(unread)


@pytest.mark.clause("PT-A6", "SB-6")
@pytest.mark.parametrize(
    ("deck", "lacks"),
    [
        (judged(3, (NINE_OF_CLUBS,), cards=51), ["the whole set lacks 9 of clubs"]),
        (c.DeckJudged(3, 52, (NINE_OF_CLUBS,), (), 1, by_person=False), []),
        (c.DeckJudged(3, 51, (), (), 0, by_person=True), []),
    ],
)
def test_what_one_of_two_sets_lacks_is_said_only_where_every_card_of_it_was_read(
    deck: c.DeckJudged, lacks: list[str]
) -> None:
    two = msgspec.structs.replace(BEGAN, decks=2, backs=("red", "red"), second_backs=("blue", "blue"))
    decks = [judged(1), judged(2), deck, judged(4)]
    state = state_of([two, c.SessionBegan(201, 104)], [*decks, moved(Session.DIFFERENCE)])
    assert set_difference(state, 0) == ()
    told = set_difference(state, 1)
    assert told[0].startswith("deck 3: ")
    assert [line for line in told if "the whole set" in line] == lacks


def test_a_deck_confirmed_by_eye_says_so_and_a_regular_one_is_no_difference() -> None:
    assert deck_words(c.DeckJudged(3, 52, (), (), 0, by_person=True)) == (
        "deck 3: 52 cards, counted by a person, not read"
    )
    assert deck_words(judged(3)) == "deck 3: regular, 52 cards"
    assert difference(at(Session.ALL_REGULAR, judged(1), booked(Place.MACHINE, Place.VERIFIED, 52))) == ()


def wrong_load(session: Session, loaded: int, *read: Face) -> tuple[str, ...]:
    """What is told of a load of so many cards, of which these were read as they came out."""
    booked_out = [booked(Place.SHOE, Place.UNLOADED, 1, "unloading", face) for face in read]
    load = [c.SessionBegan(201, 208), booked(Place.OUTSIDE, Place.MACHINE, loaded, "loading")]
    return difference(state_of([*load, booked(Place.MACHINE, Place.SHOE, loaded, "fed"), *booked_out, moved(session)]))


@pytest.mark.clause("PT-E2")
def test_which_cards_a_wrong_load_lacks_is_told_only_once_all_are_out_and_each_was_read() -> None:
    count, all_but_one = "207 of 208 cards were loaded", [face for _ in range(4) for face in ALL_FACES][1:]
    assert wrong_load(Session.UNLOADING, 207, *all_but_one) == (count,), "their faces are seen as they come out"
    unread = (UNREAD, *all_but_one[1:])
    assert wrong_load(Session.EMPTIED, 207, *unread) == (
        count,
        "not every card was read as it came out: which one it is, sorting by hand tells",
    )


@pytest.mark.clause("PT-E2")
def test_of_a_load_that_was_broken_off_the_cards_in_their_boxes_are_not_named() -> None:
    faces = [face for _ in range(4) for face in ALL_FACES]
    assert len(wrong_load(Session.EMPTIED, 208 - NAMED_AT_MOST, *faces[NAMED_AT_MOST:])) == 2
    more = NAMED_AT_MOST + 1
    assert wrong_load(Session.EMPTIED, 208 - more, *faces[more:]) == (f"{208 - more} of 208 cards were loaded",)
