"""What the system tells of a port without opening it, which could reset a device: who has it, rights, USB adapter."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from msgspec import Struct

from drivers.transport.serial_port import holder_of, opening_error
from drivers.transport.usb_address import ALIKE, NO_SUCH, UsbAddress, is_usb_address
from firmware_bridge.service import usb_facts
from firmware_bridge.service.usb_facts import UsbDevice, fact


class Roots(Struct, frozen=True):
    """Where the system keeps its facts; a test has folders of its own."""

    proc: Path = Path("/proc")
    tty: Path = Path("/sys/class/tty")
    udev: Path = Path("/run/udev/data")
    devices: Path = Path("/sys/dev/char")
    usb: Path = usb_facts.DEVICES


SYSTEM = Roots()

LONGEST_LATENCY_MS = 4
"""Milliseconds that an adapter may keep bytes back; FTDI's come with 16."""


class Holder(Struct, frozen=True):
    """A process that has a port open."""

    process: int
    name: str

    def __str__(self) -> str:
        return f"process {self.process} ({self.name})"


NOT_KNOWN = "not known: the system does not tell which processes there are"
"""Who has a port, where ``holders`` cannot see."""


def holders(port: str, roots: Roots = SYSTEM) -> list[Holder] | None:
    """Return who has a port open, as far as this user may see it; None where it cannot be seen at all."""
    node = node_of(port, roots)
    if not node:
        return []  # nothing is plugged in, so nobody has it
    real = os.path.realpath(node)
    try:  # without a free descriptor this fails, and whoever asks for it has another trouble then
        processes = [folder for folder in roots.proc.iterdir() if folder.name.isdecimal()]
    except OSError:
        return None
    found = {int(folder.name) for folder in processes if _has_open(folder, real)}
    locked = holder_of(port)
    if locked is not None:
        found.add(locked)
    return [Holder(process, _name_of(roots.proc / str(process))) for process in sorted(found)]


def others_words(port: str, roots: Roots = SYSTEM) -> str:
    """Say which other processes have a port open, as far as this user may see it; empty where none is seen."""
    found = holders(port, roots)
    if found is None:
        return NOT_KNOWN
    return ", ".join(str(one) for one in found if one.process != os.getpid())


def _has_open(process: Path, path: str) -> bool:
    try:
        return any(os.readlink(file) == path for file in (process / "fd").iterdir())
    except OSError:
        return False  # another user's process, or one that has just ended


def _name_of(process: Path) -> str:
    try:
        return (process / "comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return "?"


def trouble(port: str, roots: Roots = SYSTEM) -> str:
    """Say why a port cannot be opened, in the words of who would; empty where it leads to a terminal or USB device."""
    if is_usb_address(port):
        return _usb_trouble(port, roots)
    try:
        found = os.stat(port)
    except OSError as error:
        return str(opening_error(port, error))
    if stat.S_ISCHR(found.st_mode) and _is_terminal(found.st_rdev, roots):
        return ""
    return str(opening_error(port, OSError(errno.ENOTTY, os.strerror(errno.ENOTTY))))


def _usb_trouble(port: str, roots: Roots) -> str:
    found = usb_facts.devices_at(UsbAddress.parse(port), roots.usb)
    failure = ALIKE if found else NO_SUCH
    return "" if len(found) == 1 else str(failure.at(port, ", ".join(device.place for device in found)))


def _is_terminal(number: int, roots: Roots) -> bool:
    """Whether the system has a device as a terminal; of those that it does not list, as the pairs of a pty, it is."""
    try:
        return os.readlink(roots.devices / f"{os.major(number)}:{os.minor(number)}" / "subsystem").endswith("/tty")
    except OSError:
        return True


def may_open(port: str, roots: Roots = SYSTEM) -> bool:
    """Whether this user may read and write it."""
    return os.access(node_of(port, roots), os.R_OK | os.W_OK)


def latency_ms(port: str, roots: Roots = SYSTEM) -> int | None:
    """Return how many milliseconds the adapter keeps bytes back; None where it has no such setting."""
    text = fact(_device(port, roots), "latency_timer")
    return int(text) if text.isdigit() else None


def power_control(port: str, roots: Roots = SYSTEM) -> str:
    """Return ``on``, or ``auto`` where the system may send the USB device to sleep; empty where there is no USB."""
    device = usb_device(port, roots)
    return "" if device is None else fact(device.folder, "power/control")


def usb_device(port: str, roots: Roots = SYSTEM) -> UsbDevice | None:
    """Return the USB device that a port is, or that stands behind it."""
    if is_usb_address(port):
        found = usb_facts.devices_at(UsbAddress.parse(port), roots.usb)
        return found[0] if len(found) == 1 else None
    folder = _device(port, roots).resolve()
    return next((UsbDevice(one) for one in (folder, *folder.parents) if (one / "idVendor").exists()), None)


def node_of(port: str, roots: Roots = SYSTEM) -> str:
    """Return what a program opens to reach a port: its path, or the node of a USB device; empty where that is none."""
    if not is_usb_address(port):
        return port
    device = usb_device(port, roots)
    return "" if device is None else device.node


def modem_manager_keeps_off(port: str, roots: Roots = SYSTEM) -> bool:
    """Whether a udev rule tells ModemManager to leave the device alone (BR-029)."""
    try:
        number = os.stat(port).st_rdev
    except OSError:
        return False
    lines = fact(roots.udev, f"c{os.major(number)}:{os.minor(number)}").splitlines()
    return "E:ID_MM_DEVICE_IGNORE=1" in lines or "E:ID_MM_PORT_IGNORE=1" in lines


def is_usb(port: str, roots: Roots = SYSTEM) -> bool:
    """Whether a USB device stands behind the port."""
    return power_control(port, roots) != ""


def _device(port: str, roots: Roots) -> Path:
    return roots.tty / os.path.basename(os.path.realpath(port)) / "device"
