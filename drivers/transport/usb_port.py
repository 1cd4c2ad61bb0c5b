"""Byte pipe over an interface of a USB device; the only file that knows pyusb, and where its errors become ours.

One thread owns the device: pyusb's objects stand no second one. So a read cannot be woken, and waits in short slices
instead; that a slice brings nothing is the rule. What a device is found by is its address, never its number on the bus,
which is another one after each time that it was plugged in.
"""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Any

import usb.core
import usb.util
from usb.backend import IBackend

from drivers.errors import (
    LinkBusyError,
    LinkError,
    LinkLostError,
    LinkNotFoundError,
    LinkPermissionError,
    LinkTimeoutError,
    LinkUnpluggedError,
)
from drivers.transport.base import Failure
from drivers.transport.usb_address import ALIKE, NO_SUCH, VENDOR, UsbAddress, UsbInterface

SLICE = 0.02
"""Seconds of one read: as long may an order wait that is given meanwhile."""

WRITE_TIMEOUT = 1.0
"""Seconds that a write may wait for the device."""

CLAIMS = 5
CLAIM_PAUSE = 0.05
"""How often an interface that is busy is asked for at one opening, and the seconds between: whoever had it may be
letting it go. The next opening asks again."""

TO_INTERFACE = usb.util.build_request_type(
    usb.util.CTRL_OUT, usb.util.CTRL_TYPE_CLASS, usb.util.CTRL_RECIPIENT_INTERFACE
)
"""What a request of an interface's class is sent as."""

_DATA = (usb.util.ENDPOINT_TYPE_BULK, usb.util.ENDPOINT_TYPE_INTR)


_NO_LIBRARY = Failure(
    LinkNotFoundError,
    "this system has no libusb, so no USB device can be reached",
    "install it (on Debian: apt install libusb-1.0-0)",
)
_FORBIDDEN = Failure(
    LinkPermissionError,
    "this user may not open the USB device",
    "have a udev rule give it to the service's group, and add the user to that group",
)
_BUSY = Failure(
    LinkBusyError,
    f"another program or driver has its interface, and kept it when asked {CLAIMS} times",
    "stop that program, or unplug the device and plug it in again; a device has one controller",
)
_NO_INTERFACE = Failure(
    LinkNotFoundError,
    "this device has no interface",
    "correct the device's address or its driver in the configuration",
)
_STALLED = Failure(
    LinkTimeoutError,
    f"the device took no more bytes for {WRITE_TIMEOUT:g} s",
    "check that the device is switched on and its cable sound; it is opened again",
)
_UNPLUGGED = Failure(LinkUnpluggedError, "unplugged", "plug it in again; it is opened as soon as it is back")
_FAILED = Failure(LinkLostError, "the transfer failed", "check the device's power and its cable; it is opened again")
_CLOSED = Failure(LinkLostError, "this pipe is closed", "open a new one")
_DUMB = Failure(LinkLostError, "this device takes no bytes", "correct its driver in the configuration")

_BY_ERRNO = {
    errno.ENODEV: _UNPLUGGED,
    errno.ENOENT: _UNPLUGGED,
    errno.ESHUTDOWN: _UNPLUGGED,
    errno.EACCES: _FORBIDDEN,
    errno.EPERM: _FORBIDDEN,
    errno.EBUSY: _BUSY,
}


def usb_error(address: UsbAddress, error: usb.core.USBError) -> LinkError:
    """Return what a failure of pyusb means; one that it gives no meaning is a transfer's that failed."""
    if isinstance(error, usb.core.USBTimeoutError):
        return _STALLED.at(address)
    failure = _BY_ERRNO.get(error.errno or 0)
    return failure.at(address) if failure else _FAILED.at(str(address), error.strerror or error)


def place_of(device: usb.core.Device) -> str:
    """Return the physical port that a device is plugged into, as ``1-2.3``: bus, then the port at each hub."""
    return f"{device.bus}-{'.'.join(map(str, device.port_numbers or ()))}"


def _serial_of(device: usb.core.Device) -> str | None:
    """Return its serial number; None where the device cannot be asked: pyusb takes no right for no language."""
    if not device.iSerialNumber:
        return ""
    try:
        return device.serial_number or ""
    except (usb.core.USBError, ValueError):
        return None
    finally:
        usb.util.dispose_resources(device)  # asking opened it


def _found(address: UsbAddress, backend: IBackend | None) -> usb.core.Device:
    """Return the device with this address. Raises LinkError: no library, no right and no device are three things."""
    try:
        devices = list(
            usb.core.find(find_all=True, idVendor=address.vendor, idProduct=address.product, backend=backend)
        )
    except usb.core.NoBackendError as error:
        raise _NO_LIBRARY.at(address) from error
    if address.place:
        matching = [device for device in devices if place_of(device) == address.place]
    else:
        serials = [_serial_of(device) for device in devices]
        matching = [device for device, serial in zip(devices, serials, strict=True) if serial == address.serial]
        if not matching and None in serials:
            raise _FORBIDDEN.at(address)
    if not matching:
        others = ", ".join(sorted(place_of(device) for device in devices))
        raise NO_SUCH.at(address, f"another of this product is at {others}" if others else "")
    if len(matching) > 1:
        raise ALIKE.at(address, ", ".join(sorted(map(place_of, matching))))
    return matching[0]


def _interface(device: usb.core.Device, wanted: UsbInterface) -> tuple[int, Any, Any]:
    """Return the number of the interface that is wanted, and its endpoints in and out. Raises LookupError."""
    try:
        configuration = device.get_active_configuration()
    except usb.core.USBError:
        device.set_configuration()  # only here: on a device that is configured it is a reset
        configuration = device.get_active_configuration()
    for interface in configuration:
        numbers = (interface.bInterfaceClass, interface.bInterfaceSubClass, interface.bInterfaceProtocol)
        ends = {_way(end): end for end in interface}
        fits = all(want in (None, number) for want, number in zip(wanted[:3], numbers, strict=True))
        if fits and usb.util.ENDPOINT_IN in ends:
            return interface.bInterfaceNumber, ends[usb.util.ENDPOINT_IN], ends.get(usb.util.ENDPOINT_OUT)
    raise LookupError(str(wanted))


def _take(device: usb.core.Device, number: int, hands_back: bool, undo: ExitStack) -> None:
    """Make an interface ours; the system's driver is sent away only where it has it."""
    if device.is_kernel_driver_active(number):
        device.detach_kernel_driver(number)
        if hands_back:
            undo.callback(_if_there, device.attach_kernel_driver, number)
    _claim(device, number)
    undo.callback(_if_there, usb.util.release_interface, device, number)


def _claim(device: usb.core.Device, number: int) -> None:
    for left in reversed(range(CLAIMS)):
        try:
            usb.util.claim_interface(device, number)
        except usb.core.USBError as error:
            if error.errno != errno.EBUSY or not left:
                raise
            time.sleep(CLAIM_PAUSE)
        else:
            return


def _set_up(device: usb.core.Device, number: int, interface: UsbInterface) -> None:
    for request, value in interface.requests:
        try:
            device.ctrl_transfer(TO_INTERFACE, request, value, number)
        except usb.core.USBError as error:
            if error.errno != errno.EPIPE:  # which says that it knows no other way
                raise


def _if_there(step: Callable[..., object], *arguments: object) -> None:
    """Undo a step at a device; one that is gone has nothing left to be undone."""
    with suppress(usb.core.USBError):
        step(*arguments)


def _way(endpoint: Any) -> int | None:
    """Return whether bytes come in or go out at an endpoint of bulk or interrupt transfers; None at any other."""
    if usb.util.endpoint_type(endpoint.bmAttributes) not in _DATA:
        return None
    return int(usb.util.endpoint_direction(endpoint.bEndpointAddress))


class UsbPort:
    """An interface of a USB device that is ours alone, as a byte pipe.

    ``backend`` is what pyusb reaches the bus through; None is the system's libusb.
    """

    def __init__(self, address: UsbAddress, interface: UsbInterface = VENDOR, backend: IBackend | None = None) -> None:
        self._address = address
        self._cancelled = threading.Event()
        self._undo = ExitStack()
        self._is_open = True
        device = _found(address, backend)
        with ExitStack() as undo:
            undo.callback(usb.util.dispose_resources, device)
            try:
                number, self._into, self._out = _interface(device, interface)
                _take(device, number, interface.handed_back, undo)
                _set_up(device, number, interface)
            except usb.core.USBError as error:
                raise usb_error(address, error) from error
            except LookupError as error:
                raise _NO_INTERFACE.at(address, error) from error
            self._undo = undo.pop_all()

    def read(self, timeout: float) -> bytes:
        """Wait up to ``timeout`` seconds, in slices, for a packet or for ``cancel``."""
        self._require_open()
        left = timeout
        while not self._cancelled.is_set():
            try:
                data = self._into.read(self._into.wMaxPacketSize, _milliseconds(min(left, SLICE)))
            except usb.core.USBTimeoutError:
                data = b""
            except usb.core.USBError as error:
                raise usb_error(self._address, error) from error
            left -= SLICE
            if data or left <= 0:
                return bytes(data)
        self._cancelled.clear()
        return b""

    def write(self, data: bytes) -> None:
        """Send ``data``, waiting up to ``WRITE_TIMEOUT`` seconds for the device."""
        self._require_open()
        if self._out is None:
            raise _DUMB.at(self._address)
        try:
            sent = self._out.write(data, _milliseconds(WRITE_TIMEOUT))
        except usb.core.USBError as error:
            raise usb_error(self._address, error) from error
        if sent != len(data):  # libusb tells a timeout in mid-transfer by what it sent
            raise _STALLED.at(self._address, f"{sent} of {len(data)} went out")

    def cancel(self) -> None:
        """End the read under way within ``SLICE`` seconds, or else the next one at once. It touches no device."""
        self._cancelled.set()

    def close(self) -> None:
        """Let go of the device; its interface is the system's again where it was before and may be."""
        self._is_open = False
        self._undo.close()

    def _require_open(self) -> None:
        if not self._is_open:
            raise _CLOSED.at(self._address)


def _milliseconds(seconds: float) -> int:
    """Return what pyusb takes for a time: at least 1, for 0 is for ever."""
    return max(1, round(seconds * 1000))
