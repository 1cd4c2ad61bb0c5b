"""The watchdog is fed by turns that were completed with every part at work, and by nothing else (BR-045)."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from drivers.errors import LinkNotFoundError
from drivers.protocol.messages import DealerKey, Key
from drivers.transport.base import SerialFormat, Transport
from drivers.transport.serial_port import SerialPort
from drivers.transport.usb_address import UsbInterface
from firmware_bridge.core.events import DeviceCaughtUp, JournalResumed
from firmware_bridge.core.records import Entry, Logged
from firmware_bridge.core.state import State
from firmware_bridge.core.words import Role
from firmware_bridge.journal import MemoryStore
from firmware_bridge.service import checks, linking, run
from firmware_bridge.service.checks import ANSWER_LIMIT
from firmware_bridge.service.clocks import boot_seconds
from firmware_bridge.service.config import load_config
from firmware_bridge.service.lasting import Lasting
from firmware_bridge.service.notify import Notifier
from firmware_bridge.service.people import Credentials
from firmware_bridge.service.run import LINK_LIMIT, Service
from sim_hardware.runner import Runner
from tests.service import live

WATCHDOG_S = 30.0

QUIET = 1.3
"""Seconds of silence that prove it: a table at work says something each second."""

TURNS = 4
"""Turns that are completed while a link is stuck."""


class Manager:
    """A service manager: a socket to which notifications come."""

    def __init__(self, folder: Path) -> None:
        self.address = str(folder / "notify")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self.address)

    def next(self, within: float = live.LIMIT) -> str:
        """The next notification; nothing if none comes in time."""
        self._socket.settimeout(within)
        try:
            return self._socket.recv(100).decode()
        except TimeoutError:
            return ""

    def drain(self) -> None:
        """Forget what has come so far."""
        while self.next(0.001):
            pass

    def close(self) -> None:
        self._socket.close()


class Gate:
    """Something that goes on, or stands still, as a test wants."""

    def __init__(self) -> None:
        self._open = threading.Event()
        self._open.set()
        self.reached = threading.Event()

    def shut(self) -> None:
        self.reached.clear()
        self._open.clear()

    def open(self) -> None:
        self._open.set()

    def pass_through(self) -> None:
        if not self._open.is_set():
            self.reached.set()
            assert self._open.wait(live.LIMIT)


class Store(MemoryStore):
    """A journal whose disk may hang."""

    def __init__(self, gate: Gate) -> None:
        super().__init__(table="BJ-07", seed=bytes(32))
        self._gate = gate

    def append(self, entries: Sequence[Entry], *, sign: bool) -> None:
        self._gate.pass_through()
        super().append(entries, sign=sign)

    def all_heard(self) -> bool:
        events = [Logged.from_body(record.body).event for record in self.records()]
        return sum(isinstance(event, DeviceCaughtUp) for event in events) == len(live.DEVICES)


class Table:
    """A controller at work on simulated devices, each part of which may be frozen."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, runner: Runner, hanging: str = "lamp") -> None:
        self._hanging = hanging
        self.runner = runner
        self.turn, self.link, self.disk = Gate(), Gate(), Gate()
        self.later = 0.0
        self.turns = 0
        self.manager = Manager(folder)
        self.store = Store(self.disk)
        monkeypatch.setattr(linking, "boot_seconds", lambda: boot_seconds() + self.later)
        live.enrol(folder)
        notifier = Notifier(self.manager.address, WATCHDOG_S)
        config = load_config(live.write_config(folder))
        self.service = Service(config, self.store, State(), self._open, completed=self._completed, notifier=notifier)

    def _completed(self, _state: State) -> None:
        self.turns += 1
        self.turn.pass_through()

    def _open(self, port: str, _form: SerialFormat, _interface: UsbInterface) -> Transport:
        transport = SerialPort(port)
        if port.endswith(self._hanging):
            read = transport.read

            def hangs(timeout: float) -> bytes:
                self.link.pass_through()
                return read(timeout)

            transport.read = hangs  # type: ignore[method-assign]
        return transport

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """The controller runs in a thread of its own, and ends with the context."""
        thread = threading.Thread(target=self.service.run)
        thread.start()
        try:
            live.eventually(self.store.all_heard, "all devices are heard")
            yield
        finally:
            for gate in (self.turn, self.link, self.disk):
                gate.open()
            self.service.stop()
            thread.join(live.LIMIT)
            self.manager.close()

    def go_on_unfed(self) -> None:
        """Turns go on, and once what was fed before is forgotten nothing feeds the watchdog."""
        self._go_on()
        self.manager.drain()
        self._go_on()
        assert self.manager.next(0.001) == "", "something hangs"

    def _go_on(self) -> None:
        turns = self.turns
        live.eventually(lambda: self.turns > turns + TURNS, "turns go on")


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Table]]:
    with live.devices(tmp_path) as runner:
        yield lambda hanging="lamp": Table(tmp_path, monkeypatch, runner, hanging)


@pytest.mark.field("BR-045")
def test_it_says_that_it_is_ready_then_that_it_works_then_that_it_ends(table: Callable[[], Table]) -> None:
    at = table()
    with at.at_work():
        assert at.manager.next() == "READY=1"
        assert [at.manager.next() for _ in range(3)] == ["WATCHDOG=1"] * 3
        at.service.stop()
        told = "WATCHDOG=1"
        while told == "WATCHDOG=1":
            told = at.manager.next()
        assert told == "STOPPING=1"


@pytest.mark.field("BR-045")
@pytest.mark.parametrize("part", ["turn", "disk"])
def test_while_a_turn_or_the_journal_hangs_nothing_feeds_the_watchdog(table: Callable[[], Table], part: str) -> None:
    at = table()
    gate: Gate = getattr(at, part)
    with at.at_work():
        gate.shut()
        with at.runner.hands() as hands:
            hands.press_dealer_key(DealerKey.YES)  # something to record
        assert gate.reached.wait(live.LIMIT)
        at.manager.drain()
        assert at.manager.next(QUIET) == "", "it hangs"
        gate.open()
        assert at.manager.next() == "WATCHDOG=1", "it goes on"


@pytest.mark.field("BR-045")
@pytest.mark.parametrize("device", live.DEVICES)
def test_while_a_links_thread_hangs_turns_go_on_and_nothing_feeds_the_watchdog(
    table: Callable[[str], Table], device: str
) -> None:
    at = table(device)
    with at.at_work():
        at.link.shut()
        assert at.link.reached.wait(live.LIMIT)
        at.later = 2 * LINK_LIMIT  # of all links, the others come round at once
        at.go_on_unfed()
        at.link.open()
        assert at.manager.next() == "WATCHDOG=1", "it goes on"


@pytest.mark.field("BR-045")
def test_while_a_pins_check_hangs_turns_go_on_nothing_feeds_the_watchdog_and_the_log_says_it_once(
    table: Callable[[], Table], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    at, pins = table(), Gate()
    check = Credentials.check

    def hangs(self: Credentials, person: int, pin: str) -> Role | None:
        pins.pass_through()
        return check(self, person, pin)

    monkeypatch.setattr(Credentials, "check", hangs)
    later = [0.0]
    monkeypatch.setattr(checks, "boot_seconds", lambda: boot_seconds() + later[0])
    with at.at_work():
        try:
            pins.shut()
            with at.runner.hands() as hands:
                hands.type_keys([Key.CLEAR, 1, 2, Key.ENTER, *map(int, live.PIN), Key.ENTER])
            assert pins.reached.wait(live.LIMIT)
            at.manager.drain()
            assert at.manager.next() == "WATCHDOG=1", "a check may take its time"
            later[0] = 2 * ANSWER_LIMIT
            at.go_on_unfed()
        finally:
            pins.open()
        assert at.manager.next() == "WATCHDOG=1", "it goes on"
    assert capsys.readouterr().out.count("credential_check_hangs") == 1


@pytest.mark.field("BR-045")
@pytest.mark.parametrize(
    ("environment", "wait"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "500000"}, 0.25),
        ({"WATCHDOG_USEC": "500000", "WATCHDOG_PID": "7"}, 0.25),
        ({"WATCHDOG_USEC": "500000", "WATCHDOG_PID": "8"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
    ],
)
def test_a_watchdog_is_fed_in_half_its_time_if_it_is_this_process_that_it_watches(
    environment: dict[str, str], wait: float | None
) -> None:
    assert Notifier.from_environment(environment, pid=7).longest_wait == wait


def test_without_a_manager_nothing_is_said_and_a_deaf_one_is_logged_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Notifier().ready()
    assert capsys.readouterr().out == ""
    deaf = Notifier(str(tmp_path / "nobody"), WATCHDOG_S)
    for _ in range(3):
        deaf.alive()
    assert capsys.readouterr().out.count("manager_not_told") == 1


def test_a_manager_that_was_deaf_at_the_start_is_told_that_it_is_ready_as_soon_as_it_hears(tmp_path: Path) -> None:
    """It would end a healthy controller that it takes for one which never began."""
    address = tmp_path / "manager"
    notifier = Notifier(str(address), WATCHDOG_S)
    notifier.ready()
    notifier.alive()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(address))
        notifier.alive()
        notifier.alive()
        assert [manager.recv(100) for _ in range(3)] == [b"READY=1", b"WATCHDOG=1", b"WATCHDOG=1"]


def test_an_address_without_a_file_is_heard_too() -> None:
    name = f"sabot-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(f"\0{name}")
        Notifier(f"@{name}").ready()
        assert manager.recv(100) == b"READY=1"


@pytest.mark.field("BR-045")
def test_it_says_so_twice_in_the_watchdogs_time_though_nothing_happens(tmp_path: Path) -> None:
    live.enrol(tmp_path)
    manager = Manager(tmp_path)

    def no_port(_: str, _form: SerialFormat, _interface: UsbInterface) -> Transport:
        raise LinkNotFoundError("/dev/x", "no such port", "plug it in")

    config, notifier = load_config(live.write_config(tmp_path)), Notifier(manager.address, 0.2)
    service = Service(config, Store(Gate()), State(), no_port, notifier=notifier)
    thread = threading.Thread(target=service.run)
    thread.start()
    try:
        assert manager.next() == "READY=1"
        began = time.monotonic()
        assert [manager.next() for _ in range(20)] == ["WATCHDOG=1"] * 20
        assert time.monotonic() - began < 12, "a turn each second would be too seldom"
    finally:
        service.stop()
        thread.join(live.LIMIT)
        manager.close()


@pytest.mark.field("BR-038", "BR-045")
def test_while_nothing_can_be_recorded_each_look_feeds_the_watchdog(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Looks(Lasting):
        def run(self) -> None:
            self._looked()

    manager = Manager(tmp_path)
    monkeypatch.setattr(run, "Lasting", Looks)
    monkeypatch.setenv("NOTIFY_SOCKET", manager.address)
    monkeypatch.setenv("WATCHDOG_USEC", "30000000")
    live.enrol(tmp_path)
    try:
        run.run(live.write_config(tmp_path))
        assert manager.next(QUIET) == "WATCHDOG=1"
    finally:
        manager.close()


@pytest.mark.field("BR-038")
def test_the_run_after_an_outage_records_that_there_was_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Resumes(Lasting):
        def run(self) -> None:
            again = self._begin(JournalResumed("the disk was full", 0, 3))
            again.stop()
            again.run()

    monkeypatch.setattr(run, "Lasting", Resumes)
    live.enrol(tmp_path)
    run.run(live.write_config(tmp_path))
    assert [one.reason for one in live.events(tmp_path / "table.journal", JournalResumed)] == ["the disk was full"]
