"""The table's screen on a terminal: the alarm that is presented, first and largest, and what to do about it; without
one, whether cards may be dealt; then what is next and by whom.

Plain ANSI; every word can be read without colour. A wide and high terminal gets letters that are read across a table.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TextIO

from msgspec import Struct

from firmware_bridge.errors import JournalError
from firmware_bridge.journal import is_begun, require_journal
from firmware_bridge.readers.follow import Follower, read_status
from firmware_bridge.readers.letters import large
from firmware_bridge.readers.presence import Presence
from firmware_bridge.view import DOUBTS, HOW_TO, AlarmLine, AskLine, Hand, TableView, clock

PLAIN, BOLD, GREEN, RED, YELLOW = "", "1", "1;32", "1;31", "1;33"

BIG_HEIGHT = 24
"""Lines from which on the headline is written large."""

ALARM_LINES = 12
"""So many lines higher a terminal must be for a large alarm: what to do about it counts more than its size."""

WAITING = "{path}: no controller has begun this journal yet; waiting for one (Ctrl-C ends this)\n"

STATUS_FOLDER = Path("/run/sabot")

FEWEST_EVENTS = 3
"""Lines of last events even where that cuts off what stands below them."""


class Line(Struct, frozen=True):
    """One line of the screen and its colour."""

    text: str
    colour: str = PLAIN


def render(view: TableView, width: int, height: int, *, colour: bool = True) -> str:
    """Return the screen: at most ``height`` lines of at most ``width`` characters, colours not counted."""
    width, height = max(width, 16), max(height, 4)
    first, later = _above_events(view, width, height), _below_events(view, width)
    left = max(height - len(first) - len(later) - 1, min(FEWEST_EVENTS, height - len(first) - 2))
    events = _section("LAST EVENTS", ["  " + event for event in view.events[-left:]], width) if left > 0 else []
    lines = first + events[:1] + events[1:][-left:] + later
    return painted(lines, width, height, colour)


def watch(
    path: Path,
    status_path: Path | None = None,
    stream: TextIO | None = None,
    until: Callable[[], bool] | None = None,
    *,
    books: Sequence[Path] = (),
    utc_ns: Callable[[], int] = time.time_ns,
    size: Callable[[], tuple[int, int]] = shutil.get_terminal_size,
) -> None:
    """Draw a table's screen again whenever it changed. ``until`` waits for the next look and says whether to end.

    ``books`` are files of rule books of a house's own. By default the status lies where a service keeps it, and the
    screen goes on until Ctrl-C.
    A journal that no controller has begun yet is waited for. Raises ``JournalError`` where it cannot be read at first;
    later that is told on the screen.
    """
    status_path, stream, until = status_path or STATUS_FOLDER, stream or sys.stdout, until or a_moment_later
    follower, presence = Follower(path, books), Presence(status_path)
    if not _has_begun(follower, stream, until):
        return

    def draw() -> str:
        return render(_look(follower, status_path, utc_ns()), *size(), colour=stream.isatty())

    show(draw, stream, until, shown=lambda: presence.tell(follower.state, utc_ns()))


def _has_begun(follower: Follower, stream: TextIO, until: Callable[[], bool]) -> bool:
    """Wait until a controller has begun the journal and names its rule book; false where told to end before that."""
    waits = False
    while True:
        if is_begun(follower.path):
            require_journal(follower.path)
            follower.refresh()
            if follower.state.rulebook:
                return True
        if not waits:
            stream.write(WAITING.format(path=follower.path))
            stream.flush()
            waits = True
        if until():
            return False


def show(
    draw: Callable[[], str], stream: TextIO, until: Callable[[], bool], *, shown: Callable[[], None] | None = None
) -> None:
    """Draw a screen again whenever it changed. ``shown`` is called each time that it stands there; ``until`` waits for
    the next look and says whether to end."""
    drawn = None
    while True:
        screen = draw()
        if screen != drawn:
            stream.write(_frame(screen) if stream.isatty() else screen + "\n\n")
            stream.flush()
            drawn = screen
        if shown is not None:
            shown()
        if until():
            return


def a_moment_later() -> bool:
    """Wait a quarter of a second: the screen goes on until Ctrl-C."""
    time.sleep(0.25)
    return False


def _look(follower: Follower, status_path: Path, utc_ns: int) -> TableView:
    status = read_status(status_path)
    try:
        follower.refresh()
        return follower.view(status, utc_ns)
    except JournalError as error:
        return follower.doubted_view(status, utc_ns, DOUBTS["journal"].format(why=error))


def _frame(screen: str) -> str:
    """The screen drawn over the one before: no clearing first, so that nothing flickers."""
    return "\x1b[H" + screen.replace("\n", "\x1b[K\r\n") + "\x1b[K\x1b[J"


# ---- parts of the screen


def _above_events(view: TableView, width: int, height: int) -> list[Line]:
    """What counts most, in its order."""
    said = set(view.alarm.asks) if view.alarm else set()
    shown = [
        ("> " if line.due else "  ") + line.text for line in view.asks if _is_shown_first(line) and line not in said
    ]
    others = [_bullet(one.text) for one in view.incidents if not one.presented]
    keypad = "KEYPAD  " + _keypad(view)
    return [
        *_head(view, width),
        *(_alarm(view, view.alarm, keypad, width, height) if view.alarm else _headline(view, width, height)),
        *_section("OTHER ALARMS", others, width, RED),
        *_section("", map(_bullet, view.reasons), width),
        *_section("NEXT", shown, width, YELLOW),
        *_section("", [*([] if view.alarm else [keypad]), "CARDS   " + _cards(view)], width),
        *_section("LOCKED OUT", map(_bullet, view.locked_out), width, RED),
        *_section("DUTIES", map(_bullet, view.duties), width, YELLOW),
        *_section("SETS", map(_bullet, view.sets), width),
        *_section("DIFFERENCE", map(_bullet, view.difference), width, RED),
    ]


def _below_events(view: TableView, width: int) -> list[Line]:
    """What may be cut off by a low terminal."""
    said = set(view.alarm.asks) if view.alarm else set()
    others = ["  " + line.text for line in view.asks if not _is_shown_first(line) and line not in said]
    return [
        *_section("ALSO OPEN", others, width),
        *_section("DEVICES", [_bullet(f"{one.name}: {one.text}") for one in view.devices], width),
    ]


def _alarm(view: TableView, alarm: AlarmLine, keypad: str, width: int, height: int) -> list[Line]:
    """What happened, since when, who has seen it; what to do now and by whom, and what comes after."""
    told = [f"ALARM {alarm.number}: {alarm.text}, {alarm.since}", f"Now: {alarm.stands}"]
    told.append("; ".join(words for words in (alarm.acknowledged, alarm.escalation) if words))
    other = "  or " if any(line.due for line in alarm.asks) else "  "
    now = [("> " if line.due else other) + line.text for line in alarm.asks]
    typed = ["A step: " + HOW_TO] if any(line.number for line in alarm.asks) else []
    return [
        *in_large(alarm.big, width, height - ALARM_LINES, RED),
        *_section("", [f"*** {view.headline} ***"], width, GREEN if view.may_deal else RED),
        *_section("", told, width, RED),
        *_section("DO NOW", now, width, YELLOW),
        *_section("", [*typed, keypad], width),
        *_section("THEN", [f"  {place}. {stage}" for place, stage in enumerate(alarm.later, start=1)], width),
    ]


def _head(view: TableView, width: int) -> list[Line]:
    parts = [view.table, view.session]
    parts += [f"session {view.session_number}"] if view.session_number else []
    parts += [f"round {view.round}"] if view.round else []
    parts += ["SIMULATED"] if view.simulated else []
    parts += [f"SPEED {view.speed:g}"] if view.speed != 1.0 else []
    parts += [clock(view.as_of)] if view.record else []
    return [Line(text, BOLD) for text in fitted(" | ".join(part for part in parts if part), width)]


def _headline(view: TableView, width: int, height: int) -> list[Line]:
    return in_large(view.headline, width, height, GREEN if view.may_deal else RED)


def in_large(words: str, width: int, height: int, colour: str) -> list[Line]:
    """The words across the screen where there is room, in one line where there is not."""
    rows = large(words)
    if height < BIG_HEIGHT or max(map(len, rows)) > width:
        rows = [f"*** {words} ***"[:width]]
    return [Line(""), *(Line(row, colour) for row in rows), Line("")]


def _is_shown_first(line: AskLine) -> bool:
    """What the table waits for, and what hands do throughout."""
    return line.due or line.trigger in (Hand.DEAL, Hand.DISCARD, Hand.MIND)


def _keypad(view: TableView) -> str:
    keypad = view.keypad
    if not keypad.prompt:
        return keypad.message or "not known"
    role = f" ({keypad.role.replace('_', ' ')})" if keypad.role else ""
    message = f"  {keypad.message}" if keypad.message else ""
    return f"{keypad.prompt}{role}: {'*' * keypad.dots}{message}"


def _cards(view: TableView) -> str:
    lie = " | ".join(f"{place} {count}" for place, count in view.cards) or "none"
    return f"{lie} ({view.since_count})" if view.since_count else lie


def _bullet(text: str) -> str:
    return "- " + text


def _section(title: str, texts: Iterable[str], width: int, colour: str = PLAIN) -> list[Line]:
    """A titled part; nothing at all where there is nothing to say."""
    lines = [Line(line, colour) for text in texts for line in fitted(text, width)]
    return [*([Line(title, BOLD)] if title else []), *lines] if lines else []


def fitted(text: str, width: int) -> list[str]:
    """Lines of at most ``width``; what devices say of themselves cannot steer the terminal."""
    safe = "".join(sign if sign.isprintable() else "?" for sign in text)
    return textwrap.wrap(safe, width, subsequent_indent="  ", drop_whitespace=True) or [""]


def painted(lines: Sequence[Line], width: int, height: int, colour: bool) -> str:
    """Lines as they are written to a terminal; what goes beyond its height is only counted."""
    if len(lines) > height:
        lines = [*lines[: height - 1], Line(f"... {len(lines) - height + 1} more lines"[:width])]
    return "\n".join(
        f"\x1b[{line.colour}m{line.text}\x1b[0m" if colour and line.colour else line.text for line in lines
    )
