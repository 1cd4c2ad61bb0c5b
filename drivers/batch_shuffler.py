"""Batch shuffler: takes a whole pack, counts it, shuffles (or sorts, or inspects) it, and hands it over as one."""

from __future__ import annotations

from drivers.device import Driver
from drivers.protocol.batch import (
    Backs,
    CycleBegan,
    CycleEnded,
    Faces,
    FaultChanged,
    OutputChanged,
    PackOut,
    PassDone,
)
from drivers.protocol.messages import (
    Capability,
    CommandResult,
    EventsLost,
    FeedEmpty,
    HoldConfirmed,
    Inventory,
    JamChanged,
    Kind,
    Lapsed,
    Level,
    LidMoved,
    Operation,
    TrayChanged,
)

BATCH_SHUFFLER = Driver(
    name="batch shuffler",
    kind=Kind.BATCH_SHUFFLER,
    required=Capability.COUNTS_CARDS,
    bodies=frozenset(
        {
            TrayChanged,
            OutputChanged,
            CycleBegan,
            PassDone,
            CycleEnded,
            Faces,
            Backs,
            PackOut,
            FeedEmpty,
            LidMoved,
            HoldConfirmed,
            Lapsed,
            CommandResult,
            Inventory,
            JamChanged,
            FaultChanged,
            EventsLost,
        }
    ),
    levels=frozenset({Level.HOLD, Level.LAMP, Level.LID, Level.INTAKE}),
    operations=frozenset({Operation.INVENTORY, Operation.SHUFFLE, Operation.SORT, Operation.INSPECT}),
)
