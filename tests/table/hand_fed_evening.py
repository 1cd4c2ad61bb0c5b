"""A table whose shoe people fill, for tests: simulated devices, and hands that do one thing at a time."""

from __future__ import annotations

from drivers.cards import SPECIAL
from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import Place, Role, Session, Trigger
from firmware_bridge.rulebooks import RuleBook
from sim_hardware.cards import Card
from sim_hardware.hand_fed_table import HandFedFittings, HandFedTable
from sim_hardware.registry import default_identities
from tests.table.evening import BACKS, DEALER, PORTUGAL, SUPERVISOR, Evening

INSPECTOR = 501
USUAL = 50
"""Cards behind the warning card, where nothing else is said."""


class HandFedEvening(Evening):
    """One table without a shuffler, and the hands at it."""

    hands: HandFedTable  # type: ignore[assignment]

    def __init__(self, decks: int = 4, seed: int = 1, book: RuleBook = PORTUGAL, *, reads: bool = True) -> None:
        identities = default_identities(reads_faces=reads)
        fittings = HandFedFittings(decks=decks, backs=BACKS[:decks], identities=identities)
        by_hand = {"fed_by_hand": True}
        super().__init__(decks, seed, fittings, book, drivers={"shuffler": ""}, cards=by_hand)  # type: ignore[arg-type]
        self.people[INSPECTOR] = ("577215", Role.TABLE_INSPECTOR)

    def at(self, place: Place) -> int:
        """Cards at a place, by the books."""
        return self.state.account.at(place)

    def yes(self) -> None:
        """The dealer's YES, which is not refused."""
        assert self.key(DealerKey.YES) is None

    def open_table(self) -> None:
        assert self.act(SUPERVISOR, Trigger.OPEN_TABLE) is None
        assert self.act(DEALER, Trigger.SIGN_IN) is None

    def until_cut(self) -> None:
        """Shown, backs checked, mixed: as far as the book asks for it."""
        while self.session is not Session.CUTTING:
            self.yes()

    def cut(self) -> None:
        """The player whose right it is cuts."""
        self.yes()
        assert self.session is Session.FILLING_SHOE

    def lay_in(self, behind: int | None = USUAL, *, more: tuple[Card, ...] = ()) -> None:
        """The dealer lays all cards into the shoe, the warning card with so many behind it (None: he forgets it)."""
        cards = [card for card in (*self.hands.box, *self.hands.discard, *self.hands.on_table) if card.face != SPECIAL]
        self.rng.shuffle(cards)
        if behind is not None:
            cards.insert(len(cards) - behind, self.hands.warning_card)
        self.hands.fill_shoe([*cards, *more])

    def fill(self, behind: int | None = USUAL) -> None:
        """The warning card is placed for several players, and the shoe filled."""
        self.lay_in(behind)
        self.yes()
        self.table.run(1.0)

    def prepare(self, behind: int | None = USUAL) -> None:
        """All that comes before the first card of a shoe."""
        self.until_cut()
        self.cut()
        self.fill(behind)

    def open_and_load(self, behind: int | None = USUAL) -> None:
        self.open_table()
        self.prepare(behind)

    def pull(self) -> Card:
        """Pull until something comes; a special card is laid aside."""
        while (card := self.hands.pull_card()) is None:
            self.table.run(0.05)
            assert self.table.seconds < 10_000
        if card.face == SPECIAL:
            self.hands.move([card], self.hands.special_cards)
        self.table.run(0.1)
        return card

    def draw(self, cards: int) -> list[Card]:
        """Pull so many cards of the set; a special one that comes meanwhile does not count."""
        drawn: list[Card] = []
        while len(drawn) < cards:
            drawn += [card] if (card := self.pull()).face != SPECIAL else []
        return drawn

    @property
    def to_burn(self) -> int:
        """How many cards the book has burned before the next round."""
        burn = self.table.config.book.burn
        return int(burn.before_each_later_round) if self.state.round_of_shoe else burn.cards_with_shoe(self.state.decks)

    def play_round(self, cards: int = 9) -> None:
        """Burn where it is due, deal so many cards, and say that the round is over."""
        self.hands.move(self.draw(self.to_burn), self.hands.discard)
        self.draw(cards)
        self.over()

    def over(self) -> None:
        """The round is over, and its cards lie in the discard."""
        assert self.key(DealerKey.ROUND_OVER) is None
        self.hands.move(list(self.hands.on_table), self.hands.discard)

    def play_until(self, left: int) -> None:
        """Play rounds until so many cards are in the shoe, or its last round was played."""
        while (more := self.at(Place.SHOE) - left - self.to_burn) > 0 and self.session is Session.READY:
            self.play_round(min(20, more))

    def draw_out(self) -> None:
        """Draw what was not dealt, until the shoe is empty."""
        self.table.run(0.5)
        while self.at(Place.SHOE) > 0:
            self.hands.move(self.draw(1), self.hands.discard)
        while self.hands.shoe.mouth:  # a warning card that lay behind every card
            self.pull()

    def draw_what_comes(self) -> None:
        """Draw as long as cards come: something may hold them."""
        self.table.run(0.5)
        while (card := self.hands.pull_card()) is not None:
            self.hands.move([card] if card.face != SPECIAL else [], self.hands.discard)
            self.table.run(0.1)

    def end_shoe(self) -> None:
        """After the last round: all is drawn out, and said to be."""
        self.draw_out()
        self.yes()

    def unload(self) -> None:
        assert self.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
        assert self.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
        self.table.run(0.5)
        while self.hands.shoe.mouth:
            self.hands.pull_card()
            self.table.run(0.03)
            if self.session is Session.ASKING_UNLOAD_PRESENCE:
                assert self.act(SUPERVISOR, Trigger.CONFIRM_PRESENCE) is None
        self.hands.move([c for c in self.hands.on_table if c.face == SPECIAL], self.hands.special_cards)

    def close(self) -> None:
        self.unload()
        assert self.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
        self.verify()
