"""The world of a shift: the stepped table with a disk, a controller that can be killed, and people who look up.

A kill is the process gone at a call of one of the controller's ports: entries not flushed, orders, acks and the open
entry of the keypad are lost with it; the devices go on alone. A failed flush ends the run as in production, with
everything held. Either way a new controller starts after a while on what the journal holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time
from functools import partial
from random import Random

from drivers.protocol.messages import CardDrawn, CardFed, CardIn, HoldConfirmed, Lapsed
from firmware_bridge.service.assembly import (
    AT_REST,
    Assembly,
    Carry,
    Checked,
    CheckWanted,
    JournalResumed,
    MayAct,
    Now,
    Order,
    Renewed,
    RenewWanted,
    Room,
    Screen,
    Store,
)
from firmware_bridge.service.config import Config
from firmware_bridge.service.inspection import BridgeError, Entry, JournalError
from firmware_bridge.service.stores import MemoryStore
from sim_hardware.commands.crowd import ROLES
from sim_hardware.commands.stepped import EPOCH_NS, NEVER, SECOND, Credentials, Input, Renewal, SteppedTable
from sim_hardware.rig import Fitted

SHORTEST_REST, LONGEST_REST = 1, 20
"""Seconds after which a controller that is gone is started anew."""

SPARED, WHILE_IT_COUNTS = 0.5, 4.0
"""Share of kills at a command that come while the machine carries it out, and within how many seconds."""

FREE_MB = 40
"""What is told of the disk's room."""

FORGOTTEN = (CardIn, CardFed, CardDrawn, HoldConfirmed, Lapsed)
"""What the next count misses at the latest; of a lid or a jam that was told and forgotten nobody would ever hear."""

A_MONTH = 30 * 86_400
"""Seconds; within them somebody may set the wall's clock back, and the table opens all the same."""

LATEST_YEAR = 2200

CHECK_TAKES = (0.1, 1.5)
"""Seconds that a credential check takes, at least and at most."""


def begin(first_day: date) -> int:
    """UTC in nanoseconds at which the clock begins by a book with a permission from a day on: a month after it.

    Raises ``BridgeError`` for a day that no clock of nanoseconds comes to.
    """
    if first_day.year > LATEST_YEAR:
        raise BridgeError(f"a permission from {first_day} on: simulated shifts are played up to {LATEST_YEAR}")
    return int(datetime.combine(first_day, time.min, UTC).timestamp() + A_MONTH) * SECOND


class Killed(BaseException):
    """The controller's process is gone, in the middle of whatever it did. No code of the product may catch it."""


class Disk:
    """The controller's journal: in memory, with a disk that may be slow, may fail, and forgets what was not flushed."""

    def __init__(self, world: World, kept: MemoryStore) -> None:
        self._world = world
        self._kept = kept
        self.flushed: list[Entry] = []
        """Every entry that is safe, in order."""

    @property
    def last_number(self) -> int:
        """Number of the last record kept."""
        return self._kept.last_number

    def append(self, entries: Sequence[Entry], *, sign: bool) -> None:
        """Keep the entries. Raises ``JournalError``, or ``Killed`` before or after they are safe."""
        self._world.before_flush()
        self._kept.append(entries, sign=sign)
        self._world.port_called()
        self._kept.flush()
        self.flushed += entries
        self._world.after_flush()

    def begin_segment(self) -> None:
        """Begin the next segment."""
        self._world.port_called()
        self._kept.begin_segment()
        self._kept.flush()


class World(SteppedTable):
    """A table with a life of its own. ``looks`` is called when people look up, ``happened`` after every event."""

    to_host_ns = 2_000_000
    to_device_ns = 2_000_000

    def __init__(
        self,
        config: Config,
        credentials: Credentials,
        seed: int,
        fittings: Fitted,
        renewal: Renewal,
        happened: Callable[[], None],
    ) -> None:
        self.epoch_ns = max([EPOCH_NS, *(begin(one.holds_from) for one in config.book.permissions)])
        self.running = False
        self.looked = 0
        """How often people looked up, or fate struck: whatever they did is new to see."""
        self.turns = 0
        self.right_entries: Counter[int] = Counter()
        """How often each number was typed with its own PIN."""
        self.renewals: Counter[int] = Counter()
        """How often each person's PIN was renewed in the people file."""
        self.look_due = NEVER
        self.looks: Callable[[], None] = lambda: None
        self.ordered: Callable[[str, Order], None] = lambda _device, _order: None
        self.flushes: Callable[[], None] = lambda: None
        self.happened = happened
        self.plans: list[tuple[int, Callable[[], None]]] = []
        self.flush_takes_ns = 0
        """How long the next flush takes."""
        self.usual_flush_ns = 0
        """How long each one takes after it."""
        self.blocked_s = 0.0
        """How long the longest flush of this shift held the controller up."""
        self.slow_flush_untold = False
        """A flush took longer than the house allows, and no record says so yet."""
        self.screen_shown = True
        self.disk_low = False
        self.barred: set[int] = set()
        """Whose right to act is taken: the people file says so."""
        self.clock_off_ns = 0
        """By how much the wall's clock is ahead of the world's."""
        self.clock_untold_ns = 0
        """By how much it was set since a record said so last."""
        self.forgot: set[str] = set()
        """Devices that forgot what nobody had acknowledged, as one does whose journal was put back to an older copy."""
        self._outage: JournalResumed | None = None
        self.started = False
        self._calls_to_live: int | None = None
        self._dies_after_flush = self._dies_at_order = False
        self._busy = False
        self._start_at = NEVER
        self._given: dict[str, list[Order]] = {}
        self._fate = Random(seed ^ 0x5AB07)
        super().__init__(config, credentials, seed, fittings, renewal)

    # ---- life and death of the controller

    @property
    def journal(self) -> Store:
        """The disk; made with the first controller."""
        if not hasattr(self, "disk"):
            self.store = MemoryStore(table=self.config.table.name, seed=self._rng.randbytes(32), lazy=True)
            self.disk = Disk(self, self.store)
        return self.disk

    def start_controller(self) -> None:
        """Start a controller on what the journal holds."""
        self._start_at, self.running, self._busy = NEVER, True, True
        self._given = {name: [] for name in self.physical.devices}
        self.started = False
        self._guarded(super().start_controller)
        self.started = self.running
        if self.running:
            self._outage = None
            # a new controller looks at once for its screen, at its disk, and into the people file
            self._inputs += [Screen(self.screen_shown), Room(self.disk_low, FREE_MB), self._who_may_act()]

    def show_screen(self, shown: bool) -> None:
        """Let a screen show the table, or none; a controller that is gone finds out when it starts."""
        self.screen_shown = shown
        if self.running:
            super().show_screen(shown)

    def fill_disk(self, low: bool) -> None:
        """Let the journal's disk be nearly full, or have room again."""
        self.disk_low = low
        if self.running:
            self._inputs.append(Room(low, FREE_MB))

    def take_right(self, number: int, taken: bool = True) -> None:
        """Let the people file say that somebody may act no more, or may again."""
        (self.barred.add if taken else self.barred.discard)(number)
        if self.running:
            self._inputs.append(self._who_may_act())

    def _who_may_act(self) -> MayAct:
        return MayAct(frozenset(ROLES) - self.barred)

    def set_clock(self, by_ns: int) -> None:
        """Let somebody set the wall's clock; nothing else moves with it."""
        self.clock_off_ns += by_ns
        self.clock_untold_ns += by_ns

    def _now(self) -> Now:
        return Now(self.ns, self.ns, self.epoch_ns + self.ns + self.clock_off_ns)

    def forget_events(self) -> None:
        """While nobody listens, let each device forget the cards that it has told and nobody has acknowledged."""
        for name, device in self.physical.devices.items():
            kept = [body for _, body in device.store.kept_from(1)]
            if not self.running and kept and all(isinstance(body, FORGOTTEN) for body in kept):
                device.store.ack(device.store.last)
                self.forgot.add(name)

    def _resumed(self) -> JournalResumed | None:
        return self._outage

    def kill(self) -> None:
        """Let the controller's process be gone now; within a turn, at its next call of a port."""
        if self._busy:
            self._calls_to_live = 0
        elif self.running:
            self._die()

    def kill_after_flush(self) -> None:
        """Let the process be gone once its next records are safe, before it tells anybody."""
        self._dies_after_flush = True

    def kill_at_order(self) -> None:
        """Let the process be gone as it hands on its next command, which is safe in the journal; or soon afterwards."""
        self._dies_at_order = True

    def kill_within_turn(self, calls: int) -> None:
        """Let the process be gone at so many further calls of its ports."""
        self._calls_to_live = calls

    def stop_in_order(self) -> None:
        """Stop the controller as a service manager does, once its turn is over, and start it anew after a while."""
        if self._busy:
            self.plan(1.0, self.stop_in_order)
        elif self.running:
            self._end()

    def let_each_flush_take(self, ns: int) -> None:
        """Let the disk be so slow from now on; whatever waits may wait for two flushes, one behind the other."""
        self.usual_flush_ns = ns
        self.blocked_s = max(self.blocked_s, 2 * ns / SECOND)

    def calm(self) -> None:
        """Let the disk be well and the controller live; one that is gone starts in its time."""
        self._calls_to_live, self.flush_takes_ns, self.usual_flush_ns = None, 0, 0
        self._dies_after_flush = self._dies_at_order = False
        self.store.fail(False)

    def port_called(self) -> None:
        """Count a call of a port; the process may be gone at it."""
        if self._calls_to_live is not None:
            self._calls_to_live -= 1
            if self._calls_to_live < 0:
                self._calls_to_live = None
                raise Killed

    def after_flush(self) -> None:
        """The records are safe, and nothing that waits for it has left yet."""
        self.port_called()
        if self._dies_after_flush:
            self._dies_after_flush = False
            raise Killed

    def before_flush(self) -> None:
        """What restricts has left; then the disk may take its time, in which everybody else goes on."""
        self.port_called()
        self.flushes()
        self._carry_orders()
        if self.flush_takes_ns:
            self.slow_flush_untold |= self.flush_takes_ns > self.config.book.house.flush_limit_ms * 10**6
            self.blocked_s = max(self.blocked_s, self.flush_takes_ns / SECOND)
            end, self.flush_takes_ns = self.ns + self.flush_takes_ns, self.usual_flush_ns
            self._pass_until(end)

    def _guarded(self, does: Callable[[], None]) -> None:
        self._busy = True
        try:
            does()
        except Killed:
            self._die()
        except JournalError as error:
            given_up = self.assembly.controller.status().record - self.disk.last_number
            self._outage = self._outage or JournalResumed(str(error), self._now().utc_ns, given_up)
            self._end()
        finally:
            self._busy = False

    def _die(self) -> None:
        if self._fate.random() < 0.5:  # the link threads may, or may not, have sent what they were given
            self._carry_orders()
        self.store.drop_unflushed()
        self._be_gone()

    def _end(self) -> None:
        self._carry_orders()
        for name, core in self.assembly.cores.items():
            if name not in self.unplugged:
                self._take_step(name, core.step(self.seconds, b"", AT_REST))
        self.store.fail(False)
        self.store.drop_unflushed()
        self._be_gone()

    def _be_gone(self) -> None:
        self.running = False
        self._calls_to_live = None
        self._inputs, self._wanted = [], []
        self._core_due = {}
        self._controller_due = NEVER
        for wire in self._to_host.values():
            wire.cut()
        self._start_at = self.ns + self._fate.randint(SHORTEST_REST * 1000, LONGEST_REST * 1000) * 10**6

    # ---- time

    def _due(self) -> int:
        return min(super()._due(), self.look_due, self._start_at, self.plans[0][0] if self.plans else NEVER)

    def _turn_due(self) -> int:
        return NEVER if self._busy or not self.running else super()._turn_due()

    def _happen(self) -> None:
        while self.plans and self.plans[0][0] <= self.ns:
            self.looked += 1
            self.plans.pop(0)[1]()
        if self._start_at <= self.ns and not self._busy:
            self.start_controller()
        super()._happen()
        if self.look_due <= self.ns:
            self._step_devices()
            if not self._busy:
                self.happened()  # before somebody puts another device in the place of one that has just told something
            self.looked += 1
            self.looks()
        if not self._busy:
            self.happened()

    def _step_cores(self) -> None:
        if self.running and self.started:  # while the first record is flushed no port is open yet
            super()._step_cores()
        else:
            for wire in self._to_host.values():
                wire.cut()  # nobody listens

    def _answer(self, wanted: CheckWanted | RenewWanted) -> Checked | Renewed:
        if isinstance(wanted, CheckWanted) and wanted.person in self.barred:
            return Checked(wanted.entry, None)
        answer = super()._answer(wanted)
        if isinstance(answer, Renewed) and not answer.refused:
            self.renewals[answer.person] += 1
        if isinstance(answer, Checked) and isinstance(wanted, CheckWanted) and answer.role is not None:
            self.right_entries[wanted.person] += 1
        return answer

    def _turn_if_needed(self) -> None:
        if self.running and not self._busy:
            self._check_soon()
            super()._turn_if_needed()

    def _check_soon(self) -> None:
        """A credential check takes its time: its entry may be gone when the answer comes, or its controller."""
        for wanted in self._wanted:
            self.plan(self._fate.uniform(*CHECK_TAKES), partial(self._answers, self.assembly, wanted))
        self._wanted.clear()

    def _answers(self, asked_by: Assembly, wanted: CheckWanted | RenewWanted) -> None:
        if self.running and self.assembly is asked_by:
            self._inputs.append(self._answer(wanted))

    def _turn(self, inputs: Sequence[Input]) -> None:
        self.turns += 1
        self._guarded(lambda: super(World, self)._turn(inputs))

    def plan(self, after: float, does: Callable[[], None]) -> None:
        """Let something happen so many seconds from now."""
        self.plans.append((self.ns + seconds(after), does))
        self.plans.sort(key=lambda planned: planned[0])

    def play_until(self, end: int) -> None:
        """Let time pass until this moment."""
        self._pass_until(end)

    # ---- orders

    def _send(self, device: str, order: Order) -> None:
        self.port_called()
        if self._dies_at_order and isinstance(order, Carry):
            self._dies_at_order = False
            if self._fate.random() < SPARED:
                self.plan(self._fate.uniform(0.0, WHILE_IT_COUNTS), self.kill)
            else:
                raise Killed
        self._given[device].append(order)
        self.ordered(device, order)

    def _carry_orders(self) -> None:
        for name, core in self.assembly.cores.items():
            orders, self._given[name] = self._given[name], []
            if orders:
                self._take_step(name, core.step(self.seconds, b"", orders))

    def unplug(self, name: str) -> None:
        """Pull a device's cable."""
        if self.running:
            super().unplug(name)
        else:
            self.unplugged.add(name)
            self._to_device[name].cut()

    def replug(self, name: str) -> None:
        """Plug a device's cable in again."""
        if self.running:
            super().replug(name)
        else:
            self.unplugged.discard(name)
            self.physical.plugged_in(name)

    @property
    def at_rest(self) -> bool:
        """Whether nothing is in flight: no bytes, no input, no event that the controller has not taken."""
        quiet = self.running and not self._busy and not self._inputs and not self._wanted and not self.unplugged
        return (
            quiet
            and all(wire.due == NEVER for wire in (*self._to_host.values(), *self._to_device.values()))
            and all(device.store.first_kept > device.store.last for device in self.physical.devices.values())
        )


def seconds(value: float) -> int:
    """Seconds in nanoseconds."""
    return int(value * SECOND)
