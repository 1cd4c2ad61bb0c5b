"""The rig of a table with a continuous shuffler: machine and docked shoe are one mechanism; and any rig, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from sim_hardware.cards import Card
from sim_hardware.equipment import SHUFFLER, Identity, Machine
from sim_hardware.fingers import Now
from sim_hardware.machine import MachineMechanism
from sim_hardware.mechanics import COMPARTMENTS, NORMAL, Mechanism, Rates
from sim_hardware.open_cards import CannotDoError
from sim_hardware.rig import Fitted, ShoeMechanism, Table
from sim_hardware.shuffler import BuiltAs, ShufflerFirmware


@dataclass(frozen=True)
class Fittings(Fitted):
    """What a table with a continuous shuffler is fitted with: the machine beside what every table has."""

    rates: Rates = NORMAL
    compartments: int = COMPARTMENTS
    shuffler: BuiltAs = ShufflerFirmware

    def set_up(self, rng: Random, now: Now, ids: Random | None = None) -> CarouselTable:
        """Return the table that is fitted so."""
        return CarouselTable(rng, now, self, ids)


class CarouselTable(Table[Mechanism]):
    """A table with a continuous shuffler."""

    def __init__(self, rng: Random, now: Now, fittings: Fittings = Fittings(), ids: Random | None = None) -> None:
        self._fittings = fittings
        super().__init__(rng, now, fittings, ids)

    def _mechanisms(self, rng: Random) -> tuple[Mechanism, ShoeMechanism]:
        fitted = self._fittings
        mechanism = Mechanism(rng, fitted.rates, fitted.compartments, self.now.mechanics, self.faults)
        return mechanism, mechanism

    def _machine(self, identities: Mapping[str, Identity], rng: Random) -> Machine:
        return self._fittings.shuffler(identities[SHUFFLER], rng, self.now.link, self.mechanism)

    def inside(self) -> int:
        """Return how many cards are in the carousel, the buffer and at the mouth."""
        machine = self.mechanism
        jam = machine.jam
        stuck = jam is not None and jam.came_from is not machine.intake_tray
        return sum(map(len, (*machine.compartments, machine.buffer, machine.mouth))) + stuck

    def take_from_mouth(self) -> list[Card]:
        """Take what lies at the shoe's mouth from behind, through the open machine; it then lies on the table."""
        self._reach_inside()
        return self._lay_on_table(self.mechanism.take_from(self.mechanism.mouth))


PhysicalTable: TypeAlias = Table[MachineMechanism]
"""A table as people and wires find it, whatever its machine is."""

__all__ = ["CannotDoError", "CarouselTable", "Fittings", "Now", "PhysicalTable"]
