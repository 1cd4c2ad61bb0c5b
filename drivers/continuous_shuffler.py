"""Continuous shuffler: takes discards in through its intake, mixes them, feeds the docked shoe."""

from __future__ import annotations

from drivers.device import Driver
from drivers.protocol.messages import (
    Capability,
    CardFed,
    CardIn,
    CommandResult,
    EventsLost,
    FeedEmpty,
    HoldConfirmed,
    IntakeChanged,
    Inventory,
    JamChanged,
    Kind,
    Lapsed,
    Level,
    LidMoved,
    Operation,
    TrayChanged,
)

CONTINUOUS_SHUFFLER = Driver(
    name="continuous shuffler",
    kind=Kind.CONTINUOUS_SHUFFLER,
    required=Capability.COUNTS_CARDS,
    bodies=frozenset(
        {
            CardIn,
            CardFed,
            FeedEmpty,
            TrayChanged,
            IntakeChanged,
            LidMoved,
            HoldConfirmed,
            Lapsed,
            CommandResult,
            Inventory,
            JamChanged,
            EventsLost,
        }
    ),
    levels=frozenset({Level.HOLD, Level.LAMP, Level.LID, Level.INTAKE}),
    operations=frozenset({Operation.INVENTORY, Operation.SHUFFLE}),
)
