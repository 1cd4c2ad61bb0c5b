"""A journal that cannot be gone on from: what is wrong with it, and how its files are laid aside unaltered (BR-036)."""

from __future__ import annotations

import os
from pathlib import Path

from firmware_bridge.errors import JournalError, JournalLostError
from firmware_bridge.journal.files import (
    beside,
    closed_segments,
    durable_directory,
    journal_error,
    numbered,
    numbers_beside,
    require_place,
    writer_lock,
)
from firmware_bridge.journal.store import SqliteStore
from firmware_bridge.journal.verify import verify

_BESIDE_EACH = ("", "-wal", "-shm")
_BESIDE_FILE = (".snapshot", ".snapshot.new")
_DAMAGED = ".damaged-"
_OPEN = ".open"
_REASON = ".reason"


def what_is_damaged(path: Path, *, table: str, key_path: Path) -> str:
    """What is wrong with a table's journal, or nothing; the files are left as they are.

    Raises ``JournalError`` where that cannot be said: no journal, another table's, no right to it, a disk that fails.
    """
    require_place(path)
    if not (path.exists() or closed_segments(path) or key_path.exists()):
        raise JournalError(f"journal {path}: there is none, so none is damaged. `sabot run` begins one.")
    try:
        with SqliteStore.open(path, table=table, key_path=key_path):
            report = verify(path)
    except JournalLostError as error:
        return str(error)
    return "" if report.ok else f"journal {path}: {report.problem}"


def lay_aside(path: Path, reason: str) -> Path:
    """Move all files of a journal into a folder beside it, unaltered; return that folder, which is not closed yet.

    Gone half-way, it goes on there. ``reason`` outlasts an interruption. ``JournalError`` if a file cannot be moved.
    """
    lock = writer_lock(path)
    try:
        folder = left_open(path)
        if folder is None:
            folder = _next_folder(path)
            _write_reason(folder, reason)
            folder.mkdir()
        for segment in (path, *(numbered(path, number) for number in closed_segments(path))):
            for suffix in _BESIDE_EACH + (_BESIDE_FILE if segment == path else ()):
                if (file := beside(segment, suffix)).exists():
                    os.rename(file, folder / file.name)
        durable_directory(folder / path.name)
        durable_directory(path)
    except OSError as error:
        raise journal_error("laying it aside", path, error) from error
    finally:
        lock.release()
    return folder


def why_left_open(folder: Path) -> str:
    """Why the files are being moved into this folder; empty if that is not told any more, once it is journalled."""
    try:
        return _reason_of(folder).read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


def close_folder(folder: Path) -> Path:
    """Give the folder its lasting name: the new journal tells of it, and why."""
    _reason_of(folder).unlink(missing_ok=True)
    closed = folder.with_name(folder.name.removesuffix(_OPEN))
    os.rename(folder, closed)
    durable_directory(closed)
    return closed


def left_open(path: Path) -> Path | None:
    """The folder into which the journal's files were being moved when something stopped that; None: there is none."""
    return next(iter(path.parent.glob(f"{path.name}{_DAMAGED}*{_OPEN}")), None)


def _reason_of(folder: Path) -> Path:
    return folder.with_suffix(_REASON)


def _write_reason(folder: Path, reason: str) -> None:
    """Durable on return, so before anything is moved: a damaged journal that lies elsewhere is not judged again."""
    with _reason_of(folder).open("w", encoding="utf-8") as file:
        file.write(reason)
        file.flush()
        os.fsync(file.fileno())
    durable_directory(folder)


def _next_folder(path: Path) -> Path:
    number = 1 + max(numbers_beside(path, _DAMAGED), default=0)
    return beside(path, f"{_DAMAGED}{number}{_OPEN}")
