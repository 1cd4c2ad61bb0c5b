"""Strokes of a keypad: at most once, and after a gap none until the next Enter or Clear (rules 30, 31)."""

from __future__ import annotations

from drivers.protocol.messages import Key, Stroke

_ENDS_ENTRY = (Key.ENTER, Key.CLEAR)


class Strokes:
    """Counts the strokes of one link. Holds no key: what was typed is not kept here."""

    def __init__(self) -> None:
        self.open()

    def open(self) -> None:
        """Begin a link: an entry may have been under way, so strokes act on nothing yet."""
        self._counter = 0
        self._ignoring = True

    def gap(self, counter: int) -> bool:
        """Note how many strokes there have been; return whether missing ones have just broken an entry."""
        if counter <= self._counter:
            return False
        self._counter = counter
        broken = not self._ignoring
        self._ignoring = True
        return broken

    def take(self, stroke: Stroke) -> bool:
        """Return whether a stroke acts. A known one does not, nor any up to the end of a gap."""
        if stroke.counter <= self._counter:
            return False
        self._counter = stroke.counter
        if not self._ignoring:
            return True
        self._ignoring = stroke.key not in _ENDS_ENTRY
        return False
