"""What every machine's firmware has: lock and lamp, and what it tells once of a jam, lid, places and its emptiness."""

from __future__ import annotations

from random import Random
from typing import Generic, TypeVar

from drivers.protocol.batch import OutputChanged
from drivers.protocol.messages import (
    Capability,
    EventBody,
    FeedEmpty,
    IntakeChanged,
    JamChanged,
    JamPlace,
    Lamp,
    Level,
    LidMoved,
    Purpose,
    TrayChanged,
)
from sim_hardware.equipment import Identity, Machine
from sim_hardware.firmware import Firmware, lamp_value
from sim_hardware.machine import MachineMechanism

M = TypeVar("M", bound=MachineMechanism)

FRESH: tuple[EventBody, ...] = (
    LidMoved(open=False),
    TrayChanged(occupied=False),
    IntakeChanged(ready=True),
    OutputChanged(occupied=False),
)
"""What a fresh memory takes for said, all paths for clear: a boot tells only what it finds otherwise."""


class MachineFirmware(Firmware, Machine, Generic[M]):
    """What was told is remembered with the memory that tells it; a subclass sets the motors and says when to tell."""

    levels = frozenset({Level.HOLD, Level.LAMP, Level.LID, Level.INTAKE})

    def __init__(self, identity: Identity, rng: Random, now: float, mechanism: M) -> None:
        self._mechanism = mechanism
        super().__init__(identity, rng, now)

    def on_boot(self, memory_lost: bool) -> None:
        """Forget what was told, if memory is lost. A subclass forgets what was under way, and takes control."""
        self._told_empty = (0, 0)
        if memory_lost:
            self._told = {type(body): body for body in FRESH}
            self._told_jam: JamPlace | None = None

    def _set_lock_and_lamp(self, stands: bool) -> None:
        self._mechanism.lid_locked = self.can(Capability.CAN_LOCK_LID) and self.values[Level.LID] == 0
        # PT-A2: the warning light is the machine's own; no level puts it out.
        self._mechanism.lamp = Lamp.FLASHING if stands else lamp_value(self)

    def _tell_jam(self) -> None:
        place, told = self._mechanism.jam_place, self._told_jam
        if place is not told:
            self._told_jam = place
            if told is not None:
                self.tell(JamChanged(told, jammed=False))
            if place is not None:
                self.tell(JamChanged(place, jammed=True))

    def _tell_changes(self, of_its_kind: EventBody, empty: bool) -> None:
        """Tell lid, tray and what only this kind of machine has, where they changed; and once that it is unloaded."""
        machine = self._mechanism
        for body in (LidMoved(open=machine.lid_open), TrayChanged(occupied=bool(machine.intake_tray)), of_its_kind):
            if body != self._told[type(body)]:
                self._told[type(body)] = body
                self.tell(body)
        if self.released_for is Purpose.UNLOAD and empty and self._told_empty != self.release_id:
            self._told_empty = self.release_id
            self.tell(FeedEmpty())
