"""Firmware of the continuous shuffler: intake, carousel, feed, lid, lamp, inventory; and what its makes are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from drivers.cards import UNREAD
from drivers.protocol.messages import (
    Capability,
    CardFed,
    CardIn,
    Command,
    CommandResult,
    EventBody,
    IntakeChanged,
    Inventory,
    Kind,
    Level,
    Operation,
    Purpose,
)
from sim_hardware.equipment import MACHINE, Identity, Machine, Make
from sim_hardware.machine_firmware import MachineFirmware
from sim_hardware.mechanics import COMPARTMENTS, Mechanism
from sim_hardware.signals import CardPassed, Counted, Shuffled, Signal, Spot


class ShufflerFirmware(MachineFirmware[Mechanism]):
    """Counts each card in by a gap sensor, with its face where it has a reader there, and each out of its buffer."""

    def on_boot(self, memory_lost: bool) -> None:
        """Forget a command under way."""
        self._mechanism.stop_command()
        super().on_boot(memory_lost)
        self.control()

    def sense(self, signal: Signal) -> None:
        """A card passed a gap sensor, or a command is done. Path sensors are read by ``control``."""
        if isinstance(signal, Counted | Shuffled):
            self._finish(signal)
        elif isinstance(signal, CardPassed):
            self.tell(self._passed(signal))

    def _passed(self, signal: CardPassed) -> EventBody:
        if signal.spot is not Spot.INTAKE:
            return CardFed(self.released_for or 0)
        return CardIn(signal.face if self.can(Capability.READS_FACES) else UNREAD)

    def control(self) -> None:
        """Set motors, lock and lamp; tell lid, tray, intake, empty feed. A full window stops both (6)."""
        jammed = self._mechanism.jam_place is not None
        may_move = self.store.card_place_free and self.busy_with is None and not jammed
        intake_open = self.values[Level.INTAKE] == 1 or not self.can(Capability.CAN_SHUT_INTAKE)
        self._mechanism.intake_on = may_move and intake_open
        released = self.released_for in (Purpose.DEAL, Purpose.UNLOAD) or not self.can_hold
        self._mechanism.feed_on = may_move and released
        self._set_lock_and_lamp(stands=jammed)
        if jammed:
            self._mechanism.stop_command()
        self._mechanism.settle()
        self._tell_jam()
        if jammed and self.busy_with is not None:
            self._finish(Shuffled(done=False))
        self._tell_changes(IntakeChanged(ready=self._mechanism.intake_ready), self._mechanism.machine_empty)

    def carry_out(self, command: Command) -> bool:
        """Count by place, or shuffle; not with the lid open, nor while a card sticks."""
        if self._mechanism.lid_open or self._mechanism.jam_place is not None:
            return False
        if command.operation is Operation.INVENTORY:
            self._mechanism.start_count()
        else:
            self._mechanism.start_shuffle()
        return True

    def _finish(self, result: Counted | Shuffled) -> None:
        finished, self.busy_with = self.busy_with, None
        if finished is None:
            return
        if isinstance(result, Counted):
            self.tell(Inventory(finished, result.buffer, result.compartments))
        else:
            self.tell(CommandResult(finished, result.done))


BuiltAs = Callable[[Identity, Random, float, Mechanism], Machine]
"""Builds a machine around its mechanism: firmware of its own where a make differs by more than what it can do."""


@dataclass(frozen=True)
class ShufflerMake(Make[BuiltAs]):
    """A make of continuous shuffler, and how many compartments its carousel has."""

    compartments: int = COMPARTMENTS


SABOT_CAROUSEL = ShufflerMake(
    Identity(Kind.CONTINUOUS_SHUFFLER, MACHINE | Capability.CAN_HOLD, "Sabot Carousel", "SC38-0001"),
    ShufflerFirmware,
)
