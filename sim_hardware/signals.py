"""What the mechanism's sensors signal to firmware."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from drivers.cards import Face
from drivers.protocol.batch import Back


class Spot(Enum):
    """Where a sensor sees a card pass."""

    INTAKE = auto()
    FEED = auto()
    READER = auto()


@dataclass(frozen=True, slots=True)
class CardPassed:
    """A card passed a sensor; ``face`` is what a reader would see there, ``own_tray`` the shoe's, by its own motor."""

    spot: Spot
    face: Face = field(repr=False)
    own_tray: bool = False


@dataclass(frozen=True, slots=True)
class Counted:
    """The carousel has turned once past the count sensor: cards by place, from no running counter."""

    buffer: int
    compartments: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shuffled:
    """Every card went to a fresh compartment; or not (``done`` false): for one there was no room."""

    done: bool


@dataclass(frozen=True, slots=True)
class PathChanged:
    """A card has stuck on its path, or has come free: the path sensors say so from now on."""


@dataclass(frozen=True, slots=True)
class Imaged:
    """A card, or two as one, went past a batch shuffler's count sensor; what its readers would see of the first."""

    face: Face = field(repr=False)
    back: Back = field(repr=False)


@dataclass(frozen=True, slots=True)
class PassOver:
    """Every card of the pack went once through the compartments of a batch shuffler; ``last``: the cycle is done."""

    last: bool


@dataclass(frozen=True, slots=True)
class PackLeft:
    """The pack left the output of a batch shuffler as one."""


@dataclass(frozen=True, slots=True)
class Broken:
    """The machine finds a fault in itself, or that there is no room for a card that waits."""


Signal = CardPassed | Counted | Shuffled | PathChanged | Imaged | PassOver | PackLeft | Broken
