"""A USB bus within the process, for pyusb to find simulated devices on; the simulator's one file that knows pyusb.

A device's end is a port as ``pty_port.PtyPort`` is one, so a table runs on it unchanged.
"""

from __future__ import annotations

import array
import errno
import os
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, NoReturn

import usb.core
import usb.util
from usb.backend import IBackend

PACKET = 64
"""Bytes of a full-speed bulk packet."""

INTO, OUT = 0x81, 0x02
"""Addresses of the endpoints of a device's own interface."""

TO_INTERFACE = 0x21
"""How a request to an interface, of its class, is marked."""

LANGUAGE = bytes([4, 3, 9, 4])
STRING = 3
"""The kind of descriptor that is a text."""


@dataclass(frozen=True)
class UsbProduct:
    """What a device says of itself on the bus; its own interface is the first, ``others`` are there and idle.

    ``packets`` bounds what one transfer brings: a keyboard's report is 8 bytes.
    """

    vendor: int
    product: int
    serial: str
    name: str = "simulated"
    interface: tuple[int, int, int] = (0xFF, 0, 0)
    packet: int = PACKET
    transfer: int = usb.util.ENDPOINT_TYPE_BULK
    hears: bool = True
    others: int = 0


@dataclass
class _Node:
    """A device that is plugged in: each time another one, with another number."""

    address: int
    is_there: bool = True
    claimed: set[int] = field(default_factory=set)


class UsbPlug:
    """The device's end of a cable to the bus. ``system_drives`` are the interfaces that the system's driver has.

    Not thread-safe on the device's side: its user locks. The host's side is pyusb's.
    """

    def __init__(self, bus: UsbBus, product: UsbProduct, place: tuple[int, ...] = (1,)) -> None:
        self.product = product
        self.place = place
        self.system_drives: set[int] = set()
        self.is_busy = False
        """Another program has the interface and lets it go for nobody."""
        self.is_forbidden = False
        """This user may not open it."""
        self.stalls = False
        """Each transfer fails."""
        self.is_deaf = False
        """It takes no bytes."""
        self.requests: list[tuple[int, int, int]] = []
        """What was requested of an interface: request, value, interface."""
        self.refused: set[int] = set()
        """Requests that it does not know."""
        self._bus = bus
        self._arrived = bytearray()
        self.packets: deque[bytes] = deque()
        self._woken = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self.node: _Node | None = None
        bus.plugs.append(self)
        self.plug()

    def plug(self) -> None:
        """Plug it in: it is found from now on, as a device with another number."""
        with self._bus.changed:
            if self.node is None:
                self._bus.numbers += 1
                self.node = _Node(self._bus.numbers)
                self._bus.changed.notify_all()

    def unplug(self) -> None:
        """Pull the cable: what was under way is lost."""
        with self._bus.changed:
            if self.node is not None:
                self.node.is_there = False
            self.node = None
            self._arrived.clear()
            self.packets.clear()
            self._bus.changed.notify_all()

    def close(self) -> None:
        """Take the device away for good."""
        self.unplug()
        if self in self._bus.plugs:
            self._bus.plugs.remove(self)
            os.close(self._woken)

    def fileno(self) -> int | None:
        """Descriptor to wait on for bytes; None while unplugged."""
        return self._woken if self.node is not None else None

    def read(self) -> bytes:
        """Return what the host sent; empty if nothing came."""
        with self._bus.changed:
            data = bytes(self._arrived)
            self._arrived.clear()
            with suppress(BlockingIOError):
                os.eventfd_read(self._woken)
            return data

    def write(self, data: bytes) -> None:
        """Send bytes, in packets; they wait until the host asks."""
        with self._bus.changed:
            if self.node is None:
                return
            size = self.product.packet
            self.packets += (data[at : at + size] for at in range(0, len(data), size))
            self._bus.changed.notify_all()

    def take(self, data: bytes) -> None:
        """The host sent this; the bus is locked."""
        self._arrived += data
        os.eventfd_write(self._woken, 1)


@dataclass(frozen=True)
class _Handle:
    plug: UsbPlug
    node: _Node


class UsbBus(IBackend):  # type: ignore[misc] # pyusb has no types
    """What pyusb takes in libusb's place. A handle is a plug, and the node that it was when it was found."""

    def __init__(self) -> None:
        super().__init__()
        self.plugs: list[UsbPlug] = []
        self.numbers = 1
        self.changed = threading.Condition()
        self.handles = 0
        """How many are open: a driver that is closed leaves none."""

    # ---- finding

    def enumerate_devices(self) -> Iterator[_Handle]:
        """Yield each device that is plugged in."""
        with self.changed:
            found = [_Handle(plug, plug.node) for plug in self.plugs if plug.node is not None]
        return iter(found)

    def get_parent(self, device: _Handle) -> None:
        """There are no hubs."""
        del device

    def get_device_descriptor(self, device: _Handle) -> SimpleNamespace:
        """Return what the device says of itself."""
        product = device.plug.product
        return SimpleNamespace(
            bLength=18, bDescriptorType=1, bcdUSB=0x0200, bDeviceClass=0, bDeviceSubClass=0, bDeviceProtocol=0,
            bMaxPacketSize0=64, idVendor=product.vendor, idProduct=product.product, bcdDevice=0x0100, iManufacturer=0,
            iProduct=1, iSerialNumber=2 if product.serial else 0, bNumConfigurations=1, address=device.node.address,
            bus=1, port_number=device.plug.place[-1], port_numbers=device.plug.place, speed=usb.util.SPEED_FULL,
        )  # fmt: skip

    def get_configuration_descriptor(self, device: _Handle, index: int) -> SimpleNamespace:
        """Return the only configuration. Raises IndexError past it, as pyusb asks."""
        _only_below(index, 1)
        return SimpleNamespace(
            bLength=9, bDescriptorType=2, wTotalLength=9, bNumInterfaces=1 + device.plug.product.others,
            bConfigurationValue=1, iConfiguration=0, bmAttributes=0x80, bMaxPower=50, extra_descriptors=_nothing(),
        )  # fmt: skip

    def get_interface_descriptor(self, device: _Handle, index: int, alternate: int, _configuration: int) -> Any:
        """Return an interface. Raises IndexError past the last."""
        product = device.plug.product
        _only_below(index, 1 + product.others)
        _only_below(alternate, 1)
        of_class, subclass, protocol = product.interface if index == 0 else (0x03, 0x00, 0x00)
        ends = 1 + product.hears if index == 0 else 0
        return SimpleNamespace(
            bLength=9, bDescriptorType=4, bInterfaceNumber=index, bAlternateSetting=0, bNumEndpoints=ends,
            bInterfaceClass=of_class, bInterfaceSubClass=subclass, bInterfaceProtocol=protocol, iInterface=0,
            extra_descriptors=_nothing(),
        )  # fmt: skip

    def get_endpoint_descriptor(
        self, device: _Handle, end: int, index: int, _alternate: int, _configuration: int
    ) -> Any:
        """Return an endpoint. Raises IndexError past the last."""
        product = device.plug.product
        _only_below(end, 1 + product.hears if index == 0 else 0)
        return SimpleNamespace(
            bLength=7, bDescriptorType=5, bEndpointAddress=(INTO, OUT)[end], bmAttributes=product.transfer,
            wMaxPacketSize=product.packet, bInterval=10, bRefresh=0, bSynchAddress=0, extra_descriptors=_nothing(),
        )  # fmt: skip

    # ---- opening

    def open_device(self, device: _Handle) -> _Handle:
        """Open it."""
        _require_there(device)
        if device.plug.is_forbidden:
            _fail(errno.EACCES, "Access denied (insufficient permissions)")
        self.handles += 1
        return device

    def close_device(self, device: _Handle) -> None:
        """Close it; its interfaces are free."""
        device.node.claimed.clear()
        self.handles -= 1

    def get_configuration(self, device: _Handle) -> int:
        """It was configured by the system."""
        _require_there(device)
        return 1

    def set_configuration(self, device: _Handle, value: int) -> None:
        """The system refuses it while any interface has a driver (BR-033)."""
        _require_there(device)
        if device.plug.system_drives:
            _fail(errno.EBUSY, f"Resource busy (configuration {value})")

    def claim_interface(self, device: _Handle, number: int) -> None:
        """Make it the caller's."""
        _require_there(device)
        if device.plug.is_busy or number in device.plug.system_drives or number in device.node.claimed:
            _fail(errno.EBUSY, "Resource busy")
        device.node.claimed.add(number)

    def release_interface(self, device: _Handle, number: int) -> None:
        """Let it go."""
        _require_there(device)
        device.node.claimed.discard(number)

    def is_kernel_driver_active(self, device: _Handle, number: int) -> bool:
        """Whether the system's driver has it."""
        _require_there(device)
        return number in device.plug.system_drives

    def detach_kernel_driver(self, device: _Handle, number: int) -> None:
        """Take it from the system's driver."""
        _require_there(device)
        device.plug.system_drives.discard(number)

    def attach_kernel_driver(self, device: _Handle, number: int) -> None:
        """Give it to the system's driver."""
        _require_there(device)
        device.plug.system_drives.add(number)

    # ---- transfers

    def bulk_write(self, device: _Handle, _end: int, _interface: int, data: array.array[int], _timeout: int) -> int:
        """Take bytes from the host."""
        with self.changed:
            _require_works(device)
            if device.plug.is_deaf:
                raise usb.core.USBTimeoutError("Operation timed out", -7, errno.ETIMEDOUT)
            device.plug.take(data.tobytes())
            return len(data)

    def bulk_read(self, device: _Handle, _end: int, _interface: int, into: array.array[int], timeout: int) -> int:
        """Give the host a packet as soon as there is one. Raises USBTimeoutError, which is the rule."""
        plug = device.plug
        with self.changed:
            self.changed.wait_for(lambda: plug.packets or plug.stalls or not device.node.is_there, timeout / 1000)
            _require_works(device)
            if not plug.packets:
                raise usb.core.USBTimeoutError("Operation timed out", -7, errno.ETIMEDOUT)
            packet = plug.packets.popleft()
            into[: len(packet)] = array.array("B", packet)
            return len(packet)

    intr_read, intr_write = bulk_read, bulk_write

    def ctrl_transfer(
        self, device: _Handle, kind: int, request: int, value: int, index: int, data: array.array[int], _timeout: int
    ) -> int:
        """Answer with a text; what is requested of an interface is kept in ``requests``."""
        _require_there(device)
        if kind & TO_INTERFACE == TO_INTERFACE:
            if request in device.plug.refused:
                _fail(errno.EPIPE, "Pipe error")
            device.plug.requests.append((request, value, index))
            return 0
        number = value & 0xFF
        product = device.plug.product
        text = (product.name if number == 1 else product.serial).encode("utf-16-le")
        answer = LANGUAGE if number == 0 else bytes([2 + len(text), STRING]) + text
        given = answer[: len(data)]
        data[: len(given)] = array.array("B", given)
        return len(given)


def _nothing() -> array.array[int]:
    return array.array("B")


def _only_below(index: int, count: int) -> None:
    if index >= count:
        raise IndexError(f"there are only {count}")


def _require_there(device: _Handle) -> None:
    if not device.node.is_there:
        _fail(errno.ENODEV, "No such device (it may have been disconnected)")


def _require_works(device: _Handle) -> None:
    _require_there(device)
    if device.plug.stalls:
        _fail(errno.EPIPE, "Pipe error")


def _fail(number: int, words: str) -> NoReturn:
    raise usb.core.USBError(words, -1, number)
