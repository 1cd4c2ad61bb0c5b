"""Journals for the tests: made once, copied, and spoiled through SQLite as someone with an editor would."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from firmware_bridge.core.records import Entry
from firmware_bridge.journal import SqliteStore, verify

TABLE = "Mesa 7"
SEED = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
PUBLIC = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")

# The journal that the tests spoil: records 1 to 12 in FILE.1, 13 to 24 in FILE.2, 25 to 33 in FILE.
LAST, SIGNED = 33, 32
SEGMENT_ENDS = (12, 24)
HEADS = (4, 8, 12, 16, 20, 24, 28, 32)


def entry(number: int) -> Entry:
    """The entry of this number."""
    body = b'{"table":%d,"event":{"type":"card_fed"},"decision":{"changes":[]}}' % (number * 3)
    return Entry(number, 1_700_000_000_000_000_000 + number * 7, number * 5, body)


def entries(first: int, last: int) -> list[Entry]:
    """The entries from first to last."""
    return [entry(number) for number in range(first, last + 1)]


def open_store(directory: Path, **options: Any) -> SqliteStore:
    """The store in this directory, with the key of RFC 8032's first test, and what else ``SqliteStore.open`` takes."""
    return SqliteStore.open(
        directory / "journal", table=TABLE, key_path=directory / "journal.key", entropy=lambda _count: SEED, **options
    )


def make_journal(directory: Path) -> Path:
    """The journal that the tests spoil."""
    with open_store(directory) as store:
        for number in range(1, LAST + 1):
            store.append([entry(number)], sign=number in HEADS and number not in SEGMENT_ENDS)
            if number in SEGMENT_ENDS:
                store.begin_segment()
    return directory / "journal"


def copy_of(path: Path, directory: Path) -> Path:
    """The journal's files in another directory."""
    directory.mkdir(parents=True)
    for file in path.parent.glob(path.name + "*"):
        shutil.copy(file, directory)
    return directory / path.name


def segment_of(path: Path, number: int) -> Path:
    """The file in which the record lies."""
    for segment, end in enumerate(SEGMENT_ENDS, 1):
        if number <= end:
            return path.with_name(f"{path.name}.{segment}")
    return path


def spoil(file: Path, *statements: tuple[str, Iterable[Any]]) -> None:
    """Run statements on a segment's file, as anyone can who may write it."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for statement, values in statements:
            connection.execute(statement, tuple(values))
        connection.commit()


def rows(file: Path, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """What a query finds in a segment's file."""
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(query, values).fetchall()


def first_bad(path: Path) -> int | None:
    """The first bad record that verification with the right key finds."""
    report = verify(path, key=PUBLIC)
    assert report.ok == (report.bad_record is None)
    return report.bad_record


def head_of(path: Path) -> str:
    """The journal's last head, as one carries it off."""
    return verify(path).head
