"""Read a rule book's file into a ``RuleBook``, or say everything that is wrong with it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import structs

from firmware_bridge.errors import ConfigError
from firmware_bridge.rulebooks.contradictions import CONTRADICTIONS
from firmware_bridge.rulebooks.played import PLAYED
from firmware_bridge.rulebooks.schema import SECTIONS, RuleBook, Source
from firmware_bridge.toml_file import convert, read_toml, refuse, table_of, unknown_keys, written

HOUSE = "house"
HEAD = ("id", "title", "clauses")
CLAUSES = frozenset((Path(__file__).parent / "clauses.txt").read_text(encoding="utf-8").split())
"""Every clause that there is, of all the books."""

_FORM = '{ value = ..., clause = "..." }'
_HOUSE_FORM = '{ value = ..., reason = "..." }'
_Entries = Mapping[str, Any]


def load_rulebook(name_or_path: str | Path) -> RuleBook:
    """Return a rule book: one that comes with the product by its name (``portugal``), any other by its path.

    Raises ``ConfigError`` with everything that is wrong; a book that contradicts itself is refused.
    """
    path = _path_of(name_or_path)
    data, tables = read_toml(path, "rule book")
    problems: list[str] = []
    head = _head(tables, problems)
    sources: dict[str, Source] = {}
    sections: dict[str, Any] = {}
    for name, (law, own) in _subjects(tables, problems).items():
        sections[name] = _section(name, law, own, head.get("clauses", ""), sources, problems)
    refuse(path, problems)
    book = RuleBook(
        id=head["id"],
        title=head["title"],
        digest=hashlib.sha256(data).hexdigest(),
        sources=MappingProxyType(sources),
        **{name: struct(**sections[name]) for name, struct in SECTIONS.items()},
    )
    refuse(path, _contradictions(book))
    refuse(path, _not_played(book))
    return book


def _path_of(name_or_path: str | Path) -> Path:
    """A bare name means a book that comes with the product; anything with a slash or a suffix is a path."""
    if isinstance(name_or_path, Path) or "/" in name_or_path or name_or_path.endswith(".toml"):
        return Path(name_or_path)
    folder = Path(__file__).parent
    path = folder / f"{name_or_path}.toml"
    if not path.is_file():
        books = ", ".join(sorted(book.stem for book in folder.glob("*.toml")))
        raise ConfigError(f"no rule book is called {name_or_path!r}; allowed: {books}, or the path of a .toml file")
    return path


def _head(tables: Mapping[str, Any], problems: list[str]) -> dict[str, str]:
    """The book's own name, title, and the letters with which its clauses begin."""
    problems += unknown_keys(tables, (*HEAD, *SECTIONS), "")
    head = {key: tables[key] for key in HEAD if isinstance(tables.get(key), str) and tables[key].strip()}
    problems += [f'{key} is missing or no text; write {key} = "..."' for key in HEAD if key not in head]
    return head


def _subjects(tables: Mapping[str, Any], problems: list[str]) -> dict[str, tuple[_Entries, _Entries]]:
    """The entries of each subject: those of the law, and those of the house where the law is silent."""
    house = table_of(tables, HOUSE, problems)
    subjects = {
        name: (table_of(tables, name, problems), table_of(house, name, problems, f"{HOUSE}."))
        for name in SECTIONS
        if name != HOUSE
    }
    return subjects | {HOUSE: ({}, {key: entry for key, entry in house.items() if key not in SECTIONS})}


def _section(
    name: str, law: _Entries, own: _Entries, letters: str, sources: dict[str, Source], problems: list[str]
) -> dict[str, Any]:
    """The values of one subject; where each comes from goes to ``sources``, what is wrong to ``problems``."""
    fields = {field.name: field.type for field in structs.fields(SECTIONS[name])}
    problems += unknown_keys(law, tuple(fields), f"{name}.")
    problems += unknown_keys(own, tuple(fields), f"{HOUSE}." if name == HOUSE else f"{HOUSE}.{name}.")
    values: dict[str, Any] = {}
    for field, field_type in fields.items():
        key = f"{name}.{field}"
        try:
            entry, source = _entry(key, law.get(field), own.get(field), letters)
            values[field] = _value(key, entry, field_type, source)
        except ValueError as error:
            problems.append(str(error))
        else:
            sources[key] = source
    return values


def _entry(key: str, law: object, own: object, letters: str) -> tuple[object, Source]:
    """What stands at a key and where it comes from: exactly one of the law and the house says it."""
    own_key = key if key.startswith(f"{HOUSE}.") else f"{HOUSE}.{key}"
    if law is not None and own is not None:
        raise ValueError(f"contradiction: {key} stands both as law and as {own_key}; keep the one that holds")
    if law is not None:
        entry = _parts(key, law, "clause", _FORM)
        clause = entry["clause"]
        if clause not in CLAUSES or clause.partition("-")[0] not in (letters, "SB"):
            raise ValueError(
                f'{key} names the clause "{clause}"; allowed: a clause of this book ({letters}-...) or SB-...'
            )
        return entry["value"], Source(clause, "")
    if own is not None:
        entry = _parts(own_key, own, "reason", _HOUSE_FORM)
        return entry["value"], Source(own_key, entry["reason"])
    if own_key == key:
        raise ValueError(f"{key} is missing; write it under [{HOUSE}] as {_HOUSE_FORM}")
    section = key.partition(".")[0]
    raise ValueError(
        f"{key} is missing; write it under [{section}] as {_FORM}, "
        f"or, where the law is silent, under [{HOUSE}.{section}] as {_HOUSE_FORM}"
    )


def _parts(key: str, entry: object, source: str, form: str) -> dict[str, Any]:
    """An entry taken apart: a value, and beside it a clause or a reason in words, nothing else."""
    if not isinstance(entry, dict) or set(entry) != {"value", source}:
        raise ValueError(f"{key} = {written(entry)} is not of the form {form}")
    words = entry[source]
    if not isinstance(words, str) or not words.strip():
        raise ValueError(f"{key} has an empty {source}; allowed: {form}")
    return entry


def _value(key: str, value: object, field_type: Any, source: Source) -> Any:
    """The value as the schema's type."""
    try:
        return convert(value, field_type)
    except ValueError as error:
        raise ValueError(f"{_said(key, value, source)}; {error}") from error


def _contradictions(book: RuleBook) -> list[str]:
    """What the book says against itself, each with its values and what stands behind them."""
    return [
        "contradiction: "
        + " and ".join(_said(key, _at(book, key), book.sources[key]) for key in row.keys)
        + f": {row.words}"
        for row in CONTRADICTIONS
        if row.holds(book)
    ]


def _not_played(book: RuleBook) -> list[str]:
    """What the book says that this version's procedures do not play: better not opened than played otherwise."""
    return [
        f"{_said(key, _at(book, key), book.sources[key])}: this version plays only {written(only)}"
        for key, only in PLAYED.items()
        if _at(book, key) != only
    ]


def _said(key: str, value: object, source: Source) -> str:
    """A value as a message names it: where it stands in the file, and what stands behind it."""
    if source.reason:
        return f"{source.id} = {written(value)} (the house's)"
    return f"{key} = {written(value)} ({source.id})"


def _at(book: RuleBook, key: str) -> object:
    section, field = key.split(".")
    return getattr(getattr(book, section), field)
