"""A byte of a journal's file is another: each reader reads on or says so; what does not hold can be laid aside."""

from __future__ import annotations

import io
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from firmware_bridge.errors import JournalError
from firmware_bridge.journal import SqliteStore, check_journal, export_lines, last_number, parts, read_records, verify
from firmware_bridge.journal.damaged import what_is_damaged
from firmware_bridge.journal.database import TABLES
from firmware_bridge.readers.terminal import watch
from firmware_bridge.rulebooks import Shelf
from firmware_bridge.service.replay import replay
from firmware_bridge.service.run import key_of
from firmware_bridge.service.wording import told
from tests.journal.bench import PUBLIC, entries, open_store
from tests.service import live, recorded

PAGE, HEADER = 4096, 100
NO_TEXT = 0xA1
"""A byte that begins no character: the text around it is none any more, not even in SQLite's own messages."""

READERS: dict[str, Callable[[Path], object]] = {
    "records": lambda path: list(read_records(path)),
    "last number": last_number,
    "export": lambda path: list(export_lines(parts(path))),
    "show": lambda path: list(told(read_records(path), Shelf())),
    "replay": lambda path: replay(((one.number, one.utc_ns, one.body) for one in read_records(path)), Shelf()),
    "watch": lambda path: watch(path, path.parent / "status", io.StringIO(), lambda: True),
}


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    live.enrol(tmp_path)
    return recorded.journal_in(tmp_path)


def each_byte_in_use(page: bytes) -> Iterator[int]:
    """Where a page holds anything: SQLite leaves zeros between its cells, and reads none of them."""
    return (place for place, byte in enumerate(page) if byte or place < HEADER)


@pytest.mark.field("BR-036")
@pytest.mark.timeout(120)
def test_whichever_byte_of_the_first_page_is_bad_it_is_said_and_the_journal_can_be_laid_aside(journal: Path) -> None:
    sound, damaged = journal.read_bytes(), 0
    for place in each_byte_in_use(sound[:PAGE]):
        journal.write_bytes(sound[:place] + bytes([NO_TEXT]) + sound[place + 1 :])
        refusals = [refused for refused in (refusal(read, journal) for read in READERS.values()) if refused]
        wrong = what_is_damaged(journal, table="BJ-07", key_path=key_of(journal))
        assert bool(wrong) >= (bool(refusals) or not verify(journal).ok), f"byte {place}: {refusals}"
        damaged += bool(wrong)
    assert damaged > PAGE // 10, "most of what stands there is needed"


KINDS: list[tuple[str, str, object]] = [
    ("record", "utc_ns", "soon"),
    ("record", "utc_ns", 1.5),
    ("record", "link_ns", b"now"),
    ("record", "body", "{}"),
    ("record", "body", 7),
    ("record", "digest", 7),
    ("record", "digest", b"short"),
    ("head", "after", "one"),
    ("head", "after", -1),
    ("head", "digest", 7),
    ("head", "signature", "none"),
    ("segment", "table_name", b"BJ-07"),
    ("segment", "public_key", 7),
    ("segment", "after", 0.5),
    ("segment", "number", "zero"),
    ("segment", "gap", "no"),
    ("segment", "gap", 2),
    ("segment", "signature", 7),
]
"""A table, a field, and what is of no kind that was ever written there."""


def put(path: Path, table: str, field: str, value: object) -> None:
    """Write what SQLite would refuse to write there, as a bad disk does: the schema says STRICT before and after."""
    last = " WHERE number = (SELECT max(number) FROM record)" if table == "record" else ""
    schema = "UPDATE sqlite_master SET sql = ? WHERE name = ?"
    for statement, values in (
        (schema, (TABLES[table].removesuffix(" STRICT").replace(" NOT NULL", ""), table)),
        (f"UPDATE {table} SET {field} = ?{last}", (value,)),
        (schema, (TABLES[table], table)),
    ):
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute(statement, values)


@pytest.mark.field("BR-036")
@pytest.mark.parametrize(("table", "field", "value"), KINDS)
def test_a_field_of_another_kind_is_said_by_each_reader_and_by_the_inspectors_check(
    journal: Path, table: str, field: str, value: object
) -> None:
    with SqliteStore.open(journal, table="BJ-07", key_path=key_of(journal)) as store:
        store.append([], sign=True)
        last = store.last_number
    put(journal, table, field, value)
    report = verify(journal)
    assert report.bad_record == {"record": last, "head": 1, "segment": 1}[table]
    assert f"BAD: record {report.bad_record}: " in checked_by_the_inspector(journal)
    for name, read in READERS.items():
        assert refusal(read, journal), name
    assert what_is_damaged(journal, table="BJ-07", key_path=key_of(journal))


@pytest.mark.field("BR-036", "BR-038")
def test_a_damaged_row_among_those_given_up_with_a_failed_flush_is_given_up_with_them(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    with open_store(tmp_path) as store:
        store.append(entries(1, 5), sign=True)
        kept = store._tip
        store.append(entries(6, 6), sign=False)
        store._tip, store._gap = kept, True  # as if that append had failed
        store.begin_segment()
        store.append(entries(6, 7), sign=True)
    put(tmp_path / "journal.1", "record", "body", 7)
    report = verify(path, key=PUBLIC)
    assert (report.ok, report.complete_to) == (True, 7)
    assert report.notes == ("records of segment 1 after 5 were given up with a failed flush",)
    put(path, "record", "body", 7)
    assert verify(path, key=PUBLIC).bad_record == 7, "the same row where nothing was given up"


def checked_by_the_inspector(journal: Path) -> str:
    """What the one-file checker says."""
    done = subprocess.run(
        [sys.executable, check_journal.__file__, journal], capture_output=True, text=True, check=False, timeout=60
    )
    assert not done.stderr
    return done.stdout


def refusal(read: Callable[[Path], object], journal: Path) -> str:
    """Why a journal is not read, in words that name it; nothing if it is."""
    try:
        read(journal)
    except JournalError as error:
        told = str(error)
    else:
        return ""
    assert str(journal) in told
    return told
