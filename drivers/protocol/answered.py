"""Which prompt a key answers whose device knows none: the one that was shown when the finger set out. Pure."""

from __future__ import annotations

SETTLES = 0.25
"""Seconds after a change of prompt in which a key still answers the one before: its finger was on the way."""


class AnsweredPrompt:
    """The prompt that people look at, as the driver of a device without a display keeps it."""

    def __init__(self) -> None:
        self._now = self._before = 0
        self._changed_at = 0.0

    def shows(self, prompt: int, now: float) -> None:
        """This is shown from now on."""
        if prompt != self._now:
            self._before, self._now, self._changed_at = self._now, prompt, now

    def at(self, now: float) -> int:
        """Return what a key answers that goes down now."""
        return self._now if now >= self._changed_at + SETTLES else self._before
