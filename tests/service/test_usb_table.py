"""A table whose shuffler and keypad are USB devices, and whose shoe and lamp are serial lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
import usb.util

from drivers.protocol.messages import Key
from drivers.transport.base import SerialFormat, Transport
from drivers.transport.ports import open_port
from drivers.transport.usb_address import UsbAddress, UsbInterface, is_usb_address
from drivers.transport.usb_port import UsbPort
from firmware_bridge.core.events import Acted, DeviceCaughtUp, EntryDropped, Identified, Rejected
from firmware_bridge.core.fold import fold
from firmware_bridge.core.state import State
from firmware_bridge.core.words import Session, Trigger
from firmware_bridge.service.config import load_config
from firmware_bridge.service.run import Service
from sim_hardware.config import Config, DeviceConfig, DevicesConfig
from sim_hardware.pty_port import PtyPort
from sim_hardware.runner import Runner
from sim_hardware.usb_bus import UsbBus, UsbPlug, UsbProduct
from tests.service import live
from tests.service.watched import WatchedStore

Stage = tuple[Callable[[], object], Callable[[], object]]
"""When it begins, and what is done then."""

SHUFFLER, KEYPAD = "usb:1209:0001:SIM0001", "usb:1209:0002@1-2"


@contextmanager
def devices(folder: Path, bus: UsbBus) -> Iterator[Runner]:
    (folder / "ports").mkdir()
    ports = {
        "shuffler": UsbPlug(bus, UsbProduct(0x1209, 0x0001, "SIM0001")),
        "shoe": PtyPort(folder / "ports" / "shoe"),
        "keypad": UsbPlug(
            bus,
            UsbProduct(
                0x1209, 0x0002, "", interface=(3, 1, 1), packet=8, hears=False, transfer=usb.util.ENDPOINT_TYPE_INTR
            ),
            place=(2,),
        ),
        "lamp": PtyPort(folder / "ports" / "lamp"),
    }
    config = Config(str(folder / "ports"), quick=True, devices=DevicesConfig(keypad=DeviceConfig(make="usb_keypad")))
    runner = Runner(lambda now: config.table(Random(1), now), ports)
    runner.start()
    try:
        yield runner
    finally:
        runner.stop()


def write_config(folder: Path) -> Path:
    config = live.write_config(folder)
    text = config.read_text().replace('driver = "keypad"', 'driver = "usb_keypad"')
    for name, port in (("shuffler", SHUFFLER), ("keypad", KEYPAD)):
        text = text.replace(str(folder / "ports" / name), port)
    config.write_text(text)
    return config


def type_keys(runner: Runner, keys: str) -> None:
    """Type on the keypad; ``c`` is Clear and ``e`` Enter."""
    with runner.hands() as table:
        table.type_keys([Key.CLEAR if key == "c" else Key.ENTER if key == "e" else int(key) for key in keys])


def at_the_table(folder: Path, bus: UsbBus) -> tuple[WatchedStore, Service]:
    """Return a controller of that table which reaches its USB devices on this bus."""
    live.enrol(folder)
    store = WatchedStore()

    def opened(port: str, form: SerialFormat, interface: UsbInterface) -> Transport:
        return UsbPort(UsbAddress.parse(port), interface, bus) if is_usb_address(port) else open_port(port, form)

    return store, Service(load_config(write_config(folder)), store, State(), opened)


def stands(store: WatchedStore) -> State:
    return fold((record.number, record.utc_ns, record.body) for record in store.records())


@pytest.mark.timeout(60)
def test_a_supervisor_opens_a_table_on_usb_and_a_pulled_shuffler_holds_it_until_it_is_back(tmp_path: Path) -> None:
    bus = UsbBus()
    with devices(tmp_path, bus) as runner:
        store, service = at_the_table(tmp_path, bus)
        left: list[Stage] = [
            (lambda: len(store.events(DeviceCaughtUp)) == 4, lambda: type_keys(runner, f"c12e{live.PIN}e")),
            (lambda: store.events(Identified), lambda: type_keys(runner, "10e")),
            (lambda: store.events(Acted), lambda: runner.unplug("shuffler")),
            (lambda: "shuffler" in store.losses(), lambda: runner.replug("shuffler")),
            (lambda: len(store.events(DeviceCaughtUp)) == 5, service.stop),
        ]
        store.after = lambda: left.pop(0)[1]() if left and left[0][0]() else None
        service.run()
    assert bus.handles == 0
    assert store.events(Acted)[0].step is Trigger.OPEN_TABLE
    assert store.losses()["shuffler"].startswith(f"{SHUFFLER}: unplugged; plug it in again")
    state = stands(store)
    assert state.session is Session.SHOWING
    assert {name: device.model for name, device in state.devices.items()}["keypad"] == "USB keypad"


@pytest.mark.timeout(60)
@pytest.mark.clause("SB-3")
@pytest.mark.field("BR-043")
def test_a_keypad_pulled_in_the_middle_of_a_pin_breaks_that_entry_and_hears_the_next(tmp_path: Path) -> None:
    bus = UsbBus()
    with devices(tmp_path, bus) as runner:
        store, service = at_the_table(tmp_path, bus)

        def half() -> None:
            type_keys(runner, f"c12e{live.PIN[:3]}")

        def rest_then_all() -> None:
            type_keys(runner, f"{live.PIN[3:]}ec12e{live.PIN}e")

        left: list[Stage] = [
            (lambda: len(store.events(DeviceCaughtUp)) == 4, half),
            (lambda: service.status().digits == 3, lambda: runner.unplug("keypad")),
            (lambda: "keypad" in store.losses(), lambda: runner.replug("keypad")),
            (lambda: len(store.events(DeviceCaughtUp)) == 5, rest_then_all),
            (lambda: store.events(Identified), service.stop),
        ]
        service._completed = lambda _state: left.pop(0)[1]() if left and left[0][0]() else None
        service.run()
    told = [type(one) for kind in (EntryDropped, Identified, Rejected) for one in store.events(kind)]
    assert told == [EntryDropped, Identified], "what was typed after the cable was no end of what was typed before"
