"""The keypad's cable on another device's port: what is typed there stands in no log and in no capture."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from drivers.protocol.messages import Key
from firmware_bridge.core.events import LinkDown
from tests.service import live

EXCHANGED = {"shoe": "keypad", "keypad": "shoe"}


def configured(folder: Path) -> Path:
    """Write a configuration in which shoe and keypad have each other's port, and both links are captured."""
    path = live.write_config(folder)
    text = path.read_text()
    for device, other in EXCHANGED.items():
        driver = f'driver = "{device}"\nport = "{folder / "ports"}/'
        text = text.replace(f'{driver}{device}"', f'{driver}{other}"\ncapture = "{device}.jsonl"')
    path.write_text(text)
    return path


@pytest.mark.clause("SB-3")
@pytest.mark.field("BR-028")
def test_a_pin_typed_at_a_keypad_on_another_port_stands_in_no_log_and_no_capture(tmp_path: Path) -> None:
    live.enrol(tmp_path)
    config, journal = configured(tmp_path), tmp_path / "table.journal"
    sent: list[bytes] = []

    def strokes() -> list[bytes]:
        return [frame for data in sent for frame in data.split(b"\0") if frame[1:2] == b"\x84"]

    def refusals() -> set[str]:
        return {one.device for one in live.events(journal, LinkDown) if "is configured" in one.reason}

    with live.devices(tmp_path) as runner, live.Running(config) as running:
        port = runner._ports["keypad"]
        write = port.write
        port.write = lambda data: (sent.append(data), write(data))[1]  # type: ignore[method-assign]
        live.eventually(lambda: refusals() == set(EXCHANGED), "each is told from what is configured")
        with runner.hands() as table:
            table.type_keys([Key.CLEAR, *map(int, live.PIN), Key.ENTER])
        live.eventually(lambda: len(strokes()) == len(live.PIN) + 2, "refused, it sends each key")
        runner.unplug("keypad")
        running.wait_for("no such port")
        log = [json.loads(line) for line in running.output.splitlines()]
        found = live.files_with(tmp_path, live.traces_of(live.PIN))
        assert running.end(signal.SIGTERM) == 0
    assert any(line["event"] == "link_lost" and line["device"] == "shoe" and line["last_bytes"] for line in log)
    written = running.output + (tmp_path / "shoe.jsonl").read_text() + (tmp_path / "keypad.jsonl").read_text()
    assert not [frame for frame in strokes() if frame.hex() in written]
    assert not found
    captured = [json.loads(line) for line in (tmp_path / "shoe.jsonl").read_text().splitlines()]
    assert not [line for line in captured if line["what"] == "in" and "hex" in line], "it never said that it is a shoe"
    assert any(line.get("masked") for line in captured), "that something came, and how much, is told"


def test_what_a_trial_logs_is_no_line_of_its_answer(tmp_path: Path) -> None:
    live.enrol(tmp_path)
    config = configured(tmp_path)
    with live.devices(tmp_path):
        told = live.sabot("devices", "--config", config, "--identify")
    assert told.returncode == 0
    assert not [line for line in told.stdout.splitlines() if line.startswith(("{", "20"))]
    assert {json.loads(line)["event"] for line in told.stderr.splitlines()} == {"link_refused"}
