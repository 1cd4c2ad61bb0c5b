"""The scripted people of a table: what a floor supervisor, a technician and a room manager do, and when; the dealer.

Each looks at the table's view, at the lamps and at what lies open, and acts by keys, cards and lids alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from random import Random

from firmware_bridge.view import AskLine, TableView
from sim_hardware.commands.at_machine import AtMachine
from sim_hardware.commands.dealer import Dealer
from sim_hardware.commands.evening import ENDS, Evening
from sim_hardware.commands.person import AT_EASE, Deed, Habit, Pace, Person, situation
from sim_hardware.table import PhysicalTable

__all__ = ["ENDS", "Dealer", "Evening", "Habit", "Pace", "Person", "RoomManager", "Supervisor", "Technician"]

ABSENT_FOR = 90.0
"""Seconds that a supervisor stays away from a loading or an alarm (``ABSENT_AT_LOADING``, ``ABSENT_AT_ALARM``)."""
RETURN_WINDOW = 65.0
"""Seconds after which a table whose cards cannot go back may be closed, with a little to spare."""
TRIES_AT_JAM = 2
"""Times that a supervisor clears a jam that comes back, before the technician is called."""
CLAIM_REJECTED = 2
NO_ACTION = 0
"""Towards the players."""
FIRST_ENVELOPE = 100

ENDED_BY_CLOSING = frozenset(
    {"ready", "returning", "awaiting_pack", "loading_pack", "asking_presence", "counting_load"}
)
"""States in which a table that cannot go on is declared closed."""


class Supervisor(AtMachine):
    """Stands by at loading and unloading, answers what is asked of the floor, clears jams, looks inside, and signs."""

    role = "supervisor"

    def __init__(
        self,
        number: int,
        pin: str,
        rng: Random,
        evening: Evening,
        pace: Pace = AT_EASE,
        habits: frozenset[Habit] = frozenset(),
    ) -> None:
        super().__init__(number, pin, rng, evening, pace, habits)
        self._absent_until: float | None = None
        self._alarm: tuple[int, str] | None = None
        self._seen: Counter[tuple[int, str]] = Counter()
        self._returning_for = 0.0
        self._returning_since: float | None = None

    def _next(self, now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        self._watch(now, view)
        if self._is_absent(now, view):
            return None
        deed = self._misdeed(view) or self._acknowledge(view) or self._by_hand(view, table)
        if deed is not None:
            return deed
        for ask in view.asks:
            answers = self._ANSWERS.get(ask.trigger) if ask.role == self.role else None
            if answers is not None and answers(self, ask, view, table):
                return self._enter(view, ask.number, self._typed(ask))
        return None

    def _watch(self, now: float, view: TableView) -> None:
        """Keep in mind what the next deed depends on."""
        if view.session_state == "showing":
            self.saw_empty = False
        if view.session_state != "returning":
            self._returning_since = None
        elif self._returning_since is None:
            self._returning_since = now
        self._returning_for = 0.0 if self._returning_since is None else now - self._returning_since
        alarm = None if view.alarm is None else (view.alarm.number, view.alarm.state)
        if alarm is not None and alarm != self._alarm:
            self._seen[alarm] += 1
            if self._seen[alarm[0], "count_differs"] > 1:  # counted twice: only the verification tells
                self.evening.is_over = True
        self._alarm = alarm

    def _acknowledge(self, view: TableView) -> Deed | None:
        if Habit.NO_ACKNOWLEDGING in self.habits:
            return None
        ask = self._asked(view, "acknowledge", due_only=False)
        return None if ask is None else self._enter(view, ask.number)

    def _is_absent(self, now: float, view: TableView) -> bool:
        for habit, comes in (
            (Habit.ABSENT_AT_LOADING, view.session_state == "loading_pack"),
            (Habit.ABSENT_AT_ALARM, view.alarm is not None),
        ):
            if comes and self._takes(habit):
                self._had.add(habit)
                self._absent_until = now + ABSENT_FOR
        return self._absent_until is not None and now < self._absent_until

    def _misdeed(self, view: TableView) -> Deed | None:
        for habit, state, step in self._MISDEEDS:
            if self._takes(habit) and view.session_state == state and view.accounts.get("machine", 0) > 0:
                return self._enter_wrongly(view, habit, step)
        return None

    def _enter_wrongly(self, view: TableView, habit: Habit, step: int) -> Deed:
        def do() -> float | None:
            again = self._go_to_keypad(step)
            if again is None:
                self._had.add(habit)
            return again

        return Deed((situation(view), habit), do, 1.0)

    # ---- what is typed with a step

    def _typed(self, ask: AskLine) -> int | None:
        """What the step asks to be typed, by what lies shown on the table."""
        shown, taken = self.evening.shown, self.evening.taken
        if ask.trigger == "name_card" and shown is not None:
            return self.evening.typed(shown)
        if ask.trigger == "answer_yes" and taken is not None:
            return self.evening.typed(taken.card)
        if ask.trigger == "confirm_replacement":
            return FIRST_ENVELOPE + ask.about
        return {"close_claim": CLAIM_REJECTED, "confirm_incident": NO_ACTION}.get(ask.trigger)

    # ---- whether the moment for an answer has come

    def _if_due(self, ask: AskLine, _view: TableView, _table: PhysicalTable) -> bool:
        return ask.due

    def _may_open(self, ask: AskLine, _view: TableView, _table: PhysicalTable) -> bool:
        return ask.due and self.evening.sessions > 0

    def _may_count(self, ask: AskLine, view: TableView, _table: PhysicalTable) -> bool:
        """Not a third time: what was counted twice and differs, only the verification tells."""
        is_hopeless = view.alarm is not None and view.alarm.state == "count_differs" and self.evening.is_over
        return ask.due and not is_hopeless

    def _has_cards(self, ask: AskLine, _view: TableView, table: PhysicalTable) -> bool:
        return ask.due and bool(table.box) and not self.evening.is_over

    def _box_is_empty(self, _ask: AskLine, _view: TableView, table: PhysicalTable) -> bool:
        return not table.box and not self.evening.is_over

    def _must_close(self, ask: AskLine, view: TableView, _table: PhysicalTable) -> bool:
        if view.session_state not in ENDED_BY_CLOSING or not (ask.due or self.evening.is_over):
            return False
        is_late = self._returning_for > RETURN_WINDOW
        return view.session_state != "returning" or is_late

    def _was_empty(self, ask: AskLine, _view: TableView, _table: PhysicalTable) -> bool:
        return ask.due and self.saw_empty

    def _looks_at_decks(self, _ask: AskLine, _view: TableView, _table: PhysicalTable) -> bool:
        return self.evening.by_eye

    def _nothing_lies_open(self, _ask: AskLine, _view: TableView, table: PhysicalTable) -> bool:
        return not (table.on_table or table.discard or table.mechanism.shoe_tray)

    def _all_is_told(self, ask: AskLine, view: TableView, _table: PhysicalTable) -> bool:
        """The result is signed last: no incident is open, and the room manager has sent what is owed."""
        return ask.due and not view.incidents and not any(one.trigger == "notice_sent" for one in view.asks)

    def _can_clear(self, ask: AskLine, view: TableView, _table: PhysicalTable) -> bool:
        return ask.due and not (ask.about and self._needs_technician(view))

    def _calls(self, _ask: AskLine, view: TableView, _table: PhysicalTable) -> bool:
        return self._needs_technician(view)

    def _needs_technician(self, view: TableView) -> bool:
        if view.alarm is None:
            return False
        tried = max(self._seen[view.alarm.number, state] for state in ("raised", "still_blocked"))
        return Habit.CALL_TECHNICIAN in self.habits or tried > TRIES_AT_JAM

    def _is_whole(self, ask: AskLine, _view: TableView, _table: PhysicalTable) -> bool:
        return ask.due and not self._is_damaged()

    def _found_damage(self, _ask: AskLine, view: TableView, _table: PhysicalTable) -> bool:
        return self._is_damaged() and view.alarm is not None and view.alarm.state == "asking_damage"

    def _is_damaged(self) -> bool:
        return self.evening.taken is not None and self.evening.taken.card.damaged

    def _is_shown(self, ask: AskLine, _view: TableView, _table: PhysicalTable) -> bool:
        return ask.due and self.evening.shown is not None

    _ANSWERS: Mapping[str, Callable[[Supervisor, AskLine, TableView, PhysicalTable], bool]] = {
        "release_lid": _can_clear,
        "call_technician": _calls,
        "answer_no": _is_whole,
        "answer_yes": _found_damage,
        "name_card": _is_shown,
        "confirm_replacement": _if_due,
        "confirm_incident": _if_due,
        "confirm_presence": _if_due,
        "open_table": _may_open,
        "start_pack": _has_cards,
        "end_pack": _if_due,
        "declare_loaded": _box_is_empty,
        "close_claim": _if_due,
        "count_machine": _may_count,
        "declare_closed": _must_close,
        "begin_unloading": _if_due,
        "empty_by_hand": _if_due,
        "confirm_empty": _was_empty,
        "confirm_deck": _looks_at_decks,
        "no_cards_left": _nothing_lies_open,
        "sign_result": _all_is_told,
    }

    _MISDEEDS = (
        # habit, the state in which it is given in to (with cards in the machine), and the step typed
        (Habit.ONE_PACK_ONLY, "awaiting_pack", 22),
        (Habit.CUT_ASKED, "ready", 60),
        (Habit.SECOND_LOADING, "ready", 20),
        (Habit.UNLOAD_BEFORE_CLOSE, "ready", 41),
    )


class Technician(AtMachine):
    """Comes when called: clears what a supervisor could not, or takes the machine out of service."""

    role = "technician"

    def _next(self, now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        del now
        if Habit.GIVE_UP_REPAIR in self.habits:
            return self._take_out_of_service(view)
        if (by_hand := self._by_hand(view, table)) is not None:
            return by_hand
        ask = self._asked(view, "repaired")
        return None if ask is None else self._enter(view, ask.number, moment=4.0)

    def _take_out_of_service(self, view: TableView) -> Deed | None:
        ask = self._asked(view, "take_out_of_service", due_only=False)
        if ask is None:
            return None
        step = ask.number

        def do() -> float | None:
            self.evening.is_over = True
            return self._go_to_keypad(step)

        return Deed((situation(view), step), do, 4.0)


class RoomManager(Person):
    """Comes when a difference is to be signed, and sends the notices to the inspectorate."""

    role = "room_manager"

    def _next(self, now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        del now, table
        if (notice := self._asked(view, "notice_sent")) is not None:
            return self._enter(view, notice.number, notice.about, moment=4.0)
        ask = self._asked(view, "sign_difference")
        return None if ask is None or view.incidents else self._enter(view, ask.number, moment=4.0)
