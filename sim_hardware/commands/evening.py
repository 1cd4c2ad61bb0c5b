"""What everybody in the room knows without a word, and sees: how long is played, who deals, which cards lie shown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from drivers.cards import RANKS, face_name
from drivers.protocol.messages import JamPlace
from firmware_bridge.view import TableView
from sim_hardware.cards import BACKS, Card, make_deck, make_set
from sim_hardware.table import PhysicalTable

ENDS = frozenset({"closed", "verified", "closed_with_difference", "not_opened"})
"""States in which no session is under way."""


TO_TAKE_OUT = ("NOT SHUFFLED", ": in the shoe", ": shuffled")
"""How the screen says where a set stands that is taken out, the most urgent first."""


class Taken(NamedTuple):
    """The card that was taken out at a jam, and where it had stuck."""

    card: Card
    place: JamPlace | None


def lies_open(card: Card, table: PhysicalTable) -> bool:
    """Whether a hand may take this card: it is in no tray and no machine."""
    return any(card is one for one in (*table.box, *table.on_table, *table.discard, *table.set_aside))


BANKS_FIRST_LEFT_OUT, PLACE_LEFT_OUT, BANKS_SECOND_TURNED = 100, 300, 800
"""Slips as they are typed; a place left out has its number added."""


@dataclass
class Evening:
    """What everybody in the room knows. ``backs`` are the colours of the set's decks, in turn."""

    rounds: int
    sessions: int = 1
    backs: tuple[str, ...] = BACKS
    sets: int = 1
    """Of how many sets these decks are, as many of each: one, or two at a batch shuffler."""
    is_over: bool = False
    on_duty: dict[str, int] = field(default_factory=dict)
    """Who of a role acts, where several are in the room: by number, until the next relief."""
    authorises: bool = False
    """The house plays on with an imperfect deck, on the inspectorate's word, rather than replace it."""
    barred: set[int] = field(default_factory=set)
    """Whose right to act is taken: everybody is told, and the other of the role acts."""
    forgot: set[int] = field(default_factory=set)
    """Who has forgotten his PIN and said so: the room manager renews it."""
    new_pins: dict[int, str] = field(default_factory=dict, repr=False)
    """The PIN that each person chooses then."""
    brought: bool = False
    """The cards of this session were brought to the table."""
    saw_empty: bool = False
    """The last look found nothing in the machine."""
    was_wrong: bool = False
    """The last session did not open: its cards are not loaded again."""
    shuffled_again: bool = False
    """At a batch shuffler: the set was taken out of the shoe, to be shuffled anew."""
    sorted_again: bool = False
    looked_again: bool = False
    named: list[Card] = field(default_factory=list)
    """Cards set aside for good: they were named damaged."""
    lent: Card | None = None
    """The card of the reserve that was laid to replace another, until it is taken."""
    at_keypad: object | None = None
    taken: Taken | None = None
    places: tuple[int, ...] = ()
    """The places in play that the dealers mark, by their numbers; none: they mark nothing."""
    is_alone: bool = False
    """A single player is at the table, where people fill the shoe: its warning card lies in the middle (PT-S4)."""
    nobody_cuts: bool = False
    """No player there wants to cut (PT-S3)."""
    stops_after: int = 0
    """Rounds of a session after which nobody plays for a while, once (PT-S8); 0: somebody always does."""
    has_stopped: bool = False
    slip: int = 0
    """What the supervisor saw go wrong in the deal, as it is typed; 0: nothing."""
    shown: Card | None = None
    """The damaged card that the dealer shows."""
    reserve: list[Card] = field(init=False)
    """Sealed spare decks, one of each back: the only place from which a card comes to the table anew."""
    _runs: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.reserve = make_set(len(self.backs), self.backs)

    @property
    def left_out(self) -> tuple[int, ...]:
        """What a dealer may have done who takes the first cards for dealt: a key too early, the bank, a place."""
        return (0, BANKS_FIRST_LEFT_OUT, *(PLACE_LEFT_OUT + place for place in self.places))

    def follow(self, view: TableView) -> None:
        """Note when a session has ended; what was known of it is past."""
        runs = view.session_state not in ENDS
        if runs and not self._runs:
            self.is_over = self.brought = self.saw_empty = self.sorted_again = self.looked_again = False
            self.shuffled_again = self.has_stopped = False
            self.taken, self.shown, self.slip = None, None, 0
        elif self._runs and not runs:
            self.sessions -= 1
            self.was_wrong = view.session_state == "not_opened"
        self._runs = runs
        if view.session_state == "emptying_shoe" and view.round >= self.stops_after:
            self.has_stopped = True
        if runs and view.session_state == "ready" and any(ask.trigger == "draw_cards" for ask in view.asks):
            self.shuffled_again = True
        for one in view.incidents:
            if one.state in ("out_of_service", "sealed"):
                self.is_over = True
            elif one.kind == "damaged_card" and one.state == "awaiting_seal":
                self.lent = None  # taken: from now on it is one of the set

    def nobody_plays(self, view: TableView) -> bool:
        """Whether play stops between two rounds, where the screen lets that be said."""
        is_due = 0 < self.stops_after <= view.round and view.session_state == "ready" and not self.has_stopped
        return is_due and not self.is_over and any(ask.trigger == "stop_play" for ask in view.asks)

    def shoe_is_over(self, view: TableView) -> bool:
        """Whether half of the rounds are played at a batch shuffler, and its set was not shuffled anew yet."""
        is_half_way = view.session_state == "ready" and view.round == max(1, self.rounds // 2) and not self.is_over
        return is_half_way and not self.shuffled_again and any(ask.trigger == "take_set_out" for ask in view.asks)

    def backs_named(self, text: str) -> frozenset[str]:
        """The colours that a line on the screen names; none where the table has one set."""
        return frozenset(re.findall(r"\w+", text)) & frozenset(self.backs)

    def set_meant(self, trigger: str, view: TableView, table: PhysicalTable) -> int | None:
        """Which set is to be shuffled or taken out, as it is typed: by the cards in the tray, or by the screen."""
        if self.sets == 1:
            return None
        if trigger == "shuffle_set":
            backs = (card.back for card in table.mechanism.intake_tray)
            return next((self.backs.index(back) * self.sets // len(self.backs) + 1 for back in backs), None)
        stands = ((words, number) for words in TO_TAKE_OUT for number, line in enumerate(view.sets, 1) if words in line)
        return next((number for _, number in stands), None)

    def take_back(self, table: PhysicalTable) -> None:
        """A card that was not taken as a replacement goes back to the reserve, if nobody put it out of reach."""
        assert self.lent is not None  # the caller looked
        if lies_open(self.lent, table):
            table.move([self.lent], self.reserve)
        self.lent = None

    def fresh_set(self, table: PhysicalTable) -> None:
        """All cards are carried away, and as many new ones brought, with a new reserve."""
        table.carry_away([*table.box, *table.on_table, *table.discard, *table.set_aside])
        table.bring(make_set(len(self.backs), self.backs))
        self.reserve, self.named = make_set(len(self.backs), self.backs), []

    def fresh_deck(self, number: int, table: PhysicalTable) -> None:
        """All cards of a deck are carried away, and a sealed one is opened."""
        back = self.backs[number - 1]
        alike = self.backs.count(back)
        old = [card for card in table.box if card.back == back and (alike == 1 or card.deck == number)]
        table.carry_away(old)
        table.bring(make_deck(number, back))

    def typed(self, card: Card) -> int:
        """A card as it is typed: deck, suit, rank. Decks of one back look alike: then it is the first of them."""
        suit, rank = divmod(card.face - 1, len(RANKS))
        deck = self.backs.index(card.back) + 1 if card.back in self.backs else card.deck
        return 1000 * deck + 100 * (suit + 1) + rank + 1

    def described(self, card: Card) -> str:
        """A card as anyone sees it: face, back and the decks that have this back, damaged or whole."""
        decks = " or ".join(str(number) for number, back in enumerate(self.backs, start=1) if back == card.back)
        return f"{face_name(card.face)}, {card.back} back (deck {decks}), {'DAMAGED' if card.damaged else 'whole'}"

    def spare_for(self, text: str) -> Card | None:
        """The card of the reserve that a line on the screen asks for, by its face and, of several, by its back."""
        alike = [card for card in self.reserve if face_name(card.face) in text]
        backs = {back for back in self.backs if f"({back})" in text}
        return next((card for card in alike if card.back in backs or not backs), None)
