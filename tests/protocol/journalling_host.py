"""The least controller there can be: journals what it is told, acks after the flush, renews, holds, orders commands."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from drivers.protocol import messages as m
from drivers.protocol import notices as n
from drivers.protocol.link_core import LinkCore

At = tuple[int, int]
"""An event by memory and number."""

Record = tuple[At, m.EventBody | None] | n.Carry | n.Settled
"""An event, or without a body the place before a memory's first; an order; its end."""


class JournallingHost:
    """Holds a core, and what a controller must know. ``journal`` is flushed; all else dies with it.

    It is one sequence of records, and what the host knows is their fold: an order stands behind every event taken
    before it, so that none of these is ever taken for its result (14).
    """

    def __init__(self, nonces: Random, wanted: Mapping[m.Level, int]) -> None:
        self._nonces = nonces
        self._wanted = wanted
        self.device: Mapping[At, m.EventBody] = {}
        """What truly happened."""
        self.journal: list[Record] = []
        self.ever: dict[At, m.EventBody] = {}
        """All events journalled at any time, in whichever copy of the journal."""
        self.orders: set[tuple[int, int]] = set()
        """The same of orders, by boot and id: an older journal may have an id given again."""
        self.results: Mapping[At, int] = {}
        """In which boot each result came about."""
        self.unknown: list[n.Carry] = []
        self.taken: list[int] = []
        """Entries of the keypad."""
        self.released_at = float("-inf")
        """When a turn last released or renewed."""
        self.stalled_until = 0.0
        self.core: LinkCore | None = None
        self.die()

    # ---- life

    def die(self) -> None:
        """Lose everything but the journal."""
        self.core = None
        self._unflushed: list[Record] = []
        self._orders: list[n.Order] = []
        self._after_flush: list[n.Order] = []
        self.openings = 0
        self._forget_link()
        self.memory: int | None = None
        self.number = 0
        self.known: set[At] = set()
        """Places of the events taken."""
        self.ordered: n.Carry | None = None
        self._last_id = 0
        """Of the last command ordered."""
        for record in self.journal:
            self._fold(record)

    def _forget_link(self) -> None:
        self.is_open = self.released = self.confirmed = self.lapsed = self._caught_up = self.ignoring = False
        self.boot: int | None = None
        self._highest_told = 0
        self.link = 0
        self._heartbeat: tuple[int, int] | None = None
        self._entry: list[int] = []

    def start(self, now: float) -> bytes:
        """Start from the journal alone (13)."""
        resume = None if self.memory is None else n.Resume(self.memory, self.number)
        self.core = LinkCore(kind=m.Kind.SHOE, nonces=lambda: self._nonces.getrandbits(64), resume=resume)
        self._orders = [n.Want(level, value) for level, value in self._wanted.items()]
        if self.ordered is not None:
            self._orders.append(self.ordered)
        return self._heard(self.core.connected(now))

    def restore_older(self) -> None:
        """Have an older copy of the journal."""
        self.journal = self.journal[: len(self.journal) // 2]

    def unplugged(self, now: float) -> None:
        """The port failed."""
        if self.core is not None:
            self._heard(self.core.disconnected(now, "unplugged"))

    def plugged_in(self, now: float) -> bytes:
        """The port is open again."""
        return b"" if self.core is None else self._heard(self.core.connected(now))

    # ---- what it wants

    def hold(self) -> None:
        """Hold."""
        self.released = self.confirmed = self.lapsed = False
        self._heartbeat = None
        self._orders.append(n.HoldNow())

    def release(self) -> None:
        """Release in the next turn that can, and renew from then on."""
        self.released = self.is_open
        self.confirmed = False

    def order_command(self) -> None:
        """Order a command, if none is outstanding and all is known. Its record is flushed before it leaves (14)."""
        if self.ordered is None and self.boot is not None and self._caught_up:
            self._write(n.Carry(max(self._last_id, self._highest_told) + 1, self.boot, m.Operation.INVENTORY))

    def give_up(self) -> None:
        """Let the outstanding command's deadline pass: unknown, and for a later one to settle (18, 19)."""
        if self.ordered is not None:
            self._write(n.Settled(self.ordered.id))

    # ---- a turn

    def turn(self, now: float, received: bytes) -> bytes:
        """Take bytes; flush unless the disk is slow; only then ack and permit. Return bytes for the line."""
        assert self.core is not None
        orders, self._orders = self._orders, []
        sent = self._heard(self.core.step(now, received, orders))
        if now >= self.stalled_until:
            after = self._flush() + self._renew(now)
            sent += self._heard(self.core.step(now, b"", after))
        if self.lapsed:
            self.hold()
        return sent

    def _flush(self) -> list[n.Order]:
        """Flush what is written; return what was waiting for that: the ack of the last event, then the orders."""
        acks: list[n.Order] = []
        for record in self._unflushed:
            match record:
                case n.Carry(id=ordered, boot=boot):
                    self.orders.add((boot, ordered))
                case ((memory, number), body) if body is not None:
                    self.ever[memory, number] = body
                    acks = [n.AckEvents(number, memory)]
        self.journal += self._unflushed
        orders, self._unflushed, self._after_flush = acks + self._after_flush, [], []
        return orders

    def _write(self, record: Record) -> None:
        """Take a record into the working state; the next flush has it in the journal."""
        ordered = self.ordered
        self._unflushed.append(record)
        self._fold(record)
        if isinstance(record, n.Carry):
            self._after_flush.append(record)
        elif ordered is not None and self.ordered is None:
            self._after_flush.append(n.Settled(ordered.id))

    def _fold(self, record: Record) -> None:
        match record:
            case n.Carry():
                self.ordered, self._last_id = record, record.id
                return
            case n.Settled():
                self.ordered = None
                return
        (self.memory, self.number), body = record
        assert (self.memory, self.number) not in self.known, "P2: taken twice"
        self.known.add((self.memory, self.number))
        if body is None or isinstance(body, m.EventsLost) or self._answers(body):
            self.ordered = None  # answered; or its answer may be among what nobody keeps any more

    def _answers(self, body: m.EventBody) -> bool:
        return isinstance(body, m.CommandResult) and self.ordered is not None and body.id == self.ordered.id

    def _renew(self, now: float) -> list[n.Order]:
        if not self.released or self._heartbeat is None:
            return []
        heartbeat, self._heartbeat = self._heartbeat, None
        self.released_at = now
        return [n.Release(m.Purpose.DEAL, *heartbeat)]

    # ---- what it hears

    def _heard(self, step: n.Step) -> bytes:
        for notice in step.notices:
            self._hear(notice)
        return step.to_send

    def _hear(self, notice: n.Notice) -> None:
        match notice:
            case n.LinkOpened():
                self._hear_opening(notice)
            case n.LinkLost():
                self._forget_link()
            case n.CaughtUp(highest_command=highest):
                self._hear_caught_up(highest)
            case n.EventTold(number=number, body=body, current=current):
                self._hear_event(number, body, current)
            case n.HeartbeatHeard(link=link, number=number, lapsed=lapsed):
                self._heartbeat = link, number
                self.lapsed |= lapsed
            case n.EntryBroken():
                self._entry.clear()
            case n.StrokeTold(key=key):
                self._hear_stroke(key)

    def _hear_opening(self, opened: n.LinkOpened) -> None:
        hello = opened.hello
        known = self.memory is not None
        lost = known and hello.memory != self.memory
        assert opened.memory_lost == lost, "P4: a lost memory is told, and no other"
        assert opened.behind == (known and not lost and hello.first_kept > self.number + 1), "a journal behind is told"
        if not known or opened.memory_lost or opened.behind:
            self._write(((hello.memory, hello.first_kept - 1), None))
        self._forget_link()
        self.is_open, self.link, self.boot = True, hello.link, hello.boot
        self.ignoring = bool(opened.ignores)
        self.openings += 1

    def _hear_event(self, number: int, body: m.EventBody, current: bool) -> None:
        assert self.memory is not None
        assert number == self.number + 1, "P2, P3: each event once, in order"
        assert self.device.get((self.memory, number)) == body, "P4: no event is told that did not happen so"
        if self.ordered is not None and self._answers(body):
            assert self.results[self.memory, number] == self.ordered.boot, "P5: an old result answers a new order"
        self._write(((self.memory, number), body))
        if isinstance(body, m.HoldConfirmed) and current:
            self.confirmed = not self.released  # a release may be on its way down while this comes up
        if isinstance(body, m.Lapsed) and current:
            self.lapsed = True

    def _hear_caught_up(self, highest: int) -> None:
        self._caught_up, self._highest_told = True, highest
        self.ignoring = False
        if self.ordered is not None and self.ordered.boot != self.boot:
            self.unknown.append(self.ordered)  # rule 18: all kept events are taken, and the result is not among them
            self.give_up()

    def _hear_stroke(self, key: int) -> None:
        if key != m.Key.ENTER:
            self._entry.append(key)
            return
        entry, self._entry = self._entry, []
        typed = int("".join(map(str, entry)) or 0)
        assert len(entry) == 3, "P10: part of an entry, or two, taken for one"
        assert typed not in self.taken, "P10: an entry taken twice"
        self.taken.append(typed)
