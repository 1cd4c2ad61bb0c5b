"""How much room the journal's disk has: told to the table early, and needed before a new segment is tried."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from firmware_bridge.core.controller import Now, Room
from firmware_bridge.journal.files import journal_error
from firmware_bridge.service.config import Table

PERIOD_NS = 10 * 10**9
"""Time between two looks."""

LEAST_MB = 8
"""Below so much free room no segment is begun: it would be full before the table could go on."""

MB = 1_000_000

FreeMb = Callable[[], int]


def free_mb(journal: Path) -> int:
    """Return how many megabytes a user's programs may still write to the journal's disk. Raises ``JournalError``."""
    try:
        found = os.statvfs(journal.parent)
    except OSError as error:
        raise journal_error("looking for room", journal, error) from error
    return found.f_bavail * found.f_frsize // MB


class RoomWatch:
    """Looks every ten seconds. Low is below the configured room; enough again only a quarter above it."""

    def __init__(self, table: Table, clock: Callable[[], Now], free: FreeMb) -> None:
        self._wanted = table.journal_room_mb
        self._clock = clock
        self._free = free
        self._next = 0
        self._low = False

    def look(self) -> list[Room]:
        """Return what is seen; nothing if the last look was not long ago."""
        now = self._clock().link_ns
        if now < self._next:
            return []
        self._next = now + PERIOD_NS
        free = self._free()
        self._low = free < (self._wanted * 5 // 4 if self._low else self._wanted)
        return [Room(self._low, free)]
