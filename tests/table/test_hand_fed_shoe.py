"""The warning card of a shoe that people fill, its last round and its burns, at and beside each limit (BR-022)."""

from __future__ import annotations

import msgspec
import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import IncidentKind, Place, Session, Trigger
from firmware_bridge.rulebooks import RuleBook, load_rulebook
from sim_hardware.commands.stage import book_to_play
from tests.table.evening import DEALER, PORTUGAL, SUPERVISOR, otherwise
from tests.table.hand_fed_evening import HandFedEvening
from tests.table.test_hand_fed_session import asked_of

MACAU = book_to_play("macau")
GENERAL = load_rulebook("general")
SPECIAL_CARD = IncidentKind.SPECIAL_CARD


def burning(burn: str, book: RuleBook = PORTUGAL) -> RuleBook:
    """The book with another number of cards burned before the first round of a shoe."""
    return otherwise(book, "burn.with_shoe", burn)


def played_to_the_card(evening: HandFedEvening, behind: int, before: int) -> None:
    """The shoe is filled, and played until the warning card lies behind so many cards; the table is between rounds."""
    evening.open_and_load(behind)
    evening.play_until(behind + before)
    assert (evening.session, evening.at(Place.SHOE)) == (Session.READY, behind + before)


@pytest.mark.field("BR-022")
@pytest.mark.clause("PT-S5", "PT-S6", "PT-S7", "MO-4a")
@pytest.mark.parametrize("burn", ["none", "one", "one_per_deck"])
@pytest.mark.parametrize("before", [0, 1, 2])
def test_the_round_in_which_the_card_comes_or_which_follows_it_is_the_last_and_no_other(burn: str, before: int) -> None:
    """The card comes as the last of a round, or as what comes first between two, or as the first of the round."""
    evening = HandFedEvening(book=burning(burn))
    played_to_the_card(evening, 50, 10 + before)
    evening.draw(10)
    if before == 0:
        evening.over()  # the card is next, and no round is under way
        assert evening.session is Session.READY
        evening.draw(1)  # it comes before the first card of the round, which is played
        assert evening.state.shoe.behind == 50
        assert evening.session is Session.IN_ROUND
    else:
        evening.draw(before)  # up to the card, which is not pulled
        assert evening.state.shoe.behind is None
        evening.pull()
        assert (evening.state.shoe.behind, evening.session) == (50, Session.IN_ROUND)
    assert evening.reasons() == []
    evening.draw(3)
    evening.over()
    assert evening.session is Session.EMPTYING_SHOE
    assert evening.hands.pull_card() is None or evening.at(Place.TABLE) == 0
    assert evening.kinds() == []


@pytest.mark.clause("PT-S7", "MO-2d", "GN-9")
def test_where_the_book_has_it_so_a_card_between_two_rounds_has_the_cards_shuffled_first() -> None:
    evening = HandFedEvening(book=otherwise(PORTUGAL, "last_round.warning_card_between_rounds", "shuffle_first"))
    played_to_the_card(evening, 50, 5)
    evening.draw(5)
    evening.over()
    evening.pull()
    assert evening.session is Session.EMPTYING_SHOE


@pytest.mark.clause("PT-S7")
def test_a_card_that_comes_at_once_lets_one_round_be_played_and_its_place_is_told() -> None:
    evening = HandFedEvening()
    evening.open_and_load(208)
    evening.play_round()  # it comes before the burn
    assert evening.session is Session.EMPTYING_SHOE
    assert evening.state.shoe.behind == 208
    assert evening.kinds() == [SPECIAL_CARD]


@pytest.mark.clause("PT-S5", "MO-4a")
@pytest.mark.parametrize(("burn", "cards"), [("none", 0), ("one", 1), ("one_per_deck", 4)])
def test_before_each_shoe_so_many_cards_are_burned_and_no_round_begins_before(burn: str, cards: int) -> None:
    evening = HandFedEvening(book=burning(burn))
    evening.open_and_load()
    for _ in range(2):
        for burned in range(cards):
            assert (evening.session, evening.at(Place.DISCARD)) == (Session.READY, burned)
            evening.draw(1)
        assert (evening.at(Place.DISCARD), evening.at(Place.TABLE)) == (cards, 0)
        evening.hands.move(list(evening.hands.on_table), evening.hands.discard)
        evening.draw(1)
        assert (evening.session, evening.at(Place.TABLE)) == (Session.IN_ROUND, 1)
        evening.over()
        assert evening.act(SUPERVISOR, Trigger.STOP_PLAY) is None
        evening.end_shoe()
        evening.prepare()


@pytest.mark.clause("MO-4b")
def test_one_card_is_burned_before_each_later_round_of_a_shoe_where_the_book_has_it() -> None:
    evening = HandFedEvening(book=otherwise(PORTUGAL, "burn.before_each_later_round", True))
    evening.open_and_load()
    evening.play_round(5)
    evening.draw(1)
    assert (evening.session, evening.at(Place.DISCARD)) == (Session.READY, 1 + 5 + 1)


# ---- where the card belongs


@pytest.mark.clause("PT-S4")
@pytest.mark.parametrize(
    ("behind", "is_right"), [(45, False), (46, True), (49, True), (50, True), (53, True), (54, False)]
)
def test_the_place_of_the_card_is_checked_when_it_is_read(behind: int, is_right: bool) -> None:
    evening = HandFedEvening()
    played_to_the_card(evening, behind, 8)
    evening.draw(8)
    evening.pull()
    assert evening.state.shoe.behind == behind
    assert evening.kinds() == ([] if is_right else [SPECIAL_CARD])  # at 45 it was overdue a card ago, and is told once
    assert evening.reasons() == []  # nobody is kept from finishing the round


@pytest.mark.clause("PT-S4")
@pytest.mark.parametrize(
    ("behind", "is_right"), [(50, False), (100, False), (101, True), (104, True), (107, True), (108, False)]
)
def test_for_a_single_player_the_card_belongs_in_the_middle(behind: int, is_right: bool) -> None:
    evening = HandFedEvening()
    evening.open_table()
    evening.until_cut()
    evening.cut()
    evening.lay_in(behind)
    assert evening.act(SUPERVISOR, Trigger.ONE_PLAYER) is None
    evening.play_until(behind + 5 if behind > 50 else 110)
    if behind > 50:
        evening.draw(5)
        evening.pull()
        assert evening.state.shoe.behind == behind
    else:
        evening.draw(10)
    assert (evening.kinds() == []) == is_right


@pytest.mark.clause("PT-S4")
def test_only_a_supervisor_says_that_one_player_is_there_and_only_where_it_matters() -> None:
    evening = HandFedEvening()
    evening.open_table()
    evening.until_cut()
    assert evening.act(SUPERVISOR, Trigger.ONE_PLAYER) == "PT-S4"  # not cut yet
    evening.cut()
    evening.lay_in()
    assert evening.act(DEALER, Trigger.ONE_PLAYER) == "PT-S4"
    assert evening.session is Session.FILLING_SHOE
    other = HandFedEvening(decks=6, book=MACAU)
    other.open_table()
    other.until_cut()
    other.cut()
    other.lay_in()
    assert other.act(SUPERVISOR, Trigger.ONE_PLAYER) == "house.warning_card.middle_for_one_player"


@pytest.mark.clause("PT-S4", "PT-S6")
@pytest.mark.field("BR-022")
def test_a_card_that_never_comes_is_missed_at_the_last_place_where_it_could_lie_and_that_round_is_the_last() -> None:
    evening = HandFedEvening()
    evening.open_and_load(None)
    evening.play_until(50)
    evening.draw(4)
    assert (evening.at(Place.SHOE), evening.kinds(), evening.state.shoe.marked_at) == (46, [], 0)
    evening.draw(1)
    assert evening.kinds() == [SPECIAL_CARD]
    assert evening.reasons() == []
    [announced] = [line for line in asked_of(evening, "dealer") if "announce" in line]
    assert "45 cards are left in the shoe: announce aloud that this round is the last of it" in announced
    assert not any("the warning card" in line for line in asked_of(evening, "dealer"))  # it neither came nor is out
    evening.over()
    assert evening.session is Session.EMPTYING_SHOE


@pytest.mark.clause("PT-S4")
def test_a_second_special_card_is_none_of_the_set_and_is_told() -> None:
    evening = HandFedEvening()
    evening.open_table()
    evening.until_cut()
    evening.cut()
    evening.lay_in(50, more=(evening.hands.cut_card,))
    evening.yes()
    evening.play_until(55)
    evening.draw(10)
    evening.over()
    evening.table.run(0.5)
    evening.hands.move(evening.draw(45), evening.hands.discard)
    assert evening.kinds() == []
    evening.pull()
    assert evening.kinds() == [SPECIAL_CARD]
    assert evening.at(Place.SHOE) == 0
    evening.yes()
    assert evening.session is Session.MIXING  # the books count cards of the set alone


@pytest.mark.clause("SB-2")
def test_a_misplaced_card_is_confirmed_by_a_supervisor_and_holds_nothing() -> None:
    evening = HandFedEvening()
    evening.open_and_load(80)
    evening.play_until(85)
    evening.draw(5)
    evening.pull()
    assert evening.kinds() == [SPECIAL_CARD]
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) is None
    assert evening.kinds() == []


@pytest.mark.clause("MO-2b", "MO-2d")
@pytest.mark.parametrize(("behind", "is_right"), [(27, True), (30, True), (104, True), (107, True), (108, False)])
def test_in_macau_thirty_cards_or_more_lie_behind_the_second_white_card(behind: int, is_right: bool) -> None:
    evening = HandFedEvening(decks=6, book=MACAU)
    evening.open_and_load(behind)
    evening.play_until(behind + 5)
    evening.draw(5)
    evening.pull()
    assert (evening.kinds() == []) == is_right
    assert any("take the warning card out" in line for line in asked_of(evening, "dealer"))
    evening.over()
    assert evening.session is Session.EMPTYING_SHOE


@pytest.mark.clause("GN-2", "GN-9")
@pytest.mark.parametrize(("behind", "is_right"), [(57, True), (60, True), (75, True), (78, True), (79, False)])
def test_in_the_general_game_sixty_to_seventy_five_cards_are_not_used(behind: int, is_right: bool) -> None:
    evening = HandFedEvening(decks=2, book=GENERAL)
    evening.open_table()
    evening.until_cut()
    assert any("a player whom you name" in line for line in asked_of(evening, "dealer"))
    evening.cut()
    evening.fill(behind)
    evening.play_until(behind + 5)
    evening.draw(5)
    evening.pull()
    assert (evening.kinds() == []) == is_right
    evening.over()
    assert evening.session is Session.EMPTYING_SHOE


@pytest.mark.clause("MO-2a")
def test_where_no_player_cuts_the_dealer_does_and_one_answer_says_so() -> None:
    evening = HandFedEvening(decks=6, book=MACAU)
    evening.open_table()
    evening.until_cut()
    assert any("if nobody wants to, cut yourself" in line for line in asked_of(evening, "dealer"))
    its_dealer = HandFedEvening(decks=6, book=otherwise(MACAU, "cut.by", "dealer"))
    its_dealer.open_table()
    its_dealer.until_cut()
    assert any("offer the cut to you; press YES" in line for line in asked_of(its_dealer, "dealer"))
    assert evening.act(SUPERVISOR, Trigger.CUT) == "MO-2a"
    evening.cut()


@pytest.mark.clause("PT-S6")
def test_the_last_round_is_asked_to_be_announced_in_its_moment() -> None:
    evening = HandFedEvening()
    played_to_the_card(evening, 50, 5)
    evening.draw(5)
    assert not any("announce" in line for line in asked_of(evening, "dealer"))
    evening.pull()
    assert any(
        "announce aloud that this round is the last of this shoe" in line for line in asked_of(evening, "dealer")
    )


# ---- a shoe without a mark, the dealer's wish, a shoe that runs dry


@pytest.mark.clause("MO-2e")
def test_one_deck_has_no_mark_and_is_shuffled_at_the_dealers_wish() -> None:
    allowed = msgspec.structs.replace(MACAU.equipment, decks_allowed=(1,))
    evening = HandFedEvening(decks=1, book=msgspec.structs.replace(MACAU, equipment=allowed))
    evening.open_and_load(None)
    assert evening.key(DealerKey.YES) is not None  # no round was played yet
    evening.play_round()
    evening.yes()
    assert evening.session is Session.EMPTYING_SHOE
    evening.end_shoe()
    assert evening.session is Session.MIXING
    assert evening.kinds() == []


@pytest.mark.clause("MO-2e")
def test_where_the_book_leaves_it_to_nobody_a_wish_is_refused() -> None:
    evening = HandFedEvening()
    evening.open_and_load()
    evening.play_round()
    assert evening.key(DealerKey.YES) == "SB-1"
    assert evening.session is Session.READY


def dry(evening: HandFedEvening, left: int = 4) -> None:
    """A round of a shoe without a mark comes to the last card."""
    evening.open_and_load(None)
    evening.play_until(left)
    evening.draw(left)


def without_mark() -> HandFedEvening:
    """A table of one deck, which has no mark of its last round."""
    allowed = msgspec.structs.replace(MACAU.equipment, decks_allowed=(1,))
    return HandFedEvening(decks=1, book=msgspec.structs.replace(MACAU, equipment=allowed))


@pytest.mark.field("BR-022")
@pytest.mark.clause("SB-2")
@pytest.mark.parametrize(("decision", "void"), [(1, False), (2, True)])
def test_a_round_that_comes_to_the_last_card_is_a_supervisors_to_settle(decision: int, void: bool) -> None:
    evening = without_mark()
    dry(evening)
    assert evening.kinds() == [IncidentKind.ROUND_CUT]
    assert evening.hands.pull_card() is None
    assert evening.act(SUPERVISOR, Trigger.DECIDE_ROUND, decision) is None
    assert bool(evening.state.round_void) == void
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 2 if void else 0) is None
    evening.over()
    assert evening.session is Session.EMPTYING_SHOE
    evening.yes()  # nothing is left to draw
    assert evening.session is Session.MIXING


@pytest.mark.field("BR-022")
def test_a_round_whose_first_card_is_the_last_of_the_shoe_is_cut_short_too() -> None:
    evening = without_mark()
    dry(evening, 1)
    assert evening.kinds() == [IncidentKind.ROUND_CUT]


@pytest.mark.clause("SB-1")
def test_between_two_rounds_an_empty_shoe_holds_and_is_filled_anew() -> None:
    book = otherwise(PORTUGAL, "warning_card.used", False)
    evening = HandFedEvening(book=otherwise(book, "burn.before_each_later_round", True))
    evening.open_and_load(None)
    evening.play_until(1)
    assert evening.at(Place.SHOE) == 1
    evening.draw(1)  # the last one is burned
    assert (evening.session, evening.reasons()) == (Session.READY, ["SB-1"])
    assert evening.act(SUPERVISOR, Trigger.SHUFFLE_MACHINE) is None
    evening.end_shoe()
    assert evening.session is Session.MIXING


@pytest.mark.clause("SB-7", "SB-9")
def test_nobody_ends_a_shoe_before_its_last_round_without_a_reason() -> None:
    evening = HandFedEvening()
    evening.open_and_load()
    evening.play_round()
    assert evening.act(SUPERVISOR, Trigger.SHUFFLE_MACHINE) == "SB-9"
    assert evening.session is Session.READY


@pytest.mark.clause("SB-1")
@pytest.mark.parametrize("after", [0.0, 0.05, 0.1, 0.2, 0.4])
def test_once_the_last_round_is_over_no_card_comes_before_what_was_not_dealt_is_released(after: float) -> None:
    """A card that the dealer pulls at once is none of the game: the release for it has ended with the round."""
    evening = HandFedEvening()
    evening.open_and_load()
    evening.play_until(60)
    evening.play_round(12)
    evening.table.run(after)
    evening.hands.move([evening.pull()], evening.hands.discard)
    evening.draw_out()
    assert evening.session is Session.EMPTYING_SHOE
    assert evening.kinds() == []
