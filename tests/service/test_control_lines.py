"""A board that starts anew when a control line rises does so once, as it is plugged in, whatever we do (BR-032).

A pseudo-terminal has no such lines, so what the kernel does to them at an opening and a close is played here, on what
pyserial asks and on the settings that the port then really has. A real UART has shown none of this.
"""

from __future__ import annotations

import os
import termios
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
import serial

from drivers.transport import serial_port
from drivers.transport.ports import open_port
from firmware_bridge.core.events import DeviceCaughtUp
from firmware_bridge.core.state import State
from firmware_bridge.service.config import load_config
from firmware_bridge.service.run import Service
from sim_hardware.config import Config as SimConfig
from sim_hardware.runner import Runner
from sim_hardware.service import offered
from tests.service import live
from tests.service.test_devices import said
from tests.service.watched import WatchedStore

pytestmark = pytest.mark.field("BR-032")


class Boards:
    """The table's devices, each of which starts anew when the control line of its port rises."""

    def __init__(self, runner: Runner, ports: Path) -> None:
        self.began_anew: Counter[str] = Counter()
        self._runner = runner
        self._ports = ports
        self._raised: set[str] = set()
        for device in live.DEVICES:
            self.plugged_in(device)

    def plugged_in(self, device: str) -> None:
        """The line of a new port is down, and the kernel is to lower it at each last close (HUPCL)."""
        self._raised.discard(device)
        descriptor = os.open(self._ports / device, os.O_RDWR | os.O_NOCTTY)
        settings = termios.tcgetattr(descriptor)
        settings[2] |= termios.HUPCL
        termios.tcsetattr(descriptor, termios.TCSANOW, settings)
        os.close(descriptor)

    def line(self, port: str, raised: bool) -> None:
        """Someone raises or lowers it; only what changes it is seen."""
        device = Path(port).name
        if raised and device not in self._raised:
            self._raised.add(device)
            self.began_anew[device] += 1
            with self._runner.hands() as table:
                table.reboot(device)
        elif not raised:
            self._raised.discard(device)


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    """The table's devices, whose machine takes its time to shuffle."""
    live.enrol(tmp_path)
    with offered(SimConfig(folder=str(tmp_path / "ports"), seed=1)) as running:
        yield running


@pytest.fixture
def boards(runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Boards:
    """What the kernel and pyserial do to the lines reaches the boards."""
    found = Boards(runner, tmp_path / "ports")

    class Uart(serial.Serial):
        """A serial port with a control line."""

        def open(self) -> None:
            found.line(self.port, True)  # the kernel, for whoever opens it
            super().open()

        def close(self) -> None:
            lowers = self.is_open and termios.tcgetattr(self.fd)[2] & termios.HUPCL
            super().close()
            if lowers:
                found.line(self.port, False)

        def _update_dtr_state(self) -> None:
            found.line(self.port, self._dtr_state)

        _update_rts_state = _update_dtr_state

    monkeypatch.setattr(serial, "Serial", Uart)
    return found


def work(config: Path) -> None:
    """A controller begins, hears all its devices, and ends."""
    store = WatchedStore()
    running = Service(load_config(config), store, State(), open_port)
    store.after = lambda: running.stop() if len(store.events(DeviceCaughtUp)) == len(live.DEVICES) else None
    running.run()


def test_starting_ending_and_looking_at_a_table_leave_a_shuffle_under_way_alone(
    runner: Runner, boards: Boards, tmp_path: Path
) -> None:
    config = live.write_config(tmp_path)
    work(config)
    once = dict.fromkeys(live.DEVICES, 1)
    assert boards.began_anew == once, "the kernel's own rise at the first opening: nobody can keep that back"
    with runner.hands() as table:
        assert table.mechanism.lay_inside(table.box[:200])
        table.mechanism.start_shuffle()
    for look in ("devices", "check"):
        said(look, "--config", config)
    said("devices", "--config", config, "--identify")
    work(config)
    assert boards.began_anew == once
    with runner.hands() as table:
        assert table.mechanism.shuffling, "and it was long enough for all that"
    runner.unplug("shoe")
    runner.replug("shoe")
    boards.plugged_in("shoe")
    work(config)
    assert boards.began_anew == once | {"shoe": 2}


def test_where_the_line_fell_at_a_close_each_look_would_begin_all_anew(
    boards: Boards, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serial_port, "_set_up", Mock())
    config = live.write_config(tmp_path)
    for _ in range(2):
        said("devices", "--config", config, "--identify")
    assert boards.began_anew == dict.fromkeys(live.DEVICES, 2)
