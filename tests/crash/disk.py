"""A disk that remembers what was written to it, and what a power cut at any moment may leave of that.

SQLite's writes come through a VFS of ``apsw``; names, and the few bytes that the journal writes itself, through the
calls of ``os`` that it makes. What was synced is safe. Of what was not, each sector of 512 bytes may or may not have
reached the disk, whatever the order in which it was written; of the names (created, linked, renamed, removed) the
first few have. Where a sync fails, what was written before it is taken for written all the same, as by Linux: whoever
reads sees it, and no later sync writes it.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import apsw
import pytest
from msgspec import Struct

SECTOR = 512
JOURNALS = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL
"""Files whose first sync also makes the names in their directory safe (SQLite's os_unix.c)."""


class Write(Struct, frozen=True):
    """Bytes written to a file at an offset."""

    file: int
    offset: int
    data: bytes


class Cut(Struct, frozen=True):
    """A file was given a size."""

    file: int
    size: int


class Synced(Struct, frozen=True):
    """All that was written to a file is safe."""

    file: int


class SyncFailed(Struct, frozen=True):
    """What was written to a file may have reached the disk or not, and never will."""

    file: int


class Named(Struct, frozen=True):
    """A name stands for a file from now on, or, with None, for none."""

    name: str
    file: int | None


class NamesSynced(Struct, frozen=True):
    """All names are safe."""


class Acknowledged(Struct, frozen=True):
    """The journal said that it holds all records up to this one."""

    number: int


Step = Write | Cut | Synced | SyncFailed | Named | NamesSynced | Acknowledged


class Recorder:
    """Remembers each step on the files of one journal. ``connect`` opens a connection whose files are recorded."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.failing = False
        """Whether a sync fails: then nobody knows what of the file is safe."""
        self._names: dict[str, int] = {}
        self._vfs = _RecordingVfs(f"recording {id(self)}", self)

    def connect(self, path: Path) -> Connection:
        """Open a connection for the journal's writer."""
        return Connection(apsw.Connection(str(path), vfs=self._vfs.vfs_name))

    def close(self) -> None:
        """Let SQLite forget the VFS."""
        self._vfs.unregister()

    def file_of(self, name: str) -> tuple[int, bool]:
        """The file that a name stands for, made if there is none; and whether it was made."""
        known = self._names.get(name)
        if known is not None:
            return known, False
        file = 1 + max((step.file for step in self.steps if isinstance(step, Named) and step.file), default=0)
        self.named(name, file)
        return file, True

    def named(self, name: str, file: int | None) -> None:
        """A name stands for a file, or for none."""
        if file is None:
            self._names.pop(name, None)
        else:
            self._names[name] = file
        self.steps.append(Named(name, file))

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """See the calls of ``os`` by which the journal itself names its files, and writes to them."""
        link, rename, unlink, fsync, pwrite = os.link, os.rename, os.unlink, os.fsync, os.pwrite

        def file_behind(descriptor: int) -> int | None:
            return self._names.get(Path(os.readlink(f"/proc/self/fd/{descriptor}")).name)

        def seen_link(source: Any, target: Any) -> None:
            link(source, target)
            self.named(Path(target).name, self._names[Path(source).name])

        def seen_rename(source: Any, target: Any) -> None:
            rename(source, target)
            moved = self._names[Path(source).name]
            self.named(Path(source).name, None)
            self.named(Path(target).name, moved)

        def seen_unlink(path: Any, **options: Any) -> None:
            unlink(path, **options)
            if Path(path).name in self._names:
                self.named(Path(path).name, None)

        def seen_fsync(descriptor: int) -> None:
            fsync(descriptor)
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                self.steps.append(NamesSynced())
            elif (file := file_behind(descriptor)) is not None:
                self.steps.append(Synced(file))

        def seen_pwrite(descriptor: int, data: bytes, offset: int) -> int:
            written = pwrite(descriptor, data, offset)
            if (file := file_behind(descriptor)) is not None:
                self.steps.append(Write(file, offset, data[:written]))
            return written

        for name, seen in (
            ("link", seen_link),
            ("rename", seen_rename),
            ("unlink", seen_unlink),
            ("fsync", seen_fsync),
            ("pwrite", seen_pwrite),
        ):
            monkeypatch.setattr(os, name, seen)


class Connection:
    """A connection whose errors are those of the standard library, as the journal knows them."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def execute(self, statement: str, values: Any = (), /) -> Any:
        """Run one statement."""
        return _told(lambda: self._connection.execute(statement, values))

    def executemany(self, statement: str, values: Any, /) -> Any:
        """Run one statement for each of many values."""
        return _told(lambda: self._connection.executemany(statement, values))

    def close(self) -> None:
        """Let the file go."""
        _told(self._connection.close)


def _told(does: Callable[[], Any]) -> Any:
    try:
        return does()
    except apsw.Error as error:
        told = sqlite3.OperationalError(str(error))
        told.sqlite_errorcode = getattr(error, "result", sqlite3.SQLITE_IOERR)  # the one that the VFS raised has none
        raise told from error


class _RecordingVfs(apsw.VFS):
    """SQLite's own way to its files, with every step told to a recorder."""

    def __init__(self, name: str, recorder: Recorder) -> None:
        self.vfs_name = name
        self._recorder = recorder
        super().__init__(name, "")

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        return _RecordingFile(self._recorder, Path(path or "unnamed").name, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        super().xDelete(filename, syncdir)
        self._recorder.named(Path(filename).name, None)
        if syncdir:
            self._recorder.steps.append(NamesSynced())


class _RecordingFile(apsw.VFSFile):
    def __init__(self, recorder: Recorder, name: str, given: Any, flags: list[int]) -> None:
        super().__init__("", given, flags)
        self._recorder = recorder
        self._steps = recorder.steps
        self._file, is_new = recorder.file_of(name)
        self._names_too = is_new and bool(flags[0] & JOURNALS)

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        self._steps.append(Write(self._file, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:
        super().xTruncate(newsize)
        self._steps.append(Cut(self._file, newsize))

    def xSync(self, flags: int) -> None:
        if self._recorder.failing:
            self._steps.append(SyncFailed(self._file))
            raise apsw.IOError("the disk says no")
        super().xSync(flags)
        self._steps.append(Synced(self._file))
        if self._names_too:
            self._steps.append(NamesSynced())
            self._names_too = False


class Platter:
    """What is safe after some of the steps, and what is under way.

    ``arrived`` says of each sector whether it had reached the disk when the sync failed that should have written it.
    """

    def __init__(self, arrived: Callable[[], bool] = lambda: False) -> None:
        self.acknowledged = 0
        self._arrived = arrived
        self._safe: dict[int, bytearray] = {}
        self._names: dict[str, int] = {}
        self._written: dict[int, list[Write | Cut]] = {}
        self._named: list[Named] = []

    @property
    def under_way(self) -> bool:
        """Whether a power cut now could leave more than one image."""
        return bool(self._named) or any(self._written.values())

    def take(self, step: Step) -> None:
        """Go one step on."""
        if isinstance(step, Acknowledged):
            self.acknowledged = step.number
        elif isinstance(step, Named):
            self._named.append(step)
        elif isinstance(step, NamesSynced):
            _rename(self._names, self._named)
            self._named = []
        elif isinstance(step, Synced):
            _apply(self._safe.setdefault(step.file, bytearray()), self._written.pop(step.file, []))
        elif isinstance(step, SyncFailed):
            parts = [part for one in self._written.pop(step.file, []) for part in _sectors(one)]
            _apply(self._safe.setdefault(step.file, bytearray()), [part for part in parts if self._arrived()])
        else:
            self._written.setdefault(step.file, []).append(step)

    def image(self, rng: Random, folder: Path) -> None:
        """Write into a folder what a power cut may leave now."""
        names = dict(self._names)
        _rename(names, self._named[: rng.randint(0, len(self._named))])
        contents = {file: self._left_of(file, rng) for file in set(names.values())}
        for name, file in names.items():
            path = folder / name
            twin = next((folder / other for other in names if names[other] == file and (folder / other).exists()), None)
            if twin is not None:
                os.link(twin, path)
            else:
                path.write_bytes(contents[file])

    def _left_of(self, file: int, rng: Random) -> bytes:
        content = bytearray(self._safe.get(file, b""))
        written = self._written.get(file, [])
        arrives = rng.choice(_ARRIVALS)(rng)
        _apply(content, [part for one in written for part in _sectors(one) if arrives()])
        return bytes(content)


_ARRIVALS: tuple[Callable[[Random], Callable[[], bool]], ...] = (
    lambda _rng: lambda: True,
    lambda _rng: lambda: False,
    lambda rng: lambda: rng.random() < 0.5,
    lambda rng: lambda: rng.random() < 0.9,
    lambda rng: lambda: rng.random() < 0.1,
)
"""How much of what is under way arrives: all, nothing, half of it, most, little."""


def _sectors(one: Write | Cut) -> list[Write | Cut]:
    if isinstance(one, Cut):
        return [one]
    parts: list[Write | Cut] = []
    at = one.offset
    end = one.offset + len(one.data)
    while at < end:
        stop = min(end, (at // SECTOR + 1) * SECTOR)
        parts.append(Write(one.file, at, one.data[at - one.offset : stop - one.offset]))
        at = stop
    return parts


def _apply(content: bytearray, written: list[Write | Cut]) -> None:
    for one in written:
        if isinstance(one, Cut):
            del content[one.size :]
            continue
        if len(content) < one.offset:
            content.extend(bytes(one.offset - len(content)))
        content[one.offset : one.offset + len(one.data)] = one.data


def _rename(names: dict[str, int], named: list[Named]) -> None:
    for one in named:
        if one.file is None:
            names.pop(one.name, None)
        else:
            names[one.name] = one.file
