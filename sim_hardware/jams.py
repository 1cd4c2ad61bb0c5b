"""A card that sticks on its way through a machine."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from drivers.protocol.messages import JamPlace
from sim_hardware.cards import Card
from sim_hardware.faults import JAM_AT, Fault, Faults
from sim_hardware.motors import Motor, Motors
from sim_hardware.signals import PathChanged, Signal

CLEARS_AFTER = 4.0
"""Seconds after which a jam that clears itself has done so."""


@dataclass
class Jam:
    """One stuck card, on which path, and the place that it came from."""

    place: JamPlace
    card: Card
    came_from: deque[Card] = field(repr=False)
    clears_itself: bool


class JammingMotors(Motors):
    """Parts that move cards, of which one at most sticks; from then on whoever drives them moves nothing."""

    def __init__(self, now: float, faults: Faults) -> None:
        super().__init__(now)
        self.faults = faults
        self.jam: Jam | None = None
        self.clearing = Motor(CLEARS_AFTER, self._can_clear_itself, self._clear_itself)

    @property
    def jam_place(self) -> JamPlace | None:
        """The path on which a card sticks, by the path sensors; None while all are clear."""
        return None if self.jam is None else self.jam.place

    @property
    def stuck(self) -> Card | None:
        """The card that sticks."""
        return None if self.jam is None else self.jam.card

    def take_stuck(self) -> Card | None:
        """Take the stuck card off its path; None if none sticks."""
        if self.jam is None:
            return None
        jam, self.jam = self.jam, None
        if self.faults.strikes(Fault.JAM_RETURNS):
            self.faults.arm(JAM_AT[jam.place])
        self.settle()
        return jam.card

    def free_stuck(self) -> bool:
        """Let the stuck card come free by itself, back to where it came from; False if none sticks."""
        if self.jam is None:
            return False
        self.jam.came_from.appendleft(self.jam.card)
        self.jam = None
        self.settle()
        return True

    def _sticks(self, card: Card, place: JamPlace, came_from: deque[Card]) -> bool:
        if not self.faults.strikes(JAM_AT[place]):
            return False
        self._stick(card, place, came_from)
        return True

    def _stick(self, card: Card, place: JamPlace, came_from: deque[Card]) -> None:
        card.damaged |= self.faults.strikes(Fault.JAM_DAMAGES)
        self.jam = Jam(place, card, came_from, self.faults.strikes(Fault.JAM_CLEARS_ITSELF))

    def _can_clear_itself(self) -> bool:
        return self.jam is not None and self.jam.clears_itself

    def _clear_itself(self) -> Signal:
        self.free_stuck()
        return PathChanged()
