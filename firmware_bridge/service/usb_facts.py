"""What the system tells of a USB device without opening it: where it is, its node, and whose its interfaces are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from drivers.transport.usb_address import UsbAddress

DEVICES = Path("/sys/bus/usb/devices")
"""Where the system lists each device by the physical port that it is plugged into."""

NODES = Path("/dev/bus/usb")


class UsbDevice(Struct, frozen=True):
    """A device that is plugged in, by its folder among the system's."""

    folder: Path

    @property
    def place(self) -> str:
        """The physical port that it is plugged into, as ``1-2.3``."""
        return self.folder.name

    @property
    def address(self) -> UsbAddress:
        """Its own address, by its serial number if it has one."""
        serial = fact(self.folder, "serial")
        place = "" if serial else self.place
        return UsbAddress(_number(self.folder, "idVendor", 16), _number(self.folder, "idProduct", 16), serial, place)

    @property
    def node(self) -> str:
        """What a program opens to reach it."""
        return str(NODES / f"{_number(self.folder, 'busnum', 10):03}" / f"{_number(self.folder, 'devnum', 10):03}")

    def driver_of(self, of_class: int) -> str:
        """Return the system's driver that has an interface of this class; empty where none has one."""
        for interface in sorted(self.folder.glob(f"{self.place}:*")):
            driver = interface / "driver"
            if _number(interface, "bInterfaceClass", 16) == of_class and driver.exists():
                return driver.resolve().name
        return ""


def plugged_in(devices: Path = DEVICES) -> Iterator[UsbDevice]:
    """Yield each device, in the order of their ports; none where the system has no USB."""
    for folder in sorted(devices.glob("*")):
        if fact(folder, "idVendor"):
            yield UsbDevice(folder)


def devices_at(address: UsbAddress, devices: Path = DEVICES) -> list[UsbDevice]:
    """Return the devices with this address: none, the one that is meant, or several that it does not tell apart."""
    return [device for device in plugged_in(devices) if _is_meant(address, device)]


def _is_meant(address: UsbAddress, device: UsbDevice) -> bool:
    own = device.address
    if own[:2] != address[:2]:
        return False
    return device.place == address.place if address.place else own.serial == address.serial


def _number(folder: Path, name: str, base: int) -> int:
    try:
        return int(fact(folder, name), base)
    except ValueError:
        return 0


def fact(folder: Path, name: str) -> str:
    """Return what the system says under a name; empty where it says nothing."""
    try:
        return (folder / name).read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
