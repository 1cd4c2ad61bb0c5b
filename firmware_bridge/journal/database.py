"""One segment as a SQLite file: its tables, a connection that writes it, and short reads of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from firmware_bridge.errors import JournalError, JournalLostError
from firmware_bridge.journal.chain import Head, Opening, Record
from firmware_bridge.journal.files import beside, journal_error
from firmware_bridge.plain_file import require_plain

T = TypeVar("T")

APPLICATION_ID = 0x5342544A  # "SBTJ"
FORMAT = 1
TABLES = {
    "segment": "CREATE TABLE segment (segment INTEGER NOT NULL, table_name TEXT NOT NULL, "
    "public_key BLOB NOT NULL, after INTEGER NOT NULL, number INTEGER NOT NULL, digest BLOB NOT NULL, "
    "gap INTEGER NOT NULL, signature BLOB NOT NULL) STRICT",
    "record": "CREATE TABLE record (number INTEGER PRIMARY KEY, utc_ns INTEGER NOT NULL, "
    "link_ns INTEGER NOT NULL, body BLOB NOT NULL, digest BLOB NOT NULL) STRICT",
    "head": "CREATE TABLE head (number INTEGER PRIMARY KEY, after INTEGER NOT NULL, digest BLOB NOT NULL, "
    "signature BLOB NOT NULL) STRICT",
}
_ADD_RECORD = "INSERT INTO record (number, utc_ns, link_ns, body, digest) VALUES (?, ?, ?, ?, ?)"
_ADD_HEAD = "INSERT INTO head (number, after, digest, signature) VALUES (?, ?, ?, ?)"

_NOT_THE_FILE = frozenset(
    {
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
    }
)
"""What SQLite says of disk, rights and other processes; all else that it says of a read it says of the bytes."""

Row = tuple[Any, ...]

DIGEST = 32
"""Bytes of a digest, and of a public key."""

LOWEST = -(1 << 63)
HIGHEST = (1 << 63) - 1
_ATTEMPTS = 20
_READER_PATIENCE_S = 5.0


class Unreadable(JournalError):
    """A segment's file is no journal, or is damaged; read again it will say the same."""


class Damaged(Unreadable, JournalLostError):
    """A segment's file is no journal any more."""


class RowDamaged(Damaged):
    """A row with a field of another kind than it was written with. ``of_head``: a head's, else a record's."""

    def __init__(self, message: str, *, of_head: bool) -> None:
        super().__init__(message)
        self.of_head = of_head


class Batch:
    """What one short read saw of a segment: records in order of number and the heads that lie among them.

    ``more``: it stopped at its limit, or before a row that is damaged: read on from the number after its last record.
    """

    __slots__ = ("heads", "more", "opening", "records")

    def __init__(self, opening: Opening, records: list[Record], heads: list[Head], more: bool) -> None:
        self.opening = opening
        self.records = records
        self.heads = heads
        self.more = more

    def in_order(self, end: int | None = None) -> list[Record | Head]:
        """Records and heads by number, a head after its record; those after ``end`` left out."""
        parts: list[Record | Head] = [*self.records, *self.heads]
        inside = (part for part in parts if end is None or part.number <= end)
        return sorted(inside, key=lambda part: (part.number, isinstance(part, Head)))


class Connection(Protocol):
    """What the writer needs of a connection to SQLite."""

    def execute(self, statement: str, values: Any = ..., /) -> Any:
        """Run one statement; returns a cursor."""

    def executemany(self, statement: str, values: Any, /) -> Any:
        """Run one statement for each of many values."""

    def close(self) -> None:
        """Let the file go."""


Connect = Callable[[Path], Connection]


# -- writing -------------------------------------------------------------------------------------------------


def connect_sqlite(path: Path) -> sqlite3.Connection:
    """A connection for the writer, outside of any transaction.

    Not bound to the thread that opens it, since the service opens the journal before it starts the
    controller's thread; from then on that thread alone uses it.
    """
    return sqlite3.connect(path, isolation_level=None, check_same_thread=False)


def create(path: Path, opening: Opening, connect: Connect = connect_sqlite) -> None:
    """Make a new segment's file with its opening, durable on return.

    ``sqlite3.Error`` if it cannot be made.
    """
    with closing(connect_writer(path, connect)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        for statement in TABLES.values():
            connection.execute(statement)
        connection.execute(
            "INSERT INTO segment VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                opening.segment,
                opening.table,
                opening.public_key,
                opening.after,
                opening.number,
                opening.digest,
                opening.gap,
                opening.signature,
            ),
        )
        connection.execute("COMMIT")


def connect_writer(path: Path, connect: Connect = connect_sqlite) -> Connection:
    """The one connection that writes: every commit is flushed before it returns.

    Checkpoints are passive ones: no reader can make the controller wait.
    """
    connection = connect(path)
    try:
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise JournalError(
                f"journal {path}: its file system does not support a write-ahead log. Put it on a local disk."
            )
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA wal_autocheckpoint = 1000")
    except BaseException:
        connection.close()
        raise
    return connection


def write(connection: Connection, records: list[Record], head: Head | None) -> None:
    """Keep records and head in one transaction.

    ``sqlite3.Error`` if not; then the file must not be written again.
    """
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(_ADD_RECORD, [(r.number, r.utc_ns, r.link_ns, r.body, r.digest) for r in records])
    if head is not None:
        connection.execute(_ADD_HEAD, (head.number, head.after, head.digest, head.signature))
    connection.execute("COMMIT")


# -- reading -------------------------------------------------------------------------------------------------


def short_read(path: Path, work: Callable[[sqlite3.Connection], T]) -> T:
    """What ``work`` reads in one transaction, writer alive or dead; the file is opened for it alone.

    If the file changed its name meanwhile (a segment was begun), SQLite may have joined one file to another's
    log; what was read is thrown away and read again. ``FileNotFoundError``; ``Unreadable`` if it is no
    journal.
    """
    for _ in range(_ATTEMPTS):
        before = _identity(path)
        try:
            require_plain(path)  # SQLite would wait for a pipe, for ever
            with _snapshot(path, logged=before[1]) as connection:
                _check_format(connection, path)
                result = work(connection)
        except (sqlite3.Error, UnicodeDecodeError, OSError, Unreadable) as error:
            if _identity(path) != before:
                continue
            if isinstance(error, Unreadable):
                raise
            kind = Damaged if _tells_of_damage(error) else Unreadable
            raise kind(str(journal_error("reading", path, error))) from error
        if _identity(path) == before:
            return result
    raise JournalError(f"journal {path}: it changed its name at each of {_ATTEMPTS} reads. Try again.")


def _tells_of_damage(error: sqlite3.Error | UnicodeDecodeError | OSError) -> bool:
    """Whether it is the file's own bytes that SQLite could not read; a bad one in a name spoils even its message."""
    return not isinstance(error, OSError) and getattr(error, "sqlite_errorcode", 0) & 0xFF not in _NOT_THE_FILE


def _identity(path: Path) -> tuple[int, bool]:
    return path.stat().st_ino, beside(path, "-wal").exists()


@contextmanager
def _snapshot(path: Path, *, logged: bool) -> Iterator[sqlite3.Connection]:
    """A read transaction.

    Without a log nobody writes the file: it is read as it lies, and nothing is put beside it.
    """
    try:
        connection = _begin(path, "mode=ro" if logged else "mode=ro&immutable=1")
    except sqlite3.OperationalError as error:
        if not logged or error.sqlite_errorcode & 0xFF not in (
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_READONLY,
        ):
            raise
        # A log on a medium that cannot be written, where SQLite cannot make its index: read a copy.
        import shutil
        import tempfile  # both bring compressors, which no controller's start needs

        with tempfile.TemporaryDirectory(prefix="journal-") as directory:
            copy = Path(directory, "journal")
            shutil.copyfile(path, copy)
            shutil.copyfile(beside(path, "-wal"), beside(copy, "-wal"))
            with closing(_begin(copy, "mode=rw")) as connection:
                yield connection
        return
    with closing(connection):
        yield connection


def _begin(path: Path, options: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?{options}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_READER_PATIENCE_S)
    connection.text_factory = _text
    try:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _text(found: bytes) -> str:
    """A text as it lies there: a byte that is none is replaced, so that it differs from any text of ours."""
    return found.decode(errors="replace")


def _check_format(connection: sqlite3.Connection, path: Path) -> None:
    """Exactly our tables: a view or a trigger could show a reader what the chain does not hold."""
    found = (
        connection.execute("PRAGMA application_id").fetchone()[0],
        connection.execute("PRAGMA user_version").fetchone()[0],
        sorted(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall(), key=repr),
    )
    tables = sorted((("table", name, name, sql) for name, sql in TABLES.items()), key=repr)
    if found != (APPLICATION_ID, FORMAT, tables):
        raise Damaged(
            f"journal {path}: not a journal of format {FORMAT}, or its tables were altered. "
            "Give the journal's own file; if it is, keep it for the inspector."
        )


_RECORDS = "SELECT number, utc_ns, link_ns, body, digest FROM record"
_HEADS = "SELECT after, number, digest, signature FROM head"
_OPENINGS = "SELECT segment, table_name, public_key, after, number, digest, gap, signature FROM segment"


def read_batch(path: Path, first: int, limit: int) -> Batch:
    """Up to ``limit`` records from ``first`` on, with the heads among them, and after them if none follow.

    Those before a damaged row, so that each is looked at in its turn; ``RowDamaged`` if that is the first one.
    """

    def work(connection: sqlite3.Connection) -> Batch:
        rows = connection.execute(f"{_RECORDS} WHERE number >= ? ORDER BY number LIMIT ?", (first, limit)).fetchall()
        more = len(rows) == limit
        end = rows[-1][0] if more else HIGHEST
        heads = connection.execute(f"{_HEADS} WHERE number BETWEEN ? AND ? ORDER BY number", (first, end)).fetchall()
        damage = _first_damage(path, rows, heads)
        if damage is not None:
            number, error = damage
            rows, heads, more = _before(number, rows, 0), _before(number, heads, 1), True
            if not rows:
                raise error
        return Batch(_opening(connection, path), [Record(*row) for row in rows], [Head(*row) for row in heads], more)

    return short_read(path, work)


def read_tail(path: Path, count: int) -> Batch:
    """The last ``count`` records with the last head of all. ``RowDamaged`` if one of them is."""

    def work(connection: sqlite3.Connection) -> Batch:
        rows = connection.execute(f"{_RECORDS} ORDER BY number DESC LIMIT ?", (count,)).fetchall()[::-1]
        heads = connection.execute(f"{_HEADS} ORDER BY number DESC LIMIT 1").fetchall()
        damage = _first_damage(path, rows, heads)
        if damage is not None:
            raise damage[1]
        return Batch(_opening(connection, path), [Record(*row) for row in rows], [Head(*row) for row in heads], False)

    return short_read(path, work)


# -- rows: SQLite's own word for a column's kind binds nobody who writes the file's bytes ------------------------


def _first_damage(path: Path, rows: list[Row], heads: list[Row]) -> tuple[int, RowDamaged] | None:
    """The first row that is damaged: its number, and what is to be said of it. Numbers are keys, and always numbers."""
    record = next((row[0] for row in rows if not _is_record(row)), HIGHEST + 1)
    head = next((row[1] for row in heads if not _is_head(row)), HIGHEST + 1)
    number = min(record, head)
    if number > HIGHEST:
        return None
    what = "record" if record <= head else "the head of record"
    words = f"journal {path}: {what} {number} was altered: its fields are not of their kind. Keep it for the inspector."
    return number, RowDamaged(words, of_head=record > head)


def _before(number: int, rows: list[Row], key: int) -> list[Row]:
    return [row for row in rows if row[key] < number]


def _is_record(row: Row) -> bool:
    return (*map(type, row),) == (int, int, int, bytes, bytes) and len(row[4]) == DIGEST


def _is_head(row: Row) -> bool:
    return (*map(type, row),) == (int, int, bytes, bytes) and row[0] >= 0 and len(row[2]) == DIGEST


def _is_opening(row: Row) -> bool:
    return (
        (*map(type, row),) == (int, str, bytes, int, int, bytes, int, bytes)
        and min(row[0], row[3], row[4]) >= 0
        and len(row[2]) == len(row[5]) == DIGEST
        and row[6] in (0, 1)
    )


def _opening(connection: sqlite3.Connection, path: Path) -> Opening:
    rows = connection.execute(_OPENINGS).fetchall()
    if len(rows) != 1:
        raise Damaged(f"journal {path}: it has {len(rows)} openings where there is one. Keep it for the inspector.")
    if not _is_opening(rows[0]):
        raise Damaged(f"journal {path}: its opening was altered. Keep it for the inspector.")
    segment, table, public_key, after, number, digest, gap, signature = rows[0]
    return Opening(segment, table, public_key, after, number, digest, bool(gap), signature)
