"""The makes of batch shuffler that can be simulated: what one of each says of itself, and how it is built."""

from __future__ import annotations

from dataclasses import dataclass

from drivers.protocol.messages import Capability, Kind
from sim_hardware.batch_mechanics import QUICK_SHELVES, BatchMechanism, Build
from sim_hardware.equipment import MACHINE, Identity, Make
from sim_hardware.slot_mechanics import SlotMechanism

CAN = MACHINE | Capability.CAN_HOLD
READS = Capability.READS_FACES | Capability.READS_BACKS | Capability.CAN_SORT

SHELF_IDENTITY = Identity(Kind.BATCH_SHUFFLER, CAN | READS, "Sabot Shelves 10", "SB10-0001")
"""A shelf machine that reads faces and backs, and sorts."""

SLOT_IDENTITY = Identity(Kind.BATCH_SHUFFLER, CAN, "Sabot Slots 54", "SB54-0001")
"""A slot machine, which can do neither."""


@dataclass(frozen=True)
class BatchMake(Make[type[BatchMechanism]]):
    """A make of batch shuffler. ``quick`` is how one is built that nobody waits for; None: as it always is."""

    quick: Build | None = None


SABOT_SHELVES = BatchMake(SHELF_IDENTITY, BatchMechanism, QUICK_SHELVES)
SABOT_SLOTS = BatchMake(SLOT_IDENTITY, SlotMechanism)
