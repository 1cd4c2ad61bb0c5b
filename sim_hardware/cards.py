"""Physical cards: what lies in trays and carousels; a face is only what somebody says of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from drivers.cards import ALL_FACES, Face

BACKS = ("red", "blue")
"""Back colours of a usual set: each deck has the next of them, in turn."""


@dataclass(eq=False, slots=True)
class Card:
    """One physical card, equal to no other; its repr does not show its face."""

    face: Face = field(repr=False)
    back: str
    deck: int
    damaged: bool = False


def make_deck(number: int, back: str) -> list[Card]:
    """Return the 52 cards of one deck as they leave the factory: sorted, undamaged, of one back."""
    return [Card(face, back, number) for face in ALL_FACES]


def make_set(decks: int, backs: Sequence[str] = BACKS) -> list[Card]:
    """Return all cards of a set, sorted; decks are numbered from 1 and take the backs in turn."""
    if decks < 1 or not backs:
        raise ValueError(f"a set of {decks} decks and {len(backs)} backs: give at least one of each")
    return [card for number in range(decks) for card in make_deck(number + 1, backs[number % len(backs)])]
