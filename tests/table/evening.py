"""A table for tests: the product on simulated devices and a stepped clock, with hands that do one thing at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from drivers.protocol.messages import DealerKey, Key
from firmware_bridge.core.outputs import why_not_deal
from firmware_bridge.core.records import Logged
from firmware_bridge.core.state import State
from firmware_bridge.core.steps import STEPS, typed_with
from firmware_bridge.core.words import IncidentKind, Role, Session, Trigger
from firmware_bridge.rulebooks import RuleBook, load_rulebook
from firmware_bridge.service.config import Config, Device, Log, Table, Time
from sim_hardware.cards import Card
from sim_hardware.commands.stepped import SteppedTable
from sim_hardware.mechanics import QUICK, compartments_for
from sim_hardware.table import Fittings

PEOPLE: dict[int, tuple[str, Role]] = {
    101: ("271828", Role.DEALER),
    102: ("314159", Role.DEALER),
    201: ("161803", Role.SUPERVISOR),
    202: ("141421", Role.SUPERVISOR),
    301: ("173205", Role.ROOM_MANAGER),
    401: ("223606", Role.TECHNICIAN),
}
DEALER, SUPERVISOR, ROOM_MANAGER, TECHNICIAN = 101, 201, 301, 401
BACKS = ("red", "blue", "green", "black", "brown", "violet", "grey", "white")
PORTUGAL = load_rulebook("portugal")


DRIVERS = {"shuffler": "continuous_shuffler", "shoe": "shoe", "keypad": "keypad", "lamp": "lamp"}


def otherwise(book: RuleBook, key: str, value: object) -> RuleBook:
    """The book with another value."""
    section, field = key.split(".")
    changed = msgspec.structs.replace(getattr(book, section), **{field: value})
    return msgspec.structs.replace(book, **{section: changed})


class Run(NamedTuple):
    """A value of a book, another one, and the deeds that come out otherwise with it; ``base`` is the book otherwise."""

    key: str
    other: object
    plays: Callable[[RuleBook], object]
    base: RuleBook = PORTUGAL


def credentials(number: int, pin: str) -> Role | None:
    """A cheap check for tests."""
    known = PEOPLE.get(number)
    return known[1] if known and known[0] == pin else None


def config(
    decks: int = 4,
    allow_simulated: bool = True,
    book: RuleBook = PORTUGAL,
    drivers: Mapping[str, str] = MappingProxyType({}),
    cards: Mapping[str, Any] = MappingProxyType({}),
) -> Config:
    """The configuration of a test's table; ``drivers`` names those that are others than usual, or none."""
    devices = {name: driver for name, driver in (DRIVERS | drivers).items() if driver}
    return Config(
        table=Table(
            name="BJ 7",
            decks=decks,
            **{"backs": BACKS[:decks], **cards},
            rulebook=book.id,
            journal="none",
            people="none",
            allow_simulated=allow_simulated,
        ),
        time=Time(),
        devices=tuple(Device(name=name, driver=driver, port=name) for name, driver in devices.items()),
        log=Log(),
        book=book,
    )


class Evening:
    """One table and the hands at it. Each deed steps the clock until its effect is through."""

    table_of: type[SteppedTable] = SteppedTable

    def __init__(
        self,
        decks: int = 4,
        seed: int = 1,
        fittings: Fittings | None = None,
        book: RuleBook = PORTUGAL,
        allow_simulated: bool = True,
        drivers: Mapping[str, str] = MappingProxyType({}),
        cards: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.rng = Random(seed)
        size = compartments_for(decks)
        fittings = fittings or Fittings(decks=decks, backs=BACKS[:decks], rates=QUICK, compartments=size)
        self.people = dict(PEOPLE)
        self.checks = 0
        configured = config(decks, allow_simulated, book, drivers, cards)
        self.table = self.table_of(configured, self._check, seed, fittings, self._renew)
        self.hands = self.table.physical
        self.table.run(3.0)

    @property
    def state(self) -> State:
        return self.table.state

    @property
    def session(self) -> Session:
        return self.state.session

    def logged(self) -> list[Logged]:
        """All records, read back."""
        return [Logged.from_body(record.body) for record in self.table.store.records()]

    def refusals(self) -> list[tuple[str, str]]:
        """All refusals so far: trigger and clause."""
        found = [record.decision.refusal for record in self.logged()]
        return [(one.trigger, one.clause) for one in found if one is not None]

    # ---- people

    def _check(self, number: int, pin: str) -> Role | None:
        self.checks += 1
        known = self.people.get(number)
        return known[1] if known and known[0] == pin else None

    def _renew(self, number: int, pin: str) -> str:
        if number not in self.people:
            return f"nobody has the number {number}"
        self.people[number] = pin, self.people[number][1]
        return ""

    def press(self, *keys: int) -> None:
        for key in keys:
            self.hands.press_key(key)
            self.table.run(0.05)

    def enter(self, number: int) -> None:
        self.press(*(int(digit) for digit in str(number)), Key.ENTER)

    def identify(self, person: int, pin: str | None = None) -> None:
        self.press(Key.CLEAR)  # after an opening, strokes count only from the first Enter or Clear on (rule 31)
        self.enter(person)
        self.press(*(int(digit) for digit in (pin or self.people[person][0])), Key.ENTER)
        self.table.run(0.1)

    def act(self, person: int, step: Trigger, value: int = 0) -> str | None:
        """A person takes a step at the keypad; return the clause that refused it, if one did."""
        before = len(self.refusals())
        self.identify(person)
        self.enter(STEPS[step].number)
        if typed_with(self.state, step):
            self.enter(value)
        self.table.run(0.1)
        after = self.refusals()
        return after[-1][1] if len(after) > before else None

    def key(self, key: DealerKey) -> str | None:
        """The dealer presses a key; return the clause that refused it, if one did."""
        before = len(self.refusals())
        self.hands.press_dealer_key(key)
        self.table.run(0.1)
        after = self.refusals()
        return after[-1][1] if len(after) > before else None

    # ---- the course of an evening

    def open_table(self) -> None:
        assert self.act(SUPERVISOR, Trigger.OPEN_TABLE) is None
        assert self.act(DEALER, Trigger.SIGN_IN) is None

    def show_and_mix(self) -> None:
        """What the book has the dealer do with the cards before they are loaded."""
        while self.session is not Session.AWAITING_PACK:
            assert self.key(DealerKey.YES) is None
        self.rng.shuffle(self.hands.box)

    def load_pack(self, cards: int) -> None:
        assert self.act(SUPERVISOR, Trigger.START_PACK) is None
        self.hands.put_in_intake_tray(self.hands.box[:cards])
        self.table.run(30, lambda: not self.hands.mechanism.intake_tray)
        self.table.run(0.2)

    def end_pack(self) -> str | None:
        return self.act(SUPERVISOR, Trigger.END_PACK)

    def load(self) -> None:
        half = len(self.hands.box) // 2
        self.load_pack(half)
        assert self.end_pack() is None
        self.load_pack(len(self.hands.box))
        assert self.end_pack() is None
        assert self.act(SUPERVISOR, Trigger.DECLARE_LOADED) is None
        assert self.table.run(60, lambda: self.session is Session.READY), self.session
        self.table.run(1.0)

    def open_and_load(self) -> None:
        self.open_table()
        self.show_and_mix()
        self.load()

    def deal(self, cards: int) -> list[Card]:
        """The dealer pulls so many cards, patiently."""
        dealt: list[Card] = []
        while len(dealt) < cards:
            card = self.hands.pull_card()
            if card is not None:
                dealt.append(card)
            self.table.run(0.05)
            assert self.table.seconds < 10_000
        self.table.run(0.2)
        return dealt

    def put_back(self) -> None:
        self.hands.put_in_intake_tray(self.hands.discard + self.hands.on_table)
        self.table.run(60, lambda: self.session is Session.READY)
        self.table.run(1.0)

    def play_round(self, cards: int = 9) -> None:
        self.deal(cards)
        assert self.key(DealerKey.ROUND_OVER) is None
        self.put_back()

    def unload(self) -> None:
        assert self.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
        self.unload_cards()

    def unload_cards(self) -> None:
        assert self.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
        self.table.run(1.0)
        while self.session in (Session.UNLOADING, Session.ASKING_UNLOAD_PRESENCE):
            self.hands.pull_card()
            self.table.run(0.03)
            if self.session is Session.ASKING_UNLOAD_PRESENCE:
                assert self.act(SUPERVISOR, Trigger.CONFIRM_PRESENCE) is None
        assert self.table.run(60, lambda: self.session is Session.LOOKING), self.session

    def look_inside(self, deed: Callable[[], object] = lambda: None) -> None:
        """The lid is released, opened and closed again; what hands do inside is the deed."""
        assert self.act(SUPERVISOR, Trigger.RELEASE_LID) is None
        self.table.run(1.0)
        assert self.hands.open_lid()
        self.table.run(0.2)
        deed()
        self.hands.close_lid()
        self.table.run(1.0)

    def look(self) -> None:
        self.look_inside()
        assert self.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None

    def sort(self) -> dict[str, list[Card]]:
        """The dealer sorts what lies open by back, and says so."""
        piles = self.piles()
        assert self.key(DealerKey.YES) is None
        return piles

    def piles(self) -> dict[str, list[Card]]:
        """What lies open, by back: one pile a deck."""
        piles: dict[str, list[Card]] = {}
        for card in sorted(self.hands.on_table + self.hands.discard, key=lambda card: (card.deck, card.face)):
            piles.setdefault(card.back, []).append(card)
        return piles

    def read_deck(self, cards: list[Card]) -> None:
        """A deck through the reader, and once more where one card of it is in doubt."""
        self.read_once(cards)
        if self.state.account.doubted is not None:
            self.read_once(cards)

    def read_once(self, cards: list[Card]) -> None:
        self.hands.put_in_shoe_tray(cards)
        self.table.run(0.2)
        assert self.key(DealerKey.YES) is None
        assert self.table.run(60, lambda: self.session is not Session.READING_DECK)
        self.hands.move(self.hands.take_shoe_output(), self.hands.set_aside)
        self.table.run(0.2)

    def verify(self) -> None:
        for cards in self.sort().values():
            self.read_deck(cards)

    def close(self) -> None:
        self.unload()
        self.look()
        self.verify()

    def confirm_all(self) -> None:
        """A supervisor confirms what is open, one alarm after the other."""
        for _ in range(len(self.state.incidents)):
            assert self.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) is None
        assert not self.state.incidents

    def kinds(self) -> list[IncidentKind]:
        """The kinds of the open incidents."""
        return [incident.kind for incident in self.state.incidents.values()]

    def reasons(self) -> list[str]:
        """Why cards may not be dealt, by clause."""
        return [reason.clause for reason in why_not_deal(self.state)]
