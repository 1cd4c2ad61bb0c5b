"""A table that deals from a metal box, for tests: the dealer's keys beside it, and hands."""

from __future__ import annotations

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import Role, Session
from firmware_bridge.rulebooks import RuleBook
from sim_hardware.cards import Card
from sim_hardware.commands.stage import book_to_play
from sim_hardware.dealer_keys import SABOT_DEALER_KEYS
from sim_hardware.equipment import SHOE
from sim_hardware.hand_fed_table import HandFedFittings
from sim_hardware.registry import default_identities
from tests.table.evening import BACKS, Evening
from tests.table.hand_fed_evening import INSPECTOR, HandFedEvening

HOUSE = book_to_play("house_with_box")


class BoxEvening(HandFedEvening):
    """One table with one deck in a metal box, and the hands at it."""

    def __init__(self, seed: int = 1, book: RuleBook = HOUSE) -> None:
        keys = SABOT_DEALER_KEYS
        identities = {**default_identities(), SHOE: keys.identity}
        fittings = HandFedFittings(decks=1, backs=BACKS[:1], identities=identities, shoe=keys.built_as)
        drivers = {"shuffler": "", "shoe": "dealer_keys"}
        by_hand = {"fed_by_hand": True}
        Evening.__init__(self, 1, seed, fittings, book, drivers=drivers, cards=by_hand)  # type: ignore[arg-type]
        self.people[INSPECTOR] = ("577215", Role.TABLE_INSPECTOR)

    def key(self, key: DealerKey) -> str | None:
        """Press a key; the first event of a device that told none before comes when its heartbeat was heard."""
        before = len(self.refusals())
        self.hands.press_dealer_key(key)
        self.table.run(0.2)
        after = self.refusals()
        return after[-1][1] if len(after) > before else None

    def fill(self, behind: int | None = None) -> None:
        """All cards into the box; no warning card goes with them."""
        del behind
        self.lay_in(None)
        self.yes()

    def begin(self) -> None:
        """The dealer burns what is due, and says that the round begins."""
        self.hands.move(self.draw(self.to_burn), self.hands.discard)
        self.yes()
        assert self.session is Session.IN_ROUND

    def pull(self) -> Card:
        """Take the next card out of the box."""
        card = self.hands.pull_card()
        assert card is not None
        self.table.run(0.1)
        return card

    def play_round(self, cards: int = 9) -> None:
        """Begin a round, deal so many cards, and say that it is over."""
        self.begin()
        self.draw(cards)
        self.over()

    def count(self) -> None:
        """What is left in the box is laid to the rest, and the whole deck counted."""
        self.hands.move(self.hands.take_from_mouth(), self.hands.discard)
        self.yes()
