"""A journal in words: each incident with its clause by the book that bound the table then, as far as that is here."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.rulebooks import Shelf, load_rulebook
from firmware_bridge.service.wording import told
from tests.table.evening import Evening

CALLED = "INCIDENT: supervisor called"


class Bare(Shelf):
    """No book is at hand."""

    def __init__(self) -> None:
        super().__init__()
        self._unread = []


def called(rulebook: str) -> Evening:
    """A dealer has called the supervisor at a table under this book, and something more happened."""
    book = load_rulebook(rulebook)
    evening = Evening(book.equipment.decks_allowed[0], book=book)
    evening.open_table()
    evening.key(DealerKey.CALL_SUPERVISOR)
    evening.key(DealerKey.YES)
    return evening


@pytest.mark.parametrize(("rulebook", "clause"), [("portugal", "PT-A2"), ("macau", "house: jam.lid_opened_by")])
def test_an_incident_is_told_with_the_clause_of_the_book_that_bound_the_table(rulebook: str, clause: str) -> None:
    records = list(called(rulebook).table.store.records())
    [line] = [line for line in told(records, Shelf()) if CALLED in line]
    assert f"calls the floor supervisor [{clause}]" in line
    number = int(line.split()[0])
    end = list(told(records, Shelf(), after=number - 1))
    assert end[0] == line, "the book is known though its start is not shown"
    assert len(end) < len(list(told(records, Shelf())))


def test_without_the_book_no_clause_is_told_that_the_record_does_not_hold() -> None:
    records = list(called("macau").table.store.records())
    [line] = [line for line in told(records, Bare()) if CALLED in line]
    assert "the dealer calls the floor supervisor" in line
    assert "[" not in line
