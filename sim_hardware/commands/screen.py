"""What the demonstration shows: a live view on a terminal, or a line whenever the session moves on; and typed keys."""

from __future__ import annotations

import os
import select
import shutil
import sys
import termios
import textwrap
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import click

from drivers.protocol.messages import Key
from firmware_bridge.service.following import render
from firmware_bridge.view import TableView

OTHER_SCREEN, OWN_SCREEN = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
HOME, TO_END_OF_LINE, TO_END_OF_SCREEN = "\x1b[H", "\x1b[K", "\x1b[J"
BETWEEN_FRAMES = 0.1

KEYS = {**{str(digit): digit for digit in range(10)}, "\r": Key.ENTER, "\n": Key.ENTER, "c": Key.CLEAR, "C": Key.CLEAR}
KEYS |= {"\x7f": Key.CLEAR, "\x08": Key.CLEAR}
HANDS = frozenset("otplxe")
"""Letters that are no keys of the keypad: what hands do at the machine."""


class Screen(Protocol):
    """Where the demonstration shows itself."""

    def show(self, view: TableView, hint: str = "") -> None:
        """Show the table as it is now; ``hint``: lines for whoever sits at this terminal."""


PHASES = {
    "showing": "the table is opened",
    "awaiting_pack": "the loading begins",
    "in_round": "round {round}",
    "declared_closed": "the table is declared closed",
    "wrong_load": "the load is not the set",
    "unloading": "the cards are taken out",
    "sorting": "the cards are sorted",
    "awaiting_deck": "the decks are read",
    "difference": "the decks are not what they should be",
    "verified": "closed: every deck verified",
    "closed_with_difference": "closed with a difference",
    "not_opened": "the session did not open",
}
"""States of a session that are worth a line of progress."""


class Progress:
    """A line for each larger part of the session, and for each incident."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._began = time.monotonic()
        self._said = set[str]()

    def show(self, view: TableView, hint: str = "") -> None:
        """Say where the session stands, once."""
        del hint
        phase = PHASES.get(view.session_state, "").format(round=view.round)
        if phase:
            self._tell(phase)
        for one in view.incidents:
            self._tell(one.text.partition(" [")[0])

    def _tell(self, what: str) -> None:
        if what not in self._said:
            self._said.add(what)
            self._say(f"{time.monotonic() - self._began:6.1f} s  {what}")


class Live:
    """The whole terminal, drawn over and over."""

    def __init__(self) -> None:
        self._next = 0.0

    def show(self, view: TableView, hint: str = "") -> None:
        """Draw the table, unless it was drawn a moment ago."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + BETWEEN_FRAMES
        columns, rows = shutil.get_terminal_size()
        below = [part for line in hint.splitlines() for part in textwrap.wrap(line, columns)]
        above = render(view, columns, rows - len(below)).splitlines()
        lines = [*above[: rows - len(below)], *below]
        text = "\n".join(f"{line}{TO_END_OF_LINE}" for line in lines)
        sys.stdout.write(HOME + text + TO_END_OF_SCREEN)
        sys.stdout.flush()


@contextmanager
def live() -> Iterator[Live]:
    """Lend the terminal's other screen; its own one comes back whatever happens."""
    sys.stdout.write(OTHER_SCREEN)
    sys.stdout.flush()
    try:
        yield Live()
    finally:
        sys.stdout.write(OWN_SCREEN)
        sys.stdout.flush()


@contextmanager
def typed_keys() -> Iterator[Callable[[float], list[int | str]]]:
    """Lend what is typed, unechoed; the terminal is as before whatever happens.

    The function lent waits so many seconds, and returns what was typed meanwhile: keys of the keypad as numbers, hands
    as letters. Raises ``UsageError`` without a
    terminal.
    """
    if not sys.stdin.isatty():
        raise click.UsageError("--interactive needs a terminal to type on: run it in one, or leave the option out")
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)

    def typed(seconds: float) -> list[int | str]:
        if not select.select([descriptor], [], [], seconds)[0]:
            return []
        text = os.read(descriptor, 64).decode("ascii", errors="ignore")
        return [KEYS.get(letter, letter) for letter in text if letter in KEYS or letter in HANDS]

    try:
        tty.setcbreak(descriptor)  # Ctrl-C stays a signal
        yield typed
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
