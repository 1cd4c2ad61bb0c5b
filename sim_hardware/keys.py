"""The contacts under a row of keys: edges are debounced, a key that stays down is one press."""

from __future__ import annotations

DEBOUNCE = 0.05
"""Seconds of the mechanics' clock: an edge sooner than this after the last one of its key is the same press."""


class Keys:
    """Turns edges of contacts into presses. A press is an edge and never a level: nothing repeats."""

    def __init__(self) -> None:
        self._last_edge: dict[int, float] = {}
        self._down: set[int] = set()

    def edge(self, key: int, now: float) -> bool:
        """Take an edge; return whether it is a press of its own."""
        if key in self._down:
            return False
        before = self._last_edge.get(key)
        self._last_edge[key] = now
        # In whole microseconds: two edges exactly 50 ms apart are two presses whatever a float makes of it.
        return before is None or round((now - before) * 1e6) >= round(DEBOUNCE * 1e6)

    def stick(self, key: int) -> None:
        """The key stays down: no further edge comes of it."""
        self._down.add(key)

    def free(self) -> None:
        """Every key comes up again."""
        self._down.clear()
