"""A session on one page for an inspector, or as JSON: the journal is verified first, then told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from firmware_bridge.core.records import Logged
from firmware_bridge.errors import JournalError
from firmware_bridge.journal import VerifyReport, last_number, read_records, verify
from firmware_bridge.readers.follow import book_of
from firmware_bridge.readers.moments import moment
from firmware_bridge.readers.report_page import page
from firmware_bridge.rulebooks import RuleBook, Shelf
from firmware_bridge.view import SessionReader, SessionReport

Format = Literal["text", "json"]


def report_session(path: Path, number: int | None = None, format: Format = "text") -> str:
    """Return session ``number`` of a journal (None: the last one), as a page or as JSON, without a newline at its end.

    A journal that does not hold is not told: then the report says what is wrong with it, and nothing else.
    Raises ``JournalError`` where there is no such journal or session, ``ConfigError`` where its rule book is not here.
    """
    return written(*session_of(path, number), format)


def session_of(path: Path, number: int | None, books: Sequence[Path] = ()) -> tuple[VerifyReport, SessionReport | None]:
    """Return what the verification found and, if the journal holds, the session. Raises as ``report_session``.

    ``books`` are files of rule books of a house's own.
    """
    verified, told = read_session(path, number, books)
    return verified, told[0] if told else None


def read_session(
    path: Path, number: int | None, books: Sequence[Path] = ()
) -> tuple[VerifyReport, tuple[SessionReport, RuleBook] | None]:
    """Return what the verification found and, if the journal holds, the session with the book that bound it."""
    last_number(path)  # a file that is not there, or no journal, is an error and not a bad journal
    verified = verify(path)
    return verified, _session(path, number, books) if verified.ok else None


def written(verified: VerifyReport, session: SessionReport | None, format: Format) -> str:
    """Return both as a page or as JSON."""
    if format == "json":
        return msgspec.json.encode(_plain(verified, session)).decode()
    return "\n".join(page(verified, session))


def _session(path: Path, number: int | None, books: Sequence[Path]) -> tuple[SessionReport, RuleBook]:
    reader = SessionReader(number)
    for record in read_records(path):
        reader.add(record.number, record.utc_ns, Logged.from_body(record.body))
    if not reader.found:
        last = reader.state.session_number
        known = f"it tells of sessions 1 to {last}" if last else "no session has begun in it yet"
        raise JournalError(f"journal {path}: {known}; give the number of one of them, or none for the last.")
    book = book_of(path, reader.state, Shelf(books))
    return reader.report(book), book


def _plain(verified: VerifyReport, session: SessionReport | None) -> dict[str, Any]:
    told = dated(msgspec.to_builtins(session)) if session else None
    return {"journal": journal_facts(verified), "session": told}


def journal_facts(verified: VerifyReport) -> dict[str, Any]:
    """How far the journal holds, for JSON."""
    return {
        "ok": verified.ok,
        "head": verified.head,
        "complete_to": verified.complete_to,
        "signed_to": verified.signed_to,
        "public_key": verified.public_key,
        "bad_record": verified.bad_record,
        "problem": verified.problem,
    }


def dated(plain: Any) -> Any:
    """The same with each moment in words beside its nanoseconds."""
    if isinstance(plain, dict):
        found = {key: dated(value) for key, value in plain.items()}
        return {**found, "utc": moment(plain["utc_ns"])} if "utc_ns" in plain else found
    return [dated(value) for value in plain] if isinstance(plain, list | tuple) else plain
