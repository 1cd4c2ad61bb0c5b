"""A core on the bench: the test plays the device, in messages, on a stepped clock."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from drivers.protocol import codec, framing
from drivers.protocol.link_core import LinkCore
from drivers.protocol.messages import (
    Capability,
    Event,
    EventBody,
    Heartbeat,
    Hello,
    Kind,
    Message,
    Open,
)
from drivers.protocol.notices import Notice, Order, Resume, Step

LINK = 500
BOOT = 700
MEMORY = 900

HELLO = Hello(
    nonce=0,
    link=LINK,
    boot=BOOT,
    memory=MEMORY,
    first_kept=1,
    last=0,
    version=1,
    kind=Kind.SHOE,
    capabilities=Capability.CAN_HOLD
    | Capability.CAN_LOCK_LID
    | Capability.CAN_SHUT_INTAKE
    | Capability.SHOWS_LAMP
    | Capability.HAS_DEALER_KEYS,
    window=8,
    simulated=True,
    model="Bench",
    serial="B-1",
    firmware="1",
    digest=bytes(32),
)

HEARTBEAT = Heartbeat(
    link=LINK,
    number=1,
    first_kept=1,
    last=0,
    hold_revision=1,
    lamp_revision=0,
    lid_revision=0,
    intake_revision=0,
    prompt_revision=0,
    held=True,
    lapsed=False,
    busy=False,
    highest_command=0,
    strokes=0,
)


def on_the_line(*messages: Message) -> bytes:
    """Return messages as the far side sends them."""
    return b"".join(framing.encode_frame(codec.encode(message)) for message in messages)


def read(sent: bytes) -> list[Message]:
    """Return the messages in what a core sent."""
    return [codec.decode(payload) for payload in framing.FrameDecoder().feed(sent)]


class Told(Struct):
    """What one step gave: notices, and the messages that went out."""

    notices: list[Notice]
    sent: list[Message]

    def only(self, kind: type[Any]) -> list[Any]:
        """Return the notices or messages of one kind."""
        return [thing for thing in [*self.notices, *self.sent] if isinstance(thing, kind)]


class Bench:
    """One core and its clock. ``nonces`` are 1, 2, 3 … in this order."""

    def __init__(self, kind: Kind = Kind.SHOE, resume: Resume | None = None) -> None:
        nonces = count(1)
        self.core = LinkCore(kind=kind, nonces=lambda: next(nonces), resume=resume)
        self.now = 100.0
        self.nonce = 0
        self.beats = 0
        self.deadline: float | None = None

    def connect(self) -> Told:
        """Give the core its transport."""
        return self._told(self.core.connected(self.now))

    def disconnect(self, reason: str = "pulled out") -> Told:
        """Take the transport away."""
        return self._told(self.core.disconnected(self.now, reason))

    def hear(self, *messages: Message) -> Told:
        """Let the device say something."""
        return self.step(on_the_line(*messages))

    def order(self, *orders: Order) -> Told:
        """Let the controller order something."""
        return self.step(b"", orders)

    def step(self, received: bytes = b"", orders: Sequence[Order] = ()) -> Told:
        """Step the core."""
        return self._told(self.core.step(self.now, received, orders))

    def answer(self, **changes: Any) -> Told:
        """Answer the opening under way with a hello."""
        return self.hear(replace(HELLO, nonce=self.nonce, **changes))

    def open(self, **changes: Any) -> Told:
        """Connect and open a link."""
        self.connect()
        return self.answer(**changes)

    def beat(self, **changes: Any) -> Told:
        """Let the next heartbeat of this boot be heard, half a second on."""
        self.now += 0.5
        self.beats += 1
        return self.hear(replace(HEARTBEAT, **{"number": self.beats, **changes}))

    def event(self, number: int, body: EventBody, link: int = LINK) -> Told:
        """Let one event be heard."""
        return self.hear(Event(link, number, body))

    def _told(self, step: Step) -> Told:
        self.deadline = step.deadline
        told = Told(list(step.notices), read(step.to_send))
        for opening in told.only(Open):
            self.nonce = opening.nonce
        return told
