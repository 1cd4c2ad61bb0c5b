"""The host's side of a ``line`` link: bytes in, notices out, never a byte to the shoe (README.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from drivers.errors import LocalProtocolError, RemoteProtocolError
from drivers.line import codec
from drivers.protocol.answered import AnsweredPrompt
from drivers.protocol.faults import Faults
from drivers.protocol.messages import (
    Capability,
    CardDrawn,
    DealerKeyPressed,
    EventBody,
    EventsLost,
    Hello,
    Kind,
    Level,
    Purpose,
    TrayChanged,
)
from drivers.protocol.notices import (
    AckEvents,
    CaughtUp,
    EventTold,
    LinkLost,
    LinkOpened,
    Notice,
    Order,
    Resume,
    Settled,
    Step,
    Want,
)

FRAME_LIMIT = 1.0
"""Seconds within which a frame that has begun ends: its longest takes 70 ms at 9600 baud."""

LOST_LIMIT = 10.0
"""Seconds that a loss waits at most before it is told, while one follows the other: each is an event lost."""

MOST_UNJOURNALLED = 88
"""Events beyond the last one journalled; what comes beyond them is lost, and told as that."""

UNHEARD = "the port is open, but this shoe says nothing by itself; press its test key"

PROMISES = Capability.COUNTS_CARDS | Capability.HAS_DEALER_KEYS | Capability.SEND_ONLY


class LineCore:
    """A device's core for ``line``; see ``DeviceCore``. ``nonces`` draws the ids of links and memories.

    The shoe keeps nothing: whenever it was not heard from its identity on, things may be lost, so each such opening is
    a memory lost, and each damaged frame an event lost.
    """

    def __init__(self, kind: Kind, nonces: Callable[[], int], resume: Resume | None) -> None:
        del resume  # there is nothing in the shoe that could be taken up again
        self._kind = kind
        self._nonces = nonces
        self._prompt = AnsweredPrompt()
        self._lost = Faults(LOST_LIMIT)
        self._begin()

    def _begin(self) -> None:
        self._decoder = codec.FrameDecoder()
        self._within_since: float | None = None
        self._identity: codec.Identity | None = None
        self._caught_up = False
        self._memory = self._last = self._journalled = 0
        self._notices: list[Notice] = []

    # ---- DeviceCore

    def connected(self, now: float) -> Step:
        """See ``DeviceCore``. Nothing is known of the shoe before somebody presses its test key."""
        self._begin()
        self._notices.append(LinkLost(UNHEARD))
        return self._finish(now)

    def disconnected(self, now: float, reason: str) -> Step:
        """See ``DeviceCore``."""
        self._begin()
        self._notices.append(LinkLost(reason))
        return self._finish(now)

    def step(self, now: float, received: bytes, orders: Sequence[Order]) -> Step:
        """See ``DeviceCore``. What was received goes first: it was pressed before what is ordered now was shown."""
        self._hear(now, received)
        for order in orders:
            self._carry_out(now, order)
        return self._finish(now)

    def _finish(self, now: float) -> Step:
        self._tell_lost(now)
        step = Step(tuple(self._notices), b"", self._deadline())
        self._notices.clear()
        return step

    def _deadline(self) -> float | None:
        deadlines = self._lost.deadlines()
        if self._within_since is not None:
            deadlines.append(self._within_since + FRAME_LIMIT)
        return min(deadlines, default=None)

    # ---- what is received

    def _hear(self, now: float, received: bytes) -> None:
        errors = self._decoder.errors
        for text in self._decoder.feed(received):
            try:
                self._take(now, codec.decode(text))
            except RemoteProtocolError as error:
                self._lost.add(str(error))
        if received:
            self._within_since = now if self._decoder.is_within else None
        elif self._within_since is not None and now >= self._within_since + FRAME_LIMIT:
            self._within_since = None
            self._decoder.break_off()
        if self._decoder.errors > errors:
            self._lost.add(self._decoder.latest, self._decoder.errors - errors)

    def _take(self, now: float, message: codec.Message) -> None:
        if isinstance(message, codec.Identity):
            self._open(message)
        elif self._identity is None:
            return  # whose word it is, nobody knows: the opening to come says that things were missed
        elif isinstance(message, codec.Card):
            purpose = Purpose.VERIFY if message.own_tray else 0  # what a card of the mouth is for it cannot know
            self._tell(CardDrawn(purpose, message.face))
        elif isinstance(message, codec.Tray):
            self._tell(TrayChanged(message.occupied))
            self._tell_caught_up()
        else:
            self._tell(DealerKeyPressed(message.key, self._prompt.at(now)))

    def _open(self, identity: codec.Identity) -> None:
        """The shoe says who it is. If it was known, switched on all the while and is the same, nothing was missed."""
        known = self._identity
        missed = known is None or identity.switched_on or _named(identity) != _named(known)
        if known is not None and missed:
            self._notices.append(LinkLost("the shoe was switched on anew, or is another: it may have dealt unheard"))
        if missed:
            self._memory, self._last, self._journalled = self._nonces(), 0, 0
        self._identity = identity
        self._caught_up = False  # whether cards lie in its tray follows
        self._notices.append(LinkOpened(self._hello(identity), memory_lost=missed, behind=False))

    def _hello(self, identity: codec.Identity) -> Hello:
        """What a shoe of this dialect is, in the device model's terms."""
        reads = Capability.READS_FACES if identity.reads_faces else Capability(0)
        return Hello.of_another_wire(
            self._kind,
            PROMISES | reads,
            self._memory,
            self._nonces(),
            model=identity.model,
            serial=identity.serial,
            simulated=identity.simulated,
            last=self._last,
        )

    def _tell(self, body: EventBody) -> None:
        if self._last - self._journalled >= MOST_UNJOURNALLED:
            self._lost.add(f"more than {MOST_UNJOURNALLED} events came before one was journalled; the rest is lost")
            return
        self._last += 1
        self._notices.append(EventTold(self._last, body))

    def _tell_caught_up(self) -> None:
        if not self._caught_up:
            self._caught_up = True
            self._notices.append(CaughtUp())

    # ---- what is lost: the shoe says nothing twice

    def _tell_lost(self, now: float) -> None:
        for lost in self._lost.tell(now):
            self._notices.append(lost)
            if self._identity is not None:
                self._tell(EventsLost(lost.count))

    # ---- what is ordered

    def _carry_out(self, now: float, order: Order) -> None:
        match order:
            case AckEvents(number=number, memory=memory):
                if memory == self._memory:
                    self._journalled = max(self._journalled, number)
            case Want(level=Level.PROMPT, value=value):
                self._prompt.shows(value, now)
            case Settled():
                return  # of a command that was another device's
            case _:
                raise LocalProtocolError(f"{type(order).__name__} cannot be ordered of a shoe that hears nothing")


def _named(identity: codec.Identity) -> tuple[str, str, bool]:
    return identity.model, identity.serial, identity.reads_faces
