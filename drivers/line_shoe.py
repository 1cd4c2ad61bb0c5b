"""Shoe of the older generation: it announces cards and keys in the ``line`` dialect, and hears nothing."""

from __future__ import annotations

from drivers.device import Driver
from drivers.line.codec import WholeFrames
from drivers.line.core import LineCore
from drivers.protocol.messages import (
    Capability,
    CardDrawn,
    DealerKeyPressed,
    EventsLost,
    Kind,
    Level,
    TrayChanged,
)
from drivers.transport.base import SerialFormat

LINE_SHOE = Driver(
    name="line shoe",
    kind=Kind.SHOE,
    required=Capability.COUNTS_CARDS | Capability.SEND_ONLY,
    bodies=frozenset({CardDrawn, DealerKeyPressed, TrayChanged, EventsLost}),
    levels=frozenset({Level.PROMPT}),
    wire=LineCore,
    format=SerialFormat.parse("9600 8E1"),
    interface=None,
    shows=WholeFrames,
)
