"""The seam between a device's driver and the controller: orders go down, notices come up, whatever the wire.

A device's core (``LinkCore`` for sabot/1) is a pure object: ``step(now, received, orders) -> Step``. A link thread, the
controller's tests and the simulation are thin shells around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from drivers.protocol.messages import EventBody, Hello, Level, Operation, Purpose


class Order(Struct, frozen=True):
    """Something that the controller asks of one device."""


class AckEvents(Order, frozen=True):
    """Every event of ``memory`` up to ``number`` is journalled; only ever ordered after the flush (rule 11).

    The memory is named because a flush may end after the device has lost it: that ack must free nothing of the new.
    """

    number: int
    memory: int


class Want(Order, frozen=True):
    """A level's wanted value (lamp, lid, intake, prompt); the core sends it again for as long as it is not in force."""

    level: Level
    value: int


class HoldNow(Order, frozen=True):
    """Hold delivery under a new revision (rules 20 to 22); the core repeats it until a heartbeat shows it in force."""


class Release(Order, frozen=True):
    """Release, or renew, in answer to ``heartbeat`` of ``link``: ordered by completed turns only (rules 23 to 26).

    The link is named because numbers of heartbeats repeat after a boot: nothing leaves for one of an earlier link.
    """

    purpose: Purpose
    link: int
    heartbeat: int


class Carry(Order, frozen=True):
    """Carry out a command once; sent again only within ``boot`` (rules 14 to 19)."""

    id: int
    boot: int
    operation: Operation
    argument: int = 0


class Settled(Order, frozen=True):
    """The outstanding command is settled: do not send it again."""

    id: int


class Notice(Struct, frozen=True):
    """Something that a device's core tells the controller."""


class LinkOpened(Notice, frozen=True):
    """A link is open. ``memory_lost`` (rule 12): events may be gone. ``behind`` (rule 13): our journal is the older.

    ``ignores``: what the link before was lost for, in words; ``CaughtUp`` follows only once the device has done it.
    """

    hello: Hello
    memory_lost: bool
    behind: bool
    ignores: str = ""


class CaughtUp(Notice, frozen=True):
    """All events up to the hello's last have been told, and a heartbeat was heard (rules 14, 18 and 27).

    ``highest_command``: the device takes no command of this id or a lower one in its boot.
    """

    highest_command: int = 0


class LinkLost(Notice, frozen=True):
    """The link is gone, and why, in words."""

    reason: str


class LinkRefused(Notice, frozen=True):
    """What answers on this line is not what is configured, and why, in words. No link is opened."""

    reason: str


class HeartbeatHeard(Notice, frozen=True):
    """A heartbeat of the open ``link``; the next lease may answer it. Never journalled."""

    link: int
    number: int
    held: bool
    lapsed: bool


class EventTold(Notice, frozen=True):
    """The next numbered event, in order and once.

    ``current`` is false for a hold or lapse that is not of the link and revision in force when it was heard.
    """

    number: int
    body: EventBody
    current: bool = True


class StrokeTold(Notice, frozen=True):
    """A keypad stroke, under the prompt in force at key-down. Never journalled, never logged."""

    key: int
    prompt: int

    def __repr__(self) -> str:
        return f"StrokeTold(key=hidden, prompt={self.prompt})"


class EntryBroken(Notice, frozen=True):
    """Strokes were missed: the open entry is void; strokes up to the next Enter or Clear are swallowed (rule 31)."""


class RemoteErrors(Notice, frozen=True):
    """So many bad frames since the last such notice, and the latest one's fault in words (``faults.py``: how often)."""

    count: int
    latest: str


class Step(Struct, frozen=True):
    """What one step of a core gave: notices in order, bytes for the line, and when to step again at the latest."""

    notices: Sequence[Notice]
    to_send: bytes
    deadline: float | None


class Resume(Struct, frozen=True):
    """Where the journal stands with a device (rule 13): the memory and the last event journalled of it."""

    memory: int
    number: int


class DeviceCore(Protocol):
    """A device's sans-IO core. Times are seconds of the *link* clock, which only ever goes forward."""

    def connected(self, now: float) -> Step:
        """Begin: the transport is open. Draws a fresh nonce and opens the link."""

    def disconnected(self, now: float, reason: str) -> Step:
        """End: the transport is gone; levels wanted are kept for the next opening, a wanted release is not."""

    def step(self, now: float, received: bytes, orders: Sequence[Order]) -> Step:
        """Take bytes received and orders given; return notices, bytes to send and the next deadline."""
