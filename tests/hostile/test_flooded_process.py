"""A line that never stops talking nonsense, at a controller that runs as a process of its own."""

from __future__ import annotations

import os
import pty
import select
import signal
import time
import tty
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from firmware_bridge.core.events import BadFrames, DeviceCaughtUp, LinkDown
from tests.hostile.streams import FULL, mixed
from tests.service import live

FLOOD = 10_000_000 if FULL else 200_000
"""Bytes of it, at each port."""

GROWTH_KB = 20_000
"""By how much the process may grow meanwhile, in kilobytes."""


def resident_kb(pid: int) -> int:
    """The most memory that a process has ever had resident, in kilobytes."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def pour(line: int, flood: bytes) -> None:
    """Send it all, and take whatever the controller says meanwhile: a device that hears nothing is another fault."""
    os.set_blocking(line, False)
    left = memoryview(flood)
    while left:
        readable, writable, _ = select.select([line], [line], [])
        if readable:
            os.read(line, 4096)
        if writable:
            left = left[os.write(line, left[:4096]) :]


@pytest.mark.clause("SB-1")
@pytest.mark.field("BR-048")
@pytest.mark.timeout(1800 if FULL else 60)
@pytest.mark.parametrize("device", live.DEVICES)
def test_the_process_does_not_grow_and_the_other_devices_are_heard(
    device: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    live.enrol(tmp_path)
    config, journal = live.write_config(tmp_path), tmp_path / "table.journal"
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    text = config.read_text().replace(str(tmp_path / "ports" / device), os.ttyname(theirs))
    config.write_text(text.replace('level = "debug"', 'level = "info"'))
    try:
        with live.devices(tmp_path), live.Running(config) as running:
            seen = partial(live.events, journal)

            live.eventually(lambda: len(seen(DeviceCaughtUp)) == 3, "the other three are heard")
            before = resident_kb(running.process.pid)
            worked, began = live.processor_seconds(running.process.pid), time.monotonic()
            pour(ours, mixed(FLOOD, seed=5))
            live.eventually(lambda: seen(BadFrames), "it is counted")
            grown = resident_kb(running.process.pid) - before
            assert grown < GROWTH_KB
            told = f"{device}: {FLOOD} bytes in {time.monotonic() - began:.0f} s, of which the controller worked"
            worked = live.processor_seconds(running.process.pid) - worked
            record_property("told", f"{told} {worked:.1f} s, and grew by {grown} kB")
            gone = [event.device for event in live.events(journal, LinkDown)]
            assert set(gone) <= {device}
            assert running.end(signal.SIGTERM) == 0
            assert "Traceback" not in running.errors + running.output
            assert len(running.output) < 100_000, "the log says it once"
    finally:
        os.close(ours)
        os.close(theirs)
