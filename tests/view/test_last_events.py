"""The list of last events: a line that is damaged on and on takes one line of it."""

from __future__ import annotations

from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.records import Logged
from firmware_bridge.view import LastEvents

SECOND = 10**9


def lines_of(*events: e.AnyEvent, most: int = 100) -> tuple[str, ...]:
    """Return the list after these events, one a second from midnight on."""
    last = LastEvents(most)
    for number, event in enumerate(events):
        last.add(Logged(0, event, c.Decision()), number + 1, number * SECOND)
    return last.lines


def bad(device: str, count: int) -> e.BadFrames:
    return e.BadFrames(device, count, "a frame of 7 bytes has a wrong check")


def test_damaged_frames_are_told_with_their_remedy() -> None:
    assert lines_of(bad("shoe", 3)) == (
        "00:00:00Z shoe: 3 damaged frames dropped on its line; check its cable, and which device it is",
    )


def test_damaged_frames_of_one_device_are_one_line_with_their_total_since_the_first() -> None:
    (line,) = lines_of(*[bad("shoe", 30)] * 200)
    assert line.startswith("00:03:19Z shoe: 6000 damaged frames")
    assert line.endswith("(since 00:00:00Z)")


def test_damaged_frames_push_no_other_event_off_the_list() -> None:
    garbage = [bad("shoe", 1), bad("keypad", 1)] * 50
    lines = lines_of(e.ScreenSeen(True), *garbage, e.EntryDropped("a pause"), *garbage, most=4)
    assert len(lines) == 4
    assert "a screen shows the table" in lines[0]
    assert "the entry was dropped" in lines[1]
    assert "shoe: 100 damaged" in lines[2]
    assert "keypad: 100 damaged" in lines[3]


def test_other_events_repeat_as_they_come() -> None:
    assert len(lines_of(*[e.EntryDropped("a pause")] * 3)) == 3
