"""A reader that never lets go holds up neither the writer nor the disk (BR-037)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from firmware_bridge.journal import SqliteStore, read_records, store, verify
from firmware_bridge.service.record_log import tell_long_log
from tests.journal.bench import entries, open_store

LIMIT = 5 << 20
"""Above the 1,000 pages of 4 KiB after which SQLite folds its log in, if nobody holds on."""
TURN = 20
"""Records that are written together."""


def impatient_store(directory: Path) -> SqliteStore:
    """The store on connections that wait for nobody: where a reader could hold the writer up, an append would fail."""
    connect = partial(sqlite3.connect, isolation_level=None, timeout=0)
    return open_store(directory, connect=connect, too_long=tell_long_log)


@pytest.mark.field("BR-037")
def test_sqlites_log_stays_bounded_while_a_reader_holds_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "LOG_LIMIT", LIMIT)
    path, log = tmp_path / "journal", tmp_path / "journal-wal"
    longest, last = 0, 16_000
    with capture_logs() as lines, impatient_store(tmp_path) as writer:
        writer.append(entries(1, TURN), sign=False)
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            seen = reader.execute("SELECT count(*) FROM record").fetchone()
            for first in range(TURN + 1, last, TURN):
                writer.append(entries(first, first + TURN - 1), sign=False)
                longest = max(longest, log.stat().st_size)
            assert reader.execute("SELECT count(*) FROM record").fetchone() == seen, "it still reads what it began with"
    assert LIMIT < longest < LIMIT + TURN * 4096
    assert [record.number for record in read_records(path)] == list(range(1, last + 1))
    report = verify(path)
    assert (report.ok, report.segments, report.notes) == (True, 2, ()), "a segment was begun, and nothing given up"
    assert [line["event"] for line in lines] == ["journal_log_long"], "the floor hears that something holds on"


@pytest.mark.field("BR-037")
@pytest.mark.timeout(300)
def test_a_million_records_beside_a_reader_that_never_lets_go_are_written_and_the_log_keeps_its_bound(
    tmp_path: Path,
) -> None:
    path, log, together, last = tmp_path / "journal", tmp_path / "journal-wal", 1_000, 1_000_000
    longest = 0
    with impatient_store(tmp_path) as writer:
        writer.append(entries(1, together), sign=False)
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            assert reader.execute("SELECT count(*) FROM record").fetchone() == (together,)
            for first in range(together + 1, last, together):
                writer.append(entries(first, first + together - 1), sign=False)
                longest = max(longest, log.stat().st_size)
        assert writer.last_number == last
    assert store.LOG_LIMIT < longest < store.LOG_LIMIT + (1 << 20)


@pytest.mark.field("BR-037")
def test_without_such_a_reader_no_segment_is_begun_for_the_logs_sake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "LOG_LIMIT", LIMIT)
    with capture_logs() as lines, impatient_store(tmp_path) as writer:
        for first in range(1, 16_000, TURN):
            writer.append(entries(first, first + TURN - 1), sign=False)
    assert verify(tmp_path / "journal").segments == 1
    assert lines == []
