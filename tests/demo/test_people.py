"""The scripted people: they act only as hands and eyes could, one at the keypad, and notice when an entry is lost."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from msgspec.structs import replace

from drivers.protocol.messages import Key
from firmware_bridge.core.state import State
from firmware_bridge.core.steps import BY_NUMBER
from firmware_bridge.core.words import Role, Session, Trigger
from firmware_bridge.rulebooks import load_rulebook
from firmware_bridge.service.people import Pin, weakness
from firmware_bridge.view import AlarmLine, AskLine, Hand, KeypadLine, TableView, table_view
from sim_hardware.batch_table import BatchFittings
from sim_hardware.cards import make_set, sorted_decks
from sim_hardware.commands.lying import LOADS, PLAYS
from sim_hardware.commands.misdeeds import MISDEEDS
from sim_hardware.commands.people import ENDS, Dealer, Evening, Pace, Person, RoomManager, Supervisor, Technician
from sim_hardware.commands.pins import scripted_pin
from sim_hardware.commands.screen import PHASES
from sim_hardware.rig import Fitted
from sim_hardware.table import CarouselTable, Fittings, Now

BOOK = load_rulebook("portugal")
OPEN_TABLE = AskLine("supervisor", "open_table", 10, "", 0, True, "")
SIGN_DIFFERENCE = AskLine("room_manager", "sign_difference", 48, "", 0, True, "")


class KeysPressed(CarouselTable):
    """A table that notes the keys of its keypad."""

    def __init__(self) -> None:
        super().__init__(Random(1), Now(0.0, 0.0))
        self.keys: list[int] = []

    def press_key(self, key: int) -> None:
        self.keys.append(key)


class Watcher:
    """Steps people a tenth of a second at a time before a view that the test changes."""

    def __init__(self, *people: Person, asks: tuple[AskLine, ...] = (OPEN_TABLE,)) -> None:
        self.people = people
        self.table = KeysPressed()
        self.now = 0.0
        self.view: TableView = replace(table_view(State(), BOOK, None, ()), asks=asks)
        self.keypad("number")

    def keypad(self, asking: str, message: str = "") -> None:
        self.view = replace(self.view, keypad=KeypadLine(asking, 0, "", message))

    def run(self, seconds: float) -> list[int]:
        """Let time pass; return the keys pressed meanwhile."""
        before = len(self.table.keys)
        for _ in range(int(seconds * 10)):
            self.step()
        return self.table.keys[before:]

    def step(self) -> None:
        """Let a tenth of a second pass."""
        self.now += 0.1
        for person in self.people:
            person.step(self.now, self.view, self.table)


def supervisor(evening: Evening, number: int = 11, pin: str = "846201") -> Supervisor:
    return Supervisor(number, pin, Random(7), evening)


def digits(text: str) -> list[int]:
    return [int(digit) for digit in text]


def test_states_and_triggers_that_people_look_for_are_the_products_own_words() -> None:
    tempting = {state for misdeed in MISDEEDS for state in misdeed.states}
    states = {*Dealer._DOES, *ENDS, *PHASES, *PLAYS, *LOADS, *tempting}
    assert states <= {state.value for state in Session}
    assert set(Supervisor._ANSWERS) <= {trigger.value for trigger in Trigger}
    assert {misdeed.step for misdeed in MISDEEDS} <= set(BY_NUMBER)
    assert set(Technician._HANDS) <= {hand.value for hand in Hand}
    assert set(Dealer._AT_ALARM) <= {word.value for word in (*Hand, *Trigger)}
    assert {Dealer.role, Supervisor.role, RoomManager.role, Technician.role} <= {role.value for role in Role}


@pytest.mark.parametrize("asking", ["number", "pin"])
def test_nobody_types_a_pin_before_the_keypad_asks_for_it(asking: str) -> None:
    watcher = Watcher(supervisor(Evening(1)))
    typed = watcher.run(5.0)
    assert typed == [Key.CLEAR, 1, 1, Key.ENTER]
    watcher.keypad(asking)
    assert watcher.run(3.0) == ([*digits("846201"), Key.ENTER] if asking == "pin" else [])


def test_an_entry_is_typed_key_by_key_with_gaps() -> None:
    watcher = Watcher(supervisor(Evening(1)))
    counts = [len(watcher.run(0.1)) for _ in range(50)]
    assert max(counts) == 1


def test_a_step_is_typed_when_the_keypad_asks_for_it_and_then_the_keypad_is_free() -> None:
    evening = Evening(1)
    watcher = Watcher(supervisor(evening))
    watcher.run(5.0)
    watcher.keypad("pin")
    watcher.run(3.0)
    watcher.keypad("step")
    assert watcher.run(2.0) == [1, 0, Key.ENTER]
    assert evening.at_keypad is None


@pytest.mark.clause("SB-1")
@pytest.mark.parametrize("fittings", [Fittings(decks=1), BatchFittings(decks=1)], ids=["continuous", "batch"])
def test_the_dealer_lays_what_lies_open_to_be_read_again_at_either_kind_of_table(fittings: Fitted) -> None:
    ask = AskLine("dealer", "read_all_again", 0, "", 1, True, "")
    watcher = Watcher(Dealer(21, "846201", Random(7), Evening(1)), asks=(ask,))
    watcher.table = fittings.set_up(Random(1), Now(0.0, 0.0))
    lying = watcher.table.box[:5]
    watcher.table.move(lying, watcher.table.on_table)
    watcher.view = replace(watcher.view, session_state="ready")
    for _ in range(100):
        watcher.step()
    assert list(watcher.table.shoe_mechanism.shoe_tray) == lying


@pytest.mark.parametrize("message", ["the entry was dropped: a key was missed", "number or PIN is not right"])
def test_who_sees_that_the_entry_was_lost_starts_over(message: str) -> None:
    watcher = Watcher(supervisor(Evening(1)))
    watcher.run(5.0)
    watcher.keypad("pin")
    watcher.run(0.5)
    watcher.keypad("number", message)
    assert watcher.run(5.0) == [Key.CLEAR, 1, 1, Key.ENTER]


def test_who_waits_in_vain_for_the_keypad_starts_over_and_at_last_leaves_it_to_others() -> None:
    evening = Evening(1)
    watcher = Watcher(supervisor(evening))
    typed = watcher.run(34.0)
    assert typed.count(Key.ENTER) == 3
    assert evening.at_keypad is None


def test_whose_count_differs_again_and_again_gives_the_session_up_though_no_count_was_seen_under_way() -> None:
    evening = Evening(1)
    count = AskLine("supervisor", "count_machine", 32, "", 7, True, "")
    watcher = Watcher(supervisor(evening), asks=(count,))
    alarm = AlarmLine(7, "lid_opened", 0, "count_differs", "", "", "", "", "", "", "", (count,), ())
    watcher.view = replace(watcher.view, alarm=alarm)
    counted = 0
    while not evening.is_over:
        for asking, typed in (("number", 10.0), ("pin", 4.0), ("step", 2.0)):
            watcher.keypad(asking)
            keys = watcher.run(typed)
        counted += keys == [3, 2, Key.ENTER]
        assert counted < 6
    assert counted == 4
    watcher.keypad("number")
    assert watcher.run(30.0) == []


@pytest.mark.parametrize(("others", "typed"), [((), [3, 5, Key.ENTER]), (("release_lid",), [])])
def test_a_technician_is_called_at_once_only_where_an_alarm_leaves_nothing_else_to_do(
    others: tuple[str, ...], typed: list[int]
) -> None:
    asks = [AskLine("supervisor", "call_technician", 35, "", 7, False, "")]
    asks += [AskLine("supervisor", other, 30, "", 7, False, "") for other in others]
    watcher = Watcher(supervisor(Evening(1)), asks=tuple(asks))
    alarm = AlarmLine(7, "jam", 0, "raised", "", "", "", "", "", "", "", tuple(asks), ())
    watcher.view = replace(watcher.view, alarm=alarm)
    keys: list[int] = []
    for asking, moment in (("number", 10.0), ("pin", 4.0), ("step", 2.0)):
        watcher.keypad(asking)
        keys = watcher.run(moment)
    assert keys == typed


def test_only_one_person_stands_at_the_keypad() -> None:
    evening = Evening(1)
    manager = RoomManager(1, "975310", Random(3), evening)
    watcher = Watcher(supervisor(evening), manager, asks=(OPEN_TABLE, SIGN_DIFFERENCE))
    first = watcher.run(7.0)
    assert first in ([Key.CLEAR, 1, 1, Key.ENTER], [Key.CLEAR, 1, Key.ENTER])
    assert evening.at_keypad in watcher.people


def test_people_pause_before_they_act_and_as_long_as_their_pace_says() -> None:
    slow = Supervisor(11, "846201", Random(7), Evening(1), Pace(factor=10.0))
    watcher = Watcher(slow)
    assert watcher.run(8.0) == []
    assert watcher.run(40.0)[:1] == [Key.CLEAR]


def test_the_same_source_gives_the_same_pauses_whatever_the_pin() -> None:
    one, other = (Watcher(supervisor(Evening(1), pin=pin)) for pin in ("846201", "102648"))
    counts = [[len(watcher.run(0.1)) for _ in range(80)] for watcher in (one, other)]
    assert counts[0] == counts[1]


def test_hands_sort_a_mixed_set_into_full_decks_of_one_back() -> None:
    cards = make_set(6)
    Random(5).shuffle(cards)
    decks = sorted_decks(cards)
    assert [len(deck) for deck in decks] == [52] * 6
    assert all(len({card.back for card in deck}) == 1 and len({card.face for card in deck}) == 52 for deck in decks)


def test_a_missing_card_makes_one_short_deck_and_an_extra_one_a_deck_of_its_own() -> None:
    cards = make_set(4)
    assert Counter(map(len, sorted_decks(cards[1:]))) == {52: 3, 51: 1}
    assert Counter(map(len, sorted_decks([*cards, make_set(1)[0]]))) == {52: 4, 1: 1}


def test_scripted_pins_come_from_the_seed_and_are_fit_to_be_enrolled() -> None:
    pins = {scripted_pin(seed, number) for seed in range(20) for number in (1, 11, 21)}
    assert len(pins) == 60
    assert scripted_pin(3, 11) == scripted_pin(3, 11)
    assert not [pin for pin in pins if weakness(Pin(pin))]
