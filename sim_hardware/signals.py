"""What the mechanism's sensors signal to firmware."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from drivers.cards import Face


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


Signal = CardPassed | Counted | Shuffled | PathChanged
