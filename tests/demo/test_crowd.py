"""The people of a shift: drawn from the seed, and careful ones bring a session to its end from wherever it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from drivers.protocol.messages import DealerKey, JamPlace, Key
from firmware_bridge.core import steps
from firmware_bridge.core.words import ENDS, Session
from firmware_bridge.view import table_view
from sim_hardware.cards import make_set
from sim_hardware.commands.crowd import AT_TWO_SETS, ROLES, draw_crowd
from sim_hardware.commands.misdeeds import Habit
from sim_hardware.commands.people import Evening
from sim_hardware.commands.stepped import TICK_NS, SteppedTable
from sim_hardware.commands.trying import DEAL_STEPS, OWN, SET_STEPS, SHOE_STEPS, STEPS, VALUES
from sim_hardware.faults import NOISE, PLANS
from sim_hardware.mechanics import QUICK
from sim_hardware.table import Fittings, PhysicalTable
from tests.table.evening import BACKS, PEOPLE, config, credentials

LONGEST = 1800.0
"""Seconds of table time in which careful people bring any session to its end."""
PINS = {number: PEOPLE[number][0] if number in PEOPLE else "927461" for number in ROLES}


class Shift:
    """A table and a crowd that may be changed for careful people at any moment."""

    def __init__(self, seed: int, faults: str = "none", rounds: int = 3, sessions: int = 1) -> None:
        fittings = Fittings(decks=4, backs=BACKS[:4], rates=QUICK, faults=PLANS[faults], noise=NOISE[faults])
        self.table = SteppedTable(config(4), credentials, seed, fittings)
        self.physical = self.table.physical
        self.evening = Evening(rounds=rounds, sessions=sessions, backs=BACKS[:4])
        self.crowd = draw_crowd(Random(f"crowd {seed}"), faults, rounds)
        self.crowd.sit_down(self.evening, PINS)
        self.ends: list[Session] = []

    @property
    def session(self) -> Session:
        return self.table.state.session

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Let people act for so long, or until the last session is over."""
        end = self.table.seconds + seconds
        while self.evening.sessions and self.table.seconds < end and not until():
            before = self.session
            self.table.step(10 * TICK_NS)
            if self.session in ENDS and before not in ENDS:
                self.ends.append(self.session)
            status = self.table.assembly.controller.status()
            view = table_view(self.table.state, self.table.config.book, status, ())
            self.crowd.step(self.table.seconds, view, self.physical)

    def end_with_care(self) -> Session:
        """Nothing goes wrong any more, and whoever sits here is careful from now on."""
        self.physical.calm()
        self.crowd = self.crowd.careful(self.evening)
        self.run(LONGEST)
        assert self.evening.sessions == 0, self.session
        return self.session

    def set_is_whole(self) -> bool:
        """Whether every card of the set is at the table, those named damaged apart, and no other."""
        named = {id(card) for card in self.evening.named}
        there = Counter((card.face, card.back) for card in self.physical.all_cards() if id(card) not in named)
        return there == Counter((card.face, card.back) for card in make_set(4, BACKS[:4]))


def test_the_same_seed_draws_the_same_people() -> None:
    one, other = (draw_crowd(Random(8), "storm").members for _ in range(2))
    assert one == other
    assert draw_crowd(Random(9), "storm").members != one


def test_who_sits_at_a_quiet_table_is_careful() -> None:
    assert {habit for one in draw_crowd(Random(2), "none").members for habit in one.habits} == set()


def test_whoever_tries_anything_knows_every_step_of_the_keypad_and_what_is_typed_with_it() -> None:
    assert {step.number for step in steps.STEPS.values()} == {*STEPS, *SET_STEPS, *SHOE_STEPS, *DEAL_STEPS}
    of_two_sets = {step.number for step in steps.STEPS.values() if step.typed == "set"}  # which no simulated shift has
    assert {step.number for step in steps.STEPS.values() if step.typed} == VALUES.keys() | of_two_sets
    assert set(ROLES.values()) == OWN.keys()


def test_in_a_storm_every_habit_of_the_table_may_be_met() -> None:
    crowds = (draw_crowd(Random(seed), "storm").slipping(Random(seed)) for seed in range(300))
    met = {habit for crowd in crowds for one in crowd.members for habit in one.habits}
    elsewhere = {Habit.ABSENT_AT_ALARM, *AT_TWO_SETS.values()}  # they go away at any duty instead; one set is here
    assert met == set(Habit) - elsewhere


def test_people_relieve_one_another_once_and_all_sessions_are_verified() -> None:
    shift = Shift(3, rounds=3, sessions=2)
    shift.run(2 * LONGEST)
    assert shift.ends == [Session.VERIFIED, Session.VERIFIED]
    assert shift.evening.on_duty == {
        "dealer": 102,
        "supervisor": 202,
        "room_manager": 301,
        "technician": 401,
        "table_inspector": 501,
    }


def half_typed(shift: Shift) -> None:
    for key in (2, 0, 1, Key.ENTER, 9, 9):
        shift.physical.press_key(key)
        shift.table.run(0.1)


def jammed_and_open(shift: Shift) -> None:
    shift.physical.jam(JamPlace.EXIT)
    shift.physical.open_lid(force=True)


def card_in_hand(shift: Shift) -> None:
    shift.physical.open_lid(force=True)
    shift.table.run(0.5)
    shift.physical.move(shift.physical.take_from_machine(1), shift.physical.set_aside)


def cards_on_the_floor(shift: Shift) -> None:
    shift.physical._well += shift.physical.on_table[:2]
    del shift.physical.on_table[:2]


def cards_in_the_tray(shift: Shift) -> None:
    shift.physical.put_in_intake_tray(shift.physical.on_table[:2])


def everything_in_the_dark(shift: Shift) -> None:
    for device in shift.physical.devices:
        shift.physical.pull_cable(device)


def keys_stuck(shift: Shift) -> None:
    shift.physical._keypad.keys.stick(2)
    shift.physical._shoe.keys.stick(DealerKey.YES)


def claim_open(shift: Shift) -> None:
    shift.physical.press_dealer_key(DealerKey.CLAIM)


def pressed_by_mistake(shift: Shift) -> None:
    shift.physical.press_dealer_key(DealerKey.DAMAGED_CARD)


@pytest.mark.parametrize(
    ("where", "odd"),
    [
        (Session.LOADING_PACK, half_typed),
        (Session.LOADING_PACK, everything_in_the_dark),
        (Session.IN_ROUND, half_typed),
        (Session.IN_ROUND, jammed_and_open),
        (Session.IN_ROUND, card_in_hand),
        (Session.IN_ROUND, cards_on_the_floor),
        (Session.IN_ROUND, cards_in_the_tray),
        (Session.IN_ROUND, keys_stuck),
        (Session.IN_ROUND, pressed_by_mistake),
        (Session.RETURNING, claim_open),
        (Session.UNLOADING, card_in_hand),
        (Session.AWAITING_DECK, half_typed),
        (Session.AWAITING_DECK, everything_in_the_dark),
        (Session.READING_DECK, jammed_and_open),
    ],
)
def test_careful_people_end_the_session_from_an_odd_moment(where: Session, odd: Callable[[Shift], None]) -> None:
    shift = Shift(4)
    shift.run(LONGEST, until=lambda: shift.session is where)
    odd(shift)
    shift.table.run(1.0)
    assert shift.end_with_care() in (Session.VERIFIED, Session.NOT_OPENED)
    assert shift.set_is_whole()


@pytest.mark.parametrize("seed", range(4))
def test_careful_people_end_a_session_from_any_moment_of_a_storm(seed: int) -> None:
    shift = Shift(seed, "storm")
    shift.run(Random(seed).uniform(10, 300))
    if shift.end_with_care() is Session.CLOSED_WITH_DIFFERENCE:
        assert not shift.set_is_whole()


def test_a_deck_with_a_replaced_card_gives_way_to_a_sealed_one_and_a_barred_set_to_a_new_one() -> None:
    shift = Shift(5, rounds=1, sessions=3)
    spoiled = shift.physical.box[7]
    spoiled.damaged = True
    shift.run(LONGEST, until=lambda: shift.session is Session.READY)
    lose_one(shift.physical)
    shift.run(3 * LONGEST)
    assert Session.CLOSED_WITH_DIFFERENCE in shift.ends
    assert shift.ends[-1] is Session.VERIFIED
    assert shift.set_is_whole()


def lose_one(table: PhysicalTable) -> None:
    compartment = next(each for each in table.mechanism.compartments if each)
    table.gone.append(compartment.popleft())
