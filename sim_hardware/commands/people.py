"""The scripted people of a table: what a floor supervisor, a technician and a room manager do, and when; the dealer.

Each looks at the table's view, at the lamps and at what lies open, and acts by keys, cards and lids alone.
"""

from __future__ import annotations

from firmware_bridge.view import TableView
from sim_hardware.commands.dealer import Dealer
from sim_hardware.commands.evening import ENDS, Evening
from sim_hardware.commands.lying import gather
from sim_hardware.commands.misdeeds import Habit
from sim_hardware.commands.person import RENEW, Deed, Pace, Person
from sim_hardware.commands.supervisor import Supervisor
from sim_hardware.commands.technician import Technician
from sim_hardware.table import PhysicalTable

__all__ = [
    "ENDS",
    "Dealer",
    "Evening",
    "Habit",
    "Pace",
    "Person",
    "RoomManager",
    "Supervisor",
    "TableInspector",
    "Technician",
]

GIVEN_UP_AFTER = 120.0
"""Seconds for which an alarm stands unchanged before the room manager gives the machine up."""
REFERENCE = 4711
"""Of an authorisation of the inspectorate."""


class TableInspector(Supervisor):
    """Does what the rule book leaves to him: is present at a loading or unloading, say, opens a lid, signs."""

    role = "table_inspector"

    def _next(self, now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        if not any(ask.role == self.role for ask in view.asks):
            return None
        self._watch(now, view)
        return self._by_hand(view, table) or self._answer(view, table)


class RoomManager(TableInspector):
    """Comes when a difference is to be signed, sends the notices to the inspectorate, does what the book leaves him."""

    role = "room_manager"

    def _next(self, now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        if self.evening.forgot:
            return self._enter(view, RENEW, min(self.evening.forgot), moment=10.0)
        if (notice := self._asked(view, "notice_sent")) is not None:
            return self._enter(view, notice.number, notice.about, moment=4.0)
        if (replace := self._asked(view, "set_replaced")) is not None:
            return self._enter_after(view, replace, lambda: self._exchange_set(table))
        if self.evening.authorises and (ask := self._asked(view, "authorise_deck", due_only=False)) is not None:
            return self._enter(view, ask.number, REFERENCE, moment=4.0)
        ask = self._asked(view, "sign_difference")
        if ask is not None and self._all_was_searched(ask, view, table):
            return self._enter(view, ask.number, moment=4.0)
        return super()._next(now, view, table)

    def _needs_technician(self, view: TableView) -> bool:
        """Where no technician comes, he gives the machine up once the floor does nothing about it any more."""
        is_his = self._asked(view, "take_out_of_service", due_only=False) is not None
        return is_his and self._alarm_stands > GIVEN_UP_AFTER

    def _exchange_set(self, table: PhysicalTable) -> None:
        gather(table, self.evening, table.box)
        self.evening.fresh_set(table)
