"""Slot shuffler: a batch shuffler of one deck, a card a slot: it sees neither faces nor backs, and sorts nothing."""

from __future__ import annotations

from msgspec.structs import replace

from drivers.batch_shuffler import BATCH_SHUFFLER
from drivers.protocol.batch import Backs, Faces
from drivers.protocol.messages import Operation

SLOT_SHUFFLER = replace(
    BATCH_SHUFFLER,
    name="slot shuffler",
    bodies=BATCH_SHUFFLER.bodies - {Faces, Backs},
    operations=BATCH_SHUFFLER.operations - {Operation.SORT},
)
