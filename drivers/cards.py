"""Cards by face, as every part of the house names them."""

from __future__ import annotations

from typing import NewType

Face = NewType("Face", int)
"""A card's face as one number, 1 to 52: 1 + 13 * suit + (rank - 1); clubs, diamonds, hearts, spades; ace to king."""

UNREAD = Face(0)
"""A card of which no sensor saw the face."""

DECK_SIZE = 52
SPECIAL = Face(DECK_SIZE + 1)
"""A special card, of one colour on both sides: a cut card or warning card, no card of a set."""

SUITS = ("clubs", "diamonds", "hearts", "spades")
RANKS = ("ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king")
NO_FACE = {UNREAD: "unread card", SPECIAL: "special card"}
ALL_FACES = tuple(Face(number) for number in range(1, DECK_SIZE + 1))


def face_of(rank: int, suit: int) -> Face:
    """Return the face of a rank (1 ace to 13 king) and a suit (0 clubs to 3 spades)."""
    if not (1 <= rank <= len(RANKS) and 0 <= suit < len(SUITS)):
        raise ValueError(f"no card has rank {rank} and suit {suit}: ranks are 1 to 13, suits 0 to 3")
    return Face(1 + len(RANKS) * suit + rank - 1)


def face_name(face: Face) -> str:
    """Return a face in words, for example ``jack of spades``; of one that has none, what it is."""
    if face in NO_FACE:
        return NO_FACE[face]
    suit, rank = divmod(face - 1, len(RANKS))
    return f"{RANKS[rank]} of {SUITS[suit]}"
