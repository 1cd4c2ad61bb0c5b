"""What a decision changes of the controller's own surroundings: its screen, the journal's disk, its timers."""

from __future__ import annotations

from firmware_bridge.core.device_changes import Change


class ScreenChanged(Change, frozen=True, tag="screen_changed"):
    """Whether a screen shows the table."""

    shown: bool


class RoomChanged(Change, frozen=True, tag="room_changed"):
    """Whether the journal's disk is getting full."""

    low: bool


class JournalWasSlow(Change, frozen=True, tag="journal_was_slow"):
    """A flush of the journal took so long; what lapsed meanwhile lapsed for that."""

    milliseconds: int


class TimerSet(Change, frozen=True, tag="timer_set"):
    """Since when something that a deadline watches is so; ``running`` false: no longer."""

    timer: str
    running: bool
