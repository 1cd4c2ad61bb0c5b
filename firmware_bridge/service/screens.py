"""Whether a screen shows the table: what a reader tells in the status folder, held against clock and journal."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from pathlib import Path

from firmware_bridge.core.controller import Now, Screen
from firmware_bridge.core.records import Store
from firmware_bridge.readers.presence import read_shown
from firmware_bridge.service.config import Table

PERIOD_NS = 10**9
STALE_NS = 3 * 10**9
"""How old what a screen told may be; a second is the rule."""

LOOKS = 4
"""Looks within which a screen must have caught up with the journal, or have appeared after a start."""


class ScreenWatch:
    """Looks for a screen each second, where the table needs one; where it does not, one counts as shown."""

    def __init__(self, table: Table, store: Store, clock: Callable[[], Now]) -> None:
        self._table = table
        self._folder = Path(table.status)
        self._store = store
        self._clock = clock
        self._next = 0
        self._told: int | None = None
        self._told_at = 0
        self._records: deque[int] = deque(maxlen=LOOKS)

    def look(self) -> list[Screen]:
        """Return what is seen; nothing if the last look was less than a second ago, or none can be there yet."""
        if self._clock().link_ns < self._next:
            return []
        self._next = self._clock().link_ns + PERIOD_NS
        if not self._table.screen_required:
            return [Screen(True)]
        self._records.append(self._store.last_number)
        is_shown = self._is_shown()
        if not is_shown and len(self._records) < LOOKS:
            return []
        return [Screen(is_shown)]

    def _is_shown(self) -> bool:
        """A screen of another table, of another time, or one that stands still is none."""
        shown = read_shown(self._folder)
        if shown is None or shown.table != self._table.name or shown.record < self._records[0]:
            return False
        return self._is_alive(shown.utc_ns)

    def _is_alive(self, told: int) -> bool:
        """Whether that is of now; a wall's clock that was set since misses no screen before it tells again (BR-039)."""
        now = self._clock()  # read last: what was told is past
        is_fresh = 0 <= now.utc_ns - told <= STALE_NS
        if is_fresh and told != self._told:
            self._told, self._told_at = told, now.link_ns
        return is_fresh or (told == self._told and now.link_ns - self._told_at < STALE_NS)
