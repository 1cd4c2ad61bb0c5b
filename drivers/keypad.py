"""Keypad: the supervisor's keys, which act through strokes only and keep nothing."""

from __future__ import annotations

from drivers.device import Driver
from drivers.protocol.messages import Capability, Kind, Level

KEYPAD = Driver(
    name="keypad",
    kind=Kind.KEYPAD,
    required=Capability.SENDS_STROKES,
    bodies=frozenset(),
    levels=frozenset({Level.PROMPT}),
    strokes=True,
)
