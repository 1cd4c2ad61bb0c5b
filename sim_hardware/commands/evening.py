"""What everybody in the room knows without a word, and sees: how long is played, who deals, which cards lie shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from drivers.cards import RANKS, face_name
from drivers.protocol.messages import JamPlace
from firmware_bridge.view import TableView
from sim_hardware.cards import BACKS, Card, make_set

ENDS = frozenset({"closed", "verified", "closed_with_difference", "not_opened"})
"""States in which no session is under way."""


class Taken(NamedTuple):
    """The card that was taken out at a jam, and where it had stuck."""

    card: Card
    place: JamPlace | None


@dataclass
class Evening:
    """What everybody in the room knows. ``backs`` are the colours of the set's decks, in turn."""

    rounds: int
    sessions: int = 1
    by_eye: bool = False
    """The shoe reads no faces: the supervisor looks at each sorted deck instead."""
    backs: tuple[str, ...] = BACKS
    is_over: bool = False
    dealer: int = 0
    """Number of the dealer whose turn it is; 0 until somebody was relieved."""
    at_keypad: object | None = None
    taken: Taken | None = None
    shown: Card | None = None
    """The damaged card that the dealer shows."""
    reserve: list[Card] = field(init=False)
    """Sealed spare decks, one of each back: the only place from which a card comes to the table anew."""
    _runs: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.reserve = make_set(len(self.backs), self.backs)

    def follow(self, view: TableView) -> None:
        """Note when a session has ended; what was known of it is past."""
        runs = view.session_state not in ENDS
        if self._runs and not runs:
            self.sessions -= 1
            self.is_over, self.taken, self.shown = False, None, None
        self._runs = runs

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
        return min(alike, key=lambda card: card.back not in text, default=None)
