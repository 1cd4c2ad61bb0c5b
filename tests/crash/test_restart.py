"""A controller started again as a process: it goes on from its snapshot, or without it."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from firmware_bridge.core.events import LinkDown, Started
from firmware_bridge.journal import verify
from tests.service import live


@pytest.mark.parametrize("spoiled", [False, True])
def test_it_starts_from_the_snapshot_of_its_orderly_end_and_without_one_that_is_spoiled(
    tmp_path: Path, spoiled: bool
) -> None:
    live.enrol(tmp_path)
    config, journal = live.write_config(tmp_path), tmp_path / "table.journal"

    def missed() -> int:
        return sum(isinstance(record.event, LinkDown) for record in live.logged(journal))

    with live.Running(config) as running:
        live.eventually(lambda: missed() == 4, "each absent device is in the journal")
        assert running.end(signal.SIGTERM) == 0
    snapshot = tmp_path / "table.journal.snapshot"
    if spoiled:
        snapshot.write_bytes(snapshot.read_bytes()[:-100])
    with live.Running(config) as running:
        running.wait_for("controller_started")
        assert running.end(signal.SIGTERM) == 0
        assert ("snapshot_not_used" in running.output) == spoiled
    assert sum(isinstance(record.event, Started) for record in live.logged(journal)) == 2
    assert verify(journal).ok
