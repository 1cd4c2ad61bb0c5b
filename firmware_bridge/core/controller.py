"""The controller: one thread, one turn after another; each turn decides, restricts, journals, and only then permits.

    inputs -> decide -> restricting orders at once -> flush -> acks, permitting orders, leases, commands

A turn that cannot be flushed permits nothing and acknowledges nothing (SB-11); the devices hold themselves when their
leases run out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from drivers.protocol import notices as n
from drivers.protocol.messages import Capability, Lamp, Level
from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.alarms import presented
from firmware_bridge.core.console import CheckWanted, Console, Outcome, RenewWanted
from firmware_bridge.core.decide import decide
from firmware_bridge.core.outputs import Wanted, desired, due
from firmware_bridge.core.records import Entry, Logged, Store
from firmware_bridge.core.state import State
from firmware_bridge.core.steps import typed_with
from firmware_bridge.core.words import ENDS, IncidentKind, Procedure, Role, Session
from firmware_bridge.errors import JournalError
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.rulebooks.subjects import source


class Now(Struct, frozen=True):
    """One moment on three clocks, in nanoseconds: link and table only go forward, UTC is the wall's."""

    link_ns: int
    table_ns: int
    utc_ns: int


class Screen(Struct, frozen=True):
    """Whether a screen shows the table."""

    shown: bool


class Room(Struct, frozen=True):
    """Whether the journal's disk is getting full, and how much of it is free."""

    low: bool
    free_mb: int


class MayAct(Struct, frozen=True):
    """The numbers of all who may act at this table."""

    people: frozenset[int]


class FromDevice(Struct, frozen=True):
    """Notices of one device's core, in order."""

    device: str
    notices: Sequence[n.Notice]


class Checked(Struct, frozen=True):
    """The answer of a credential check: the person's role, or None; or why there was none to make (``failed``)."""

    entry: int
    role: Role | None
    failed: str = ""


class Renewed(Struct, frozen=True):
    """The answer of a renewal: done, or ``refused`` and why. It names both people, for the entry may be gone."""

    entry: int
    person: int
    by: int
    refused: str = ""


Input = FromDevice | Checked | Renewed | Screen | Room | MayAct

SLOW_FLUSH_MS = 1000
"""A flush of more milliseconds than these is told with the next record; play goes on up to the house's limit."""


WORDS = (n.LinkOpened, n.EventTold, n.HeartbeatHeard, n.StrokeTold)
"""What a device itself says; damage on its line is no word of it."""

LONGEST_STEP_NS = 2 * 10**9
"""By how much the wall's clock may leave the machine's own between two turns: steered, not set, it stays below."""

AT_REST: tuple[n.Order, ...] = (n.HoldNow(), n.Want(Level.LID, 0), n.Want(Level.INTAKE, 0))
"""What every controller begins and ends with; of a device that lacks a part, nobody asks it."""

UNTOLD = -1
"""The prompt of a device of which this controller has ordered no level yet: its lamp and prompt are another's."""


class Ports(Struct, frozen=True):
    """What the controller is handed: a journal, a clock, the way to the devices and to the people file."""

    store: Store
    clock: Callable[[], Now]
    send: Callable[[str, n.Order], None]
    check: Callable[[CheckWanted], None]
    renew: Callable[[RenewWanted], None]


class Status(Struct, frozen=True):
    """What the status file shows beside the journal: freshness and dots, never evidence."""

    boot: str
    record: int
    utc_ns: int
    asking: str
    role: str
    digits: int
    message: str
    presented: int
    journal: str = ""
    """Why nothing can be recorded now; empty while the journal is written."""
    heard: dict[str, int] = {}
    """Of each device of which this run heard: when its last word came, in UTC nanoseconds."""


class Controller:
    """Decides for one table. Not thread-safe: one thread turns it."""

    def __init__(self, state: State, book: RuleBook, ports: Ports, boot: str) -> None:
        self.state = state
        self.book = book
        self.console = Console(book.house.entry_timeout_s * 10**9, lambda step: typed_with(self.state, step))
        self._ports = ports
        self._boot = boot
        self._entries: list[Entry] = []
        self._sign = False
        self._slow_ms = 0
        """How long the slowest flush took of which no record tells yet; 0: none was slow."""
        self._acks: dict[str, int] = {}
        self._orders: list[tuple[str, n.Order]] = []
        self._renewals: list[RenewWanted] = []
        self._heard: dict[str, tuple[int, int]] = {}
        self._last_words: dict[str, int] = {}
        self._sent: dict[str, Wanted] = {}
        self._number = ports.store.last_number
        self._turned_at: Now | None = None
        self._derived_of = -1
        self._levels: dict[str, Wanted] = {}
        self._due: dict[str, int] = {}

    def start(self, started: e.Started, resumed: e.JournalResumed | e.JournalBegunAnew | None = None) -> None:
        """Record that a controller started: the first record of its run. Raises ``JournalError``.

        ``resumed``: what became of the journal before it: it failed, or was damaged; that is recorded next.
        """
        now, recorded_utc_ns = self._ports.clock(), self.state.utc_ns
        self._sign = True
        self._decide(started, now)
        if resumed is not None:
            self._decide(resumed, now)
        self._watch_the_clock(max(recorded_utc_ns, now.utc_ns), now)  # how long nobody was here only it can tell
        self._complete()

    def turn(self, inputs: Sequence[Input]) -> None:
        """Take inputs and whatever is due; raises ``JournalError`` where the journal fails, with everything held."""
        now = self._ports.clock()
        before = self._turned_at or now
        self._watch_the_clock(before.utc_ns + now.link_ns - before.link_ns, now)
        for one in inputs:
            self._take(one, now)
        self._take_deadlines(now)
        self._complete()

    def deadline(self) -> int | None:
        """When, in table time, a turn is needed though nothing came in; None: not at all."""
        self._derive()
        times = [*self._due.values(), self.console.deadline]
        return min((time for time in times if time is not None), default=None)

    def status(self) -> Status:
        """What the status file should show now."""
        console = self.console
        return Status(
            boot=self._boot,
            record=self._number,
            utc_ns=self._ports.clock().utc_ns,
            asking=console.asking,
            role=console.role or "",
            digits=console.digits,
            message=console.message,
            presented=console.about or presented(self.state),
            heard=dict(self._last_words),
        )

    def _watch_the_clock(self, expected_utc_ns: int, now: Now) -> None:
        """The wall's clock is for readers alone; that it was set is recorded, so that they can follow it (BR-039)."""
        self._turned_at = now
        if abs(now.utc_ns - expected_utc_ns) > LONGEST_STEP_NS:
            self._decide(e.ClockJumped(expected_utc_ns, now.utc_ns), now)

    # ---- inputs

    def _take(self, one: Input, now: Now) -> None:
        if isinstance(one, Screen):
            if one.shown != self.state.screen_shown:
                self._decide(e.ScreenSeen(one.shown), now)
        elif isinstance(one, Room):
            if one.low != self.state.disk_low or (one.low and self._low_disk_is_untold()):
                self._decide(e.RoomSeen(one.low, one.free_mb), now)
        elif isinstance(one, MayAct):
            if self.state.dealer and self.state.dealer not in one.people:
                self._decide(e.RightTaken(self.state.dealer), now)
        elif isinstance(one, Checked):
            role = one.role if self.console.checking.get(one.entry) not in self.state.locked_out else None
            self._take_outcome(self.console.checked(one.entry, role, now.table_ns, one.failed), now)
            for key in self.console.take_ahead():
                self._take_outcome(self.console.key(key, now.table_ns, presented(self.state)), now)
        elif isinstance(one, Renewed):
            self.console.renewed(one.entry, one.refused)
            self._decide(e.PinRenewed(one.person, one.by, one.refused), now)
        else:
            for notice in one.notices:
                self._take_notice(one.device, notice, now)

    def _low_disk_is_untold(self) -> bool:
        """It was low before the session began, and a session is under way: only now is there somebody to tell."""
        told = any(incident.kind is IncidentKind.DISK_LOW for incident in self.state.incidents.values())
        return self.state.under_way and not told

    def _take_notice(self, device: str, notice: n.Notice, now: Now) -> None:
        if isinstance(notice, WORDS):
            self._last_words[device] = now.utc_ns
        if isinstance(notice, n.StrokeTold):
            self._take_outcome(self.console.key(notice.key, now.table_ns, presented(self.state)), now)
        elif isinstance(notice, n.EntryBroken):
            self._take_outcome(self.console.broken(), now)
        elif isinstance(notice, n.HeartbeatHeard):
            self._heard[device] = notice.link, notice.number
            if notice.lapsed:
                self._hold_anew(device)
        elif isinstance(notice, n.EventTold):
            if self.state.devices[device].open:  # a device that is not taken on is not acknowledged either
                self._decide(e.Told(device, notice.number, notice.body, notice.current), now)
                self._acks[device] = notice.number
        else:
            self._take_link_notice(device, notice, now)

    def _hold_anew(self, device: str) -> None:
        """A lapse spends its release, whatever is wanted: only a hold makes the next one possible (rule 26)."""
        self._ports.send(device, n.HoldNow())
        self._sent[device] = _held(self._sent[device])

    def _take_link_notice(self, device: str, notice: n.Notice, now: Now) -> None:
        if isinstance(notice, n.LinkOpened):
            self._sent[device] = _held(self._sent.get(device, Wanted()))
            self._decide(e.LinkUp(device, notice.hello, notice.memory_lost, notice.behind, notice.ignores), now)
        elif isinstance(notice, n.CaughtUp):
            if self.state.devices[device].open:
                self._decide(e.DeviceCaughtUp(device, notice.highest_command), now)
                self._carry_again(device)
        elif isinstance(notice, n.LinkLost | n.LinkRefused):
            self._heard.pop(device, None)
            known = self.state.devices[device]
            if known.open and known.can(Capability.SENDS_STROKES):
                self._take_outcome(self.console.drop("the keypad is gone"), now)
            if known.open or known.reason != notice.reason:  # said once, not at each try
                self._decide(e.LinkDown(device, notice.reason), now)
        elif isinstance(notice, n.RemoteErrors):
            self._decide(e.BadFrames(device, notice.count, notice.latest), now)

    def _take_outcome(self, outcome: Outcome, now: Now) -> None:
        for event in outcome.events:
            self._decide(event, now)
        if outcome.renew is not None:
            self._decide(e.RenewalBegan(outcome.renew.person, outcome.renew.by), now)
            self._renewals.append(outcome.renew)
        if outcome.check is None:
            return
        if outcome.check.person in self.state.locked_out:  # not even checked: the time is all that ends a lock-out
            self._take_outcome(self.console.locked_out(now.table_ns), now)
        else:
            self._ports.check(outcome.check)

    def _take_deadlines(self, now: Now) -> None:
        self._derive()
        for timer, time in self._due.items():
            if now.table_ns >= time:
                self._decide(e.TimerDue(timer), now)
        self._take_outcome(self.console.timed_out(now.table_ns), now)

    # ---- one decision

    def _decide(self, event: e.AnyEvent, now: Now) -> None:
        self._tell_slow_flush(now)
        self._number += 1
        decision = decide(
            self.state, event, number=self._number, table_ns=now.table_ns, utc_ns=now.utc_ns, book=self.book
        )
        for change in decision.changes:
            self._note(change)
        if decision.refusal is not None:
            self.console.refused(f"refused: {decision.refusal.reason} [{source(decision.refusal.clause)}]")
        body = Logged(now.table_ns, event, decision).to_body()
        self._entries.append(Entry(self._number, now.utc_ns, now.link_ns, body))

    def _note(self, change: c.AnyChange) -> None:
        """What a change asks of the journal and of the devices, once it is flushed."""
        if isinstance(change, c.SessionBegan):
            self._begin_segment()
        elif isinstance(change, c.OrderGiven):
            number = change.id or self._number
            self._orders.append((change.device, n.Carry(number, change.boot, change.operation)))
        elif isinstance(change, c.OrderClosed):
            self._orders += [(device, n.Settled(change.id)) for device in self.state.devices]
        elif isinstance(change, c.Moved) and change.procedure == Procedure.SESSION:
            ends_round = change.source == Session.RETURNING and change.target != Session.RETURNING
            self._sign = self._sign or ends_round or change.target in ENDS

    def _carry_again(self, device: str) -> None:
        """Carry what was under way before; what was ordered only now is carried as any order is."""
        order = self.state.order
        if order is not None and order.device == device and order.record < self._number:
            self._orders.append((device, n.Carry(order.id, order.boot, order.operation)))

    # ---- the end of a turn

    def _complete(self) -> None:
        self._restrict(self._wanted())
        self._flush()
        if self._is_held_for_its_disk():
            self._tell_slow_flush(self._ports.clock())
            self._restrict(self._wanted())
            self._flush()
        for device, number in self._acks.items():  # first: a device with a full window holds itself until it has them
            self._ports.send(device, n.AckEvents(number, self.state.devices[device].memory))
        wanted = self._wanted()
        self._permit(wanted)
        for device, order in self._orders:
            self._ports.send(device, order)
        for renewal in self._renewals:
            self._ports.renew(renewal)
        self._acks, self._orders, self._renewals = {}, [], []
        self._renew(wanted)

    def _begin_segment(self) -> None:
        """Every session begins a segment; what came before it belongs to the one before."""
        self._flush()
        self._write(self._ports.store.begin_segment)

    def _flush(self) -> None:
        entries, self._entries = self._entries, []
        sign, self._sign = self._sign, False
        if entries:
            self._write(lambda: self._ports.store.append(entries, sign=sign))

    def _write(self, writes: Callable[[], None]) -> None:
        """Have the journal write; how long that took is noted. Where it fails everything is held (SB-11)."""
        began_ns = self._ports.clock().link_ns
        try:
            writes()
        except JournalError:
            self._hold_everything()
            raise
        took_ms = (self._ports.clock().link_ns - began_ns) // 10**6
        if took_ms > min(SLOW_FLUSH_MS, self.book.house.flush_limit_ms):
            self._slow_ms = max(self._slow_ms, took_ms)

    def _tell_slow_flush(self, now: Now) -> None:
        """Record that a flush was slow: with the next record, for one of its own would be one more slow flush."""
        took_ms, self._slow_ms = self._slow_ms, 0
        if took_ms:
            self._decide(e.FlushWasSlow(took_ms), now)

    def _is_held_for_its_disk(self) -> bool:
        """Whether a flush of this turn took longer than the house allows, and no alarm of it is open yet."""
        too_slow = self.state.under_way and self._slow_ms > self.book.house.flush_limit_ms
        return too_slow and all(one.kind is not IncidentKind.SLOW_JOURNAL for one in self.state.incidents.values())

    def _hold_everything(self) -> None:
        for device in self.state.devices:
            self._ports.send(device, n.HoldNow())
            self._ports.send(device, n.Want(Level.INTAKE, 0))
            self._ports.send(device, n.Want(Level.LAMP, Lamp.FLASHING))

    def _wanted(self) -> dict[str, Wanted]:
        self._derive()
        return self._levels

    def _derive(self) -> None:
        """What follows from the state, once a record: nothing else changes the state."""
        if self._derived_of != self._number:
            self._derived_of = self._number
            self._levels, self._due = desired(self.state, self.book), due(self.state, self.book)

    def _restrict(self, wanted: dict[str, Wanted]) -> None:
        """Whatever stops something leaves before the flush: hold, lid locked, intake shut, lamp on."""
        for device, new in wanted.items():
            old = self._sent.get(device)
            if old == new:
                continue
            if old is None:
                old = self._sent[device] = Wanted(prompt=UNTOLD)
                for order in AT_REST:  # whoever was here before may have left it released, unlocked, open
                    self._ports.send(device, order)
            goes_on = new.release == old.release  # another purpose is another release, and ends this one
            if old.release is not None and not goes_on:
                self._ports.send(device, n.HoldNow())
            if new.lamp > old.lamp:
                self._ports.send(device, n.Want(Level.LAMP, new.lamp))
            if old.lid_unlocked and not new.lid_unlocked:
                self._ports.send(device, n.Want(Level.LID, 0))
            if old.intake_open and not new.intake_open:
                self._ports.send(device, n.Want(Level.INTAKE, 0))
            self._sent[device] = Wanted(
                release=old.release if goes_on else None,
                lamp=max(old.lamp, new.lamp),
                lid_unlocked=old.lid_unlocked and new.lid_unlocked,
                intake_open=old.intake_open and new.intake_open,
                prompt=old.prompt,
            )

    def _permit(self, wanted: dict[str, Wanted]) -> None:
        """Whatever lets something go leaves after the flush: lid unlocked, intake open, lamp off; and the prompt."""
        for device, new in wanted.items():
            old = self._sent[device]
            if old == new:
                continue
            if new.lamp < old.lamp or old.prompt == UNTOLD:
                self._ports.send(device, n.Want(Level.LAMP, new.lamp))
            if new.lid_unlocked and not old.lid_unlocked:
                self._ports.send(device, n.Want(Level.LID, 1))
            if new.intake_open and not old.intake_open:
                self._ports.send(device, n.Want(Level.INTAKE, 1))
            if new.prompt != old.prompt:
                self._ports.send(device, n.Want(Level.PROMPT, new.prompt))
            self._sent[device] = new

    def _renew(self, wanted: dict[str, Wanted]) -> None:
        """Leases answer heartbeats that were inputs of a completed, flushed turn, at most one each (rule 25)."""
        for device, new in wanted.items():
            if new.release is not None and device in self._heard:
                self._ports.send(device, n.Release(new.release, *self._heard.pop(device)))


def _held(wanted: Wanted) -> Wanted:
    """The same levels, held: a fresh link holds the device by itself (rule 2)."""
    return Wanted(None, wanted.lamp, wanted.lid_unlocked, wanted.intake_open, wanted.prompt)
