"""Readers: short reads beside a writer, alive or dead, across its segments."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from firmware_bridge.errors import JournalError
from firmware_bridge.journal import heads, last_number, read_records, reader, require_journal, verify
from tests.journal.bench import HEADS, LAST, SEGMENT_ENDS, entries, entry, make_journal, open_store, segment_of, spoil

WRITER = """
import sys
from pathlib import Path
from tests.journal.bench import entry, open_store
store = open_store(Path(sys.argv[1]))
for number in range(1, 10_000):
    store.append([entry(number)], sign=number % 7 == 0)
    if number % 50 == 0:
        store.begin_segment()
    print(number, flush=True)
"""


def numbers(path: Path, after: int = 0) -> list[int]:
    return [record.number for record in read_records(path, after)]


@pytest.mark.parametrize("after", [0, 1, 11, 12, 13, 24, 30, LAST])
def test_reading_goes_on_from_any_record(tmp_path: Path, after: int) -> None:
    assert numbers(make_journal(tmp_path), after) == list(range(after + 1, LAST + 1))


def test_all_heads_and_the_last_number_are_read(tmp_path: Path) -> None:
    path = make_journal(tmp_path)
    assert tuple(head.number for head in heads(path)) == HEADS
    assert last_number(path) == LAST


def test_an_empty_journal_has_no_records(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    assert numbers(tmp_path / "journal") == []
    assert last_number(tmp_path / "journal") == 0


def test_reading_leaves_nothing_beside_a_closed_journal(tmp_path: Path) -> None:
    path = make_journal(tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert numbers(path)
    assert verify(path).ok
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_number_beyond_the_end_is_refused(tmp_path: Path) -> None:
    path = make_journal(tmp_path)
    with pytest.raises(JournalError, match="no record 34 to go on from"):
        numbers(path, 34)


def test_a_missing_journal_is_said(tmp_path: Path) -> None:
    for path in (tmp_path / "journal", tmp_path / "nowhere" / "journal"):
        with pytest.raises(JournalError, match="no such file"):
            numbers(path)


@pytest.mark.parametrize("newest", [None, b"", b"no journal at all"])
def test_a_journal_of_which_older_segments_are_there_is_one_whatever_became_of_its_newest_file(
    tmp_path: Path, newest: bytes | None
) -> None:
    """What is wrong with it is then a verification's to say, with the records that still hold."""
    path = make_journal(tmp_path)
    path.unlink()
    if newest is not None:
        path.write_bytes(newest)
    require_journal(path)
    for segment in range(1, len(SEGMENT_ENDS) + 1):
        path.with_name(f"{path.name}.{segment}").unlink()
    with pytest.raises(JournalError, match=r"no such file|is empty|is not a journal"):
        require_journal(path)


def test_a_broken_chain_ends_the_reading_with_its_record(tmp_path: Path) -> None:
    path = make_journal(tmp_path)
    spoil(segment_of(path, 17), ("UPDATE record SET utc_ns = 0 WHERE number = 17", ()))
    records = read_records(path)
    assert [next(records).number for _ in range(16)] == list(range(1, 17))
    with pytest.raises(JournalError, match="record 17 does not follow record 16"):
        next(records)


def test_a_missing_segment_is_said(tmp_path: Path) -> None:
    path = make_journal(tmp_path)
    segment_of(path, 13).unlink()
    with pytest.raises(JournalError):
        numbers(path)


@pytest.mark.parametrize("batch", [1, 2, 3, 1000])
def test_a_reader_keeps_up_with_a_writer_that_begins_segments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    """Records are written while the reader is anywhere in the file: it sees each once, in order."""
    monkeypatch.setattr(reader, "BATCH", batch)
    with open_store(tmp_path) as store:
        store.append(entries(1, 3), sign=False)
        seen = []
        for record in read_records(tmp_path / "journal"):
            seen.append(record.number)
            if store.last_number < 60:
                store.append([entry(store.last_number + 1)], sign=record.number % 4 == 0)
                if record.number % 5 == 0:
                    store.begin_segment()
        assert seen == list(range(1, 61))


READER = """
import sys
from pathlib import Path
from firmware_bridge.errors import JournalError
from firmware_bridge.journal import read_records, verify
path, done, last = Path(sys.argv[1]), Path(sys.argv[2]), 0
while not done.exists():
    try:
        for record in read_records(path, last):
            last = record.number
        report = verify(path)
    except JournalError as error:
        sys.exit(str(error))
    if not report.ok:
        sys.exit(str(report.lines()))
"""


def test_readers_beside_the_writer_never_see_a_damaged_journal(tmp_path: Path) -> None:
    """In processes of their own, as all readers are: SQLite's locks do not part two threads of one process."""
    path, done = tmp_path / "journal", tmp_path / "done"
    with open_store(tmp_path) as store:
        store.append([entry(1)], sign=True)
        command = [sys.executable, "-c", READER, str(path), str(done)]
        readers = [subprocess.Popen(command, stderr=subprocess.PIPE, cwd=Path(__file__).parents[2]) for _ in range(2)]
        try:
            for number in range(2, 301):
                store.append([entry(number)], sign=number % 3 == 0)
                if number % 5 == 0:
                    store.begin_segment()
        finally:
            done.touch()
        assert [reader.communicate()[1] for reader in readers] == [b"", b""]
    assert [reader.returncode for reader in readers] == [0, 0]


def test_a_killed_writer_has_kept_all_that_it_said_it_had(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    ) as writer:
        assert writer.stdout is not None
        said = 0
        while said < 120:
            said = int(writer.stdout.readline())
        os.kill(writer.pid, signal.SIGKILL)
        rest = writer.stdout.read().split("\n")
    said = max([said, *map(int, filter(str.isdigit, rest))])
    kept = numbers(tmp_path / "journal")
    assert kept == list(range(1, len(kept) + 1))
    assert len(kept) >= said
    assert verify(tmp_path / "journal").ok
    with open_store(tmp_path) as store:
        assert store.last_number == len(kept)
        store.append([entry(len(kept) + 1)], sign=True)
    assert verify(tmp_path / "journal").signed_to == len(kept) + 1


def test_a_segment_that_is_closed_while_they_are_counted_is_counted_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal"
    path.write_bytes(b"")
    seen = iter([[], [1]])

    monkeypatch.setattr(reader, "closed_segments", lambda _: next(seen, [1]))
    monkeypatch.setattr(reader, "is_closed_half_way", lambda _: True)
    assert reader.segment_count(path) == 1
