"""Shoe: what the dealer draws passes its gate and its reader, if it has one; it has the dealer's keys."""

from __future__ import annotations

from drivers.device import Driver
from drivers.protocol.messages import (
    Capability,
    CardDrawn,
    DealerKeyPressed,
    EventsLost,
    HoldConfirmed,
    Kind,
    Lapsed,
    Level,
    TrayChanged,
)

SHOE = Driver(
    name="shoe",
    kind=Kind.SHOE,
    required=Capability.COUNTS_CARDS,
    bodies=frozenset({CardDrawn, DealerKeyPressed, TrayChanged, HoldConfirmed, Lapsed, EventsLost}),
    levels=frozenset({Level.HOLD, Level.PROMPT}),
)
