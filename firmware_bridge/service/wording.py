"""A journal told in words, a line for each record that says something to people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from firmware_bridge.core.events import Started
from firmware_bridge.core.records import Logged
from firmware_bridge.journal import Record
from firmware_bridge.rulebooks import RuleBook, Shelf
from firmware_bridge.view import describe

STARTED = b'"type":"started"'
"""What a record of a controller's start has in its body: the others before what is shown need not be decoded."""


def told(records: Iterable[Record], books: Shelf, after: int = 0) -> Iterator[str]:
    """Yield number, UTC and words of each record after this one that is worth a line.

    ``records`` begin with the journal's first, for each start of a controller names the one of ``books`` that bound
    what follows; where it is not among them, no clause is told but those that a record holds. Raises ``JournalError``
    at a record that cannot be read.
    """
    book: RuleBook | None = None
    for record in records:
        if record.number <= after and STARTED not in record.body:
            continue
        logged = Logged.from_body(record.body)
        if isinstance(logged.event, Started):
            book = books.find(logged.event.rulebook_digest)
        words = describe(logged, record.number, book) if record.number > after else None
        if words is not None:
            yield f"{record.number:>7}  {moment(record.utc_ns)}  {printable(words)}"


def moment(utc_ns: int) -> str:
    """Write a moment in UTC, to the second."""
    return datetime.fromtimestamp(utc_ns // 10**9, UTC).strftime("%Y-%m-%d %H:%M:%S")


def printable(text: str) -> str:
    """Return a text without what a terminal would obey: a journal may come from anyone."""
    return "".join(character if character.isprintable() else "?" for character in text)
