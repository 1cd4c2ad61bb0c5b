"""Follow a table: its journal, folded as it grows, and the status file beside it for freshness and dots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from firmware_bridge.core.fold import apply
from firmware_bridge.core.records import Logged
from firmware_bridge.core.state import State
from firmware_bridge.errors import ConfigError, JournalError
from firmware_bridge.journal import Record, read_records
from firmware_bridge.plain_file import read_plain
from firmware_bridge.rulebooks import BOOKS, RuleBook, Shelf
from firmware_bridge.view import DOUBTS, LastEvents, TableView, table_view

STALE_NS = 3 * 10**9
"""After so long without a new status the controller counts as not heard: it writes one each second."""

STATUS_NAME = "status.json"

LONGEST_STATUS = 100_000
"""Bytes of a status file that are read at most; the controller's has some hundreds."""

RECENT = 100
"""Last events kept in words."""


class Status(Struct, frozen=True):
    """What the service writes beside the journal, each second and at each key: never evidence."""

    boot: str
    record: int
    utc_ns: int
    asking: str
    role: str
    digits: int
    message: str
    presented: int = 0
    journal: str = ""
    heard: dict[str, int] = {}


def read_status(path: Path) -> Status | None:
    """Return the content of a status file, given itself or by its folder; None where there is none: nobody is heard."""
    try:
        path = path / STATUS_NAME if path.is_dir() else path
        return msgspec.json.decode(read_plain(path, LONGEST_STATUS), type=Status)
    except (OSError, msgspec.MsgspecError):
        return None


def unheard(status: Status | None, utc_ns: int) -> str:
    """Return why no controller is heard at this moment of UTC; empty if one is."""
    if status is None:
        return DOUBTS["no_status"]
    age = abs(utc_ns - status.utc_ns)  # a clock set back is no sign of life either
    return DOUBTS["silent"].format(seconds=age // 10**9) if age > STALE_NS else ""


class _Folded:
    """Records folded one after the other, from the first on."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self.state = State()
        self.recent = LastEvents(RECENT)
        self.last: Record | None = None

    def add(self, record: Record) -> None:
        """Fold one more record."""
        logged = Logged.from_body(record.body)
        apply(self.state, logged, record.number, record.utc_ns)
        book = self._shelf.find(self.state.rulebook_digest)  # where it is not here, no clause is told beside an event
        self.recent.add(logged, record.number, record.utc_ns, book)
        self.last = record


class Follower:
    """A journal's state as far as it was read. Not thread-safe.

    The rule book is the one that the journal names, of those that come with the product and of ``books``, files of a
    house's own.
    """

    def __init__(self, path: Path, books: Sequence[Path] = ()) -> None:
        self.path = path
        self._shelf = Shelf(books)
        self._folded = _Folded(self._shelf)

    @property
    def state(self) -> State:
        """The state after the last record read."""
        return self._folded.state

    @property
    def recent(self) -> tuple[str, ...]:
        """The last events in words, the oldest first."""
        return self._folded.recent.lines

    @property
    def book(self) -> RuleBook:
        """The rule book that binds the table. ``ConfigError`` where the journal names one that is not here."""
        return book_of(self.path, self.state, self._shelf)

    def refresh(self) -> bool:
        """Fold what was added since the last time; return whether anything was. ``JournalError``: it cannot be read.

        A journal that went on otherwise than where this reader stands (records given up after a failed flush, another
        file in its place) is read anew from its beginning.
        """
        folded = self._folded
        records = self._records_after(folded.last)
        if records is None:
            folded, records = _Folded(self._shelf), read_records(self.path)
        before = folded.last
        for record in records:
            folded.add(record)
            self._folded = folded
        return folded.last != before

    def _records_after(self, last: Record | None) -> Iterator[Record] | None:
        """The records after the last one read; None where that one is no longer there as it was."""
        records = read_records(self.path, last.number - 1 if last else 0)
        try:
            return records if last is None or next(records, None) == last else None
        except JournalError:
            return None

    def view(self, status: Status | None, utc_ns: int) -> TableView:
        """Return the view at this moment of UTC. A status that is missing or old forbids to deal (SB-1)."""
        if status is not None and status.record > self.state.record:
            self.refresh()
        return self.doubted_view(status, utc_ns, self.doubt(status, utc_ns))

    def doubted_view(self, status: Status | None, utc_ns: int, doubt: str) -> TableView:
        """Return the view at this moment of UTC with a reason not to trust it; empty: none."""
        return table_view(self.state, self.book, status, self.recent, doubt=doubt, heard=not unheard(status, utc_ns))

    def doubt(self, status: Status | None, utc_ns: int) -> str:
        """Return why what is shown may not be so now; empty if nothing speaks against it."""
        if why := unheard(status, utc_ns):
            return why
        assert status is not None  # none is not heard
        if status.journal:
            return DOUBTS["not_recorded"].format(why=status.journal)
        if status.record > self.state.record:
            return DOUBTS["behind"].format(shown=self.state.record, told=status.record)
        return ""


def book_of(path: Path, state: State, shelf: Shelf) -> RuleBook:
    """The rule book that a journal names. Raises ``ConfigError`` where it is none of those at hand."""
    if not state.rulebook:
        raise JournalError(f"journal {path}: no controller has started on it yet, so it names no rule book.")
    if (book := shelf.find(state.rulebook_digest)) is not None:
        return book
    ours = "Read it with the version of the product that wrote it"
    advice = ours if state.rulebook in BOOKS else "Give the file of that book with --rulebook"
    raise ConfigError(
        f"journal {path}: it was written under another edition of the rule book {state.rulebook!r}, with digest "
        f"{state.rulebook_digest}. {advice}."
    )
