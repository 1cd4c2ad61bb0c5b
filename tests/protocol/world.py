"""A core and a simulated device with a bad line between them: everything that can happen to both is a method here.

The promises are asserted as time passes; P1 to P10 are the properties of the protocol's model, numbers in brackets its
rules; P11 is of the host alone: who hears nothing is lost, or not ready and said to ignore something. Nothing here
draws what happens: ``test_model.py`` and ``storm.py`` do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from random import Random

from drivers.cards import Face
from drivers.protocol import messages as m
from drivers.protocol import notices as n
from drivers.protocol.openings import BURST, PERIOD
from sim_hardware.equipment import Identity
from sim_hardware.firmware import HEARTBEAT_PERIOD, LEASE, Firmware
from tests.protocol.journalling_host import At, JournallingHost
from tests.protocol.wire import Wire

TICK = 0.05
RECOVERY = 4 * HEARTBEAT_PERIOD + 6 * TICK
"""Seconds after the last fault within which the link is up, all is journalled and acked, the hold confirmed.

The heartbeat drives everything (9). A half frame may stand before the first one and spoil it, one at the device may
spoil the OPEN that the second one has sent; the OPEN sent by the third is whole. The fourth has the host ask for what
was numbered since the HELLO, if it had nothing to ask for then, and send an outstanding command again (17). Ways to and
fro: HELLO, the events asked for, the ack of them.
"""

CAPABILITIES = (
    m.Capability.CAN_HOLD
    | m.Capability.CAN_LOCK_LID
    | m.Capability.CAN_SHUT_INTAKE
    | m.Capability.SHOWS_LAMP
    | m.Capability.HAS_DEALER_KEYS
    | m.Capability.SENDS_STROKES
)
WANTED = {m.Level.LAMP: 1, m.Level.LID: 1, m.Level.PROMPT: 9}

DIGITS = 3
"""Of each entry typed: a part of one, or two in one, has another number of them."""


Carry = Callable[[bytes], bytes]


DEAF = 6.0
"""Seconds after which a device that hears nothing must be lost: what is asked of it may begin with the lapse (3 s)."""


class Device(Firmware):
    """A device with every level and with keys. It deals when told to live, and remembers what truly happened."""

    levels = frozenset(m.Level)

    def __init__(self, rng: Random, now: float) -> None:
        self.happened: dict[At, m.EventBody] = {}
        self.results: dict[At, int] = {}
        """In which boot each result came about."""
        self.begun_in: list[tuple[int, int]] = []
        """Commands carried out, in order: in which boot, which id."""
        self.lid_open = False
        self.typed = 0
        self.keys_left: list[int] = []
        super().__init__(Identity(m.Kind.SHOE, CAPABILITIES, "World", "W-1"), rng, now)

    def step(self, now: float, received: bytes) -> bytes:
        """Remember, beside the store, what it has numbered; nobody has heard of it yet, so nothing is forgotten."""
        sent = super().step(now, received)
        self.happened.update({(self.store.memory, number): body for number, body in self.store.kept_from(1)})
        return sent

    def carry_out(self, command: m.Command) -> bool:
        """Begin what ``finish`` ends."""
        self.begun_in.append((self._boot_id, command.id))
        return True

    def finish(self) -> None:
        """End the command under way, if there is one."""
        if self.busy_with is not None:
            done, self.busy_with = self.busy_with, None
            before = self.store.last
            self.tell(m.CommandResult(done, done=True))
            if self.store.last > before:
                self.results[self.store.memory, before + 1] = self._boot_id

    def deal(self, face: int) -> None:
        """Let a card leave, if one may."""
        if self.released_for is not None and self.store.card_place_free and self.busy_with is None:
            self.tell(m.CardDrawn(self.released_for, Face(face)))

    def move_lid(self) -> None:
        """Open or close the lid."""
        self.lid_open = not self.lid_open
        self.tell(m.LidMoved(open=self.lid_open))

    def press(self) -> None:
        """Press the next key of somebody who types 001 Enter, 002 Enter …"""
        if not self.keys_left:
            self.typed += 1
            self.keys_left = [*map(int, f"{self.typed:0{DIGITS}}"), m.Key.ENTER]
        key = self.keys_left.pop(0)
        counter = self.next_stroke()
        if counter is not None:
            self.send(m.Stroke(self.link, counter, self.values[m.Level.PROMPT], key))


class World:
    """Both ends, the line and the clock. ``struck`` counts what happened."""

    def __init__(self, seed: int, struck: Counter[str]) -> None:
        self.rng = Random(seed)
        self.struck = struck
        self.now = 10.0
        self.device = Device(self.rng, self.now)
        self.down, self.up = Wire(self.rng, struck), Wire(self.rng, struck)
        self.host = JournallingHost(Random(seed ^ 1), WANTED)
        self.host.device, self.host.results = self.device.happened, self.device.results
        self.slowest = 0.0
        """Seconds that the slowest recovery took."""
        self.lively = False
        """Whether both ends do in each tick what they may, by chance."""
        self.is_sound = True
        """Whether no promise was broken so far."""
        self._plugged = True
        self._host_dead_for = self._device_hangs_for = 0
        self._to_device = self.host.start(self.now)
        self._kept_at_opening: tuple[int, int, int] = (0, 0, 0)
        self._permitted = False
        self._lapsed = (0, 0)

    # ---- time

    def pass_time(self, ticks: int) -> None:
        """Let so many ticks pass."""
        for _ in range(ticks):
            if self.lively:
                self._live()
            self._tick(self.down.carry, self.up.carry)

    def _live(self) -> None:
        device, host, rng = self.device, self.host, self.rng
        for chance, happens in (
            (0.5, lambda: device.deal(rng.randint(1, 52))),
            (0.5, device.finish),
            (0.02, device.move_lid),
            (0.002, lambda: [device.move_lid() for _ in range(30)]),
            (0.2, device.press),
            (0.1, host.release),
            (0.01, host.hold),
            (0.1, host.order_command),
            (0.01, host.give_up),
        ):
            if rng.random() < chance:
                happens()

    def _tick(self, carry_down: Carry, carry_up: Carry) -> None:
        self.is_sound = False
        self.now += TICK
        sent, self._to_device = self._to_device, b""
        arriving = carry_down(sent) if self._plugged else b""
        told = b""
        if self._device_hangs_for > 0:
            self._device_hangs_for -= 1
        else:
            told = self.device.step(self.now, arriving)
            self._check_device()
        heard = carry_up(told) if self._plugged else b""
        if self._host_dead_for > 0:
            self._host_dead_for -= 1
            self._to_device = b"" if self._host_dead_for else self.host.start(self.now)
        else:
            unknown = len(self.host.unknown)
            self._to_device = self.host.turn(self.now, heard)
            if len(self.host.unknown) > unknown:
                self._check_unknown(self.host.unknown[-1])
        self.is_sound = True

    # ---- what strikes

    def kill(self, ticks: int) -> None:
        """Kill the controller; so many ticks later it starts again with what was flushed. Frames stay under way."""
        self._count("controller killed")
        self._die(ticks)

    def restore(self, ticks: int) -> None:
        """The same, with an older copy of the journal (13)."""
        self._count("an older journal restored")
        self.host.restore_older()
        self._die(ticks)

    def _die(self, ticks: int) -> None:
        self.replug()
        self._host_dead_for = ticks + 1
        self.host.die()

    def reset(self, memory_lost: bool) -> None:
        """Cut the device's power and give it back."""
        self._count("device reset, memory lost" if memory_lost else "device reset, memory kept")
        self.device.boot(self.now, memory_lost)
        self.host.confirmed = False  # what was confirmed is of the boot before

    def hang(self, ticks: int) -> None:
        """The device does nothing for a while, and then goes on."""
        self._count("device hung")
        self._device_hangs_for = ticks

    def unplug(self) -> None:
        """Pull the cable: what is under way is lost."""
        if self._plugged and not self._host_dead_for:
            self._count("unplugged")
            self._plugged = False
            self.up.unplug()
            self.down.unplug()
            self._to_device = b""
            self.host.unplugged(self.now)

    def replug(self) -> None:
        """Plug the cable in again."""
        if not self._plugged:
            self._plugged = True
            self.device.plugged_in()
            self._to_device = self.host.plugged_in(self.now)

    def slow_flush(self, ticks: int) -> None:
        """Let the disk take so long."""
        self._count("slow flush")
        self.host.stalled_until = self.now + ticks * TICK

    def _count(self, what: str) -> None:
        self.struck[what] += 1

    # ---- the faults stop, or one remains

    def deafen(self) -> None:
        """All else is well, but nothing reaches the device any more: its link must be lost, or not be ready (P11)."""
        self._nothing_strikes()
        self._count("deaf")
        for _ in range(round(DEAF / TICK)):
            self._tick(lambda sent: b"", self.up.carry)  # noqa: ARG005
        counts = self.host.is_open and not self.host.ignoring
        assert not counts, f"P11: a device that has heard nothing for {DEAF:g} s counts as connected"

    def calm_down(self) -> None:
        """Let nothing strike any more; the link must be up and everything told within its bound (P9)."""
        self._nothing_strikes()
        began = self.now
        seldom = PERIOD if self.host.openings >= BURST else 0.0  # 6.1: one that begins anew too often is asked seldom
        while owed := self._owed():
            limit = RECOVERY + seldom
            assert self.now < began + limit, f"P9: after {limit:g} s without a fault {owed}"
            self.device.finish()
            self.pass_time(1)
        self.slowest = max(self.slowest, 0.0 if seldom else self.now - began)
        memory = self.device.store.memory
        happened = {at: body for at, body in self.device.happened.items() if at[0] == memory}
        assert {at: body for at, body in self.host.ever.items() if at[0] == memory} == happened, "P1, P2, P9"
        self._check_entries()
        if self.host.ignoring:  # it obeys by now, as the next heartbeat shows
            self.pass_time(round(HEARTBEAT_PERIOD / TICK) + 2)
        assert not self.host.ignoring, "P9: a device that does all that it is asked is said to ignore something"

    def _nothing_strikes(self) -> None:
        self.lively = False
        self.replug()
        self._host_dead_for = min(1, self._host_dead_for)
        self._device_hangs_for = 0
        self.host.stalled_until = self.now
        self.host.hold()
        down, up = self.down.calm_down(), self.up.calm_down()
        self._tick(lambda sent: sent + down, lambda sent: up + sent)  # what is under way still arrives

    def _owed(self) -> str:
        """What is not yet as it must be when nothing strikes; empty when all is."""
        store, host, device = self.device.store, self.host, self.device
        if not host.is_open or host.link != device.link:
            return "no link is open"
        if store.first_kept <= store.last:
            return "events are not acked"
        if not host.confirmed:
            return "the hold is not confirmed"
        if any(device.values[level] != value for level, value in WANTED.items()):
            return "a level is not in force"
        return "a command is not settled" if host.ordered is not None else ""

    def _check_entries(self) -> None:
        """Of two entries typed in calm the second is taken: an Enter ends what was broken before (31)."""
        for _ in range(len(self.device.keys_left) + 2 * (DIGITS + 1)):
            self.device.press()
        self.pass_time(1)
        assert self.host.taken[-1:] == [self.device.typed], "P10: an entry typed in calm was not taken"

    # ---- promises

    def _check_device(self) -> None:
        store, host = self.device.store, self.host
        for number in range(1, store.first_kept):
            assert (store.memory, number) in host.ever, f"P1: event {number} is forgotten, not journalled"
        unseen = [at for at in self._cards() if at not in host.ever]
        assert len(unseen) <= self.device.identity.window, "P8: more than a window of cards is out unseen"
        if self.device.released_for is not None:
            assert not host.confirmed, "P6: released though the hold was confirmed"
            assert self.now <= host.released_at + LEASE, "P7: released without a turn in the last 3 s"
        begun = self.device.begun_in
        assert len(begun) == len(set(begun)), "P5: carried out twice"
        assert all(one < two for (boot, one), (then, two) in pairwise(begun) if boot == then), "P5: after a later one"
        assert host.orders.issuperset(begun), "P5: carried out, and no record flushed orders it in this boot"
        self._check_permissions()

    def _cards(self) -> list[At]:
        store = self.device.store
        kept = store.kept_from(store.first_kept)
        return [(store.memory, number) for number, body in kept if isinstance(body, m.CARD_BODIES)]

    def _check_permissions(self) -> None:
        """Nothing permitting before the events of the hello are journalled (27)."""
        store, session = self.device.store, self.device._session
        if self._kept_at_opening[0] != self.device.link:
            self._kept_at_opening = self.device.link, store.memory, store.last
            self._permitted = False
        if session.lapsed:
            self._lapsed = self.device.release_id
        permitted = self.device.released_for is not None
        assert not permitted or self.device.release_id != self._lapsed, "P7: released again under a spent revision"
        if permitted and not self._permitted:
            _, memory, last = self._kept_at_opening
            missing = [number for number in range(1, last + 1) if (memory, number) not in self.host.ever]
            assert not missing, f"P6: released before events {missing} of the hello were journalled"
        self._permitted = permitted

    def _check_unknown(self, command: n.Carry) -> None:
        device, store = self.device, self.device.store
        result = m.CommandResult(command.id, done=True)
        told = [at for at, boot in device.results.items() if boot == command.boot and device.happened.get(at) == result]
        kept = [at for at in told if at in self.host.known or (at[0] == store.memory and at[1] >= store.first_kept)]
        assert not kept, "P5: unknown, though the device keeps its result"
