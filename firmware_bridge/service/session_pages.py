"""One page a rule book: what a session at each kind of table asks of whom, in the order in which it happens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from drivers.protocol.messages import Kind
from firmware_bridge.rulebooks import BOOKS, RuleBook, load_rulebook
from firmware_bridge.rulebooks.subjects import source
from firmware_bridge.service.config import why_no_such_machine
from firmware_bridge.service.good_course import Asked, GoodCourse, words_of
from firmware_bridge.view.phrases import capital, counted
from firmware_bridge.view.texts import SESSIONS

TABLES: dict[str, Kind | None] = {
    "At a continuous shuffler": Kind.CONTINUOUS_SHUFFLER,
    "At a batch shuffler": Kind.BATCH_SHUFFLER,
    "At a shoe that people fill": None,
    "At a metal box": Kind.DEALER_KEYS,
}
"""The kinds of table, by what deals the cards there."""


def pages(names: Iterable[str] = BOOKS) -> Iterator[str]:
    """Yield the lines of each book's page. Raises ``ConfigError`` for what is no rule book."""
    for name in names:
        yield from _page(load_rulebook(name))


def _page(book: RuleBook) -> Iterator[str]:
    yield from ("", f"### {book.title}")
    for title, machine in TABLES.items():
        if why_not := why_no_such_machine(machine, book):
            yield from ("", f"#### {title}", "", f"Refused: {why_not}.")
            continue
        course = GoodCourse(book, machine)
        yield from ("", f"#### {title}, {counted(course.decks, 'deck')}", "")
        yield from _course(course.walk())


def _course(asked: Iterable[Asked]) -> Iterator[str]:
    """Where the session stands, and below it who does what; what was told before is not told again."""
    told: set[str] = set()
    for session, lines in groupby(asked, key=lambda one: one.session):
        visit = list(lines)
        new = [one for one in visit if one.followed or words_of(one.line) not in told]
        told |= {words_of(one.line) for one in visit}
        followed = {one.line.text for one in new if one.followed}
        course = [one for one in new if one.followed or not (one.may_be_taken or one.line.text in followed)]
        beside = [one for one in new if one.may_be_taken and one.line.text not in followed]
        if new:
            yield f"- {capital(SESSIONS[session])}{_behind(visit[0].entered)}"
            yield from (f"  - {_told(one)}" for one in course)
            yield from (f"  - *open:* {_told(one)}" for one in beside)


def _told(asked: Asked) -> str:
    """A line of the screen, and the clause, unless its own words end with one."""
    return asked.line.text + ("" if asked.line.text.endswith("]") else _behind(asked.clause))


def _behind(clause: str) -> str:
    return f" [{source(clause)}]" if clause else ""
