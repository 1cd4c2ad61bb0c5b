"""A journal that cannot be written: everything is held, it is said why, and the table goes on by itself when it can."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from drivers.errors import LinkNotFoundError
from drivers.transport.base import SerialFormat, Transport
from drivers.transport.usb_address import UsbInterface
from firmware_bridge.core.controller import Room
from firmware_bridge.core.events import JournalResumed, Started
from firmware_bridge.core.records import Entry, Logged
from firmware_bridge.core.state import State
from firmware_bridge.errors import AlreadyRunningError, JournalError
from firmware_bridge.journal import Restored, SqliteStore, read_records, verify
from firmware_bridge.journal.files import writer_lock
from firmware_bridge.lock import Lock
from firmware_bridge.readers.follow import Follower, read_status
from firmware_bridge.service.config import load_config
from firmware_bridge.service.lasting import LOOKS, Lasting
from firmware_bridge.service.room import LEAST_MB
from firmware_bridge.service.run import Service
from firmware_bridge.service.snapshots import Snapshots
from firmware_bridge.service.status import StatusFile
from tests.crash.sick_disk import SickDisk
from tests.service import live

EPOCH = 1_767_225_600 * 10**9


class Table:
    """A controller whose devices are absent, on a disk that may be full. ``looks`` are the pauses while it waits."""

    def __init__(self, folder: Path) -> None:
        live.enrol(folder)
        self.config = load_config(live.write_config(folder))
        self.disk = SickDisk()
        self.path = Path(self.config.table.journal)
        self.store = SqliteStore.open(
            self.path, table="BJ-07", key_path=folder / "table.journal.key", connect=self.disk.connect
        )
        self.free = 1_000
        self.looks = 0
        self.looked: Callable[[], None] = lambda: None
        self.folding: Callable[[], None] = lambda: None
        self.completed: Callable[[State], None] = lambda _state: None
        self.lasting = Lasting(
            self._service,
            self.store,
            StatusFile(Path(self.config.table.status)),
            lambda: self.free,
            utc=lambda: EPOCH + self.looks * 10**9,
            pause=self._pause,
        )

    def _service(self, resumed: JournalResumed | None) -> Service:
        def no_port(_: str, _form: SerialFormat, _interface: UsbInterface) -> Transport:
            raise LinkNotFoundError("/dev/x", "no such port", "plug it in")

        self.folding()
        state = Snapshots(self.store).restored()
        return Service(self.config, self.store, state, no_port, completed=self._turned, resumed=resumed)

    def _turned(self, state: State) -> None:
        self.completed(state)

    def _pause(self) -> None:
        self.looks += 1
        assert self.looks < 1_000, "it never went on"
        self.looked()

    def fill_disk(self) -> None:
        """Let the disk be full once the controller has recorded that it started."""
        append, kept = self.store.append, self.store.last_number

        def seen(entries: Sequence[Entry], *, sign: bool) -> None:
            self.disk.full = self.store.last_number > kept
            append(entries, sign=sign)

        self._append = append
        self.store.append = seen  # type: ignore[method-assign]

    def free_disk(self) -> None:
        """Let the disk be well again."""
        self.disk.full = False
        self.store.append = self._append  # type: ignore[method-assign]

    def events(self) -> list[object]:
        return [Logged.from_body(record.body).event for record in read_records(self.path)]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    table = Table(tmp_path)
    yield table
    table.store.close()


@pytest.mark.field("BR-038")
@pytest.mark.clause("SB-11")
def test_a_full_disk_holds_the_table_for_ten_minutes_and_it_goes_on_by_itself(table: Table) -> None:
    table.fill_disk()
    before: list[bytes] = []
    shown: list[str] = []

    def looked() -> None:
        if table.looks == 1:
            before.extend(record.body for record in read_records(table.path))
        status = read_status(Path(table.config.table.status))
        assert status is not None
        shown.append(status.journal)
        if table.looks == 600:
            table.free_disk()

    table.looked = looked
    table.completed = lambda _state: table.lasting.stop() if table.looks else None
    table.lasting.run()
    events = table.events()
    assert [record.body for record in read_records(table.path)][: len(before)] == before, "what was kept is untouched"
    assert len(shown) == 600
    assert all("disk is full" in words for words in shown)
    started, resumed = events[len(before) : len(before) + 2]
    assert isinstance(started, Started)
    assert isinstance(resumed, JournalResumed)
    assert "disk is full" in resumed.reason
    assert resumed.given_up >= 1
    report = verify(table.path)
    assert (report.ok, report.segments) == (True, 2)


@pytest.mark.field("BR-038")
def test_without_room_no_segment_is_even_tried(table: Table) -> None:
    table.fill_disk()
    table.free = LEAST_MB - 1
    reasons = []

    def looked() -> None:
        table.free_disk()
        status = read_status(Path(table.config.table.status))
        reasons.append(status.journal if status else "")
        if table.looks == 3 * LOOKS:
            table.free = LEAST_MB

    table.looked = looked
    table.completed = lambda _state: table.lasting.stop() if table.looks else None
    with capture_logs() as lines:
        table.lasting.run()
    assert f"has {LEAST_MB - 1} MB left" in reasons[-1]
    assert [line["event"] for line in lines].count("journal_still_fails") == 1, "said once, not at each try"
    assert verify(table.path).segments == 2, "no file was made that would have been full at once"


@pytest.mark.field("BR-036")
def test_a_screen_says_that_nothing_is_recorded_and_forbids_to_deal(table: Table) -> None:
    table.fill_disk()
    doubts = []

    def looked() -> None:
        follower = Follower(table.path)
        follower.refresh()
        doubts.append(follower.doubt(read_status(Path(table.config.table.status)), EPOCH + table.looks * 10**9))
        table.lasting.stop()

    table.looked = looked
    with pytest.raises(JournalError, match="disk is full"):
        table.lasting.run()
    assert doubts[0].startswith("nothing can be recorded, everything is held: journal ")


@pytest.mark.clause("SB-11")
def test_told_to_end_while_nothing_can_be_recorded_it_ends_and_says_why(table: Table) -> None:
    table.fill_disk()
    table.looked = table.lasting.stop
    with pytest.raises(JournalError, match="disk is full"):
        table.lasting.run()
    assert table.looks == 1
    assert not list(Path(table.config.table.status).iterdir())


@pytest.mark.clause("SB-11", "SB-1")
def test_a_controller_whose_journal_another_process_has_locked_meanwhile_ends_and_writes_nothing_more(
    table: Table,
) -> None:
    others: list[Lock] = []
    kept: list[object] = []

    def completed(_state: State) -> None:
        if not others:
            table.path.with_name("table.journal.lock").unlink()
            others.append(writer_lock(table.path))
            kept.extend(table.events())

    table.completed = completed
    with pytest.raises(AlreadyRunningError, match="writes it already"), capture_logs() as lines:
        table.lasting.run()
    others[0].release()
    assert table.events() == kept
    assert [line["event"] for line in lines if line["log_level"] == "critical"] == ["journal_taken"]


def test_told_to_end_while_the_records_are_folded_it_ends_in_order(table: Table) -> None:
    table.folding, table.completed = table.lasting.stop, lambda _state: pytest.fail("a turn was begun")
    table.lasting.run()
    assert [type(event) for event in table.events()] == [Started]
    assert verify(table.path).signed_to == 1


@pytest.mark.field("BR-038")
def test_told_to_end_while_the_records_are_folded_after_an_outage_it_ends_in_order_too(table: Table) -> None:
    table.fill_disk()
    table.looked = table.free_disk
    table.folding = lambda: table.lasting.stop() if table.looks else None
    table.completed = lambda _state: pytest.fail("a turn was begun") if table.looks else None
    table.lasting.run()
    assert [type(event) for event in table.events()][-2:] == [Started, JournalResumed]
    report = verify(table.path)
    assert report.signed_to == report.complete_to


@pytest.mark.clause("SB-11")
def test_a_journal_that_cannot_be_read_at_the_start_is_told_at_once_and_not_waited_out(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is held by a controller that never was: whoever starts it must hear why it does not start."""

    def unreadable(_software: str) -> Restored:
        raise JournalError("record 17 does not follow record 16")

    monkeypatch.setattr(table.store, "restored", unreadable)
    with pytest.raises(JournalError, match="record 17 does not follow record 16"):
        table.lasting.run()
    assert table.looks == 0
    assert not Path(table.config.table.status).exists(), "nobody is at work"


@pytest.mark.field("BR-038")
def test_where_the_new_segment_fails_at_once_too_the_gap_is_told_from_its_beginning(table: Table) -> None:
    table.fill_disk()
    fails = iter([True, False])
    begin_segment = table.store.begin_segment

    def begun() -> None:
        table.disk.full = False
        begin_segment()
        table.disk.full = next(fails)
        if not table.disk.full:
            table.free_disk()

    table.store.begin_segment = begun  # type: ignore[method-assign]
    table.completed = lambda _state: table.lasting.stop() if table.looks else None
    table.lasting.run()
    report = verify(table.path)
    assert (report.ok, report.segments, table.looks) == (True, 3, 2 * LOOKS)
    (resumed,) = [event for event in table.events() if isinstance(event, JournalResumed)]
    assert resumed.since_utc_ns == EPOCH, "the first look had not been taken"
    assert "writing record" in resumed.reason


@pytest.mark.clause("SB-11")
def test_a_journal_that_is_removed_under_an_idle_table_is_written_again_whole_and_the_table_goes_on(
    table: Table,
) -> None:
    before: list[object] = []

    def completed(_state: State) -> None:
        if table.looks:
            table.lasting.stop()
        elif not before:
            before.extend(table.events())
            for name in ("", "-wal", "-shm"):
                table.path.with_name(table.path.name + name).unlink()

    table.completed = completed
    table.lasting.run()
    assert table.events()[: len(before)] == before
    (resumed,) = [event for event in table.events() if isinstance(event, JournalResumed)]
    assert "removed, renamed or replaced" in resumed.reason
    assert (resumed.given_up, verify(table.path).ok, verify(table.path).segments) == (0, True, 2)


@pytest.mark.clause("SB-11")
def test_a_controller_told_to_end_with_its_journal_removed_leaves_it_whole(table: Table) -> None:
    def completed(_state: State) -> None:
        table.path.unlink()
        table.lasting.stop()

    table.completed = completed
    with pytest.raises(JournalError, match="written there again, whole"):
        table.lasting.run()
    table.store.close()
    assert verify(table.path).ok
    assert Started in {type(event) for event in table.events()}


@pytest.mark.field("BR-038")
def test_a_second_outage_is_told_with_its_own_beginning(table: Table) -> None:
    table.fill_disk()
    again: list[int] = []

    def looked() -> None:
        if table.looks in (1, LOOKS + 1):
            table.disk.full = False
            table.store.append = table._append  # type: ignore[method-assign]

    def completed(_state: State) -> None:
        if table.looks == LOOKS and not again:
            again.append(table.looks)
            table.disk.full = True
            table.lasting._running._inputs.put(Room(True, 5))  # type: ignore[union-attr]  # something to record
        elif table.looks == 2 * LOOKS:
            table.lasting.stop()

    table.looked, table.completed = looked, completed
    table.lasting.run()
    resumed = [event for event in table.events() if isinstance(event, JournalResumed)]
    assert [one.since_utc_ns for one in resumed] == [EPOCH, EPOCH + LOOKS * 10**9]
