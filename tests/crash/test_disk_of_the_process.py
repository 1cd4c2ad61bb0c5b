"""The installed controller on a disk that takes nothing: read-only from the start, or full while it is at work.

Real errors of real writes. A file that is open cannot be made read-only by a test; what a controller at work meets is
the refused write, so the limit on the size of its files (``RLIMIT_FSIZE``) is lowered under the running process.
"""

from __future__ import annotations

import resource
import signal
import subprocess
from pathlib import Path

import pytest

from drivers.protocol.messages import DealerKey, DealerKeyPressed
from firmware_bridge.core.events import DeviceCaughtUp, JournalResumed, Told
from firmware_bridge.journal import read_records, verify
from tests.service import live

ROOM = 2048
"""Bytes up to which the process may write a file: enough for its status, too few for its log, a journal, a segment."""

READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
"""Run a command with a folder read-only, in a mount namespace of its own."""


def limit_files(process: int, size: int) -> None:
    """Let a process write no file beyond this size from now on."""
    resource.prlimit(process, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def status(folder: Path) -> str:
    """The status file as it is; nothing while there is none."""
    path = folder / "status/status.json"
    return path.read_text(encoding="utf-8") if path.exists() else ""


@pytest.mark.clause("SB-11", "SB-1")
@pytest.mark.field("BR-038")
@pytest.mark.timeout(120)
def test_a_full_disk_holds_the_table_at_once_and_it_goes_on_by_itself_when_there_is_room(tmp_path: Path) -> None:
    live.enrol(tmp_path)
    config, journal = live.write_config(tmp_path), tmp_path / "table.journal"

    def seen(kind: type) -> list[object]:
        return [one.event for one in live.logged(journal) if isinstance(one.event, kind)]

    def keys() -> list[object]:
        return [told for told in seen(Told) if isinstance(told, Told) and isinstance(told.body, DealerKeyPressed)]

    with live.devices(tmp_path) as runner, live.Running(config) as running:
        live.eventually(lambda: len(seen(DeviceCaughtUp)) == 4, "all devices are heard")
        before = [record.body for record in read_records(journal)]
        limit_files(running.process.pid, ROOM)
        with runner.hands() as table:
            table.press_dealer_key(DealerKey.CALL_SUPERVISOR)
        live.eventually(lambda: '"journal":"journal' in status(tmp_path), "the status says that nothing is recorded")
        with runner.hands() as table:
            assert table.devices["shoe"].released_for is None
            assert table.pull_card() is None
        assert [record.body for record in read_records(journal)][: len(before)] == before, "what was there is there"
        assert not keys(), "nothing that could not be recorded was acknowledged"
        assert running.process.poll() is None
        limit_files(running.process.pid, resource.RLIM_INFINITY)
        live.eventually(lambda: seen(JournalResumed), "it goes on by itself")
        live.eventually(lambda: keys(), "the key that was pressed meanwhile is told again")
        assert len(keys()) == 1
        assert running.end(signal.SIGTERM) == 0
        assert running.errors == ""
    assert "log_lines_lost" in running.output, "the log was on the same disk"
    records = [record.body for record in read_records(journal)]
    assert records[: len(before)] == before
    assert verify(journal).ok


@pytest.mark.field("BR-036")
def test_on_a_read_only_disk_it_starts_nothing_and_says_so(tmp_path: Path) -> None:
    disk, config = tmp_path / "disk", tmp_path / "table.toml"
    disk.mkdir()
    live.enrol(tmp_path)
    live.write_config(tmp_path, journal=str(disk / "table.journal"))
    with live.devices(tmp_path), live.Running(config) as running:
        running.wait_for("controller_started")
        assert running.end(signal.SIGTERM) == 0
    for begun in (True, False):
        if not begun:
            (disk / "table.journal").rename(tmp_path / "elsewhere")
        kept = {path.name: path.read_bytes() for path in disk.iterdir()}
        refused = read_only(disk, *live.command("run", "--config", config))
        assert refused.returncode == 1, refused.stderr
        assert refused.stdout == ""
        (line,) = refused.stderr.splitlines()
        assert "Read-only file system" in line
        assert "may not be written" in line
        assert {path.name: path.read_bytes() for path in disk.iterdir()} == kept


def read_only(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command for which a folder is read-only; skip the test where nobody may do that."""
    namespace = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", READ_ONLY, str(folder)]
    if subprocess.run([*namespace, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("a mount namespace of one's own is not allowed here")
    return subprocess.run([*namespace, *command], capture_output=True, text=True, check=False, timeout=live.LIMIT)
