"""The shoe that is filled by hand: how it was cut and filled, where its warning card belongs, when its last round came.

Cards *behind* the warning card are those that are still in the shoe when it comes out; burned cards count as dealt.
"""

from __future__ import annotations

from msgspec import Struct

from firmware_bridge.rulebooks.schema import RuleBook


class Shoe(Struct):
    """One filling of the shoe. What ends in *at* is a record's number; 0: not yet.

    ``in_turn``: how many players have cut, one after the other, since the right to cut began anew. ``one_player``: one
    alone was at the table when the warning card was placed. ``marked_at``: since when the round under way, or the next
    one, is the last; ``behind``: how many cards were behind the warning card when it came, None while it has not.
    ``stopped``: play stopped, and all cards are shown again before they are shuffled.
    """

    number: int = 0
    filled_at: int = 0
    cards: int = 0
    in_turn: int = 0
    one_player: bool = False
    marked_at: int = 0
    behind: int | None = None
    stopped: bool = False


class Span(Struct, frozen=True):
    """How many cards belong behind the warning card, at least and at most, and by how many a hand may err."""

    least: int
    most: int
    tolerance: int

    def holds(self, behind: int) -> bool:
        """Whether so many cards behind it are right, as near as a hand places a card."""
        return self.least - self.tolerance <= behind <= self.most + self.tolerance

    def is_past(self, left: int) -> bool:
        """Whether the card should have come by now: so few cards are left that it cannot lie before them any more."""
        return left < self.least - self.tolerance


def warning_card_is_used(book: RuleBook, decks: int) -> bool:
    """Whether a warning card goes into the shoe: where the book has one, and never with one deck (MO-2b)."""
    return book.warning_card.used and decks > 1


def middle_is_asked(book: RuleBook, decks: int) -> bool:
    """Whether the card lies elsewhere for a single player (PT-S4)."""
    return warning_card_is_used(book, decks) and book.warning_card.middle_for_one_player


def span(shoe: Shoe, book: RuleBook) -> Span:
    """Where the warning card of this filling belongs (PT-S4, MO-2b, GN-2)."""
    tolerance = book.house.warning_card_tolerance
    if shoe.one_player:
        return Span(shoe.cards // 2, shoe.cards - shoe.cards // 2, tolerance)
    return Span(book.warning_card.cards_behind_least, book.warning_card.cards_behind_most, tolerance)


def is_overdue(shoe: Shoe, book: RuleBook, decks: int, left: int) -> bool:
    """Whether the warning card has not come though it should have; the shoe is marked all the same (PT-S6)."""
    awaited = warning_card_is_used(book, decks) and shoe.marked_at == 0
    return awaited and span(shoe, book).is_past(left)
