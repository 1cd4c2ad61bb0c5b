"""A core and a simulated device in bad weather: frames lost, delayed, doubled, damaged; either end killed; memory lost.

The properties are asserted as the storm runs; the numbers P1 to P9 are those of the protocol's model.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from drivers.cards import Face
from drivers.protocol import messages as m
from drivers.protocol import notices as n
from drivers.protocol.framing import END
from drivers.protocol.link_core import LinkCore
from sim_hardware.equipment import Identity
from sim_hardware.firmware import Firmware

TICK = 0.05
LEASE = 3.0
CAPABILITIES = (
    m.Capability.CAN_HOLD
    | m.Capability.CAN_LOCK_LID
    | m.Capability.CAN_SHUT_INTAKE
    | m.Capability.SHOWS_LAMP
    | m.Capability.HAS_DEALER_KEYS
)

Journalled = tuple[int, int]
"""An event by memory and number."""


class Device(Firmware):
    """A device with every level that deals as fast as it may and counts what it carries out."""

    levels = frozenset(m.Level)

    def __init__(self, weather: Random, now: float) -> None:
        self.happened: dict[Journalled, m.EventBody] = {}
        self.carried_out: list[int] = []
        super().__init__(Identity(m.Kind.SHOE, CAPABILITIES, "Storm", "S-1"), weather, now)

    def tell(self, body: m.EventBody) -> None:
        """Remember, beside the store, what truly happened."""
        before = self.store.last
        super().tell(body)
        if self.store.last > before:
            self.happened.update({(self.store.memory, kept): told for kept, told in self.store.kept_from(before + 1)})

    def carry_out(self, command: m.Command) -> bool:
        """Begin what ``finish`` ends."""
        self.carried_out.append(command.id)
        return True

    def finish(self) -> None:
        """End the command under way, if there is one."""
        if self.busy_with is not None:
            done, self.busy_with = self.busy_with, None
            self.tell(m.CommandResult(done, done=True))

    def live(self, weather: Random) -> None:
        """Let a card leave if one may, and other things happen."""
        if self.busy_with is not None:
            self.finish()
        elif self.released_for is not None and self.store.card_place_free:
            self.tell(m.CardDrawn(self.released_for, Face(weather.randint(1, 52))))
        if weather.random() < 0.02:
            self.tell(m.LidMoved(open=weather.random() < 0.5))


class Wire:
    """One direction. ``badness`` is the chance of each frame to meet something."""

    def __init__(self, weather: Random) -> None:
        self._weather = weather
        self._late: list[bytes] = []

    def carry(self, sent: bytes, badness: float) -> bytes:
        """Return what arrives now."""
        arriving = []
        if self._late and self._weather.random() < 0.3:
            arriving.append(self._late.pop(self._weather.randrange(len(self._late))))
        for frame in sent.split(END)[:-1]:
            fate = (
                self._weather.choice(("lost", "late", "copied", "damaged")) if self._weather.random() < badness else ""
            )
            if fate in ("", "copied"):
                arriving.append(frame)
            if fate in ("late", "copied"):
                self._late.append(frame)
            if fate == "damaged" and frame:
                arriving.append(frame[:-1] + bytes([frame[-1] ^ 0x55 or 1]))
        self._late = self._late[:20]
        return b"".join(frame + END for frame in arriving)

    def clear(self) -> None:
        """Unplug: what was under way is gone."""
        self._late.clear()


class Controller:
    """The least controller there can be: journals what it is told, renews after each flush, holds at whim."""

    def __init__(self, weather: Random) -> None:
        self._weather = weather
        self._nonces = Random(weather.random())
        self.journal: dict[Journalled, m.EventBody] = {}
        self.resume: n.Resume | None = None
        self.next_command = 1
        self.stalled_until = 0.0
        self.last_release = float("-inf")
        self.ordered: n.Carry | None = None
        self.start()

    def start(self) -> None:
        """Start, or start again after a kill: only the journal is left."""
        self.core = LinkCore(kind=m.Kind.SHOE, nonces=lambda: self._nonces.getrandbits(64), resume=self.resume)
        self.memory = self.resume.memory if self.resume else None
        self.number = self.resume.number if self.resume else 0
        self.unflushed: list[tuple[Journalled, m.EventBody | None]] = []
        self.boot: int | None = None
        self.released = self.confirmed = self.lapsed = False
        self.orders: list[n.Order] = [n.Want(m.Level.LAMP, 1), n.Want(m.Level.LID, 1), n.Want(m.Level.PROMPT, 9)]
        if self.ordered is not None:
            self.orders.append(self.ordered)
        self.heartbeat: tuple[int, int] | None = None

    def hear(self, notice: n.Notice) -> None:
        """Take one notice into the working state."""
        match notice:
            case n.LinkOpened(hello=hello, memory_lost=lost):
                assert lost == (self.memory is not None and hello.memory != self.memory), "P4"
                if self.memory is None or lost:
                    self.memory, self.number = hello.memory, hello.first_kept - 1
                    self.unflushed.append(((hello.memory, self.number), None))
                self.boot = hello.boot
                self.released = self.confirmed = self.lapsed = False
                self.heartbeat = None
            case n.LinkLost():
                self.released = self.confirmed = False
                self.heartbeat = None
            case n.EventTold(number=number, body=body, current=current):
                assert number == self.number + 1, "P2, P3"
                self.number = number
                assert self.memory is not None
                self.unflushed.append(((self.memory, number), body))
                self._consider(body, current)
            case n.HeartbeatHeard(link=link, number=number, lapsed=lapsed):
                self.heartbeat = link, number
                self.lapsed |= lapsed

    def _consider(self, body: m.EventBody, current: bool) -> None:
        if isinstance(body, m.HoldConfirmed) and current:
            self.confirmed = not self.released  # a release may be on its way down while this comes up
        if isinstance(body, m.Lapsed) and current:
            self.lapsed = True
        if isinstance(body, m.CommandResult) and self.ordered is not None and body.id == self.ordered.id:
            self.orders.append(n.Settled(body.id))
            self.ordered = None

    def turn(self, now: float, calm: bool) -> list[n.Order]:
        """Return what is ordered now; a flush happens in some turns only, and only after it anything permitting."""
        orders, self.orders = self.orders, []
        if self.lapsed or (self.released and (calm or self._weather.random() < 0.02)):
            orders.append(n.HoldNow())
            self.released = self.lapsed = self.confirmed = False
            self.heartbeat = None
        if not calm and self._weather.random() < 0.005:
            self.stalled_until = now + self._weather.uniform(1.0, 5.0)  # a slow disk
        if calm or (now > self.stalled_until and self._weather.random() < 0.5):
            orders += self._flush()
            orders += [] if calm else self._permit(now)
        return orders

    def _permit(self, now: float) -> Iterator[n.Order]:
        if self.heartbeat is not None and (self.released or self._weather.random() < 0.3):
            yield n.Release(m.Purpose.DEAL, *self.heartbeat)
            self.released, self.confirmed, self.last_release = True, False, now
            self.heartbeat = None
        if self.ordered is None and self.boot is not None and self._weather.random() < 0.02:
            self.ordered = n.Carry(self.next_command, self.boot, m.Operation.INVENTORY)
            self.next_command += 1
            yield self.ordered

    def _flush(self) -> list[n.Order]:
        for at, body in self.unflushed:
            assert at not in self.journal, "P2"
            if body is not None:
                self.journal[at] = body
            self.resume = n.Resume(*at)
        acks = [n.AckEvents(number, memory) for (memory, number), body in self.unflushed[-1:] if body is not None]
        self.unflushed.clear()
        return list(acks)


class Storm:
    """Both ends and the weather between them, all from one seed."""

    def __init__(self, seed: int) -> None:
        self.weather = Random(seed)
        self.now = 10.0
        self.device = Device(self.weather, self.now)
        self.controller = Controller(self.weather)
        self.up, self.down = Wire(self.weather), Wire(self.weather)
        self._to_device = self.controller.core.connected(self.now).to_send
        self.links = 0

    def run(self, seconds: float, badness: float, trouble: float) -> None:
        """Let time pass; ``trouble`` is the chance of a tick to see one end struck."""
        for _ in range(int(seconds / TICK)):
            if self.weather.random() < trouble:
                self.weather.choice((self._kill, self._reset, self._lose_memory, self._unplug))()
            self.device.live(self.weather)
            self._tick(badness, calm=False)

    def settle(self, seconds: float, badness: float) -> None:
        """Let time pass in which nothing new happens: what is under way, lost or owed is made good or never will be."""
        for _ in range(int(seconds / TICK)):
            self.device.finish()
            self._tick(badness, calm=True)

    def _tick(self, badness: float, calm: bool) -> None:
        self.now += TICK
        told = self.device.step(self.now, self.down.carry(self._to_device, badness))
        self._check_device()
        step = self.controller.core.step(self.now, self.up.carry(told, badness), self.controller.turn(self.now, calm))
        for notice in step.notices:
            self.links += isinstance(notice, n.LinkOpened)
            self.controller.hear(notice)
        self._to_device = step.to_send

    def _check_device(self) -> None:
        store, controller = self.device.store, self.controller
        for number in range(1, store.first_kept):
            assert (store.memory, number) in controller.journal, f"P1: event {number} is forgotten, not journalled"
        if self.device.released_for is not None:
            assert not controller.confirmed, "P6: released though the hold was confirmed"
            assert self.now <= controller.last_release + LEASE, "P7: released without a turn in the last 3 s"
        assert len(set(self.device.carried_out)) == len(self.device.carried_out), "P5: carried out twice"

    def _kill(self) -> None:
        self.controller.start()
        self._to_device = self.controller.core.connected(self.now).to_send

    def _reset(self) -> None:
        self.device.boot(self.now)
        self.controller.confirmed = False  # what was confirmed is of the boot before

    def _lose_memory(self) -> None:
        self.device.boot(self.now, memory_lost=True)
        self.controller.confirmed = False

    def _unplug(self) -> None:
        self.up.clear()
        self.down.clear()
        for notice in self.controller.core.disconnected(self.now, "unplugged").notices:
            self.controller.hear(notice)
        self.device.plugged_in()
        self._to_device = self.controller.core.connected(self.now).to_send
