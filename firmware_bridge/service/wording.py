"""A journal told in words, a line for each record that says something to people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from firmware_bridge.core.records import Logged
from firmware_bridge.journal import Record
from firmware_bridge.view import describe


def told(records: Iterable[Record]) -> Iterator[str]:
    """Yield number, UTC and words of each record worth a line. Raises ``JournalError`` at one that cannot be read."""
    for record in records:
        words = describe(Logged.from_body(record.body), record.number)
        if words is not None:
            yield f"{record.number:>7}  {moment(record.utc_ns)}  {printable(words)}"


def moment(utc_ns: int) -> str:
    """Write a moment in UTC, to the second."""
    return datetime.fromtimestamp(utc_ns // 10**9, UTC).strftime("%Y-%m-%d %H:%M:%S")


def printable(text: str) -> str:
    """Return a text without what a terminal would obey: a journal may come from anyone."""
    return "".join(character if character.isprintable() else "?" for character in text)
