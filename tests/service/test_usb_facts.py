"""What the system tells of USB devices, and what ``sabot check`` and ``sabot devices`` say of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from drivers.transport.usb_address import UsbAddress
from firmware_bridge.service import port_facts, usb_facts
from firmware_bridge.service.checkup import Verdict, check_ports
from firmware_bridge.service.config import load_config
from firmware_bridge.service.devices import port_words
from firmware_bridge.service.port_facts import Roots
from firmware_bridge.service.usb_facts import UsbDevice
from tests.service import live

KEYPAD = "usb:04d9:0022@1-1.4"


class System:
    """The system's folder of USB devices."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "usb"
        self.roots = Roots(usb=self.folder)

    def plug_in(self, place: str, vendor: str, product: str, serial: str = "", number: int = 5) -> Path:
        device = self.folder / place
        (device / "power").mkdir(parents=True)
        facts = {"idVendor": vendor, "idProduct": product, "busnum": "1", "devnum": str(number), "power/control": "on"}
        for name, value in (facts | ({"serial": serial} if serial else {})).items():
            (device / name).write_text(f"{value}\n")
        return device

    def give(self, device: Path, of_class: str, driver: str = "") -> None:
        """Give the device an interface, which this driver of the system's has."""
        interface = self.folder / f"{device.name}:1.0"
        interface.mkdir()
        (interface / "bInterfaceClass").write_text(f"{of_class}\n")
        (device / interface.name).symlink_to(interface)
        if driver:
            (self.folder / driver).mkdir()
            (interface / "driver").symlink_to(self.folder / driver)


@pytest.fixture
def system(tmp_path: Path) -> System:
    return System(tmp_path)


def test_a_device_is_found_by_its_address_with_its_node(system: System) -> None:
    system.plug_in("1-1", "1d6b", "0002", number=1)
    system.plug_in("1-1.2", "1209", "0001", "SIM0001", number=17)
    system.plug_in("1-1.4", "04d9", "0022")
    found = list(usb_facts.plugged_in(system.folder))
    assert [str(device.address) for device in found] == ["usb:1d6b:0002@1-1", "usb:1209:0001:SIM0001", KEYPAD]
    [by_serial] = usb_facts.devices_at(UsbAddress.parse("usb:1209:0001:SIM0001"), system.folder)
    assert by_serial.node == "/dev/bus/usb/001/017"
    assert port_facts.node_of("usb:1209:0001@1-1.2", system.roots) == by_serial.node, "by its place too, serial or not"
    assert port_facts.node_of(KEYPAD, system.roots) == "/dev/bus/usb/001/005"


@pytest.mark.parametrize("wrong", ["usb:1209:0001:OTHER", "usb:1209:0002:SIM0001", "usb:1209:0001@1-9"])
def test_another_address_finds_nothing_and_that_is_said_with_what_to_do(system: System, wrong: str) -> None:
    system.plug_in("1-1.2", "1209", "0001", "SIM0001")
    assert port_facts.node_of(wrong, system.roots) == ""
    assert port_facts.holders(wrong, system.roots) == []
    assert port_facts.trouble(wrong, system.roots) == (
        f"{wrong}: no such USB device; plug the device in, or correct its address in the configuration"
    )


def test_two_that_a_serial_number_does_not_tell_apart_are_neither(system: System) -> None:
    for place in ("1-1", "1-2"):
        system.plug_in(place, "1209", "0001", "SAME")
    same = "usb:1209:0001:SAME"
    assert port_facts.node_of(same, system.roots) == ""
    assert port_facts.trouble(same, system.roots) == (
        f"{same}: two devices have this serial number (1-1, 1-2); name the physical port of the one that is meant, "
        "as usb:1209:0001@1-2.3"
    )


def keypad_on_usb(folder: Path) -> Path:
    """Write a configuration whose keypad is a USB device."""
    config = live.write_config(folder)
    text = config.read_text().replace('driver = "keypad"', 'driver = "usb_keypad"')
    config.write_text(text.replace(f'port = "{folder / "ports" / "keypad"}"', f'port = "{KEYPAD}"'))
    return config


def findings(config: Path, system: System) -> dict[str, tuple[Verdict, str]]:
    found = check_ports(load_config(config), system.roots)
    return {one.what: (one.verdict, one.words) for one in found if one.device == "keypad"}


def test_a_keypad_that_is_not_plugged_in_fails_the_check(tmp_path: Path, system: System) -> None:
    verdict, words = findings(keypad_on_usb(tmp_path), system)["port"]
    assert verdict is Verdict.BAD
    assert "no such USB device" in words


@pytest.mark.parametrize(
    ("of_class", "driver", "verdict"),
    [("03", "usbhid", Verdict.BAD), ("03", "", Verdict.GOOD), ("08", "usb-storage", Verdict.GOOD)],
)
def test_a_keypad_that_the_system_has_as_a_keyboard_fails_the_check(
    tmp_path: Path, system: System, of_class: str, driver: str, verdict: Verdict
) -> None:
    system.give(system.plug_in("1-1.4", "04d9", "0022"), of_class, driver)
    found = findings(keypad_on_usb(tmp_path), system)
    assert found["keyboard"][0] is verdict
    assert ("usbhid" in found["keyboard"][1]) is (verdict is Verdict.BAD)
    assert found["power saving"] == (Verdict.GOOD, "off")
    assert "ModemManager" not in found


def test_where_a_usb_device_is_plugged_in_is_said_by_its_node(
    tmp_path: Path, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    system.plug_in("1-1.4", "04d9", "0022", number=7)
    monkeypatch.setattr(port_facts.usb_facts, "devices_at", lambda address, _folder: _found(address, system))
    keypad = next(device for device in load_config(keypad_on_usb(tmp_path)).devices if device.name == "keypad")
    assert port_words(keypad, []) == "leads to /dev/bus/usb/001/007, nobody has it, as far as this user may see"


def _found(address: UsbAddress, system: System) -> list[UsbDevice]:
    return [device for device in usb_facts.plugged_in(system.folder) if device.address == address]
