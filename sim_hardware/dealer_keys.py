"""Firmware of the dealer's keys beside a metal box: no card passes it, and it holds none."""

from __future__ import annotations

from drivers.protocol.messages import Capability, Kind, Level
from sim_hardware.equipment import Identity, Make
from sim_hardware.shoe import ShoeFirmware
from sim_hardware.signals import CardPassed


class DealerKeysFirmware(ShoeFirmware):
    """Tells the keys alone. What hands find is a box: it opens to whoever pulls, and nothing in it senses."""

    levels = frozenset({Level.PROMPT})

    def sense(self, signal: CardPassed) -> None:
        """A card came out of the box: nothing tells of it."""


SABOT_DEALER_KEYS = Make(
    Identity(Kind.DEALER_KEYS, Capability.HAS_DEALER_KEYS, "Sabot Keys", "SD-0001"), DealerKeysFirmware
)
