"""Somebody who has never seen the program: does what the screen asks for first, and knows nothing else.

What a line means is read from its words and from what lies open; the product's state is never looked at.
"""

from __future__ import annotations

import re

from drivers.cards import face_name
from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import Trigger
from firmware_bridge.view import AskLine, TableView, table_view
from sim_hardware.cards import Card, make_set
from tests.table.evening import PEOPLE, Evening
from tests.table.test_damaged_card import typed

STEP = re.compile(r"step (\d+)")


class Newcomer:
    """Follows the screen until no alarm is left. ``damaged``: what it answers where it is asked about damage."""

    def __init__(self, evening: Evening, damaged: bool = False, wrong_first: bool = False) -> None:
        self.evening = evening
        self.done: list[str] = []
        self.views: list[TableView] = []
        self._damaged = damaged
        self._wrong_first = wrong_first
        self._stuck: Card | None = None

    def view(self) -> TableView:
        """What the screen shows."""
        controller = self.evening.table.assembly.controller
        view = table_view(controller.state, controller.book, controller.status(), ())
        self.views.append(view)
        return view

    def clear(self, patience: int = 40) -> None:
        """Do what the alarm asks for, deed by deed, until none is presented."""
        for _ in range(patience):
            alarm = self.view().alarm
            if alarm is None:
                return
            self._do(self._chosen(alarm.asks))
            self.evening.table.run(1.0)
        raise AssertionError(f"no end of it: {self.done}")

    def _chosen(self, asks: tuple[AskLine, ...]) -> AskLine:
        if self._damaged and (yes := next((ask for ask in asks if ask.trigger == "answer_yes"), None)):
            return yes
        return next(ask for ask in asks if ask.due)

    def _do(self, ask: AskLine) -> None:
        self.done.append(ask.trigger)
        if ask.number:
            assert STEP.search(ask.text)[1] == str(ask.number)  # type: ignore[index]
            self._take_step(ask)
        elif ask.key:
            self.evening.key(DealerKey[ask.key])
        else:
            getattr(self, f"_{ask.trigger}")(ask)

    def _take_step(self, ask: AskLine) -> None:
        person = next(number for number, (_, role) in PEOPLE.items() if role == ask.role)
        trigger = Trigger(ask.trigger)
        value = {"confirm_incident": 2 if "type 2" in ask.text else 0, "confirm_replacement": 7781}.get(ask.trigger, 0)
        if "2307" in ask.text:
            value = typed(self._damaged_card())
        assert self.evening.act(person, trigger, value) is None, ask.text

    def _damaged_card(self) -> Card:
        hands = self.evening.hands
        card = self._stuck or (hands.on_table or hands.discard)[0]
        hands.move([card], hands.set_aside)
        self._stuck = card
        return card

    # ---- by hand

    def _wait(self, ask: AskLine) -> None:
        assert ask.role == ""
        self.evening.table.run(20)

    def _open_lid(self, ask: AskLine) -> None:
        assert ask.text == "Supervisor: open the lid"
        assert self.evening.hands.open_lid()

    def _clear_jam(self, ask: AskLine) -> None:
        self._stuck = self.evening.hands.take_stuck_card()
        if not self._damaged:
            self._put_back(ask.text)

    def _put_back(self, text: str) -> None:
        assert self._stuck is not None
        if "into the intake tray" in text:
            self.evening.hands.put_in_intake_tray([self._stuck])
        else:
            assert "back inside" in text
            self.evening.hands.put_inside([self._stuck])

    def _close_lid(self, ask: AskLine) -> None:
        assert "close the lid" in ask.text
        self.evening.hands.close_lid()

    def _lay_replacement(self, ask: AskLine) -> None:
        hands = self.evening.hands
        rank_suit = re.search(r"replacement, (\w+ of \w+)", ask.text)[1]  # type: ignore[index]
        deck = int(re.search(r"back of deck (\d)", ask.text)[1])  # type: ignore[index]
        reserve = [card for card in make_set(self.evening.state.decks, self.evening.state.backs) if card.deck == deck]
        wanted = next(card for card in reserve if face_name(card.face) == rank_suit)
        if self._wrong_first:
            self._wrong_first = False
            wanted = next(card for card in reserve if face_name(card.face) != rank_suit)
        hands.move(hands.take_shoe_output(), hands.box)
        hands.box.append(wanted)
        hands.put_in_shoe_tray([wanted])
