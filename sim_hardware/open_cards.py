"""The cards of a table that lie open, and those that nobody sees any more."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from sim_hardware.cards import Card
from sim_hardware.faults import Faults


class CannotDoError(Exception):
    """Hands cannot do this. Nothing has moved; the message says what to do instead."""


class OpenCards(ABC):
    """Places to which hands move cards; every card of a table is always in exactly one place."""

    def __init__(self, cards: list[Card], faults: Faults) -> None:
        self.faults = faults
        self.box = cards
        """The cards in their boxes; a new table has its whole set here."""
        self._whole = len(self.box)
        self.on_table: list[Card] = []
        self.discard: list[Card] = []
        self.set_aside: list[Card] = []
        self._well: list[Card] = []  # Under the table, where nobody sees them.
        self.stirs = 0
        """Grows whenever a sensor, a hand or a mishap may have changed something: else there is nothing new to see."""
        self.gone: list[Card] = []
        """Cards that left the table: in a pocket, in an envelope, with the sets that were replaced."""
        self.added = 0
        """Cards that somebody laid among the others unasked: where no sensor passed them, eyes alone tell them."""

    def all_cards(self) -> Iterator[Card]:
        """Every card there is, wherever it is; for checks that none is made or lost, not for players."""
        for place in (*self._open_places(), self._well):
            yield from place
        yield from self.hidden_cards()

    @abstractmethod
    def hidden_cards(self) -> Iterator[Card]:
        """Every card in a mechanism."""

    def bring(self, cards: Sequence[Card]) -> None:
        """Put cards that come to the table anew into the boxes: a sealed deck, a set."""
        self.box.extend(cards)
        self._whole = len(self.box)
        self.move([], self.box)

    def add(self, card: Card) -> None:
        """Lay one card more than the set has on the table."""
        self.added += 1
        self._lay_on_table([card])

    def carry_away(self, cards: Sequence[Card]) -> None:
        """Take cards that lie open away from the table for good."""
        self.gone.extend(self._pick_up(cards))

    def move(self, cards: Sequence[Card], to: list[Card]) -> None:
        """Move cards that lie open to another open place, for example ``table.discard``."""
        to.extend(self._pick_up(cards))
        if to is self.box and len(self.box) == self._whole:
            self.faults.begin_session()  # Between two sessions, and only then, the whole set is in its boxes.

    def find_lost(self) -> list[Card]:
        """Search the floor and the well under the table; what was there then lies on the table."""
        found = list(self._well)
        self._well.clear()
        return self._lay_on_table(found)

    def _open_places(self) -> tuple[list[Card], ...]:
        return self.box, self.on_table, self.discard, self.set_aside

    def _pick_up(self, picked: Sequence[Card]) -> list[Card]:
        cards = list(picked)  # what is picked may be one of the places itself
        wanted = {id(card) for card in cards}
        lying = sum(id(card) in wanted for place in self._open_places() for card in place)
        if len(wanted) != len(cards) or lying != len(cards):
            raise CannotDoError(f"not all of these {len(cards)} cards lie open: take them out first")
        for place in self._open_places():
            place[:] = [card for card in place if id(card) not in wanted]
        return cards

    def _lay_on_table(self, cards: list[Card]) -> list[Card]:
        self.on_table.extend(cards)
        self._settle()
        return cards

    @abstractmethod
    def _settle(self) -> None:
        """Let every device see what has changed."""
