"""The status file: what a screen shows beside the journal, rewritten each second and at each key. Never evidence."""

from __future__ import annotations

from pathlib import Path

import msgspec
import structlog
from msgspec import structs

from firmware_bridge.core.controller import Status
from firmware_bridge.errors import AlreadyRunningError, ConfigError
from firmware_bridge.lock import Lock
from firmware_bridge.plain_file import read_plain
from firmware_bridge.service.shown_file import ShownFile

NAME = "status.json"
LOCK = "lock"
LONGEST_NUMBER = 20
"""Bytes of the lock that are read at most: it holds a process's number."""
PERIOD_NS = 10**9
"""How old a status may become, in nanoseconds, before it is written again unchanged."""


class StatusFile:
    """The one writer of the file in a folder; whoever reads it finds a whole status or none."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = ShownFile(folder / NAME, "status")
        self._shown: Status | None = None
        self._lock: Lock | None = None
        self._lost = False
        self._log = structlog.get_logger()

    def prepare(self) -> None:
        """Make the folder if need be. Raises ``ConfigError`` if no file can be written there."""
        try:
            self._file.prepare()
        except OSError as error:
            raise self._unusable(error) from error

    def lock(self) -> Lock:
        """Have the folder for this process alone: two tables in one would show each other's state.

        Raises ``AlreadyRunningError`` where another has it, ``ConfigError`` if no file can be written there.
        """
        self.prepare()
        try:
            self._lock = Lock(
                self._folder / LOCK,
                lambda holder: (
                    f"{self._folder}: the controller that is process {holder} shows its table there "
                    "already. Stop that one first, or name another folder under table.status."
                ),
            )
        except OSError as error:
            raise self._unusable(error) from error
        return self._lock

    def show(self, status: Status) -> None:
        """Write a status that differs from the one shown, or that one again once it is a second old.

        A folder that was removed is made and locked anew; where another controller has it by then, nothing is written.
        """
        if self._shown is not None and _is_as_good_as(self._shown, status):
            return
        self._shown = status
        self._keep_the_folder()
        if self.has_its_folder:
            self._file.write(msgspec.json.encode(status) + b"\n")

    @property
    def has_its_folder(self) -> bool:
        """Whether no other controller was found to show its table there: then nothing there is ours to touch."""
        return not self._lost

    def remove(self) -> None:
        """Take the file away: nobody is at work any more."""
        self._shown = None
        if self.has_its_folder:
            self._file.remove()

    def _keep_the_folder(self) -> None:
        """Make and lock it anew where it was removed; another controller that has it is said once."""
        if self._lock is None:
            return
        try:
            self._folder.mkdir(mode=0o755, exist_ok=True)
            self._lock.keep()
            self._lost = False
        except AlreadyRunningError as error:
            if not self._lost:
                self._log.error("status_folder_lost", path=str(self._folder), reason=str(error))
            self._lost = True
        except OSError:
            return  # the file cannot be written there either, which is said then

    def _unusable(self, error: OSError) -> ConfigError:
        return ConfigError(
            f"{self._folder}: the status file cannot be written there: {error.strerror}; "
            "make the folder, owned by the controller's user, or name another one under table.status"
        )


def controller_of(folder: Path) -> int | None:
    """Return the process that has a status folder for itself, as its lock tells; None where none has."""
    try:
        told = read_plain(folder / LOCK, LONGEST_NUMBER).decode("ascii", errors="replace").strip()
    except OSError:
        return None
    return int(told) if told.isdecimal() else None


def _is_as_good_as(shown: Status, status: Status) -> bool:
    """Whether the status shown is not a second older and says the same to people.

    Which record is the last, and when devices were heard, may be a second old: a write at each card is a card's time.
    """
    is_fresh = 0 <= status.utc_ns - shown.utc_ns < PERIOD_NS
    return is_fresh and structs.replace(status, utc_ns=shown.utc_ns, record=shown.record, heard=shown.heard) == shown
