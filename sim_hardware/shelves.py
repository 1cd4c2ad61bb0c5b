"""Where each card of a pack goes, and in which order a machine's compartments are emptied: pure functions.

A shelf machine lays each card on a random shelf, over or under what lies there, and joins the piles in random order.
One such pass over ten shelves leaves an order that can be guessed (BR-008); two make 200 shelves of it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from random import Random
from typing import TypeVar

from drivers.cards import Face

T = TypeVar("T")

SHELVES = 10
"""Shelves of the machine that was examined, and of ours."""


def lay_at_random(card: T, piles: Sequence[deque[T]], rng: Random) -> None:
    """Lay a card on one of these piles, over or under it."""
    pile = rng.choice(piles)
    if rng.random() < 0.5:
        pile.append(card)
    else:
        pile.appendleft(card)


def random_order(count: int, rng: Random) -> list[int]:
    """Return the numbers of so many shelves in the order in which they are emptied."""
    order = list(range(count))
    rng.shuffle(order)
    return order


def sort_passes(decks: int) -> int:
    """Return how many passes over ten shelves sort so many decks, each in the order in which it left the factory."""
    return 2 if decks == 1 else 3


def sort_shelf(face: Face, copy: int, number: int) -> int:
    """Return the shelf for a card in pass ``number`` of a sort: by last digit, by first digit, by deck.

    ``copy`` is how many cards of this face came before it in that pass.
    """
    return (face % SHELVES, face // SHELVES, copy % SHELVES)[number - 1]


def shuffled(cards: Sequence[T], rng: Random, shelves: int = SHELVES, passes: int = 2) -> list[T]:
    """Return a pack as it leaves a shelf machine."""
    pack = list(cards)
    for _ in range(passes):
        piles: list[deque[T]] = [deque() for _ in range(shelves)]
        for card in pack:
            lay_at_random(card, piles, rng)
        pack = [card for number in random_order(shelves, rng) for card in piles[number]]
    return pack
