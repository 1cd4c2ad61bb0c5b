"""What a decision changes of one set of cards: what a batch shuffler counted and saw of it, and that it is shuffled."""

from __future__ import annotations

from drivers.cards import Face
from firmware_bridge.core.device_changes import Change
from firmware_bridge.core.words import THE_ONLY


class OfASet(Change, frozen=True, kw_only=True, omit_defaults=True):
    """A fact about one set. A table with one set does not name it; ``Deciding.add`` names that which is played with."""

    set: str = THE_ONLY


class SetTurned(OfASet, frozen=True, tag="set_turned"):
    """From now on the table's hands are on this set: its decks are read."""


class LaidIn(OfASet, frozen=True, tag="laid_in"):
    """A cycle began on the set: nothing of it is counted or seen in this cycle yet."""


class PassCounted(OfASet, frozen=True, tag="pass_counted"):
    """So many cards went past the machine's count sensor in one pass of a cycle."""

    cards: int


class FacesRead(OfASet, frozen=True, tag="faces_read"):
    """What a cycle read, held against the set's decks: faces that it lacks and has too many of, and how many unread."""

    missing: tuple[Face, ...]
    over: tuple[Face, ...]
    unread: int


class BacksSeen(OfASet, frozen=True, tag="backs_seen"):
    """What a cycle saw of the set's backs: cards with a back that none of its decks has, and cards that lay face up."""

    strange: int
    boxed: int


class SetShuffled(OfASet, frozen=True, tag="set_shuffled"):
    """A shuffle of the whole set was completed, every pass of it counted as the books say (SB-5)."""
