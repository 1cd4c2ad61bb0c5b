"""A whole table on a virtual clock, in one thread: the product's own cores and controller, simulated devices, people.

The product runs as in production: the same ``LinkCore.step`` and ``Controller.turn``, fed with bytes that the simulated
devices send. Only threads, ports, the disk and the real clock are missing. The same seed gives the same run.

Time jumps from one moment at which something is due to the next: bytes at the end of a wire, a device, a core, the
controller. Between two of them nothing can happen, so nothing is looked at.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from math import ceil, inf
from random import Random

from firmware_bridge.service.assembly import (
    Assembly,
    Checked,
    CheckWanted,
    FromDevice,
    JournalResumed,
    MayAct,
    Now,
    Order,
    Renewed,
    RenewWanted,
    Role,
    Room,
    Screen,
    State,
    Step,
    Store,
    fold,
)
from firmware_bridge.service.config import Config
from firmware_bridge.service.stores import MemoryStore
from sim_hardware.rig import Fitted
from sim_hardware.table import Now as TableNow
from sim_hardware.table import PhysicalTable

SECOND = 10**9
TICK_NS = 10_000_000
"""Ten milliseconds: the grain in which hands and people step the clock."""

EPOCH_NS = 1_767_225_600 * SECOND
"""Where the stepped UTC clock begins: 2026-01-01 00:00."""

NEVER: int = 2**62

Credentials = Callable[[int, str], Role | None]
Renewal = Callable[[int, str], str]
"""Takes a number and its new PIN; returns why not, or nothing."""

Input = FromDevice | Checked | Renewed | Screen | Room | MayAct


def no_renewal(_number: int, _pin: str) -> str:
    """Refuse: the people of this table keep their PINs."""
    return "nobody's PIN is renewed here"


def moment(seconds: float) -> int:
    """Return the first nanosecond that is not before this time."""
    if seconds == inf:
        return NEVER
    ns = ceil(seconds * SECOND)
    return ns if ns / SECOND >= seconds else ns + 1


class Wire:
    """One direction of a line: what is put in comes out at its other end a little later, in order."""

    def __init__(self) -> None:
        self._under_way: deque[tuple[int, bytes]] = deque()
        self.due = NEVER
        """When the next bytes come out."""

    def put(self, at: int, data: bytes) -> None:
        """Send bytes that come out at this moment."""
        if data:
            self._under_way.append((at, data))
            self.due = self._under_way[0][0]

    def take(self, now: int) -> bytes:
        """Return what has come out by now."""
        out = b""
        while self.due <= now:
            out += self._under_way.popleft()[1]
            self.due = self._under_way[0][0] if self._under_way else NEVER
        return out

    def cut(self) -> None:
        """What was under way is lost."""
        self._under_way.clear()
        self.due = NEVER


class SteppedTable:
    """A table whose time stands still between two calls of ``step``."""

    _send: Callable[[str, Order], None] | None = None
    """Takes each order as it is given; None: they are carried at the end of a turn."""
    epoch_ns = EPOCH_NS
    """UTC in nanoseconds at which the clock begins."""
    to_host_ns = TICK_NS // 2
    """How long bytes are on their way from a device."""
    to_device_ns = TICK_NS
    """How long they are on their way to it, so that what is under way when a gate shuts can be played."""

    def __init__(
        self,
        config: Config,
        credentials: Credentials,
        seed: int,
        fittings: Fitted,
        renewal: Renewal = no_renewal,
    ) -> None:
        self._rng = Random(seed)
        self._credentials = credentials
        self._renewal = renewal
        self.config = config
        self.store = MemoryStore(table=config.table.name, seed=self._rng.randbytes(32))
        self.ns = 0
        self.physical: PhysicalTable = fittings.set_up(Random(self._rng.getrandbits(64)), TableNow(0.0, 0.0))
        self.unplugged: set[str] = set()
        self._out_before: frozenset[str] = frozenset()
        self.assembly: Assembly
        self._to_host = {name: Wire() for name in self.physical.equipment}
        self._to_device = {name: Wire() for name in self.physical.equipment}
        self._wires = (*self._to_host.values(), *self._to_device.values())
        self.start_controller()

    # ---- the controller's process

    @property
    def journal(self) -> Store:
        """Where the controller keeps its records."""
        return self.store

    def start_controller(self) -> None:
        """Start a controller on what the journal holds, as after a restart; every port is opened anew."""
        state = fold((record.number, record.utc_ns, record.body) for record in self.store.records())
        self._wanted: list[CheckWanted | RenewWanted] = []
        self._inputs: list[Input] = []
        self._core_due: dict[str, int] = {}
        for name in self.physical.equipment:
            self._to_device[name].cut()
            self._to_host[name].cut()
        self.assembly = Assembly(
            self.config,
            store=self.journal,
            state=state,
            clock=self._now,
            check=self._wanted.append,
            renew=self._wanted.append,
            nonces=lambda: self._rng.getrandbits(64),
            boot=f"{self._rng.getrandbits(64):016x}",
            send=self._send,
        )
        self.assembly.start(self._resumed())
        for name, core in self.assembly.cores.items():
            is_out = name in self.unplugged  # there is no such port: its thread says so as it begins
            self._take_step(
                name, core.disconnected(self.seconds, "unplugged") if is_out else core.connected(self.seconds)
            )
        self._carry_orders()
        self._controller_due = self._next_turn()

    def _resumed(self) -> JournalResumed | None:
        """Why the run before ended, if the journal had failed."""
        return None

    @property
    def state(self) -> State:
        """The controller's state."""
        return self.assembly.controller.state

    @property
    def seconds(self) -> float:
        """The time in seconds, the same on the link's and the table's clock."""
        return self.ns / SECOND

    def _now(self) -> Now:
        return Now(self.ns, self.ns, self.epoch_ns + self.ns)

    # ---- cables

    def unplug(self, name: str) -> None:
        """Pull a device's cable: what was under way is lost."""
        self.unplugged.add(name)
        self._to_device[name].cut()
        self._to_host[name].cut()
        self._take_step(name, self.assembly.cores[name].disconnected(self.seconds, "unplugged"))
        self._turn_if_needed()

    def replug(self, name: str) -> None:
        """Plug a device's cable in again."""
        self.unplugged.discard(name)
        self.physical.plugged_in(name)
        self._take_step(name, self.assembly.cores[name].connected(self.seconds))

    # ---- people and their screen

    def show_screen(self, shown: bool) -> None:
        """Let the controller see that a screen shows the table, or that none does any more."""
        self._inputs.append(Screen(shown))
        self._turn_if_needed()

    def _answer(self, wanted: CheckWanted | RenewWanted) -> Checked | Renewed:
        digits = wanted.pin.digits()
        if isinstance(wanted, RenewWanted):
            return Renewed(wanted.entry, wanted.person, wanted.by, self._renewal(wanted.person, digits))
        return Checked(wanted.entry, self._credentials(wanted.person, digits))

    # ---- time

    def step(self, tick_ns: int = TICK_NS) -> None:
        """Let so much time pass, and all that is due in it."""
        self._pass_until(self.ns + tick_ns)

    def wait(self, seconds: float) -> None:
        """Let a long time pass in which nobody does anything."""
        self.step(int(seconds * SECOND))

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> bool:
        """Step for so long, or until something is so; return whether it came to be so."""
        end = self.ns + int(seconds * SECOND)
        while self.ns < end:
            self.step(min(TICK_NS, end - self.ns))
            if until():
                return True
        return until()

    def _pass_until(self, end: int) -> None:
        while (due := self._due()) <= end:
            self.ns = max(self.ns, due)
            self._happen()
        self.ns = max(self.ns, end)
        self._step_devices()  # hands act at the time of the table's last step

    def _due(self) -> int:
        """When the next thing is due."""
        wires = [wire.due for wire in self._wires]
        return min(*wires, *self._core_due.values(), self._devices_due(), self._turn_due())

    def _devices_due(self) -> int:
        deadline = self.physical.deadline
        self._devices_at = moment(min(deadline.link, deadline.mechanics))
        return self._devices_at

    def _happen(self) -> None:
        """All that is due at this moment: devices, links, one turn of the controller, its orders."""
        if self._devices_at <= self.ns or any(wire.due <= self.ns for wire in self._to_device.values()):
            self._step_devices()
        self._step_cores()
        self._turn_if_needed()

    def _step_cores(self) -> None:
        for name, core in self.assembly.cores.items():
            if self._to_host[name].due <= self.ns or self._core_due.get(name, NEVER) <= self.ns:
                self._take_step(name, core.step(self.seconds, self._to_host[name].take(self.ns), ()))

    def _step_devices(self) -> None:
        received = {name: wire.take(self.ns) for name, wire in self._to_device.items() if wire.due <= self.ns}
        for name, data in self.physical.step(TableNow(self.seconds, self.seconds), received).items():
            if data and name not in self.unplugged:
                self._to_host[name].put(self.ns + self.to_host_ns, data)
        self._follow_cables()

    def _follow_cables(self) -> None:
        """A cable that was pulled at the table: its port is gone here too, until it is plugged in again."""
        out = self.physical.cables_out
        if out != self._out_before:
            pulled, plugged, self._out_before = out - self._out_before, self._out_before - out, out
            for name in sorted(pulled):
                self.unplug(name)
            for name in sorted(plugged):
                self.replug(name)

    def _turn_if_needed(self) -> None:
        inputs, self._inputs = self._inputs, []
        inputs += [self._answer(wanted) for wanted in self._wanted]
        self._wanted.clear()
        if inputs or self._controller_due <= self.ns:
            self._turn(inputs)

    def _turn_due(self) -> int:
        return self.ns if self._inputs or self._wanted else self._controller_due

    def _turn(self, inputs: Sequence[Input]) -> None:
        self.assembly.controller.turn(inputs)
        self._carry_orders()
        self._controller_due = self._next_turn()

    def _next_turn(self) -> int:
        """When the controller wants a turn though nothing came in; never twice at one moment."""
        deadline = self.assembly.controller.deadline()
        return NEVER if deadline is None else max(deadline, self.ns + 1)

    # ---- orders and notices

    def _carry_orders(self) -> None:
        for name, core in self.assembly.cores.items():
            orders = self.assembly.take_orders(name)
            if orders:
                self._take_step(name, core.step(self.seconds, b"", orders))

    def _take_step(self, name: str, step: Step) -> None:
        if name not in self.unplugged:
            self._to_device[name].put(self.ns + self.to_device_ns, step.to_send)
        self._core_due[name] = NEVER if step.deadline is None else max(moment(step.deadline), self.ns + 1)
        if step.notices:
            self._inputs.append(FromDevice(name, step.notices))
