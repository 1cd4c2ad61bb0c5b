"""What tests read in receipts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from firmware_bridge.readers.receipts import receipts_of, receipts_written
from firmware_bridge.view import Receipt, ReceiptKind

LEFT_IN = 16
"""Cards in the machine that was carried away (BR-001)."""


def one(path: Path, kind: str, session: int | None = None, number: int | None = None) -> Receipt:
    """The one receipt of a kind."""
    [found] = receipts_of(path, ReceiptKind(kind), session, number).receipts
    return found


def lines(receipt: Receipt, field: str) -> list[str]:
    """The lines of a field, in words."""
    [found] = [each for each in receipt.fields if each.name == field]
    return [line.text for line in found.lines]


def facts(receipt: Receipt, field: str, name: str) -> list[Any]:
    """What the lines of a field say by this name."""
    [found] = [each for each in receipt.fields if each.name == field]
    return [line.facts[name] for line in found.lines if name in line.facts]


def signers(receipt: Receipt) -> list[tuple[str, int, str]]:
    """Whose signatures are asked for: role, number (0: nobody yet), clause."""
    return [(each.role, each.person, each.clause) for each in receipt.signatures]


def page(path: Path, kind: str, number: int | None = None) -> str:
    """The papers of a kind."""
    return receipts_written(receipts_of(path, ReceiptKind(kind), number=number))


def squeezed(text: str) -> str:
    """The text on one line."""
    return " ".join(text.split())
