"""Whether a screen shows the table: what it tells in the status folder, and what the controller takes for one."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from firmware_bridge.core.controller import Now
from firmware_bridge.core.records import Entry
from firmware_bridge.core.state import State
from firmware_bridge.journal import MemoryStore
from firmware_bridge.readers.presence import NAME, Presence, read_shown
from firmware_bridge.service.config import Table, load_config
from firmware_bridge.service.screens import LOOKS, ScreenWatch
from tests.service import live

SECOND = 10**9
UTC = 1_767_225_600 * SECOND


class Bench:
    """A controller's watch for screens, and a screen; a look each second."""

    def __init__(self, folder: Path, required: bool = True) -> None:
        live.enrol(folder)
        table = structs.replace(load_config(live.write_config(folder)).table, screen_required=required)
        self.folder = Path(table.status)
        self.folder.mkdir()
        self.table = table
        self.store = MemoryStore(table=table.name, seed=bytes(32))
        self.presence = Presence(self.folder)
        self.seconds = 0.0
        self.record(5)
        self.watch = ScreenWatch(table, self.store, self.now)

    def now(self) -> Now:
        ns = int(self.seconds * SECOND)
        return Now(ns, ns, UTC + ns)

    def record(self, count: int) -> None:
        first = self.store.last_number + 1
        self.store.append([Entry(first + one, UTC, 0, b"{}") for one in range(count)], sign=False)

    def show(self, *, late: float = 0.0, record: int | None = None, table: str | None = None) -> None:
        state = State(table=table or self.table.name, record=self.store.last_number if record is None else record)
        self.presence.tell(state, UTC + int((self.seconds - late) * SECOND))

    def look(self) -> list[bool]:
        self.seconds += 1
        return [seen.shown for seen in self.watch.look()]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def settled(bench: Bench) -> Bench:
    for _ in range(LOOKS):
        bench.show()
        assert bench.look() == [True]
    return bench


def test_a_screen_is_seen_each_second(bench: Bench) -> None:
    settled(bench)
    assert bench.watch.look() == [], "the last look was this very second"


def test_a_screen_that_stops_is_missed_after_three_seconds(bench: Bench) -> None:
    settled(bench)
    assert [bench.look() for _ in range(4)] == [[True], [True], [False], [False]]
    bench.show()
    assert bench.look() == [True]


@pytest.mark.parametrize(
    "told",
    [
        pytest.param({"late": -60.0}, id="of the future"),
        pytest.param({"table": "BJ-08"}, id="of another table"),
        pytest.param({"record": 4}, id="standing still"),
    ],
)
def test_a_screen_that_shows_something_else_is_none(bench: Bench, told: dict[str, float]) -> None:
    settled(bench)
    bench.seconds += 5
    bench.show(**told)  # type: ignore[arg-type]
    assert bench.look() == [False]


def test_a_screen_has_three_seconds_to_follow_the_journal(bench: Bench) -> None:
    settled(bench)
    bench.record(100)
    seen = []
    for _ in range(LOOKS):
        bench.show(record=5)
        seen += bench.look()
    assert seen == [True, True, True, False]


def test_after_a_start_a_screen_has_the_time_of_a_few_looks_to_appear(bench: Bench) -> None:
    assert [bench.look() for _ in range(LOOKS)] == [[], [], [], [False]]


def test_where_no_screen_is_needed_one_counts_as_shown(tmp_path: Path) -> None:
    """A table that needed one before its configuration was changed must not stay blind."""
    assert Bench(tmp_path, required=False).look() == [True]


@pytest.mark.parametrize("text", [b"", b"{", b'{"table": 1}', b"[" * 5000, b'{"table": "' + b"x" * 5000 + b'"}'])
def test_what_is_no_screens_word_is_none(bench: Bench, text: bytes) -> None:
    settled(bench)
    (bench.folder / NAME).write_bytes(text)
    assert bench.look() == [False]


def test_a_pipe_in_its_place_stalls_nobody(bench: Bench) -> None:
    settled(bench)
    (bench.folder / NAME).unlink()
    os.mkfifo(bench.folder / NAME)
    assert bench.look() == [False]


# ---- what a screen tells


@pytest.mark.parametrize("place", [".", "status.json"], ids=["the folder", "a file in it"])
def test_it_tells_table_record_and_time_once_a_second(tmp_path: Path, place: str) -> None:
    presence, state = Presence(tmp_path / place), State(table="BJ-07", record=3)
    presence.tell(state, UTC)
    state.record = 4
    presence.tell(state, UTC + SECOND - 1)
    shown = read_shown(tmp_path)
    assert shown is not None
    assert msgspec.to_builtins(shown) == {"table": "BJ-07", "record": 3, "utc_ns": UTC}
    presence.tell(state, UTC + SECOND)
    assert (shown := read_shown(tmp_path)) is not None
    assert shown.record == 4
    assert os.listdir(tmp_path) == [NAME]


def test_a_clock_set_back_silences_no_screen(tmp_path: Path) -> None:
    presence = Presence(tmp_path)
    for utc_ns in (UTC, UTC - 3600 * SECOND):
        presence.tell(State(), utc_ns)
        assert (shown := read_shown(tmp_path)) is not None
        assert shown.utc_ns == utc_ns


def test_a_screen_that_may_not_write_goes_on(tmp_path: Path) -> None:
    Presence(tmp_path / "none" / "here").tell(State(), UTC)
    assert read_shown(tmp_path) is None


def test_no_screen_is_needed_unless_the_configuration_says_so() -> None:
    (field,) = [field for field in structs.fields(Table) if field.name == "screen_required"]
    assert field.default is False


@pytest.mark.field("BR-039")
@pytest.mark.parametrize("hours", [-1, 1])
def test_a_wall_clock_that_is_set_misses_no_screen_before_it_tells_again(bench: Bench, hours: int) -> None:
    settled(bench)
    now, jump = bench.watch._clock, hours * 3600 * SECOND
    bench.watch._clock = lambda: structs.replace(now(), utc_ns=now().utc_ns + jump)
    assert [bench.look(), bench.look()] == [[True], [True]], "what it told before the clock was set still counts"
    assert [bench.look() for _ in range(2)][-1] == [False], "for three seconds"
