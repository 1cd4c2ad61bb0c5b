"""Physical cards: what lies in trays and carousels; a face is only what somebody says of one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from drivers.cards import ALL_FACES, DECK_SIZE, Face

BACKS = ("red", "blue")
"""Back colours of a usual set: each deck has the next of them, in turn."""


@dataclass(eq=False, slots=True)
class Card:
    """One physical card, equal to no other; its repr does not show its face."""

    face: Face = field(repr=False)
    back: str
    deck: int
    damaged: bool = False
    boxed: bool = False
    """It lies face up among cards that lie face down."""


def make_deck(number: int, back: str) -> list[Card]:
    """Return the 52 cards of one deck as they leave the factory: sorted, undamaged, of one back."""
    return [Card(face, back, number) for face in ALL_FACES]


def make_set(decks: int, backs: Sequence[str] = BACKS) -> list[Card]:
    """Return all cards of a set, sorted; decks are numbered from 1 and take the backs in turn."""
    return [card for number, back in enumerate(backs_of(decks, backs), start=1) for card in make_deck(number, back)]


def backs_of(decks: int, backs: Sequence[str]) -> list[str]:
    """Return the back of each deck of a set: the colours in turn."""
    if decks < 1 or not backs:
        raise ValueError(f"a set of {decks} decks and {len(backs)} backs: give at least one of each")
    return [backs[number % len(backs)] for number in range(decks)]


def sorted_decks(cards: Iterable[Card]) -> list[list[Card]]:
    """Sort cards as hands can: by back, and of each back one card a face to a deck. What is left makes short decks."""
    alike: dict[tuple[str, Face], list[Card]] = defaultdict(list)
    for card in cards:
        alike[card.back, card.face].append(card)
    decks: dict[tuple[str, int], list[Card]] = defaultdict(list)
    for (back, _), copies in sorted(alike.items()):
        for copy, card in enumerate(copies):
            decks[back, copy].append(card)
    return [decks[key] for key in sorted(decks, key=lambda key: (key[1], key[0]))]


def as_read(decks: Sequence[list[Card]], backs: Sequence[str]) -> list[list[Card]]:
    """Put sorted decks in the order in which they are read, that of the set's backs; last what has no place in it."""
    left, ordered = list(decks), []
    for back in backs:
        if (place := next((n for n, deck in enumerate(left) if deck[0].back == back), None)) is not None:
            ordered.append(left.pop(place))
    return [*ordered, *left]


def taken_for(face: Face) -> Face:
    """Return the face that a misread takes a face for: the same rank of the other suit of as many points (BR-016)."""
    return Face(1 + (face - 1 + DECK_SIZE // 2) % DECK_SIZE)
