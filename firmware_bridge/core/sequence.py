"""Whether dealt cards came in an order that no shuffled set has: in sequence, or as cards before them did.

Only cards that left the shoe in play are known here, so nothing is learnt of what is still to come. A card that nobody
read ends a sequence, and so does a full shuffle. Both alarms count the cards that stand in order, n of them.

- *In sequence*: one suit, rank by rank, up as a new pack lies, or down. By chance every place begins one with
  probability 2 * (decks / (52 * decks - 1)) ** (n - 1), for its two directions (field findings b, 4.4).
- *Again*: the last n are the same, card for card, as n of the cards that were dealt before. By chance every pair of
  places begins one with probability about 1 / 52 ** n; a card has ``MEMORY`` earlier places to be compared with.

``by_chance`` is the sum of the two for a set that is dealt once. Six decks: 7.7e-4 at five cards, 1.5e-5 at six.
"""

from __future__ import annotations

from msgspec import Struct

from drivers.cards import ALL_FACES, DECK_SIZE, RANKS, UNREAD, Face

MEMORY = 832
"""Dealt cards that are kept: two sets of eight decks, for whatever was dealt in one may come again in the next."""

_END = bytes((UNREAD,))
_UP = bytes(ALL_FACES)
_SUITS = tuple(_UP[first : first + len(RANKS)] for first in range(0, DECK_SIZE, len(RANKS)))
_SEQUENCES = _END.join(_SUITS) + _END + _END.join(suit[::-1] for suit in _SUITS)
"""All cards as a new pack lies, and turned over; no suit goes on into the next."""


class Dealt(Struct):
    """The last cards that were dealt, a byte each; ``of_round``: how many bytes came since the last round's end."""

    faces: bytes = b""
    of_round: int = 0

    def add(self, face: Face) -> None:
        """One more card was dealt."""
        self._add(bytes((face,)))

    def shuffled(self) -> None:
        """All cards were shuffled: none that comes now goes on with what came before."""
        self._add(_END)

    def round_ended(self) -> None:
        """The next card is of another round."""
        self.of_round = 0

    def _add(self, byte: bytes) -> None:
        self.faces = (self.faces + byte)[-MEMORY:]
        self.of_round = min(self.of_round + 1, MEMORY)


def order_at_the_end(faces: bytes, length: int) -> str:
    """What the last ``length`` cards show, in words without any card; empty where they show nothing."""
    last = faces[-length:]
    if len(last) < length or UNREAD in last:
        return ""
    if last in _SEQUENCES:
        return f"{length} cards in sequence"
    return f"{length} cards in the order of earlier ones" if last in faces[:-length] else ""


def order_in_round(dealt: Dealt, length: int) -> str:
    """The first such order that ended with a card of the round; empty where there was none."""
    ends = range(len(dealt.faces) - dealt.of_round + 1, len(dealt.faces) + 1)
    shown = (order_at_the_end(dealt.faces[:end], length) for end in ends)
    return next(filter(None, shown), "")


def by_chance(length: int, decks: int) -> float:
    """How many alarms a set of so many decks raises on average, by chance alone, where it is dealt once."""
    cards = decks * DECK_SIZE
    in_sequence = 2 * (decks / (cards - 1)) ** (length - 1)
    again = MEMORY * (1 / DECK_SIZE) ** length
    return cards * (in_sequence + again)
