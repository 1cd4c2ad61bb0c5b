"""Lines of every kind between a table's cores and its devices, on a stepped clock, and what each has carried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

from drivers.protocol import codec
from drivers.protocol import messages as m
from drivers.protocol import notices as n
from drivers.protocol.framing import END, MAX_FRAME, FrameDecoder
from drivers.registry import DRIVERS
from sim_hardware.faults import DEVICES
from sim_hardware.mechanics import QUICK
from sim_hardware.table import CarouselTable, Fittings, Now, PhysicalTable
from tests.protocol.course import Desk, People, course
from tests.protocol.wire import Fate, Wire

TICK = 0.02
LIMIT = 120.0
"""Seconds of stepped time in which the course must have ended."""

SEED = 5
FITTINGS = Fittings(decks=1, rates=QUICK)
DRIVER_OF = {"shuffler": "continuous_shuffler", "shoe": "shoe", "keypad": "keypad", "lamp": "lamp"}
"""The driver of each simulated device."""

Way = Callable[[float, bytes], bytes]
"""One direction: takes the time and what was sent, gives what arrives."""

Line = Callable[[Random], tuple[Way, Way]]
"""Makes the two directions of one device's line: to the device, and from it."""


def whole(rng: Random) -> tuple[Way, Way]:  # noqa: ARG001
    """All arrives at once."""
    return _all, _all


def _all(now: float, sent: bytes) -> bytes:  # noqa: ARG001
    return sent


def late_by(seconds: float) -> Line:
    """All arrives so much later."""

    def way() -> Way:
        under_way: list[tuple[float, bytes]] = []

        def carry(now: float, sent: bytes) -> bytes:
            under_way.append((now + seconds, sent))
            arriving = b""
            while under_way and under_way[0][0] <= now:
                arriving += under_way.pop(0)[1]
            return arriving

        return carry

    return lambda rng: (way(), way())  # noqa: ARG005


def merged(ticks: int) -> Line:
    """What was sent in so many ticks arrives as one piece."""

    def way() -> Way:
        gathered: list[bytes] = []

        def carry(now: float, sent: bytes) -> bytes:  # noqa: ARG001
            gathered.append(sent)
            if len(gathered) < ticks:
                return b""
            arriving = b"".join(gathered)
            gathered.clear()
            return arriving

        return carry

    return lambda rng: (way(), way())  # noqa: ARG005


def striking(badness: float, *fates: Fate) -> Line:
    """Each frame has this chance to meet one of these."""

    def way(rng: Random) -> Way:
        wire = Wire(rng, Counter(), fates)
        wire.badness = badness
        return lambda now, sent: wire.carry(sent)  # noqa: ARG005

    return lambda rng: (way(rng), way(rng))


def without(kind: type[m.Message], share: float) -> Line:
    """So many of the host's messages of one kind are lost."""

    def line(rng: Random) -> tuple[Way, Way]:
        def carry(now: float, sent: bytes) -> bytes:  # noqa: ARG001
            frames = [frame + END for frame in sent.split(END)[:-1]]
            return b"".join(frame for frame in frames if not (isinstance(said(frame), kind) and rng.random() < share))

        return carry, _all

    return line


def dead(since: float, until: float, *, up: bool) -> Line:
    """Nothing passes one way, or the other, in this span; what was sent then is lost."""

    def carry(now: float, sent: bytes) -> bytes:
        return b"" if since <= now < until else sent

    return lambda rng: (_all, carry) if up else (carry, _all)  # noqa: ARG005


def stalled(since: float, until: float) -> Line:
    """The device's line takes nothing in this span, and all of it afterwards."""

    def line(rng: Random) -> tuple[Way, Way]:  # noqa: ARG001
        waiting: list[bytes] = []

        def carry(now: float, sent: bytes) -> bytes:
            waiting.append(sent)
            if since <= now < until:
                return b""
            arriving = b"".join(waiting)
            waiting.clear()
            return arriving

        return carry, _all

    return line


def noise_first(rng: Random) -> tuple[Way, Way]:
    """Before the first byte of the device comes noise, without an end."""
    noise = [bytes(rng.randint(1, 255) for _ in range(150))]
    return _all, lambda now, sent: (noise.pop() if noise and sent else b"") + sent  # noqa: ARG005


def overlong(rng: Random) -> tuple[Way, Way]:
    """Now and then a frame far too long stands before others."""

    def carry(now: float, sent: bytes) -> bytes:  # noqa: ARG001
        return (b"\x55" * (2 * MAX_FRAME) + END + sent) if sent and rng.random() < 0.2 else sent

    return carry, carry


def said(frame: bytes) -> m.Message | None:
    """The message of a whole frame; None for an opening zero."""
    payloads = FrameDecoder().feed(frame)
    return codec.decode(payloads[0]) if payloads else None


class Table:
    """Four cores, four devices, four lines; ``play`` plays the course."""

    def __init__(self, line: Line, *, one_byte: bool = False, until: float = LIMIT) -> None:
        rng = Random(11)
        self.now = 0.0
        self.table = CarouselTable(Random(SEED), Now(0.0, 0.0), FITTINGS)
        self.passed: Counter[type[m.Message]] = Counter()
        """Messages sent, by type."""
        self.commands: list[m.Command] = []
        self._until = until
        self._one_byte = one_byte
        self._orders: dict[str, list[n.Order]] = {name: [] for name in DEVICES}
        self.desks = {name: Desk(self._orders[name].append) for name in DEVICES}
        nonces = Random(7)
        self._cores = {name: DRIVERS[DRIVER_OF[name]].core(lambda: nonces.getrandbits(64)) for name in DEVICES}
        self._lines = {name: line(rng) for name in DEVICES}
        self._sent = {name: core.connected(0.0).to_send for name, core in self._cores.items()}

    def play(self) -> bool:
        """Play the course; return whether it came to its end in time."""
        for must in course(People(self._hands, self.desks)):
            while not must():
                if self.now > self._until:
                    return False
                self._tick()
        return True

    def pass_time(self, seconds: float) -> None:
        """Let time pass in which nobody does anything."""
        end = self.now + seconds
        while self.now < end:
            self._tick()

    @property
    def told(self) -> Counter[type]:
        """How often each kind of notice, and each kind of event, was told."""
        told = Counter[type]()
        for desk in self.desks.values():
            told += Counter(desk.told) + Counter(map(type, desk.events))
        return told

    @contextmanager
    def _hands(self) -> Iterator[PhysicalTable]:
        yield self.table

    def _tick(self) -> None:
        self.now += TICK
        now = Now(self.now, self.now)
        arriving = {name: down(self.now, self._sent[name]) for name, (down, _) in self._lines.items()}
        told = self.table.step(now, dict.fromkeys(DEVICES, b""))
        for name, data in arriving.items():
            for piece in self._pieces(data):
                told[name] += self.table.step(now, {name: piece}).get(name, b"")
        for name, core in self._cores.items():
            self._note(told[name])
            orders, self._orders[name][:] = list(self._orders[name]), []
            self._sent[name] = b""
            for piece in self._pieces(self._lines[name][1](self.now, told[name])) or [b""]:
                step = core.step(self.now, piece, orders)
                orders = []
                self._sent[name] += step.to_send
                self.desks[name].hear(step.notices)
            self._note(self._sent[name])

    def _pieces(self, data: bytes) -> list[bytes]:
        if self._one_byte:
            return [data[at : at + 1] for at in range(len(data))]
        return [data] if data else []

    def _note(self, sent: bytes) -> None:
        for payload in FrameDecoder().feed(sent):
            message = codec.decode(payload)
            self.passed[type(message)] += 1
            if isinstance(message, m.Command):
                self.commands.append(message)
