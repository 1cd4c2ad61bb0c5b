"""How long to wait before a port is opened again."""

from __future__ import annotations

FIRST_DELAY = 0.2
LONGEST_DELAY = 2.0


def delay(failures: int) -> float:
    """Return the seconds to wait after so many failures in a row: 0.2 after one, doubling, at most 2."""
    if failures < 1:
        raise ValueError(f"there is nothing to wait for after {failures} failures")
    doublings = min(failures - 1, 10)  # far beyond the longest delay, and far below what a float holds
    return min(FIRST_DELAY * 2.0**doublings, LONGEST_DELAY)
