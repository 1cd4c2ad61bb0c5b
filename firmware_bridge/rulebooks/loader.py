"""Read a rule book's file into a ``RuleBook``, or say everything that is wrong with it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import Struct, structs

from firmware_bridge.errors import ConfigError
from firmware_bridge.rulebooks.contradictions import CONTRADICTIONS
from firmware_bridge.rulebooks.entries import (
    HOUSE,
    HOUSE_FORM,
    LAW_FORM,
    Entry,
    chosen_entry,
    house_entry,
    law_entry,
    said,
)
from firmware_bridge.rulebooks.permissions import Rule, permissions, rules, without_permission, without_rule
from firmware_bridge.rulebooks.played import not_played
from firmware_bridge.rulebooks.schema import A_BOOK_OF_ITS_OWN, MAY_BE_ABSENT, SECTIONS, RuleBook
from firmware_bridge.rulebooks.sources import Permission, Source
from firmware_bridge.toml_file import Place, Problem, TomlFile, is_line, read_toml, table_of, unknown_keys, written

BY_LETTERS = {"PT": "portugal", "MO": "macau", "ES": "spain", "LD": "live", "GN": "general"}
"""The name of the book whose clauses begin with these letters."""

BOOKS = tuple(BY_LETTERS.values())
"""The books that come with the product, by name."""

HEAD = ("id", "title", "clauses")
SUBJECTS_OF_THE_HOUSE = tuple(name for name in SECTIONS if name != HOUSE)
"""Tables that may stand under ``[house]``: on each subject a law may be silent."""

EXTENDING_HEAD = ("id", "title", "extends")
BESIDES = ("permissions", "permission", "holidays")

OWN_REMEDY = (
    f"let it extend one of {', '.join(BOOKS)}; or, if it is to read open words otherwise, name what "
    '"sabot rules check" says of its digest in the configuration: rulebook_digest'
)

_Tables = Mapping[str, Any]
FIELDS: Mapping[str, Mapping[str, Any]] = {
    name: {f"{name}.{field.name}": field.type for field in structs.fields(struct)} for name, struct in SECTIONS.items()
}
"""The type of every value of a rule book, by section and key."""


class _Draft(Struct, frozen=True):
    """A book's file as far as it was read without fault; ``unread``: the values of which it says something wrong."""

    head: dict[str, str]
    data: bytes
    entries: dict[str, Entry]
    unread: frozenset[str]
    rules: dict[str, Rule]


def load_rulebook(name_or_path: str | Path) -> RuleBook:
    """Return a rule book: one that comes with the product by its name (``portugal``), any other by its path.

    Raises ``ConfigError`` with everything that is wrong; a book that contradicts itself is refused.
    """
    return _load(name_or_path)


def load_for_table(name_or_path: str | Path, digest: str = "") -> RuleBook:
    """Return a rule book that may bind a table.

    Raises ``ConfigError`` as ``load_rulebook`` does, and for each value that this version does not play, for each
    choice without the permission that it needs, for a digest that is not the book's, and for a book of its own of which
    nobody named the ``digest``: what binds by itself is a book that comes with the product, or a file that extends one.
    """

    def in_the_way(book: RuleBook) -> Iterable[Problem]:
        yield from (Problem(_place(key, book.sources[key]), words) for key, words in not_played(book))
        if digest and digest != book.digest:
            yield Problem((), f"the digest of this rule book is {book.digest}, and the table's is {digest}")
        elif book.is_own and not digest:
            yield Problem(("id",), f"{book.id} is {A_BOOK_OF_ITS_OWN} and binds no table by itself; {OWN_REMEDY}")

    return _load(name_or_path, in_the_way)


def _load(name_or_path: str | Path, in_the_way: Callable[[RuleBook], Iterable[Problem]] | None = None) -> RuleBook:
    """Read a book; each check looks at what was read well, so that all faults are told at once.

    ``in_the_way``: what else keeps it from a table, where it is read for one.
    """
    file = read_toml(_path_of(name_or_path), "rule book")
    problems: list[Problem] = []
    extends = "extends" in file.tables
    draft = _extended(file, problems) if extends else _whole(file, problems)
    found, named = permissions(file.tables, draft.rules, draft.entries, draft.unread, problems)
    book = _book(draft, found, is_own=not extends and draft.head.get("id") not in BOOKS)
    problems += _contradictions(book, file.tables)
    if extends or in_the_way:
        wanting = without_permission(book, named)
        problems += [Problem(_place(key, book.sources[key]), words) for key, words in wanting]
    if in_the_way:
        problems += in_the_way(book)
    file.refuse(problems)
    return book


def _path_of(name_or_path: str | Path) -> Path:
    """A bare name means a book that comes with the product; anything with a slash or a suffix is a path."""
    if isinstance(name_or_path, Path) or "/" in name_or_path or name_or_path.endswith(".toml"):
        return Path(name_or_path)
    if name_or_path not in BOOKS:
        books = ", ".join(BOOKS)
        raise ConfigError(f"no rule book is called {name_or_path!r}; allowed: {books}, or the path of a .toml file")
    return Path(__file__).parent / f"{name_or_path}.toml"


# ---- a whole book


def _whole(file: TomlFile, problems: list[Problem]) -> _Draft:
    """A book that stands for itself: each value of the schema once, as law or as the house's.

    Another than those that come with the product is held to the one of them that has its law.
    """
    head = _head(file, HEAD, problems)
    letters = head.get("clauses", "")
    if letters and letters not in BY_LETTERS:
        words = f'clauses = "{letters}"; allowed: {" or ".join(map(written, BY_LETTERS))}, the laws that we know'
        file.refuse([*problems, Problem(("clauses",), words)])
    law = None if not letters or _comes_with_the_product(file, head) else _law(BY_LETTERS[letters])
    entries: dict[str, Entry] = {}
    unread = set()
    for name in SECTIONS:
        said, own = _subject(file.tables, name, problems)
        if name in MAY_BE_ABSENT and name not in file.tables and not own:
            continue
        for key, hint in FIELDS[name].items():
            field = key.partition(".")[2]
            try:
                entries[key] = _entry(key, said.get(field), own.get(field), hint, letters, law)
            except ValueError as error:
                problems.append(Problem(_written_at(key, said, own), str(error)))
                unread.add(key)
    needed = dict.fromkeys(entry.source.needs for entry in (entries if law is None else law.entries).values())
    known = rules(file.tables, needed, None if law is None else law.rules, problems)
    problems += [Problem(tuple(key.split(".")), words) for key, words in without_rule(known, entries)]
    return _Draft(head, file.data, entries, frozenset(unread), known)


@cache
def _law(name: str) -> _Draft:
    """A book as it comes with the product, which has its law. Raises ``ConfigError`` where that is spoilt."""
    file, faults = read_toml(_path_of(name), "rule book"), list[Problem]()
    draft = _whole(file, faults)
    file.refuse(faults)
    return draft


def _entry(key: str, said: object, own: object, hint: Any, letters: str, law: _Draft | None) -> Entry:
    """What stands at a key: exactly one of the law and the house says it."""
    own_key = _own_key(key)
    if said is not None and own is not None:
        raise ValueError(f"contradiction: {key} stands both as law and as {own_key}; keep the one that holds")
    if law is not None and (said is not None or own is not None):
        _check_who_says(key, law, is_own=said is None)
    if said is not None:
        return law_entry(key, said, hint, letters, None if law is None else law.entries[key])
    if own is not None:
        return house_entry(own_key, own, hint, letters)
    if own_key == key:
        raise ValueError(f"{key} is missing; write it under [{HOUSE}] as {HOUSE_FORM}")
    section = key.partition(".")[0]
    raise ValueError(
        f"{key} is missing; write it under [{section}] as {LAW_FORM}, "
        f"or, where the law is silent, under [{HOUSE}.{section}] as {HOUSE_FORM}"
    )


def _check_who_says(key: str, law: _Draft, is_own: bool) -> None:
    """A law says a value, or leaves it to the house; a file says it where it belongs. Raises ``ValueError``."""
    if key not in law.entries:
        raise ValueError(f"{key} is nothing that this book knows ({law.head['title']}); remove it")
    source = law.entries[key].source
    if is_own and not source.is_house:
        raise ValueError(f"{_own_key(key)} is no silence: the book says it ({source.id}); remove it")
    if not is_own and source.is_house:
        raise ValueError(f"{key} is not said by the book; write it under [{HOUSE}] as {HOUSE_FORM}")


# ---- a house's own file


def _extended(file: TomlFile, problems: list[Problem]) -> _Draft:
    """A house's own file: the book that it extends, with the house's choices among what the book allows."""
    head = _head(file, EXTENDING_HEAD, problems)
    name = head.get("extends", "")
    if name not in BOOKS:
        file.refuse([*problems, Problem(("extends",), f'extends = "{name}"; allowed: {" or ".join(BOOKS)}')])
    base = _law(name)
    entries = dict(base.entries)
    unread = set()
    for section in SECTIONS:
        law, own = _subject(file.tables, section, problems)
        for key, hint in FIELDS[section].items():
            field = key.partition(".")[2]
            for entry, place, is_own in ((law.get(field), (section, field), False), (own.get(field), None, True)):
                if entry is None:
                    continue
                try:
                    entries[key] = _changed(key, entry, hint, base, is_own)
                except ValueError as error:
                    problems.append(Problem(place or tuple(_own_key(key).split(".")), str(error)))
                    unread.add(key)
    if "permissions" in file.tables:
        problems.append(Problem(("permissions",), "what needs a permission is the book's to say; remove [permissions]"))
    read = {key: entry for key, entry in entries.items() if key not in unread}
    return _Draft({**base.head, **head}, file.data + base.data, read, frozenset(unread), base.rules)


def _changed(key: str, entry: object, hint: Any, base: _Draft, is_own: bool) -> Entry:
    """A value as a house's own file has it: a choice that the book allows, or the house's where the law is silent."""
    _check_who_says(key, base, is_own)
    if is_own:
        return house_entry(_own_key(key), entry, hint, base.head["clauses"])
    return chosen_entry(key, entry, hint, base.entries[key])


# ---- what both have


def _head(file: TomlFile, keys: tuple[str, ...], problems: list[Problem]) -> dict[str, str]:
    """The book's own name and title, and the letters with which its clauses begin, or what it extends."""
    tables = file.tables
    problems += unknown_keys(tables, (*keys, *BESIDES, *SECTIONS))
    head = {key: tables[key] for key in keys if is_line(tables.get(key))}
    missing = [key for key in keys if key not in head]
    problems += [Problem((key,), f'{key} is missing or no line of text; write {key} = "..."') for key in missing]
    if head.get("id") in BOOKS and not _comes_with_the_product(file, head):
        words = f'id = "{head["id"]}" is that of a book that comes with the product; give this file an id of its own'
        problems.append(Problem(("id",), words))
    return head


def _comes_with_the_product(file: TomlFile, head: _Tables) -> bool:
    """Whether this is one of our books, byte for byte."""
    return head.get("id") in BOOKS and file.data == _path_of(head["id"]).read_bytes()


def _subject(tables: _Tables, name: str, problems: list[Problem]) -> tuple[_Tables, _Tables]:
    """The entries of a subject: those of the law, and those of the house where the law is silent."""
    fields = tuple(key.partition(".")[2] for key in FIELDS[name])
    house = table_of(tables, (HOUSE,), problems if name == HOUSE else [])
    if name == HOUSE:
        own = {key: entry for key, entry in house.items() if key not in SUBJECTS_OF_THE_HOUSE}
        problems += unknown_keys(own, (*fields, *SUBJECTS_OF_THE_HOUSE), (HOUSE,))
        return {}, own
    law, own = table_of(tables, (name,), problems), table_of(house, (HOUSE, name), problems)
    problems += unknown_keys(law, fields, (name,)) + unknown_keys(own, fields, (HOUSE, name))
    return law, own


def _book(draft: _Draft, found: tuple[Permission, ...], is_own: bool) -> RuleBook:
    """The book as an object. A value that could not be read has no source in it: then nobody is given the book."""
    read = {key: entry.value for key, entry in draft.entries.items()}
    sections: dict[str, Any] = {
        name: None if read.keys().isdisjoint(FIELDS[name]) else struct(*map(read.get, FIELDS[name]))
        for name, struct in SECTIONS.items()
    }
    return RuleBook(
        id=draft.head.get("id", ""),
        title=draft.head.get("title", "") + (f", {A_BOOK_OF_ITS_OWN}" if is_own else ""),
        digest=hashlib.sha256(draft.data).hexdigest(),
        is_own=is_own,
        sources=MappingProxyType({key: entry.source for key, entry in draft.entries.items()}),
        permissions=found,
        **sections,
    )


def _contradictions(book: RuleBook, tables: _Tables) -> list[Problem]:
    """What the book says against itself, each with its values and what stands behind them.

    It has the line of the first value that stands in this file, and not in the one that it extends.
    """

    def place(keys: tuple[str, ...]) -> Place:
        places = [_place(key, book.sources[key]) for key in keys]
        return next((one for one in places if _stands_in(tables, one)), places[0])

    return [
        Problem(
            place(row.keys),
            "contradiction: "
            + " and ".join(said(key, book.value_of(key), book.sources[key]) for key in row.keys)
            + f": {row.words}",
        )
        for row in CONTRADICTIONS
        if all(key in book.sources for key in row.keys) and row.holds(book)
    ]


def _stands_in(tables: object, place: Place) -> bool:
    """Whether a file says something at a place."""
    for key in place:
        if not isinstance(tables, dict) or key not in tables:
            return False
        tables = tables[key]
    return True


def _own_key(key: str) -> str:
    """Where the house writes a value."""
    return key if key.startswith(f"{HOUSE}.") else f"{HOUSE}.{key}"


def _place(key: str, source: Source) -> Place:
    """Where a value stands in the file."""
    return tuple((source.id if source.is_house else key).split("."))


def _written_at(key: str, law: _Tables, own: _Tables) -> Place:
    """Where a value stands in the file, or should stand; a table that is not there has no line."""
    is_own = key.partition(".")[2] in own or (not law and own)
    return tuple((_own_key(key) if is_own else key).split("."))
