"""What stands behind a value of a rule book: a clause or the house, a reason, what else was allowed, a permission."""

from __future__ import annotations

import datetime
from typing import Any

from msgspec import Struct


class Span(Struct, frozen=True):
    """Whole numbers from the least to the most that a clause allows."""

    low: int
    high: int


class Source(Struct, frozen=True):
    """Where a value comes from. ``id`` names a clause or a house value; ``also`` further clauses behind it.

    ``reason`` is never empty for the house, and for the law only where ``readings`` names open readings of its words.
    ``allowed`` is what the clause lets the house choose from, None where it fixes the value; ``needs`` the clause that
    asks for a permission, unless the value is ``unless``.
    """

    id: str
    reason: str = ""
    also: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()
    allowed: tuple[Any, ...] | Span | None = None
    needs: str = ""
    unless: Any = None

    @property
    def is_house(self) -> bool:
        """Whether the house set this value, because the law is silent."""
        return self.id.startswith("house.")


class Permission(Struct, frozen=True):
    """A permission of the regulator: its reference, its days by name (``applied``), and the keys that it covers.

    ``clause`` is the one that asks for it.
    """

    clause: str
    reference: str
    days: dict[str, datetime.date]
    choices: tuple[str, ...]

    @property
    def holds_from(self) -> datetime.date:
        """The day on which the last of its days has come: its first day of use, or that of the approval."""
        return max(self.days.values())
