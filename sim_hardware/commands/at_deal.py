"""What a supervisor does about a slip in the deal: names what was seen, and takes the book's first remedy for it."""

from __future__ import annotations

import re

from firmware_bridge.view import AskLine, TableView
from sim_hardware.commands.at_machine import AtMachine
from sim_hardware.table import PhysicalTable


class AtDeal(AtMachine):
    """The part of a supervisor that a wrong deal calls for."""

    def _typed_at_deal(self, ask: AskLine) -> int:
        """The slip that was seen, or the first remedy that the screen names for it."""
        return self.evening.slip if ask.trigger == "name_slip" else int(re.findall(r": (\d) ", ask.text)[0])

    def _saw_a_slip(self, ask: AskLine, _view: TableView, _table: PhysicalTable) -> bool:
        return ask.due or self.evening.slip > 0

    def _before_slip(self, _ask: AskLine, _table: PhysicalTable) -> None:
        self.evening.slip = 0
