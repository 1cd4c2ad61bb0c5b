"""The journal's files: their names, how a new segment takes the old one's place, and who may write."""

from __future__ import annotations

import errno
import os
import re
import sqlite3
from pathlib import Path

from firmware_bridge.errors import JournalError, JournalLostError
from firmware_bridge.lock import Lock

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
    sqlite3.SQLITE_CANTOPEN: "It cannot be opened: the controller's user must be allowed to write it and its directory",
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
    errno.EISDIR: "A folder has its name: move that away",
    errno.EINVAL: "What has its name is no file of ours: move that away",
    errno.ENOTDIR: "What stands before its name is no folder: correct the path",
    errno.ENOENT: "Its directory does not exist: create it, owned by the controller's user",
}


def journal_error(what: str, path: Path, error: sqlite3.Error | UnicodeDecodeError | OSError) -> JournalError:
    """The error in the field's words: what failed, on which file, and what to do."""
    if isinstance(error, UnicodeDecodeError):  # SQLite's message quotes the file
        return JournalError(f"journal {path}: {what}: a text in it is none. {_DAMAGED}.")
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


def file_identity(path: Path) -> tuple[int, int] | None:
    """Which file has this name, as device and inode; None: none has. A file that is open stays that one without it."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


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


def require_none_lost(path: Path, key: Path | None) -> None:
    """Raise ``JournalLostError`` where FILE is missing and something tells that it had been begun.

    ``key``: the signing key, which gets its name once FILE has its own; None where a lost journal's may be there.
    """
    if closed := closed_segments(path):
        told = f"{path.name}.{closed[-1]} is there, which it goes on from"
    elif beside(path, "-wal").exists():
        told = f"its log {path.name}-wal is there (it may hold the last records)"
    elif key is not None and key.exists():
        told = f"its signing key {key} is there, so records were signed with it"
    else:
        return
    raise JournalLostError(
        f"journal {path}: the file is missing, but {told}. Put it back; or, if it is lost, {BEGIN_ANEW}."
    )


def first_segment(path: Path) -> None:
    """Give the draft FILE's name, where there is no journal."""
    os.rename(draft_of(path), path)
    durable_directory(path)


def is_closed_half_way(path: Path) -> bool:
    """Whether a crash came after FILE got its number and before the next segment got FILE's name."""
    closed = closed_segments(path)
    return bool(closed) and path.exists() and path.samefile(numbered(path, closed[-1]))


def require_place(path: Path) -> None:
    """Raise ``JournalError`` where no journal can be: a folder or pipe has its name, or its folder is not there."""
    if not path.parent.is_dir():
        what = "is no folder" if path.parent.exists() else "does not exist"
        raise JournalError(
            f"journal {path}: its folder {path.parent} {what}. Create it, owned by the controller's user, or correct "
            "the path in the configuration."
        )
    if path.exists() and not path.is_file():
        what = "a folder" if path.is_dir() else "no regular file"
        raise JournalError(f"journal {path}: this is {what}. Correct the path in the configuration.")


def writer_lock(path: Path) -> Lock:
    """The right to write a journal. ``JournalError`` where none can be, ``AlreadyRunningError`` where it is taken."""
    require_place(path)
    lock = beside(path, ".lock")
    try:
        return Lock(
            lock,
            lambda holder: (
                f"journal {path}: process {holder} writes it already. Stop that one first, or give this one "
                "another journal."
            ),
        )
    except OSError as error:
        raise journal_error("lock", lock, error) from error
