"""The export holds everything that the chain covers, and the journal in memory writes the same one."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from firmware_bridge.core.records import Entry, Store
from firmware_bridge.errors import JournalError
from firmware_bridge.journal import MemoryStore, export_lines, parts
from tests.journal.bench import (
    HEADS,
    LAST,
    PUBLIC,
    SEED,
    SEGMENT_ENDS,
    TABLE,
    entries,
    entry,
    make_journal,
    open_store,
)


def memory_store(*, lazy: bool = False) -> MemoryStore:
    return MemoryStore(table=TABLE, seed=SEED, lazy=lazy)


def test_the_journal_in_memory_is_the_one_on_disk(tmp_path: Path) -> None:
    store = memory_store()
    port: Store = store
    for number in range(1, LAST + 1):
        port.append([entry(number)], sign=number in HEADS and number not in SEGMENT_ENDS)
        if number in SEGMENT_ENDS:
            port.begin_segment()
    assert store.public_key == PUBLIC
    assert list(export_lines(store.parts())) == list(export_lines(parts(make_journal(tmp_path))))


def test_every_line_is_an_object_and_the_chain_can_be_computed_from_it(tmp_path: Path) -> None:
    previous = bytes(32)
    kinds = []
    for line in export_lines(parts(make_journal(tmp_path))):
        assert line.endswith(b"}\n")
        assert line.count(b"\n") == 1
        found = json.loads(line)
        kinds.append(next(iter(found)))
        if "record" in found:
            numbers = b"".join(found[name].to_bytes(8, "big", signed=True) for name in ("record", "utc_ns", "link_ns"))
            body = line[line.index(b'"body":') + 7 : -2]
            previous = sha256(previous + numbers + body).digest()
        assert found["digest"] == previous.hex()
    assert kinds[0] == "segment"
    assert [kinds.count(kind) for kind in ("segment", "record", "head")] == [3, LAST, len(HEADS)]


@pytest.mark.parametrize("body", [b"", b"no json", b'{"a":\n1}', b' {"a":1}', b"\xff", b'"\xff"'])
def test_a_body_that_does_not_stand_in_a_line_is_written_in_hexadecimal(tmp_path: Path, body: bytes) -> None:
    with open_store(tmp_path) as store:
        store.append([Entry(1, 0, 0, body)], sign=False)
    _, line = export_lines(parts(tmp_path / "journal"))
    assert bytes.fromhex(json.loads(line)["body_hex"]) == body


def test_records_given_up_with_a_failed_flush_are_not_exported(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        store.append(entries(1, 3), sign=True)
        kept = store._tip
        store.append(entries(4, 5), sign=True)
        store._tip, store._gap = kept, True  # as if that append had failed
        store.begin_segment()
        store.append([entry(4)], sign=False)
    found = [json.loads(line) for line in export_lines(parts(tmp_path / "journal"))]
    assert [line["record"] for line in found if "record" in line] == [1, 2, 3, 4]
    assert [line["gap"] for line in found if "segment" in line] == [False, True]


def test_a_failing_disk_in_memory_fails_as_a_real_one() -> None:
    store = memory_store()
    store.append(entries(1, 2), sign=True)
    store.fail()
    with pytest.raises(JournalError):
        store.append([entry(3)], sign=True)
    with pytest.raises(JournalError):
        store.begin_segment()
    store.fail(False)
    with pytest.raises(JournalError, match="Begin a new segment"):
        store.append([entry(3)], sign=True)
    store.begin_segment()
    store.append([entry(3)], sign=True)
    assert [record.number for record in store.records()] == [1, 2, 3]


def test_a_lazy_disk_loses_what_it_had_not_flushed() -> None:
    store = memory_store(lazy=True)
    store.append(entries(1, 2), sign=True)
    store.flush()
    head = store.head
    store.append([entry(3)], sign=True)
    store.begin_segment()
    assert store.drop_unflushed() == 1
    assert (store.last_number, store.head) == (2, head)
    store.append([entry(3)], sign=True)
    assert store.last_number == 3


def test_two_journals_of_the_same_events_and_key_are_the_same_bytes(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for place in (one, two):
        place.mkdir()
        make_journal(place)
    for file in ("journal", "journal.1", "journal.2"):
        assert (one / file).read_bytes() == (two / file).read_bytes()
