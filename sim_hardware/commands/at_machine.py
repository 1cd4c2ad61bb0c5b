"""People who open the machine, a supervisor or a technician: what each line that asks for their hands has them do."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from firmware_bridge.view import AskLine, TableView
from sim_hardware.commands.lying import belong_inside
from sim_hardware.commands.machine import free_part, in_hand, is_broken, put_back, take_everything, take_stuck
from sim_hardware.commands.misdeeds import Habit
from sim_hardware.commands.person import Deed, Person, situation
from sim_hardware.table import PhysicalTable


class AtMachine(Person):
    """Somebody whom the table asks to open the machine."""

    def _by_hand(self, view: TableView, table: PhysicalTable) -> Deed | None:
        """The first deed that a line asks of this person's hands, and that is still to be done."""
        for ask in view.asks:
            does = self._HANDS.get(ask.trigger) if ask.role == self.role and ask.due else None
            deed = None if does is None else does(self, ask, view, table)
            if deed is not None:
                return deed
        return None

    def _deed(self, view: TableView, what: str, do: Callable[[], object], moment: float) -> Deed:
        def done() -> None:
            do()

        return Deed((situation(view), what), done, moment)

    def _open_lid(self, _ask: AskLine, view: TableView, table: PhysicalTable) -> Deed | None:
        if table.lid_open:  # asked to open what stands open: it must be shut first for the machine to tell
            return self._deed(view, "shut", table.close_lid, 2.0)
        return self._deed(view, "open", table.open_lid, 1.0)

    def _clear_jam(self, _ask: AskLine, view: TableView, table: PhysicalTable) -> Deed | None:
        if not table.lid_open:
            return self._deed(view, "open", table.open_lid, 1.0)
        if self._takes(Habit.CLOSE_ON_JAM):
            return self._deed(view, "close on jam", lambda: self._close_on_jam(table), 2.0)
        if is_broken(table):
            return self._mend_part(view, table)
        if table.look_inside().stuck is None:
            return None
        return self._deed(view, "take stuck card", lambda: take_stuck(table, self.evening), 2.0)

    def _mend_part(self, view: TableView, table: PhysicalTable) -> Deed:
        """What nobody can free is left, and the lid shut on it: the machine goes on telling, and more is called for."""

        def do() -> None:
            if not free_part(table):
                table.close_lid()

        return self._deed(view, "free a part", do, 3.0)

    def _close_on_jam(self, table: PhysicalTable) -> None:
        self._had.add(Habit.CLOSE_ON_JAM)
        table.close_lid()

    def _close_lid(self, _ask: AskLine, view: TableView, table: PhysicalTable) -> Deed | None:
        if not table.lid_open:
            return None
        card = in_hand(table, self.evening)
        if card is not None and not card.damaged:
            return self._deed(view, "put back", lambda: self._put_back(table), 1.0)
        inside = [] if Habit.PUT_BACK_WRONGLY in self.habits else belong_inside(view, table, self.evening)
        if inside and table.look_inside().stuck is None:
            return self._deed(view, "lay inside", lambda: table.put_inside(inside), 1.0)
        return self._deed(view, "close", lambda: self._look_and_close(view, table), 2.0)

    def _put_back(self, table: PhysicalTable) -> None:
        if self._takes(Habit.PUT_BACK_WRONGLY) and self.evening.taken is not None:
            self._had.add(Habit.PUT_BACK_WRONGLY)
            table.move([self.evening.taken.card], table.discard)
        else:
            put_back(table, self.evening)

    def _look_and_close(self, view: TableView, table: PhysicalTable) -> None:
        if view.session_state == "lid_open":  # the look into a machine that should be empty
            take_everything(table, self.evening)
            self.evening.saw_empty = table.look_inside().cards == 0
        table.close_lid()

    def _take_all_out(self, _ask: AskLine, view: TableView, table: PhysicalTable) -> Deed | None:
        if not table.lid_open or table.look_inside().cards == 0:
            return None
        return self._deed(view, "take all out", lambda: take_everything(table, self.evening), 6.0)

    def _connect(self, _ask: AskLine, view: TableView, table: PhysicalTable) -> Deed | None:
        if not table.cables_out:
            return None
        name = min(table.cables_out)
        return self._deed(view, f"connect {name}", lambda: table.plug_in(name), 15.0)

    _HANDS: Mapping[str, Callable[[AtMachine, AskLine, TableView, PhysicalTable], Deed | None]] = {
        "open_lid": _open_lid,
        "clear_jam": _clear_jam,
        "close_lid": _close_lid,
        "take_all_out": _take_all_out,
        "connect": _connect,
    }
