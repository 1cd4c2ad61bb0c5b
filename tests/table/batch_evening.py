"""A table with a batch shuffler for tests: the product on simulated devices, and hands that do one thing at a time."""

from __future__ import annotations

from typing import Any

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import FIRST, Course, Incident, Place, Session, Trigger
from firmware_bridge.rulebooks import RuleBook
from sim_hardware.batch_mechanics import QUICK_SHELVES, Build
from sim_hardware.batch_table import BatchFittings
from sim_hardware.cards import Card
from sim_hardware.commands.stage import book_to_play
from tests.table.evening import BACKS, DEALER, SUPERVISOR, Evening

HOUSE = book_to_play("house_with_batch")
DECKS = 2
SLOW = Build(card=0.03, compartment=0.05, hand_over=0.1)
"""A machine whose cycle lasts long enough for something to happen in it."""


class BatchEvening(Evening):
    """One table with a batch shuffler and one set, and the hands at it."""

    def __init__(
        self,
        decks: int = DECKS,
        seed: int = 1,
        fittings: Any = None,
        driver: str = "batch_shuffler",
        build: Build = QUICK_SHELVES,
        book: RuleBook = HOUSE,
        backs: tuple[str, ...] = (),
        second_backs: tuple[str, ...] = (),
    ) -> None:
        backs = backs or BACKS[:decks]
        all_backs = backs + second_backs
        fittings = fittings or BatchFittings(decks=len(all_backs), backs=all_backs, build=build)
        cards = {"backs": backs, "second_backs": second_backs}
        super().__init__(decks, seed, fittings, book, drivers={"shuffler": driver}, cards=cards)

    @property
    def course(self) -> Course:
        return self.state.course(self.state.playing)

    def at(self, place: Place) -> int:
        return self.state.account.at(place)

    def open_table(self) -> None:
        assert self.act(SUPERVISOR, Trigger.OPEN_TABLE) is None
        assert self.act(DEALER, Trigger.SIGN_IN) is None
        while self.session is not Session.READY:
            assert self.key(DealerKey.YES) is None

    def cards_in_hands(self) -> list[Card]:
        """All that lie open, the box first."""
        return [*self.hands.box, *self.hands.discard, *self.hands.on_table]

    def lay_in(self) -> None:
        """The dealer lays all cards that lie open in the machine's tray."""
        self.hands.put_in_intake_tray(self.cards_in_hands())
        self.table.run(0.3)

    def shuffle(self) -> str | None:
        """The supervisor has the set shuffled; return the clause that refused it, if one did."""
        return self.act(SUPERVISOR, Trigger.SHUFFLE_SET)

    def until(self, course: Course, seconds: float = 60) -> None:
        assert self.table.run(seconds, lambda: self.course is course), self.course

    def load(self) -> None:
        self.lay_in()
        assert self.shuffle() is None
        self.until(Course.IN_SHOE)
        self.table.run(1.0)

    def open_and_load(self) -> None:
        self.open_table()
        self.load()

    def play_round(self, cards: int = 9) -> None:
        self.deal(cards)
        assert self.key(DealerKey.ROUND_OVER) is None
        self.hands.move(list(self.hands.on_table), self.hands.discard)

    def take_out_of_shoe(self) -> None:
        """The set is taken out: what was not dealt is drawn, card by card."""
        assert self.act(SUPERVISOR, Trigger.TAKE_SET_OUT) is None
        self.table.run(1.0)
        while self.course is not Course.OUT:
            self.hands.pull_card()
            self.table.run(0.05)
            assert self.table.seconds < 10_000

    def take_out_of_machine(self) -> None:
        """The set is taken out at the machine's door; it then lies on the table."""
        assert self.act(SUPERVISOR, Trigger.TAKE_SET_OUT) is None
        self.until(Course.OUT)
        self.hands.move(self.hands.take_from_door(), self.hands.discard)

    def shuffle_anew(self) -> None:
        """The set is taken out of machine and tray, laid in again and shuffled whole, and play may go on."""
        self.take_out_of_machine()
        self.hands.move(self.hands.take_from_intake_tray(), self.hands.discard)
        self.lay_in()
        assert self.shuffle() is None
        self.until(Course.SHUFFLED)
        assert all(one.state is Incident.CLEARED for one in self.state.incidents.values())
        self.confirm_all()
        self.until(Course.IN_SHOE)

    def begin_cycle(self) -> None:
        """The set is laid in, and its cycle has begun."""
        self.lay_in()
        assert self.shuffle() is None
        self.until(Course.IN_CYCLE)


class TwoSets(BatchEvening):
    """A table with a red and a blue set. ``strays`` lie with the set that is not theirs."""

    def __init__(self, decks: int = DECKS, seed: int = 1, build: Build = QUICK_SHELVES) -> None:
        self.strays: list[Card] = []
        super().__init__(decks, seed, build=build, backs=("red",) * decks, second_backs=("blue",) * decks)

    def of_set(self, back: str) -> list[Card]:
        """The cards that hands take for those of the set of this colour."""
        lying = self.cards_in_hands()
        return [card for card in lying if (card.back == back) != any(card is one for one in self.strays)]

    def lay_in_set(self, back: str) -> None:
        self.hands.put_in_intake_tray(self.of_set(back))
        self.table.run(0.3)

    def shuffle_set(self, name: str) -> None:
        """A set is laid in, and its shuffle begins."""
        self.lay_in_set({"1": "red", "2": "blue"}[name])
        assert self.act(SUPERVISOR, Trigger.SHUFFLE_SET, int(name)) is None

    def until_at(self, name: str, course: Course, seconds: float = 60) -> None:
        there = self.table.run(seconds, lambda: self.state.course(name) is course)
        assert there, (name, self.state.course(name))

    def load(self) -> None:
        """The red set goes into the shoe; the blue one stays in its box."""
        self.shuffle_set(FIRST)
        self.until_at(FIRST, Course.IN_SHOE)

    def take_out(self, name: str) -> None:
        """The set is taken out of the shoe: what was not dealt is drawn to the discard."""
        assert self.act(SUPERVISOR, Trigger.TAKE_SET_OUT, int(name)) is None
        self.table.run(1.0)
        while self.state.course(name) is not Course.OUT:
            self.hands.pull_card()
            self.table.run(0.05)
            assert self.table.seconds < 10_000
        self.hands.move(list(self.hands.on_table), self.hands.discard)

    def take_out_of_machine_set(self, name: str) -> None:
        """The set is taken out at the machine's door."""
        assert self.act(SUPERVISOR, Trigger.TAKE_SET_OUT, int(name)) is None
        self.until_at(name, Course.OUT)
        self.hands.move(self.hands.take_from_door(), self.hands.discard)

    def sort(self) -> dict[str, list[Card]]:
        """The dealer sorts both sets deck by deck; what came out at the door is among them."""
        self.hands.take_from_door()
        piles: dict[str, list[Card]] = {}
        for card in sorted(self.cards_in_hands(), key=lambda card: (card.deck, card.face)):
            piles.setdefault(f"{card.deck}", []).append(card)
        assert self.key(DealerKey.YES) is None
        return piles

    def close_with_a_card_crossed(self) -> list[list[Card]]:
        """The table closes and every deck is read, a card of each set in a deck of the other; return the decks."""
        self.unload()
        self.look()
        piles = list(self.sort().values())
        piles[0][5], piles[2][9] = piles[2][9], piles[0][5]
        for cards in piles:
            self.read_deck(cards)
        return piles


def force_the_lid(evening: BatchEvening) -> None:
    evening.hands.blink_lid()


def cut_its_power(evening: BatchEvening) -> None:
    evening.hands.reboot("shuffler")
