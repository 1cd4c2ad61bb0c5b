"""A page that stands still stops nothing: controller, journal and watchdog go on beside a frozen ``sabot watch``."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.events import LinkUp
from firmware_bridge.readers.follow import read_status
from tests.architecture.tree import ROOT
from tests.kills.test_watchdog import Manager
from tests.service import live

WATCHDOG_US = 2_000_000

Page = subprocess.Popen[bytes]
Freeze = Callable[[Path], AbstractContextManager[Page]]


@contextmanager
def page(folder: Path, out: int) -> Iterator[Page]:
    """The page of a table, written to a descriptor; it ends with the context."""
    command = live.command("watch", folder / "table.journal", "--status", folder / "status")
    with subprocess.Popen(command, stdout=out, cwd=ROOT) as running:
        try:
            yield running
        finally:
            running.kill()


@contextmanager
def stopped(folder: Path) -> Iterator[Page]:
    """One that shows the table and is stopped then."""
    with page(folder, subprocess.DEVNULL) as running:
        live.eventually((folder / "status" / "screen.json").exists, "it shows the table")
        running.send_signal(signal.SIGSTOP)
        yield running


@contextmanager
def unread(folder: Path) -> Iterator[Page]:
    """One that waits for ever for somebody to read what it wrote."""
    theirs, ours = os.pipe()
    try:
        os.set_blocking(ours, False)
        with suppress(BlockingIOError):
            while True:
                os.write(ours, bytes(4096))
        os.set_blocking(ours, True)
        with page(folder, ours) as running:
            live.eventually(lambda: waits_in_a_pipe(running.pid), "it waits")
            yield running
    finally:
        os.close(ours)
        os.close(theirs)


def waits_in_a_pipe(process: int) -> bool:
    return "pipe" in Path(f"/proc/{process}/wchan").read_text(encoding="ascii")


@pytest.mark.field("BR-045")
@pytest.mark.parametrize("freeze", [stopped, unread])
def test_beside_a_frozen_page_turns_are_recorded_and_the_watchdog_is_fed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, freeze: Freeze
) -> None:
    live.enrol(tmp_path)
    config, journal = live.write_config(tmp_path), tmp_path / "table.journal"
    manager = Manager(tmp_path)
    monkeypatch.setenv("NOTIFY_SOCKET", manager.address)
    monkeypatch.setenv("WATCHDOG_USEC", str(WATCHDOG_US))
    with live.devices(tmp_path) as runner, live.Running(config) as running:
        live.eventually(lambda: len(live.events(journal, LinkUp)) == len(live.DEVICES), "all links")
        with freeze(tmp_path) as still:
            manager.drain()
            records, shown = len(live.logged(journal)), read_status(tmp_path / "status")
            assert shown is not None
            with runner.hands() as table:
                table.press_dealer_key(DealerKey.YES)
            assert [manager.next(WATCHDOG_US / 1e6) for _ in range(3)] == ["WATCHDOG=1"] * 3
            live.eventually(lambda: len(live.logged(journal)) > records, "the key is recorded")
            later = read_status(tmp_path / "status")
            assert later is not None
            assert later.utc_ns > shown.utc_ns
            assert still.poll() is None, "the page is there all the while"
        assert running.end(signal.SIGTERM) == 0
    manager.close()
