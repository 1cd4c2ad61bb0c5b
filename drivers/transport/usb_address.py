"""Which USB device is meant, and which of its interfaces, as a configuration and a driver say it. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from drivers.errors import LinkNotFoundError
from drivers.transport.base import Failure

SCHEME = "usb:"
"""How the name of a port begins that is no path."""

NO_SUCH = Failure(
    LinkNotFoundError, "no such USB device", "plug the device in, or correct its address in the configuration"
)
ALIKE = Failure(
    LinkNotFoundError,
    "two devices have this serial number",
    "name the physical port of the one that is meant, as usb:1209:0001@1-2.3",
)

ADDRESS = re.compile(r"usb:([0-9a-f]{4}):([0-9a-f]{4})(?::([!-?A-~]{1,64})|@(\d{1,3}-\d{1,2}(?:\.\d{1,2}){0,5}))")
"""What the text of an address is like; a serial number has no ``@`` and no space."""


class UsbAddress(NamedTuple):
    """A device by vendor and product and one more: its serial number, or the physical port that it is plugged into.

    The port is for makes whose serial numbers are empty or all the same (BR-030): then nothing else tells two apart.
    """

    vendor: int
    product: int
    serial: str = ""
    place: str = ""

    @classmethod
    def parse(cls, text: str) -> UsbAddress:
        """Return the device written as ``usb:1209:0001:SIM0001`` or ``usb:1209:0001@1-2.3``. Raises ValueError."""
        found = ADDRESS.fullmatch(text)
        if found is None:
            raise ValueError(
                f"{text!r} names no USB device; write vendor, product and serial number as usb:1209:0001:SIM0001, "
                "or vendor, product and physical port as usb:1209:0001@1-2.3"
            )
        return cls(int(found[1], 16), int(found[2], 16), found[3] or "", found[4] or "")

    def __str__(self) -> str:
        which = f"@{self.place}" if self.place else f":{self.serial}"
        return f"{SCHEME}{self.vendor:04x}:{self.product:04x}{which}"


def is_usb_address(port: str) -> bool:
    """Whether a port is a USB device itself, and no path."""
    return port.startswith(SCHEME)


class UsbInterface(NamedTuple):
    """Which interface of a device a make speaks on, by the numbers of USB's classes; None is any.

    ``handed_back``: whether the system's own driver gets it again when we let it go. ``requests`` are its class's
    requests without data that set it up, as number and value.
    """

    of_class: int
    subclass: int | None = None
    protocol: int | None = None
    handed_back: bool = True
    requests: tuple[tuple[int, int], ...] = ()

    def __str__(self) -> str:
        numbers = (self.of_class, self.subclass, self.protocol)
        return "class " + "/".join("any" if one is None else f"{one:02x}" for one in numbers)


VENDOR = UsbInterface(0xFF)
"""The vendor's own, bulk in and out: sabot/1 inside."""

SET_IDLE, SET_PROTOCOL = 0x0A, 0x0B

BOOT_KEYBOARD = UsbInterface(0x03, 0x01, 0x01, handed_back=False, requests=((SET_PROTOCOL, 0), (SET_IDLE, 0)))
"""A keyboard's or numeric keypad's, put to its boot reports, and to one for each change and none between.

It is not handed back: the system would type on it, and the digits of a PIN reach a console.
"""
