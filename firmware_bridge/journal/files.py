"""The journal's files: their names, how a new segment takes the old one's place, and who may write."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import sqlite3
from pathlib import Path

from firmware_bridge.errors import AlreadyRunningError, JournalError, JournalLostError

_DISK_FULL = "The disk is full: free space there; a controller at work then goes on by itself"
_NOT_WRITABLE = "It may not be written: give the controller's user write permission to the file and its directory"
BEGIN_ANEW = "supervisor and technician lay it aside for the inspector and begin another: `sabot journal begin-anew`"
"""What is done about a journal that cannot be gone on from."""

_DAMAGED = f"The file is damaged or no journal: `sabot journal verify` says more. To go on, {BEGIN_ANEW}"

_PART = 1 << 20
"""Bytes that are written again at once."""

_REMEDIES = {
    sqlite3.SQLITE_FULL: _DISK_FULL,
    sqlite3.SQLITE_READONLY: _NOT_WRITABLE,
    sqlite3.SQLITE_PERM: _NOT_WRITABLE,
    sqlite3.SQLITE_CANTOPEN: "It cannot be opened: see that its directory exists and may be written",
    sqlite3.SQLITE_IOERR: "The disk failed: keep the file and check the disk",
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_BUSY: "Another program has locked it: stop that program",
}
_OS_REMEDIES = {
    errno.ENOSPC: _DISK_FULL,
    errno.EDQUOT: _DISK_FULL,
    errno.EROFS: _NOT_WRITABLE,
    errno.EACCES: _NOT_WRITABLE,
    errno.EPERM: _NOT_WRITABLE,
    errno.ENOENT: "Its directory does not exist: create it, owned by the controller's user",
}


def journal_error(what: str, path: Path, error: sqlite3.Error | OSError) -> JournalError:
    """The error in the field's words: what failed, on which file, and what to do."""
    if isinstance(error, OSError):
        remedy = _OS_REMEDIES.get(error.errno or 0)
    else:
        remedy = _REMEDIES.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
    return JournalError(f"journal {path}: {what}: {error}. {remedy or 'Keep the file and look at the disk'}.")


def beside(path: Path, suffix: str) -> Path:
    """The file whose name is the journal's with a suffix."""
    return path.with_name(path.name + suffix)


def numbered(path: Path, segment: int) -> Path:
    """Where a closed segment lies: FILE.1 is the oldest."""
    return beside(path, f".{segment}")


def closed_segments(path: Path) -> list[int]:
    """Numbers of the closed segments that are there, the oldest first."""
    return numbers_beside(path, ".")


def numbers_beside(path: Path, suffix: str) -> list[int]:
    """The numbers that stand behind FILE's name and a suffix, the lowest first."""
    pattern = re.compile(re.escape(path.name + suffix) + r"([1-9][0-9]*)")
    matches = (pattern.fullmatch(entry.name) for entry in path.parent.iterdir())
    return sorted(int(match[1]) for match in matches if match)


def durable_directory(path: Path) -> None:
    """Make the names in the file's directory durable."""
    descriptor = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def written_again(path: Path) -> None:
    """Write a file's own bytes to it once more, durable on return. ``OSError`` if the disk will not have them.

    What is read of a file after another process's flush of it failed may be in memory only: the system shows it, takes
    it for written, and no later flush writes it.
    """
    with path.open("r+b", buffering=0) as file:
        at = 0
        while part := os.pread(file.fileno(), _PART, at):
            at += os.pwrite(file.fileno(), part, at)
        os.fsync(file.fileno())


def draft_of(path: Path) -> Path:
    """Where the next segment is made before it takes FILE's name."""
    return beside(path, ".new")


def discard_draft(path: Path) -> None:
    """Remove what a crash left of a segment that never took FILE's name."""
    for suffix in (".new", ".new-wal", ".new-shm", ".new-journal"):
        beside(path, suffix).unlink(missing_ok=True)


def replace_segment(path: Path, segment: int) -> None:
    """Give FILE, segment ``segment`` whose connection is closed, its number, and the draft FILE's name.

    At every moment FILE is there, and each file has its log: a reader that is connected keeps SQLite from
    folding the log into the file at close, so the log gets its second name first and loses the first one
    late. Done in part before, it does the rest. ``OSError`` if a step fails.
    """
    away = numbered(path, segment)
    log, away_log = beside(path, "-wal"), beside(away, "-wal")
    if not away.exists():
        away_log.unlink(missing_ok=True)
        if log.exists():
            os.link(log, away_log)
        os.link(path, away)
        durable_directory(path)
    if path.samefile(away):
        log.unlink(missing_ok=True)
        beside(path, "-shm").unlink(missing_ok=True)
        os.rename(draft_of(path), path)
        durable_directory(path)


def first_segment(path: Path) -> None:
    """Give the draft FILE's name, where there was no journal.

    ``JournalLostError`` if a log of a lost one is there.
    """
    if beside(path, "-wal").exists():
        raise JournalLostError(
            f"journal {path}: the file is missing, but its log {path.name}-wal is there (it may hold the last "
            f"records). Put the file back; or, if it is lost, {BEGIN_ANEW}."
        )
    os.rename(draft_of(path), path)
    durable_directory(path)


def is_closed_half_way(path: Path) -> bool:
    """Whether a crash came after FILE got its number and before the next segment got FILE's name."""
    closed = closed_segments(path)
    return bool(closed) and path.exists() and path.samefile(numbered(path, closed[-1]))


class WriterLock:
    """The right to write a journal: a lock on FILE.lock, which the system drops however the process ends."""

    def __init__(self, path: Path) -> None:
        lock = beside(path, ".lock")
        try:
            self._file = lock.open("a+")
        except OSError as error:
            raise journal_error("lock", lock, error) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            with self._file:
                self._file.seek(0)
                holder = self._file.read(20).strip() or "unknown"
            raise AlreadyRunningError(
                f"journal {path}: process {holder} writes it already. Stop that one first, or give this one "
                f"another journal."
            ) from error
        self._file.truncate(0)
        self._file.write(f"{os.getpid()}\n")
        self._file.flush()

    def release(self) -> None:
        """Let another process write; the lock file stays, empty."""
        if not self._file.closed:
            self._file.truncate(0)
            self._file.close()
