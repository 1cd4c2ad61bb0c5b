"""What comes out otherwise at a shoe that people fill, by each value of the book that only such a table asks for."""

from __future__ import annotations

from collections.abc import Callable

from firmware_bridge.core.words import Place, Session, Trigger
from firmware_bridge.rulebooks import RuleBook
from tests.table.box_evening import HOUSE, BoxEvening
from tests.table.evening import SUPERVISOR, Run
from tests.table.hand_fed_evening import INSPECTOR, HandFedEvening
from tests.table.told import asked


def at_the_cut(book: RuleBook) -> HandFedEvening:
    evening = HandFedEvening(book=book)
    evening.open_table()
    evening.until_cut()
    return evening


def what_is_asked_at_the_cut(book: RuleBook) -> object:
    return asked(at_the_cut(book))


def nobody_wants_to_cut(book: RuleBook) -> object:
    return at_the_cut(book).act(INSPECTOR, Trigger.CUT)


def being_filled(book: RuleBook) -> HandFedEvening:
    evening = at_the_cut(book)
    evening.cut()
    return evening


def what_is_asked_as_it_is_filled(book: RuleBook) -> object:
    return asked(being_filled(book))


def one_player_is_there(book: RuleBook) -> object:
    evening = being_filled(book)
    evening.lay_in()
    return evening.act(SUPERVISOR, Trigger.ONE_PLAYER)


def a_first_card(book: RuleBook) -> object:
    evening = HandFedEvening(book=book)
    evening.open_and_load()
    evening.draw(1)
    return evening.session, evening.at(Place.DISCARD)


def the_card_comes(book: RuleBook, behind: int, more: int) -> HandFedEvening:
    """The warning card lies behind so many cards, and comes as the round has drawn all before it but ``more``."""
    evening = HandFedEvening(book=book)
    evening.open_and_load(behind)
    evening.play_until(behind + more)
    assert evening.session is Session.READY
    evening.draw(more)
    return evening


def the_card_with(behind: int) -> Callable[[RuleBook], object]:
    """What is raised when the card comes with so many cards behind it."""

    def plays(book: RuleBook) -> object:
        evening = the_card_comes(book, behind, 5)
        evening.pull()
        return evening.kinds()

    return plays


def what_is_asked_when_it_came(book: RuleBook) -> object:
    evening = the_card_comes(book, 50, 5)
    evening.pull()
    return asked(evening)


def it_comes_between_two_rounds(book: RuleBook) -> object:
    evening = the_card_comes(book, 50, 5)
    evening.over()
    evening.pull()
    return evening.session


def play_stops(book: RuleBook) -> object:
    evening = HandFedEvening(book=book)
    evening.open_and_load()
    evening.play_round()
    return evening.act(SUPERVISOR, Trigger.STOP_PLAY)


def a_round_from_the_box(book: RuleBook) -> object:
    evening = BoxEvening(book=book)
    evening.open_and_load(None)
    evening.begin()
    return asked(evening)


BY_HAND = (
    Run("shuffle.each_round_with_metal_box", False, a_round_from_the_box, HOUSE),
    Run("cut.by", "dealer", what_is_asked_at_the_cut),
    Run("cut.if_nobody_wants", "dealer", nobody_wants_to_cut),
    Run("warning_card.used", False, what_is_asked_as_it_is_filled),
    Run("warning_card.cards_behind_least", 40, the_card_with(42)),
    Run("warning_card.cards_behind_most", 60, the_card_with(58)),
    Run("warning_card.middle_for_one_player", False, one_player_is_there),
    Run("warning_card.taken_out", False, what_is_asked_when_it_came),
    Run("house.warning_card_tolerance", 20, the_card_with(62)),
    Run("last_round.announced_with_shoe", False, what_is_asked_when_it_came),
    Run("last_round.warning_card_between_rounds", "shuffle_first", it_comes_between_two_rounds),
    Run("burn.with_shoe", "none", a_first_card),
    Run("shuffle.when_play_stops", False, play_stops),
)
"""Each value, another one, and the deeds that come out otherwise with it."""
