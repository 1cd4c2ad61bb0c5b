"""What came back, over all sessions of one or more journals: by kind, table and who was on duty (BR-013).

A page of its own beside a session's: repeats are asked for over months and over tables, not for one evening.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from firmware_bridge.core.fold import apply
from firmware_bridge.core.records import Logged
from firmware_bridge.core.state import State
from firmware_bridge.errors import BridgeError
from firmware_bridge.journal import read_records, require_journal, verify
from firmware_bridge.readers.moments import day
from firmware_bridge.readers.report import Format, dated
from firmware_bridge.readers.report_page import wrapped
from firmware_bridge.view import OnDuty, Repeat, Repeats, When, counted, role_words
from firmware_bridge.view.report_texts import REPEATS


class Journal(Struct, frozen=True):
    """What one journal tells; ``problem`` is why it tells nothing: a journal that does not hold proves nothing."""

    path: str
    table: str = ""
    last: When | None = None
    repeats: tuple[Repeat, ...] = ()
    problem: str = ""


def repeats_of(path: Path) -> Journal:
    """Return the repeats of a journal that was verified first. Never raises for a journal that cannot be read."""
    try:
        require_journal(path)
        verified = verify(path)
        if not verified.ok:
            told = REPEATS["bad"].format(record=verified.bad_record, problem=verified.problem)
            return Journal(str(path), problem=told)
        state, repeats = State(), Repeats()
        for record in read_records(path):
            logged = Logged.from_body(record.body)
            apply(state, logged, record.number, record.utc_ns)
            repeats.add(logged, state, When(record.number, record.utc_ns))
    except BridgeError as error:
        return Journal(str(path), problem=str(error))
    return Journal(str(path), state.table, When(state.record, state.utc_ns), repeats.found(state))


def repeats_written(journals: Sequence[Journal], format: Format = "text") -> str:
    """Return journals as a page or as JSON, without a newline at its end."""
    if format == "json":
        return msgspec.json.encode({"journals": dated(msgspec.to_builtins(journals))}).decode()
    lines = [line for one in journals if one.problem for line in wrapped(f"*** {one.problem} ***")]
    told = [one for one in journals if one.last is not None]
    for one in told:
        facts = {"table": one.table, "last": day(one.last.utc_ns) if one.last else "", "path": one.path}
        lines += wrapped(REPEATS["journal"].format_map(facts))
    repeats = sorted((each for one in told for each in _by_table(one, told)), key=lambda each: (each.text, -each.since))
    for text, tables in groupby(repeats, key=lambda each: each.text):
        lines += ["", text.upper(), *(line for each in tables for line in _table(each))]
    return "\n".join(lines if repeats or not told else [*lines, REPEATS["none"]])


def _by_table(one: Journal, told: Sequence[Journal]) -> Iterator[Repeat]:
    """A journal's repeats; where another has a table of the same name, the file is named with it."""
    is_shared = sum(other.table == one.table for other in told) > 1
    for each in one.repeats:
        yield structs.replace(each, table=f"{each.table} ({one.path})") if is_shared else each


def _table(one: Repeat) -> list[str]:
    """One kind at one table, with who was on duty."""
    facts = {"table": one.table, "sessions": counted(one.sessions, "session"), "total": one.total}
    told = [REPEATS["kind"].format(first=_at(one.first), last=_at(one.last), **facts)]
    if one.corrected is None:
        told.append(REPEATS["no_correction"])
    else:
        when, person = _at(one.corrected), one.corrected_by
        told.append(REPEATS["since"].format(since=one.since, when=when, person=person))
    for role, people in groupby(one.on_duty, key=lambda each: each.role):
        told.append(REPEATS["duty"].format(role=role_words(role), people="; ".join(map(_person, people))))
    lines = wrapped(told[0], "  ", "    ")
    return lines + [line for text in told[1:] for line in wrapped(text, "    ", "      ")]


def _person(one: OnDuty) -> str:
    words = REPEATS["count" if one.since == one.count else "count_since"]
    return words.format(person=one.person or REPEATS["nobody"], count=one.count, since=one.since)


def _at(when: When) -> str:
    return f"{day(when.utc_ns)} #{when.record}"
