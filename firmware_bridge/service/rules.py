"""What ``sabot rules`` says: a file checked, two books compared, a clause explained, and what carries each clause."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from firmware_bridge.errors import ConfigError
from firmware_bridge.rulebooks import BOOKS, RuleBook, load_rulebook
from firmware_bridge.rulebooks.catalogue import Clause, catalogue
from firmware_bridge.rulebooks.entries import value_at
from firmware_bridge.rulebooks.permissions import not_yet, without_permission
from firmware_bridge.rulebooks.played import not_played
from firmware_bridge.rulebooks.schema import A_BOOK_OF_ITS_OWN
from firmware_bridge.service.traceability import TESTS, Tests, carried, counts, faults, marked_tests, standing
from firmware_bridge.toml_file import written

NO_TESTS = f"no tests lie beside this program ({TESTS}); what proves a clause is told in a checkout"

UNPROVED = {"untold": "no test", "outside": "outside", "later": "the round scorer's"}


def checked(file: str, day: date | None = None) -> Iterator[str]:
    """Yield what a rule book's file says of itself, and what keeps it from a table of this version, on a day or ever.

    Raises ``ConfigError`` with everything that is wrong with it.
    """
    book = load_rulebook(file)
    law = sum(not source.is_house for source in book.sources.values())
    readings = sum(bool(source.readings) for source in book.sources.values())
    yield f"{book.title} ({book.id}): whole and without contradiction"
    yield (
        f"  {len(book.sources)} values: {law} of the law, {len(book.sources) - law} of the house; "
        f"{readings} take an open reading"
    )
    yield f"  digest {book.digest}"
    for one in book.permissions:
        days = ", ".join(f"{name} {day}" for name, day in one.days.items())
        yield f"  permission {one.reference}, {days}: {', '.join(one.choices)}"
    if book.permissions and day is None:
        yield f"  opens a table from {max(one.holds_from for one in book.permissions)} on"
    wanting = [words for _, words in (*not_played(book), *without_permission(book))]
    early = () if day is None else not_yet(book, day)
    wanting += [f"permission {one.reference} holds from {one.holds_from}, not on {day} ({one.clause})" for one in early]
    reasons = f"{len(wanting)} reason{'' if len(wanting) == 1 else 's'}"
    own = f"  {A_BOOK_OF_ITS_OWN}: binds a table whose configuration says rulebook_digest with this digest, no other"
    yield f"  binds no table: {reasons}" if wanting else own if book.is_own else "  may bind a table"
    yield from (f"    {words}" for words in wanting)


def compared(first: str, second: str) -> Iterator[str]:
    """Yield each value in which two books differ, or for which other reasons stand. Raises ``ConfigError``."""
    one, other = load_rulebook(first), load_rulebook(second)
    keys = dict.fromkeys((*one.sources, *other.sources))
    differing = [key for key in keys if _value(one, key) != _value(other, key)]
    yield f"{len(differing)} of {len(keys)} values differ between {one.title} and {other.title}"
    for key in differing:
        yield key
        yield f"  {one.id}: {_value(one, key)} ({_behind(one, key)})"
        yield f"  {other.id}: {_value(other, key)} ({_behind(other, key)})"


def explained(name: str) -> Iterator[str]:
    """Yield what a clause, an integrity rule, an open reading or a value says, and what carries it.

    Raises ``ConfigError`` for what is none of these.
    """
    known = catalogue()
    books = [load_rulebook(book) for book in BOOKS]
    if clause := known.clauses.get(name):
        yield f"{name} ({', '.join(clause.kinds)}): {clause.words}"
        if clause.awaiting:
            yield f"  awaiting: {clause.awaiting}"
        yield from _carriers(name)
    elif name in known.readings:
        yield f"{name}, an open reading: {known.readings[name].words}"
        yield from _carriers(name)
    elif having := [book for book in books if value_at(name) in book.sources]:
        for book in having:
            source = book.sources[value_at(name)]
            yield f"{book.id} {value_at(name)} = {_value(book, value_at(name))} ({_behind(book, value_at(name))})"
            yield from ([f"  {source.reason}"] if source.reason else [])
    else:
        raise ConfigError(
            f"{name} is no clause, rule, reading or value; write one as screen and journal do: PT-A5, house.min_pack"
        )


def covered() -> tuple[list[str], bool]:
    """Return clause by clause what carries it and how many tests prove it, and whether nothing is wrong there."""
    known, tests = catalogue(), marked_tests()
    lines = []
    for clause in known.clauses.values():
        found = carried(clause.id)
        parts = [_number(len(found.rows), "row"), _number(len(found.refusals), "refusal")]
        parts += [words.partition(" = ")[0] for words in found.values]
        carriers = ", ".join(filter(None, parts)) or "nothing"
        lines.append(f"{clause.id} [{', '.join(clause.kinds)}] -> {carriers} -> {_proof(clause, tests)}")
    if tests is None:
        return [*lines, NO_TESTS], False
    wrong = list(faults(known, tests))
    found_counts = counts(known.clauses.values(), tests)
    lines += [f"wrong: {words}" for words in wrong]
    lines.append(
        f"{sum(found_counts.values())} clauses: {found_counts['tested']} tested, {found_counts['awaiting']} awaiting, "
        f"{found_counts['later']} scored or watched later, {found_counts['outside']} outside"
    )
    return lines, not wrong


def _proof(clause: Clause, tests: Tests | None) -> str:
    """How a clause is proved, or why it is not."""
    proofs = (tests or {}).get(clause.id, ())
    if clause.awaiting:
        part = f"{_number(len(proofs), 'test')} of a part ({clause.played}); " if clause.played else ""
        return f"{part}awaiting: {clause.awaiting}"
    if proofs:
        return _number(len(proofs), "test")
    return UNPROVED[standing(clause, {})]


def _number(number: int, of: str) -> str:
    return f"{number} {of}{'' if number == 1 else 's'}" if number else ""


def _carriers(name: str) -> Iterator[str]:
    found, tests = carried(name), marked_tests()
    proofs = () if tests is None else tests.get(name, ())
    for kind, lines in (("row", found.rows), ("said in", found.refusals), ("value", found.values), ("test", proofs)):
        yield from (f"  {kind}: {line}" for line in lines)
    if not (found.rows or found.refusals or found.values):
        yield "  nothing carries it yet"
    if tests is None:
        yield f"  {NO_TESTS}"


def _value(book: RuleBook, key: str) -> str:
    return written(book.value_of(key)) if key in book.sources else "not in this book"


def _behind(book: RuleBook, key: str) -> str:
    if key not in book.sources:
        return "its game has no such thing"
    return "the house's" if book.sources[key].is_house else book.sources[key].id
