"""The status file: what a screen shows beside the journal, rewritten each second and at each key. Never evidence."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import structlog
from msgspec import structs

from firmware_bridge.core.controller import Status
from firmware_bridge.errors import ConfigError

NAME = "status.json"
PERIOD_NS = 10**9
"""How old a status may become, in nanoseconds, before it is written again unchanged."""

READABLE = 0o644


class StatusFile:
    """The one writer of the file in a folder; whoever reads it finds a whole status or none."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._new = folder / f".{NAME}.new"
        self._shown: Status | None = None
        self._complained = False
        self._log = structlog.get_logger()

    def prepare(self) -> None:
        """Make the folder if need be. Raises ``ConfigError`` if no file can be written there."""
        folder = self._path.parent
        try:
            folder.mkdir(mode=0o755, exist_ok=True)
            self._new.write_bytes(b"")
            self._new.unlink()
        except OSError as error:
            raise ConfigError(
                f"{folder}: the status file cannot be written there: {error.strerror}; "
                "make the folder, owned by the controller's user, or name another one under table.status"
            ) from error

    def show(self, status: Status) -> None:
        """Write a status that differs from the one shown, or that one again once it is a second old."""
        if self._shown is not None and _is_as_good_as(self._shown, status):
            return
        self._shown = status
        try:
            write_whole(self._path, msgspec.json.encode(status) + b"\n")
            self._complained = False
        except OSError as error:  # the screen says that its status is old; the table goes on without it
            if not self._complained:
                self._log.error("status_not_written", path=str(self._path), reason=error.strerror)
            self._complained = True

    def remove(self) -> None:
        """Take the file away: nobody is at work any more."""
        for path in (self._path, self._new):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                self._log.error("status_not_removed", path=str(path), reason=error.strerror)


def write_whole(path: Path, text: bytes) -> None:
    """Write a file so that whoever reads it finds all of it or the one before. Raises OSError.

    Its folder is made again where somebody took it away: nobody else will, and the screen would stay blind.
    """
    path.parent.mkdir(mode=0o755, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    with open(new, "wb") as file:
        os.fchmod(file.fileno(), READABLE)
        file.write(text)
    os.replace(new, path)


def _is_as_good_as(shown: Status, status: Status) -> bool:
    """Whether the status shown says the same and is not a second older."""
    is_fresh = 0 <= status.utc_ns - shown.utc_ns < PERIOD_NS
    return is_fresh and structs.replace(status, utc_ns=shown.utc_ns) == shown
