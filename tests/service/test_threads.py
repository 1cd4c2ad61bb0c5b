"""What stands around the controller: its clocks, the check of PINs, and how the loop ends."""

from __future__ import annotations

import termios
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

import pytest

from drivers.errors import LinkNotFoundError
from drivers.protocol.messages import DealerKey, Key, LidMoved
from drivers.transport.base import SerialFormat, Transport
from drivers.transport.serial_port import WRITE_TIMEOUT, SerialPort
from drivers.transport.usb_address import UsbInterface
from firmware_bridge.core.console import CheckWanted, RenewWanted
from firmware_bridge.core.controller import Checked, Renewed
from firmware_bridge.core.events import DeviceCaughtUp, Event, Identified, RightTaken, RoomSeen
from firmware_bridge.core.fold import fold
from firmware_bridge.core.outputs import why_not_deal
from firmware_bridge.core.secrets import Pin
from firmware_bridge.core.state import State
from firmware_bridge.core.words import Role
from firmware_bridge.errors import JournalError
from firmware_bridge.service import run
from firmware_bridge.service.checks import CheckThread
from firmware_bridge.service.clocks import Clocks
from firmware_bridge.service.config import load_config
from firmware_bridge.service.people import add_person, disable_person
from firmware_bridge.service.run import Service
from sim_hardware.runner import Runner
from tests.service import live
from tests.service.watched import WatchedStore

SECOND = 10**9
ROOM_MANAGER = 3

One = TypeVar("One", bound=Event)

# ---- clocks


class Hand:
    """A clock that a test turns."""

    def __init__(self, ns: int) -> None:
        self.ns = ns

    def __call__(self) -> int:
        return self.ns


def test_table_time_begins_at_zero_and_runs_at_its_speed() -> None:
    link, utc = Hand(50 * SECOND), Hand(1_000 * SECOND)
    clocks = Clocks(State(), 4.0, link=link, utc=utc)
    link.ns += 2 * SECOND
    assert (clocks.now().link_ns, clocks.now().table_ns) == (52 * SECOND, 8 * SECOND)
    assert clocks.seconds_until(12 * SECOND) == 1.0
    assert clocks.seconds_until(1) == 0.0


@pytest.mark.parametrize(("away", "older"), [(30, 30), (-30, 0)], ids=["later", "the wall's clock was set back"])
def test_after_a_restart_duties_are_as_much_older_as_the_wall_says(away: int, older: int) -> None:
    state = State(record=7, at=100 * SECOND, utc_ns=1_000 * SECOND)
    clocks = Clocks(state, 1.0, link=Hand(0), utc=Hand((1_000 + away) * SECOND))
    assert clocks.now().table_ns == (100 + older) * SECOND


def test_the_walls_clock_moves_no_time_while_the_controller_runs() -> None:
    link, utc = Hand(0), Hand(1_000 * SECOND)
    clocks = Clocks(State(), 1.0, link=link, utc=utc)
    utc.ns += 86_400 * SECOND
    link.ns += SECOND
    assert clocks.now().table_ns == SECOND


# ---- checks


class Answers:
    """A check thread, and what it answers."""

    def __init__(self, people: Path) -> None:
        self._answers: SimpleQueue[Checked | Renewed] = SimpleQueue()
        self.thread = CheckThread(people, self._answers.put)
        self.thread.start()

    def to(self, entry: int, pin: str) -> Checked | Renewed:
        return self.to_one(CheckWanted(entry, live.SUPERVISOR, Pin(pin)))

    def to_renewal(self, entry: int, person: int, pin: str) -> Checked | Renewed:
        return self.to_one(RenewWanted(entry, person, ROOM_MANAGER, Pin(pin)))

    def to_one(self, wanted: CheckWanted | RenewWanted) -> Checked | Renewed:
        self.thread.ask(wanted)
        return self._answers.get(timeout=live.LIMIT)


def test_each_check_is_answered_by_its_entry_and_by_the_file_as_it_is_now(tmp_path: Path) -> None:
    live.enrol(tmp_path)
    answers = Answers(tmp_path / "people.json")
    try:
        assert answers.to(1, live.PIN) == Checked(1, Role.SUPERVISOR)
        assert answers.to(2, "111222") == Checked(2, None)
        disable_person(tmp_path / "people.json", live.SUPERVISOR)
        assert answers.to(3, live.PIN) == Checked(3, None)
    finally:
        answers.thread.stop()


def test_a_check_that_cannot_be_made_is_nobody_and_is_logged_without_the_pin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = Answers(tmp_path / "people.json")
    try:
        answer = answers.to(1, live.PIN)
        assert (answer, bool(answer.failed)) == (Checked(1, None, answer.failed), True)
    finally:
        answers.thread.stop()
    told = capsys.readouterr().out
    assert "credential_check_failed" in told
    assert live.PIN not in told


@pytest.mark.clause("SB-3")
def test_a_renewed_pin_is_the_one_that_counts_from_then_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    live.enrol(tmp_path)
    answers = Answers(tmp_path / "people.json")
    try:
        assert answers.to(1, live.PIN) == Checked(1, Role.SUPERVISOR)
        assert answers.to_renewal(2, live.SUPERVISOR, "418860") == Renewed(2, live.SUPERVISOR, ROOM_MANAGER)
        assert answers.to(3, live.PIN) == Checked(3, None)
        assert answers.to(4, "418860") == Checked(4, Role.SUPERVISOR)
        refused = Renewed(5, 13, ROOM_MANAGER, "nobody has the number 13")
        assert answers.to_renewal(5, 13, "418861") == refused
    finally:
        answers.thread.stop()
    told = capsys.readouterr().out
    assert told.count("pin_renewed") == 1
    assert "418860" not in told


@pytest.mark.clause("SB-3")
def test_a_renewal_that_cannot_be_made_is_refused_and_the_thread_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live.enrol(tmp_path)
    people = tmp_path / "people.json"
    people.chmod(0o644)
    answers = Answers(people)
    try:
        told = answers.to_renewal(1, live.SUPERVISOR, "418860")
        assert isinstance(told, Renewed)
        assert "cannot be changed" in told.refused
        people.chmod(0o600)
        assert answers.to(2, live.PIN) == Checked(2, Role.SUPERVISOR)
    finally:
        answers.thread.stop()
    shown = capsys.readouterr().out
    assert "pin_renewal_failed" in shown
    assert "418860" not in shown


def test_a_check_thread_that_never_began_is_stopped_too(tmp_path: Path) -> None:
    CheckThread(tmp_path / "people.json", lambda _: None).stop()


# ---- the loop


def service(folder: Path, store: WatchedStore, error: Exception) -> Service:
    """Return a service each of whose ports fails to open with an error."""
    live.enrol(folder)

    def no_port(_: str, _form: SerialFormat, _interface: UsbInterface) -> Transport:
        raise error

    return Service(load_config(live.write_config(folder)), store, State(), no_port)


def test_it_runs_until_it_is_stopped(tmp_path: Path) -> None:
    store = WatchedStore()
    running = service(tmp_path, store, LinkNotFoundError("/dev/x", "no such port", "plug it in"))
    store.after = lambda: running.stop() if len(store.losses()) == 4 else None
    running.run()
    assert set(store.losses().values()) == {"/dev/x: no such port; plug it in"}


def test_a_journal_that_fails_ends_it_and_leaves_no_thread(tmp_path: Path) -> None:
    store = WatchedStore(fails_after=1)
    running = service(tmp_path, store, LinkNotFoundError("/dev/x", "no such port", "plug it in"))
    with pytest.raises(JournalError):
        running.run()
    assert not (tmp_path / "status/status.json").exists()


def test_where_the_start_cannot_be_recorded_nothing_begins(tmp_path: Path) -> None:
    with pytest.raises(JournalError):
        service(tmp_path, WatchedStore(fails_after=0), LinkNotFoundError("/dev/x", "no", "yes")).run()


def test_a_driver_that_dies_by_a_defect_is_seen_at_the_table(tmp_path: Path) -> None:
    store = WatchedStore()
    running = service(tmp_path, store, RuntimeError("a defect"))
    store.after = lambda: running.stop() if len(store.losses()) == 4 else None
    running.run()
    assert all("defect (RuntimeError)" in reason for reason in store.losses().values())


Stage = tuple[Callable[[], object], Callable[[], None]]
"""When it begins, and what is done then."""


def play(
    folder: Path, shoe: Callable[[str], SerialPort], stages: Callable[[WatchedStore, Runner, Service], list[Stage]]
) -> WatchedStore:
    """Run a service at live devices, with such a port to its shoe, through stages; return its journal."""
    live.enrol(folder)
    store = WatchedStore()
    with live.devices(folder) as runner:

        def open_port(port: str, form: SerialFormat, _interface: UsbInterface) -> Transport:
            return shoe(port) if port.endswith("shoe") else SerialPort(port, form)

        running = Service(load_config(live.write_config(folder)), store, State(), open_port)
        left = stages(store, runner, running)

        def go_on() -> None:
            if left and left[0][0]():
                left.pop(0)[1]()

        store.after = go_on
        running.run()
    return store


def identify(runner: Runner) -> None:
    with runner.hands() as table:
        table.type_keys([Key.CLEAR, 1, 2, Key.ENTER, *map(int, live.PIN), Key.ENTER])


class DyingPort(SerialPort):
    """A port whose reading ends by a defect once a test says so."""

    dies = False

    def read(self, timeout: float) -> bytes:
        if DyingPort.dies:
            raise RuntimeError("a defect")
        return super().read(timeout)


@pytest.mark.clause("SB-1")
def test_a_link_thread_that_dies_at_work_holds_the_table_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DyingPort, "dies", False)
    store = play(
        tmp_path,
        DyingPort,
        lambda store, runner, running: [
            (lambda: len(store.events(DeviceCaughtUp)) == 4, lambda: setattr(DyingPort, "dies", True)),
            (store.losses, lambda: identify(runner)),
            (lambda: store.events(Identified), running.stop),
        ],
    )
    assert set(store.losses()) == {"shoe"}
    assert "defect (RuntimeError)" in store.losses()["shoe"]
    state = fold((record.number, record.utc_ns, record.body) for record in store.records())
    assert [reason.detail for reason in why_not_deal(state) if reason.about == "device"] == ["shoe"]


@pytest.mark.clause("SB-1")
@pytest.mark.field("BR-024")
def test_a_line_that_takes_nothing_is_not_answering_the_others_go_on_and_the_end_comes(tmp_path: Path) -> None:
    shoe: list[SerialPort] = []
    began = []

    def kept(path: str) -> SerialPort:
        shoe.append(SerialPort(path))
        return shoe[-1]

    def hold_the_line(runner: Runner) -> None:
        termios.tcflow(shoe[-1]._port.fileno(), termios.TCOOFF)  # as a far end does that takes nothing; it stays so
        began.append(time.monotonic())
        with runner.hands() as table:
            table.press_dealer_key(DealerKey.CLAIM)  # its ack is what the line does not take

    def force_the_lid(runner: Runner) -> None:
        assert time.monotonic() - began[0] < 5 * WRITE_TIMEOUT
        identify(runner)
        with runner.hands() as table:
            assert table.open_lid(force=True)

    store = play(
        tmp_path,
        kept,
        lambda store, runner, running: [
            (lambda: len(store.events(DeviceCaughtUp)) == 4, lambda: hold_the_line(runner)),
            (store.losses, lambda: force_the_lid(runner)),
            (lambda: store.events(Identified) and LidMoved(open=True) in store.told("shuffler"), running.stop),
        ],
    )
    assert set(store.losses()) == {"shoe"}
    assert f"the line took no more bytes for {WRITE_TIMEOUT:g} s" in store.losses()["shoe"]
    assert not threading.active_count() > 1, "no thread waits for that line"
    state = fold((record.number, record.utc_ns, record.body) for record in store.records())
    assert [reason.detail for reason in why_not_deal(state) if reason.about == "device"] == ["shoe"]


@pytest.mark.clause("SB-3")
def test_a_dealer_who_is_disabled_at_work_is_seen_by_the_controller_at_work(tmp_path: Path) -> None:
    dealer, people = 21, tmp_path / "people.json"
    live.enrol(tmp_path)
    add_person(people, dealer, Role.DEALER, Pin("628419"))
    store, turns = WatchedStore(), SimpleQueue[State]()

    def no_port(_: str, _form: SerialFormat, _interface: UsbInterface) -> Transport:
        raise LinkNotFoundError("/dev/x", "no such port", "plug it in")

    def turned(state: State) -> None:
        turns.put(state)
        if turns.qsize() == 2:
            assert state.dealer == dealer, "he may act so far"
            disable_person(people, dealer)
        if turns.qsize() == 5 or state.dealer == 0:
            running.stop()

    config = load_config(live.write_config(tmp_path))
    running = Service(config, store, State(dealer=dealer), no_port, completed=turned)
    running.run()
    assert store.events(RightTaken) == [RightTaken(dealer)]


@pytest.mark.field("BR-038")
def test_a_disk_without_room_is_seen_by_the_controller_at_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "free_mb", lambda _journal: 17)
    store = WatchedStore()
    running = service(tmp_path, store, LinkNotFoundError("/dev/x", "no such port", "plug it in"))
    store.after = lambda: running.stop() if len(store.losses()) == 4 else None
    running.run()
    assert store.events(RoomSeen) == [RoomSeen(True, 17)]
