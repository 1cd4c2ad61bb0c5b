"""A USB stack light: three colours and a buzzer, each told by a frame of its own; written from its maker's sheet."""

from __future__ import annotations

from enum import IntEnum
from math import inf
from random import Random

from drivers.protocol.messages import Lamp
from sim_hardware.equipment import Equipment, Identity, Make
from sim_hardware.lamp import SABOT_LAMP

FRAME = 4
FIRST = 0xA0
SHOWS = {0x00: Lamp.OFF, 0x01: Lamp.STEADY, 0x12: Lamp.FLASHING}


class Colour(IntEnum):
    """The channels; what has another number is not fitted."""

    RED = 1
    GREEN = 2
    YELLOW = 3
    BUZZER = 4


class StackLight(Equipment):
    """Does what a good frame says and answers nothing; its lights stay as they are when the host dies."""

    def __init__(self, identity: Identity, rng: Random, now: float) -> None:  # noqa: ARG002 - it draws nothing
        self.identity = identity
        self.boot(now)

    def boot(self, now: float, memory_lost: bool = False) -> None:  # noqa: ARG002 - it has no memory, no clock
        """Dark until told otherwise."""
        self.colours = dict.fromkeys(Colour, Lamp.OFF)
        self._heard = bytearray()

    def plugged_in(self) -> None:
        """Half a frame of before is void."""
        self._heard.clear()

    @property
    def shown(self) -> Lamp:
        """What the red light does."""
        return self.colours[Colour.RED]

    @property
    def has_to_send(self) -> bool:
        """Whether bytes wait: never."""
        return False

    @property
    def deadline(self) -> float:
        """It does nothing by itself."""
        return inf

    def step(self, now: float, received: bytes) -> bytes:  # noqa: ARG002 - it has no clock
        """Take bytes in any pieces; a frame with a wrong sum is none, and is looked through for the next one."""
        self._heard += received
        while len(self._heard) >= FRAME:
            first, channel, state, total = self._heard[:FRAME]
            if first != FIRST or total != (first + channel + state) & 0xFF or state not in SHOWS:
                del self._heard[0]
                continue
            if channel in self.colours:
                self.colours[Colour(channel)] = SHOWS[state]
            del self._heard[:FRAME]
        return b""


STACK_LIGHT = Make(SABOT_LAMP.identity, StackLight)
