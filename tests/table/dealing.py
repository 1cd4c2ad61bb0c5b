"""Hands at a table whose deal is followed: the places marked, slips named and settled, and what the records hold."""

from __future__ import annotations

from typing import TypeVar

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.changes import Change
from firmware_bridge.core.deal import BANK
from firmware_bridge.core.slips import Remedy, Slip
from firmware_bridge.core.words import IncidentKind, Place, Trigger
from firmware_bridge.rulebooks import RuleBook, load_for_table
from sim_hardware.commands.stage import book_of
from tests.table.evening import SUPERVISOR, Evening, otherwise
from tests.table.told import asked

YES, ROUND_OVER = DealerKey.YES, DealerKey.ROUND_OVER
MACAU = load_for_table(book_of("macau"))
Kind = TypeVar("Kind", bound=Change)


def at(book: RuleBook, *places: int) -> Evening:
    """A table between rounds, with these places marked."""
    evening = Evening(decks=book.equipment.decks_allowed[0], book=book)
    evening.open_and_load()
    mark(evening, *places)
    return evening


def mark(evening: Evening, *places: int) -> None:
    """The dealer goes through the table's places."""
    assert evening.key(ROUND_OVER) is None
    for place in range(1, evening.table.config.book.equipment.places + 1):
        assert evening.key(YES if place in places else ROUND_OVER) is None


def at_macau(way: str, burn: bool = False) -> Evening:
    """A table in Macau with another deal, places 2 and 4 played at; a card is burned before its first round."""
    book = otherwise(otherwise(MACAU, "deal.procedure", way), "deal.bank_looks", False)
    book = otherwise(book, "house.unmarked_places", "all_in_play")
    evening = Evening(decks=book.equipment.decks_allowed[0], book=otherwise(book, "burn.before_bank_second_card", burn))
    evening.open_table()
    evening.show_and_mix()
    evening.load()
    mark(evening, 2, 4)
    return evening


def given(evening: Evening) -> list[int]:
    """Whose each card is that came, in order."""
    assert evening.state.deal is not None
    return [card.place for card in evening.state.deal.given]


def of_deal(evening: Evening, kind: type[Kind]) -> list[Kind]:
    """The changes of one kind, of all records."""
    return [one for logged in evening.logged() for one in logged.decision.changes if isinstance(one, kind)]


def typed(slip: Slip, place: int = BANK) -> int:
    """A slip as it is typed at the keypad."""
    return slip * 100 + place


def named(evening: Evening, slip: Slip, place: int = BANK) -> None:
    """The supervisor names a slip; it is the one alarm."""
    assert evening.act(SUPERVISOR, Trigger.NAME_SLIP, typed(slip, place)) is None
    assert evening.kinds() == [IncidentKind.WRONG_DEAL]


def settled(evening: Evening, remedy: Remedy) -> None:
    """What the book has for it is done, and confirmed."""
    assert evening.act(SUPERVISOR, Trigger.TAKE_REMEDY, remedy) is None
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 2 if remedy is Remedy.ROUND_VOID else 0) is None
    assert not evening.kinds()


def a_deal_that_is_void(book: RuleBook) -> object:
    """A card too many makes the round void, and its cards go back: why nothing is dealt then."""
    evening = Evening(book=book)
    evening.open_and_load()
    evening.deal(6)
    named(evening, Slip.CARD_TOO_MANY)
    settled(evening, Remedy.ROUND_VOID)
    assert evening.key(ROUND_OVER) is None
    evening.put_back()
    return evening.reasons()


def fourteen_cards(book: RuleBook) -> object:
    """A table of six places is dealt its first cards, one of seven two too few."""
    evening = Evening(book=book)
    evening.open_and_load()
    evening.deal(2 * 6 + 2)
    return evening.reasons(), asked(evening)


def the_bank_after_its_players(book: RuleBook) -> object:
    """All places are dealt to and finish without a card; one more comes, to the bank or to the discard."""
    evening = Evening(book=book)
    evening.open_and_load()
    evening.deal(2 * book.equipment.places + 1)
    for _ in range(book.equipment.places + 1):
        assert evening.key(YES) is None
    evening.deal(1)
    return evening.state.account.at(Place.DISCARD)
