"""``sabot check``: whether a table's ports can be used as they must be, and whether lamps and keys do their work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import partial
from pathlib import Path

from msgspec import Struct

from drivers.protocol.messages import DealerKey, DealerKeyPressed, Key, Kind, Lamp, Level
from drivers.protocol.notices import EventTold, StrokeTold, Want
from drivers.registry import DRIVERS
from drivers.transport.serial_port import holder_of
from drivers.transport.usb_address import BOOT_KEYBOARD, is_usb_address
from firmware_bridge.service import port_facts
from firmware_bridge.service.config import Config, Device
from firmware_bridge.service.devices import IDENTIFY_LIMIT
from firmware_bridge.service.linking import OpenPort
from firmware_bridge.service.port_facts import LONGEST_LATENCY_MS, SYSTEM, Roots
from firmware_bridge.service.status import controller_of
from firmware_bridge.service.trial import Trial, trial_of

KEYS_LIMIT = 30.0
"""Seconds in which all keys of a device are to be pressed once."""

SHOWN = {Lamp.FLASHING: "flash", Lamp.STEADY: "shine steadily", Lamp.OFF: "stay dark"}
"""What a lamp is put to in its self-test, in order: it ends dark."""

KEYPAD_KEYS = frozenset(range(10)) | {Key.ENTER, Key.CLEAR}


class Verdict(StrEnum):
    """What was found; only *bad* fails the check."""

    GOOD = "ok"
    DOUBTFUL = "doubtful"
    BAD = "BAD"


class Finding(Struct, frozen=True):
    """One thing that was looked at, and what to do about it."""

    device: str
    what: str
    verdict: Verdict
    words: str

    def __str__(self) -> str:
        return f"{self.verdict:<8}  {self.device}: {self.what}: {self.words}"


def check_ports(config: Config, roots: Roots = SYSTEM) -> Iterator[Finding]:
    """Look at each port without opening it."""
    controller = controller_of(Path(config.table.status))
    for device in config.devices:
        if trouble := port_facts.trouble(device.port, roots):
            yield Finding(device.name, "port", Verdict.BAD, trouble)
            continue
        yield from (Finding(device.name, *found) for found in _port(device.port, controller, roots))
        if DRIVERS[device.driver].interface == BOOT_KEYBOARD:
            yield Finding(device.name, "keyboard", *_is_no_keyboard(device.port, roots))


def _port(port: str, controller: int | None, roots: Roots) -> Iterator[tuple[str, Verdict, str]]:
    if port_facts.may_open(port, roots):
        yield "rights", Verdict.GOOD, "this user may read and write it"
    else:
        yield "rights", Verdict.BAD, "this user may not open it; add the user to the port's group"
    yield ("exclusive use", *_exclusive_use(port, controller, roots))
    if not port_facts.is_usb(port, roots):
        yield "USB", Verdict.GOOD, "no USB device stands behind it: no latency timer, no power saving"
        return
    yield from _usb(port, roots)


def _exclusive_use(port: str, controller: int | None, roots: Roots) -> tuple[Verdict, str]:
    """Two programs at one port each get a part of its bytes (BR-031)."""
    holders = port_facts.holders(port, roots)
    if holders is None:
        return Verdict.DOUBTFUL, f"who has it is {port_facts.NOT_KNOWN}"
    others = ", ".join(str(one) for one in holders if one.process != controller)
    if not holders:
        return Verdict.GOOD, "nobody has it, as far as this user may see"
    if not others:
        return Verdict.GOOD, f"this table's controller has it (process {controller}) and keeps others out, root apart"
    locked = holder_of(port)
    if locked is not None and locked != controller:
        return Verdict.BAD, f"process {locked} has locked it, so no controller starts here: stop that one"
    beside = " beside this table's controller" if any(one.process == controller for one in holders) else ""
    return Verdict.DOUBTFUL, f"{others} has it{beside}; two programs each get a part of the bytes: stop that one"


def _usb(port: str, roots: Roots) -> Iterator[tuple[str, Verdict, str]]:
    latency = port_facts.latency_ms(port, roots)
    if latency is None:
        yield "latency timer", Verdict.GOOD, "its adapter has none"
    elif latency <= LONGEST_LATENCY_MS:
        yield "latency timer", Verdict.GOOD, f"{latency} ms"
    else:
        yield "latency timer", Verdict.DOUBTFUL, f"{latency} ms; have a udev rule set it to 1"
    power = port_facts.power_control(port, roots)
    if power == "on":
        yield "power saving", Verdict.GOOD, "off"
    else:
        yield (
            "power saving",
            Verdict.BAD,
            f"it is {power!r}: the device may be put to sleep; have a udev rule set it on",
        )
    if is_usb_address(port):
        return  # which no program takes for a modem
    if port_facts.modem_manager_keeps_off(port, roots):
        yield "ModemManager", Verdict.GOOD, "is told to keep off"
    else:
        yield (
            "ModemManager",
            Verdict.DOUBTFUL,
            "may talk to the device first, where it runs; a udev rule keeps it off",
        )


def _is_no_keyboard(port: str, roots: Roots) -> tuple[Verdict, str]:
    """What is typed on a keypad that the system has as a keyboard reaches a console: the digits of a PIN."""
    device = port_facts.usb_device(port, roots)
    driver = device.driver_of(BOOT_KEYBOARD.of_class) if device is not None else ""
    if driver:
        return Verdict.BAD, (
            f"the system's driver {driver} has it, so what is typed reaches a console; have usbhid leave it alone from "
            "the start (modprobe.d: options usbhid quirks=VENDOR:PRODUCT:0x0004), and plug it in again"
        )
    return Verdict.GOOD, "no driver of the system's has it"


# ---- self-tests: they open ports, so no controller may run


def try_lamps(config: Config, open_port: OpenPort, asks: Callable[[str], bool]) -> Iterator[Finding]:
    """Put each lamp to flash, to shine and dark again, and ask a person whether it did."""
    for device in config.devices:
        if Level.LAMP in DRIVERS[device.driver].levels:
            yield from _on_trial(device, "lamp", open_port, partial(_lamp, device.name, asks))


def _lamp(name: str, asks: Callable[[str], bool], trial: Trial) -> tuple[Verdict, str]:
    wrong = []
    for value, does in SHOWN.items():
        trial.order(Want(Level.LAMP, value))
        if not asks(f"Does the lamp of {name} {does}?"):
            wrong.append(does)
    if wrong:
        return Verdict.BAD, f"it did not {', nor '.join(wrong)}; check its power and its bulb"
    return Verdict.GOOD, "a person saw it flash, shine and go dark"


def try_keys(config: Config, open_port: OpenPort, says: Callable[[str], None]) -> Iterator[Finding]:
    """Have all keys of each device pressed; which of a keypad's were, is neither said nor kept."""
    for device in config.devices:
        kind = DRIVERS[device.driver].kind
        if kind is Kind.KEYPAD:
            says(f"{device.name}: press Clear, then each of its twelve keys once")
            yield from _on_trial(device, "keys", open_port, _keypad)
        elif kind in (Kind.SHOE, Kind.DEALER_KEYS):
            says(f"{device.name}: press each of the dealer's keys once")
            yield from _on_trial(device, "keys", open_port, _dealer_keys)


def _keypad(trial: Trial) -> tuple[Verdict, str]:
    pressed: set[int] = set()
    for notice in trial.heard(KEYS_LIMIT):
        if isinstance(notice, StrokeTold):
            pressed.add(notice.key)
        if pressed == KEYPAD_KEYS:
            return Verdict.GOOD, "all twelve were heard"
    return Verdict.BAD, f"{len(pressed)} of 12 were heard in {KEYS_LIMIT:g} s; replace the keypad if one is dead"


def _dealer_keys(trial: Trial) -> tuple[Verdict, str]:
    dead = set(DealerKey)
    kept = 0 if trial.opened is None else trial.opened.hello.last  # what it tells up to here was pressed before
    for notice in trial.heard(KEYS_LIMIT):
        if isinstance(notice, EventTold) and isinstance(notice.body, DealerKeyPressed) and notice.number > kept:
            dead.discard(notice.body.key)
        if not dead:
            return Verdict.GOOD, "all were heard"
    names = ", ".join(key.name.lower().replace("_", " ") for key in sorted(dead))
    return Verdict.BAD, f"not heard in {KEYS_LIMIT:g} s: {names}; have the shoe's keys seen to"


def _on_trial(
    device: Device, what: str, open_port: OpenPort, test: Callable[[Trial], tuple[Verdict, str]]
) -> Iterator[Finding]:
    holder = holder_of(device.port)
    if holder is not None:
        words = f"process {holder} has the port; stop the controller for this test"
        yield Finding(device.name, what, Verdict.BAD, words)
        return
    with trial_of(device, open_port) as trial:
        if trial.opens(IDENTIFY_LIMIT):
            yield Finding(device.name, what, *test(trial))
        else:
            yield Finding(device.name, what, Verdict.BAD, trial.trouble or "it does not say who it is")
