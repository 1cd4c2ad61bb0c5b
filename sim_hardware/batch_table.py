"""The rig of a table with a batch shuffler: the machine, and docked to it a shoe that takes a whole pack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from drivers.protocol.batch import Mode
from sim_hardware.batch_makes import SHELF_IDENTITY
from sim_hardware.batch_mechanics import BatchMechanism, Build
from sim_hardware.batch_shuffler import BatchFirmware
from sim_hardware.cards import Card
from sim_hardware.dealing_shoe import DealingShoe
from sim_hardware.equipment import SHUFFLER, Identity
from sim_hardware.fingers import Now
from sim_hardware.open_cards import CannotDoError
from sim_hardware.registry import default_identities
from sim_hardware.rig import Fitted, ShoeMechanism, Table


def with_machine(machine: Identity) -> dict[str, Identity]:
    """Return what the devices of a table say of themselves, this machine among them."""
    return {**default_identities(), SHUFFLER: machine}


@dataclass(frozen=True)
class BatchFittings(Fitted):
    """What a table with a batch shuffler is fitted with: the machine beside what every table has."""

    identities: Mapping[str, Identity] = field(default_factory=lambda: with_machine(SHELF_IDENTITY))
    machine: type[BatchMechanism] = BatchMechanism
    build: Build | None = None
    """How it is built; None: as its make is."""

    def set_up(self, rng: Random, now: Now, ids: Random | None = None) -> BatchTable:
        """Return the table that is fitted so."""
        return BatchTable(rng, now, self, ids)


class HandedOver(NamedTuple):
    """A pack as it came into the shoe: by what cycle it was made, None by none, and its cards."""

    made: Mode | None
    cards: tuple[Card, ...]


class BatchTable(Table[BatchMechanism]):
    """A table with a batch shuffler. What comes out at its door lies there until somebody takes it."""

    def __init__(
        self, rng: Random, now: Now, fittings: BatchFittings = BatchFittings(), ids: Random | None = None
    ) -> None:
        self._fittings = fittings
        self.handed_over = HandedOver(None, ())
        """What the shoe was filled with last."""
        super().__init__(rng, now, fittings, ids)

    def _mechanisms(self, rng: Random) -> tuple[BatchMechanism, ShoeMechanism]:
        fitted, began = self._fittings, self.now.mechanics
        self.shoe = DealingShoe(began, faults=self.faults)
        return fitted.machine(rng, began, fitted.build, self.faults, self._fill_shoe), self.shoe

    def _fill_shoe(self, cards: Sequence[Card]) -> bool:
        taken = self.shoe.take_pack(cards)
        if taken:
            self.handed_over = HandedOver(self.mechanism.made, tuple(cards))
        return taken

    def _machine(self, identities: Mapping[str, Identity], rng: Random) -> BatchFirmware:
        self._firmware = BatchFirmware(identities[SHUFFLER], rng, self.now.link, self.mechanism)
        return self._firmware

    def inside(self) -> int:
        """Return how many cards are in the machine and in the shoe's pack; what came out at the door is not."""
        return len(self.in_machine()) + len(self.shoe.mouth)

    def in_machine(self) -> list[Card]:
        """Return the cards in compartments, lift and output, those that stick there or were left behind with them."""
        machine = self.mechanism
        piles = (*machine.compartments, *machine.left_behind, machine.lift, machine.output)
        jam = machine.jam
        stuck = [jam.card] if jam is not None and jam.came_from is not machine.intake_tray else []
        return [card for pile in piles for card in pile] + stuck

    # ---- what hands do at the machine

    def press_start(self, mode: Mode = Mode.SHUFFLE) -> bool:
        """Choose a mode at the machine's panel and press start; False if no cycle begins."""
        began = self._firmware.press_start(mode)
        self.stirs += 1
        return began

    def press_stop(self) -> None:
        """Press the machine's stop button."""
        self._firmware.press_stop()
        self.stirs += 1

    def take_from_door(self) -> list[Card]:
        """Take the pack that the machine let out; it then lies on the table."""
        return self._lay_on_table(self.mechanism.take_from(self.mechanism.door))

    def take_from_output(self) -> list[Card]:
        """Take the finished pack out of the output, which lies open to hands; it then lies on the table."""
        return self._lay_on_table(self.mechanism.take_from(self.mechanism.output))

    def repair(self) -> None:
        """Free what keeps the carousel from moving. Raises CannotDoError if a hand can free nothing, or lid closed."""
        self._reach_inside()
        if not self.mechanism.repair():
            raise CannotDoError("nothing here that a hand could free: it is the maker's to repair")
        self._settle()

    # ---- what hands do at the shoe

    def take_from_mouth(self) -> list[Card]:
        """Take what lies in the shoe by hand, past its reader; it then lies on the table."""
        return self._lay_on_table(self.shoe.take_from(self.shoe.mouth))

    def put_in_shoe(self, cards: Sequence[Card]) -> None:
        """Lay cards that lie open in the shoe, as they are. Raises CannotDoError if they do not fit."""
        picked = self._pick_up(cards)
        if not self.shoe.take_pack(picked):
            self.on_table.extend(picked)
            raise CannotDoError("the shoe has no room for so many; the cards lie on the table")
        self.handed_over = HandedOver(None, tuple(picked))
        self._settle()
