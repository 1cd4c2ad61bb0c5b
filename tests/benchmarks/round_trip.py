"""A request and its response over a pty: an order to a link's thread and the notice of its answer, against raw bytes.

Ours acknowledges the answer before with each request, decodes and checks everything, and hands it over between two
threads twice. The raw side writes as many bytes, and reads as many. Either far end is a process of its own on another
processor, as a device is: two ends that share one are ten times as fast, or not, as the scheduler likes.
"""

from __future__ import annotations

import os
import pty
import time
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

from drivers.continuous_shuffler import CONTINUOUS_SHUFFLER
from drivers.link import LinkThread
from drivers.protocol.messages import Operation
from drivers.protocol.notices import AckEvents, Carry, EventTold, LinkOpened, Notice
from drivers.transport.serial_port import SerialPort
from firmware_bridge.service.clocks import boot_seconds
from firmware_bridge.service.logs import LogFile, configure_logs
from tests.benchmarks.lines import LIMIT
from tests.benchmarks.pairing import Bench, Limits, Measured, by_turns, percentile
from tests.benchmarks.process import running
from tests.benchmarks.responder import BOOT, MEMORY

TRIPS = 2000
BYTES = 20

PROCESSORS = sorted(os.sched_getaffinity(0))

TRIP = Limits("request and response, p50", f"os.write and os.read of {BYTES} bytes", "s", floor=3.0, goal=2.0)


def measure(bench: Bench) -> Iterator[Measured]:
    """Measure round trips."""
    trips = bench.many(TRIPS)
    file = bench.folder / "log"
    log = os.open(file, os.O_WRONLY | os.O_CREAT)
    configure_logs(LogFile(log), time.time_ns, "info")
    os.sched_setaffinity(0, PROCESSORS[:1])
    try:
        yield by_turns(TRIP, lambda: ours_p50(trips, file), lambda: raw_p50(trips, file), bench.rounds)
    finally:
        os.sched_setaffinity(0, PROCESSORS)
        os.close(log)


def ours_p50(trips: int, log: Path) -> float:
    """Order so many commands of a device, one after the other, and await each result."""
    heard: SimpleQueue[Notice] = SimpleQueue()

    def sink(_device: str, notices: Sequence[Notice]) -> None:
        for notice in notices:
            heard.put(notice)

    def wait_for(kind: type[Notice]) -> None:
        while not isinstance(heard.get(timeout=LIMIT), kind):
            pass

    with far_end(trips, log) as port:
        link = LinkThread(
            device="shuffler",
            port=port,
            core=CONTINUOUS_SHUFFLER.core(lambda: 1),
            open_port=lambda: SerialPort(port),
            sink=sink,
            clock=boot_seconds,
        )
        link.start()
        wait_for(LinkOpened)
        took = []
        for number in range(1, trips + 1):
            began = time.perf_counter()
            link.order(AckEvents(number - 1, MEMORY), Carry(number, BOOT, Operation.INVENTORY))
            wait_for(EventTold)
            took.append(time.perf_counter() - began)
        assert link.stop()
    return percentile(took, 0.5)


def raw_p50(trips: int, log: Path) -> float:
    """Write and read so many times."""
    took, request = [], bytes(range(1, BYTES + 1))
    with far_end(0, log) as port:
        line = os.open(port, os.O_RDWR | os.O_NOCTTY)
        for _ in range(trips):
            began = time.perf_counter()
            os.write(line, request)
            answer = os.read(line, BYTES)
            took.append(time.perf_counter() - began)
            assert answer == request
        os.close(line)
    return percentile(took, 0.5)


@contextmanager
def far_end(trips: int, log: Path) -> Iterator[str]:
    """Run a responder (``responder.py``) at one end of a pty; yields the name of the other end."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    try:
        with running("tests.benchmarks.responder", str(master), str(trips), log=log, descriptors=[master]) as process:
            os.sched_setaffinity(process.pid, PROCESSORS[-1:])
            yield os.ttyname(slave)
    finally:
        os.close(slave)
        os.close(master)
