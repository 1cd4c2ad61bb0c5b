"""An ordinary USB numeric keypad: a report of 8 bytes for each key that goes down or comes up, and nothing else."""

from __future__ import annotations

from math import inf
from random import Random

from drivers.protocol.messages import Capability, Key, Kind
from sim_hardware.equipment import Equipment, Identity, Make
from sim_hardware.keys import Keys

UP = bytes(8)
USAGES = {0: 0x62, **{digit: 0x58 + digit for digit in range(1, 10)}, Key.ENTER: 0x58, Key.CLEAR: 0x63}
"""The numbers of its keys (USB HID Usage Tables, page 07)."""


class UsbKeypad(Equipment):
    """It hears nothing, knows no prompt and keeps nothing: what nobody fetches is overwritten."""

    def __init__(self, identity: Identity, rng: Random, now: float) -> None:  # noqa: ARG002 - it draws nothing
        self.identity = identity
        self.boot(now)

    def boot(self, now: float, memory_lost: bool = False) -> None:  # noqa: ARG002 - it has no memory, no clock
        """All keys are up."""
        self.keys = Keys()
        self._out = bytearray()

    def plugged_in(self) -> None:
        """What was pressed meanwhile nobody heard."""
        self._out.clear()

    @property
    def has_to_send(self) -> bool:
        """Whether reports wait for the next step."""
        return bool(self._out)

    @property
    def deadline(self) -> float:
        """It does nothing by itself."""
        return 0.0 if self._out else inf

    def step(self, now: float, received: bytes) -> bytes:  # noqa: ARG002 - it hears nothing
        """Return the reports that wait."""
        out = bytes(self._out)
        self._out.clear()
        return out

    def press(self, key: int, at: float) -> None:
        """An edge of a key: 0 to 9, or one of ``Key``."""
        if self.keys.edge(key, at):
            self._out += bytes([0, 0, USAGES[key], 0, 0, 0, 0, 0]) + UP


USB_KEYPAD = Make(Identity(Kind.KEYPAD, Capability.SENDS_STROKES, "USB keypad", ""), UsbKeypad)
