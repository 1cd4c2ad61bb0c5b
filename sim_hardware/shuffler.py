"""Firmware of the continuous shuffler: intake, carousel, feed, lid, lamp, inventory."""

from __future__ import annotations

from random import Random

from drivers.cards import UNREAD
from drivers.protocol.messages import (
    Capability,
    CardFed,
    CardIn,
    Command,
    CommandResult,
    EventBody,
    FeedEmpty,
    IntakeChanged,
    Inventory,
    JamChanged,
    JamPlace,
    Lamp,
    Level,
    LidMoved,
    Operation,
    Purpose,
    TrayChanged,
)
from sim_hardware.equipment import Identity
from sim_hardware.firmware import Firmware, lamp_value
from sim_hardware.mechanics import Mechanism
from sim_hardware.signals import CardPassed, Counted, Shuffled, Signal, Spot

FRESH: tuple[EventBody, ...] = (LidMoved(open=False), TrayChanged(occupied=False), IntakeChanged(ready=True))
"""What a fresh memory takes for said: a boot tells only what it finds otherwise."""


class ShufflerFirmware(Firmware):
    """Counts each card in by a gap sensor and each card out of its buffer; sees no face."""

    levels = frozenset({Level.HOLD, Level.LAMP, Level.LID, Level.INTAKE})

    def __init__(self, identity: Identity, rng: Random, now: float, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        super().__init__(identity, rng, now)

    def on_boot(self, memory_lost: bool) -> None:
        """Forget a command under way; what was told is remembered with the memory that tells it."""
        self._mechanism.stop_command()
        self._told_empty = (0, 0)
        if memory_lost:
            self._told = {type(body): body for body in FRESH}
            self._told_jam: JamPlace | None = None
        self.control()

    def sense(self, signal: Signal) -> None:
        """A card passed a gap sensor, or a command is done. Path sensors are read by ``control``."""
        if isinstance(signal, Counted | Shuffled):
            self._finish(signal)
        elif isinstance(signal, CardPassed):
            self.tell(CardIn(UNREAD) if signal.spot is Spot.INTAKE else CardFed(self.released_for or 0))

    def control(self) -> None:
        """Set motors, lock and lamp; tell lid, tray, intake, empty feed. A full window stops both (6)."""
        jammed = self._mechanism.jam_place is not None
        may_move = self.store.card_place_free and self.busy_with is None and not jammed
        self._mechanism.intake_on = may_move and self.values[Level.INTAKE] == 1
        released = self.released_for in (Purpose.DEAL, Purpose.UNLOAD) or not self.can_hold
        self._mechanism.feed_on = may_move and released
        self._mechanism.lid_locked = self.can(Capability.CAN_LOCK_LID) and self.values[Level.LID] == 0
        # PT-A2: the warning light is the machine's own; no level puts it out.
        self._mechanism.lamp = Lamp.FLASHING if jammed else lamp_value(self)
        if jammed:
            self._mechanism.stop_command()
        self._mechanism.settle()
        self._tell_jam()
        self._tell_changes()

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

    def _tell_jam(self) -> None:
        place, told = self._mechanism.jam_place, self._told_jam
        if place is not told:
            self._told_jam = place
            if told is not None:
                self.tell(JamChanged(told, jammed=False))
            if place is not None:
                self.tell(JamChanged(place, jammed=True))
        if place is not None and self.busy_with is not None:
            self._finish(Shuffled(done=False))

    def _tell_changes(self) -> None:
        standing: tuple[EventBody, ...] = (
            LidMoved(open=self._mechanism.lid_open),
            TrayChanged(occupied=bool(self._mechanism.intake_tray)),
            IntakeChanged(ready=self._mechanism.intake_ready),
        )
        for body in standing:
            if body != self._told[type(body)]:
                self._told[type(body)] = body
                self.tell(body)
        if self._unloaded() and self._told_empty != self.release_id:
            self._told_empty = self.release_id
            self.tell(FeedEmpty())

    def _unloaded(self) -> bool:
        return self.released_for is Purpose.UNLOAD and self._mechanism.machine_empty
