"""A link thread with a core that does as it is told, and what such a test needs to wait without sleeping."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from queue import SimpleQueue

from drivers.errors import LinkNotFoundError
from drivers.link import LinkThread
from drivers.protocol.messages import Capability, Hello, Kind
from drivers.protocol.notices import (
    CaughtUp,
    EventTold,
    HeartbeatHeard,
    LinkLost,
    LinkOpened,
    LinkRefused,
    Notice,
    Order,
    RemoteErrors,
    Settled,
    Step,
    StrokeTold,
)
from drivers.transport.base import Opener, Transport
from drivers.transport.memory import MemoryPipe, memory_pair

LIMIT = 10.0
FAR_AWAY = 1000.0

HELLO = Hello(
    nonce=1,
    link=2,
    boot=3,
    memory=4,
    first_kept=1,
    last=0,
    version=1,
    kind=Kind.SHOE,
    capabilities=Capability.COUNTS_CARDS,
    window=8,
    simulated=True,
    model="M1",
    serial="S1",
    firmware="F1",
    digest=bytes(32),
)

TOLD_BY: dict[int, Notice] = {
    ord("."): HeartbeatHeard(link=2, number=1, held=True, lapsed=False),
    ord("e"): EventTold(number=1, body=None),  # type: ignore[arg-type]
    ord("7"): StrokeTold(key=7, prompt=0),
    ord("?"): RemoteErrors(count=3, latest="a frame with key 7 is bad"),
    ord("R"): LinkRefused("this is a toaster"),
    ord("L"): LinkLost("silent for 2 s"),
}


class ObedientCore:
    """Says ``O`` when connected, ``H`` opens the link, any other byte is the notice above; sends each order by name.

    It tells that an order is settled, with or without a line: ``CaughtUp`` for each ``Settled``.
    """

    def __init__(self, wait: float | None = FAR_AWAY) -> None:
        self.wait = wait
        self.lived: list[str] = []
        self.answer = b""
        self.hello = HELLO
        self.ignores = ""

    def _step(self, now: float, notices: Iterable[Notice] = (), to_send: bytes = b"") -> Step:
        return Step(list(notices), to_send, None if self.wait is None else now + self.wait)

    def connected(self, now: float) -> Step:
        self.lived.append("connected")
        return self._step(now, to_send=b"O")

    def disconnected(self, now: float, reason: str) -> Step:
        self.lived.append("disconnected")
        return self._step(now, [LinkLost(reason)])

    def step(self, now: float, received: bytes, orders: Sequence[Order]) -> Step:
        if b"!" in received:
            raise ZeroDivisionError(f"cannot make sense of {received!r}")
        opened = LinkOpened(self.hello, memory_lost=False, behind=False, ignores=self.ignores)
        notices = [opened if byte == ord("H") else TOLD_BY[byte] for byte in received]
        notices += [CaughtUp() for order in orders if isinstance(order, Settled)]
        sent = b"".join(type(order).__name__.encode() + b"\n" for order in orders)
        return self._step(now, notices, sent + (self.answer if received else b""))


class Told:
    """The controller's side: what was told, and a way to wait for it."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self.notices: list[Notice] = []

    def __call__(self, device: str, notices: Sequence[Notice]) -> None:
        assert device == "shoe"
        with self._news:
            self.notices += notices
            self._news.notify_all()

    def wait_for(self, kind: type[Notice], count: int = 1) -> Notice:
        """Return the ``count``-th notice of a kind as soon as it is told."""
        with self._news:
            arrived = self._news.wait_for(lambda: len(self.of(kind)) >= count, LIMIT)
            assert arrived, f"no {count}. {kind.__name__}; told: {self.notices}"
            return self.of(kind)[count - 1]

    def of(self, kind: type[Notice]) -> list[Notice]:
        return [notice for notice in self.notices if isinstance(notice, kind)]


class Held:
    """What a test itself holds open: made before it opens anything, for a number given back is given out again."""

    def __init__(self) -> None:
        gc.collect()  # what earlier tests left behind is closed now, and not while this one counts
        self._files, self._threads = _open_files(), set(threading.enumerate())

    def now(self) -> tuple[int, int]:
        """How many descriptors and threads there are that were not at the beginning."""
        return len(_open_files() - self._files), len(set(threading.enumerate()) - self._threads)


def _open_files() -> set[tuple[str, str]]:
    """Each descriptor with what it leads to; one that is closed meanwhile, as that of the listing is, is none."""
    files = set()
    for one in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):
            files.add((one, os.readlink(f"/proc/self/fd/{one}")))
    return files


class Socket:
    """Where a device may be plugged in: each opening makes a fresh pipe and hands its far end to the test."""

    def __init__(self) -> None:
        self.plugged_in = True
        self._ends: SimpleQueue[MemoryPipe] = SimpleQueue()

    def open(self) -> Transport:
        if not self.plugged_in:
            raise LinkNotFoundError("memory", "no such port", "plug the device in")
        near, far = memory_pair()
        self._ends.put(far)
        return near

    def next_end(self) -> MemoryPipe:
        """Wait for the next opening and return its far end."""
        return self._ends.get(timeout=LIMIT)


def read_until(end: MemoryPipe, expected: bytes) -> None:
    """Read until exactly ``expected`` has come."""
    received = b""
    while len(received) < len(expected) and (more := end.read(LIMIT)):
        received += more
    assert received == expected


class Delays:
    """In place of the backoff: writes down after how many failures it was asked, and hardly waits."""

    def __init__(self, seconds: float = 0.0) -> None:
        self._seconds = seconds
        self._news = threading.Condition()
        self.asked: list[int] = []

    def __call__(self, failures: int) -> float:
        with self._news:
            self.asked.append(failures)
            self._news.notify_all()
        return self._seconds

    def wait_for(self, times: int) -> None:
        with self._news:
            assert self._news.wait_for(lambda: len(self.asked) >= times, LIMIT), "the port was not tried again"


@contextmanager
def running(
    core: ObedientCore,
    open_port: Opener,
    sink: Callable[[str, Sequence[Notice]], None],
    *,
    delays: Delays | None = None,
    others: Callable[[], str] = str,
) -> Iterator[LinkThread]:
    """Run a link thread, and stop it however the test ends."""
    link = LinkThread(
        device="shoe",
        port="/dev/shoe",
        core=core,
        open_port=open_port,
        sink=sink,
        clock=time.monotonic,
        delay=delays or Delays(),
        others=others,
    )
    link.start()
    try:
        yield link
    finally:
        assert link.stop(LIMIT), "the thread must end when told to"
