"""Verification names the first bad record, whatever someone did to the files without the signing key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from firmware_bridge.core.records import Entry
from firmware_bridge.journal import last_session_state, reader, verify
from firmware_bridge.journal.chain import record_digest
from tests.journal.bench import (
    HEADS,
    LAST,
    PUBLIC,
    SEGMENT_ENDS,
    SIGNED,
    entry,
    first_bad,
    open_store,
    rows,
    segment_of,
    spoil,
)

RECORD_FIELDS = {"utc_ns": -1, "link_ns": 3, "body": b"{}", "digest": bytes(32)}
HEAD_FIELDS = {"after": 1, "digest": bytes(32), "signature": bytes(64)}
OPENING_FIELDS = {
    "segment": 9,
    "table_name": "Mesa 8",
    "public_key": bytes(32),
    "after": 3,
    "number": 5,
    "digest": b"\1" * 32,
    "gap": 1,
    "signature": bytes(64),
}
numbers = st.integers(1, LAST)
signed_numbers = st.integers(1, SIGNED)


def signed_before(number: int) -> int:
    """The last signed record before this one."""
    return max([0, *(head for head in HEADS if head < number)])


# -- sound journals -------------------------------------------------------------------------------------------------


def test_a_sound_journal_says_up_to_where_it_is_complete_and_signed(sound: Path) -> None:
    report = verify(sound, key=PUBLIC)
    assert (report.ok, report.complete_to, report.signed_to, report.segments) == (True, LAST, SIGNED, 3)
    text = "\n".join(report.lines())
    assert f"complete to record {LAST}, head {LAST}:" in text
    assert f"signed to record {SIGNED}; the chain alone speaks for the 1 after" in text
    assert "give --head" in text


def test_without_a_key_it_says_that_the_file_vouches_for_itself(sound: Path) -> None:
    report = verify(sound)
    assert (report.ok, report.key_given, report.public_key) == (True, False, PUBLIC.hex())
    assert any("Only the file itself vouches" in line for line in report.lines())
    assert not any("Only the file itself" in line for line in verify(sound, key=PUBLIC).lines())


@pytest.mark.parametrize("batch", [1, 2, 4, 12])
def test_it_matters_not_how_the_file_is_read(sound: Path, monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    monkeypatch.setattr(reader, "BATCH", batch)
    assert verify(sound, key=PUBLIC).complete_to == LAST


def test_an_empty_journal_is_sound(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    report = verify(tmp_path / "journal", key=PUBLIC)
    assert (report.ok, report.complete_to, report.session) == (True, 0, None)


# -- one thing changed, removed, put in, swapped --------------------------------------------------------------------


@given(number=numbers, field=st.sampled_from(sorted(RECORD_FIELDS)))
def test_any_changed_field_of_a_record_is_found(fresh: Callable[[], Path], number: int, field: str) -> None:
    path = fresh()
    spoil(segment_of(path, number), (f"UPDATE record SET {field} = ? WHERE number = ?", (RECORD_FIELDS[field], number)))
    assert first_bad(path) == number


@given(number=signed_numbers)
@example(number=12)
@example(number=SIGNED)
def test_a_removed_record_is_found(fresh: Callable[[], Path], number: int) -> None:
    path = fresh()
    spoil(segment_of(path, number), ("DELETE FROM record WHERE number = ?", (number,)))
    assert first_bad(path) == number


@given(number=numbers, source=numbers)
def test_an_inserted_record_is_found(fresh: Callable[[], Path], number: int, source: int) -> None:
    """A record's copy put in before ``number``, the rest of the segment moved on by one."""
    path = fresh()
    file, origin = segment_of(path, number), segment_of(path, source)
    ((utc_ns, link_ns, body, digest),) = rows(
        origin, "SELECT utc_ns, link_ns, body, digest FROM record WHERE number = ?", source
    )
    spoil(
        file,
        ("UPDATE record SET number = -number WHERE number >= ?", (number,)),
        ("UPDATE record SET number = 1 - number WHERE number < 0", ()),
        ("INSERT INTO record VALUES (?, ?, ?, ?, ?)", (number, utc_ns, link_ns, body, digest)),
    )
    # The copy of the very record whose place it took is no stranger; the one after it is.
    assert first_bad(path) == number + (number == source)


@given(number=st.sampled_from([-(1 << 63), -1, 0, 12, (1 << 63) - 1]))
def test_a_record_with_a_number_of_elsewhere_is_found(fresh: Callable[[], Path], number: int) -> None:
    path = fresh()
    spoil(
        segment_of(path, 13),
        ("INSERT INTO record VALUES (?, 0, 0, x'', zeroblob(32))", (number,)),
    )
    assert first_bad(path) == (25 if number > 0 and number > 24 else number)


@given(
    first=numbers,
    second=numbers,
    columns=st.sampled_from(["body", "utc_ns", "digest", "utc_ns, link_ns, body, digest"]),
)
def test_two_swapped_records_are_found(fresh: Callable[[], Path], first: int, second: int, columns: str) -> None:
    path = fresh()
    names = columns.split(", ")
    values = {
        number: rows(segment_of(path, number), f"SELECT {columns} FROM record WHERE number = ?", number)[0]
        for number in (first, second)
    }
    for number, other in ((first, second), (second, first)):
        for name, value in zip(names, values[other], strict=True):
            spoil(segment_of(path, number), (f"UPDATE record SET {name} = ? WHERE number = ?", (value, number)))
    assert first_bad(path) == (None if first == second else min(first, second))


@given(number=signed_numbers)
def test_a_chain_computed_anew_without_the_key_is_found(fresh: Callable[[], Path], number: int) -> None:
    """Everyone can compute digests; the head shows that one of the records that it signs is not the one signed."""
    path = fresh()
    rechain(path, number, b'{"forged":true}')
    assert first_bad(path) == signed_before(number) + 1 <= number


def rechain(path: Path, number: int, body: bytes) -> None:
    """Change a record's body and compute every digest after it, in records, heads and openings."""
    previous = bytes(32)
    for segment in (1, 2, 3):
        file = path if segment == 3 else path.with_name(f"{path.name}.{segment}")
        spoil(file, ("UPDATE segment SET digest = ?", (previous,)))
        for row in rows(file, "SELECT number, utc_ns, link_ns, body FROM record ORDER BY number"):
            new = body if row[0] == number else row[3]
            previous = record_digest(previous, row[0], row[1], row[2], new)
            spoil(
                file,
                ("UPDATE record SET body = ?, digest = ? WHERE number = ?", (new, previous, row[0])),
                ("UPDATE head SET digest = ? WHERE number = ?", (previous, row[0])),
            )


@given(number=st.sampled_from(HEADS), field=st.sampled_from(sorted(HEAD_FIELDS)))
def test_any_changed_field_of_a_head_is_found(fresh: Callable[[], Path], number: int, field: str) -> None:
    path = fresh()
    spoil(segment_of(path, number), (f"UPDATE head SET {field} = ? WHERE number = ?", (HEAD_FIELDS[field], number)))
    assert first_bad(path) == signed_before(number) + 1


@given(number=st.sampled_from(HEADS[:-1]))
def test_a_removed_head_is_found_by_the_next_signature(fresh: Callable[[], Path], number: int) -> None:
    path = fresh()
    spoil(segment_of(path, number), ("DELETE FROM head WHERE number = ?", (number,)))
    expected = number + 1 if number in SEGMENT_ENDS else signed_before(number) + 1
    assert first_bad(path) == expected


def test_the_last_head_removed_leaves_less_signed(fresh: Callable[[], Path]) -> None:
    path = fresh()
    spoil(path, ("DELETE FROM head WHERE number = ?", (SIGNED,)))
    report = verify(path, key=PUBLIC)
    assert (report.ok, report.complete_to, report.signed_to) == (True, LAST, 28)


@given(number=st.integers(-2, LAST + 3).filter(lambda number: number not in HEADS), file=st.sampled_from([5, 15, 30]))
def test_an_inserted_head_is_found(fresh: Callable[[], Path], number: int, file: int) -> None:
    path = fresh()
    ((after, digest, signature),) = rows(path, "SELECT after, digest, signature FROM head WHERE number = 28")
    spoil(segment_of(path, file), ("INSERT INTO head VALUES (?, ?, ?, ?)", (number, after, digest, signature)))
    assert first_bad(path) is not None


@given(first=st.sampled_from(HEADS), second=st.sampled_from(HEADS))
def test_two_swapped_heads_are_found(fresh: Callable[[], Path], first: int, second: int) -> None:
    path = fresh()
    query = "SELECT after, digest, signature FROM head WHERE number = ?"
    values = {number: rows(segment_of(path, number), query, number)[0] for number in (first, second)}
    for number, other in ((first, second), (second, first)):
        spoil(
            segment_of(path, number),
            ("UPDATE head SET after = ?, digest = ?, signature = ? WHERE number = ?", (*values[other], number)),
        )
    assert first_bad(path) == (None if first == second else signed_before(min(first, second)) + 1)


@given(segment=st.sampled_from([1, 2, 3]), field=st.sampled_from(sorted(OPENING_FIELDS)))
def test_any_changed_field_of_an_opening_is_found(fresh: Callable[[], Path], segment: int, field: str) -> None:
    path = fresh()
    first = (1, 13, 25)[segment - 1]
    spoil(segment_of(path, first), (f"UPDATE segment SET {field} = ?", (OPENING_FIELDS[field],)))
    assert first_bad(path) == first


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE extra (x)",
        "CREATE VIEW other AS SELECT * FROM record",
        "CREATE INDEX i ON record (utc_ns)",
        "CREATE TRIGGER t AFTER INSERT ON record BEGIN DELETE FROM record; END",
        "ALTER TABLE record ADD COLUMN extra BLOB",
        "PRAGMA user_version = 2",
        "PRAGMA application_id = 0",
        "DELETE FROM segment",
        "INSERT INTO segment SELECT * FROM segment",
    ],
)
def test_altered_tables_are_found(fresh: Callable[[], Path], statement: str) -> None:
    path = fresh()
    spoil(segment_of(path, 13), (statement, ()))
    assert first_bad(path) == 13


# -- the session ----------------------------------------------------------------------------------------------------


def moved(procedure: str, target: str) -> bytes:
    change = b'{"type":"moved","procedure":"%s","target":"%s"}' % (procedure.encode(), target.encode())
    return b'{"table":1,"event":{},"decision":{"changes":[{"type":"booked"},%s]}}' % change


@pytest.mark.parametrize(
    ("bodies", "state"),
    [
        ([], None),
        ([moved("shoe", "cut")], None),
        ([moved("session", "ready"), moved("shoe", "cut")], "ready"),
        ([moved("session", "ready"), moved("session", "verified")], "verified"),
        ([moved("session", "ready"), b'{"event":"session"}', b'"session"', b'no json "session"'], "ready"),
    ],
)
def test_the_session_stands_where_its_last_move_led(bodies: list[bytes], state: str | None) -> None:
    assert last_session_state(bodies) == state


@pytest.mark.parametrize(
    ("target", "closed"),
    [
        ("closed", True),
        ("verified", True),
        ("not_opened", True),
        ("closed_with_difference", True),
        ("round", False),
        ("unloading", False),
    ],
)
def test_the_report_says_whether_the_last_session_is_closed(tmp_path: Path, target: str, closed: bool) -> None:
    with open_store(tmp_path) as store:
        store.append([Entry(1, 0, 0, moved("session", "ready")), Entry(2, 0, 0, moved("session", target))], sign=True)
        store.append([entry(3)], sign=False)
    report = verify(tmp_path / "journal")
    assert (report.session, report.session_closed) == (target, closed)
    assert f"{'closed' if closed else 'NOT closed'}: {target.replace('_', ' ')}" in "\n".join(report.lines())
