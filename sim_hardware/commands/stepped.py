"""A whole table on a virtual clock, in one thread: the product's own cores and controller, simulated devices, people.

The product runs as in production: the same ``LinkCore.step`` and ``Controller.turn``, fed with bytes that the simulated
devices send. Only threads, ports, the disk and the real clock are missing. The same seed gives the same run.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from firmware_bridge.service.assembly import (
    Assembly,
    Checked,
    CheckWanted,
    FromDevice,
    Now,
    Renewed,
    RenewWanted,
    Role,
    Screen,
    State,
    fold,
)
from firmware_bridge.service.config import Config
from firmware_bridge.service.stores import MemoryStore
from sim_hardware.table import Fittings, PhysicalTable
from sim_hardware.table import Now as TableNow

TICK_NS = 10_000_000
"""Ten milliseconds: the grain of the stepped clock."""

EPOCH_NS = 1_767_225_600 * 10**9
"""Where the stepped UTC clock begins: 2026-01-01 00:00."""

Credentials = Callable[[int, str], Role | None]
Renewal = Callable[[int, str], str]
"""Takes a number and its new PIN; returns why not, or nothing."""


def no_renewal(_number: int, _pin: str) -> str:
    """Refuse: the people of this table keep their PINs."""
    return "nobody's PIN is renewed here"


class SteppedTable:
    """A table whose time stands still between two calls of ``step``."""

    def __init__(
        self,
        config: Config,
        credentials: Credentials,
        seed: int,
        fittings: Fittings,
        renewal: Renewal = no_renewal,
    ) -> None:
        self._rng = Random(seed)
        self._credentials = credentials
        self._renewal = renewal
        self.config = config
        self.store = MemoryStore(table=config.table.name, seed=self._rng.randbytes(32))
        self.ns = 0
        self.physical = PhysicalTable(Random(self._rng.getrandbits(64)), TableNow(0.0, 0.0), fittings)
        self.unplugged: set[str] = set()
        self.assembly: Assembly
        self._wanted: list[CheckWanted | RenewWanted] = []
        self._from_devices: dict[str, bytes] = {}
        self.start_controller()

    # ---- the controller's process

    def start_controller(self) -> None:
        """Start a controller on what the journal holds, as after a restart; every port is opened anew."""
        state = fold((record.number, record.utc_ns, record.body) for record in self.store.records())
        self._wanted = []
        self._to_devices = dict.fromkeys(self.physical.devices, b"")
        self.assembly = Assembly(
            self.config,
            store=self.store,
            state=state,
            clock=self._now,
            check=self._wanted.append,
            renew=self._wanted.append,
            nonces=lambda: self._rng.getrandbits(64),
            boot=f"{self._rng.getrandbits(64):016x}",
        )
        self.assembly.start()
        for name, core in self.assembly.cores.items():
            if name not in self.unplugged:
                self._to_devices[name] += core.connected(self.seconds).to_send

    @property
    def state(self) -> State:
        """The controller's state."""
        return self.assembly.controller.state

    @property
    def seconds(self) -> float:
        """The time in seconds, the same on the link's and the table's clock."""
        return self.ns / 10**9

    def _now(self) -> Now:
        return Now(self.ns, self.ns, EPOCH_NS + self.ns)

    # ---- cables

    def unplug(self, name: str) -> None:
        """Pull a device's cable: what was under way is lost."""
        self.unplugged.add(name)
        self._to_devices[name] = self._from_devices[name] = b""
        step = self.assembly.cores[name].disconnected(self.seconds, "unplugged")
        self.assembly.controller.turn([FromDevice(name, step.notices)])

    def replug(self, name: str) -> None:
        """Plug a device's cable in again."""
        self.unplugged.discard(name)
        self.physical.plugged_in(name)
        self._to_devices[name] = self.assembly.cores[name].connected(self.seconds).to_send

    # ---- people and their screen

    def show_screen(self, shown: bool) -> None:
        """Let the controller see that a screen shows the table, or that none does any more."""
        self.assembly.controller.turn([Screen(shown)])

    def _answer(self, wanted: CheckWanted | RenewWanted) -> Checked | Renewed:
        digits = wanted.pin.digits()
        if isinstance(wanted, RenewWanted):
            return Renewed(wanted.entry, wanted.person, wanted.by, self._renewal(wanted.person, digits))
        return Checked(wanted.entry, self._credentials(wanted.person, digits))

    # ---- time

    def step(self, tick_ns: int = TICK_NS) -> None:
        """Let one tick pass: devices, links, one turn of the controller, and the orders back on the wires."""
        self.ns += tick_ns
        sent = self.physical.step(TableNow(self.seconds, self.seconds), self._to_devices)
        self._from_devices = {name: data for name, data in sent.items() if name not in self.unplugged}
        self._to_devices = dict.fromkeys(self.physical.devices, b"")
        inputs: list[FromDevice | Checked | Renewed] = [self._answer(wanted) for wanted in self._wanted]
        self._wanted.clear()
        for name, core in self.assembly.cores.items():
            step = core.step(self.seconds, self._from_devices.get(name, b""), ())
            self._to_devices[name] += step.to_send
            if step.notices:
                inputs.append(FromDevice(name, step.notices))
        self.assembly.controller.turn(inputs)
        for name, core in self.assembly.cores.items():
            orders = self.assembly.take_orders(name)
            if not orders:
                continue
            step = core.step(self.seconds, b"", orders)
            self._to_devices[name] += step.to_send
            if step.notices:
                self.assembly.controller.turn([FromDevice(name, step.notices)])
        for name in self.unplugged:
            self._to_devices[name] = b""

    def wait(self, seconds: float) -> None:
        """Let a long time pass in which nobody does anything, in coarser steps."""
        end = self.ns + int(seconds * 10**9)
        while self.ns < end:
            self.step(10 * TICK_NS)

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> bool:
        """Step for so long, or until something is so; return whether it came to be so."""
        end = self.ns + int(seconds * 10**9)
        while self.ns < end:
            self.step()
            if until():
                return True
        return until()
