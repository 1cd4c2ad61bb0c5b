"""The scripted dealer: shows and mixes, loads, deals rounds and gives their cards back, unloads, sorts, lays decks.

What a dealer does about an alarm is in ``dealer_alarms.py``, with a whole set in ``dealer_sets.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from drivers.protocol.messages import DealerKey
from firmware_bridge.view import TableView
from sim_hardware.cards import Card, sorted_decks
from sim_hardware.commands.by_hand import (
    awaits_emptying,
    begins_by_key,
    counts_by_hand,
    fill,
    is_filled,
    is_special,
    lies_short,
    mix,
    says_full_and_is_not,
    says_one_player,
    take_out,
)
from sim_hardware.commands.dealer_places import DealerAtPlaces
from sim_hardware.commands.dealer_sets import DealerOfSets
from sim_hardware.commands.evening import ENDS
from sim_hardware.commands.lying import gather, left_out, strays
from sim_hardware.commands.misdeeds import Habit
from sim_hardware.commands.person import Deed, is_open, situation
from sim_hardware.commands.round_shown import awaits_a_cycle, is_read_by_eye, is_void, ran_dry
from sim_hardware.faults import Fault
from sim_hardware.table import PhysicalTable

FEWEST_IN_ROUND, MOST_IN_ROUND = 5, 20
LONG_ROUND = 70
"""Cards of a round that a dealer does not end: he deals the next ones in it."""
TRAY_ROOM = 208
EMPTIES = frozenset({"declared_closed", "wrong_load", "looking", "lid_released", "lid_open", "looked", *ENDS})
"""States in which no card may lie in a tray."""
SIGN_IN = 11
KEPT_FOR = 30.0
"""Seconds that a kept card stays in a dealer's sleeve, where the habit is not to lose it for good."""
GIVES_UP_AFTER = 70.0
"""Seconds after which a dealer with nothing left to give back says that the evening is over."""
HELD_FOR_SURE = 0.5
"""Seconds after which a hold that the view shows has reached every gate."""


WISHES_AFTER = 2
"""Of so many rounds the dealer has the cards shuffled after one, where the screen leaves it to him."""


class Dealer(DealerAtPlaces, DealerOfSets):
    """Shows, mixes, lays packs, deals rounds and gives their cards back, unloads, sorts, and lays decks to be read.

    ``after_round``: this dealer relieves another, between rounds, once so many were played.
    """

    def _begin(self) -> None:
        super()._begin()
        self.tugs = 0
        """Pulls at the mouth while dealing was held (``PULL_WHILE_HELD``)."""
        self.tugged_out = 0
        """Cards that came by them."""
        self._to_draw = 0
        self._drawn = 0
        self._wished_after = 0
        self._kept: Card | None = None
        self._waiting_since: float | None = None
        self._held_since: float | None = None
        self._tug_at = 0.0

    def _next(self, now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        if Habit.PULL_WHILE_HELD in self.habits:
            self._tug(now, view, table)
        if view.session_state != "returning":
            self._waiting_since = None
        if not self._is_on_duty(view):
            return self._relieve(SIGN_IN, view)
        if (ask := self._asked(view, "sign_in")) is not None:
            return self._enter(view, ask.number)
        if (alarmed := self._at_alarm(view, table)) is not None:
            return alarmed
        if view.session_state in EMPTIES and (table.mechanism.intake_tray or table.shoe_mechanism.shoe_tray):
            return Deed((situation(view), "empty trays"), lambda: _empty_trays(table, view.session_state in ENDS), 2.0)
        if view.session_state == "ready" and (handled := self._handle_set(view, table)) is not None:
            return handled  # also beside an alarm: the set's next whole cycle is what counts it
        does = self._DOES.get(view.session_state)
        return None if does is None or self._stands_back(view) else does(self, now, view, table)

    def _yes(self, view: TableView, before: Callable[[], object], moment: float, table: PhysicalTable) -> Deed | None:
        """Do something and say so with *yes*, if that is asked, or will be once it is done."""
        if not any(ask.role == self.role and ask.trigger == "yes" and ask.about == 0 for ask in view.asks):
            return None

        def do() -> None:
            before()
            if Habit.PRESSES_TWICE in self.habits:
                self._had.add(Habit.PRESSES_TWICE)
                table.faults.arm(Fault.DEALER_KEY_TWICE)
            table.press_dealer_key(DealerKey.YES)

        return Deed((situation(view), "yes"), do, moment)

    # ---- opening and loading

    def _show(self, _now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        return self._yes(view, lambda: self._bring_cards(table), 3.0, table)

    def _bring(self, _now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        """Where the rule book asks for none of the steps before it, the cards are brought for the loading."""
        if self.evening.brought:
            return None
        return Deed((situation(view), "bring"), lambda: self._bring_cards(table), 3.0)

    def _check_backs(self, _now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        return self._yes(view, lambda: self._bring_cards(table), 2.0, table)

    def _mix(self, _now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        def do() -> None:
            self._bring_cards(table)
            self._rng.shuffle(table.box)
            mix(table, self.evening, self._rng)

        return self._yes(view, do, 4.0, table)

    def _fill_shoe(self, _now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        if not says_one_player(view, self.evening):
            return self._yes(view, lambda: fill(view, table, self.evening, self._rng), 4.0, table)
        if is_filled(table):
            return None  # the supervisor says so
        return Deed((situation(view), "fill"), lambda: fill(view, table, self.evening, self._rng), 4.0)

    def _offer_cut(self, now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        """Where no player wants to cut, another does, whom the book names; if that is the dealer, he says so."""
        if self.evening.nobody_cuts and any(ask.trigger == "cut" for ask in view.asks):
            return None
        return self._check_backs(now, view, table)

    def _empty_shoe(self, _now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        """What was not dealt is drawn out; when all is out, one says so, or that the evening is over."""
        if view.round >= self.evening.rounds:
            self.evening.is_over = True
        if any(ask.trigger == "draw_cards" for ask in view.asks):
            return Deed((situation(view), "draw out", len(table.discard)), lambda: self._draw_out(table), 0.0)
        if self.evening.is_over:
            return None
        if counts_by_hand(view) and table.inside():
            return Deed((situation(view), "take out"), lambda: take_out(table), 3.0)
        if counts_by_hand(view) and lies_short(table, len(self.evening.backs)):
            return None
        return self._yes(view, lambda: None, 2.0, table)

    def _load(self, now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        if not self.evening.brought:
            return self._bring(now, view, table)
        if table.mechanism.intake_tray:
            return None if view.intake_open else self._take_out(view, table, table.box)
        if not table.box and left_out(table, self.evening):
            return Deed((situation(view), "gather"), lambda: gather(table, self.evening, table.box), 1.0)
        is_in = any(ask.trigger == "end_pack" and ask.due for ask in view.asks)
        if is_in or not view.intake_open or not table.box:
            return None
        return Deed((situation(view), "lay pack"), lambda: self._lay_pack(view, table), 1.0)

    def _lay_pack(self, view: TableView, table: PhysicalTable) -> None:
        size, first = len(table.box), view.accounts.get("machine", 0) == 0
        if first and self._takes(Habit.ONE_PACK_ONLY):
            self._had.add(Habit.ONE_PACK_ONLY)
        elif first:
            size = size // 2 + self._rng.randint(-6, 6)
            size = min(size, view.pack_limit) if view.pack_limit is not None else size
        table.put_in_intake_tray(table.box[: min(size, TRAY_ROOM)])

    # ---- rounds

    def _deal(self, _now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        begun = self._drawn < self._to_draw  # a round that somebody else ended is over for this dealer too
        if view.session_state == "ready" and not begun:
            if self._takes(Habit.CLAIM_LATE) and view.round > 0:
                return self._claim(Habit.CLAIM_LATE, view, table)
            if view.round >= self.evening.rounds:
                self.evening.is_over = True
            if says_full_and_is_not(view, table):
                return Deed((situation(view), "fill"), lambda: fill(view, table, self.evening, self._rng), 2.0)
            stands_still = self.evening.shoe_is_over(view) or self.evening.nobody_plays(view)
            if self.evening.is_over or not view.may_deal or stands_still:
                return None
            if begins_by_key(view):
                return self._begin_from_box(view, table)
            if (marks := self._mark(view, table)) is not None:
                return marks
            if view.round % WISHES_AFTER == 0 and view.round != self._wished_after and self._may_wish(view):
                return self._wish(view, table)
            if any(ask.trigger == "burn" and ask.due for ask in view.asks):
                return Deed((situation(view), "burn"), lambda: self._burn(table), 2.5)
            return Deed((situation(view), "first card"), lambda: self._first_card(table), 2.5)
        all_go_in = any(ask.trigger in ("gather_cards", "put_all_in", "read_all_again") for ask in view.asks)
        all_go_in = all_go_in or is_open(view, "duplicate")  # it is read again, or the table closes: after the round
        to_be_counted = awaits_a_cycle(view) or awaits_emptying(view, table)
        ends = self.evening.is_over or is_void(view) or all_go_in or to_be_counted or ran_dry(view)
        if not ends and view.session_state == "in_round":
            over = self._round_over(view, table)
            if (deed := self._at_places(view, table, self._pull, over)) is not None:
                return deed
        if self._drawn < self._to_draw and not ends:
            return Deed(("pull", self._drawn), lambda: self._pull(table), 0.5) if view.may_deal else None
        if view.session_state == "in_round":
            return self._round_over(view, table)
        return None

    def _begin_from_box(self, view: TableView, table: PhysicalTable) -> Deed:
        """Burn what is due, and say that the round begins."""
        burns = any(ask.trigger == "burn" and ask.due for ask in view.asks)

        def do() -> None:
            if burns:
                self._burn(table)
            self._to_draw, self._drawn = self._rng.randint(FEWEST_IN_ROUND, MOST_IN_ROUND), 0
            table.press_dealer_key(DealerKey.YES)

        return Deed((situation(view), "begin"), do, 2.5)

    def _take_out(self, view: TableView, table: PhysicalTable, to: list[Card]) -> Deed:
        return Deed((situation(view), "take out"), lambda: table.move(table.take_from_intake_tray(), to), 1.0)

    def _may_wish(self, view: TableView) -> bool:
        """Whether the screen leaves it to the dealer to have all cards shuffled before the next round (MO-2e)."""
        return self._asked(view, "yes", due_only=False) is not None

    def _wish(self, view: TableView, table: PhysicalTable) -> Deed:
        def do() -> None:
            self._wished_after = view.round
            table.press_dealer_key(DealerKey.YES)

        return Deed((situation(view), "wish"), do, 2.0)

    def _burn(self, table: PhysicalTable) -> float:
        card = table.pull_card()
        if card is None:
            return 0.3  # not at the mouth yet
        if not is_special(card):
            table.move([card], table.discard)
        return 0.0

    def _first_card(self, table: PhysicalTable) -> float:
        self._to_draw, self._drawn = self._rng.randint(FEWEST_IN_ROUND, MOST_IN_ROUND), 0
        if self._takes(Habit.DEALS_ON):
            self._had.add(Habit.DEALS_ON)
            self._to_draw, self._deals_on = LONG_ROUND, True
        return self._pull(table)

    def _pull(self, table: PhysicalTable) -> float:
        card = table.pull_card()
        if card is None:
            return 0.3  # not at the mouth yet
        if is_special(card):
            return 0.0
        self._drawn += 1
        if self._drawn % 3 == 0 and self._rng.random() < 0.25:
            table.move(table.on_table[:3], table.discard)  # a hand is out of play (PT-A9)
        return 0.0

    def _round_over(self, view: TableView, table: PhysicalTable) -> Deed:
        def do() -> None:
            table.move(list(table.on_table), table.discard)
            table.press_dealer_key(DealerKey.ROUND_OVER)
            self._to_draw = self._drawn = 0

        return Deed((situation(view), "round over"), do, 2.0)

    def _asked_round(self, _now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        if (plays_on := self._plays_on(view, table)) is not None:
            return plays_on
        if self._drawn >= self._to_draw or self.evening.is_over or is_void(view):
            return self._round_over(view, table)
        return self._yes(view, lambda: None, 1.0, table)

    def _give_back(self, now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        if self._waiting_since is None:
            self._waiting_since = now
        waited = now - self._waiting_since
        if self._takes(Habit.CLAIM_IN_TIME):
            return self._claim(Habit.CLAIM_IN_TIME, view, table)
        leave = self._yes(view, lambda: _leave_in_discard(table), 2.0, table)
        if leave is not None and self._asked(view, "yes") is not None:
            return leave
        if table.mechanism.intake_tray:
            return None
        if table.on_table or table.discard:
            if not view.intake_open:
                return None
            return Deed((situation(view), "give back"), lambda: self._lay_back(view, table), 1.0)
        return self._empty_hands(view, table, waited)

    def _lay_back(self, view: TableView, table: PhysicalTable) -> None:
        cards = [card for card in (*table.discard, *table.on_table) if not card.damaged]
        cards = cards[: max(0, view.accounts["table"] + view.accounts["discard"])]
        for habit in (Habit.KEEP_A_CARD, Habit.LOSE_A_CARD):
            if cards and self._takes(habit):
                self._had.add(habit)
                kept = cards.pop()
                if habit is Habit.LOSE_A_CARD:
                    table.carry_away([kept])
                else:
                    table.move([kept], table.set_aside)
                    self._kept = kept
        if self._takes(Habit.ADDS_A_CARD) and self.evening.reserve:
            self._had.add(Habit.ADDS_A_CARD)
            cards.append(self.evening.reserve.pop())
            table.add(cards[-1])
        table.put_in_intake_tray(cards[:TRAY_ROOM])

    def _empty_hands(self, view: TableView, table: PhysicalTable, waited: float) -> Deed | None:
        """Nothing lies open and the table still waits for cards: a kept one goes back, late; a lost one never."""
        kept = self._kept
        if kept is None:
            self.evening.is_over = self.evening.is_over or waited > GIVES_UP_AFTER
            return None
        if waited < KEPT_FOR / 2:
            return None
        if waited < KEPT_FOR:
            return Deed((situation(view), "pretend"), lambda: table.press_dealer_key(DealerKey.YES), 0.0)

        def put_back() -> None:
            if kept in table.set_aside:
                table.move([kept], table.discard)
            self._kept = None

        return Deed((situation(view), "put back"), put_back, 0.0)

    def _claim(self, habit: Habit, view: TableView, table: PhysicalTable) -> Deed:
        def do() -> None:
            self._had.add(habit)
            table.press_dealer_key(DealerKey.CLAIM)

        return Deed((situation(view), "claim"), do, 1.0)

    def _tug(self, now: float, view: TableView, table: PhysicalTable) -> None:
        if view.may_deal or view.session_state in ("unloading", "counting_empty"):
            self._held_since = None
            return
        if self._held_since is None:
            self._held_since = now
        if now >= max(self._tug_at, self._held_since + HELD_FOR_SURE):
            self._tug_at = now + self._pause(0.5)
            self.tugs += 1
            self._had.add(Habit.PULL_WHILE_HELD)
            self.tugged_out += table.pull_card() is not None

    # ---- closing

    def _unload(self, _now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        drawn = len(table.on_table)

        def do() -> float:
            return 0.3 if table.pull_card() is None else 0.0

        return Deed((situation(view), "unload", drawn), do, 0.0)

    def _sort(self, _now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        return self._yes(view, lambda: gather(table, self.evening, table.on_table), 6.0, table)

    def _lay_deck(self, _now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        if is_read_by_eye(view):
            return None
        begins = view.deck_due == 1 and bool(table.box or table.shoe_mechanism.shoe_output)
        lies = table.on_table or table.discard or table.shoe_mechanism.shoe_tray
        if begins or (not lies and strays(table, self.evening)):
            return Deed((situation(view), "gather"), lambda: self._gather_all(table), 2.0)
        if not lies:
            return None

        def do() -> None:
            _clear_output(table)
            if not table.shoe_mechanism.shoe_tray:
                table.put_in_shoe_tray(self._deck(view.deck_due, [*table.on_table, *table.discard]))

        return self._yes(view, do, 2.0, table)

    def _gather_all(self, table: PhysicalTable) -> None:
        """Every card is verified anew: also those that lie in the boxes already."""
        gather(table, self.evening, table.on_table)
        table.move(list(table.box), table.on_table)

    def _deck(self, due: int, lying: list[Card]) -> list[Card]:
        """The sorted deck that is due, or what is left if none has its back."""
        for card in lying:
            card.boxed = False  # whoever sorts cards sees which lies the wrong way up
        decks = sorted_decks(lying)
        back = self.evening.backs[due - 1] if due <= len(self.evening.backs) else ""
        chosen = next((deck for deck in decks if deck[0].back == back), decks[0])
        if self._takes(Habit.SWAP_A_CARD) and len(decks) > 1:
            self._had.add(Habit.SWAP_A_CARD)
            other = next(deck for deck in decks if deck is not chosen)
            chosen[0], other[-1] = other[-1], chosen[0]
        return chosen

    def _clear_away(self, _now: float, view: TableView, table: PhysicalTable) -> Deed | None:
        if not table.shoe_mechanism.shoe_output:
            return None
        return Deed((situation(view), "clear away"), lambda: _clear_output(table), 1.0)

    _DOES: Mapping[str, Callable[[Dealer, float, TableView, PhysicalTable], Deed | None]] = {
        "showing": _show,
        "checking_backs": _check_backs,
        "mixing": _mix,
        "cutting": _offer_cut,
        "filling_shoe": _fill_shoe,
        "emptying_shoe": _empty_shoe,
        "awaiting_pack": _bring,
        "loading_pack": _load,
        "ready": _deal,
        "in_round": _deal,
        "asking_round": _asked_round,
        "returning": _give_back,
        "unloading": _unload,
        "sorting": _sort,
        "awaiting_deck": _lay_deck,
        "all_regular": _clear_away,
        "difference": _clear_away,
    }


def _leave_in_discard(table: PhysicalTable) -> None:
    table.take_from_intake_tray()
    table.move(list(table.on_table), table.discard)


def _empty_trays(table: PhysicalTable, to_boxes: bool) -> None:
    found = [*table.take_from_intake_tray(), *table.take_from_shoe_tray()]
    if to_boxes:
        table.move(found, table.box)


def _clear_output(table: PhysicalTable) -> None:
    table.move(table.take_shoe_output(), table.box)
