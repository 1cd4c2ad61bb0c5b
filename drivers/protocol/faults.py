"""Faults of the far side: counted, and told at once; while they go on, seldomer and seldomer, with how many they were.

A line that babbles for weeks would otherwise leave a record in the journal each second.
"""

from __future__ import annotations

from drivers.protocol.notices import RemoteErrors

PERIOD = 1.0
"""Seconds from the first notice of remote errors to the second, at least; from each to the next, twice as long."""

LONGEST = 60.0
"""Seconds between two notices at most, where there is something to tell; after twice that in quiet it begins anew."""


class Faults:
    """What has not been told yet, and when it may be. ``longest``: seconds that it may wait at most."""

    def __init__(self, longest: float = LONGEST) -> None:
        self._longest = longest
        self._count = 0
        self._latest = ""
        self._told_at: float | None = None
        self._period = PERIOD

    def add(self, fault: str, times: int = 1) -> None:
        """Count a fault, so many times."""
        self._count += times
        self._latest = fault

    def tell(self, now: float) -> list[RemoteErrors]:
        """Return the one notice that is due, or none."""
        if not self._count or (self._told_at is not None and now < self._told_at + self._period):
            return []
        is_new = self._told_at is None or now >= self._told_at + 2 * LONGEST
        self._period = PERIOD if is_new else min(2 * self._period, self._longest)
        told = RemoteErrors(self._count, self._latest)
        self._count, self._told_at = 0, now
        return [told]

    def deadlines(self) -> list[float]:
        """Return when there is something to tell, or nothing."""
        return [self._told_at + self._period] if self._count and self._told_at is not None else []
