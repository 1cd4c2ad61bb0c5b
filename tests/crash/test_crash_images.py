"""A power cut at any moment: whatever the disk then holds opens, is sound, and has every record that was acknowledged.

An evening with a jam is played once; its records are written again by the journal's own code on a recorded disk, turn
by turn, and legal images of that disk are rebuilt at moments while the table was loaded, during the jam and its count,
and while it was unloaded.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest
from msgspec import Struct
from msgspec.structs import replace

from drivers.protocol.messages import DealerKey, JamPlace
from firmware_bridge.core.records import Entry
from firmware_bridge.core.words import IncidentKind, Session
from firmware_bridge.errors import JournalError
from firmware_bridge.journal import MemoryStore, SqliteStore, read_records, verify
from firmware_bridge.journal.keys import keep_key, load_key
from firmware_bridge.rulebooks import Shelf
from firmware_bridge.service.replay import replay
from tests.crash.disk import Acknowledged, Named, Platter, Recorder, Step
from tests.table.evening import Evening
from tests.table.test_jam import clear, jam, settle

PHASES = ("loading", "jam", "unloading")
IMAGES_EACH = 57
"""Images for each phase and seed: 513 in all."""

REPLAYED_EVERY = 17
"""Of so many images one is decided again from its first record."""

Turn = tuple[tuple[Entry, ...], bool] | None
"""Entries that were flushed together and whether they were signed; None: a segment was begun."""


class Played(Struct):
    """An evening's turns, which record ends each phase, and the disk that it was written to."""

    turns: list[Turn]
    ends: dict[str, int]
    steps: list[Step]
    folder: Path

    @property
    def entries(self) -> list[Entry]:
        """All entries, in order."""
        return [entry for turn in self.turns if turn is not None for entry in turn[0]]


def play(monkeypatch: pytest.MonkeyPatch) -> tuple[list[Turn], dict[str, int]]:
    """Play loading (the session begins a second segment), a round with a jam, and the unloading."""
    turns: list[Turn] = []
    append, begin = MemoryStore.append, MemoryStore.begin_segment

    def seen_append(self: MemoryStore, entries: Sequence[Entry], *, sign: bool) -> None:
        append(self, entries, sign=sign)
        turns.append((tuple(entries), sign))

    def seen_begin(self: MemoryStore) -> None:
        turns.append(None)
        begin(self)

    with monkeypatch.context() as seen:
        seen.setattr(MemoryStore, "append", seen_append)
        seen.setattr(MemoryStore, "begin_segment", seen_begin)
        evening = Evening(decks=4)
        evening.open_and_load()
        ends = {"loading": evening.state.record}
        evening.deal(4)
        jam(evening, JamPlace.CAROUSEL)
        clear(evening)
        settle(evening)
        evening.table.run(1)
        if evening.session is Session.IN_ROUND:
            assert evening.key(DealerKey.ROUND_OVER) is None
            evening.put_back()
        ends["jam"] = evening.state.record
        evening.close()
        ends["unloading"] = evening.state.record
    assert IncidentKind.JAM not in evening.kinds()
    return turns, ends


def write(
    folder: Path, turns: Sequence[Turn], monkeypatch: pytest.MonkeyPatch, synchronous: str = "FULL"
) -> list[Step]:
    """Write the turns by the journal's own code, on a disk that remembers each step."""
    recorder = Recorder()
    number = 0
    load_key(folder / "journal.key", journal_exists=False, entropy=os.urandom)  # no file of the journal's own
    keep_key(folder / "journal.key")

    def connect(path: Path) -> object:
        connection = recorder.connect(path)
        return _Careless(connection, synchronous) if synchronous != "FULL" else connection

    with monkeypatch.context() as seen:
        recorder.watch(seen)
        store = SqliteStore.open(
            folder / "journal",
            table="BJ 7",
            key_path=folder / "journal.key",
            connect=connect,  # type: ignore[arg-type]
            anew=True,
        )
        with store:
            for turn in turns:
                if turn is None:
                    store.begin_segment()
                else:
                    store.append(turn[0], sign=turn[1])
                    number = max(number, store.last_number)
                recorder.steps.append(Acknowledged(number))
    recorder.close()
    return recorder.steps


class _Careless:
    """A connection on which nobody waits for the disk, as careless settings have it."""

    def __init__(self, connection: object, synchronous: str) -> None:
        self._connection = connection
        self._synchronous = synchronous

    def execute(self, statement: str, *values: object) -> object:
        if "synchronous" in statement:
            statement = f"PRAGMA synchronous = {self._synchronous}"
        return self._connection.execute(statement, *values)  # type: ignore[attr-defined]

    def __getattr__(self, name: str) -> object:
        return getattr(self._connection, name)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        turns, ends = play(monkeypatch)
        folder = tmp_path_factory.mktemp("written")
        yield Played(turns, ends, write(folder, turns, monkeypatch), folder)


def moments(steps: Sequence[Step], first: int, end: int) -> list[int]:
    """The places in the steps at which something is under way, and records from ``first`` to ``end`` acknowledged."""
    platter, found = Platter(), []
    for place, step in enumerate(steps):
        platter.take(step)
        if first <= platter.acknowledged < end and platter.under_way:
            found.append(place)
    return found


def disks(steps: Sequence[Step], places: Sequence[int]) -> Iterator[Platter]:
    """The disk after each of these steps."""
    platter, chosen = Platter(), set(places)
    for place, step in enumerate(steps):
        platter.take(step)
        if place in chosen:
            yield platter


def check(platter: Platter, rng: Random, played: Played, folder: Path) -> list[tuple[int, int, bytes]]:
    """Rebuild an image, open it, and compare it with what was written; return its records."""
    folder.mkdir()
    platter.image(rng, folder)
    if not (folder / "journal").exists():
        assert platter.acknowledged == 0, "a journal that told of records is gone"
        return []
    records = held(folder, played)
    assert len(records) >= platter.acknowledged
    written = [(entry.number, entry.utc_ns, entry.body) for entry in played.entries[: len(records)]]
    assert records == written, "nothing else than what was written, in its order"
    shutil.rmtree(folder)
    return records


def held(folder: Path, played: Played) -> list[tuple[int, int, bytes]]:
    """Open an image as the next start does; return its records, which the journal's own verification finds sound."""
    shutil.copy(played.folder / "journal.key", folder)
    with SqliteStore.open(folder / "journal", table="BJ 7", key_path=folder / "journal.key", anew=True) as store:
        report = verify(folder / "journal", key=store.public_key)
        assert report.ok, report.problem
        assert report.complete_to == store.last_number
        records = [(one.number, one.utc_ns, one.body) for one in read_records(folder / "journal")]
        entry = replace(played.entries[-1], number=store.last_number + 1)
        store.append([entry], sign=True)  # it goes on where it stopped
    assert verify(folder / "journal").complete_to == entry.number
    return records


@pytest.mark.field("BR-036")
@pytest.mark.clause("SB-11")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("phase", PHASES)
def test_after_a_power_cut_every_acknowledged_record_is_there(
    played: Played, phase: str, seed: int, tmp_path: Path
) -> None:
    first = dict(zip(PHASES, (0, played.ends["loading"], played.ends["jam"]), strict=True))[phase]
    rng = Random(f"{phase} {seed}")
    places = rng.sample(moments(played.steps, first, played.ends[phase]), IMAGES_EACH)
    for made, platter in enumerate(disks(played.steps, places)):
        records = check(platter, rng, played, tmp_path / str(made))
        if records and made % REPLAYED_EVERY == 0:
            assert replay(records, Shelf()).difference is None
    assert made + 1 == IMAGES_EACH


@pytest.mark.field("BR-036")
def test_a_power_cut_at_any_step_of_a_new_segment_or_of_the_end_loses_nothing(played: Played, tmp_path: Path) -> None:
    (closed,) = (
        place for place, step in enumerate(played.steps) if isinstance(step, Named) and step.name == "journal.1"
    )
    told = [place for place, step in enumerate(played.steps) if isinstance(step, Acknowledged)]
    began = max(place for place in told if place < closed)
    done = min(place for place in told if place > closed)
    places = [*range(began, done + 1), *range(told[-1], len(played.steps))]
    rng = Random(36)
    for made, platter in enumerate(disks(played.steps, places)):
        check(platter, rng, played, tmp_path / str(made))


@pytest.mark.field("BR-036", "BR-038")
@pytest.mark.clause("SB-11")
def test_a_power_cut_while_a_failed_flush_is_given_up_loses_nothing(played: Played, tmp_path: Path) -> None:
    """A sync fails; a segment goes on from the last certain record. The power fails at each step of that."""
    folder, recorder, kept = tmp_path / "failing", Recorder(), 150
    folder.mkdir()
    shutil.copy(played.folder / "journal.key", folder)
    with pytest.MonkeyPatch.context() as monkeypatch:
        recorder.watch(monkeypatch)
        with SqliteStore.open(
            folder / "journal", table="BJ 7", key_path=folder / "journal.key", connect=recorder.connect, anew=True
        ) as store:
            store.append(played.entries[:kept], sign=True)
            recorder.steps.append(Acknowledged(kept))
            recorder.failing = True
            with pytest.raises(JournalError, match="The disk failed"):
                store.append(played.entries[kept : kept + 3], sign=True)
            recorder.failing = False
            store.begin_segment()
            store.append(played.entries[kept : kept + 2], sign=True)
            recorder.steps.append(Acknowledged(kept + 2))
    recorder.close()
    report = verify(folder / "journal")
    assert (report.ok, report.complete_to, report.segments) == (True, kept + 2, 2)
    (began,) = (place for place, step in enumerate(recorder.steps) if step == Acknowledged(kept))
    rng = Random(38)
    for made, platter in enumerate(disks(recorder.steps, range(began, len(recorder.steps)))):
        for again in range(4):
            check(platter, rng, played, tmp_path / f"{made} {again}")


@pytest.mark.field("BR-036")
def test_the_images_would_show_a_journal_that_does_not_wait_for_the_disk(played: Played, tmp_path: Path) -> None:
    (tmp_path / "careless").mkdir()
    with pytest.MonkeyPatch.context() as monkeypatch:
        steps = write(tmp_path / "careless", played.turns, monkeypatch, synchronous="NORMAL")
    careless = Played(played.turns, played.ends, steps, tmp_path / "careless")
    rng, lost = Random(0), 0
    for made, platter in enumerate(disks(steps, moments(steps, 1, played.ends["jam"])[::40])):
        folder = tmp_path / str(made)
        folder.mkdir()
        platter.image(rng, folder)
        lost += not (folder / "journal").exists() or len(held(folder, careless)) < platter.acknowledged
    assert lost > 0
