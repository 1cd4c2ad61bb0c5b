"""Beginning a segment: whatever step the power fails at, the journal is whole and goes on."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.errors import JournalError
from firmware_bridge.journal import SqliteStore, read_records, segment_start, verify
from firmware_bridge.journal import store as store_module
from firmware_bridge.journal.files import written_again
from tests.journal.bench import PUBLIC, entries, entry, open_store

STEPS = ("link", "rename", "unlink", "fsync")


class Crash(BaseException):
    """The power fails."""


class Steps:
    """Counts the steps taken on the directory and stops at one of them, before or after it is done."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, stop: int, *, done: bool, error: BaseException) -> None:
        self.taken = 0
        self.stop = stop
        self.done = done
        self.error = error
        for name in STEPS:
            monkeypatch.setattr(os, name, self.counted(getattr(os, name)))

    def counted(self, step: Callable[..., Any]) -> Callable[..., Any]:
        def take(*arguments: Any, **options: Any) -> Any:
            self.taken += 1
            if self.taken != self.stop:
                return step(*arguments, **options)
            if self.done:
                with suppress(FileNotFoundError):  # removing what is not there is a step too
                    step(*arguments, **options)
            raise self.error

        return take


@contextmanager
def held_reader(path: Path, hold: bool) -> Iterator[None]:
    """A reader in the middle of a read, who keeps SQLite from folding the log into the file."""
    if not hold:
        yield
        return
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as reader:
        reader.execute("BEGIN")
        before = reader.execute("SELECT number FROM record").fetchall()
        yield
        assert reader.execute("SELECT number FROM record").fetchall() == before


def numbers(path: Path) -> list[int]:
    return [record.number for record in read_records(path)]


def steps_of_a_segment(directory: Path, hold: bool) -> int:
    """How many steps beginning a segment takes."""
    directory.mkdir()
    with pytest.MonkeyPatch.context() as patched, open_store(directory) as store:
        store.append(entries(1, 3), sign=False)
        with held_reader(directory / "journal", hold):
            steps = Steps(patched, 0, done=False, error=Crash())
            store.begin_segment()
            return steps.taken


def stop_at(store: SqliteStore, stop: int, *, done: bool, error: BaseException) -> None:
    with pytest.MonkeyPatch.context() as patched:
        Steps(patched, stop, done=done, error=error)
        store.begin_segment()


@pytest.mark.parametrize("hold", [False, True])
@pytest.mark.parametrize("done", [False, True])
def test_a_crash_at_any_step_loses_nothing(tmp_path: Path, done: bool, hold: bool) -> None:
    count = steps_of_a_segment(tmp_path / "count", hold)
    assert count >= 5
    for stop in range(1, count + 1):
        place = tmp_path / str(stop)
        place.mkdir()
        path = place / "journal"
        store = open_store(place)
        store.append(entries(1, 3), sign=False)
        with held_reader(path, hold):
            with pytest.raises(Crash):
                stop_at(store, stop, done=done, error=Crash())
            store.close()
            assert numbers(path) == [1, 2, 3], "read as the crash left it"
            report = verify(path, key=PUBLIC)
            assert (report.ok, report.complete_to, report.signed_to) == (True, 3, 3), report.lines()
        with open_store(place) as store:
            assert store.last_number == 3
            store.append([entry(4)], sign=False)
            store.begin_segment()
            store.append([entry(5)], sign=True)
        assert numbers(path) == [1, 2, 3, 4, 5]
        report = verify(path, key=PUBLIC)
        assert (report.ok, report.signed_to, report.notes) == (True, 5, ()), report.lines()
        assert not list(place.glob("*.new*"))


@pytest.mark.parametrize("hold", [False, True])
@pytest.mark.parametrize("done", [False, True])
def test_a_step_that_fails_is_said_and_begun_again(tmp_path: Path, done: bool, hold: bool) -> None:
    count = steps_of_a_segment(tmp_path / "count", hold)
    for stop in range(1, count + 1):
        place = tmp_path / str(stop)
        place.mkdir()
        with open_store(place) as store:
            store.append(entries(1, 3), sign=False)
            with held_reader(place / "journal", hold):
                with pytest.raises(JournalError, match="No space left on device"):
                    stop_at(store, stop, done=done, error=OSError(errno.ENOSPC, "No space left on device"))
                store.begin_segment()
                store.append([entry(4)], sign=True)
        assert numbers(place / "journal") == [1, 2, 3, 4]
        assert verify(place / "journal", key=PUBLIC).ok


def test_a_crash_at_the_very_beginning_leaves_a_journal_to_begin(tmp_path: Path) -> None:
    for stop in range(1, 9):
        place = tmp_path / str(stop)
        place.mkdir()
        with pytest.MonkeyPatch.context() as patched:
            Steps(patched, stop, done=False, error=Crash())
            with pytest.raises(Crash):
                open_store(place).close()
        with open_store(place) as store:
            store.append([entry(1)], sign=True)
        assert verify(place / "journal", key=PUBLIC).ok


def test_the_files_are_named_as_told(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        for number in range(1, 4):
            store.append([entry(number)], sign=False)
            store.begin_segment()
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "journal",
        "journal.1",
        "journal.2",
        "journal.3",
        "journal.key",
        "journal.lock",
    ]


def test_an_empty_segment_goes_on(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        store.begin_segment()
        store.append([entry(1)], sign=False)
        store.begin_segment()
        store.begin_segment()
    assert verify(tmp_path / "journal").segments == 2


def test_a_closed_segment_ends_signed(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        store.append(entries(1, 3), sign=False)
        store.begin_segment()
        assert store.signed == 3
    assert segment_start(tmp_path / "journal") == 3
    alone = tmp_path / "alone"
    alone.mkdir()
    (tmp_path / "journal.1").rename(alone / "journal")
    assert verify(alone / "journal", key=PUBLIC).signed_to == 3


def test_files_with_other_endings_are_no_segments(tmp_path: Path) -> None:
    for name in ("journal.old", "journal.01", "journal.0", "journal.1.gz", "journal2.1"):
        (tmp_path / name).write_bytes(b"something else")
    with open_store(tmp_path) as store:
        store.append([entry(1)], sign=True)
        store.begin_segment()
    assert verify(tmp_path / "journal").ok


@pytest.mark.field("BR-036")
@pytest.mark.clause("SB-11")
def test_a_start_writes_the_logs_again_also_that_of_a_segment_half_closed_and_then_makes_the_names_durable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    half, done = tmp_path / "half", list[str]()
    half.mkdir()
    with open_store(tmp_path) as store:
        store.append(entries(1, 3), sign=True)
        for file in ("journal", "journal-wal", "journal.key"):
            shutil.copy(tmp_path / file, half)
    for suffix in ("", "-wal"):
        os.link(half / f"journal{suffix}", half / f"journal.1{suffix}")
    for name in ("written_again", "durable_directory"):
        does = getattr(store_module, name)
        told = f"{name} "
        monkeypatch.setattr(
            store_module, name, lambda path, does=does, told=told: (done.append(told + path.name), does(path))
        )
    with open_store(half) as store:
        assert store.last_number == 3
    assert done == ["written_again journal-wal", "written_again journal.1-wal", "durable_directory journal"]


@pytest.mark.field("BR-036")
def test_what_is_written_again_is_flushed_before_anybody_builds_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "log").write_bytes(b"records" * 1000)
    flush, flushed = os.fsync, list[str]()
    with monkeypatch.context() as watched:
        watched.setattr(os, "fsync", lambda file: (flushed.append(os.readlink(f"/proc/self/fd/{file}")), flush(file)))
        written_again(tmp_path / "log")
    assert flushed == [str(tmp_path / "log")]
    assert (tmp_path / "log").read_bytes() == b"records" * 1000
