"""The scripted floor supervisor: stands by, answers what is asked of the floor, clears jams, looks inside, signs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial

from drivers.cards import DECK_SIZE
from firmware_bridge.view import AskLine, TableView
from sim_hardware.cards import Card
from sim_hardware.commands.at_deal import AtDeal
from sim_hardware.commands.by_hand import has_machine, is_filled, lies_short, says_one_player
from sim_hardware.commands.lying import LOADS, belong_inside, gather, is_whole_deck, left_out, strays
from sim_hardware.commands.machine import take_everything
from sim_hardware.commands.misdeeds import Habit
from sim_hardware.commands.person import Deed
from sim_hardware.commands.round_shown import is_read_by_eye
from sim_hardware.table import PhysicalTable

ABSENT_FOR = 90.0
"""Seconds that a supervisor stays away from a loading or an alarm (``ABSENT_AT_LOADING``, ``ABSENT_AT_ALARM``)."""
RETURN_WINDOW = 65.0
"""Seconds after which a table whose cards cannot go back may be closed, with a little to spare."""
MOST_ROUNDABOUTS = 3
"""Times that an alarm comes back to where it was, before the supervisor gives the session up."""
TRIES_AT_JAM = 2
"""Times that a supervisor clears a jam that comes back, before the technician is called."""
CLAIM_REJECTED = 2
NO_ACTION = 0
ROUND_VOID = 2
"""Towards the players."""
FIRST_ENVELOPE = 100
TAKE_OVER = 12
STANDS_STILL = 30.0
"""Seconds after which an unloading that brings no card is counted, a loading that asks for nothing given up."""

ENDED_BY_CLOSING = frozenset(
    {"ready", "returning", "awaiting_pack", "loading_pack", "asking_presence", "counting_load", "emptying_shoe"}
)
"""States in which a table that cannot go on is declared closed."""


class Supervisor(AtDeal):
    """Stands by at loading and unloading, answers what is asked of the floor, clears jams, looks inside, and signs."""

    role = "supervisor"

    def _begin(self) -> None:
        super()._begin()
        self._absent_until: float | None = None
        self._alarm: tuple[int, str] | None = None
        self._alarm_since = 0.0
        self._alarm_stands = 0.0
        """For how many seconds the alarm has been as it is."""
        self._was_seen = False
        self._seen: Counter[tuple[int, str]] = Counter()
        self._counts: Counter[int] = Counter()
        """How often one went to have the machine counted, by the alarm: a quick one has done it between two looks."""
        self._unloaded: int | None = None
        self._unloaded_at = 0.0
        self._asked_at = 0.0
        self._stands_still = False
        self._returning_for = 0.0
        self._returning_since: float | None = None

    def _next(self, now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        self._watch(now, view)
        if self._is_absent(now, view):
            return None
        if not self._is_on_duty(view):
            return self._relieve(TAKE_OVER, view)
        if table.cables_out and (ask := self._asked(view, "connect")) is not None:
            return self._connect(ask, view, table)  # first of all: without its cable a keypad takes no step
        deed = self._acknowledge(view) or self._by_hand(view, table) or self._force_open(view, table)
        return deed or self._answer(view, table)

    def _answer(self, view: TableView, table: PhysicalTable) -> Deed | None:
        """Take the first step that is asked of one's role and whose moment has come."""
        for ask in sorted(view.asks, key=self._comes_later):
            answers = self._ANSWERS.get(ask.trigger) if ask.role == self.role else None
            if answers is not None and answers(self, ask, view, table):
                before = self._BEFORE.get(ask.trigger)
                if before is None:
                    return self._enter(view, ask.number, self._typed(ask, view, table))
                typed = self._typed(ask, view, table)
                return self._enter_after(view, ask, partial(before, self, ask, table), typed)
        return None

    def _search(self, _ask: AskLine, table: PhysicalTable) -> None:
        self.evening.sorted_again = True
        table.find_lost()

    def _before_look(self, _ask: AskLine, _table: PhysicalTable) -> None:
        if self.evening.sorted_again:
            self.evening.looked_again = True
        self.evening.saw_empty = False

    def _before_count(self, ask: AskLine, _table: PhysicalTable) -> None:
        self._counts[ask.about] += 1

    def _take_from_shoe(self, _ask: AskLine, table: PhysicalTable) -> None:
        table.take_from_mouth()

    def _names_set(self, _ask: AskLine, _table: PhysicalTable) -> None:
        if Habit.WRONG_SET in self.habits and self.evening.sets > 1:
            self._had.add(Habit.WRONG_SET)

    def _exchange_deck(self, ask: AskLine, table: PhysicalTable) -> None:
        gather(table, self.evening, table.box)
        self.evening.fresh_deck(marked_deck(ask), table)

    def _comes_later(self, ask: AskLine) -> bool:
        """Closing a table that is given up comes before all else that is asked."""
        return not (self.evening.is_over and ask.trigger == "declare_closed")

    def _watch(self, now: float, view: TableView) -> None:
        """Keep in mind what the next deed depends on."""
        unloaded = view.accounts["unloaded"] if view.session_state == "unloading" else None
        if unloaded != self._unloaded:
            self._unloaded, self._unloaded_at = unloaded, now
        self._stands_still = unloaded is not None and now - self._unloaded_at > STANDS_STILL
        if view.session_state not in LOADS or any(ask.due for ask in view.asks):
            self._asked_at = now
        elif now - self._asked_at > STANDS_STILL:  # the loading cannot go on
            self.evening.is_over = True
        if view.session_state != "returning":
            self._returning_since = None
        elif self._returning_since is None:
            self._returning_since = now
        self._returning_for = 0.0 if self._returning_since is None else now - self._returning_since
        alarm = None if view.alarm is None else (view.alarm.number, view.alarm.state)
        is_seen = view.alarm is not None and not view.alarm.acknowledged.startswith("not ")
        came_back = self._was_seen and not is_seen  # between two looks: counted, and back at once
        self._was_seen = is_seen
        if alarm != self._alarm:
            self._alarm_since = now
        self._alarm_stands = now - self._alarm_since
        if alarm is not None and (alarm != self._alarm or came_back):
            self._seen[alarm] += 1
            # counted twice, or come round again and again: only the verification tells
            if self._seen[alarm[0], "count_differs"] > 1 or self._seen[alarm] > MOST_ROUNDABOUTS:
                self.evening.is_over = True
        if alarm is not None and alarm[1] == "count_differs" and self._counts[alarm[0]] > MOST_ROUNDABOUTS:
            self.evening.is_over = True
        self._alarm = alarm

    def _acknowledge(self, view: TableView) -> Deed | None:
        ask = self._asked(view, "acknowledge", due_only=False)
        if ask is not None and Habit.NO_ACKNOWLEDGING in self.habits:
            self._had.add(Habit.NO_ACKNOWLEDGING)
            return None
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

    def _force_open(self, view: TableView, table: PhysicalTable) -> Deed | None:
        """A machine that answers nothing any more has its lid broken open, and every card taken out (SB-4)."""
        if view.session_state != "looking" or self.evening.saw_empty or self._asked(view, "confirm_empty") is None:
            return None

        def do() -> None:
            table.open_lid(force=True)
            take_everything(table, self.evening)
            self.evening.saw_empty = table.look_inside().cards == 0
            table.close_lid()

        return self._deed(view, "force open", do, 20.0)

    # ---- what is typed with a step

    def _typed(self, ask: AskLine, view: TableView, table: PhysicalTable) -> int | None:
        """What the step asks to be typed, by what lies shown on the table."""
        shown, taken = self.evening.shown, self.evening.taken
        if ask.trigger == "name_card" and shown is not None:
            return self._named(shown)
        if ask.trigger == "answer_yes" and taken is not None:
            return self._named(taken.card)
        if ask.trigger == "confirm_replacement":
            return FIRST_ENVELOPE + ask.about
        if ask.trigger == "deck_replaced":
            return marked_deck(ask)
        if ask.trigger == "confirm_deck":  # only of a deck that is whole: any other is counted again, and searched for
            return DECK_SIZE
        if ask.trigger == "confirm_incident":
            return ROUND_VOID if ask.text.endswith(f"type {ROUND_VOID}") else NO_ACTION
        if ask.trigger in ("name_slip", "take_remedy"):
            return self._typed_at_deal(ask)
        if ask.trigger == "decide_round":
            return ROUND_VOID
        if ask.trigger in ("shuffle_set", "take_set_out"):
            return self._wrongly(ask, self.evening.set_meant(ask.trigger, view, table))
        return CLAIM_REJECTED if ask.trigger == "close_claim" else None

    def _wrongly(self, ask: AskLine, meant: int | None) -> int | None:
        """The set that is meant; or, of what lies in the tray, the other one (``WRONG_SET``)."""
        if meant is None or ask.trigger != "shuffle_set" or not self._takes(Habit.WRONG_SET):
            return meant
        return self.evening.sets + 1 - meant

    def _named(self, card: Card) -> int:
        if not any(card is one for one in self.evening.named):
            self.evening.named.append(card)
        return self.evening.typed(card)

    # ---- whether the moment for an answer has come

    def _if_due(self, ask: AskLine, _view: TableView, _table: PhysicalTable) -> bool:
        return ask.due

    def _may_open(self, ask: AskLine, _view: TableView, _table: PhysicalTable) -> bool:
        return ask.due and self.evening.sessions > 0

    def _may_count(self, ask: AskLine, view: TableView, table: PhysicalTable) -> bool:
        """Not a third time: what was counted twice and differs, only the verification tells."""
        if self._lays_back(view, table):
            return False
        differs = view.alarm is not None and view.alarm.state == "count_differs"
        is_hopeless = bool(ask.about) and differs and self.evening.is_over
        return (ask.due and not is_hopeless) or self._stands_still

    def _lays_back(self, view: TableView, table: PhysicalTable) -> bool:
        """A count differs, and cards lie open that belong in the machine: they are laid back through the lid."""
        differs = view.alarm is not None and view.alarm.state == "count_differs" and not self.evening.is_over
        return (
            differs
            and self._asked(view, "release_lid", due_only=False) is not None
            and bool(belong_inside(view, table, self.evening))
        )

    def _has_cards(self, ask: AskLine, view: TableView, table: PhysicalTable) -> bool:
        has_cards = bool(table.box) or self._was_left_out(view, table)
        return ask.due and has_cards and not self.evening.is_over

    def _was_left_out(self, view: TableView, table: PhysicalTable) -> bool:
        """A card that was taken out at a jam, say, lies open, and the books miss one."""
        return view.accounts["outside"] > 0 and bool(left_out(table, self.evening))

    def _box_is_empty(self, _ask: AskLine, view: TableView, table: PhysicalTable) -> bool:
        return not table.box and not self._was_left_out(view, table) and not self.evening.is_over

    def _must_close(self, ask: AskLine, view: TableView, table: PhysicalTable) -> bool:
        if self._has_one_too_many(view, table):
            return True
        if view.session_state not in ENDED_BY_CLOSING or not (ask.due or self.evening.is_over):
            return False
        if self._asked(view, "close_claim"):
            return False  # a table with an open claim does not close
        is_late = self._returning_for > RETURN_WINDOW
        return view.session_state != "returning" or is_late

    def _has_one_too_many(self, view: TableView, table: PhysicalTable) -> bool:
        """The whole set is in the machine and cards are left, or cards are due for a pack and none are left."""
        if view.session_state == "loading_pack":
            none_left = not (table.box or table.on_table or table.mechanism.intake_tray)
            return none_left and self._asked(view, "end_pack") is None
        return view.session_state == "awaiting_pack" and bool(table.box) and view.accounts["outside"] <= 0

    def _was_empty(self, ask: AskLine, _view: TableView, table: PhysicalTable) -> bool:
        return ask.due and (self.evening.saw_empty or (not has_machine(table) and not table.inside()))

    def _no_card_comes(self, _ask: AskLine, _view: TableView, _table: PhysicalTable) -> bool:
        return self._stands_still

    def _looks_at_decks(self, _ask: AskLine, view: TableView, table: PhysicalTable) -> bool:
        return is_read_by_eye(view) and is_whole_deck(table, self.evening, view.deck_due)

    def _nothing_lies_open(self, _ask: AskLine, view: TableView, table: PhysicalTable) -> bool:
        if view.session_state == "emptying_shoe":
            return lies_short(table, len(self.evening.backs))
        if is_read_by_eye(view):
            return not is_whole_deck(table, self.evening, view.deck_due)
        is_to_begin = view.deck_due == 1 and bool(table.box or table.shoe_mechanism.shoe_output)
        lies = table.on_table or table.discard or table.shoe_mechanism.shoe_tray or strays(table, self.evening)
        return not (is_to_begin or lies)

    def _all_is_told(self, ask: AskLine, view: TableView, _table: PhysicalTable) -> bool:
        """The result is signed last: no incident is open, and the room manager has sent what is owed."""
        return ask.due and not view.incidents and not any(one.trigger == "notice_sent" for one in view.asks)

    def _can_clear(self, ask: AskLine, view: TableView, table: PhysicalTable) -> bool:
        if view.session_state == "looked" and not ask.about:
            return ask.due or not self.evening.saw_empty  # whoever did not look himself looks again
        if view.session_state == "difference" and not ask.about:
            return ask.due or self._looks_again(view)
        return (ask.due and not (ask.about and self._needs_technician(view))) or self._lays_back(view, table)

    def _sorts_again(self, ask: AskLine, view: TableView, _table: PhysicalTable) -> bool:
        """At a difference all is sorted once more, the floor and the well searched."""
        return ask.due or (view.session_state == "difference" and not self.evening.sorted_again)

    def _looks_again(self, view: TableView) -> bool:
        """Sorted twice: then the machine is looked into once more."""
        return self.evening.sorted_again and not self.evening.looked_again and not view.incidents

    def _all_was_searched(self, ask: AskLine, view: TableView, table: PhysicalTable) -> bool:
        """A difference is signed when all was sorted twice, and the machine, if there is one, looked into once more."""
        looked = self.evening.looked_again or not has_machine(table)
        return ask.due and self.evening.sorted_again and looked and not view.incidents

    def _replaces_deck(self, ask: AskLine, _view: TableView, _table: PhysicalTable) -> bool:
        return ask.due and not self.evening.authorises

    def _calls(self, ask: AskLine, view: TableView, _table: PhysicalTable) -> bool:
        """Whoever has tried long enough calls for more, and whoever is asked for nothing else at this alarm."""
        alike = [one for one in view.asks if one.about == ask.about and one.trigger != "acknowledge"]
        return alike == [ask] or self._needs_technician(view)

    def _gives_up(self, _ask: AskLine, view: TableView, _table: PhysicalTable) -> bool:
        return self._needs_technician(view)

    def _needs_technician(self, view: TableView) -> bool:
        if view.alarm is None:
            return False
        if Habit.CALL_TECHNICIAN in self.habits:
            self._had.add(Habit.CALL_TECHNICIAN)
            return True
        return max(self._seen[view.alarm.number, state] for state in ("raised", "still_blocked")) > TRIES_AT_JAM

    def _is_whole(self, ask: AskLine, view: TableView, _table: PhysicalTable) -> bool:
        if view.alarm is not None and view.alarm.kind == "unreadable":
            return False  # the dealer turns the card, and it is read
        if view.alarm is not None and view.alarm.state == "raised":  # the dealer's key, and nobody shows a card
            return self.evening.shown is None or self._is_named_already(view)
        return ask.due and not self._is_damaged()

    def _is_named_already(self, view: TableView) -> bool:
        """Whether the card that is shown is another alarm's, on its way to be replaced."""
        others = [one for one in view.incidents if one.kind == "damaged_card" and not one.presented]
        return any(one.state not in ("raised", "cleared") for one in others)

    def _found_damage(self, _ask: AskLine, view: TableView, _table: PhysicalTable) -> bool:
        return self._is_damaged() and view.alarm is not None and view.alarm.state == "asking_damage"

    def _is_damaged(self) -> bool:
        return self.evening.taken is not None and self.evening.taken.card.damaged

    def _is_shown(self, ask: AskLine, view: TableView, _table: PhysicalTable) -> bool:
        return ask.due and self.evening.shown is not None and not self._is_named_already(view)

    def _cuts(self, ask: AskLine, _view: TableView, table: PhysicalTable) -> bool:
        return ask.due or (self.evening.nobody_cuts and not has_machine(table))

    def _says_one_player(self, _ask: AskLine, view: TableView, table: PhysicalTable) -> bool:
        return says_one_player(view, self.evening) and is_filled(table)

    def _says_that_play_stopped(self, _ask: AskLine, view: TableView, _table: PhysicalTable) -> bool:
        return self.evening.nobody_plays(view)

    def _ends_the_shoe(self, ask: AskLine, view: TableView, _table: PhysicalTable) -> bool:
        """The set is taken out half way through the evening, and whenever the table waits for it."""
        return ask.due or self.evening.shoe_is_over(view)

    _ANSWERS: Mapping[str, Callable[[Supervisor, AskLine, TableView, PhysicalTable], bool]] = {
        "release_lid": _can_clear,
        "call_technician": _calls,
        "take_out_of_service": _gives_up,
        "answer_no": _is_whole,
        "answer_yes": _found_damage,
        "name_card": _is_shown,
        "confirm_replacement": _if_due,
        "confirm_incident": _if_due,
        "approve_device": _if_due,
        "shuffle_machine": _if_due,
        "confirm_presence": _if_due,
        "open_table": _may_open,
        "cut": _cuts,
        "one_player": _says_one_player,
        "stop_play": _says_that_play_stopped,
        "shuffle_set": _if_due,
        "take_set_out": _ends_the_shoe,
        "start_pack": _has_cards,
        "end_pack": _if_due,
        "declare_loaded": _box_is_empty,
        "close_claim": _if_due,
        "decide_round": _if_due,
        "count_machine": _may_count,
        "name_slip": AtDeal._saw_a_slip,
        "take_remedy": _if_due,
        "declare_closed": _must_close,
        "begin_unloading": _if_due,
        "empty_by_hand": _if_due,
        "confirm_shoe_empty": _no_card_comes,
        "confirm_empty": _was_empty,
        "confirm_deck": _looks_at_decks,
        "no_cards_left": _nothing_lies_open,
        "sign_result": _all_is_told,
        "sort_again": _sorts_again,
        "sign_difference": _all_was_searched,
        "deck_replaced": _replaces_deck,
    }

    _BEFORE: Mapping[str, Callable[[Supervisor, AskLine, PhysicalTable], None]] = {
        "sort_again": _search,
        "release_lid": _before_look,
        "count_machine": _before_count,
        "name_slip": AtDeal._before_slip,
        "confirm_shoe_empty": _take_from_shoe,
        "deck_replaced": _exchange_deck,
        "shuffle_set": _names_set,
    }
    """What is done by hand just before the step is typed."""


def marked_deck(ask: AskLine) -> int:
    """The first deck that a line names as marked imperfect."""
    return int(re.findall(r"deck (\d+)", ask.text)[0])
