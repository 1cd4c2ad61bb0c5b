"""Shoes without a table around them, and the number of flushes that a controller under measure has made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import ClassVar

from drivers.protocol.messages import Level
from firmware_bridge.service.clocks import boot_seconds
from sim_hardware.equipment import SHOE
from sim_hardware.firmware import Firmware
from sim_hardware.registry import default_identities


class BareShoe(Firmware):
    """A shoe without mechanism: it holds a link, and tells what it is given to tell."""

    levels: ClassVar[frozenset[Level]] = frozenset({Level.HOLD, Level.PROMPT})


class Shoes:
    """Any number of them, as a rig."""

    def __init__(self, names: Sequence[str]) -> None:
        identity = default_identities()[SHOE]
        self.devices: Mapping[str, Firmware] = {
            name: BareShoe(replace(identity, serial=name), Random(name), boot_seconds()) for name in names
        }

    def step(self, now: float, received: Mapping[str, bytes]) -> Mapping[str, bytes]:
        """See ``Rig``."""
        return {name: device.step(now, received.get(name, b"")) for name, device in self.devices.items()}

    def due(self) -> float:
        """See ``Rig``."""
        return min(device.deadline for device in self.devices.values())

    def beside_a_burst(self, now: float) -> Mapping[str, bytes]:
        """See ``Rig``. One whose event waits, or whose lane is done, would be taken for gone without its heartbeats."""
        return self.step(now, {}) if now >= self.due() else {}


class Flushes:
    """Counts the flushes of a controller (``controller.py``) through a file."""

    def __init__(self, file: Path) -> None:
        self.file = file
        file.write_bytes(bytes(8))

    @property
    def count(self) -> int:
        """How many there were so far."""
        return int.from_bytes(self.file.read_bytes(), "little")
