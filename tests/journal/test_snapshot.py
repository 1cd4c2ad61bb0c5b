"""The snapshot: a restart folds from it, and one that is wrong in any respect is never used."""

from __future__ import annotations

import errno
import importlib.util
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from firmware_bridge.core.fold import digest
from firmware_bridge.core.records import Entry
from firmware_bridge.core.state import State
from firmware_bridge.errors import JournalError
from firmware_bridge.journal import Restored, SqliteStore, export_lines, parts, verify
from firmware_bridge.service.snapshots import EVERY, Snapshots
from tests.journal.bench import PUBLIC, SEED, copy_of, open_store
from tests.journal.test_check_journal import agreed
from tests.table.evening import Evening

SOFTWARE = "sabot 1"


class Kept:
    """A journal of an evening's first records, with a snapshot before its last ones."""

    def __init__(self, folder: Path) -> None:
        evening = Evening(decks=4)
        evening.open_and_load()
        records = evening.table.store.records()
        self.entries = [Entry(one.number, one.utc_ns, one.link_ns, one.body) for one in records]
        self.at = len(self.entries) - 5
        self.digest = digest(evening.state)
        self.folder = folder
        with open_store(folder) as store:
            store.append(self.entries[: self.at], sign=True)
            store.keep_snapshot(store.restored(SOFTWARE).state, SOFTWARE)
            store.append(self.entries[self.at :], sign=False)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    return Kept(tmp_path_factory.mktemp("kept"))


@pytest.fixture
def journal(kept: Kept, tmp_path: Path) -> Iterator[SqliteStore]:
    copy_of(kept.folder / "journal", tmp_path / "copy")
    with open_store(tmp_path / "copy") as store:
        yield store


def restored(store: SqliteStore) -> Restored:
    return store.restored(SOFTWARE)


def snapshot(store: SqliteStore) -> Path:
    return Path(store._path).with_name("journal.snapshot")


def test_a_restart_folds_from_the_snapshot_to_the_same_state(kept: Kept, journal: SqliteStore) -> None:
    found = restored(journal)
    assert (found.after, found.why) == (kept.at, "")
    assert digest(found.state) == kept.digest


def test_without_one_everything_is_folded(kept: Kept, journal: SqliteStore) -> None:
    snapshot(journal).unlink()
    found = restored(journal)
    assert (found.after, found.why) == (0, "")
    assert digest(found.state) == kept.digest


def changed(name: str, change: Callable[[Any], Any]) -> Callable[[bytes], bytes]:
    def spoil(content: bytes) -> bytes:
        fields = json.loads(content)
        fields[name] = change(fields[name])
        return json.dumps(fields).encode()

    return spoil


def other_digits(text: str) -> str:
    return ("0" if text[0] != "0" else "1") + text[1:]


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda content: content[: len(content) // 2], "truncated"),
        (lambda _content: b"", "truncated"),
        (lambda _content: os.urandom(64), ""),
        (
            changed("state", lambda state: state | {"opened": not state["opened"]}),
            "not the one that was",
        ),
        (changed("state", lambda state: state | {"incidents": {}, "decks": 6}), "not the one that was signed"),
        (changed("state_digest", other_digits), "signature"),
        (changed("record", other_digits), "signature"),
        (changed("number", lambda number: number - 1), "signature"),
        (changed("number", lambda _number: 0), "not of their kind"),
        (changed("program", other_digits), "signature"),
        (changed("signature", other_digits), "signature"),
        (changed("signature", lambda _text: "nonsense"), "non-hexadecimal"),
    ],
)
def test_a_wrong_one_is_not_used(kept: Kept, journal: SqliteStore, spoil: Callable[[bytes], bytes], why: str) -> None:
    path = snapshot(journal)
    path.write_bytes(spoil(path.read_bytes()))
    found = restored(journal)
    assert found.after == 0
    assert why in found.why
    assert digest(found.state) == kept.digest


def test_one_of_another_version_is_not_used(kept: Kept, journal: SqliteStore) -> None:
    found = journal.restored("sabot 2")
    assert (found.after, found.why) == (0, "another version of the program made it")
    assert digest(found.state) == kept.digest


def test_one_of_a_program_whose_states_have_other_fields_is_not_used(
    kept: Kept, journal: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where both call themselves the same version: of a new field the snapshot would tell the default."""
    grown = msgspec.defstruct("State", [("cards_of_gold", int, 0)], bases=(State,))
    program = importlib.util.find_spec("firmware_bridge.journal.snapshot")
    assert program is not None
    assert program.loader is not None
    other = importlib.util.module_from_spec(program)
    with monkeypatch.context() as patched:
        patched.setattr("firmware_bridge.core.state.State", grown)
        program.loader.exec_module(other)
    found = other.restore(snapshot(journal).with_name("journal"), PUBLIC, SOFTWARE)
    assert (found.after, found.why) == (0, "another version of the program made it")
    assert (type(found.state), found.state.record) == (grown, len(kept.entries))


def test_one_of_another_journal_with_the_same_key_is_not_used(kept: Kept, tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        store.append([Entry(one.number, one.utc_ns + 1, one.link_ns, one.body) for one in kept.entries], sign=True)
        snapshot(store).write_bytes((kept.folder / "journal.snapshot").read_bytes())
        found = restored(store)
    assert (found.after, found.why) == (
        0,
        f"record {kept.at} of the journal is not the one that it was made at",
    )


def test_one_of_records_that_the_journal_has_not_is_not_used(kept: Kept, tmp_path: Path) -> None:
    """The journal was restored from an older copy, and the snapshot was not."""
    with open_store(tmp_path) as store:
        store.append(kept.entries[:50], sign=True)
        snapshot(store).write_bytes((kept.folder / "journal.snapshot").read_bytes())
        found = restored(store)
        assert (found.after, found.state.record) == (0, 50)
        assert f"no record {kept.at}" in found.why


def test_verification_and_export_know_nothing_of_it(journal: SqliteStore) -> None:
    path = snapshot(journal).with_name("journal")
    journal.close()
    before = verify(path, key=PUBLIC), b"".join(export_lines(parts(path)))
    assert agreed(path, key=PUBLIC) is None
    snapshot(journal).write_bytes(b"nonsense")
    assert (verify(path, key=PUBLIC), b"".join(export_lines(parts(path)))) == before
    assert agreed(path, key=PUBLIC) is None


def test_it_holds_no_key(kept: Kept) -> None:
    content = (kept.folder / "journal.snapshot").read_bytes()
    assert SEED not in content
    assert SEED.hex().encode() not in content


def test_one_that_cannot_be_written_leaves_the_last(
    kept: Kept, journal: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot(journal).read_bytes()

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    state = restored(journal).state
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(JournalError, match=r"writing its snapshot.*disk is full"):
            journal.keep_snapshot(state, SOFTWARE)
    assert snapshot(journal).read_bytes() == before
    journal.append([Entry(len(kept.entries) + 1, 0, 0, kept.entries[-1].body)], sign=False)


def test_a_state_that_is_not_the_journals_last_is_not_kept(journal: SqliteStore) -> None:
    before = snapshot(journal).read_bytes()
    journal.keep_snapshot(State(record=3), SOFTWARE)
    assert snapshot(journal).read_bytes() == before


# ---- when one is kept


class Notes:
    """A store that notes at which record it was given a snapshot to keep; the disk is ``full``, if so."""

    def __init__(self, full: bool = False) -> None:
        self.kept: list[int] = []
        self._full = full

    def keep_snapshot(self, state: State, software: str) -> None:
        assert software
        if self._full:
            raise JournalError("the disk is full")
        self.kept.append(state.record)

    def restored(self, software: str) -> Restored:
        assert software
        return Restored(State(record=7), 0, "it was spoiled")


def test_a_snapshot_is_kept_every_so_many_records_and_at_an_orderly_end() -> None:
    store = Notes()
    snapshots = Snapshots(store)
    for record in (1, EVERY - 1, EVERY, EVERY + 1, 2 * EVERY + 3, 2 * EVERY + 4):
        snapshots.turned(State(record=record))
    assert store.kept == [EVERY, 2 * EVERY + 3]
    snapshots.keep()
    snapshots.keep()
    assert store.kept == [EVERY, 2 * EVERY + 3, 2 * EVERY + 4]


def test_a_snapshot_is_kept_at_a_sessions_end() -> None:
    store = Notes()
    snapshots = Snapshots(store)
    for record, session in enumerate(("closed", "awaiting_pack", "ready", "closed", "closed"), 1):
        snapshots.turned(State(record=record, positions={"session": session}))
    assert store.kept == [4]


def test_one_that_cannot_be_kept_or_used_is_a_warning_and_stops_nothing() -> None:
    with capture_logs() as lines:
        snapshots = Snapshots(Notes(full=True))
        assert snapshots.restored().record == 7
        snapshots.turned(State(record=EVERY + 7))
    assert [(line["event"], line["reason"], line["log_level"]) for line in lines] == [
        ("snapshot_not_used", "it was spoiled", "warning"),
        ("snapshot_not_kept", "the disk is full", "warning"),
    ]
