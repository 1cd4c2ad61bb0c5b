"""Jams: what the machine does of itself, what hands can do about it, and what it tells."""

from __future__ import annotations

from dataclasses import replace

import pytest

from drivers.protocol import messages as m
from sim_hardware.cards import Card
from sim_hardware.faults import Fault
from sim_hardware.jams import CLEARS_AFTER
from sim_hardware.table import CannotDoError
from tests.sim.host import DEAL, FAST, UNLOAD, Rig, pulls

INTAKE, CAROUSEL, EXIT = m.JamPlace.INTAKE, m.JamPlace.CAROUSEL, m.JamPlace.EXIT
IN_DEALING = [CAROUSEL, EXIT]


def jams(rig: Rig) -> list[tuple[m.JamPlace, bool]]:
    return [(body.place, body.jammed) for body in rig.bodies("shuffler", m.JamChanged)]


def inside(rig: Rig) -> int:
    mechanism = rig.table.mechanism
    return len(mechanism.buffer) + sum(map(len, mechanism.compartments))


def jammed(place: m.JamPlace) -> Rig:
    """Return a table at which a card has stuck in the middle of dealing, or of the way back."""
    rig = Rig()
    rig.ready()
    rig.table.jam(place)
    for _ in range(12):
        rig.table.pull_card()
        rig.run(0.1)
    if place is INTAKE:
        rig.level("shuffler", m.Level.INTAKE, 1)
        rig.table.put_in_intake_tray(list(rig.table.on_table))
        rig.run(1)
    return rig


def unlocked(rig: Rig) -> Rig:
    rig.level("shuffler", m.Level.LID, 1)
    assert rig.table.open_lid()
    return rig


def cleared(rig: Rig) -> Card:
    card = unlocked(rig).table.take_stuck_card()
    rig.run(0.1)
    return card


def order(rig: Rig, number: int, operation: m.Operation) -> None:
    rig.say("shuffler", m.Command(rig.links["shuffler"], number, operation, 0))


def test_every_place_of_a_jam_is_tried_here() -> None:
    assert {INTAKE, *IN_DEALING} == set(m.JamPlace)


# ---- what the machine does


@pytest.mark.parametrize("place", m.JamPlace)
def test_a_jam_is_told_once_and_lights_the_machines_own_lamp_whatever_the_level_says(place: m.JamPlace) -> None:
    rig = jammed(place)
    assert rig.table.mechanism.jam_place is place
    assert jams(rig) == [(place, True)]
    rig.level("shuffler", m.Level.LAMP, m.Lamp.OFF)
    lamps = [rig.table.machine_lamp_shown]
    cleared(rig)
    assert jams(rig) == [(place, True), (place, False)]
    assert [*lamps, rig.table.machine_lamp_shown] == [m.Lamp.FLASHING, m.Lamp.OFF]


@pytest.mark.parametrize("place", m.JamPlace)
def test_a_jammed_machine_moves_nothing(place: m.JamPlace) -> None:
    rig = jammed(place)
    rig.level("shuffler", m.Level.INTAKE, 1)
    rig.table.put_in_intake_tray(list(rig.table.on_table))
    rig.table.pull_card()  # What lay at the mouth is the shoe's.
    tray, within = len(rig.table.mechanism.intake_tray), inside(rig)
    rig.run(5)
    assert rig.table.pull_card() is None
    assert (len(rig.table.mechanism.intake_tray), inside(rig)) == (tray, within)
    assert rig.table.mechanism.stuck is not None


def test_a_card_stuck_at_the_intake_is_not_counted_in() -> None:
    rig = jammed(INTAKE)
    came_in = len(rig.bodies("shuffler", m.CardIn)) - len(rig.bodies("shuffler", m.CardFed))
    assert came_in == inside(rig)


@pytest.mark.parametrize("place", IN_DEALING)
def test_a_card_stuck_in_the_carousel_or_at_the_exit_is_not_counted_as_fed(place: m.JamPlace) -> None:
    rig = jammed(place)
    came_in = len(rig.bodies("shuffler", m.CardIn)) - len(rig.bodies("shuffler", m.CardFed))
    assert came_in == inside(rig) + 1


@pytest.mark.parametrize("place", m.JamPlace)
def test_the_release_runs_on_and_the_machine_goes_on_by_itself_when_the_path_is_clear(place: m.JamPlace) -> None:
    rig = jammed(place)
    assert not rig.heartbeat("shuffler").held
    card = cleared(rig)
    if place is INTAKE:
        rig.table.put_in_intake_tray([card])
    else:
        rig.table.put_inside([card])
    rig.table.close_lid()
    rig.level("shuffler", m.Level.INTAKE, 1)
    rig.run(1)
    rig.table.put_in_intake_tray(list(rig.table.on_table))
    rig.run(2)
    assert pulls(rig, 60) == 52


@pytest.mark.parametrize("place", m.JamPlace)
def test_a_jam_outlasts_a_power_cycle_and_is_told_again_only_by_a_fresh_memory(place: m.JamPlace) -> None:
    rig = jammed(place)
    rig.table.reboot("shuffler")
    rig.open("shuffler")
    rig.run(1)
    assert jams(rig) == [(place, True)]
    assert rig.table.machine_lamp_shown is m.Lamp.FLASHING
    rig.table.reboot("shuffler", memory_lost=True)
    rig.open("shuffler")
    assert jams(rig) == [(place, True), (place, True)]


def test_a_jam_that_clears_itself_puts_its_card_back_where_it_came_from() -> None:
    rig = Rig()
    rig.ready()
    rig.table.faults.arm(Fault.JAM_CLEARS_ITSELF)
    rig.table.jam(EXIT)
    rig.table.pull_card()
    rig.run(CLEARS_AFTER - 1)
    assert jams(rig) == [(EXIT, True)]
    rig.run(2)
    assert jams(rig) == [(EXIT, True), (EXIT, False)]
    assert 1 + pulls(rig, 60) == 52


@pytest.mark.field("BR-050")
def test_a_jam_in_the_middle_of_unloading_says_nothing_of_empty_and_every_card_still_comes_out() -> None:
    rig = Rig()
    rig.ready(UNLOAD)
    rig.table.faults.arm(Fault.JAM_CLEARS_ITSELF)
    assert pulls(rig, 36) == 36
    rig.table.jam(EXIT)
    came = 36 + pulls(rig, 5)
    assert m.FeedEmpty() not in [event.body for event in rig.events("shuffler")]
    came += pulls(rig, 60)
    assert came == 52
    assert [event.body for event in rig.events("shuffler")].count(m.FeedEmpty()) == 1


def test_the_last_card_stuck_is_no_empty_machine() -> None:
    rig = Rig()
    rig.ready(UNLOAD)
    assert pulls(rig, 50) == 50
    rig.table.jam(EXIT)
    assert pulls(rig, 10) == 1
    assert m.FeedEmpty() not in [event.body for event in rig.events("shuffler")]
    card = cleared(rig)
    assert card in rig.table.on_table
    assert [event.body for event in rig.events("shuffler")].count(m.FeedEmpty()) == 1


# ---- hands inside


def test_hands_reach_inside_only_under_an_open_lid() -> None:
    rig = jammed(EXIT)
    for deed in (rig.table.take_stuck_card, rig.table.take_from_machine, lambda: rig.table.put_inside([])):
        with pytest.raises(CannotDoError, match="the lid is closed"):
            deed()


def test_one_sees_under_the_lid_where_a_card_sticks() -> None:
    rig = unlocked(jammed(CAROUSEL))
    seen = rig.table.look_inside()
    assert (seen.stuck, seen.cards) == (CAROUSEL, inside(rig) + 1)
    rig.table.take_stuck_card()
    assert rig.table.look_inside().stuck is None


def test_cards_laid_inside_by_hand_pass_no_sensor() -> None:
    rig = Rig()
    rig.ready()
    for _ in range(6):
        rig.table.pull_card()
        rig.run(0.1)
    unlocked(rig)
    came_in, within = len(rig.bodies("shuffler", m.CardIn)), inside(rig)
    rig.table.put_inside(list(rig.table.on_table))
    rig.run(1)
    assert inside(rig) == within + 6
    assert len(rig.bodies("shuffler", m.CardIn)) == came_in


def test_the_machine_is_emptied_by_hand() -> None:
    rig = unlocked(jammed(EXIT))
    with pytest.raises(CannotDoError, match="are only"):
        rig.table.take_from_machine(60)
    assert len(rig.table.take_from_machine(3)) == 3
    rig.table.take_stuck_card()
    rig.table.take_from_machine()
    assert rig.table.look_inside().cards == 0
    assert rig.table.mechanism.machine_empty


def test_nothing_is_laid_inside_while_a_card_sticks_nor_taken_where_none_does() -> None:
    rig = unlocked(jammed(EXIT))
    with pytest.raises(CannotDoError, match="a card sticks"):
        rig.table.put_inside(list(rig.table.on_table))
    rig.table.take_stuck_card()
    with pytest.raises(CannotDoError, match="no card sticks"):
        rig.table.take_stuck_card()
    with pytest.raises(CannotDoError, match="no card sticks"):
        rig.table.clear_by_itself()


def test_a_jam_may_damage_its_card() -> None:
    rig = Rig()
    rig.ready()
    rig.table.jam(EXIT, damages=True)
    rig.table.pull_card()
    rig.run(0.1)
    assert cleared(rig).damaged
    assert sum(card.damaged for card in rig.table.all_cards()) == 1


def test_a_jam_that_returns_strikes_again_at_the_same_place() -> None:
    rig = jammed(EXIT)
    rig.table.faults.arm(Fault.JAM_RETURNS)
    cleared(rig)
    rig.table.close_lid()
    rig.run(1)
    assert jams(rig) == [(EXIT, True), (EXIT, False), (EXIT, True)]
    assert (rig.table.faults.struck[Fault.JAM_EXIT], rig.table.faults.struck[Fault.JAM_RETURNS]) == (2, 1)


# ---- count and shuffle


def test_a_shuffle_moves_every_card_of_carousel_and_buffer_and_none_out() -> None:
    rig = Rig()
    rig.ready()
    mechanism = rig.table.mechanism
    before = [list(map(id, each)) for each in mechanism.compartments]
    order(rig, 7, m.Operation.SHUFFLE)
    assert rig.heartbeat("shuffler").busy
    assert not rig.bodies("shuffler", m.CommandResult)
    rig.run(2)
    assert rig.bodies("shuffler", m.CommandResult) == [m.CommandResult(7, done=True)]
    assert not mechanism.shuffling
    assert sum(map(len, mechanism.compartments)) + len(mechanism.buffer) == 51
    assert [list(map(id, each)) for each in mechanism.compartments] != before
    assert pulls(rig, 60) == 52


def test_a_shuffle_empties_the_buffer_into_the_compartments() -> None:
    rig = Rig()
    rig.ready()
    rig.hold("shuffler")
    assert rig.table.mechanism.buffer
    order(rig, 7, m.Operation.SHUFFLE)
    rig.run(2)
    assert not rig.table.mechanism.buffer


@pytest.mark.parametrize("operation", m.Operation)
@pytest.mark.parametrize("place", m.JamPlace)
def test_a_jammed_machine_carries_out_no_command(operation: m.Operation, place: m.JamPlace) -> None:
    rig = jammed(place)
    order(rig, 7, operation)
    assert rig.last("shuffler", m.Event).body == m.CommandResult(7, done=False)
    assert not rig.heartbeat("shuffler").busy


@pytest.mark.parametrize("operation", m.Operation)
def test_a_jam_ends_the_command_under_way_not_done_and_it_does_not_go_on_when_cleared(operation: m.Operation) -> None:
    rig = Rig()
    rig.ready()
    order(rig, 7, operation)
    rig.run(0.1)
    rig.table.jam(CAROUSEL)
    rig.run(1)
    told = [event.body for event in rig.events("shuffler")[-2:]]
    assert told == [m.JamChanged(CAROUSEL, jammed=True), m.CommandResult(7, done=False)]
    cleared(rig)
    rig.table.close_lid()
    rig.run(3)
    assert not rig.heartbeat("shuffler").busy
    assert not rig.bodies("shuffler", m.Inventory)
    assert len(rig.bodies("shuffler", m.CommandResult)) == 1


def test_a_shuffle_with_the_lid_open_is_not_done_and_nothing_moves() -> None:
    rig = Rig()
    rig.ready()
    rig.table.open_lid(force=True)
    before = [list(each) for each in rig.table.mechanism.compartments]
    order(rig, 7, m.Operation.SHUFFLE)
    rig.run(2)
    assert rig.bodies("shuffler", m.CommandResult) == [m.CommandResult(7, done=False)]
    assert [list(each) for each in rig.table.mechanism.compartments] == before


@pytest.mark.parametrize("operation", m.Operation)
def test_a_command_begins_anew_when_the_lid_was_open_for_hands_may_have_been_inside(operation: m.Operation) -> None:
    rig = Rig()
    rig.ready(DEAL)
    order(rig, 7, operation)
    rig.run(0.2)
    rig.table.open_lid(force=True)
    rig.table.take_from_machine(20)
    rig.run(3)
    rig.table.close_lid()
    rig.run(2)
    if operation is m.Operation.INVENTORY:
        (inventory,) = rig.bodies("shuffler", m.Inventory)
        assert inventory.buffer + sum(inventory.compartments) == 31
    else:
        assert rig.bodies("shuffler", m.CommandResult) == [m.CommandResult(7, done=True)]


@pytest.mark.rule(18)
def test_a_boot_forgets_a_shuffle_under_way_and_tells_no_result() -> None:
    rig = Rig()
    rig.ready()
    order(rig, 7, m.Operation.SHUFFLE)
    rig.run(0.1)
    rig.table.reboot("shuffler")
    rig.open("shuffler")
    rig.run(3)
    assert not rig.table.mechanism.shuffling
    assert not rig.bodies("shuffler", m.CommandResult)


def test_a_machine_too_full_to_turn_its_buffer_in_says_that_the_shuffle_is_not_done() -> None:
    rig = Rig(replace(FAST, compartments=4))
    rig.open("shuffler")
    rig.begin_events("shuffler")
    rig.acking.add("shuffler")
    rig.ack("shuffler")
    rig.level("shuffler", m.Level.INTAKE, 1)
    rig.table.put_in_intake_tray(rig.table.box[:40])
    rig.run(1)
    rig.release("shuffler", DEAL)
    rig.table.put_in_intake_tray(rig.table.box[:12])
    rig.run(1)
    assert [*map(len, rig.table.mechanism.compartments), len(rig.table.mechanism.buffer)] == [10, 10, 10, 10, 10]
    order(rig, 7, m.Operation.SHUFFLE)
    rig.run(2)
    assert rig.bodies("shuffler", m.CommandResult) == [m.CommandResult(7, done=False)]
    assert inside(rig) == 50
