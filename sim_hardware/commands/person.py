"""What every person at the simulated table has in common: eyes, a pace of their own, and fingers on one keypad.

A person looks at what anyone may see, decides on one deed, takes a moment, and does it; a deed that did not show is
tried again. There is no clock, thread or sleep here: whoever calls ``step`` says what time it is.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import NamedTuple

from drivers.protocol.messages import Key
from firmware_bridge.view import AskLine, KeypadLine, TableView
from sim_hardware.commands.evening import Evening
from sim_hardware.commands.misdeeds import MISDEEDS, Habit, Misdeed
from sim_hardware.commands.trying import (
    IN_A_ROW,
    MOST_TRIES,
    OFTEN,
    SELDOM,
    TEMPTED,
    Try,
    do_by_hand,
    draw_try,
    steps_asked,
)
from sim_hardware.table import PhysicalTable


@dataclass(frozen=True)
class Pace:
    """How people move: ``factor`` stretches every pause (0 for none), seconds of table time.

    ``patience`` is how long one waits for a deed to show before it is done again.
    """

    factor: float = 1.0
    patience: float = 8.0


AT_EASE = Pace()


class Deed(NamedTuple):
    """One thing to do. ``what`` tells it from the deed before; ``do`` returns when it may be repeated, in seconds.

    None from ``do``: not before the person's patience is at an end.
    """

    what: Hashable
    do: Callable[[], float | None]
    moment: float


@dataclass
class Entry:
    """A keypad entry in the making: keys, and between them what the keypad must ask for first."""

    keys: deque[int | str] = field(repr=False)
    tries: int = 1
    asked_pin: bool = False
    waiting_since: float | None = None


TRIES = 3
FORGETS = 0.3
"""Share of entries at which somebody whose habit it is has forgotten his PIN."""
RENEW = 55
"""The step that renews a PIN."""
GOES = 0.01
"""Share of deeds and keys at which somebody whose habit it is goes away."""
GONE_FOR = (60.0, 300.0)
"""Seconds for which."""
BETWEEN_KEYS = 0.15
SLOWEST, FASTEST = 1.4, 0.6


class Person:
    """Somebody with a number and a PIN. Subclasses say what they do next, in ``_next``."""

    role = ""

    def __init__(
        self,
        number: int,
        pin: str,
        rng: Random,
        evening: Evening,
        pace: Pace = AT_EASE,
        habits: frozenset[Habit] = frozenset(),
        after_round: int = 0,
    ) -> None:
        self.number = number
        self.evening = evening
        self.habits = habits
        self._pin = pin
        self._rng = rng
        self.pace = pace
        self._after_round = after_round
        self._back_at = 0.0
        self._is_again = False
        self._had = set[Habit]()
        self._what: Hashable = None
        self._act_at = 0.0
        self._step = 0
        self._value: int | None = None
        self._poses_as = 0
        self._try: Try | None = None
        self._entry: Entry | None = None
        self._tries_at = 0.0
        self._tries = 0
        self._tried_steps = Counter[int]()
        self.set_on: tuple[int, ...] = ()
        """Steps that somebody who tries anything has set his mind on."""
        self._has_forgotten = False
        self._begin()

    def _begin(self) -> None:
        """What a role remembers beside all that, as it is when somebody sits down."""

    @property
    def misdeeds(self) -> frozenset[Habit]:
        """Habits that the person gave in to."""
        return frozenset(self._had)

    @property
    def acts_at(self) -> float:
        """When the deed or the key that comes next is due, by what was seen last; past if there is none."""
        return self._act_at

    def step(self, now: float, view: TableView, table: PhysicalTable) -> None:
        """Look and, when the moment has come, act. ``now`` is table time in seconds."""
        self.evening.follow(view)
        if now < self._back_at:
            return
        if self._entry is not None:
            self._type(now, view.keypad, table)
            return
        deed = self._tried(now, view, table)
        if deed is None and (self._is_on_duty(view) or self._comes(view)):
            deed = self._misdeed(view) or self._next(now, view, table)
        if deed is None:
            return
        if deed.what != self._what:
            self._what, self._act_at, self._is_again = deed.what, now + self._pause(deed.moment), False
            self._may_go_away(now)
        if now >= self._act_at:
            if self._is_again:
                table.free_keys()  # it did not show: perhaps a key sticks
            self._is_again = True
            again = deed.do()
            if self._entry is None:
                self._act_at = now + (self.pace.patience if again is None else again)

    # ---- whether it is one's turn

    def _is_on_duty(self, view: TableView) -> bool:
        """Whether one's turn it is: that of whoever was relieved last, or of any other while that one is locked out."""
        on_duty = self.evening.on_duty.get(self.role, 0)
        if self.number in self.evening.barred:
            return False
        if on_duty in self.evening.barred:
            return True
        if on_duty in (0, self.number):
            return on_duty == self.number or self._after_round == 0
        return any(f"number {on_duty} " in line for line in view.locked_out)

    def _comes(self, view: TableView) -> bool:
        """Whether one comes to relieve the other now: between two rounds, with nothing amiss."""
        return (
            0 < self._after_round <= view.round
            and view.session_state == "ready"
            and view.alarm is None
            and not self.evening.is_over
        )

    def _relieve(self, step: int, view: TableView) -> Deed:
        """Say so at the keypad, and act from then on."""

        def do() -> float | None:
            again = self._go_to_keypad(step)
            if again is None:
                self.evening.on_duty[self.role] = self.number
                self._after_round = 0
            return again

        return Deed((view.session_state, view.round, step), do, 0.5)

    # ---- what one does wrong

    def _may_go_away(self, now: float) -> None:
        if Habit.GOES_AWAY in self.habits and self._rng.random() < GOES:
            self._had.add(Habit.GOES_AWAY)
            self._back_at = now + self._rng.uniform(*GONE_FOR)
            if self._entry is not None:
                self._entry = self.evening.at_keypad = None

    def _tried(self, now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        """What somebody tries who tries anything, when he does."""
        if Habit.TRIES_ANYTHING not in self.habits or self._tries == MOST_TRIES:
            return None
        if self.evening.at_keypad is not None and self.role != "dealer":
            return None  # somebody stands there
        if now < self._tries_at and not self._is_tempted(view):
            return None
        self._tries += 1
        self._had.add(Habit.TRIES_ANYTHING)
        self._tries_at = now + self._rng.uniform(OFTEN, SELDOM)
        tried = draw_try(self._rng, self.role, view, self._tried_steps, self.set_on)

        def do() -> float | None:
            if tried.by_hand is not None:
                do_by_hand(tried.by_hand, tried.number, table)
                return 0.5
            if tried.key is None:
                return self._go_to_keypad(tried.step, tried.value, tried.poses_as, tried)
            table.press_dealer_key(tried.key)
            return 0.5

        return Deed(("tries", self._tries_at), do, 0.0)

    def _is_tempted(self, view: TableView) -> bool:
        """Whether something is asked that was never asked before, and is tried before its person gets to it."""
        new = [number for number in steps_asked(view) if number not in self._tried_steps]
        self._tried_steps.update(dict.fromkeys(new, 0))
        return any(self._rng.random() < TEMPTED for _ in new)

    def _misdeed(self, view: TableView) -> Deed | None:
        """The first misdeed of the person's role that tempts now."""
        if not self.habits:
            return None
        for misdeed in MISDEEDS:
            if self._takes(misdeed.habit) and misdeed.role == self.role and misdeed.tempts(view):
                return Deed((situation(view), misdeed.habit), partial(self._enter_wrongly, misdeed), 1.0)
        return None

    def _enter_wrongly(self, misdeed: Misdeed) -> float | None:
        again = self._go_to_keypad(misdeed.step, misdeed.value, misdeed.poses_as)
        if again is None:
            self._had.add(misdeed.habit)
        return again

    def _next(self, now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        raise NotImplementedError

    def _pause(self, seconds: float) -> float:
        return seconds * self.pace.factor * self._rng.uniform(FASTEST, SLOWEST)

    def _takes(self, habit: Habit) -> bool:
        """Whether the person gives in to a habit that it has not given in to yet."""
        return habit in self.habits and habit not in self._had

    def _asked(self, view: TableView, trigger: str, due_only: bool = True) -> AskLine | None:
        """The line that asks this of the person's role, if there is one."""
        for ask in view.asks:
            if ask.role == self.role and ask.trigger == trigger and (ask.due or not due_only):
                return ask
        return None

    # ---- at the keypad

    def _enter(self, view: TableView, step: int, value: int | None = None, moment: float = 1.5) -> Deed:
        """The deed of typing a step, with what it asks to be typed (None: nothing)."""
        return Deed((situation(view), step, value), lambda: self._go_to_keypad(step, value), moment)

    def _enter_after(self, view: TableView, ask: AskLine, before: Callable[[], None], value: int | None = None) -> Deed:
        """The deed of typing a step when something was done by hand."""

        def do() -> float | None:
            if self.evening.at_keypad is None:
                before()
            return self._go_to_keypad(ask.number, value)

        return Deed((situation(view), ask.number), do, 2.0)

    def _go_to_keypad(
        self, step: int, value: int | None = None, poses_as: int = 0, tried: Try | None = None
    ) -> float | None:
        if self.evening.at_keypad is not None:
            return 0.5  # somebody stands there: soon again
        self.evening.at_keypad = self
        if self._takes(Habit.FORGETS_PIN) and self._rng.random() < FORGETS:
            self._had.add(Habit.FORGETS_PIN)
            self._pin, self._has_forgotten = self._guess(), True
        self._step, self._value, self._poses_as, self._try = step, value, poses_as, tried
        self._entry = Entry(self._keys())
        return None

    def _keys(self) -> deque[int | str]:
        """All keys of an entry: one's own number and PIN, or another's number and a guess."""
        number, pin = self.number, self._pin
        if self._poses_as:
            number, pin = self._poses_as, self._guess()
        keys: deque[int | str] = deque([Key.CLEAR, *map(int, str(number)), Key.ENTER, "pin", *map(int, pin), Key.ENTER])
        tried = self._try or Try()
        if tried.hurries:
            return keys + deque([Key.CLEAR, *map(int, str(tried.hurries)), Key.ENTER])
        keys += ["step", *map(int, str(self._step)), Key.ENTER]
        if self._value is not None:
            keys += ["value", *map(int, str(self._value)), Key.ENTER]
        if self._step == RENEW and self._value in self.evening.forgot:  # the person himself, who stands beside
            new = [*map(int, self.evening.new_pins[self._value]), Key.ENTER]
            keys += ["new_pin", *new, "again", *new]
        if tried.then:
            keys += [*map(int, str(tried.then)), Key.ENTER]
        return keys

    def _guess(self) -> str:
        return f"{self._rng.randrange(10**6):06}"

    def learn(self, pin: str) -> None:
        """One's PIN was renewed: from now on it is the one that one chose."""
        self._pin, self._has_forgotten = pin, False
        self.evening.forgot.discard(self.number)

    def _type(self, now: float, line: KeypadLine, table: PhysicalTable) -> None:
        assert self._entry is not None  # the caller looked
        entry = self._entry
        if now < self._act_at:
            return
        wanted = entry.keys[0]
        if isinstance(wanted, str):
            self._wait_for(wanted, entry, now, line, table)
            return
        if entry.asked_pin and line.asking == "number" and line.message:
            self._start_over(now, table)  # dropped or turned away; the keypad says why
            return
        table.press_key(wanted)
        entry.keys.popleft()
        if self._try is not None and self._try.hurries and entry.keys and entry.keys[0] == Key.CLEAR:
            while len(entry.keys) > 1:  # faster than any screen; Enter itself was pressed a moment ago
                table.press_key(int(entry.keys.popleft()))
        self._may_go_away(now)
        self._act_at = now + self._pause(BETWEEN_KEYS)
        if self._entry is not None and not entry.keys:
            self._leave_keypad(now)

    def _wait_for(self, wanted: str, entry: Entry, now: float, line: KeypadLine, table: PhysicalTable) -> None:
        if line.asking == wanted:
            # from here on the line is this entry's own, and a message on it is news
            entry.asked_pin, entry.waiting_since = True, None
            entry.keys.popleft()
            self._act_at = now + self._pause(BETWEEN_KEYS)
        elif entry.waiting_since is None:
            entry.waiting_since = now
        elif (entry.asked_pin and line.asking == "number" and line.message) or (
            now >= entry.waiting_since + self.pace.patience
        ):
            self._start_over(now, table)

    def _start_over(self, now: float, table: PhysicalTable) -> None:
        assert self._entry is not None  # only somebody who types starts over
        table.free_keys()
        tries = self._entry.tries
        if tries == (IN_A_ROW if self._try is not None and self._poses_as else TRIES):
            table.press_key(Key.CLEAR)
            if self._has_forgotten:
                self.evening.forgot.add(self.number)
            self._leave_keypad(now)
            return
        self._entry = Entry(self._keys(), tries + 1)
        self._act_at = now + self._pause(1.0)

    def _leave_keypad(self, now: float) -> None:
        self._entry = None
        self.evening.at_keypad = None
        self._act_at = now + self.pace.patience


def situation(view: TableView) -> tuple[object, ...]:
    """What tells one moment of a session from the next, for somebody who has just done something about it."""
    alarm = None if view.alarm is None else (view.alarm.number, view.alarm.state)
    return view.session_state, view.round, view.deck_due, alarm


def is_open(view: TableView, *kinds: str) -> bool:
    """Whether an incident of these kinds is not confirmed yet."""
    return any(one.kind in kinds for one in view.incidents)
