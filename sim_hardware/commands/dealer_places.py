"""What a dealer does where the deal is followed: marks the places, deals as the screen says, answers for each place."""

from __future__ import annotations

import re
from collections.abc import Callable

from drivers.protocol.messages import DealerKey
from firmware_bridge.view import AskLine, TableView
from sim_hardware.commands.dealer_alarms import DealerAtAlarm
from sim_hardware.commands.evening import BANKS_SECOND_TURNED
from sim_hardware.commands.misdeeds import Habit
from sim_hardware.commands.person import Deed, situation
from sim_hardware.table import PhysicalTable

MARKS_AGAIN_AFTER = 10
"""Rounds after which other players sit there, and the places are marked anew."""
ASKED_FOR = (0, 0, 1, 1, 2)
"""How many cards a place, or the bank, takes beyond those that are due."""


class DealerAtPlaces(DealerAtAlarm):
    """The part of a dealer that the places call for."""

    def _begin(self) -> None:
        super()._begin()
        self._marked_in: tuple[int, int] | None = None
        self._wants = 0
        self._at = ""

    def _mark(self, view: TableView, table: PhysicalTable) -> Deed | None:
        """Go through the places, where this evening's dealers mark them."""
        ask = self._asked(view, "place_in", due_only=False)
        if ask is not None:
            place = int(re.findall(r"place (\d+)", ask.text)[0])
            key = DealerKey.YES if place in self.evening.places else DealerKey.ROUND_OVER
            return Deed((situation(view), "mark", place), lambda: table.press_dealer_key(key), 0.4)
        due = (view.session_number, view.round // MARKS_AGAIN_AFTER)
        if not self.evening.places or due == self._marked_in:
            return None
        if self._asked(view, "mark_places", due_only=False) is None:
            return None

        def do() -> None:
            self._marked_in = due
            table.press_dealer_key(DealerKey.ROUND_OVER)

        return Deed((situation(view), "marks"), do, 1.0)

    def _at_places(
        self, view: TableView, table: PhysicalTable, pull: Callable[[PhysicalTable], float], over: Deed
    ) -> Deed | None:
        """The next deed of a deal that is followed, until it is over; None where it is not followed."""
        if self.evening.slip:
            return Deed((situation(view), "waits"), lambda: 1.0, 1.0)  # the supervisor names it
        lies = self._asked(view, "deal_lies", due_only=False)
        if lies is not None:
            return self._first_cards(lies, view, table, pull)
        done = self._asked(view, "place_done", due_only=False)
        is_banks = any(ask.trigger in ("deal", "burn") and "the bank" in ask.text for ask in view.asks)
        if done is None and not is_banks:
            return None
        if any(ask.trigger == "burn" for ask in view.asks):
            return self._pulls(view, pull, table)
        who = done.text if done is not None else "bank"
        if who != self._at:
            self._at, self._wants = who, self._rng.choice(ASKED_FOR)
            self._wants += any("the bank, second" in ask.text for ask in view.asks if done is None)
        if self._wants > 0:
            return self._pulls(view, self._one_less(pull), table)
        return over if done is None else self._says(view, ("done", who), table)

    def _first_cards(
        self, lies: AskLine, view: TableView, table: PhysicalTable, pull: Callable[[PhysicalTable], float]
    ) -> Deed | None:
        self._at = ""
        if lies.due:
            if self._takes(Habit.TURNS_BANKS_CARD):
                self._had.add(Habit.TURNS_BANKS_CARD)
                self.evening.slip = BANKS_SECOND_TURNED
            return self._says(view, ("lie",), table)
        if view.accounts["table"] > 1 and self._takes(Habit.LEAVES_OUT_A_PLACE):

            def leave_out() -> None:
                self._had.add(Habit.LEAVES_OUT_A_PLACE)
                self.evening.slip = self._rng.choice(self.evening.left_out)
                table.press_dealer_key(DealerKey.YES)

            return Deed((situation(view), "leaves out"), leave_out, 1.0)
        return self._pulls(view, pull, table)

    def _pulls(self, view: TableView, pull: Callable[[PhysicalTable], float], table: PhysicalTable) -> Deed | None:
        if not view.may_deal:
            return None
        return Deed(("pull", view.round, view.accounts["table"], view.accounts["discard"]), lambda: pull(table), 0.5)

    def _one_less(self, pull: Callable[[PhysicalTable], float]) -> Callable[[PhysicalTable], float]:
        def do(table: PhysicalTable) -> float:
            again = pull(table)
            if again == 0.0:
                self._wants -= 1
            return again

        return do

    def _says(self, view: TableView, what: tuple[str, ...], table: PhysicalTable) -> Deed:
        return Deed((situation(view), *what), lambda: table.press_dealer_key(DealerKey.YES), 0.8)
