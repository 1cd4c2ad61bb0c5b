"""The person at the terminal: letters for hands, keys for the keypad, and what lies shown told on the lines below."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

from drivers.protocol.messages import JamPlace, Key
from firmware_bridge.core.state import State
from firmware_bridge.core.words import IncidentKind, Session
from firmware_bridge.rulebooks import load_rulebook
from firmware_bridge.view import TableView, table_view
from sim_hardware.commands.evening import Evening
from sim_hardware.commands.people import Supervisor
from sim_hardware.commands.terminal_person import TerminalPerson
from sim_hardware.faults import Fault, Plan
from sim_hardware.table import CarouselTable, Now, PhysicalTable
from tests.demo.played import Played, at
from tests.table.evening import PEOPLE, SUPERVISOR

TYPED = {
    # kind and state of the alarm: what its lines on the screen ask of a supervisor: a step and its value, or hands
    ("jam", "raised"): ("42", ""),
    ("jam", "lid_released"): "o",
    ("jam", "lid_open"): "t",
    ("jam", "asking_damage"): ("33", ""),
    ("jam", "cleared"): ("31", "0"),
    ("damaged_card", "raised"): ("38", "card"),
    ("damaged_card", "awaiting_seal"): ("39", "77"),
    ("damaged_card", "cleared"): ("31", "0"),
}
SUITS = ("clubs", "diamonds", "hearts", "spades")
RANKS = ("ace", *map(str, range(2, 11)), "jack", "queen", "king")
PATIENCE = 6.0
SEEN: set[str] = set()
"""Every line that was shown below the screen."""


def keys(text: str) -> list[int | str]:
    return [*map(int, text), Key.ENTER]


def card_as_typed(hint: str) -> str:
    """Read off the lower lines which card the dealer shows, and write it as the screen says."""
    found = re.search(r"shows you: (\w+) of (\w+), \w+ back \(deck (\d)", hint)
    assert found is not None, hint
    rank, suit, deck = found.groups()
    return f"{deck}{SUITS.index(suit) + 1}{RANKS.index(rank) + 1:02}"


class Reader(Supervisor):
    """At an alarm a supervisor who has only the terminal: types what the screen and the lines below it say."""

    def __init__(self, *who: Any) -> None:
        super().__init__(*who)
        self.now = self.again = 0.0
        self.left: list[str] = []
        self.terminal = TerminalPerson(lambda: self.now, self.evening, self.number)

    def step(self, now: float, view: TableView, table: PhysicalTable) -> None:
        self.now = now
        if view.alarm is None and not self.left and self.evening.at_keypad is not self.terminal:
            super().step(now, view, table)
            return
        hint = self.terminal.hint(view, table)
        SEEN.update(hint.splitlines())
        self.terminal.act(self._typed_now(now, view, hint), view, table)

    def _typed_now(self, now: float, view: TableView, hint: str) -> list[int | str]:
        if self.left:
            if view.keypad.asking == "step":
                typed, self.left = [key for text in self.left for key in keys(text)], []
                return typed
            return []
        wanted = TYPED.get((view.alarm.kind, view.alarm.state)) if view.alarm is not None else None
        if wanted is None or now < self.again or self.evening.at_keypad is not None:
            return []
        self.again = now + PATIENCE
        if isinstance(wanted, str):
            return ["p", "x"] if "in your hand" in hint else [wanted]
        step, value = wanted
        self.left = [step, *([card_as_typed(hint) if value == "card" else value] if value else [])]
        return keys(str(SUPERVISOR)) + keys(PEOPLE[SUPERVISOR][0])


@pytest.mark.clause("PT-A1", "PT-A2")
@pytest.mark.parametrize(
    ("faults", "kind", "line"),
    [
        (at(Fault.JAM_EXIT, 7), IncidentKind.JAM, r"The card that stuck, in your hand: \w+ of \w+, \w+ back .*whole"),
        (at(Fault.DAMAGED_CARD, 6), IncidentKind.DAMAGED_CARD, r"The dealer shows you: \w+ of \w+, .*DAMAGED"),
    ],
)
def test_who_has_only_the_terminal_clears_a_jam_and_a_damaged_card(faults: Plan, kind: IncidentKind, line: str) -> None:
    SEEN.clear()
    evening = Played(faults=faults, supervisor=Reader)
    assert evening.one(kind).confirmed_by == SUPERVISOR
    assert evening.session is Session.VERIFIED
    assert any(re.match(line, one) for one in SEEN)


def terminal() -> tuple[TerminalPerson, TableView]:
    view = table_view(State(), load_rulebook("portugal"), None, ())
    return TerminalPerson(lambda: 0.0, Evening(1), SUPERVISOR), view


@pytest.mark.parametrize(
    ("letter", "said"),
    [("t", "the lid is closed"), ("o", "The lid is locked"), ("p", "no card in your hand"), ("l", "the lid is closed")],
)
def test_what_hands_cannot_do_is_said_with_its_reason(letter: str, said: str) -> None:
    table = CarouselTable(Random(1), Now(0.0, 0.0))
    person, view = terminal()
    person.act([letter], view, table)
    table.open_lid(force=True)
    assert said in person.hint(view, table)


def test_hands_at_an_open_lid_find_the_stuck_card_and_lay_it_back_inside() -> None:
    table = CarouselTable(Random(1), Now(0.0, 0.0))
    table.put_in_intake_tray(table.box[:20])
    table.mechanism.intake_on = table.mechanism.feed_on = True
    table.mechanism.settle()
    table.jam(JamPlace.EXIT)
    while table.mechanism.step(9.0) is not None:
        continue
    person, view = terminal()
    table.open_lid(force=True)
    for letter, said in (("l", "19 cards inside, and one of them sticks"), ("t", "You took out"), ("p", "lies inside")):
        person.act([letter], view, table)
        assert said in person.hint(view, table)
    person.act(["l"], view, table)
    assert "You see 19 cards inside." in person.hint(view, table)


class KeysSeen(CarouselTable):
    """A table that notes the keys that its keypad feels."""

    def __init__(self) -> None:
        super().__init__(Random(1), Now(0.0, 0.0))
        self._pressed: list[int] = []
        self._keypad.press = lambda key, _at: self._pressed.append(key)  # type: ignore[method-assign]

    def keys_of_a_second(self) -> list[int]:
        """Let a second pass; return the keys that were felt."""
        for tenth in range(10):
            self.step(Now(tenth / 10, tenth / 10), {})
        return self._pressed


def test_keys_that_were_read_at_once_are_pressed_one_after_the_other() -> None:
    table = KeysSeen()
    person, view = terminal()
    person.act(keys("11"), view, table)
    assert table.keys_of_a_second() == [Key.CLEAR, 1, 1, Key.ENTER]


def test_an_entry_that_began_while_somebody_else_stood_at_the_keypad_is_nobodys_to_its_end() -> None:
    table = KeysSeen()
    now, evening = [0.0], Evening(1)
    _, view = terminal()
    person = TerminalPerson(lambda: now[0], evening, SUPERVISOR)
    evening.at_keypad = Evening(1)  # somebody else
    person.act(keys("201"), view, table)
    assert "What you type now is nobody's" in person.hint(view, table)
    evening.at_keypad, now[0] = None, 0.5
    person.act(keys("739154"), view, table)  # the PIN would be a number
    assert evening.at_keypad is None
    now[0] = 1.6
    person.act(keys("201"), view, table)
    assert table.keys_of_a_second() == [Key.CLEAR, 2, 0, 1, Key.ENTER]
