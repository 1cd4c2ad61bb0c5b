"""The inspectors' checker: standard library alone, the controller's code untouched, the same findings."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from firmware_bridge.core.records import Entry
from firmware_bridge.journal import check_journal, verify
from firmware_bridge.journal.database import TABLES
from tests.journal.bench import PUBLIC, copy_of, entries, make_journal, open_store, spoil

CHECKER = Path(check_journal.__file__)

SPOILT = {
    "sound": (),
    "record changed": (("journal.2", "UPDATE record SET body = x'7b7d' WHERE number = 17"),),
    "record removed": (("journal", "DELETE FROM record WHERE number = 30"),),
    "signed end removed": (("journal", "DELETE FROM record WHERE number > 31"),),
    "end cut": (("journal", "DELETE FROM record WHERE number > 32"),),
    "record of elsewhere": (("journal.2", "INSERT INTO record VALUES (5, 0, 0, x'', zeroblob(32))"),),
    "record before all": (("journal", "INSERT INTO record VALUES (-7, 0, 0, x'', zeroblob(32))"),),
    "head changed": (("journal.1", "UPDATE head SET signature = zeroblob(64) WHERE number = 8"),),
    "head moved": (("journal.1", "UPDATE head SET number = 7 WHERE number = 8"),),
    "head removed": (("journal.1", "DELETE FROM head WHERE number = 8"),),
    "last head of a segment removed": (("journal.1", "DELETE FROM head WHERE number = 12"),),
    "opening changed": (("journal.2", "UPDATE segment SET table_name = 'Mesa 8'"),),
    "gap claimed": (("journal.2", "UPDATE segment SET gap = 1"),),
    "table added": (("journal.2", "CREATE TABLE extra (x)"),),
}


def test_the_written_format_names_the_tables_as_they_are() -> None:
    page = CHECKER.with_name("README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```sql\n(.*?)^```", page, re.M | re.S)
    assert sorted(block.splitlines()) == sorted(TABLES.values()) == sorted(row[3] for row in check_journal.MASTER)


def run(path: Path, *options: str) -> tuple[int, int | None, int, int]:
    """Exit code, first bad record, complete to, signed to; as the checker prints them, alone in its interpreter."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(CHECKER), str(path), *options], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    bad = re.search(r"^BAD: record (-?\d+):", done.stdout, re.M)
    complete = re.search(r"^complete to record (\d+), head", done.stdout, re.M)
    signed = re.search(r"^signed to record (\d+)$", done.stdout, re.M)
    assert complete
    assert signed
    return done.returncode, int(bad[1]) if bad else None, int(complete[1]), int(signed[1])


def agreed(path: Path, *, key: bytes | None = None, head: str | None = None) -> int | None:
    """The first bad record, on which checker and ``verify`` agree."""
    options = (["--key", key.hex()] if key else []) + (["--head", head] if head else [])
    code, bad, complete, signed = run(path, *options)
    report = verify(path, key=key, head=head)
    assert (bad, complete, signed) == (report.bad_record, report.complete_to, report.signed_to), report.lines()
    assert code == (0 if report.ok else 1)
    return bad


@pytest.mark.parametrize("name", SPOILT)
def test_it_agrees_with_verify(tmp_path: Path, name: str) -> None:
    path = make_journal(tmp_path)
    head = verify(path).head
    for file, statement in SPOILT[name]:
        spoil(tmp_path / file, (statement, ()))
    bad = agreed(path, key=PUBLIC)
    assert (bad is None) == (name in {"sound", "end cut"})
    assert (agreed(path, head=head) is None) == (name == "sound")


def test_it_agrees_on_files_that_are_missing_or_none(tmp_path: Path) -> None:
    path = make_journal(tmp_path)
    first, newest = copy_of(path, tmp_path / "a"), copy_of(path, tmp_path / "b")
    garbage, nothing = copy_of(path, tmp_path / "c"), tmp_path / "d" / "journal"
    first.with_name("journal.1").unlink()
    newest.unlink()
    garbage.with_name("journal.2").write_bytes(b"garbage")
    assert [agreed(case) for case in (first, newest, garbage, nothing)] == [1, 25, 13, 1]


def test_it_reads_what_a_killed_controller_left_in_the_log(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        store.append(entries(1, 9), sign=True)
        path = copy_of(tmp_path / "journal", tmp_path / "evidence")
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    assert run(path) == (0, None, 9, 9)
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before


def test_it_agrees_on_records_given_up_with_a_failed_flush(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        store.append(entries(1, 5), sign=True)
        kept = store._tip
        store.append(entries(6, 8), sign=True)
        store._tip, store._gap = kept, True  # as if that append had failed
        store.begin_segment()
        store.append([Entry(6, 0, 0, b'"gap"')], sign=True)
    assert agreed(tmp_path / "journal", key=PUBLIC) is None


def test_another_key_is_found(tmp_path: Path) -> None:
    assert agreed(make_journal(tmp_path), key=bytes([1]) + bytes(31)) == 1


@pytest.mark.parametrize("option", [("--key", "abc"), ("--head", "12"), ("--key", "00" * 31)])
def test_what_is_no_key_or_head_is_refused(tmp_path: Path, option: tuple[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(CHECKER), str(make_journal(tmp_path)), *option],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "invalid" in done.stderr


# RFC 8032, 7.1: tests 1, 2 and 3.
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]


@pytest.mark.parametrize(("public", "message", "signature"), VECTORS)
def test_its_signature_check_holds_for_the_published_vectors(public: str, message: str, signature: str) -> None:
    key, text, sign = bytes.fromhex(public), bytes.fromhex(message), bytes.fromhex(signature)
    assert check_journal.signature_holds(key, sign, text)
    assert not check_journal.signature_holds(key, sign, text + b"x")
    for place in (0, 31, 32, 63):
        wrong = bytearray(sign)
        wrong[place] ^= 1
        assert not check_journal.signature_holds(key, bytes(wrong), text)
    too_large = int.from_bytes(sign[32:], "little") + check_journal.ORDER
    assert not check_journal.signature_holds(key, sign[:32] + too_large.to_bytes(32, "little"), text)
    assert not check_journal.signature_holds(key, sign[:63], text)
    assert not check_journal.signature_holds(b"\xff" * 32, sign, text)
