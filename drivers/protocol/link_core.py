"""The host's side of one link of sabot/1: bytes and orders in, notices and bytes out (README.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum

from drivers.errors import LocalProtocolError, RemoteProtocolError
from drivers.protocol import codec, framing
from drivers.protocol.event_order import MOST_KEPT, EventOrder
from drivers.protocol.faults import Faults
from drivers.protocol.hearing import Hearing, hears_nothing, ignores
from drivers.protocol.hold import Hold
from drivers.protocol.levels import Levels
from drivers.protocol.messages import (
    PROTOCOL_VERSION,
    Capability,
    Command,
    Event,
    EventsLost,
    ForeignHello,
    Heartbeat,
    Hello,
    HoldConfirmed,
    Kind,
    Lapsed,
    Level,
    Message,
    Open,
    SetLevel,
    Stroke,
)
from drivers.protocol.notices import (
    AckEvents,
    Carry,
    CaughtUp,
    EntryBroken,
    EventTold,
    HeartbeatHeard,
    HoldNow,
    LinkLost,
    LinkOpened,
    LinkRefused,
    Notice,
    Order,
    Release,
    Resume,
    Settled,
    Step,
    StrokeTold,
    Want,
)
from drivers.protocol.openings import Openings
from drivers.protocol.strokes import Strokes

SILENCE = 2.0
"""Seconds without a valid frame of the link after which it is lost."""

WAKE_PERIOD = 1.0
"""Seconds between two zeros to a device whose hello is awaited: a line may sleep until the host writes (BR-047)."""

ANSWER_LIMIT = 5.0
"""Seconds that an opening may stay unanswered before that is told: a device takes less to boot."""

ANOTHER = "another program may be using this port"
"""Bytes that are missing may be in another's hands: of two that read a port each gets some, or one all (BR-031)."""

UNHEARD = hears_nothing(f"no opening was answered for {ANSWER_LIMIT:g} s")

UNANSWERED = (
    f"the port is open, but nothing has answered for {ANSWER_LIMIT:g} s; "
    f"check the device's power and cable, and whether it is the right device; {ANOTHER}"
)


class State(Enum):
    """Where a link stands. A device that is refused stays refused until it starts anew or falls silent."""

    DOWN = "no transport"
    AWAITING = "hello awaited"
    OPEN = "open"
    REFUSED = "refused"


class LinkCore:
    """A device's core for sabot/1; see ``DeviceCore``. ``nonces`` draws 64 random bits for each opening."""

    def __init__(self, *, kind: Kind, nonces: Callable[[], int], resume: Resume | None) -> None:
        self._kind = kind
        self._nonces = nonces
        self._state = State.DOWN
        self._decoder = framing.FrameDecoder()
        self._nonce = 0
        self._link = 0
        self._boot = 0
        self._heartbeat = 0
        self._highest_command = 0
        self._heard_at = 0.0
        self._received_at = self._stood_still_at = self._beat_at = -SILENCE
        self._answer_due: float | None = None
        self._awaiting_since = self._wake_due = 0.0
        self._loss_told = False
        self._caught_up_told = False
        self._openings = Openings()
        self._events = EventOrder(resume)
        self._hold = Hold()
        self._levels = Levels()
        self._hearing = Hearing()
        self._strokes = Strokes()
        self._command: Carry | None = None
        self._faults = Faults()
        self._notices: list[Notice] = []
        self._out = bytearray()

    # ---- DeviceCore

    def connected(self, now: float) -> Step:
        """See ``DeviceCore``. The opening zero ends whatever half frame the device has heard before."""
        if self._state is not State.DOWN:
            raise LocalProtocolError("connected() was called twice without disconnected()")
        self._decoder = framing.FrameDecoder()
        self._hearing.open(afresh=True)  # the cable may have been what was wrong
        self._out += framing.END
        self._await_hello(now)
        if self._ask_to_open(now):
            self._answer_due = now + ANSWER_LIMIT
        return self._finish(now)

    def disconnected(self, now: float, reason: str) -> Step:
        """See ``DeviceCore``."""
        self._tell_loss(now, reason)
        self._state = State.DOWN
        self._answer_due = None
        return self._finish(now)

    def step(self, now: float, received: bytes, orders: Sequence[Order]) -> Step:
        """See ``DeviceCore``. What was received goes first, so that no order answers a link already gone."""
        if received and self._state is State.DOWN:
            raise LocalProtocolError("bytes were received before connected() or after disconnected()")
        if received:
            self._received_at = now
        faults = self._decoder.errors
        for payload in self._decoder.feed(received):
            self._hear(now, payload)
        if self._decoder.errors > faults:
            self._faults.add(self._decoder.latest, self._decoder.errors - faults)
        for order in orders:
            self._carry_out(order)
        if self._state in (State.OPEN, State.REFUSED) and now >= self._heard_at + SILENCE:
            self._begin_again(now, self._no_sign_of_life(now))
        if self._state is State.AWAITING and now >= self._wake_due:
            self._out += framing.END
            self._wake_due = now + WAKE_PERIOD
        if self._answer_due is not None and now >= self._answer_due:
            self._answer_due = None
            beats = self._beat_at > now - SILENCE
            self._notices.append(LinkLost(UNHEARD if beats else UNANSWERED))
        return self._finish(now)

    def _finish(self, now: float) -> Step:
        self._notices += self._faults.tell(now)
        step = Step(tuple(self._notices), bytes(self._out), self._deadline())
        self._notices.clear()
        self._out.clear()
        return step

    def _deadline(self) -> float | None:
        deadlines = self._faults.deadlines()
        if self._state in (State.OPEN, State.REFUSED):
            deadlines.append(self._heard_at + SILENCE)
        if self._state is State.AWAITING:
            deadlines.append(self._wake_due)
        if self._answer_due is not None:
            deadlines.append(self._answer_due)
        return min(deadlines, default=None)

    def _send(self, messages: Iterable[Message | None]) -> None:
        for message in messages:
            if message is not None:
                self._out += framing.encode_frame(codec.encode(message))

    def _no_sign_of_life(self, now: float) -> str:
        lately = now - SILENCE / 2  # whoever falls silent may have sent half a frame last
        if self._stood_still_at > lately:
            return f"the device sends, but its counter has stood still for {SILENCE} s; restart it, see to its firmware"
        if self._received_at > lately:
            broken = f"the device sends, but nothing whole of its link for {SILENCE} s"
            return f"{broken}; check its cable and restart it; {ANOTHER}"
        return f"the device has been silent for {SILENCE} s; see to its power and cable; {ANOTHER}"

    # ---- what is received

    def _hear(self, now: float, payload: bytes) -> None:
        try:
            message = codec.decode(payload)
        except RemoteProtocolError as error:
            self._faults.add(str(error))
            return
        match message:
            case Hello() | ForeignHello():
                self._hear_hello(now, message)
            case Heartbeat():
                self._hear_heartbeat(now, message)
            case Event() | Stroke():
                self._hear_numbered(now, message)
            case _:
                self._faults.add(f"{type(message).__name__} is the host's to send; see whether the line is looped back")

    def _hear_numbered(self, now: float, message: Event | Stroke) -> None:
        if self._state is State.AWAITING or message.link != self._link:
            self._faults.add(f"{type(message).__name__} of link {message.link}, which is not open; it is dropped")
            return
        self._heard_at = now
        if self._state is State.REFUSED:
            return
        if isinstance(message, Event):
            self._hear_event(message)
        else:
            self._hear_stroke(message)

    def _hear_hello(self, now: float, hello: Hello | ForeignHello) -> None:
        if self._state is not State.AWAITING or hello.nonce != self._nonce:
            return  # the answer to an opening sent twice, or to another opening (rule 3)
        self._link = hello.link
        self._heartbeat = 0
        self._heard_at = now
        self._answer_due = None
        self._openings.one(now)
        if isinstance(hello, ForeignHello):
            self._refuse(
                hello,
                f"speaks sabot/{hello.version}, this controller speaks sabot/{PROTOCOL_VERSION}; "
                "bring firmware and controller to one version",
            )
        elif hello.kind is not self._kind:
            self._refuse(
                hello,
                f"is a {_words(hello.kind)} where a {_words(self._kind)} is configured; "
                "connect the right device or correct the configuration",
            )
        else:
            self._open(now, hello)

    def _refuse(self, hello: Hello | ForeignHello, why: str) -> None:
        self._state = State.REFUSED
        self._notices.append(LinkRefused(f"{hello.model} {hello.serial} {why}"))

    def _open(self, now: float, hello: Hello) -> None:
        self._state = State.OPEN
        heard_all_along = hello.boot == self._boot and now < self._awaiting_since + SILENCE
        self._hearing.open(afresh=not heard_all_along)
        self._boot = hello.boot
        self._loss_told = False
        memory_lost, behind = self._events.open(hello)
        self._hold.open(hello.link, can_hold=Capability.CAN_HOLD in hello.capabilities)
        self._levels.open(hello.link, hello.capabilities)
        self._strokes.open()
        self._caught_up_told = False
        ignored = ignores(self._hearing.ignored)
        self._notices.append(LinkOpened(hello, memory_lost=memory_lost, behind=behind, ignores=ignored))
        if Capability.SENDS_STROKES in hello.capabilities:
            self._notices.append(EntryBroken())
        # The device has held itself; our own hold has it confirmed after its last card.
        self._send(self._hold.hold())
        self._send([self._events.answer(hello.first_kept, hello.last)])
        self._send_levels()

    def _hear_heartbeat(self, now: float, heartbeat: Heartbeat) -> None:
        if self._state is State.AWAITING:
            self._beat_at = now
            self._ask_to_open(now)
            return
        if heartbeat.link != self._link:
            self._open_anew(now, f"the device no longer knows link {self._link}; it has started anew")
            return
        if heartbeat.number <= self._heartbeat:
            self._stood_still_at = now
            return  # one that came twice or late; of a device whose counter stands still it is no sign of life
        self._heartbeat, self._heard_at = heartbeat.number, now
        if self._state is State.REFUSED:
            return
        if self._events.missing_for_good(heartbeat.first_kept):
            self._open_anew(now, "the device has forgotten events that were not acked; see to its firmware")
            return
        unheard = self._hold.unheard_lease(heartbeat)
        again = self._asked_again(heartbeat)
        if in_vain := self._hearing.judge(now, heartbeat, [*unheard, *again]):
            self._open_anew(now, in_vain)
            return
        if self._events.flushed:  # what permits was held back until then (27)
            self._hearing.all_is_asked()
        self._send(again)
        if not self._out:
            self._out += framing.END  # no frame, so nothing to the device; but its line hears that the host is there
        self._follow(heartbeat)

    def _asked_again(self, heartbeat: Heartbeat) -> list[Message | None]:
        """Return what is wanted of the device and not shown by its heartbeat (6.3)."""
        again: list[Message | None] = [
            *self._hold.hear(heartbeat),
            *self._levels.hear(heartbeat),
            self._events.answer(heartbeat.first_kept, heartbeat.last),
        ]
        if self._command is not None and heartbeat.highest_command < self._command.id:
            again.append(self._command_of_this_boot())
        return again

    def _follow(self, heartbeat: Heartbeat) -> None:
        if self._strokes.gap(heartbeat.strokes):
            self._notices.append(EntryBroken())
        self._highest_command = heartbeat.highest_command
        self._tell_caught_up()
        lapsed = self._hold.lapse_shown(heartbeat)
        self._notices.append(HeartbeatHeard(self._link, heartbeat.number, heartbeat.held, lapsed))

    def _hear_event(self, event: Event) -> None:
        if self._events.has_no_place(event):
            self._faults.add(
                f"event {event.number} came before the {MOST_KEPT} below it were acked; see to its firmware"
            )
            return
        if not self._events.take(event):
            self._send([self._events.ask_for_gap(event)])
            return
        body = event.body
        current = self._hold.confirms(body) if isinstance(body, HoldConfirmed | Lapsed) else True
        self._notices.append(EventTold(event.number, body, current))
        if isinstance(body, EventsLost):
            self._send(self._hold.events_were_lost())
        self._tell_caught_up()

    def _hear_stroke(self, stroke: Stroke) -> None:
        if self._strokes.gap(stroke.counter - 1):
            self._notices.append(EntryBroken())
        if self._strokes.take(stroke):
            self._notices.append(StrokeTold(stroke.key, stroke.prompt))

    # ---- what is ordered

    def _carry_out(self, order: Order) -> None:
        match order:
            case AckEvents(number=number, memory=memory):
                self._journalled(memory, number)
            case Want(level=level, value=value):
                self._want(level, value)
            case HoldNow():
                self._hold_now()
            case Release():
                self._release(order)
            case Carry():
                self._command = order
                self._send([self._command_of_this_boot()])
            case Settled(id=settled):
                self._settle(settled)
            case _:
                raise LocalProtocolError(f"{type(order).__name__} is no order of sabot/1; nothing is sent")

    def _journalled(self, memory: int, number: int) -> None:
        ack = self._events.journalled(memory, number)
        if self._state is State.OPEN:
            self._send([ack])
            self._send_levels()

    def _want(self, level: Level, value: int) -> None:
        if level is Level.HOLD:
            raise LocalProtocolError("a hold is ordered by HoldNow and lifted by Release; nothing is sent")
        codec.encode(SetLevel(0, level, 1, value))  # a bad value fails here, not at some later opening
        self._levels.want(level, value)
        self._send_levels()

    def _send_levels(self) -> None:
        if self._state is State.OPEN:
            self._send(self._levels.due(may_permit=self._events.flushed))

    def _hold_now(self) -> None:
        if self._state is State.OPEN:  # else the device is held by its next opening, and told to confirm it
            self._send(self._hold.hold())

    def _release(self, order: Release) -> None:
        # The controller may not know yet that its link is gone, or that the new one has events for it (27).
        if self._state is State.OPEN and self._events.flushed:
            self._send(self._hold.release(order.purpose, order.link, order.heartbeat))

    def _command_of_this_boot(self) -> Command | None:
        command = self._command
        if command is None or self._state is not State.OPEN or command.boot != self._boot:
            return None
        return Command(self._link, command.id, command.operation, command.argument)

    def _settle(self, number: int) -> None:
        if self._command is not None and self._command.id == number:
            self._command = None

    # ---- the link's beginning and end

    def _await_hello(self, now: float) -> None:
        self._state = State.AWAITING
        self._awaiting_since = now
        self._wake_due = now + WAKE_PERIOD
        self._nonce = self._nonces()

    def _ask_to_open(self, now: float) -> bool:
        """Send the opening, unless the device had too many of late; then a later heartbeat has it sent."""
        may = self._openings.may(now)
        if may:
            self._send([Open(PROTOCOL_VERSION, self._nonce)])
        return may

    def _begin_again(self, now: float, reason: str) -> None:
        if self._state is State.OPEN:
            self._tell_loss(now, reason)
        elif warning := self._openings.warning(now):
            self._notices.append(LinkLost(warning))  # what was refused is gone: its refusal must not stand for ever
        else:
            self._answer_due = now + ANSWER_LIMIT  # nor then
        self._await_hello(now)

    def _open_anew(self, now: float, reason: str) -> None:
        """Begin again with a device that is heard at this moment: no further heartbeat need be awaited."""
        self._begin_again(now, reason)
        self._ask_to_open(now)

    def _tell_loss(self, now: float, reason: str) -> None:
        if not self._loss_told:
            self._loss_told = True
            warning = self._openings.warning(now)
            self._notices.append(LinkLost(f"{reason}; {warning}" if warning else reason))

    def _tell_caught_up(self) -> None:
        """Only once a heartbeat has told which commands are behind the device: an order needs a higher id (rule 14).

        Nor before the device has done what an earlier link was lost for (rule 29).
        """
        is_ready = self._events.caught_up and self._heartbeat and not self._hearing.ignored
        if is_ready and not self._caught_up_told:
            self._caught_up_told = True
            self._notices.append(CaughtUp(self._highest_command))


def _words(kind: Kind) -> str:
    return kind.name.lower().replace("_", " ")
