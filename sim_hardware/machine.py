"""What every machine's mechanism has: a tray, a lid with its lock, a lamp, and an inside that hands can reach."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from drivers.protocol.messages import JamPlace, Lamp
from sim_hardware.cards import Card
from sim_hardware.faults import Faults
from sim_hardware.jams import JammingMotors


@dataclass(frozen=True)
class Inside:
    """What one sees under the open lid: cards edge on, so how many there are but not which."""

    buffer: int
    compartments: tuple[int, ...]
    stuck: JamPlace | None = None
    """The path on which a card sticks."""

    @property
    def cards(self) -> int:
        """All cards that one sees."""
        return self.buffer + sum(self.compartments) + (self.stuck is not None)


class MachineMechanism(JammingMotors, ABC):
    """A machine that takes cards in. A hand that finds no room or a locked lid is told so by the result."""

    def __init__(self, now: float, faults: Faults) -> None:
        super().__init__(now, faults)

        # Actuators: set by firmware. Without power all is shut.
        self.lid_locked = True
        self.lamp = Lamp.OFF

        # The world's own: no firmware moves these.
        self.lid_open = False
        self.intake_tripped = False
        """The intake motor's thermal cut-out has opened: for now the machine takes no cards."""
        self.intake_tray: deque[Card] = deque()

    @abstractmethod
    def cards(self) -> Iterator[Card]:
        """Every card in the mechanism, in no order that means anything to anyone."""

    @abstractmethod
    def lay_in_intake_tray(self, cards: Sequence[Card]) -> bool:
        """Lay cards in the intake tray; False, and none is laid, if they do not all fit."""

    @abstractmethod
    def look_inside(self) -> Inside:
        """Return what is under the lid; whether it is open is the onlooker's affair."""

    @abstractmethod
    def lay_inside(self, cards: Sequence[Card]) -> bool:
        """Lay cards by hand into compartments; False, and none is laid, without room or while a card sticks."""

    @abstractmethod
    def _within_reach(self) -> Iterable[deque[Card]]:
        """The places of the inside, in the order in which hands empty them."""

    def take_out(self, count: int) -> list[Card]:
        """Take up to ``count`` cards by hand out of the inside, one place after another; not a stuck one."""
        taken: list[Card] = []
        for place in self._within_reach():
            while place and len(taken) < count:
                taken.append(place.popleft())
        self.settle()
        return taken

    def move_lid(self, open_it: bool, force: bool = False) -> bool:
        """Open or close the lid; False if its lock holds it. Closing latches by itself; force breaks open."""
        if open_it and self.lid_locked and not force and not self.lid_open:
            return False
        self.lid_open = open_it
        self.settle()
        return True
