"""The rule books at hand, by their digests: a journal names the one that bound it by its digest alone."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from firmware_bridge.rulebooks.loader import BOOKS, load_rulebook
from firmware_bridge.rulebooks.schema import RuleBook


class Shelf:
    """The books that come with the product, and ``files`` of a house's own; each is read once, at need."""

    def __init__(self, files: Iterable[Path] = ()) -> None:
        self._unread: list[str | Path] = [*files, *BOOKS]
        self._read: dict[str, RuleBook] = {}

    def find(self, digest: str) -> RuleBook | None:
        """Return the book with this digest; None where it is not here. ``ConfigError``: a file has faults."""
        while digest not in self._read and self._unread:
            book = load_rulebook(self._unread.pop(0))
            self._read[book.digest] = book
        return self._read.get(digest)
