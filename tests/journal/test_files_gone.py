"""The journal's files are removed, renamed or replaced while they are written: it is noticed, and nothing is lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_bridge.errors import AlreadyRunningError, JournalError, JournalLostError
from firmware_bridge.journal import SqliteStore, read_records, verify
from firmware_bridge.journal.files import writer_lock
from tests.journal.bench import PUBLIC, entries, entry, open_store

NAMES = ("journal", "journal-wal", "journal-shm")


def removed(*names: str) -> Callable[[Path], None]:
    return lambda folder: [(folder / name).unlink() for name in names] and None


def renamed(*names: str) -> Callable[[Path], None]:
    return lambda folder: [(folder / name).rename(folder / f"{name}.old") for name in names] and None


def rotated(folder: Path) -> None:
    """What a tool for log files does: the file gets another name, and an empty one its own."""
    renamed("journal-wal", "journal-shm")(folder)
    (folder / "journal-wal").touch()


WAYS: dict[str, Callable[[Path], None]] = {
    "the file is removed": removed("journal"),
    "its log is removed": removed("journal-wal"),
    "all of it is removed": removed(*NAMES),
    "the file is renamed": renamed("journal"),
    "all of it is renamed": renamed(*NAMES),
    "its log is replaced": rotated,
}


@pytest.fixture
def store(tmp_path: Path) -> object:
    with open_store(tmp_path) as store:
        store.append(entries(1, 5), sign=True)
        store.append(entries(6, 9), sign=False)
        yield store


@pytest.mark.clause("SB-11")
@pytest.mark.parametrize("some", [[entry(10)], []], ids=["at the next record", "at the next look"])
@pytest.mark.parametrize("way", WAYS)
def test_it_is_said_the_file_is_there_again_and_a_new_segment_goes_on(
    store: SqliteStore, tmp_path: Path, way: str, some: list[object]
) -> None:
    WAYS[way](tmp_path)
    with pytest.raises(JournalError, match=r"removed, renamed or replaced.*written there again, whole"):
        store.append(some, sign=False)  # type: ignore[arg-type]
    assert [record.number for record in read_records(tmp_path / "journal")] == list(range(1, 10))
    with pytest.raises(JournalError, match="no segment is open"):
        store.append([entry(10)], sign=False)
    store.begin_segment()
    store.append([entry(10)], sign=True)
    report = verify(tmp_path / "journal", key=PUBLIC)
    assert (report.ok, report.segments, report.complete_to, report.signed_to) == (True, 2, 10, 10)


@pytest.mark.clause("SB-11")
def test_an_earlier_copy_put_in_its_place_is_left_alone_and_nothing_is_recorded_until_it_is_moved_away(
    store: SqliteStore, tmp_path: Path
) -> None:
    path = tmp_path / "journal"
    (tmp_path / "copy").write_bytes(path.read_bytes())
    (tmp_path / "copy").rename(path)
    before = path.read_bytes()
    for refused in (lambda: store.append([entry(10)], sign=False), store.begin_segment, store.begin_segment):
        with pytest.raises(JournalError, match="another file has its name"):
            refused()
    assert path.read_bytes() == before
    path.rename(tmp_path / "copy")
    store.begin_segment()
    store.append([entry(10)], sign=True)
    report = verify(path, key=PUBLIC)
    assert (report.ok, report.segments, report.complete_to) == (True, 2, 10)


@pytest.mark.clause("SB-11")
def test_where_it_cannot_be_written_again_it_is_said_why_and_tried_again(store: SqliteStore, tmp_path: Path) -> None:
    elsewhere = tmp_path.with_name(f"{tmp_path.name}.elsewhere")
    tmp_path.rename(elsewhere)
    for refused in (lambda: store.append([entry(10)], sign=False), store.begin_segment):
        with pytest.raises(JournalError, match=str(tmp_path / "journal")):
            refused()
    elsewhere.rename(tmp_path)
    store.begin_segment()
    store.append([entry(10)], sign=True)
    assert verify(tmp_path / "journal", key=PUBLIC).complete_to == 10


@pytest.mark.clause("SB-11")
def test_its_lock_that_was_removed_is_taken_again_at_the_next_look(store: SqliteStore, tmp_path: Path) -> None:
    for do in (lambda: store.append([], sign=False), store.begin_segment):
        (tmp_path / "journal.lock").unlink()
        do()
        with pytest.raises(AlreadyRunningError, match=f"process {os.getpid()} writes it already"):
            open_store(tmp_path)
    store.append([entry(10)], sign=True)
    store.close()
    open_store(tmp_path).close()
    report = verify(tmp_path / "journal", key=PUBLIC)
    assert (report.ok, report.complete_to) == (True, 10)


@pytest.mark.clause("SB-11")
def test_where_another_process_has_the_lock_since_not_a_record_more_is_written(
    store: SqliteStore, tmp_path: Path
) -> None:
    (tmp_path / "journal.lock").unlink()
    with writer_lock(tmp_path / "journal"):
        for refused in (lambda: store.append([entry(10)], sign=True), store.begin_segment):
            with pytest.raises(AlreadyRunningError, match="writes it already"):
                refused()
    assert verify(tmp_path / "journal", key=PUBLIC).complete_to == 9


@pytest.mark.clause("SB-11")
def test_no_segment_follows_a_failed_one_where_another_process_has_the_lock_since(
    store: SqliteStore, tmp_path: Path
) -> None:
    removed("journal")(tmp_path)
    with pytest.raises(JournalError, match="removed, renamed or replaced"):
        store.append([entry(10)], sign=True)
    removed("journal.lock")(tmp_path)
    with writer_lock(tmp_path / "journal"), pytest.raises(AlreadyRunningError, match="writes it already"):
        store.begin_segment()
    assert not (tmp_path / "journal.1").exists()


@pytest.mark.clause("SB-11")
def test_a_closed_segment_that_is_missing_is_said_at_the_next_one_and_at_the_start(
    store: SqliteStore, tmp_path: Path
) -> None:
    store.begin_segment()
    store.append([entry(10)], sign=True)
    store.begin_segment()
    store.append([entry(11)], sign=True)
    renamed("journal.1")(tmp_path)
    closed = sorted(tmp_path.glob("journal.?"))
    for _ in range(3):
        with pytest.raises(JournalLostError, match=r"journal\.1 is missing.*Put it back"):
            store.begin_segment()
    assert sorted(tmp_path.glob("journal.?")) == closed, "no segment is closed meanwhile"
    (tmp_path / "journal.1.old").rename(tmp_path / "journal.1")
    store.begin_segment()  # a controller at work goes on by itself
    store.append([entry(12)], sign=True)
    report = verify(tmp_path / "journal", key=PUBLIC)
    assert (report.ok, report.segments, report.complete_to) == (True, 4, 12)
    store.close()
    renamed("journal.1")(tmp_path)
    with pytest.raises(JournalLostError, match=r"journal\.1 is missing"):
        open_store(tmp_path)
    (tmp_path / "journal.1.old").rename(tmp_path / "journal.1")
    with open_store(tmp_path) as again:
        assert again.last_number == 12
