"""Lamp: shows the level that it is given, and tells nothing."""

from __future__ import annotations

from drivers.device import Driver
from drivers.protocol.messages import Capability, Kind, Level

LAMP = Driver(
    name="lamp",
    kind=Kind.LAMP,
    required=Capability.SHOWS_LAMP,
    bodies=frozenset(),
    levels=frozenset({Level.LAMP}),
)
