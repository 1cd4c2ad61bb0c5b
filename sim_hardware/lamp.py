"""Firmware of the signal lamp on its pole above the table: one level."""

from __future__ import annotations

from drivers.protocol.messages import Capability, Kind, Lamp, Level
from sim_hardware.equipment import Identity, Make
from sim_hardware.firmware import Firmware, lamp_value


class LampFirmware(Firmware):
    """Shows what the lamp level says; goes on showing it when the host dies."""

    levels = frozenset({Level.LAMP})
    shown = Lamp.OFF
    """What the bulb does."""

    def on_boot(self, memory_lost: bool) -> None:  # noqa: ARG002 - it tells no events
        """Dark until told otherwise."""
        self.control()

    def control(self) -> None:
        """Drive the bulb."""
        self.shown = lamp_value(self)


SABOT_LAMP = Make(Identity(Kind.LAMP, Capability.SHOWS_LAMP, "Sabot Lamp", "SL-0001"), LampFirmware)
