"""The journal on disk: one writer, appends durable on return, segments that survive a crash at any step."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from firmware_bridge.core.records import Entry
from firmware_bridge.core.state import State
from firmware_bridge.errors import JournalError, JournalLostError
from firmware_bridge.journal.chain import (
    Opening,
    Record,
    Tip,
    advanced,
    chained,
    follows,
    head_message,
    head_text,
    opening_message,
)
from firmware_bridge.journal.database import (
    Batch,
    Connect,
    Connection,
    connect_sqlite,
    connect_writer,
    create,
    read_tail,
    write,
)
from firmware_bridge.journal.files import (
    BEGIN_ANEW,
    beside,
    closed_segments,
    discard_draft,
    draft_of,
    durable_directory,
    file_identity,
    first_segment,
    is_closed_half_way,
    journal_error,
    numbered,
    replace_segment,
    require_none_lost,
    writer_lock,
    written_again,
)
from firmware_bridge.journal.keys import (
    Entropy,
    keep_key,
    load_key,
    public_bytes,
    signature_holds,
    signed_head,
    signed_opening,
)
from firmware_bridge.journal.snapshot import Restored, restore, write_snapshot
from firmware_bridge.lock import Lock

TAIL = 250
"""Records that are checked at the end of FILE before it is written to; held together, so no more of them."""

Files = tuple[tuple[int, int] | None, tuple[int, int] | None]
"""Which files have FILE's name and its log's, each as device and inode; None: no file has."""

TooLong = Callable[[Path], None]

LOG_LIMIT = 64 << 20
"""Bytes of SQLite's log from which on a segment is begun: a reader that never lets go keeps the old one's only."""


class SqliteStore:
    """The journal's ``Store`` on disk. Made by ``open``; used by one thread at a time."""

    def __init__(
        self, path: Path, table: str, key: Ed25519PrivateKey, lock: Lock, connect: Connect, too_long: TooLong
    ) -> None:
        self._path = path
        self._log = beside(path, "-wal")
        self._table = table
        self._key = key
        self._lock = lock
        self._connect = connect
        self._log_is_too_long = too_long
        self._connection: Connection | None = None
        self._segment = 0
        self._began = Tip()
        self._tip = Tip()
        self._gap = False
        self._files: Files = (None, None)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        table: str,
        key_path: Path,
        entropy: Entropy = os.urandom,
        connect: Connect = connect_sqlite,
        too_long: TooLong = lambda _log: None,
        anew: bool = False,
    ) -> SqliteStore:
        """Open the journal of one table, or begin it; finish what a crash left half done.

        ``too_long`` is told SQLite's log where a segment is begun because of its length. ``anew``: the key may be of a
        journal that was laid aside.

        ``AlreadyRunningError`` if another process writes it; ``JournalError`` if it cannot be written, is damaged or
        gone from beside its key (it is then left as it is), belongs to another table or was signed with another key.
        """
        path = path.absolute()
        lock = writer_lock(path)
        store = None
        try:
            exists = path.exists() or bool(closed_segments(path))
            key = load_key(key_path, journal_exists=exists, entropy=entropy)
            store = cls(path, table, key, lock, connect, too_long)
            store._recover(None if anew else key_path)
            keep_key(key_path)
        except BaseException as error:
            if store is not None:
                store._disconnect()
            lock.release()
            if isinstance(error, (sqlite3.Error, OSError)):
                raise journal_error("opening", path, error) from error
            raise
        return store

    # -- the port --------------------------------------------------------------------------------------------

    @property
    def last_number(self) -> int:
        """Number of the last record kept; 0 in an empty journal."""
        return self._tip.number

    def append(self, entries: Sequence[Entry], *, sign: bool) -> None:
        """Keep the entries in one transaction; durable on return. ``sign`` signs the new head.

        ``JournalError`` if not: nothing of it counts, and until ``begin_segment`` every further append is
        refused, because a file whose flush failed once cannot be trusted to tell the truth about the next
        one. So it is, entries or none, where FILE or its log is not the file any more that is written here.
        ``AlreadyRunningError`` if its lock was removed and another process has it since.
        """
        if self._connection is None or self._gap:
            raise JournalError(
                f"journal {self._path}: no segment is open for writing since the last write failed or the journal was "
                "closed. Free the disk if it is full; begin a new segment."
            )
        self._keep_the_lock()
        self._look_at_the_files()
        if entries and self._log_is_long():
            self._log_is_too_long(self._log)
            self.begin_segment()
        tip = self._tip
        records: list[Record] = []
        for entry in entries:
            records.append(chained(tip, entry))
            tip = advanced(tip, records[-1])
        head = signed_head(self._key, tip) if sign and tip.number > tip.signed else None
        if not records and head is None:
            return
        try:
            write(self._connection, records, head)
        except (sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
            self._gap = True
            if isinstance(error, OverflowError):
                raise JournalError(f"journal {self._path}: a record's number or time is out of range.") from error
            raise journal_error(f"writing record {tip.number}", self._path, error) from error
        self._tip = Tip(tip.number, tip.digest, tip.number if head else tip.signed)
        if self._files[1] is None:  # the log is there from the first write on
            self._files = self._found()

    def begin_segment(self) -> None:
        """Sign the head, close the segment and begin the next, chained to it; an empty segment goes on.

        After a failed append it begins the segment with the last head that is certain. ``JournalError`` if it
        cannot: the journal stays closed to appends, and ``begin_segment`` may be called again.
        """
        if self._connection is not None and not self._gap:
            if self._tip.number == self._began.number:
                return
            self.append([], sign=True)
        self._keep_the_lock()
        try:
            self._require_closed(self._segment - 1)
            self._keep_the_name()
            self._disconnect()
            self._begin(self._segment + 1, self._tip, gap=self._gap)
            self._attach()
        except (sqlite3.Error, OSError) as error:
            raise journal_error("beginning a segment", self._path, error) from error

    # -- beside it -------------------------------------------------------------------------------------------

    @property
    def public_key(self) -> bytes:
        """The 32 bytes by which an inspector checks the signatures."""
        return public_bytes(self._key)

    @property
    def head(self) -> str:
        """The chain's last record as people carry it off: ``NUMBER:DIGEST``."""
        return head_text(self._tip.number, self._tip.digest)

    @property
    def signed(self) -> int:
        """The last record that a signature covers."""
        return self._tip.signed

    def keep_snapshot(self, state: State, software: str) -> None:
        """Keep the state after the last record for the next start. ``JournalError`` if not; the journal is as it was.

        ``software`` names the program: a start of another one does not use it.
        """
        if state.record == self._tip.number > 0:
            write_snapshot(self._path, self._key, self._tip, state, software)

    def restored(self, software: str) -> Restored:
        """The state that the journal leads to, folded from its snapshot on. ``JournalError`` if it cannot be read."""
        return restore(self._path, self.public_key, software)

    def close(self) -> None:
        """Close the file and let another process write; signs nothing."""
        self._disconnect()
        self._lock.release()

    def __enter__(self) -> SqliteStore:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def _log_is_long(self) -> bool:
        try:
            return self._log.stat().st_size > LOG_LIMIT
        except FileNotFoundError:
            return False  # not before the first write

    # -- names -----------------------------------------------------------------------------------------------

    def _keep_the_lock(self) -> None:
        """Lock anew what was removed. ``AlreadyRunningError`` if another process writes here since: ours is over."""
        try:
            self._lock.keep()
        except OSError as error:
            self._gap = True
            raise journal_error("its lock is gone, and making it again", self._path, error) from error

    def _found(self) -> Files:
        return file_identity(self._path), file_identity(self._log)

    def _look_at_the_files(self) -> None:
        """Give the segment up where a name leads elsewhere: what is written would be gone with the process."""
        try:
            if self._found() == self._files:
                return
            self._gap = True
            self._keep_the_name()
        except (sqlite3.Error, OSError) as error:
            raise journal_error("its files are gone, and writing them again", self._path, error) from error
        raise JournalError(
            f"journal {self._path}: it or its log was removed, renamed or replaced while a controller wrote it. It was "
            "written there again, whole, and goes on with a new segment. Find out who did that."
        )

    def _keep_the_name(self) -> None:
        """Have FILE under its name before it is closed: what has no name is lost then.

        Where FILE or its log is gone, FILE is written again from what is still open of it. ``JournalError`` if another
        file has its name.
        """
        found = self._found()
        if self._connection is None or found == self._files:
            return
        if found[0] not in (None, self._files[0]):
            raise JournalError(
                f"journal {self._path}: another file has its name, and the journal is open without one. Move that "
                "file away while the controller runs: it then writes the journal there again and goes on by itself."
            )
        discard_draft(self._path)
        draft = draft_of(self._path)
        self._connection.execute("VACUUM INTO ?", (str(draft),))
        written_again(draft)
        for suffix in ("-wal", "-shm"):  # what they hold is in it
            beside(self._path, suffix).unlink(missing_ok=True)
        os.rename(draft, self._path)
        durable_directory(self._path)
        self._files = self._found()

    def _require_closed(self, last: int) -> None:
        """``JournalLostError`` if one of the closed segments up to this number is missing."""
        missing = sorted({*range(1, last + 1)} - {*closed_segments(self._path)})
        if missing:
            names = ", ".join(numbered(self._path, number).name for number in missing)
            raise JournalLostError(
                f"journal {self._path}: {names} is missing, which it goes on from. Put it back: a controller at work "
                f"then goes on by itself; or, if it is lost, {BEGIN_ANEW}."
            )

    # -- segments --------------------------------------------------------------------------------------------

    def _recover(self, key_path: Path | None) -> None:
        """From whichever state a crash left: nothing, a segment, or one with a number and no successor.

        ``key_path``: see ``require_none_lost``.
        """
        path = self._path
        closed = closed_segments(path)
        discard_draft(path)
        self._trust_the_disk(closed)
        if is_closed_half_way(path):
            away = numbered(path, closed[-1])
            self._begin(closed[-1] + 1, self._trusted_tip(away, read_tail(away, TAIL), closed[-1]), gap=False)
        elif not path.exists():
            require_none_lost(path, key_path)
            self._begin(1, Tip(), gap=False)
        self._attach()

    def _trust_the_disk(self, closed: Sequence[int]) -> None:
        """Have on the disk what is about to be read and built on: the process before may have ended at a failed flush.

        Only SQLite's logs can hold what was never flushed, and the directory names; the rest was, or nobody reads it.
        """
        for segment in (self._path, *(numbered(self._path, number) for number in closed[-1:])):
            log = beside(segment, "-wal")
            if log.exists():
                written_again(log)
        durable_directory(self._path)

    def _begin(self, segment: int, tip: Tip, *, gap: bool) -> None:
        """Make ``segment`` and give it FILE's name.

        Tried before and failed half-way, it goes on from there.
        """
        discard_draft(self._path)
        create(draft_of(self._path), signed_opening(self._key, segment, self._table, tip, gap=gap), self._connect)
        if segment == 1:
            first_segment(self._path)
        else:
            replace_segment(self._path, segment - 1)

    def _attach(self) -> None:
        """Check FILE as it lies, and only then open it for writing."""
        closed = closed_segments(self._path)
        segment = (closed[-1] if closed else 0) + 1
        self._require_closed(segment - 1)
        batch = read_tail(self._path, TAIL)
        tip = self._trusted_tip(self._path, batch, segment)
        self._connection = connect_writer(self._path, self._connect)
        self._segment, self._began, self._tip, self._gap = segment, batch.opening.tip(), tip, False
        self._files = self._found()

    def _trusted_tip(self, path: Path, batch: Batch, segment: int) -> Tip:
        """Where the segment ends.

        ``JournalError`` if opening, last head or last records are not as we wrote them.
        """
        opening = batch.opening
        self._check_owner(path, opening, segment)
        signed = opening.number
        for head in batch.heads:
            message = head_message(head.after, head.number, head.digest)
            if not signature_holds(self.public_key, head.signature, message):
                raise _damaged(path, f"the signature of head {head.number} does not hold")
            signed = head.number
        tip = Tip(opening.number, opening.digest, signed)
        records = batch.records
        if records and records[0].number != opening.number + 1:
            tip = Tip(records[0].number, records[0].digest, signed)
            records = records[1:]
        for record in records:
            if not follows(tip, record):
                raise _damaged(path, f"record {record.number} does not follow record {tip.number}")
            tip = advanced(tip, record)
        if signed > tip.number:
            raise _damaged(path, f"it ends at record {tip.number}, but record {signed} was signed")
        return tip

    def _check_owner(self, path: Path, opening: Opening, segment: int) -> None:
        if not signature_holds(opening.public_key, opening.signature, opening_message(opening)):
            raise _damaged(path, "the signature of its opening does not hold")
        if opening.public_key != self.public_key:
            raise JournalError(
                f"journal {path}: it was signed with another key. Put its own key back; or move the "
                "journal's files and this key away together to begin a new one."
            )
        if opening.table != self._table:
            raise JournalError(
                f"journal {path}: it belongs to table {opening.table!r}, not {self._table!r}. "
                "Name the right file or the right table."
            )
        if opening.segment != segment:
            raise _damaged(path, f"it is segment {opening.segment} where segment {segment} belongs")

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _damaged(path: Path, finding: str) -> JournalLostError:
    return JournalLostError(f"journal {path}: {finding}; the file was left as it is. To go on, {BEGIN_ANEW}.")
