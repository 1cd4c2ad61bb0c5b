"""Firmware of the supervisor's keypad: strokes and nothing else. It shows nothing and remembers nothing."""

from __future__ import annotations

from random import Random

from drivers.protocol.messages import Capability, Kind, Level, Stroke
from sim_hardware.equipment import Identity, Make
from sim_hardware.firmware import Firmware
from sim_hardware.keys import Keys


class KeypadFirmware(Firmware):
    """Sends each stroke at most once, with the prompt in force at key-down (30)."""

    levels = frozenset({Level.PROMPT})

    def __init__(self, identity: Identity, rng: Random, now: float) -> None:
        self.keys = Keys()
        super().__init__(identity, rng, now)

    def press(self, key: int, at: float) -> None:
        """An edge of a key: 0 to 9, or one of ``Key``. Before any link is open nobody hears it."""
        counter = self.next_stroke() if self.keys.edge(key, at) else None
        if counter is not None:
            self.send(Stroke(self.link, counter, self.values[Level.PROMPT], key))


SABOT_KEYPAD = Make(Identity(Kind.KEYPAD, Capability.SENDS_STROKES, "Sabot Keypad", "SK-0001"), KeypadFirmware)
