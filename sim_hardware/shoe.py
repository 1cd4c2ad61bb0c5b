"""Firmware of the card-reading shoe docked to the machine: gate, reader, own tray, the dealer's keys."""

from __future__ import annotations

from random import Random

from drivers.cards import UNREAD
from drivers.protocol.messages import (
    Capability,
    CardDrawn,
    DealerKey,
    DealerKeyPressed,
    Kind,
    Level,
    Purpose,
    TrayChanged,
)
from sim_hardware.dealing_shoe import ShoeParts
from sim_hardware.equipment import Identity, Make
from sim_hardware.firmware import Firmware
from sim_hardware.keys import Keys
from sim_hardware.signals import CardPassed


class ShoeFirmware(Firmware):
    """Tells each card that passes its reader, drawn by the dealer or, to verify, by its own motor."""

    levels = frozenset({Level.HOLD, Level.PROMPT})

    def __init__(self, identity: Identity, rng: Random, now: float, mechanism: ShoeParts) -> None:
        self._mechanism = mechanism
        self.keys = Keys()
        super().__init__(identity, rng, now)

    def on_boot(self, memory_lost: bool) -> None:
        """What was told of the tray is remembered with the memory that tells it."""
        if memory_lost:
            self._told_occupied = False
        self.control()

    def sense(self, signal: CardPassed) -> None:
        """A card passed the reader."""
        face = signal.face if self.can(Capability.READS_FACES) else UNREAD
        self.tell(CardDrawn(self.released_for or 0, face))

    def press(self, key: int, at: float) -> None:
        """An edge of one of the dealer's keys; a press is told under the prompt in force at key-down."""
        if self.keys.edge(key, at):
            self.tell(DealerKeyPressed(DealerKey(key), self.values[Level.PROMPT]))

    def control(self) -> None:
        """Set gate and motor, tell the tray. A full window shuts both (6); a shoe that cannot hold has no gate."""
        purpose = self.released_for if self.store.card_place_free else None
        self._mechanism.gate_open = purpose in (Purpose.DEAL, Purpose.UNLOAD) or not self.can_hold
        self._mechanism.shoe_motor_on = purpose is Purpose.VERIFY
        self._mechanism.settle()
        occupied = bool(self._mechanism.shoe_tray)
        if occupied != self._told_occupied:
            self._told_occupied = occupied
            self.tell(TrayChanged(occupied))


CAN = Capability.COUNTS_CARDS | Capability.HAS_DEALER_KEYS | Capability.CAN_HOLD | Capability.READS_FACES

SABOT_SHOE = Make(Identity(Kind.SHOE, CAN, "Sabot Shoe", "SS-0001"), ShoeFirmware)
