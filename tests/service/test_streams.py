"""Commands whose standard streams are closed (``>&-``): they work, and no file of theirs gets such a number."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT
from tests.hostile.two_processes import BIN
from tests.service import live, recorded

CLOSED = {"standard output": ">&-", "standard error": "2>&-", "all three": "<&- >&- 2>&-"}
each_closed = pytest.mark.parametrize("closed", CLOSED.values(), ids=CLOSED)


def without_streams(closed: str, *command: str | Path) -> list[str]:
    """The argument list of a command that is started as a shell does it, some of its streams closed."""
    return ["sh", "-c", f'exec "$@" {closed}', "sh", *map(str, command)]


@contextmanager
def started(command: Sequence[str], cwd: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command that does not end by itself; it ends with the context."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, cwd=cwd) as running:
        try:
            yield running
        finally:
            running.kill()


def streams_of(process: int) -> set[str]:
    """What the three standard descriptors of a process lead to."""
    return {os.readlink(f"/proc/{process}/fd/{number}") for number in (0, 1, 2)}


@each_closed
def test_a_controller_and_its_devices_work_and_keep_their_files_off_the_closed_numbers(
    tmp_path: Path, closed: str
) -> None:
    live.enrol(tmp_path)
    config, journal = live.write_config(tmp_path), tmp_path / "table.journal"
    sim = tmp_path / "sim.toml"
    sim.write_text(f'folder = "{tmp_path / "ports"}"\nseed = 1\nquick = true\n')
    with (
        started(without_streams(closed, BIN / "sim-hardware", "--config", sim), tmp_path) as devices,
        started(without_streams(closed, *live.command("run", "--config", config)), ROOT) as controller,
    ):
        live.eventually(
            lambda: journal.exists() and sum(one.is_there for one in live.state(journal).devices.values()) == 4,
            "all devices open",
        )
        for one in (devices, controller):
            assert all(to == "/dev/null" or to.startswith("pipe:") for to in streams_of(one.pid))
        controller.send_signal(signal.SIGTERM)
        said, wrong = controller.communicate(timeout=live.LIMIT)
        assert controller.returncode == 0
        devices.send_signal(signal.SIGTERM)
        _, wrong_there = devices.communicate(timeout=live.LIMIT)
        assert devices.returncode == 0
    assert wrong == wrong_there == b""
    assert (said == b"") == (" >&-" in f" {closed}"), "the log goes to standard output alone"


@each_closed
def test_a_screen_that_nobody_sees_goes_on_and_ends_in_order(tmp_path: Path, closed: str) -> None:
    journal = recorded.journal_in(tmp_path)
    command = without_streams(closed, *live.command("watch", journal, "--status", tmp_path))
    with started(command, ROOT) as screen:
        live.eventually((tmp_path / "screen.json").exists, "it is drawn")
        screen.send_signal(signal.SIGINT)
        _, wrong = screen.communicate(timeout=live.LIMIT)
    assert screen.returncode == 130
    assert wrong in (b"", b"Interrupted.\n")


@each_closed
def test_commands_that_end_by_themselves_have_the_status_that_is_due(tmp_path: Path, closed: str) -> None:
    journal = recorded.journal_in(tmp_path)
    for command, due in ((("journal", "verify", journal), 0), (("replay", tmp_path / "none"), 1)):
        assert ended(closed, *command) == due


def test_a_simulated_shift_is_played_for_nobody_too() -> None:
    assert ended(CLOSED["standard output"], "simulate", "--shifts", "1", "--seed", "1", "--rounds", "1") == 0


def ended(closed: str, *command: str | Path) -> int | None:
    """How a command ends of which streams are closed: its status; without a traceback."""
    with started(without_streams(closed, *live.command(*command)), ROOT) as running:
        _, wrong = running.communicate(timeout=live.LIMIT)
    assert b"Traceback" not in wrong
    return running.returncode
