"""What one process has for itself at a time: a lock on a file, which the system drops however that process ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

from firmware_bridge.errors import AlreadyRunningError


class Lock:
    """A locked file, with the number of the process that has it written in it; it stays, empty, when that ends.

    Raises ``AlreadyRunningError`` where another has it, in the words that ``refusal`` has for that process's number;
    ``OSError`` where the file cannot be made.
    """

    def __init__(self, path: Path, refusal: Callable[[str], str]) -> None:
        self._file = path.open("a+")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            with self._file:
                self._file.seek(0)
                holder = self._file.read(20).strip() or "unknown"
            raise AlreadyRunningError(refusal(holder)) from error
        self._file.truncate(0)
        self._file.write(f"{os.getpid()}\n")
        self._file.flush()

    def release(self) -> None:
        """Let another process have it."""
        if not self._file.closed:
            self._file.truncate(0)
            self._file.close()

    def __enter__(self) -> Lock:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.release()
