"""Text that is made from the product itself, written between two marks of a file that people wrote around it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from firmware_bridge.errors import ConfigError


def begin(what: str) -> str:
    """The line after which it stands."""
    return f"<!-- {what}: begin -->"


def end(what: str) -> str:
    """The line before which it ends."""
    return f"<!-- {what}: end -->"


def with_generated(text: str, what: str, lines: Iterable[str]) -> str:
    """Return a text with these lines between its two marks. Raises ``ConfigError`` where it lacks one of them."""
    before, has_begin, rest = text.partition(f"{begin(what)}\n")
    _, has_end, after = rest.partition(end(what))
    if not has_begin or not has_end:
        raise ConfigError(
            f"there is no place for the {what}: write the lines {begin(what)} and {end(what)} into the file"
        )
    return "\n".join([before + begin(what), *lines, end(what) + after])


def write_generated(path: Path, what: str, lines: Iterable[str]) -> None:
    """Write them anew into a file that has their two marks. Raises ``ConfigError`` where that cannot be."""
    try:
        text = path.read_text(encoding="utf-8")
        path.write_text(with_generated(text, what, lines), encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; name a file that can be read and written") from error
