"""The clocks of a running controller: the machine's own, the table's, and the wall's."""

from __future__ import annotations

import time
from collections.abc import Callable

from firmware_bridge.core.controller import Now
from firmware_bridge.core.state import State

SECOND = 10**9

Nanoseconds = Callable[[], int]


def boot_ns() -> int:
    """Return the time since this machine started, its sleep included: the link's clock, which only goes forward."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def boot_seconds() -> float:
    """Return the same clock in seconds, for links."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Clocks:
    """Tells one moment on all three clocks. The table's goes on from where the journal stopped.

    What people owe grows older while no controller runs, by the wall's clock; that clock set back takes nothing off it.
    """

    def __init__(
        self, state: State, speed: float, *, link: Nanoseconds = boot_ns, utc: Nanoseconds = time.time_ns
    ) -> None:
        self._link = link
        self._utc = utc
        self._speed = speed
        self._began = link()
        away = max(0, utc() - state.utc_ns) if state.record else 0
        self._table = state.at + int(away * speed)

    def now(self) -> Now:
        """Return this moment."""
        link = self._link()
        return Now(link, self._table + int((link - self._began) * self._speed), self._utc())

    def seconds_until(self, table_ns: int) -> float:
        """Return how many real seconds are left until a moment of table time; 0 when it is past."""
        return max(0, table_ns - self.now().table_ns) / self._speed / SECOND
