"""While a turn waits for its disk, whoever reads the table waits for nothing: readers have a way of their own."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from firmware_bridge.core.controller import Room
from firmware_bridge.core.state import State
from firmware_bridge.journal import last_number
from firmware_bridge.readers.follow import Follower, read_status
from firmware_bridge.view import TableView
from tests.crash.test_outage import Table
from tests.service import live

AT_ONCE = 0.1
"""Seconds of work within which a reader answers."""

HANGS_NS = 30 * 10**9


@pytest.mark.field("BR-035")
def test_status_and_view_are_read_at_once_in_the_middle_of_a_flush_of_thirty_seconds(tmp_path: Path) -> None:
    """The writer's transaction is open and goes on only when all have read: a reader that waited for it never would."""
    table = Table(tmp_path)
    seen: list[tuple[TableView, float, int]] = []
    shown: list[str] = []

    def look() -> None:
        table.disk.committing = lambda: None
        began = time.thread_time()
        follower = Follower(table.path)
        follower.refresh()
        status = read_status(Path(table.config.table.status))
        assert status is not None
        view = follower.view(status, status.utc_ns + HANGS_NS)
        seen.append((view, time.thread_time() - began, last_number(table.path)))
        shown.append(live.sabot("journal", "show", table.path).stdout)

    def completed(_state: State) -> None:
        if not seen:
            table.disk.committing = look
            running = table.lasting._running
            assert running is not None
            running._inputs.put(Room(True, 100))  # type: ignore[attr-defined]
        else:
            table.lasting.stop()

    table.completed = completed
    table.lasting.run()
    ((view, took, kept),) = seen
    assert view.record == kept, "what is on the disk, and nothing of what is not yet"
    assert took < AT_ONCE
    assert view.reasons[0] == "controller not heard for 30 s [SB-1]"
    assert "portugal" in shown[0]
    assert last_number(table.path) > kept, "and it was written then"
    table.store.close()
