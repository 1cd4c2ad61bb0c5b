"""Replay: every recorded event is decided again from the start, and each decision compared with the recorded one."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from firmware_bridge.core.changes import Decision
from firmware_bridge.core.decide import decide
from firmware_bridge.core.events import Started
from firmware_bridge.core.records import Logged
from firmware_bridge.core.state import State
from firmware_bridge.errors import ConfigError, JournalError
from firmware_bridge.rulebooks import RuleBook, Shelf


class Difference(Struct, frozen=True):
    """The first record that this program would not have written."""

    number: int
    event: str
    recorded: str
    decided: str


class ReplayReport(Struct, frozen=True):
    """How many records agree, from the first one on, and the first one that does not."""

    agree: int
    difference: Difference | None

    def lines(self) -> list[str]:
        """The report for people."""
        if (found := self.difference) is None:
            return [f"all {self.agree} records agree: deciding again gives the same decisions"]
        return [
            f"record {found.number} differs: {found.event} was decided otherwise",
            f"  recorded: {found.recorded}",
            f"  decided:  {found.decided}",
            f"{self.agree} records before it agree",
            "Another version of this program wrote the journal, or a record was altered: run sabot journal verify",
        ]


def replay(records: Iterable[tuple[int, int, bytes]], books: Shelf) -> ReplayReport:
    """Decide again on each record (number, UTC in nanoseconds, body), each by the one of ``books`` that bound it.

    Raises ``ConfigError`` where a session was bound by another rule book, ``JournalError`` for what is no journal.
    """
    state, book, agree = State(), None, 0
    for number, utc_ns, body in records:
        logged = Logged.from_body(body)
        if isinstance(logged.event, Started):
            book = _book_of(logged.event, number, books)
        if book is None:
            raise JournalError(f"record {number} comes before any controller started; run sabot journal verify")
        decided = _decided(state, logged, number, utc_ns, book)
        if decided != logged.decision:
            event = type(logged.event).__name__
            return ReplayReport(agree, Difference(number, event, _words(logged.decision), _words(decided)))
        agree += 1
    return ReplayReport(agree, None)


def _book_of(started: Started, number: int, books: Shelf) -> RuleBook:
    if (book := books.find(started.rulebook_digest)) is None:
        raise ConfigError(
            f"record {number}: the controller ran under the rule book {started.rulebook} with digest "
            f"{started.rulebook_digest}, and there is none such here; give it with --rulebook FILE"
        )
    return book


def _decided(state: State, logged: Logged, number: int, utc_ns: int, book: RuleBook) -> Decision | str:
    try:
        return decide(state, logged.event, number=number, table_ns=logged.table_ns, utc_ns=utc_ns, book=book)
    except Exception as error:  # noqa: BLE001 - a record on which nothing can be decided is one that differs
        return f"nothing: deciding ended in {type(error).__name__}: {error}"


def _words(decision: Decision | str) -> str:
    return decision if isinstance(decision, str) else ", ".join(map(str, decision.changes)) or "nothing changes"
