"""Every clause that there is, with its kinds and what it says in our words; the open readings; our own rules."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import Struct

SHOWN = frozenset({"enforce", "detect", "prompt", "option", "rule"})
"""Kinds that the controller, or the check of a file, has to show; watch and score are the round scorer's.

``rule``: one of our integrity rules (SB-), which no book asks for.
"""

KINDS = SHOWN | {"watch", "score", "outside"}
"""All kinds."""


class Clause(Struct, frozen=True):
    """A clause by its id.

    ``awaiting``: why nothing shows it yet, empty where a test does or none has to. ``played``: the part of an awaited
    clause that a test shows already, in words.
    """

    id: str
    kinds: tuple[str, ...]
    words: str
    awaiting: str = ""
    played: str = ""

    @property
    def is_shown(self) -> bool:
        """Whether a test must prove it, or an awaiting entry say why none does."""
        return not SHOWN.isdisjoint(self.kinds)

    @property
    def is_ours(self) -> bool:
        """Whether it is one of our integrity rules."""
        return self.kinds == ("rule",)

    @property
    def is_outside(self) -> bool:
        """Whether it is not the business of this product."""
        return self.kinds == ("outside",)


class Reading(Struct, frozen=True):
    """Where the words of a law are open.

    ``about``: by the key of each value that it is about, what the words can mean there; nothing where the value does
    not tell, and the reason that stands beside it does.
    """

    words: str
    about: Mapping[str, tuple[Any, ...]]


class Catalogue(Struct, frozen=True):
    """All clauses and all open readings that a value may name, by id."""

    clauses: Mapping[str, Clause]
    readings: Mapping[str, Reading]


@cache
def catalogue() -> Catalogue:
    """Return the catalogue that comes with the product."""
    tables = tomllib.loads((Path(__file__).parent / "clauses.toml").read_text(encoding="utf-8"))
    reasons = {"": "", **tables["awaiting"]}
    clauses = {
        name: Clause(
            name, tuple(entry["kinds"]), entry["words"], reasons[entry.get("awaiting", "")], entry.get("played", "")
        )
        for name, entry in tables["clauses"].items()
    }
    readings = {
        name: Reading(entry["words"], MappingProxyType({key: tuple(means) for key, means in entry["about"].items()}))
        for name, entry in tables["readings"].items()
    }
    return Catalogue(MappingProxyType(clauses), MappingProxyType(readings))
