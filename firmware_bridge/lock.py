"""What one process has for itself at a time: a lock on a file, which the system drops however that process ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from firmware_bridge.errors import AlreadyRunningError
from firmware_bridge.plain_file import open_plain


class Lock:
    """A locked file, with the number of the process that has it written in it; it stays, empty, when that ends.

    Raises ``AlreadyRunningError`` where another has it, in the words that ``refusal`` has for that process's number;
    ``OSError`` where the file cannot be made.
    """

    def __init__(self, path: Path, refusal: Callable[[str], str]) -> None:
        self._path = path
        self._refusal = refusal
        self._file = self._taken()

    def keep(self) -> None:
        """Take it anew where its file was removed: whoever comes next would lock another one. Raises as at first."""
        if not self._is_there():
            before, self._file = self._file, self._taken()
            before.close()

    def release(self) -> None:
        """Let another process have it."""
        if not self._file.closed:
            self._file.truncate(0)
            self._file.close()

    def _is_there(self) -> bool:
        """Whether its name still leads to what is locked; the journal asks at each record."""
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(self._file.fileno()))
        except FileNotFoundError:
            return False

    def _taken(self) -> TextIO:
        file = os.fdopen(open_plain(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND), "a+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            with file:
                file.seek(0)
                holder = file.read(20).strip() or "unknown"
            raise AlreadyRunningError(self._refusal(holder)) from error
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        return file

    def __enter__(self) -> Lock:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.release()
