"""What goes wrong by plan or by hand: keys, lid, power, a card lost, a card damaged; and when it strikes."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from random import Random

import pytest

from drivers.protocol import messages as m
from sim_hardware.faults import JAM_AT, PLANS, Fault, Faults, Planned
from sim_hardware.keys import Keys
from sim_hardware.table import CarouselTable, Fittings, Now
from tests.sim.host import FAST, Rig, pulls

YES = m.DealerKey.YES


def at_keys() -> Rig:
    rig = Rig()
    rig.open("shoe", "keypad")
    rig.begin_events("shoe")
    return rig


def presses(rig: Rig) -> int:
    rig.run(0.5)
    return len(rig.bodies("shoe", m.DealerKeyPressed))


def strokes(rig: Rig) -> list[int]:
    rig.run(0.5)
    return [stroke.key for stroke in rig.all("keypad", m.Stroke)]


# ---- when a fault strikes


def test_without_a_plan_nothing_goes_wrong() -> None:
    rig = Rig()
    rig.ready()
    assert pulls(rig, 60) == 52
    rig.table.put_in_intake_tray(list(rig.table.on_table))
    assert not rig.table.faults.struck


def test_a_planned_fault_strikes_once_a_session_where_its_seed_says() -> None:
    def strikes_at(seed: int) -> list[int]:
        faults = Faults((Planned((Fault.JAM_EXIT,), 5, 40),), Random(seed))
        found = []
        for _ in range(2):
            found += [number for number in range(1, 100) if faults.strikes(Fault.JAM_EXIT)]
            faults.begin_session()
        assert faults.struck == {Fault.JAM_EXIT: 2}
        return found

    assert strikes_at(1) == strikes_at(1) != strikes_at(2)
    assert all(5 <= at <= 40 for at in strikes_at(3))


def test_of_a_planned_choice_exactly_one_strikes() -> None:
    kinds = set()
    for seed in range(20):
        faults = Faults((Planned((Fault.JAM_EXIT, Fault.JAM_INTAKE), 1, 3),), Random(seed))
        struck = [fault for _ in range(5) for fault in Fault if faults.strikes(fault)]
        assert len(struck) == 1
        kinds |= set(struck)
    assert kinds == {Fault.JAM_EXIT, Fault.JAM_INTAKE}


def test_a_fault_armed_by_hand_strikes_at_the_next_opportunity_and_then_no_more() -> None:
    faults = Faults()
    faults.arm(Fault.CARD_LOST)
    assert [faults.strikes(Fault.CARD_LOST) for _ in range(3)] == [True, False, False]


def test_the_usual_plan_is_one_jam_and_one_damaged_card_a_session() -> None:
    rig = Rig(replace(FAST, faults=PLANS["typical"]))
    rig.ready()
    cards = 0
    while cards < 52:
        cards += pulls(rig, 1)
        if rig.table.mechanism.jam is not None:
            rig.table.clear_by_itself()
    assert {fault for fault in JAM_AT.values() if rig.table.faults.struck[fault] == 1} == {Fault.JAM_EXIT}
    assert rig.table.faults.struck[Fault.DAMAGED_CARD] == 1
    assert rig.table.faults.struck.total() == 2
    assert sum(card.damaged for card in rig.table.all_cards()) == 1


def test_the_next_session_begins_when_the_whole_set_is_in_its_boxes() -> None:
    fittings = Fittings(decks=1, faults=(Planned((Fault.CARD_LOST,), 1, 1),))
    table = CarouselTable(Random(1), Now(0.0, 0.0), fittings)
    for session in range(1, 4):
        table.move(table.box[:10], table.discard)
        table.put_in_intake_tray(list(table.discard))
        assert table.faults.struck[Fault.CARD_LOST] == session
        table.take_from_intake_tray()
        table.find_lost()
        table.move(list(table.on_table), table.box)


def test_what_may_go_wrong_changes_nothing_of_how_the_cards_fall() -> None:
    def deal(fittings: Fittings) -> list[int]:
        rig = Rig(fittings)
        rig.ready()
        pulls(rig, 60)
        return [card.face for card in rig.table.on_table]

    assert deal(FAST) == deal(replace(FAST, faults=(Planned((Fault.DAMAGED_CARD,), 5, 40),)))


# ---- keys


@pytest.mark.field("BR-044")
def test_edges_of_one_key_within_50_ms_are_one_press_and_two_presses_80_ms_apart_are_two() -> None:
    rig = at_keys()
    for _ in range(5):
        rig.table.press_dealer_key(YES)
        rig.run(0.005)
    assert presses(rig) == 1
    rig.table.press_dealer_key(YES, bounces=4)
    rig.run(0.08)
    rig.table.press_dealer_key(YES, bounces=4)
    assert presses(rig) == 3


@pytest.mark.field("BR-044")
def test_the_keypad_is_debounced_key_by_key() -> None:
    rig = at_keys()
    for key in (1, 2, 1, m.Key.ENTER):
        rig.table.press_key(key, bounces=3)
        rig.run(0.03)
    assert strokes(rig) == [1, 2, 1, m.Key.ENTER]


@pytest.mark.field("BR-044")
def test_over_any_rhythm_a_key_gives_a_press_for_each_edge_that_50_ms_went_before() -> None:
    rng = Random(4)
    gaps = [rng.choice((1, 20, 49, 50, 51, 80, 500)) for _ in range(2000)]
    keys = Keys()
    taken = [keys.edge(3, at / 1000) for at in accumulate(gaps)]
    assert taken == [True, *(gap >= 50 for gap in gaps[1:])]


@pytest.mark.field("BR-043")
def test_a_key_that_sticks_is_one_press_without_repeat_until_it_comes_up() -> None:
    rig = at_keys()
    rig.table.faults.arm(Fault.KEY_STICKS)
    rig.table.press_key(7)
    rig.run(3)
    rig.table.press_key(7)
    rig.table.press_key(8)
    assert strokes(rig) == [7, 8]
    rig.table.plugged_in("keypad")
    rig.table.reboot("keypad")
    rig.open("keypad")
    rig.run(1)
    assert strokes(rig) == [7, 8]
    rig.table.free_keys()
    rig.table.press_key(7)
    assert strokes(rig) == [7, 8, 7]


@pytest.mark.field("BR-044")
def test_a_clumsy_finger_presses_twice_and_a_worn_contact_once() -> None:
    rig = at_keys()
    for fault in (Fault.DEALER_KEY_TWICE, Fault.KEYPAD_KEY_TWICE):
        rig.table.faults.arm(fault)
    rig.table.press_dealer_key(YES)
    rig.table.press_key(4)
    assert presses(rig) == 2
    assert strokes(rig) == [4, 4]
    for fault in (Fault.DEALER_KEY_BOUNCES, Fault.KEYPAD_KEY_BOUNCES):
        rig.table.faults.arm(fault)
    rig.table.press_dealer_key(YES)
    rig.table.press_key(4)
    assert presses(rig) == 3
    assert strokes(rig) == [4, 4, 4]
    assert len(rig.table.faults.struck) == 4


@pytest.mark.field("BR-044")
def test_the_second_press_has_the_prompt_in_force_when_it_comes() -> None:
    rig = at_keys()
    rig.level("shoe", m.Level.PROMPT, 1)
    rig.table.faults.arm(Fault.DEALER_KEY_TWICE)
    rig.table.press_dealer_key(YES)
    rig.run(0.04)
    rig.level("shoe", m.Level.PROMPT, 2)
    rig.run(0.1)
    assert [body.prompt for body in rig.bodies("shoe", m.DealerKeyPressed)] == [1, 2]


def test_typed_keys_come_one_after_another_and_equal_ones_are_no_bounce() -> None:
    rig = at_keys()
    rig.table.type_keys([1, 1, 1])
    rig.run(0.15)
    rig.table.type_keys([1, m.Key.ENTER])
    assert len(strokes(rig)) == 5
    assert strokes(rig)[-1] == m.Key.ENTER


def test_keys_still_to_be_pressed_are_shown_to_nobody() -> None:
    rig = at_keys()
    rig.table.type_keys([7])
    assert "7" not in repr(rig.table._presses[0]).partition("device")[2]


# ---- lid, power, cards


def test_a_lid_opened_and_shut_between_two_looks_is_told_twice() -> None:
    rig = Rig()
    rig.ready()
    rig.table.blink_lid()
    rig.run()
    assert [body.open for body in rig.bodies("shuffler", m.LidMoved)] == [True, False]


def test_a_lid_that_blinks_and_a_power_cycle_strike_at_a_pull() -> None:
    rig = Rig()
    rig.ready()
    boot = rig.last("shuffler", m.Hello).boot
    memory = rig.last("shuffler", m.Hello).memory
    rig.table.faults.arm(Fault.LID_BLINK)
    rig.table.pull_card()
    rig.run(0.1)
    assert [body.open for body in rig.bodies("shuffler", m.LidMoved)] == [True, False]
    rig.table.faults.arm(Fault.POWER_CYCLE)
    rig.table.pull_card()
    hello = rig.open("shuffler")
    assert (hello.boot == boot, hello.memory == memory) == (False, True)


def test_a_card_of_the_discard_is_lost_on_the_way_back_and_found_by_searching() -> None:
    rig = Rig()
    rig.ready()
    pulls(rig, 10)
    rig.table.faults.arm(Fault.CARD_LOST)
    rig.table.put_in_intake_tray(rig.table.on_table[:4])  # Not of the discard: nothing can be lost from it.
    assert not rig.table.find_lost()
    rig.table.move(list(rig.table.on_table), rig.table.discard)
    rig.table.put_in_intake_tray(list(rig.table.discard))
    assert len(rig.table.mechanism.intake_tray) == 9
    assert not [*rig.table.discard, *rig.table.on_table]
    assert len(rig.table.find_lost()) == len(rig.table.on_table) == 1
    assert len(list(rig.table.all_cards())) == 52


def test_a_damaged_card_comes_to_the_mouth_and_is_seen_when_it_is_drawn() -> None:
    rig = Rig()
    rig.ready()
    rig.table.faults.arm(Fault.DAMAGED_CARD)
    cards = []
    for _ in range(4):
        cards.append(rig.table.pull_card())
        rig.run(0.1)
    assert [card is not None and card.damaged for card in cards] == [False, True, False, False]


# ---- two cards as one


def inventory(rig: Rig) -> int:
    """What the machine counts in itself, place by place."""
    rig.say("shuffler", m.Command(rig.links["shuffler"], 7, m.Operation.INVENTORY, 0))
    rig.run(1)
    (counted,) = rig.bodies("shuffler", m.Inventory)
    return counted.buffer + sum(counted.compartments)


def test_two_cards_taken_in_as_one_are_told_as_one_and_a_full_count_finds_the_other() -> None:
    rig = Rig()
    rig.ready()
    pulls(rig, 6)
    rig.hold("shoe")
    rig.hold("shuffler")
    before = len(rig.bodies("shuffler", m.CardIn))
    rig.table.faults.arm(Fault.DOUBLE_IN)
    rig.level("shuffler", m.Level.INTAKE, 1)
    rig.table.put_in_intake_tray(list(rig.table.on_table))
    rig.run(1)
    assert len(rig.bodies("shuffler", m.CardIn)) - before == 5
    assert inventory(rig) + len(rig.table.mechanism.mouth) == 52


def test_two_cards_fed_as_one_are_told_as_one_and_the_reader_sees_both() -> None:
    rig = Rig()
    rig.ready()
    rig.table.faults.arm(Fault.DOUBLE_FEED)
    assert pulls(rig, 5) == 5
    rig.run(0.5)
    told = len(rig.bodies("shuffler", m.CardFed)) - len(rig.table.mechanism.mouth)
    assert len(rig.bodies("shoe", m.CardDrawn)) == 5
    assert told == 4


def test_of_two_cards_drawn_as_one_the_reader_sees_one_and_both_lie_on_the_table() -> None:
    rig = Rig()
    rig.ready()
    rig.table.faults.arm(Fault.DOUBLE_FEED)
    rig.table.faults.arm(Fault.DOUBLE_DRAW)
    assert pulls(rig, 5) == 5
    assert len(rig.table.on_table) == 6
    assert len(rig.bodies("shoe", m.CardDrawn)) == 5
    assert len(list(rig.table.all_cards())) == 52
