"""How a session ends from where it stands: the ninth invariant's copies, its judgement, and what may lie inside."""

from __future__ import annotations

import pytest

from firmware_bridge.core import changes as c
from firmware_bridge.core.state import State
from firmware_bridge.core.words import Place, Session
from sim_hardware.commands.simulate.invariants.books import BooksAreTrue
from sim_hardware.commands.simulate.shift import Settings, Shift
from sim_hardware.commands.simulate.watch import ViolationError, booked_inside
from sim_hardware.commands.simulate.way_out import judged
from sim_hardware.faults import Fault
from tests.simulate.test_invariants_bite import moved, play_to, run_on


def test_a_card_that_slipped_in_before_the_session_lies_there_until_a_load_is_counted() -> None:
    shift = Shift(Settings(seed=3, rounds=3, faults="none", ways_out=0))
    shift.world.physical.mechanism.lay_inside([shift.world.physical.box.pop()])
    while shift.watch.state.session is not Session.SHOWING:
        run_on(shift, 0.5)
    invariant = next(one for one in shift.watch.invariants if isinstance(one, BooksAreTrue))
    invariant._follow(moved(Session.SHOWING, Session.NOT_OPENED))
    invariant._follow(c.FullCount(1, 1))
    with pytest.raises(ViolationError, match="1 cards left in the machine"):
        invariant._follow(moved(Session.SHOWING, Session.NOT_OPENED))


def test_a_whole_set_that_was_loaded_right_and_did_not_open_is_named() -> None:
    shift = play_to(Session.SHOWING)
    table, backs = shift.world.physical, shift.world.config.table.backs
    state = State(positions={"session": Session.NOT_OPENED})
    assert judged(state, True, table, backs) == "it did not open, though the load was right"
    assert judged(state, False, table, backs) == ""
    table.box.pop()
    assert judged(state, True, table, backs) == ""


def test_a_whole_set_ends_with_a_difference_only_where_somebody_told_of_an_envelope_that_is_not_there() -> None:
    shift = play_to(Session.SHOWING)
    table, backs = shift.world.physical, shift.world.config.table.backs
    state = State(positions={"session": Session.CLOSED_WITH_DIFFERENCE})
    state.account.places[Place.OVER] = 1
    assert judged(state, True, table, backs).startswith("it closed with a difference, though every card")
    state.account.places[Place.SET_ASIDE] = 1
    assert judged(state, True, table, backs) == ""
    table.move([table.box[-1]], table.set_aside)
    assert judged(state, True, table, backs).startswith("it closed with a difference, though every card")


def test_a_table_that_nobody_can_end_is_found_on_a_copy_and_the_shift_itself_goes_on() -> None:
    shift = play_to(Session.SHOWING)
    shift.calm = lambda: setattr(shift.crowd, "people", ())  # type: ignore[method-assign]
    before = shift.world.ns
    assert "it stands at showing" in shift.way_out.try_in_a_copy()
    assert shift.world.ns == before
    assert shift.crowd.people


def test_careful_people_end_what_is_not_broken() -> None:
    shift = play_to(Session.AWAITING_PACK)
    assert shift.way_out.try_in_a_copy() == ""


def test_a_load_that_a_sensor_miscounted_need_not_open() -> None:
    shift = play_to(Session.AWAITING_PACK)
    table = shift.world.physical
    table.faults.arm(Fault.DOUBLE_IN)
    while table.inside() == booked_inside(shift.watch.state.account.places):
        run_on(shift, 0.1)
        assert shift.world.seconds < 3600
    assert shift.way_out.try_in_a_copy() == ""
