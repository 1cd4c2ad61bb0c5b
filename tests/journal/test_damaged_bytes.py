"""A byte of a journal's file is another: each reader reads on or says so; what does not hold can be laid aside."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firmware_bridge.errors import JournalError
from firmware_bridge.journal import export_lines, last_number, parts, read_records, verify
from firmware_bridge.journal.damaged import what_is_damaged
from firmware_bridge.readers.terminal import watch
from firmware_bridge.rulebooks import Shelf
from firmware_bridge.service.replay import replay
from firmware_bridge.service.run import key_of
from firmware_bridge.service.wording import told
from tests.service import live, recorded

PAGE, HEADER = 4096, 100
NO_TEXT = 0xA1
"""A byte that begins no character: the text around it is none any more, not even in SQLite's own messages."""

READERS: dict[str, Callable[[Path], object]] = {
    "records": lambda path: list(read_records(path)),
    "last number": last_number,
    "export": lambda path: list(export_lines(parts(path))),
    "show": lambda path: list(told(read_records(path), Shelf())),
    "replay": lambda path: replay(((one.number, one.utc_ns, one.body) for one in read_records(path)), Shelf()),
    "watch": lambda path: watch(path, path.parent / "status", io.StringIO(), lambda: True),
}


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    live.enrol(tmp_path)
    return recorded.journal_in(tmp_path)


def each_byte_in_use(page: bytes) -> Iterator[int]:
    """Where a page holds anything: SQLite leaves zeros between its cells, and reads none of them."""
    return (place for place, byte in enumerate(page) if byte or place < HEADER)


@pytest.mark.field("BR-036")
@pytest.mark.timeout(120)
def test_whichever_byte_of_the_first_page_is_bad_it_is_said_and_the_journal_can_be_laid_aside(journal: Path) -> None:
    sound, damaged = journal.read_bytes(), 0
    for place in each_byte_in_use(sound[:PAGE]):
        journal.write_bytes(sound[:place] + bytes([NO_TEXT]) + sound[place + 1 :])
        refusals = [refused for refused in (refusal(read, journal) for read in READERS.values()) if refused]
        wrong = what_is_damaged(journal, table="BJ-07", key_path=key_of(journal))
        assert bool(wrong) >= (bool(refusals) or not verify(journal).ok), f"byte {place}: {refusals}"
        damaged += bool(wrong)
    assert damaged > PAGE // 10, "most of what stands there is needed"


def refusal(read: Callable[[Path], object], journal: Path) -> str:
    """Why a journal is not read, in words that name it; nothing if it is."""
    try:
        read(journal)
    except JournalError as error:
        told = str(error)
    else:
        return ""
    assert str(journal) in told
    return told
