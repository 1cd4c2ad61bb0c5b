"""A configuration's devices that are on USB."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.service.test_config import load, refusal, table


@pytest.mark.parametrize(
    ("device", "driver", "port", "words"),
    [
        (2, "usb_keypad", "/dev/sabot/keypad", "is no USB device; name the keypad as usb:VENDOR:PRODUCT:SERIAL"),
        (1, "line_shoe", "usb:1209:0001:X", "is a USB device itself, and a line shoe speaks over a serial line"),
        (0, "continuous_shuffler", "usb:1209", "names no USB device; write vendor, product and serial number as"),
    ],
)
def test_a_port_is_what_its_driver_speaks_on(tmp_path: Path, device: int, driver: str, port: str, words: str) -> None:
    tables = table()
    tables["device"][device] |= {"driver": driver, "port": port}
    [line] = refusal(tmp_path, tables)
    assert line.startswith(f'device {device + 1}.port = "{port}" {words}')


def test_a_usb_device_stands_under_its_address_and_has_no_serial_format(tmp_path: Path) -> None:
    tables = table()
    tables["device"][0]["port"] = "usb:1209:0001:SIM0001"
    assert load(tmp_path, tables).devices[0].port == "usb:1209:0001:SIM0001"
    tables["device"][0]["format"] = "9600 8N1"
    [line] = refusal(tmp_path, tables)
    assert 'has no serial format; leave out device 1.format = "9600 8N1"' in line
