"""How often the host opens a link: a device that begins anew without end fills neither the line nor the journal."""

from __future__ import annotations

BURST = 20
"""Openings that a device may have in quick succession: more than any cable, boot or hand makes."""

PERIOD = 10.0
"""Seconds in which it may have one more."""


class Openings:
    """Counts the openings of a device's links, answered by opening or by refusal, and says when one more may be."""

    def __init__(self) -> None:
        self._count = 0
        self._left = float(BURST)
        self._since = 0.0

    def one(self, now: float) -> None:
        """Count one."""
        self._refill(now)
        self._count += 1
        self._left -= 1.0

    def may(self, now: float) -> bool:
        """Whether the device may be asked to open a link."""
        self._refill(now)
        return self._left >= 1.0

    def warning(self, now: float) -> str:
        """What is said of a device that may not; empty where it may."""
        if self.may(now):
            return ""
        return (
            f"it begins anew again and again ({self._count} times by now) and is heard once in {PERIOD:g} s from "
            "here on; see to its power, cable and firmware"
        )

    def _refill(self, now: float) -> None:
        self._left = min(BURST, self._left + (now - self._since) / PERIOD)
        self._since = now
