"""The mechanism of a shoe that holds a whole pack: the pack, the mouth's gate and reader, the tray of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Protocol

from drivers.cards import DECK_SIZE
from sim_hardware.cards import Card
from sim_hardware.faults import Fault, Faults
from sim_hardware.motors import Motor, Motors
from sim_hardware.signals import CardPassed, Signal, Spot

PACK_ROOM = 8 * DECK_SIZE + 2  # with two special cards
TRAY_ROOM = DECK_SIZE


class ShoeParts(Protocol):
    """What a shoe's firmware drives and senses."""

    gate_open: bool
    shoe_motor_on: bool
    shoe_tray: deque[Card]

    def settle(self) -> None:
        """Start and stop motors after anything has changed."""
        ...


class DealingShoe(Motors):
    """A shoe that stands by itself, or docked to a batch shuffler that lays the pack in. ``card``: seconds a card."""

    def __init__(self, now: float = 0.0, card: float = 0.1, faults: Faults | None = None) -> None:
        super().__init__(now)
        self.faults = faults or Faults()
        self.gate_open = False
        self.shoe_motor_on = False
        self.mouth: deque[Card] = deque()
        """What is dealt from, the next card first."""
        self.shoe_tray: deque[Card] = deque()
        self.shoe_output: list[Card] = []
        self.motors = (Motor(card, self._can_draw_from_tray, self._draw_from_tray),)

    def cards(self) -> Iterator[Card]:
        """Every card in the shoe, in no order that means anything to anyone."""
        for place in (self.mouth, self.shoe_tray, self.shoe_output):
            yield from place

    def take_pack(self, cards: Sequence[Card]) -> bool:
        """Take a pack behind what lies there; False, and none of it, without room."""
        return self._lay_in(cards, self.mouth, PACK_ROOM)

    def pull(self) -> tuple[list[Card], CardPassed] | None:
        """Pull the next card through gate and reader; None if the gate is shut and holds, or none lies there."""
        if not self.mouth or not (self.gate_open or self.faults.strikes(Fault.GATE_LEAKS)):
            return None
        card = self.mouth.popleft()
        return [card], CardPassed(Spot.READER, card.face)

    def lay_in_shoe_tray(self, cards: Sequence[Card]) -> bool:
        """Lay cards in the shoe's own tray; False, and none is laid, if they do not all fit."""
        return self._lay_in(cards, self.shoe_tray, TRAY_ROOM)

    def _can_draw_from_tray(self) -> bool:
        return self.shoe_motor_on and bool(self.shoe_tray)

    def _draw_from_tray(self) -> Signal:
        card = self.shoe_tray.popleft()
        self.shoe_output.append(card)
        return CardPassed(Spot.READER, card.face, own_tray=True)
