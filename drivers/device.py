"""What a driver is: a device family as data, the wire its make speaks, and the check that binds the two."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from drivers.errors import LocalProtocolError
from drivers.protocol.faults import Faults
from drivers.protocol.link_core import LinkCore
from drivers.protocol.messages import Body, Capability, Kind, Level, Operation
from drivers.protocol.notices import (
    AckEvents,
    Carry,
    CaughtUp,
    DeviceCore,
    EntryBroken,
    EventTold,
    HeartbeatHeard,
    HoldNow,
    LinkOpened,
    LinkRefused,
    Notice,
    Order,
    Release,
    Resume,
    Step,
    StrokeTold,
    Want,
)
from drivers.shown import Judge, ShowsNothing
from drivers.transport.base import SABOT_1, SerialFormat
from drivers.transport.usb_address import VENDOR, UsbInterface

Nonces = Callable[[], int]
"""Draws a random number of 64 bits, a fresh one each time."""

Wire = Callable[[Kind, Nonces, Resume | None], DeviceCore]
"""Builds the core that speaks a make's protocol."""

_OF_AN_OPEN_LINK = (CaughtUp, HeartbeatHeard, EventTold, StrokeTold, EntryBroken)
_FOR_AN_OPEN_LINK = (AckEvents, Release, Carry)


def sabot1(kind: Kind, nonces: Nonces, resume: Resume | None) -> DeviceCore:
    """Return the core of a device that speaks sabot/1."""
    return LinkCore(kind=kind, nonces=nonces, resume=resume)


class Driver(Struct, frozen=True):
    """One make of device: what it is, what it must be able to do, what it may tell, what may be asked of it.

    Nothing else from it is believed, and nothing else is ever sent to it. ``wire`` builds the core that
    speaks its protocol, ``format`` is how its serial line is set up where the configuration does not say otherwise, and
    ``interface`` which one of a USB device it speaks on, if it can be one itself. ``shows`` tells a wire's own frames
    from what another device on this cable may say, a keypad's strokes among it: without it neither is ever shown.
    """

    name: str
    kind: Kind
    required: Capability
    bodies: frozenset[type[Body]]
    levels: frozenset[Level]
    operations: frozenset[Operation] = frozenset()
    strokes: bool = False
    wire: Wire = sabot1
    format: SerialFormat = SABOT_1
    interface: UsbInterface | None = VENDOR
    shows: Judge | None = None

    @property
    def judge(self) -> Judge | None:
        """What judges a wire of another kind; None: it is sabot/1, whose hello and heartbeats say who speaks."""
        return self.shows or (None if self.wire is sabot1 else ShowsNothing)

    def core(self, nonces: Nonces, resume: Resume | None = None) -> DeviceCore:
        """Return a core for one device of this make; ``resume`` is where the journal stands with it."""
        return CheckedCore(self, self.wire(self.kind, nonces, resume))


class CheckedCore:
    """A make's core, held to what its driver says: a device core itself.

    What the family may not tell becomes a remote fault. A device that lacks a required capability is refused,
    and nothing that it says is passed on.
    """

    def __init__(self, driver: Driver, core: DeviceCore) -> None:
        self._driver = driver
        self._core = core
        self._refused = False
        self._faults = Faults()

    def connected(self, now: float) -> Step:
        """See ``DeviceCore``."""
        return self._checked(now, self._core.connected(now))

    def disconnected(self, now: float, reason: str) -> Step:
        """See ``DeviceCore``."""
        self._refused = False
        return self._checked(now, self._core.disconnected(now, reason))

    def step(self, now: float, received: bytes, orders: Sequence[Order]) -> Step:
        """See ``DeviceCore``. Raises ``LocalProtocolError`` for a command that no such device carries out."""
        orders = possible_orders(self._driver, orders)
        if self._refused:
            orders = [order for order in orders if not isinstance(order, _FOR_AN_OPEN_LINK)]
        return self._checked(now, self._core.step(now, received, orders))

    def _checked(self, now: float, step: Step) -> Step:
        told = [*self._admitted(step.notices), *self._faults.tell(now)]
        return Step(notices=told, to_send=step.to_send, deadline=step.deadline)

    def _admitted(self, notices: Iterable[Notice]) -> Iterable[Notice]:
        for notice in notices:
            if isinstance(notice, LinkOpened):
                lacking = self._driver.required & ~notice.hello.capabilities
                self._refused = bool(lacking)
                yield self._refusal(notice, lacking) if lacking else notice
            elif fault := self._fault(notice):
                self._faults.add(fault)
            elif not (self._refused and isinstance(notice, _OF_AN_OPEN_LINK)):
                yield notice

    def _refusal(self, opened: LinkOpened, lacking: Capability) -> LinkRefused:
        hello = opened.hello
        names = ", ".join(str(capability.name) for capability in lacking)
        return LinkRefused(
            f"{hello.model} {hello.serial} lacks {names}, which a {self._driver.name} must have; "
            "connect another device, or configure the driver of this make"
        )

    def _fault(self, notice: Notice) -> str:
        """Return why the family may not tell this, or nothing."""
        match notice:
            case EventTold(number=number, body=body) if type(body) not in self._driver.bodies:
                what = f"event {number} is {type(body).__name__}"
            case StrokeTold() | EntryBroken() if not self._driver.strokes:
                what = "it sends strokes of a keypad"
            case _:
                return ""
        return f"{what}, which no {self._driver.name} may tell; ignored: check which device is connected"


def possible_orders(driver: Driver, orders: Iterable[Order]) -> list[Order]:
    """Return the orders that this family has the parts for; a level that it lacks is nobody's to set.

    Raises ``LocalProtocolError`` for a command that it cannot carry out, since no result would come;
    nothing is sent then.
    """
    possible = []
    for order in orders:
        match order:
            case Carry(operation=operation) if operation not in driver.operations:
                raise LocalProtocolError(
                    f"{operation.name} is no command for a {driver.name}; order it of one that carries it out"
                )
            case HoldNow() | Release() if Level.HOLD not in driver.levels:
                continue
            case Want(level=level) if level not in driver.levels:
                continue
        possible.append(order)
    return possible
