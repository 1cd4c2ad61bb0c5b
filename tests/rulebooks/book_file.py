"""The books' files as tables that a test may spoil, and a writer for them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge import rulebooks
from firmware_bridge.errors import ConfigError
from firmware_bridge.rulebooks.loader import FIELDS
from firmware_bridge.toml_file import written

FOLDER = Path(rulebooks.__file__).parent
PORTUGAL = FOLDER / "portugal.toml"
TOLD = re.compile(r"(?P<path>.*?\.toml)(?::(?P<line>\d+))?: (?P<words>.*)")
"""A line of a refusal: the file, the line where there is one, and what is wrong."""

HINTS = {key: hint for section in FIELDS.values() for key, hint in section.items()}
"""The type of every value, by its key."""


def book(name: str) -> dict[str, Any]:
    """Return a book's tables, fresh each time, under an id that is no shipped book's."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8")) | {"id": "spoilt"}


def portugal() -> dict[str, Any]:
    """Return the Portuguese book's tables, fresh each time."""
    return book("portugal")


def entry_at(tables: dict[str, Any], place: str) -> dict[str, Any]:
    """Return the entry at a place in the file, such as ``house.opening.check_backs``."""
    entry: dict[str, Any] = tables
    for key in place.split("."):
        entry = entry[key]
    return entry


def places(tables: dict[str, Any], above: str = "") -> list[str]:
    """Return where each value of the book stands in the file."""
    if "value" in tables:
        return [above]
    return [
        place
        for key, below in tables.items()
        if isinstance(below, dict)
        for place in places(below, f"{above}.{key}" if above else key)
    ]


def key_of(place: str) -> str:
    """Return the key of the value that stands at a place: ``house.opening.check_backs`` is ``opening.check_backs``."""
    return place.removeprefix("house.") if place.count(".") > 1 else place


def place_of(tables: dict[str, Any], key: str) -> str:
    """Return where the value of a key stands: under its subject, or under the house's."""
    return key if key in places(tables) else f"house.{key}"


def source_of(entry: dict[str, Any]) -> str:
    """Return what a refusal says of where a value comes from."""
    return str(entry.get("clause", "the house's"))


def write(folder: Path, tables: dict[str, Any]) -> Path:
    """Write a book's tables as ``book.toml``, a line each, and return its path."""
    path = folder / "book.toml"
    path.write_text("".join(f"{key} = {written(value)}\n" for key, value in tables.items()), encoding="utf-8")
    return path


def told_of(path: Path) -> list[tuple[str | None, str]]:
    """Return what a file is refused for, each with its line where there is one."""
    with pytest.raises(ConfigError) as raised:
        rulebooks.load_rulebook(path)
    told = [TOLD.fullmatch(line) for line in str(raised.value).splitlines()]
    assert all(one and one["path"] == str(path) for one in told)
    return [(one["line"], one["words"]) for one in told if one]


def refusal_of(path: Path) -> list[str]:
    """Return what a file is refused for, each without its file and line."""
    return [words for _, words in told_of(path)]


def refusal(folder: Path, tables: dict[str, Any]) -> list[str]:
    """Return what a book of these tables is refused for."""
    return refusal_of(write(folder, tables))
