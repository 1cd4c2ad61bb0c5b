"""The person at the terminal: a supervisor's keys on the keypad, and a supervisor's hands at the machine."""

from __future__ import annotations

from collections.abc import Callable

from drivers.cards import face_name
from drivers.protocol.messages import JamPlace, Key
from firmware_bridge.view import TableView
from sim_hardware.commands.evening import Evening
from sim_hardware.commands.machine import in_hand, put_back, take_everything, take_stuck
from sim_hardware.commands.person import is_open
from sim_hardware.table import CannotDoError, PhysicalTable

KEYPAD_LEFT = 1.0
"""Seconds after the last key of an entry that is at an end; then others may go to the keypad."""

HANDS_LINE = "Your hands: o open the lid, t take the stuck card out, p put it back, l look inside, x close the lid"
HANDS_MORE = ", e take all cards out"


class TerminalPerson:
    """Does at the table what somebody types: keys of the keypad, and letters for hands. ``clock``: real seconds."""

    def __init__(self, clock: Callable[[], float], evening: Evening, number: int) -> None:
        self._clock = clock
        self._evening = evening
        self._number = number
        self._key_at = 0.0
        self._turned_away_at = -KEYPAD_LEFT
        self._said = ""
        self._hands: dict[str, Callable[[PhysicalTable], str]] = {
            "o": self._open,
            "t": self._take,
            "p": self._put_back,
            "l": self._look,
            "x": self._close,
            "e": self._empty,
        }

    def act(self, typed: list[int | str], view: TableView, table: PhysicalTable) -> None:
        """Do what was typed. At the keypad one person stands at a time; hands wait for nobody."""
        for letter in (sign for sign in typed if isinstance(sign, str)):
            try:
                self._said = self._hands[letter](table)
            except CannotDoError as refusal:
                self._said = f"{refusal}."
        self._press([sign for sign in typed if isinstance(sign, int)], view, table)

    def hint(self, view: TableView, table: PhysicalTable) -> str:
        """The lines for this terminal: what lies shown, what comes next, what hands can do."""
        opened = table.lid_open or is_open(view, "jam") or any(ask.trigger == "open_lid" for ask in view.asks)
        hands = HANDS_LINE + (HANDS_MORE if table.lid_open else "") if opened else ""
        lines = [*self._shown(view, table), self._said if opened else "", self._next(view), hands]
        return "\n".join(line for line in lines if line)

    # ---- at the keypad

    def _press(self, keys: list[int], view: TableView, table: PhysicalTable) -> None:
        now = self._clock()
        is_taken = self._evening.at_keypad not in (None, self)
        if keys and (is_taken or now < self._turned_away_at + KEYPAD_LEFT):
            self._turned_away_at = now  # and the rest of that entry is no entry of its own
            return
        if self._evening.at_keypad is None and keys:
            self._evening.at_keypad = self
            table.press_key(Key.CLEAR)  # a keypad that was just connected takes nothing before Clear or Enter
        if self._evening.at_keypad is not self:
            return
        if keys:
            table.type_keys(keys)  # what was read at once was typed one after the other
            self._key_at = now
        at_an_end = view.keypad.asking in ("", "number") and view.keypad.dots == 0
        if at_an_end and now >= self._key_at + KEYPAD_LEFT:
            self._evening.at_keypad = None

    def _next(self, view: TableView) -> str:
        if self._evening.at_keypad not in (None, self):
            return "Another person is typing at the keypad: wait. What you type now is nobody's."
        for ask in view.asks:
            if self._evening.is_over and ask.trigger == "declare_closed":
                number = self._number
                return f"The table is to be closed: declare it closed, step {ask.number}. Your number is {number}."
        if view.alarm is not None:  # how a step is typed stands above
            return f"You are the supervisor, number {self._number}; c is Clear."
        return f"You are the supervisor, number {self._number}: number, Enter, PIN, Enter, step, Enter. c clears."

    # ---- hands

    def _shown(self, view: TableView, table: PhysicalTable) -> list[str]:
        """The cards that an alarm is about, as they lie for all to see."""
        shown, taken = self._evening.shown, self._evening.taken
        lines = []
        if taken is not None and is_open(view, "jam", "damaged_card"):
            where = "in your hand" if taken.card in table.set_aside else "back in its place"
            lines.append(f"The card that stuck, {where}: {self._evening.described(taken.card)}.")
        if shown is not None and is_open(view, "damaged_card"):
            lines.append(f"The dealer shows you: {self._evening.described(shown)}.")
        return lines

    def _open(self, table: PhysicalTable) -> str:
        return "The lid is open." if table.open_lid() else "The lid is locked: it must be released first."

    def _take(self, table: PhysicalTable) -> str:
        return f"You took out the {face_name(take_stuck(table, self._evening).face)}."

    def _put_back(self, table: PhysicalTable) -> str:
        card, taken = in_hand(table, self._evening), self._evening.taken
        if card is None or taken is None:
            return "There is no card in your hand."
        put_back(table, self._evening)
        where = "in the intake tray" if taken.place is JamPlace.INTAKE else "inside the machine"
        return f"The {face_name(card.face)} lies {where} again."

    def _look(self, table: PhysicalTable) -> str:
        inside = table.look_inside()
        stuck = "" if inside.stuck is None else f", and one of them sticks ({inside.stuck.name.lower()})"
        return f"You see {inside.cards} cards inside{stuck}."

    def _close(self, table: PhysicalTable) -> str:
        table.close_lid()
        return "The lid is closed."

    def _empty(self, table: PhysicalTable) -> str:
        return f"You took {take_everything(table, self._evening)} cards out; they lie on the table."
