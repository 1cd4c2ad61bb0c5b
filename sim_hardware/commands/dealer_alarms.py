"""What a dealer does about an alarm: shows a damaged card, lays its replacement, stands back, looks for a lost card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping

from drivers.cards import DECK_SIZE
from drivers.protocol.messages import DealerKey
from firmware_bridge.view import AskLine, TableView
from sim_hardware.cards import Card
from sim_hardware.commands.evening import lies_open
from sim_hardware.commands.lying import LOADS, PLAYS, whole_strays
from sim_hardware.commands.misdeeds import Habit
from sim_hardware.commands.person import Deed, Person, situation
from sim_hardware.commands.round_shown import is_void
from sim_hardware.table import PhysicalTable

BEFORE_THE_END = LOADS | PLAYS | {"unloading"}
"""States in which a dealer leaves the cards alone while the machine or a card is being mended."""


class DealerAtAlarm(Person):
    """The part of a dealer that an alarm calls for."""

    role = "dealer"

    def _begin(self) -> None:
        super()._begin()
        self._searched: Hashable = None
        self._deals_on = False
        """Whether a long round is dealt, and nobody was told yet that it is void."""
        self._done_at_once = Counter[Hashable]()
        """How much of it was done at once, in each situation."""

    def _stands_back(self, view: TableView) -> bool:
        mended = (one for one in view.incidents if one.kind in ("jam", "damaged_card") and not one.cleared)
        being_mended = any(not (view.sets and one.state == "counting") for one in mended)  # of a whole set: by a cycle
        return view.session_state in BEFORE_THE_END and being_mended and not self.evening.is_over

    def _at_alarm(self, view: TableView, table: PhysicalTable) -> Deed | None:
        if (show := self._show_damaged(view, table)) is not None:
            return show
        if (reads := self._reads_at_once(view, table)) is not None:
            return reads
        for ask in view.asks:
            does = self._AT_ALARM.get(ask.trigger) if ask.role == self.role and ask.due else None
            deed = None if does is None else does(self, ask, view, table)
            if deed is not None:
                return deed
        return self._put_replacement(view, table)

    # ---- a damaged card

    def _show_damaged(self, view: TableView, table: PhysicalTable) -> Deed | None:
        """Press the key until the table says that it knows; the card lies for all to see."""
        is_replaced = all(one.cleared for one in view.incidents if one.kind == "damaged_card")  # one after the other
        if view.session_state not in PLAYS or self.evening.is_over or not is_replaced:
            return None
        card = next((card for card in (*table.on_table, *table.discard) if card.damaged), None)
        if card is None:
            return None

        def do() -> None:
            self.evening.shown = card
            table.press_dealer_key(DealerKey.DAMAGED_CARD)

        return Deed(("damaged", id(card)), do, 1.0)

    def _lay_replacement(self, ask: AskLine, view: TableView, table: PhysicalTable) -> Deed | None:
        spare = self.evening.spare_for(ask.text)
        if spare is None:  # no such card is left: the table closes a card short
            self.evening.is_over = True
        if table.shoe_mechanism.shoe_tray or spare is None:
            return None
        return Deed((situation(view), "lay replacement"), lambda: self._lay(spare, table), 3.0)

    def _lay(self, spare: Card, table: PhysicalTable) -> None:
        """The damaged card is set aside, a wrong replacement taken away, and one card of the reserve laid."""
        evening = self.evening
        shown = evening.shown
        if shown is not None and shown not in table.set_aside and lies_open(shown, table):
            table.move([shown], table.set_aside)
        table.take_shoe_output()
        if evening.lent is not None:
            evening.take_back(table)
        if self._takes(Habit.WRONG_REPLACEMENT):
            self._had.add(Habit.WRONG_REPLACEMENT)
            spare = next(card for card in evening.reserve if card.face != spare.face)
        evening.reserve.remove(spare)
        table.on_table.append(spare)
        table.put_in_shoe_tray([spare])
        evening.lent = spare

    def _read_again(self, ask: AskLine, view: TableView, table: PhysicalTable) -> Deed | None:
        """What came unread is turned and laid to be read; or all that lies open is."""
        lying = [*table.on_table, *table.discard]
        if ask.trigger == "read_again":
            lying = [card for card in lying if card.boxed][:1] or lying[-1:]  # somebody has turned it already
        waits = ask.trigger == "read_all_again" and view.session_state in ("in_round", "asking_round")
        if not lying or table.shoe_mechanism.shoe_tray or waits:
            return None

        def do() -> None:
            for card in lying:
                card.boxed = False
            table.put_in_shoe_tray(lying)

        return Deed((situation(view), "read again"), do, 3.0)

    def _reads_at_once(self, view: TableView, table: PhysicalTable) -> Deed | None:
        """Who deals on waits for no round's end: he lays in what the tray takes, as it lies, says so, takes it back.

        Once in each situation: after it he does as the screen says.
        """
        alarm, what = view.alarm, situation(view)
        if Habit.DEALS_ON not in self.habits or alarm is None or alarm.state != "raised":
            return None
        lying = [*table.on_table, *table.discard]
        if alarm.kind == "unreadable":
            lying = [card for card in lying if card.boxed]
        elif alarm.kind != "duplicate":
            return None
        done, is_laid = self._done_at_once[what], bool(table.shoe_mechanism.shoe_tray)
        if done == 0 and lying and not is_laid:
            return self._at_once(what, lambda: table.put_in_shoe_tray(lying[:DECK_SIZE]))
        if done == 1:
            return self._at_once(what, lambda: table.press_dealer_key(DealerKey.YES))
        if done == 2 and is_laid:
            return self._at_once(what, table.take_from_shoe_tray)
        return None

    def _plays_on(self, view: TableView, table: PhysicalTable) -> Deed | None:
        """Who deals on has the long round go on though it is void: once, then he reads what the screen says."""
        if not (self._deals_on and is_void(view)):
            return None

        def do() -> None:
            self._deals_on = False
            table.press_dealer_key(DealerKey.YES)

        return Deed((situation(view), "plays on"), do, 1.0)

    def _at_once(self, what: Hashable, does: Callable[[], object]) -> Deed:
        def do() -> None:
            does()
            self._done_at_once[what] += 1

        return Deed((what, "at once", self._done_at_once[what]), do, 2.0)

    def _answer_yes(self, ask: AskLine, view: TableView, table: PhysicalTable) -> Deed | None:
        """An alarm's YES: a replacement lies in the tray, or it was read and has the same back."""
        if ask.about == 0:
            return None  # the session's
        return Deed((situation(view), "yes to alarm"), lambda: table.press_dealer_key(DealerKey.YES), 1.5)

    def _put_replacement(self, view: TableView, table: PhysicalTable) -> Deed | None:
        """The replacement that was taken has its place among the cards: not loaded yet, or lying open."""
        if (
            view.session_state not in BEFORE_THE_END
            or not table.shoe_mechanism.shoe_output
            or self.evening.lent is not None
        ):
            return None
        to = table.box if view.session_state in LOADS else table.on_table
        return Deed((situation(view), "put replacement"), lambda: self._put(to, table), 1.0)

    def _put(self, to: list[Card], table: PhysicalTable) -> None:
        table.move(table.take_shoe_output(), to)
        self.evening.shown = self.evening.taken = None

    # ---- cards in the wrong place

    def _find_card(self, _ask: AskLine, view: TableView, table: PhysicalTable) -> Deed | None:
        """Search once; what is found then lies on the table, and goes back with the round's cards."""
        alarm = situation(view)
        if alarm == self._searched:
            return None

        def do() -> None:
            self._searched = alarm
            table.find_lost()
            table.move(whole_strays(table, self.evening), table.on_table)

        return Deed((alarm, "search"), do, 5.0)

    def _take_cards_out(self, _ask: AskLine, view: TableView, table: PhysicalTable) -> Deed | None:
        if not table.mechanism.intake_tray:
            return None
        to = table.box if view.session_state in LOADS else table.discard
        return Deed((situation(view), "take out"), lambda: table.move(table.take_from_intake_tray(), to), 1.0)

    _AT_ALARM: Mapping[str, Callable[[DealerAtAlarm, AskLine, TableView, PhysicalTable], Deed | None]] = {
        "lay_replacement": _lay_replacement,
        "yes": _answer_yes,
        "find_card": _find_card,
        "take_cards_out": _take_cards_out,
        "read_again": _read_again,
        "read_all_again": _read_again,
    }
