"""What follows from a set's books at a batch shuffler: whether a cycle shuffled it whole, and what hands hold of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from drivers.cards import DECK_SIZE, Face, face_name
from drivers.protocol.batch import Back
from firmware_bridge.core.accounts import compare
from firmware_bridge.core.set_changes import BacksSeen, FacesRead
from firmware_bridge.core.state import SetOfCards, State
from firmware_bridge.core.words import EMPTIES_THE_MACHINE, Place

NOT_A_COLOUR = frozenset({Back.UNREAD, Back.FACE})


def faces_read(told: Sequence[int], decks: int, name: str) -> FacesRead:
    """What a cycle read, as how many of each face, against so many decks."""
    missing, over = compare({Face(face): count for face, count in enumerate(told) if face}, decks)
    return FacesRead(missing, over, told[0], set=name)


def backs_seen(told: Sequence[int], backs: Sequence[str], name: str) -> BacksSeen:
    """What a cycle saw of backs, as how many of each, against the colours of the set's decks."""
    own = Counter(Back.__members__.get(back.upper(), Back.OTHER) for back in backs)
    strange = sum(max(0, told[back] - own[back] * DECK_SIZE) for back in Back if back not in NOT_A_COLOUR)
    return BacksSeen(strange, told[Back.FACE], set=name)


def why_not_whole(cards: SetOfCards) -> str:
    """Why the cycle just done did not show exactly the set, in words; empty where each pass and reading did (SB-7).

    Passes that disagree are believed neither way, a right count with a wrong card is wrong (BR-015), and of a face
    twice and another not seen one read may be wrong (BR-016).
    """
    return "; ".join(_doubts(cards))


def _doubts(cards: SetOfCards) -> Iterator[str]:
    expected = cards.account.at(Place.MACHINE)
    if expected != cards.account.cards:
        yield f"the books have {expected} of the set's {cards.account.cards} cards in the machine"
    if set(cards.passes) != {expected}:
        counted = " and ".join(map(str, cards.passes)) or "nothing"
        yield f"the machine counted {counted}, the books say {expected}"
    faces = cards.faces
    if faces is not None and (faces.over or len(faces.missing) > faces.unread):
        yield " and ".join(_misfits(faces))
    if cards.backs is not None and cards.backs.strange:
        yield f"{cards.backs.strange} with another back than the set's"
    if cards.backs is not None and cards.backs.boxed:
        yield f"{cards.backs.boxed} face up"


def _misfits(faces: FacesRead) -> Iterator[str]:
    if faces.over:
        yield f"{_names(faces.over)} read too often"
    if faces.missing:
        yield f"{_names(faces.missing)} not read"
    if faces.over and faces.missing:
        yield "one read may be wrong"


def _names(faces: Sequence[Face]) -> str:
    return ", ".join(face_name(face) for face in faces)


def counted(cards: SetOfCards) -> int:
    """What a cycle's passes counted; where they disagree, one that the books do not say (SB-7)."""
    expected = cards.account.at(Place.MACHINE)
    return next((count for count in cards.passes if count != expected), expected if cards.passes else 0)


def in_hands(state: State) -> Place:
    """Where the books have cards that people hold: outside before the session opened, sorted once the table closes."""
    if state.session in EMPTIES_THE_MACHINE:
        return Place.UNLOADED
    return Place.DISCARD if state.opened else Place.OUTSIDE
