"""The Portuguese book as tables that a test may spoil, and a writer for them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from firmware_bridge import rulebooks
from firmware_bridge.toml_file import written

PORTUGAL = Path(rulebooks.__file__).with_name("portugal.toml")


def portugal() -> dict[str, Any]:
    """Return the Portuguese book's tables, fresh each time."""
    return tomllib.loads(PORTUGAL.read_text(encoding="utf-8"))


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


def write(folder: Path, tables: dict[str, Any]) -> Path:
    """Write a book's tables as ``book.toml`` and return its path."""
    path = folder / "book.toml"
    path.write_text("".join(f"{key} = {written(value)}\n" for key, value in tables.items()), encoding="utf-8")
    return path
