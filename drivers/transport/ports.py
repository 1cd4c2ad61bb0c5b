"""A device's pipe by the name of its port: a path is a serial port, ``usb:`` begins a USB device's address."""

from __future__ import annotations

from drivers.transport.base import SABOT_1, SerialFormat, Transport
from drivers.transport.serial_port import SerialPort
from drivers.transport.usb_address import VENDOR, UsbAddress, UsbInterface, is_usb_address


def open_port(port: str, form: SerialFormat = SABOT_1, interface: UsbInterface = VENDOR) -> Transport:
    """Return the open pipe to a port. Raises LinkError, and ValueError for a USB address that is none."""
    if not is_usb_address(port):
        return SerialPort(port, form)
    from drivers.transport.usb_port import UsbPort  # pyusb is loaded at a table that has such a device alone

    return UsbPort(UsbAddress.parse(port), interface)
