"""The product's own threads and ports, over pseudo-terminals, to simulated devices in real time."""

from __future__ import annotations

import gc
import inspect
import logging
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from types import CodeType, FrameType

import pytest
import structlog

from drivers import continuous_shuffler, keypad, lamp, link, reconnect, shoe
from drivers.link import LinkThread
from drivers.protocol import framing, hearing, hold, levels, link_core
from drivers.protocol import messages as m
from drivers.protocol import notices as n
from drivers.protocol.link_core import SILENCE
from drivers.protocol.openings import PERIOD
from drivers.reconnect import Stage
from drivers.registry import DRIVERS
from drivers.transport import serial_port
from drivers.transport.serial_port import SerialPort
from sim_hardware.faults import DEVICES
from sim_hardware.pty_port import PtyPort
from sim_hardware.runner import Runner
from sim_hardware.table import CarouselTable
from tests.protocol.course import Desk, People, all_acked, course
from tests.protocol.lines import DRIVER_OF, FITTINGS, SEED, Table, whole
from tests.transport.link_bench import LIMIT, Held

UNPLUGS, WARM = 200, 50
"""How often the cable is pulled, and after how many times nothing may grow any more."""

GROWTH = 64_000
"""Bytes that may be held more in the end: 150 times whatever an unplug leaves behind."""

SILENT = f" for {SILENCE} s"


@pytest.fixture(autouse=True)
def quiet() -> None:
    """Hundreds of losses would fill the log, which is kept in memory here."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


@contextmanager
def devices(folder: Path, speed: float = 1.0) -> Iterator[Runner]:
    """Run the simulated devices behind pseudo-terminals in ``folder``."""
    ports = {name: PtyPort(folder / name) for name in DEVICES}
    runner = Runner(lambda now: CarouselTable(Random(SEED), now, FITTINGS), ports, speed)
    try:
        runner.start()
        yield runner
    finally:
        runner.stop()


class RealDesk(Desk):
    """A desk behind a link thread; whatever is told wakes who waits."""

    def __init__(self, name: str, port: Path, news: threading.Condition, clock: Callable[[], float]) -> None:
        nonces = Random(name)
        self._news = news
        self.silences = 0
        """How often the link was lost while its port was there: this machine stood still for too long."""
        self.link = LinkThread(
            device=name,
            port=str(port),
            core=DRIVERS[DRIVER_OF[name]].core(lambda: nonces.getrandbits(64)),
            open_port=partial(SerialPort, str(port)),
            sink=self._told,
            clock=clock,
            delay=lambda _: 0.005,
        )
        super().__init__(self.link.order)

    def _told(self, device: str, notices: Sequence[n.Notice]) -> None:  # noqa: ARG002 - it is this one
        with self._news:
            self.hear(notices)
            self.silences += sum(isinstance(one, n.LinkLost) and SILENT in one.reason for one in notices)
            self._news.notify_all()

    def wait(self, until: Callable[[], bool]) -> None:
        """Wait until something is so; asked at each notice, and now and then."""
        end = time.monotonic() + 2 * LIMIT
        with self._news:
            while not until():
                assert time.monotonic() < end, f"{self.told} {len(self.journal)} {self.link.statistics}"
                self._news.wait(0.01)

    @contextmanager
    def running(self) -> Iterator[RealDesk]:
        """Run its link thread."""
        self.link.start()
        try:
            yield self
        finally:
            assert self.link.stop(LIMIT)


REAL = (link, link_core, hearing, hold, levels, framing, serial_port, continuous_shuffler, shoe, keypad, lamp)
"""What only runs where a real port stands behind it, and the drivers of the devices that stand here."""

REACHED = 0.7
"""Which part of their functions a course without a fault must reach; the others are about faults and statistics."""


def functions(code: CodeType) -> set[tuple[str, str]]:
    """Every function in a piece of code, by file and qualified name."""
    within = [one for one in code.co_consts if isinstance(one, CodeType)]
    called = {(one.co_filename, one.co_qualname) for one in within if one.co_flags & inspect.CO_OPTIMIZED}
    return called.union(*map(functions, within))


@contextmanager
def seen_called() -> Iterator[set[tuple[str, str]]]:
    """Yield what this thread and those that begin meanwhile have called so far."""
    called: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            called.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield called
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


@pytest.mark.field("BR-048")
def test_over_real_lines_the_drivers_that_a_table_runs_are_what_runs(tmp_path: Path) -> None:
    news = threading.Condition()
    with ExitStack() as stack:
        runner = stack.enter_context(devices(tmp_path))
        called = stack.enter_context(seen_called())
        desks = {name: RealDesk(name, tmp_path / name, news, time.monotonic) for name in DEVICES}
        for desk in desks.values():
            stack.enter_context(desk.running())
        for must in course(People(runner.hands, dict(desks))):
            desks["shoe"].wait(must)
    there = set().union(*(functions(compile(inspect.getsource(one), str(one.__file__), "exec")) for one in REAL))
    missed = there - called
    assert len(missed) <= (1 - REACHED) * len(there), sorted(name for _, name in missed)


@pytest.mark.field("BR-048")
def test_over_real_lines_the_course_ends_with_the_journal_of_the_stepped_one(tmp_path: Path) -> None:
    stepped, news = Table(whole), threading.Condition()
    assert stepped.play()
    with ExitStack() as stack:
        runner = stack.enter_context(devices(tmp_path))
        desks = {name: RealDesk(name, tmp_path / name, news, time.monotonic) for name in DEVICES}
        for desk in desks.values():
            stack.enter_context(desk.running())
        for must in course(People(runner.hands, dict(desks))):
            desks["shoe"].wait(must)
    assert {name: desk.journal for name, desk in desks.items()} == {
        name: desk.journal for name, desk in stepped.desks.items()
    }
    assert all(desk.told[n.LinkLost] == desk.told[n.RemoteErrors] == 0 for desk in desks.values())


@pytest.mark.field("BR-027")
def test_two_hundred_unplugs_lose_no_event_and_leave_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reconnect, "SETTLE", 0.0)  # these devices have no boot's noise to wait for
    skipped = [0.0]  # a device that begins anew so often is asked once in a while only: let the while have passed
    desk = RealDesk("shoe", tmp_path / "shoe", threading.Condition(), lambda: time.monotonic() + skipped[0])
    held, opened, own = [], 0, Held()
    tracemalloc.start()
    try:
        with devices(tmp_path, speed=100.0) as runner, desk.running():
            for times in range(1, UNPLUGS + 1):
                desk.wait(lambda: desk.told[n.LinkOpened] > opened)  # noqa: B023 - waited for at once
                runner.unplug("shoe")
                desk.wait(lambda: desk.link.statistics.stage is Stage.GONE)
                opened = desk.told[n.LinkOpened]
                skipped[0] += PERIOD
                with runner.hands() as table:
                    table.press_dealer_key(m.DealerKey.CLAIM)
                runner.replug("shoe")
                desk.wait(lambda: len(desk.journal) == times and all_acked(runner.hands, "shoe"))  # noqa: B023
                if times in (WARM, UNPLUGS):
                    gc.collect()
                    held.append((*own.now(), tracemalloc.get_traced_memory()[0]))
    finally:
        tracemalloc.stop()
    (files, threads, memory), (files_then, threads_then, memory_then) = held
    assert (files_then, threads_then) == (files, threads)
    assert memory_then < memory + GROWTH
    assert desk.link.statistics.opens == UNPLUGS + 1
    assert UNPLUGS < desk.told[n.LinkOpened] <= UNPLUGS + 1 + desk.silences
