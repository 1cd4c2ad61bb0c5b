"""Capture of the raw bytes of a link as JSON lines, and their replay through the core of the driver they came from.

It holds what the core was given and gave, when it was: what a port sends while it settles counts from when it is handed
on. Of what may be a keypad's, and so a PIN, it holds how much and when, and never a byte (``tap.py``). An order of
undealt cards stands on no wire, so it stands in no capture either.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Literal

import msgspec
import structlog
from msgspec import Struct

from drivers.device import Driver
from drivers.errors import CaptureError, RemoteProtocolError
from drivers.protocol import codec, framing
from drivers.protocol.messages import Open
from drivers.protocol.notices import AckEvents, DeviceCore, EventTold, LinkOpened, Notice, Order, Step

MOST_BYTES = 64 * 1024 * 1024
"""How large a capture grows at most: then it stops and says so, and the table goes on."""

OWNER_ONLY = 0o600

_APPENDING = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
"""Not waiting: a pipe in the capture's place, which nobody reads, must not hold up the link."""

_START = b'{"t":'
"""How each line of a capture begins, and so the file."""

Passed = Literal["opened", "in", "out", "closed"]
"""What a line of a capture tells of."""


class Entry(Struct, frozen=True, omit_defaults=True):
    """One line: at which second of the machine's clock what passed over which link.

    ``masked``: so many bytes came, and all that is written of them is ``hex``: the end of a frame that began in
    the open.
    """

    t: float
    link: str
    driver: str
    what: Passed
    hex: str = ""
    masked: int = 0


class Capture:
    """Writes what passes over one link. What it cannot write it says once; the link never fails for it."""

    def __init__(self, path: Path, device: str, driver: str, clock: Callable[[], float]) -> None:
        self._path = path
        self._device = device
        self._driver = driver
        self._clock = clock
        self._is_over = False
        self._taken = 0, 0  # which file it is, as device and inode
        self._log = structlog.get_logger().bind(device=device, path=str(path))

    def note(self, what: Passed, data: bytes = b"", masked: int = 0) -> None:
        """Write one line; ``masked``: how many bytes came, where they are not to be written."""
        if self._is_over:
            return
        entry = Entry(self._clock(), self._device, self._driver, what, data.hex(), masked)
        try:
            self._append(msgspec.json.encode(entry) + b"\n")
        except OSError as error:
            self._end("capture_failed", str(error.strerror))

    def _append(self, line: bytes) -> None:
        file = os.open(self._path, _APPENDING, OWNER_ONLY)
        try:
            self._take(file)
            if os.write(file, line) < len(line):  # a line after half of one would be read by nobody
                raise OSError(errno.ENOSPC, "only a part of a line could be written")
            size = os.fstat(file).st_size
        finally:
            os.close(file)
        if size >= MOST_BYTES:
            self._end("capture_full", f"it has reached {MOST_BYTES} bytes; take it away to go on at the next start")

    def _take(self, file: int) -> None:
        """See that a file is a capture, and its owner's alone, before the first line goes into it.

        Raises OSError for one that holds anything else: what this would add to it would spoil it.
        """
        found = os.fstat(file)
        if (found.st_dev, found.st_ino) == self._taken or not stat.S_ISREG(found.st_mode):
            return
        if found.st_size and not self._begins_as_a_capture():
            raise OSError(errno.EEXIST, "it holds something else than a capture, and is left as it is; name another")
        if stat.S_IMODE(found.st_mode) != OWNER_ONLY:
            os.fchmod(file, OWNER_ONLY)
        self._taken = found.st_dev, found.st_ino

    def _begins_as_a_capture(self) -> bool:
        with self._path.open("rb") as file:
            return file.read(len(_START)) == _START

    def _end(self, event: str, reason: str) -> None:
        self._is_over = True
        self._log.warning(event, reason=reason)


# ---- replay


def read_capture(path: Path) -> list[Entry]:
    """Return the lines of a capture, without a last one that is cut short, which is said in the log.

    Raises CaptureError for a file that is none, with the line.
    """
    try:
        *lines, cut = path.read_bytes().split(b"\n")
    except OSError as error:
        raise CaptureError(f"{path}: {error.strerror}; name a capture that can be read") from error
    if cut:
        remedy = "its last line is cut short and left out; all before it is read"
        structlog.get_logger().warning("capture_cut", path=str(path), line=len(lines) + 1, remedy=remedy)
    return [_entry(path, number, line) for number, line in enumerate(lines, start=1)]


def _entry(path: Path, number: int, line: bytes) -> Entry:
    try:
        entry = msgspec.json.decode(line, type=Entry)
        bytes.fromhex(entry.hex)
    except ValueError as error:
        raise CaptureError(f"{path}: line {number} is none of a capture ({error}); name another file") from error
    return entry


def replay(entries: Iterable[Entry], drivers: Mapping[str, Driver]) -> Iterator[tuple[Entry, Notice]]:
    """Feed captured bytes to fresh cores, and yield what these tell; each event is journalled at once.

    Raises CaptureError for a driver that is unknown here.
    """
    links: dict[str, _Replayed] = {}
    entries = list(entries)
    for place, entry in enumerate(entries):
        if entry.driver not in drivers:
            raise CaptureError(
                f"the capture is of the driver {entry.driver!r}, which is unknown here; add it to the registry"
            )
        if entry.link not in links:
            own = [one for one in entries[place:] if one.link == entry.link]
            links[entry.link] = _Replayed(drivers[entry.driver], own)
        yield from ((entry, notice) for notice in links[entry.link].take(entry))


class _Replayed:
    """A core that hears again what it was told then."""

    def __init__(self, driver: Driver, entries: list[Entry]) -> None:
        self._openings = _openings(entries)
        self._nonce = 0
        self._unsent = count(1)
        self._core: DeviceCore = driver.core(self._next_nonce)
        self._memory = 0
        self._deadline: float | None = None
        self._is_open = False

    def _next_nonce(self) -> int:
        """The number that was drawn then, by the opening that shows it; a wire that shows none may have any."""
        while self._openings and self._openings[0] == self._nonce:
            self._openings.pop(0)
        self._nonce = self._openings[0] if self._openings else next(self._unsent)
        return self._nonce

    def take(self, entry: Entry) -> Iterator[Notice]:
        """Yield what the core tells at an entry, and what it told while it waited for that."""
        while self._is_open and self._deadline is not None and self._deadline < entry.t:
            at, self._deadline = self._deadline, None
            yield from self._heard(at, self._core.step(at, b"", ()))
        match entry.what:
            case "opened":
                self._is_open = True
                yield from self._heard(entry.t, self._core.connected(entry.t))
            case "in" if self._is_open:
                yield from self._heard(entry.t, self._core.step(entry.t, bytes.fromhex(entry.hex), ()))
            case "closed" if self._is_open:
                self._is_open = False
                yield from self._heard(entry.t, self._core.disconnected(entry.t, "the capture has it closed"))

    def _heard(self, at: float, step: Step) -> Iterator[Notice]:
        orders: list[Order] = []
        self._deadline = step.deadline if step.deadline is None or step.deadline > at else None
        for notice in step.notices:
            yield notice
            if isinstance(notice, LinkOpened):
                self._memory = notice.hello.memory
            elif isinstance(notice, EventTold):
                orders.append(AckEvents(notice.number, self._memory))
        if orders and self._is_open:
            yield from self._heard(at, self._core.step(at, b"", orders))


def _openings(entries: Iterable[Entry]) -> list[int]:
    """The numbers with which sabot/1 opened its links, as they were sent."""
    decoder = framing.FrameDecoder()
    found = []
    for entry in entries:
        if entry.what == "out":
            for payload in decoder.feed(bytes.fromhex(entry.hex)):
                try:
                    message = codec.decode(payload)
                except RemoteProtocolError:
                    continue  # another wire's bytes that happen to look like a frame
                if isinstance(message, Open):
                    found.append(message.nonce)
    return found
