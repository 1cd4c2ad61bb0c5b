"""The scripted dealer at a batch shuffler: lays a set in whole, and draws out of the shoe what was not dealt of one."""

from __future__ import annotations

from firmware_bridge.view import AskLine, TableView
from sim_hardware.commands.by_hand import is_special
from sim_hardware.commands.dealer_alarms import DealerAtAlarm
from sim_hardware.commands.lying import gather
from sim_hardware.commands.misdeeds import Habit
from sim_hardware.commands.person import Deed, situation
from sim_hardware.table import PhysicalTable


class DealerOfSets(DealerAtAlarm):
    """Brings the cards, and handles sets."""

    def _bring_cards(self, table: PhysicalTable) -> None:
        """All cards come into the boxes, once a session; after a wrong load a fresh set does."""
        if self.evening.brought:
            return
        self.evening.brought = True
        gather(table, self.evening, table.box)
        if self.evening.was_wrong:
            self.evening.was_wrong = False
            self.evening.fresh_set(table)

    def _handle_set(self, view: TableView, table: PhysicalTable) -> Deed | None:
        """At a batch shuffler: a set is laid in whole, also while the other plays, or drawn out of the shoe."""
        ask = next((one for one in view.asks if one.trigger == "put_cards_in"), None)
        if ask is not None and (ask.due or not self.evening.is_over) and not table.mechanism.intake_tray:
            return Deed((situation(view), "lay set in"), lambda: self._lay_set_in(ask, table), 2.0)
        if any(ask.trigger == "draw_cards" for ask in view.asks):
            drawn = len(table.discard)
            return Deed((situation(view), "draw out", drawn), lambda: self._draw_out(table), 0.0)
        return None

    def _lay_set_in(self, ask: AskLine, table: PhysicalTable) -> None:
        self._bring_cards(table)
        table.take_from_door()
        wanted = self.evening.backs_named(ask.text)
        lying = [*table.box, *table.discard, *table.on_table]
        for card in lying:
            card.boxed = False  # whoever lays a set in sees which card lies the wrong way up
        own = [card for card in lying if card.back in wanted or not wanted]
        others = [card for card in lying if not (card.back in wanted or not wanted)]
        if others and own and self._takes(Habit.OTHER_SETS_CARD):  # one too many, or one in the place of another
            self._had.add(Habit.OTHER_SETS_CARD)
            own = own[self._rng.randrange(2) :] + others[:1]
        table.put_in_intake_tray(own)

    def _draw_out(self, table: PhysicalTable) -> float:
        card = table.pull_card()
        if card is None:
            return 0.3  # not released yet
        if not is_special(card):
            table.move([card], table.discard)
        return 0.0
