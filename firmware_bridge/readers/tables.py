"""Several tables on one terminal, for a supervisor who has them all: a block a table, the most urgent first.

It shows what calls for him, and is no table's screen: no table counts it as one (``presence.py``), for it does not show
all that an answer needs.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from msgspec import Struct

from firmware_bridge.core.words import Role
from firmware_bridge.errors import BridgeError
from firmware_bridge.readers.follow import Follower, read_status
from firmware_bridge.readers.terminal import (
    GREEN,
    PLAIN,
    RED,
    YELLOW,
    Line,
    a_moment_later,
    fitted,
    in_large,
    painted,
    show,
)
from firmware_bridge.view import TableView

UNSEEN, UNKNOWN, SEEN, ASKED, AT_WORK = range(5)
"""How urgent a table is: an alarm nobody has seen, a table not heard, an alarm under way, a step awaited, nothing."""


class TableSeen(Struct, frozen=True):
    """One table at one moment; ``view`` is None where its journal cannot be read: ``trouble`` says why.

    ``unheard``: what is shown may not be so now. ``unseen``: nobody has acknowledged the alarm.
    """

    name: str
    view: TableView | None = None
    trouble: str = ""
    unheard: bool = False
    unseen: bool = False

    @property
    def urgency(self) -> tuple[int, int]:
        """How urgent the table is, the smallest first; among alarms by their kind."""
        if self.view is None:
            return UNKNOWN, 0
        kind = self.view.alarm.urgency if self.view.alarm else sys.maxsize
        if self.view.alarm and self.unseen:
            return UNSEEN, kind
        if self.unheard:
            return UNKNOWN, kind
        if self.view.alarm:
            return SEEN, kind
        return (ASKED if _asked(self.view) else AT_WORK), kind


class Tables:
    """The tables of one supervisor, each with its journal and its status file."""

    def __init__(self, paths: Sequence[tuple[Path, Path]], books: Sequence[Path] = ()) -> None:
        self._tables = [(Follower(journal, books), status) for journal, status in paths]

    def look(self, utc_ns: int) -> list[TableSeen]:
        """Return all tables at this moment of UTC, the most urgent first. Never raises for one that cannot be read."""
        return sorted((_look(follower, status, utc_ns) for follower, status in self._tables), key=_urgency)


def render_tables(tables: Sequence[TableSeen], width: int, height: int, *, colour: bool = True) -> str:
    """Return the screen: at most ``height`` lines of at most ``width`` characters, colours not counted."""
    width, height = max(width, 16), max(height, 4)
    lines = _banner(tables[0], width, height) if tables else []
    for table in tables:
        lines += _block(table, width)
    return painted(lines, width, height, colour)


def watch_tables(
    paths: Sequence[tuple[Path, Path]],
    stream: TextIO | None = None,
    until: Callable[[], bool] | None = None,
    *,
    books: Sequence[Path] = (),
    utc_ns: Callable[[], int] = time.time_ns,
    size: Callable[[], tuple[int, int]] = shutil.get_terminal_size,
) -> None:
    """Draw the tables, given by journal and status file, again whenever one changed; until Ctrl-C by default."""
    out, tables = stream or sys.stdout, Tables(paths, books)
    show(lambda: render_tables(tables.look(utc_ns()), *size(), colour=out.isatty()), out, until or a_moment_later)


def _look(follower: Follower, status_path: Path, utc_ns: int) -> TableSeen:
    try:
        status = read_status(status_path)
        follower.refresh()
        view = follower.view(status, utc_ns)
        unheard = bool(follower.doubt(status, utc_ns))
    except BridgeError as error:
        return TableSeen(follower.state.table or follower.path.name, trouble=str(error))
    alarm = follower.state.incidents[view.alarm.number] if view.alarm else None
    return TableSeen(view.table, view, unheard=unheard, unseen=alarm is not None and alarm.acknowledged is None)


def _urgency(table: TableSeen) -> tuple[int, int]:
    return table.urgency


def _banner(first: TableSeen, width: int, height: int) -> list[Line]:
    """The most urgent table in large letters, if it is one to run to."""
    urgency, _ = first.urgency
    if urgency == UNSEEN and first.view is not None and first.view.alarm is not None:
        return in_large(f"{first.name} {first.view.alarm.big}", width, height, RED)
    return in_large(f"{first.name} NOT HEARD", width, height, RED) if urgency == UNKNOWN else []


def _block(table: TableSeen, width: int) -> list[Line]:
    """One table: may it deal, what is the alarm and who is called, and what is asked of the supervisor next."""
    view = table.view
    if view is None:
        return [Line(text, RED) for text in fitted(f"{table.name} | NOT KNOWN: {table.trouble}", width)]
    head = [table.name, view.headline, view.session, *(["SIMULATED"] if view.simulated else [])]
    lines = [Line(text, GREEN if view.may_deal else RED) for text in fitted(" | ".join(head), width)]
    if table.unheard:
        lines += _indented(view.reasons[:1], width, RED)
    if view.alarm:
        told = (f"ALARM {view.alarm.number}: {view.alarm.text}, {view.alarm.since}", view.alarm.acknowledged)
        lines += _indented(["; ".join(words for words in (*told, view.alarm.escalation) if words)], width, RED)
    others = len(view.incidents) - (1 if view.alarm else 0)
    lines += _indented([f"and {others} more open"] if others else [], width, PLAIN)
    return lines + _indented([f"> {text}" for text in _asked(view)[:1]], width, YELLOW)


def _asked(view: TableView) -> list[str]:
    """What the table waits for from the supervisor."""
    return [ask.text for ask in view.asks if ask.due and ask.role == Role.SUPERVISOR]


def _indented(texts: Sequence[str], width: int, colour: str) -> list[Line]:
    return [Line("  " + text, colour) for line in texts for text in fitted(line, width - 2)]
