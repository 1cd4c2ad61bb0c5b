"""What every person at the simulated table has in common: eyes, a pace of their own, and fingers on one keypad.

A person looks at what anyone may see, decides on one deed, takes a moment, and does it; a deed that did not show is
tried again. There is no clock, thread or sleep here: whoever calls ``step`` says what time it is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random
from typing import NamedTuple

from drivers.protocol.messages import Key
from firmware_bridge.view import AskLine, KeypadLine, TableView
from sim_hardware.commands.evening import Evening
from sim_hardware.table import PhysicalTable


class Habit(StrEnum):
    """What a person does wrong, once an evening; a few all evening, as the README's table says."""

    ONE_PACK_ONLY = "one_pack_only"
    SECOND_LOADING = "second_loading"
    CUT_ASKED = "cut_asked"
    UNLOAD_BEFORE_CLOSE = "unload_before_close"
    ABSENT_AT_LOADING = "absent_at_loading"
    KEEP_A_CARD = "keep_a_card"
    LOSE_A_CARD = "lose_a_card"
    CLAIM_IN_TIME = "claim_in_time"
    CLAIM_LATE = "claim_late"
    PULL_WHILE_HELD = "pull_while_held"
    SWAP_A_CARD = "swap_a_card"
    CONFIRM_ALARM = "confirm_alarm"
    ABSENT_AT_ALARM = "absent_at_alarm"
    NO_ACKNOWLEDGING = "no_acknowledging"
    CLOSE_ON_JAM = "close_on_jam"
    PUT_BACK_WRONGLY = "put_back_wrongly"
    CALL_TECHNICIAN = "call_technician"
    GIVE_UP_REPAIR = "give_up_repair"
    WRONG_REPLACEMENT = "wrong_replacement"


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
    ) -> None:
        self.number = number
        self.evening = evening
        self.habits = habits
        self._pin = pin
        self._rng = rng
        self._pace = pace
        self._had = set[Habit]()
        self._what: Hashable = None
        self._act_at = 0.0
        self._step = 0
        self._value: int | None = None
        self._entry: Entry | None = None

    def step(self, now: float, view: TableView, table: PhysicalTable) -> None:
        """Look and, when the moment has come, act. ``now`` is table time in seconds."""
        self.evening.follow(view)
        if self._entry is not None:
            self._type(now, view.keypad, table)
            return
        deed = self._next(now, view, table)
        if deed is None:
            return
        if deed.what != self._what:
            self._what, self._act_at = deed.what, now + self._pause(deed.moment)
        if now >= self._act_at:
            again = deed.do()
            if self._entry is None:
                self._act_at = now + (self._pace.patience if again is None else again)

    def _next(self, now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        raise NotImplementedError

    def _pause(self, seconds: float) -> float:
        return seconds * self._pace.factor * self._rng.uniform(FASTEST, SLOWEST)

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

    def _go_to_keypad(self, step: int, value: int | None = None) -> float | None:
        if self.evening.at_keypad is not None:
            return 0.5  # somebody stands there: soon again
        self.evening.at_keypad = self
        self._step, self._value = step, value
        self._entry = Entry(self._keys())
        return None

    def _keys(self) -> deque[int | str]:
        keys: deque[int | str] = deque([Key.CLEAR, *map(int, str(self.number)), Key.ENTER, "pin"])
        keys += [*map(int, self._pin), Key.ENTER, "step", *map(int, str(self._step)), Key.ENTER]
        if self._value is not None:
            keys += ["value", *map(int, str(self._value)), Key.ENTER]
        return keys

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
        self._act_at = now + self._pause(BETWEEN_KEYS)
        if not entry.keys:
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
            now >= entry.waiting_since + self._pace.patience
        ):
            self._start_over(now, table)

    def _start_over(self, now: float, table: PhysicalTable) -> None:
        assert self._entry is not None  # only somebody who types starts over
        tries = self._entry.tries
        if tries == TRIES:
            table.press_key(Key.CLEAR)
            self._leave_keypad(now)
            return
        self._entry = Entry(self._keys(), tries + 1)
        self._act_at = now + self._pause(1.0)

    def _leave_keypad(self, now: float) -> None:
        self._entry = None
        self.evening.at_keypad = None
        self._act_at = now + self._pace.patience


def situation(view: TableView) -> tuple[object, ...]:
    """What tells one moment of a session from the next, for somebody who has just done something about it."""
    alarm = None if view.alarm is None else (view.alarm.number, view.alarm.state)
    return view.session_state, view.round, view.deck_due, alarm


def is_open(view: TableView, *kinds: str) -> bool:
    """Whether an incident of these kinds is not confirmed yet."""
    return any(one.kind in kinds for one in view.incidents)
