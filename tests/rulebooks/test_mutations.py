"""Every value of every book, set wrong in turn, gives exactly its message; all set wrong at once, each its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest

from firmware_bridge.errors import ConfigError
from firmware_bridge.rulebooks import BOOKS, load_rulebook, loader
from firmware_bridge.toml_file import TomlFile, Within, allowed, written
from tests.rulebooks import book_file
from tests.rulebooks.book_file import HINTS, entry_at, key_of, places, source_of, told_of

PLACES = [(name, place) for name in BOOKS for place in places(book_file.book(name))]
WRONG_EVERYWHERE: tuple[object, ...] = (0.5, {"of": 1}, "no such thing")


def taken_apart(hint: Any) -> tuple[Any, Within | None]:
    return (hint.__origin__, hint.__metadata__[0]) if hasattr(hint, "__metadata__") else (hint, None)


def wrong_values(hint: Any) -> Iterator[object]:
    """Yield what a type does not allow: another type, below, above, an unknown word, too few, too many."""
    yield from WRONG_EVERYWHERE
    base, limits = taken_apart(hint)
    if base is bool:
        yield from (0, "true")
    elif get_origin(base) is Literal:
        yield from ("", get_args(base)[0].upper(), True)
    elif base is int:
        assert limits is not None
        yield from (int(limits.low) - 1, int(limits.high) + 1, True)
    else:
        assert get_origin(base) is tuple
        assert limits is not None
        item = get_args(base)[0]
        yield from ([], 4)
        yield from ([wrong] for wrong in wrong_values(item))
        inner = taken_apart(item)[1]
        good = int(inner.low) if inner else get_args(item)[0]
        yield [good] * (int(limits.high) + 1)


def in_words(choices: Any) -> str:
    if isinstance(choices, dict):
        return f"from {choices['from']} to {choices['to']}"
    return " or ".join(written(choice) for choice in choices or [])


@pytest.mark.parametrize(("name", "place"), PLACES, ids=lambda one: one)
def test_each_value_set_wrong_is_named_with_what_is_allowed_and_its_clause(
    monkeypatch: pytest.MonkeyPatch, name: str, place: str
) -> None:
    tables, hint = book_file.book(name), HINTS[key_of(place)]
    monkeypatch.setattr(loader, "read_toml", lambda path, _: TomlFile(path, b"", tables))
    entry = entry_at(tables, place)
    choice = in_words(entry.get("allowed"))  # the clause's, not what the schema takes beside it
    for wrong in wrong_values(hint):
        entry["value"] = wrong
        with pytest.raises(ConfigError) as raised:
            load_rulebook(Path("book.toml"))
        assert str(raised.value) == (
            f"book.toml: {place} = {written(wrong)} ({source_of(entry)}); allowed: {allowed(hint, choice)}"
        )


@pytest.mark.parametrize("name", BOOKS)
def test_all_values_set_wrong_are_told_at_once_each_with_its_line(tmp_path: Path, name: str) -> None:
    text = (book_file.FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    spoilt = re.sub(
        r"\bvalue = ",
        "value = [[]] # ",
        re.sub(r"\{ value = .*?, ((?:allowed|clause|reading|reason) = )", r"{ value = [[]], \1", text),
    )
    path = tmp_path / "book.toml"
    path.write_text(spoilt.replace("# [[]]", "").replace(f'id = "{name}"', 'id = "spoilt"', 1), encoding="utf-8")
    found = {words.partition(" = ")[0]: int(line or 0) for line, words in told_of(path)}
    assert found == dict(where_values_stand(text))


def where_values_stand(text: str) -> Iterator[tuple[str, int]]:
    """Yield the place of each value and its line, as a person finds it who knows how our own files are written."""
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\[([\w.]+)\]", line):
            table, above = header[1], number
        elif line.startswith("value = "):
            yield table, above
        elif (entry := re.match(r"(\w+) = \{ value = ", line)) is not None:
            yield f"{table}.{entry[1]}", number
