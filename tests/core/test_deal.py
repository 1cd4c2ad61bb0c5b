"""The order in which each book deals, and a deal that is followed by number, put right, and told open and closed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from firmware_bridge.core.deal import BANK, BURNED, DISCARD, Deal, Due, expected
from firmware_bridge.rulebooks import BOOKS, load_rulebook
from firmware_bridge.rulebooks.schema import Dealt, RuleBook

OPEN, CLOSED = True, False
ALL = {name: load_rulebook(name) for name in BOOKS}
WAYS: tuple[Dealt, ...] = ("players_closed", "bank_second_late", "hole_card")


def in_words(cards: Iterable[Due]) -> str:
    """The cards as one writes them: the place (B: bank, D: discard), with a stroke where it lies closed."""
    names = {BANK: "B", DISCARD: "D"}
    return " ".join(names.get(one.place, str(one.place)) + ("" if one.is_open else "'") for one in cards)


def dealt(way: Dealt, **values: object) -> RuleBook:
    """Macau's book in another of its deals."""
    book = ALL["macau"]
    burn = replace(book.burn, before_bank_second_card=values.pop("burn", False))
    return replace(book, deal=replace(book.deal, procedure=way, **values), burn=burn)


def begun(book: RuleBook, places: Iterable[int], cards: int = 0) -> Deal:
    order = expected(book, tuple(places))
    deal = Deal(tuple(sorted(places)), order.first, order.late)
    for _ in range(cards):
        deal.came()
    return deal


@pytest.mark.parametrize("name", ["portugal", "general", "spain", "macau"])
def test_with_a_hole_card_all_get_one_open_then_a_second_and_the_banks_is_closed(name: str) -> None:
    order = expected(ALL[name], (1, 3, 4))
    assert in_words(order.first) == "1 3 4 B 1 3 4 B'"
    assert order.late == ()


def test_the_live_bank_has_one_card_until_the_players_have_finished_and_all_lie_open() -> None:
    order = expected(ALL["live"], (1, 2))
    assert in_words(order.first) == "1 2 B 1 2"
    assert in_words(order.late) == "B"


@pytest.mark.parametrize(
    ("way", "first", "late"),
    [
        ("players_closed", "1' 2' B 1' 2'", "B"),
        ("bank_second_late", "1 2 B 1 2", "B"),
        ("hole_card", "1 2 B 1 2 B'", ""),
    ],
)
def test_macaus_three_deals(way: Dealt, first: str, late: str) -> None:
    order = expected(dealt(way), (2, 1))
    assert (in_words(order.first), in_words(order.late)) == (first, late)


@pytest.mark.clause("MO-5f")
@pytest.mark.parametrize(("closed", "first"), [("first", "1' 2' B 1 2 B'"), ("second", "1 2 B 1' 2' B'")])
def test_one_of_a_players_cards_may_be_dealt_closed_with_the_hole_card(closed: str, first: str) -> None:
    assert in_words(expected(dealt("hole_card", player_card_closed=closed), (1, 2)).first) == first


def test_a_card_is_burned_before_the_banks_late_second_and_before_no_other() -> None:
    assert in_words(expected(dealt("bank_second_late", burn=True), (1,)).late) == "D' B"
    assert expected(dealt("hole_card", burn=True), (1,)).late == ()


def test_after_the_first_cards_each_place_has_the_deal_until_it_has_finished_and_then_the_bank() -> None:
    deal = begun(dealt("bank_second_late", burn=True), (2, 5), cards=5)
    came = []
    for finished in (False, False, True, False, True, False, False, False):
        if finished:
            deal.finished()
        else:
            came.append(deal.next)
            deal.came()
    assert came == [Due(2, 3, True), Due(2, 4, True), Due(5, 3, True), BURNED, Due(BANK, 2, True), Due(BANK, 3, True)]


PLACES = st.sets(st.integers(1, 7), min_size=1)


@given(places=PLACES, way=st.sampled_from(WAYS), data=st.data())
def test_whatever_comes_each_card_is_one_that_was_due_and_none_is_due_twice(
    places: set[int], way: Dealt, data: st.DataObject
) -> None:
    deal = begun(dealt(way), places)
    order = expected(dealt(way), places)
    steps = data.draw(st.lists(st.booleans(), max_size=40))
    for finishes in steps:
        due = deal.next
        if finishes and not deal.due and deal.whose != BANK:
            deal.finished()
        else:
            deal.came()
            assert deal.given[-1] == due
    assert deal.given[: len(order.first)] == order.first[: len(deal.given)]
    assert len(set(deal.given)) == len(deal.given)
    assert (*deal.given, *deal.due)[: len(order.first)] == order.first
    places_after = [card.place for card in deal.given[len(order.first) :] if card.place != BANK]
    assert places_after == sorted(places_after)  # nobody has the deal again who has finished


def has(deal: Deal) -> Counter[int]:
    return Counter(card.place for card in deal.given)


@given(places=PLACES, way=st.sampled_from(WAYS), data=st.data())
def test_where_a_place_was_left_out_the_cards_lie_with_those_after_it_and_it_is_due_what_it_lacks(
    places: set[int], way: Dealt, data: st.DataObject
) -> None:
    order = expected(dealt(way), places).first
    missed = data.draw(st.sampled_from(order))
    really = [card for card in order if card != missed]
    came = data.draw(st.integers(order.index(missed) + 1, len(really)) if missed != order[-1] else st.just(len(really)))
    deal = begun(dealt(way), places, came)
    deal.left_out(missed.place, (missed.nth,))
    assert list(deal.given) == really[:came]  # as they lie on the table
    assert deal.next == missed
    while deal.due:
        deal.came()
    assert has(deal) == Counter(card.place for card in order)


@given(places=PLACES, way=st.sampled_from(WAYS), data=st.data())
def test_a_place_left_out_in_both_passes_is_due_both_its_cards(
    places: set[int], way: Dealt, data: st.DataObject
) -> None:
    order = expected(dealt(way), places).first
    place = data.draw(st.sampled_from(sorted(places)))
    really = [card for card in order if card.place != place]
    deal = begun(dealt(way), places, len(really))
    deal.left_out(place, (1, 2))
    assert list(deal.given) == really
    assert {Due(place, 1, order[order.index(deal.due[0])].is_open)} <= set(deal.due)
    while deal.due:
        deal.came()
    assert has(deal) == Counter(card.place for card in order)


def test_a_place_left_out_that_shows_only_after_more_cards_came_lacks_them_still() -> None:
    deal = begun(dealt("hole_card"), (1, 2, 3), cards=8)  # in truth: 1 3 B 1 3 B', then two for the first player
    deal.left_out(2, (1, 2))
    assert in_words(deal.given) == "1 3 B 1 3 B' 1 1"
    assert in_words(deal.due) == "2 2"


@given(places=PLACES, way=st.sampled_from(WAYS), data=st.data())
def test_a_void_card_that_was_due_is_due_again_and_one_that_was_asked_for_is_not(
    places: set[int], way: Dealt, data: st.DataObject
) -> None:
    first = expected(dealt(way), places).first
    came = data.draw(st.integers(1, len(first)))
    deal = begun(dealt(way), places, came)
    last = deal.given[-1]
    deal.taken_back(last.place)
    assert deal.next == last
    deal = begun(dealt(way), places, len(first) + 1)
    deal.taken_back(deal.given[-1].place)
    assert (deal.given, deal.due) == (first, ())


def test_a_banks_second_that_came_early_is_its_own_and_whoever_it_came_before_is_due_still() -> None:
    late = begun(dealt("bank_second_late", burn=True), (1, 2), cards=4)  # in truth 1 2 B 1, then the bank's
    late.came()
    late.came_early(BANK)
    assert (in_words(late.given), in_words(late.due), late.late) == ("1 2 B 1 B", "2", ())
    hole = begun(dealt("hole_card"), (1, 2), cards=4)
    hole.came_early(BANK)
    assert (in_words(hole.given), in_words(hole.due)) == ("1 2 B B'", "1 2")
