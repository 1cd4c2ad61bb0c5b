"""The technician of a table: clears what a supervisor could not, or takes the machine out of service."""

from __future__ import annotations

from drivers.protocol.messages import Lamp
from firmware_bridge.view import TableView
from sim_hardware.commands.at_machine import AtMachine
from sim_hardware.commands.evening import ENDS
from sim_hardware.commands.machine import mend
from sim_hardware.commands.misdeeds import Habit
from sim_hardware.commands.person import Deed, situation
from sim_hardware.table import PhysicalTable


class Technician(AtMachine):
    """Comes when called: clears what a supervisor could not, or takes the machine out of service."""

    role = "technician"

    def _next(self, now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        del now
        if (check := self._asked(view, "check_device")) is not None:
            return self._enter(view, check.number, moment=10.0)
        if view.session_state in ENDS and self._asked(view, "clear_jam") is not None:
            return self._mend_whole(view, table)  # there is no session, and nobody need release the lid
        if Habit.GIVE_UP_REPAIR in self.habits:
            return self._take_out_of_service(view) or self._return_to_service(view, table)
        if (by_hand := self._by_hand(view, table)) is not None:
            return by_hand
        ask = self._asked(view, "repaired")
        if ask is not None:
            return self._enter(view, ask.number, moment=4.0)
        return self._return_to_service(view, table)

    def _mend_part(self, view: TableView, table: PhysicalTable) -> Deed:
        return self._deed(view, "mend a part", lambda: mend(table), 10.0)

    def _return_to_service(self, view: TableView, table: PhysicalTable) -> Deed | None:
        """A machine out of service is mended between two sessions."""
        ask = self._asked(view, "return_to_service")
        if ask is None:
            return None
        if table.lid_open or table.machine_lamp_shown is Lamp.FLASHING:
            return self._mend_whole(view, table)
        return self._enter(view, ask.number, moment=4.0)

    def _mend_whole(self, view: TableView, table: PhysicalTable) -> Deed:
        return self._deed(view, "mend", lambda: self._mend(table), 10.0)

    def _mend(self, table: PhysicalTable) -> None:
        table.open_lid(force=True)
        if table.look_inside().stuck is not None:
            table.move([table.take_stuck_card()], table.box)
        mend(table)
        table.close_lid()

    def _take_out_of_service(self, view: TableView) -> Deed | None:
        ask = self._asked(view, "take_out_of_service", due_only=False)
        if ask is None:
            return None
        step = ask.number

        def do() -> float | None:
            self._had.add(Habit.GIVE_UP_REPAIR)
            self.evening.is_over = True
            return self._go_to_keypad(step)

        return Deed((situation(view), step), do, 4.0)
