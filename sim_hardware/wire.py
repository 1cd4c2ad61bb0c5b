"""A line between a device and its host: bytes may be lost, corrupted, doubled, come in two pieces, or not at all."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from random import Random
from typing import Protocol

from sim_hardware.faults import QUIET, Fault, Noise

LONGEST_HIT = 4
"""Bytes that are lost or corrupted at most at once."""


class Wire:
    """Carries bytes one way. ``struck`` counts what happened to them; at most one thing does so to a piece."""

    def __init__(self, rng: Random, noise: Noise = QUIET, struck: Counter[StrEnum] | None = None) -> None:
        self._rng = rng
        self._struck = Counter[StrEnum]() if struck is None else struck
        self._late = b""
        self._chances = (
            (noise.lost, Fault.BYTES_LOST),
            (noise.corrupted, Fault.BYTES_CORRUPTED),
            (noise.doubled, Fault.BYTES_DOUBLED),
            (noise.split, Fault.BYTES_SPLIT),
        )
        self._any = sum(chance for chance, _ in self._chances)

    def carry(self, data: bytes) -> bytes:
        """Return what arrives of ``data`` now, after what was late from before."""
        late, self._late = self._late, b""
        if not data or self._rng.random() >= self._any:
            return late + data
        [fault] = self._rng.choices([fault for _, fault in self._chances], [chance for chance, _ in self._chances])
        self._struck[fault] += 1
        return late + self._hit(fault, data)

    @property
    def is_late(self) -> bool:
        """Whether the rest of a piece is still on its way: it arrives with the next one, or alone."""
        return bool(self._late)

    def unplug(self) -> None:
        """Lose what is still on its way."""
        self._late = b""

    def quieten(self) -> None:
        """Carry everything as it comes, from now on."""
        self._any = 0.0

    def _hit(self, fault: Fault, data: bytes) -> bytes:
        at = self._rng.randrange(len(data))
        end = min(len(data), at + self._rng.randint(1, LONGEST_HIT))
        if fault is Fault.BYTES_LOST:
            return data[:at] + data[end:]
        if fault is Fault.BYTES_CORRUPTED:
            return data[:at] + bytes(byte ^ self._rng.randint(1, 255) for byte in data[at:end]) + data[end:]
        if fault is Fault.BYTES_DOUBLED:
            return data[:end] + data[at:]
        self._late = data[at:]
        return data[:at]


class Device(Protocol):
    """What stands at the far end of a line."""

    def step(self, now: float, received: bytes) -> bytes:
        """Take bytes received, return bytes to send."""
        ...


class Line:
    """A device's cable: a wire to it and a wire from it."""

    def __init__(self, to_device: Wire, from_device: Wire) -> None:
        self.plugged = True
        self.is_late = False
        """Whether something is still on its way."""
        self._wires = to_device, from_device

    def exchange(self, now: float, device: Device, received: bytes) -> bytes:
        """Step the device and carry the bytes both ways; without a cable none arrives."""
        if not self.plugged:
            device.step(now, b"")
            return b""
        to_device, from_device = self._wires
        sent = from_device.carry(device.step(now, to_device.carry(received)))
        self.is_late = to_device.is_late or from_device.is_late
        return sent

    def pull(self) -> None:
        """Pull the cable out: what is under way is lost."""
        self.plugged = self.is_late = False
        for wire in self._wires:
            wire.unplug()

    def quieten(self) -> None:
        """Carry everything as it comes, from now on."""
        for wire in self._wires:
            wire.quieten()
