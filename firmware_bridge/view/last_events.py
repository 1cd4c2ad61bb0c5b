"""The last events in words, for a screen: what repeats on one line does not push the others off it."""

from __future__ import annotations

from collections import deque

from msgspec import Struct

from firmware_bridge.core import events as e
from firmware_bridge.core.records import Logged
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.view.describe import describe
from firmware_bridge.view.event_texts import EVENTS
from firmware_bridge.view.phrases import clock


class _Line(Struct):
    """One line of the list; ``device`` and ``count`` are those of damaged frames, told ``since`` a moment."""

    text: str
    device: str = ""
    count: int = 0
    since: str = ""


class LastEvents:
    """The last ``most`` events. Damaged frames of one device are one line, the latest, with their total."""

    def __init__(self, most: int) -> None:
        self._lines: deque[_Line] = deque(maxlen=most)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines, the oldest first."""
        return tuple(line.text for line in self._lines)

    def add(self, logged: Logged, number: int, utc_ns: int, book: RuleBook | None = None) -> None:
        """Add a record, if it is worth a line; ``book`` as ``describe`` takes it."""
        if isinstance(logged.event, e.BadFrames):
            self._add_damaged(logged.event, clock(utc_ns))
        elif (words := describe(logged, number, book)) is not None:
            self._lines.append(_Line(f"{clock(utc_ns)} {words}"))

    def _add_damaged(self, event: e.BadFrames, now: str) -> None:
        earlier = next((line for line in self._lines if line.device == event.device), None)
        count, since = event.count, now
        if earlier is not None:
            self._lines.remove(earlier)
            count, since = event.count + earlier.count, earlier.since
        words = EVENTS["bad_frames"].format(device=event.device, count=count)
        told = words if earlier is None else f"{words} ({EVENTS['since'].format(since=since)})"
        self._lines.append(_Line(f"{now} {told}", event.device, count, since))
