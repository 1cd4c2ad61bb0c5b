"""A batch shuffler of another make, on the LeShuffler's mechanics: a carousel of 54 slots, one card each.

Each card goes to a random free slot; the slots are emptied in turn from the first one on. Facts of its mechanics are
those of the maker's published firmware; in operation it speaks to nobody, so that this one speaks sabot/1 is ours.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from math import sqrt
from random import Random

from drivers.protocol.batch import Mode
from drivers.protocol.messages import JamPlace
from sim_hardware.batch_faults import BatchFault
from sim_hardware.batch_mechanics import BatchMechanism, Build, Cycle
from sim_hardware.cards import Card
from sim_hardware.faults import Fault, Faults

SLOTS = 54
PASSAGE = 0.085
"""Seconds that a card takes through the entry."""

PUSHES_AFTER = 0.4
"""Seconds without the card after which the tray's roller pushes harder."""

GIVES_UP_AFTER = PUSHES_AFTER + 1.0
"""Seconds after which a card that does not come is stuck."""

SLOWEST, FASTEST, HOMING_SPEED = 6 / 60, 90 / 60, 33 / 60
"""Turns a second: at the start of a move, at most, and on the way to the mark of slot 0."""

RAMP = 20.0
"""Turns a second by which it grows faster each second: ours, the firmware's ramp is a table."""


def travel(slots: int) -> float:
    """Return the seconds that the carousel takes over so many slots: up a ramp, at full speed, and down."""
    way = slots / SLOTS
    both_ramps = (FASTEST**2 - SLOWEST**2) / RAMP
    if way <= both_ramps:
        return 2 * (sqrt(SLOWEST**2 + RAMP * way) - SLOWEST) / RAMP
    return 2 * (FASTEST - SLOWEST) / RAMP + (way - both_ramps) / FASTEST


class SlotMechanism(BatchMechanism):
    """The carousel turns to a free slot before it takes a card in; a card that does not come is waited for."""

    usual = Build(SLOTS, room=1, most_cards=SLOTS, passes=1, card=PASSAGE, compartment=PASSAGE + travel(1))

    def __init__(
        self,
        rng: Random,
        now: float = 0.0,
        build: Build | None = None,
        faults: Faults | None = None,
        takes: Callable[[Sequence[Card]], bool] | None = None,
    ) -> None:
        super().__init__(rng, now, build, faults, takes)
        self._slot = 0
        """Before which the carousel stands, or to which it turns."""
        self._comes = True
        """Whether the card that the rollers pull comes."""

    def start_cycle(self, mode: Mode, passes: int) -> Cycle:
        """Turn to the mark of slot 0 first, from wherever the carousel stands."""
        homing, self._slot = self._slot / SLOTS / HOMING_SPEED, 0
        self._turn(at_random=mode is Mode.SHUFFLE, waits=homing)
        return super().start_cycle(mode, passes)

    def place(self, card: Card, mode: Mode) -> None:
        """Put a card in the slot before which the carousel stands, and turn it to a free one for the next."""
        self.compartments[self._slot].append(card)
        self._turn(at_random=mode is Mode.SHUFFLE)

    def emptied_in(self, mode: Mode) -> list[int]:
        """Every slot in turn from slot 0: random is where each card lies."""
        del mode
        self._slot = SLOTS - 1
        return list(range(SLOTS))

    def _turn(self, at_random: bool, waits: float = 0.0) -> None:
        free = [number for number, slot in enumerate(self.compartments) if not slot]
        if not (free and self.intake_tray):
            return
        slot = self.rng.choice(free) if at_random else free[0]
        waits += travel(abs(slot - self._slot))
        self._slot = slot
        self._comes = not self.faults.strikes(Fault.JAM_INTAKE)
        late = PUSHES_AFTER if self.faults.strikes(BatchFault.STICKY) else 0.0
        self.intake.period = waits + (late + PASSAGE if self._comes else GIVES_UP_AFTER)

    def _sticks(self, card: Card, place: JamPlace, came_from: deque[Card]) -> bool:
        if place is not JamPlace.INTAKE:
            return super()._sticks(card, place, came_from)
        if not self._comes:
            self._stick(card, place, came_from)
        return not self._comes
