"""Two adapters alike: whichever has the name, a device is used only once it has said that it is the right one."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from firmware_bridge.core.events import DeviceCaughtUp, LinkDown, LinkUp
from tests.service import live
from tests.service.test_config import load, refusal, table

pytestmark = [pytest.mark.field("BR-030"), pytest.mark.clause("SB-1")]


def test_of_two_adapters_alike_the_serial_number_is_refused_and_the_place_is_not(tmp_path: Path) -> None:
    # As udev does: one name by serial number, of whichever adapter came last, equal or empty as the numbers are; and
    # one name by place for each.
    by_id, by_path = tmp_path / "by-id", tmp_path / "by-path"
    for folder in (by_id, by_path):
        folder.mkdir()
    nodes = [tmp_path / f"ttyUSB{number}" for number in range(2)]
    for number, node in enumerate(nodes):
        node.touch()
        (by_path / f"usb-0:{number}").symlink_to(node)
    (by_id / "usb-Adapter_0001").symlink_to(nodes[-1])
    tables = table()
    shoe, lamp = tables["device"][1], tables["device"][3]
    shoe["port"] = lamp["port"] = str(by_id / "usb-Adapter_0001")
    [line] = refusal(tmp_path, tables)
    assert "is the port of device 2 too" in line
    shoe["port"] = str(by_path / "usb-0:1")
    [line] = refusal(tmp_path, tables)  # the name by serial number leads to that one
    assert "is the port of device 2 too" in line
    lamp["port"] = str(by_path / "usb-0:0")
    assert [device.port for device in load(tmp_path, tables).devices][1::2] == [shoe["port"], lamp["port"]]


def test_a_name_that_leads_to_the_other_adapter_opens_no_link_and_by_their_places_all_are_heard(tmp_path: Path) -> None:
    live.enrol(tmp_path)
    config = live.write_config(tmp_path)
    by_place, names = tmp_path / "ports", tmp_path / "by-id"
    names.mkdir()
    text = config.read_text()
    with live.devices(tmp_path):
        # Both adapters give the same serial number, and came in another order than when the names were written down.
        for device in ("shoe", "lamp"):
            text = text.replace(str(by_place / device), str(names / device))
        (names / "lamp").symlink_to(os.path.realpath(by_place / "shoe"))
        (names / "shoe").symlink_to(os.path.realpath(by_place / "lamp"))
        config.write_text(text)
        journal = tmp_path / "table.journal"
        with live.Running(config) as running:
            live.eventually(lambda: len(live.events(journal, LinkDown)) == 2, "both are told to be others")
            live.eventually(lambda: len(live.events(journal, DeviceCaughtUp)) == 2, "the other two are heard")
            assert running.end(signal.SIGTERM) == 0
        assert {event.device for event in live.events(journal, LinkUp)} == {"shuffler", "keypad"}
        reasons = {event.device: event.reason for event in live.events(journal, LinkDown)}
        assert "Sabot Lamp SL-0001 is a lamp where a shoe is configured" in reasons["shoe"]
        assert "Sabot Shoe SS-0001 is a shoe where a lamp is configured" in reasons["lamp"]
        config.write_text(text.replace(str(names), str(by_place)))
        with live.Running(config) as running:
            live.eventually(lambda: len(live.events(journal, DeviceCaughtUp)) == 6, "by their places, all four")
            assert running.end(signal.SIGTERM) == 0
    for name in names.iterdir():
        name.unlink()
