"""A file that shows other processes how things stand: written whole by its one writer, and never evidence."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import structlog

READABLE = 0o644


class ShownFile:
    """Whoever reads it finds a whole one or none. What cannot be written is said once, and nothing waits for it."""

    def __init__(self, path: Path, what: str) -> None:
        self._path = path
        self._new = path.with_name(f".{path.name}.new")
        self._what = what
        self._complained = False
        self._log = structlog.get_logger()

    def prepare(self) -> None:
        """Make the folder if need be. Raises OSError if no file can be written there."""
        self._make_folder()
        self._new.write_bytes(b"")
        self._new.unlink()
        if self._path.is_dir():
            raise IsADirectoryError(errno.EISDIR, f"{self._path.name} is a folder", str(self._path))

    def write(self, text: bytes) -> None:
        """Show this from now on."""
        try:
            self._replace(text)
            self._complained = False
        except OSError as error:  # whoever reads it sees that it is old; the table goes on without it
            if not self._complained:
                self._log.error(f"{self._what}_not_written", path=str(self._path), reason=error.strerror)
            self._complained = True

    def remove(self) -> None:
        """Take the file away: nobody is at work any more."""
        for path in (self._path, self._new):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                self._log.error(f"{self._what}_not_removed", path=str(path), reason=error.strerror)

    def _replace(self, text: bytes) -> None:
        """Its folder is made again where somebody took it away: nobody else will, and the screen would stay blind."""
        self._make_folder()
        with open(self._new, "wb") as file:
            os.fchmod(file.fileno(), READABLE)
            file.write(text)
        os.replace(self._new, self._path)

    def _make_folder(self) -> None:
        self._path.parent.mkdir(mode=0o755, exist_ok=True)
