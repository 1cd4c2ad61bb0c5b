"""The keypad's open entry: number, Enter, PIN, Enter, then one act, by its number, and what it asks to be typed.

Keys are no events. The entry lives in memory only; what is journalled is that a person was identified or rejected, and
the act. An entry that is broken (a missed key, a new link, too long a pause) is dropped whole, and that is said.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct

from drivers.protocol.messages import Key
from firmware_bridge.core.events import Acted, AnyEvent, EntryDropped, Identified, Rejected
from firmware_bridge.core.secrets import LONGEST_PIN, SHORTEST_PIN, Pin, weakness
from firmware_bridge.core.steps import BY_NUMBER, STEPS
from firmware_bridge.core.words import CLEAR_FIRST, Role, Trigger

LONGEST_NUMBER = 4

LONGEST = SHORTEST_PIN - 1
"""Digits of a step or a value: fewer than any PIN has, so that one typed in the wrong place gets into no journal."""

MOST_AHEAD = 16
"""Keys that may be typed ahead of a PIN's check: a step and what it asks for."""


class Asking(StrEnum):
    """What the keypad asks for. The new PIN is typed by the person himself, twice."""

    NUMBER = "number"
    PIN = "pin"
    WAIT = "wait"
    STEP = "step"
    VALUE = "value"
    NEW_PIN = "new_pin"
    AGAIN = "again"


class CheckWanted(Struct, frozen=True):
    """A credential check is wanted; its answer comes back with the same ``entry``."""

    entry: int
    person: int
    pin: Pin


class RenewWanted(Struct, frozen=True):
    """A person's PIN is to be renewed, on the room manager's word (``by``); the answer has the same ``entry``."""

    entry: int
    person: int
    by: int
    pin: Pin


class Outcome(Struct, frozen=True):
    """What a key led to: events to decide on, and a check or a renewal to make."""

    events: tuple[AnyEvent, ...] = ()
    check: CheckWanted | None = None
    renew: RenewWanted | None = None


NOTHING = Outcome()


class Console:
    """The open entry. Times are nanoseconds of table time."""

    asking: Asking
    message: str
    _typed: str
    _person: int
    _role: Role | None
    _step: Trigger | None
    _value: int
    _new: Pin | None
    _ahead: list[int]
    _awaits_clear: bool
    checking: dict[int, int]
    """Whose PIN each check under way is about, by its entry."""

    def __init__(self, timeout_ns: int, typed_with: Callable[[Trigger], str] = lambda step: STEPS[step].typed) -> None:
        self._timeout = timeout_ns
        self._typed_with = typed_with
        self._entry = 0
        self._about = 0
        self._last_key = 0
        self._is_deaf = False
        self.checking = {}
        self._clear("")
        self._takes: dict[Asking, Callable[[str], Outcome]] = {
            Asking.NUMBER: self._take_number,
            Asking.PIN: self._take_pin,
            Asking.STEP: self._take_step,
            Asking.VALUE: self._take_value,
            Asking.NEW_PIN: self._take_new_pin,
            Asking.AGAIN: self._take_again,
        }

    @property
    def digits(self) -> int:
        """How many digits are typed, for the dots on the screen."""
        return len(self._typed)

    @property
    def role(self) -> Role | None:
        """Whose choice is open, once identified."""
        return self._role

    @property
    def about(self) -> int:
        """The alarm that the open entry is about; 0 while none is open."""
        return 0 if self._is_empty else self._about

    @property
    def deadline(self) -> int | None:
        """When an open entry is dropped for want of keys; None when nothing is open."""
        return None if self._is_empty else self._last_key + self._timeout

    @property
    def _is_empty(self) -> bool:
        return self.asking is Asking.NUMBER and not self._typed

    # ---- keys

    def key(self, key: int, now: int, presented: int) -> Outcome:
        """Take a key: digits 0 to 9, Enter, Clear. What is ``presented`` when an entry begins is what it is about."""
        self._last_key = now
        if self._is_empty:
            self._about = presented
        if self._is_deaf:
            return self._hear_again(key)
        if self._awaits_clear and key != Key.CLEAR:
            return NOTHING
        if key == Key.CLEAR:
            self._clear("")
            return NOTHING
        if self.asking is Asking.WAIT:
            return self._keep(key)
        if key != Key.ENTER:
            return self._digit(key)
        if not self._typed:
            return NOTHING
        typed, self._typed = self._typed, ""
        return self._takes[self.asking](typed)

    def _keep(self, key: int) -> Outcome:
        """Keys typed ahead of an answer count after it, in order: were one lost, the rest would be another step."""
        if len(self._ahead) >= MOST_AHEAD:
            return self._deafen()
        self._ahead.append(key)
        return NOTHING

    def take_ahead(self) -> tuple[int, ...]:
        """Return the keys that were typed ahead of the answer just taken; nothing while it is awaited."""
        if self.asking is Asking.WAIT:
            return ()
        ahead, self._ahead = tuple(self._ahead), []
        return ahead if self.asking is Asking.STEP else ()  # of an entry turned away nothing counts

    def refused(self, reason: str) -> None:
        """Say why a step or a key was refused, where its person looks; an entry under way is not talked over."""
        if self._is_empty and not self._awaits_clear:
            self.message = reason

    def _digit(self, digit: int) -> Outcome:
        if len(self._typed) >= self._longest():
            return self._deafen()
        self._typed += str(digit)
        self.message = ""
        return NOTHING

    def _longest(self) -> int:
        if self.asking is Asking.NUMBER:
            return LONGEST_NUMBER
        if self.asking in (Asking.PIN, Asking.NEW_PIN, Asking.AGAIN):
            return LONGEST_PIN
        return LONGEST

    def _deafen(self) -> Outcome:
        """Drop the entry, once, however many digits follow: a key that is stuck must not fill the journal."""
        outcome = self.drop("too many digits")
        self._is_deaf = True
        self.message = f"too many digits: {CLEAR_FIRST}"
        return outcome

    def _hear_again(self, key: int) -> Outcome:
        if key in (Key.CLEAR, Key.ENTER):
            self._is_deaf = False
            self._clear("")
        return NOTHING

    # ---- what Enter ends

    def _take_number(self, typed: str) -> Outcome:
        self._person, self.asking = int(typed), Asking.PIN
        return NOTHING

    def _take_pin(self, typed: str) -> Outcome:
        self._entry += 1
        self.checking[self._entry] = self._person
        self.asking = Asking.WAIT
        return Outcome(check=CheckWanted(self._entry, self._person, Pin(typed)))

    def _take_step(self, typed: str) -> Outcome:
        number = int(typed)
        trigger = BY_NUMBER.get(number)
        if trigger is None:
            self.message = f"there is no step {number}"
            return NOTHING
        self._step = trigger
        if self._typed_with(trigger):
            self.asking = Asking.VALUE
            return NOTHING
        return self._act(0)

    def _take_value(self, typed: str) -> Outcome:
        self._value = int(typed)
        if self._step is Trigger.RENEW_PIN and self._role is STEPS[Trigger.RENEW_PIN].role:
            self.asking = Asking.NEW_PIN
            return NOTHING
        return self._act(self._value)  # anybody else's renewal is an act like any other, and is refused like one

    def _take_new_pin(self, typed: str) -> Outcome:
        pin = Pin(typed)
        weak = weakness(pin)
        if weak is not None:
            self.message = f"{weak}: choose another"
            return NOTHING
        self._new, self.asking = pin, Asking.AGAIN
        return NOTHING

    def _take_again(self, typed: str) -> Outcome:
        new, self._new = self._new, None
        assert new is not None  # it is asked for again only once there is one
        if not new.typed_alike(Pin(typed)):
            self.asking, self.message = Asking.NEW_PIN, "the two were not alike: type the new PIN, then again"
            return NOTHING
        self._entry += 1
        self.asking = Asking.WAIT
        return Outcome(renew=RenewWanted(self._entry, self._value, self._person, new))

    def _act(self, value: int) -> Outcome:
        assert self._role is not None  # asking for a step or a value means that a person is identified
        assert self._step is not None  # and acting, that the step was chosen
        act = Acted(self._person, self._role, self._step, self._about, value)
        self._clear("")
        return Outcome((act,))

    # ---- answers

    def checked(self, entry: int, role: Role | None, now: int, failed: str = "") -> Outcome:
        """Take the answer of a credential check; one for an entry that is gone opens nothing.

        That a PIN was wrong counts all the same: whoever typed Clear upon it, or pulled the keypad, has guessed once.
        ``failed``: why it could not be made. Then nobody's PIN was wrong, and nothing counts towards a lock-out.
        """
        person = self.checking.pop(entry, None)
        if person is None:
            return NOTHING
        if not self._awaits(entry):
            if failed or role is not None:
                return NOTHING
            self.refused("number or PIN is not right")
            return Outcome((Rejected(person),))
        if failed:
            self._clear(f"{failed}: {CLEAR_FIRST}")
            self._awaits_clear = True
            return Outcome((EntryDropped(failed),))
        if role is None:
            self._clear(f"number or PIN is not right: {CLEAR_FIRST}")
            self._awaits_clear = True  # whatever is still typed of that entry begins no other
            return Outcome((Rejected(person),))
        self._role, self.asking, self._last_key = role, Asking.STEP, now
        return Outcome((Identified(person, role),))

    def locked_out(self, now: int) -> Outcome:
        """Turn an entry away without a check: its number is locked out."""
        outcome = self.checked(self._entry, None, now)
        self.message = f"this number is locked out: wait, or have the room manager renew the PIN; {CLEAR_FIRST}"
        return outcome

    def renewed(self, entry: int, refused: str) -> None:
        """Take the answer of a renewal (``refused``: why not) and say it, if its entry is still there."""
        if self._awaits(entry):
            person = self._value
            self._clear(f"PIN not renewed: {refused}" if refused else f"the PIN of {person} is renewed")

    def _awaits(self, entry: int) -> bool:
        return self.asking is Asking.WAIT and entry == self._entry

    # ---- the end of an entry

    def broken(self) -> Outcome:
        """Keys were missed, or a link was opened: what comes counts from the next Enter or Clear on (rule 31)."""
        outcome = self.drop("a key was missed, or the keypad was gone")
        self._is_deaf = False
        self.message = CLEAR_FIRST
        return outcome

    def drop(self, reason: str) -> Outcome:
        """Drop the open entry and say so; nothing is open: nothing happened."""
        if self._is_empty:
            return NOTHING
        self._clear(f"the entry was dropped: {reason}")
        return Outcome((EntryDropped(reason),))

    def timed_out(self, now: int) -> Outcome:
        """Drop an entry whose keys stopped."""
        deadline = self.deadline
        return self.drop("too long a pause") if deadline is not None and now >= deadline else NOTHING

    def _clear(self, message: str) -> None:
        self.asking, self.message = Asking.NUMBER, message
        self._typed, self._person, self._value = "", 0, 0
        self._role, self._step, self._new = None, None, None
        self._ahead, self._awaits_clear = [], False
