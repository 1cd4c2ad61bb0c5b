"""The link thread of a configured device, for the controller and for whoever tries a device alone."""

from __future__ import annotations

from collections.abc import Callable

from drivers.capture import Capture
from drivers.link import LinkThread, Sink
from drivers.protocol.notices import DeviceCore
from drivers.registry import DRIVERS
from drivers.tap import Tap
from drivers.transport.base import Opener, SerialFormat, Transport
from drivers.transport.usb_address import VENDOR, UsbInterface
from firmware_bridge.service.clocks import boot_seconds
from firmware_bridge.service.config import Device
from firmware_bridge.service.port_facts import others_words

OpenPort = Callable[[str, SerialFormat, UsbInterface], Transport]
"""Opens a port, a serial line in this format or this interface of a USB device, or raises a ``LinkError``."""


def _opener_of(device: Device, open_port: OpenPort) -> Opener:
    """Return what opens a device's port, set up as the configuration says, or else as its driver has it."""
    driver = DRIVERS[device.driver]
    form = SerialFormat.parse(device.format) if device.format else driver.format
    return lambda: open_port(device.port, form, driver.interface or VENDOR)


def link_of(
    device: Device, core: DeviceCore, open_port: OpenPort, sink: Sink, capture: Capture | None = None
) -> LinkThread:
    """Return the thread of a device's link, which has not begun; what is no secret of it goes into ``capture`` too."""
    return LinkThread(
        device=device.name,
        port=device.port,
        core=core,
        open_port=_opener_of(device, open_port),
        sink=sink,
        clock=boot_seconds,
        tap=Tap(capture, DRIVERS[device.driver].judge),
        others=lambda: others_words(device.port),
    )
