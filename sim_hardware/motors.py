"""Moving parts on a stepped clock: each motor moves something after its time, as long as it can."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

from sim_hardware.cards import Card
from sim_hardware.signals import Signal


@dataclass
class Motor:
    """Moves a card (or compartment) each ``period`` seconds while it can; ``due`` is inf when it stands."""

    period: float
    can_move: Callable[[], bool]
    move: Callable[[], Signal | None]
    due: float = inf


class Motors:
    """Parts that move. ``now`` is seconds of the mechanics' clock; a subclass names its ``motors``."""

    motors: Sequence[Motor] = ()

    def __init__(self, now: float) -> None:
        self.now = now
        self.deadline = inf
        """When the next part will have moved; inf if everything stands."""

    def settle(self) -> None:
        """Start and stop motors after anything has changed; a motor stopped on its way begins anew."""
        for motor in self.motors:
            if not motor.can_move():
                motor.due = inf
            elif motor.due == inf:
                motor.due = self.now + motor.period
        self.deadline = min([motor.due for motor in self.motors], default=inf)

    def step(self, now: float) -> Signal | None:
        """Run to ``now``, or only to the first signal before it: firmware acts on one before the next."""
        while self.deadline <= now:
            motor = min(self.motors, key=lambda each: each.due)
            self.now, motor.due = motor.due, inf
            signal = motor.move()
            self.settle()
            if signal is not None:
                return signal
        self.now = max(self.now, now)
        return None

    # ---- what hands do at a tray or a stack

    def take_from(self, place: deque[Card] | list[Card]) -> list[Card]:
        """Take every card out of a tray or off a stack."""
        taken = list(place)
        place.clear()
        self.settle()
        return taken

    def _lay_in(self, cards: Sequence[Card], place: deque[Card], room: int) -> bool:
        if len(place) + len(cards) > room:
            return False
        place.extend(cards)
        self.settle()
        return True
