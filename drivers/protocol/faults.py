"""Faults of the far side: counted, and told once a second at most, however many there are."""

from __future__ import annotations

from drivers.protocol.notices import RemoteErrors

PERIOD = 1.0
"""Seconds between two notices of remote errors, at least."""


class Faults:
    """What has not been told yet, and when it may be."""

    def __init__(self) -> None:
        self._count = 0
        self._latest = ""
        self._told_at: float | None = None

    def add(self, fault: str, times: int = 1) -> None:
        """Count a fault, so many times."""
        self._count += times
        self._latest = fault

    def tell(self, now: float) -> list[RemoteErrors]:
        """Return the one notice that is due, or none."""
        if not self._count or (self._told_at is not None and now < self._told_at + PERIOD):
            return []
        told = RemoteErrors(self._count, self._latest)
        self._count, self._told_at = 0, now
        return [told]

    def deadlines(self) -> list[float]:
        """Return when there is something to tell, or nothing."""
        return [self._told_at + PERIOD] if self._count and self._told_at is not None else []
