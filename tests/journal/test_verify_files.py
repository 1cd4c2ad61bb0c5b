"""Verification of whole files, of the end, and of who vouches for a journal."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.core.records import Entry
from firmware_bridge.errors import JournalError
from firmware_bridge.journal import export_lines, parts, verify
from firmware_bridge.journal.chain import record_digest
from tests.journal.bench import (
    LAST,
    PUBLIC,
    SEGMENT_ENDS,
    SIGNED,
    entries,
    entry,
    first_bad,
    head_of,
    open_store,
    rows,
    segment_of,
    spoil,
)

# -- whole files ----------------------------------------------------------------------------------------------------


def away(path: Path, segment: int) -> Path:
    return path.with_name(f"{path.name}.{segment}")


@pytest.mark.parametrize(("segment", "bad"), [(1, 1), (2, 13)])
def test_a_removed_segment_is_found(fresh: Callable[[], Path], segment: int, bad: int) -> None:
    path = fresh()
    away(path, segment).unlink()
    assert first_bad(path) == bad


def test_a_removed_newest_file_is_found(fresh: Callable[[], Path]) -> None:
    path = fresh()
    path.unlink()
    assert first_bad(path) == 25


def test_two_swapped_segments_are_found(fresh: Callable[[], Path]) -> None:
    path = fresh()
    one, two, aside = away(path, 1), away(path, 2), away(path, 0)
    one.rename(aside), two.rename(one), aside.rename(two)
    assert first_bad(path) == 1


@pytest.mark.parametrize("source", ["journal.1", "journal.2", "journal"])
def test_an_inserted_segment_is_found(fresh: Callable[[], Path], source: str) -> None:
    path = fresh()
    shutil.copy(path.with_name(source), away(path, 3))
    assert first_bad(path) in {25, 34}


def test_a_segment_of_another_journal_with_the_same_key_is_found(fresh: Callable[[], Path], tmp_path: Path) -> None:
    path = fresh()
    with open_store(tmp_path) as store:
        store.append([Entry(1, 0, 0, b"{}"), *entries(2, 12)], sign=True)
        store.begin_segment()
        store.append(entries(13, 24), sign=True)
        store.begin_segment()
    shutil.copy(tmp_path / "journal.2", away(path, 2))
    assert first_bad(path) == 13


@pytest.mark.parametrize("file", ["journal.1", "journal.2", "journal"])
@pytest.mark.parametrize("content", [b"", b"no journal at all", bytes(4096)])
def test_an_unreadable_file_is_said(fresh: Callable[[], Path], file: str, content: bytes) -> None:
    path = fresh()
    path.with_name(file).write_bytes(content)
    report = verify(path, key=PUBLIC)
    assert report.bad_record == {"journal.1": 1, "journal.2": 13, "journal": 25}[file]
    assert "cannot be read" in str(report.problem)


def test_a_missing_journal_is_said(tmp_path: Path) -> None:
    report = verify(tmp_path / "journal")
    assert "no such file" in str(report.problem)


@given(data=st.data(), file=st.sampled_from(["journal.1", "journal.2", "journal"]))
def test_a_flipped_bit_is_found_or_touches_nothing_written(
    fresh: Callable[[], Path], sound: Path, data: st.DataObject, file: str
) -> None:
    """Some bits of a SQLite file mean nothing (free space, counters); every other one is found."""
    path = fresh()
    target = path.with_name(file)
    content = bytearray(target.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    target.write_bytes(content)
    if verify(path, key=PUBLIC).ok:
        assert list(export_lines(parts(path))) == list(export_lines(parts(sound)))


# -- the end, and who vouches ---------------------------------------------------------------------------------------


@given(keep=st.integers(24, LAST - 1))
def test_a_cut_end_shows_only_against_a_head_that_left_the_machine(
    fresh: Callable[[], Path], sound: Path, keep: int
) -> None:
    path = fresh()
    spoil(path, ("DELETE FROM record WHERE number > ?", (keep,)), ("DELETE FROM head WHERE number > ?", (keep,)))
    report = verify(path, key=PUBLIC)
    assert (report.ok, report.complete_to) == (True, keep)
    report = verify(path, key=PUBLIC, head=head_of(sound))
    assert report.bad_record == keep + 1
    assert f"records {keep + 1} to {LAST} were cut from the end" in str(report.problem)


@pytest.mark.parametrize("segment", [1, 2])
def test_whole_segments_cut_from_the_end_show_against_a_head(
    fresh: Callable[[], Path], sound: Path, segment: int
) -> None:
    path = fresh()
    path.unlink()
    for later in range(segment + 1, 3):
        away(path, later).unlink()
    away(path, segment).rename(path)
    assert first_bad(path) is None
    assert verify(path, head=head_of(sound)).bad_record == SEGMENT_ENDS[segment - 1] + 1


def test_a_head_of_any_record_of_the_journal_holds(sound: Path) -> None:
    digests = [row for file in (1, 13, 25) for row in all_digests(sound, file)]
    assert len(digests) == LAST
    for number, digest in digests:
        assert verify(sound, head=f"{number}:{digest.hex()}").ok


def all_digests(path: Path, number: int) -> list[tuple[Any, ...]]:
    return rows(segment_of(path, number), "SELECT number, digest FROM record")


def forged_with_another_key(directory: Path) -> Path:
    """A journal that someone made anew with a key of his own."""
    directory.mkdir()
    key = directory / "journal.key"
    key.write_text(sha256(b"forger").hexdigest())
    key.chmod(0o600)
    with open_store(directory, anew=True) as store:
        store.append([Entry(1, 0, 0, b"{}"), *entries(2, LAST)], sign=True)
    return directory / "journal"


def test_a_journal_made_anew_with_another_key_shows_against_the_key_or_a_head(sound: Path, tmp_path: Path) -> None:
    path = forged_with_another_key(tmp_path / "forged")
    alone = verify(path)
    assert alone.ok
    assert not alone.key_given
    assert verify(path, key=PUBLIC).bad_record == 1
    assert verify(path, head=head_of(sound)).bad_record == 1


def test_after_the_last_head_the_chain_alone_speaks(fresh: Callable[[], Path], sound: Path) -> None:
    """A record put at the end with a right digest is not found without a head, and the report says what it rests on."""
    path = fresh()
    ((digest,),) = rows(path, "SELECT digest FROM record WHERE number = ?", LAST)
    forged = entry(LAST + 1)
    right = record_digest(digest, forged.number, forged.utc_ns, forged.link_ns, forged.body)
    spoil(
        path,
        (
            "INSERT INTO record VALUES (?, ?, ?, ?, ?)",
            (forged.number, forged.utc_ns, forged.link_ns, forged.body, right),
        ),
    )
    report = verify(path, key=PUBLIC, head=head_of(sound))
    assert (report.ok, report.complete_to, report.signed_to) == (True, LAST + 1, SIGNED)
    assert any("the chain alone speaks for the 2 after" in line for line in report.lines())


@pytest.mark.parametrize("wrong", [b"", bytes(31), bytes(33)])
def test_what_is_no_key_is_refused(sound: Path, wrong: bytes) -> None:
    with pytest.raises(JournalError, match="32 bytes"):
        verify(sound, key=wrong)
