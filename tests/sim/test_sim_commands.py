"""Commands: the inventory, and that each is carried out at most once."""

from __future__ import annotations

import pytest

from drivers.protocol import messages as m
from sim_hardware.faults import Fault
from sim_hardware.mechanics import STANDS_FOR
from tests.sim.host import DEAL, Rig


def order(rig: Rig, number: int, device: str = "shuffler") -> None:
    rig.say(device, m.Command(rig.links[device], number, m.Operation.INVENTORY, 0))


@pytest.mark.rule(16)
def test_an_inventory_counts_every_place_and_names_its_command() -> None:
    rig = Rig()
    rig.ready()
    order(rig, 7)
    assert rig.heartbeat("shuffler").busy
    rig.run(1)
    (inventory,) = rig.bodies("shuffler", m.Inventory)
    assert inventory.id == 7
    assert inventory.compartments == tuple(map(len, rig.table.mechanism.compartments))
    # The machine's own, and not the card at the shoe's mouth.
    assert inventory.buffer + sum(inventory.compartments) == 51
    assert not rig.last("shuffler", m.Heartbeat).busy


def test_an_inventory_is_taken_by_a_sensor_and_no_running_counter() -> None:
    rig = Rig()
    rig.ready()
    place = next(each for each in rig.table.mechanism.compartments if each)
    rig.table.set_aside.append(place.pop())  # Past every sensor.
    order(rig, 7)
    rig.run(1)
    (inventory,) = rig.bodies("shuffler", m.Inventory)
    assert inventory.buffer + sum(inventory.compartments) == 50


def test_a_machine_that_stands_still_as_it_counts_is_busy_until_it_goes_on_and_counts_all() -> None:
    rig = Rig()
    rig.ready()
    rig.table.faults.arm(Fault.STANDS_STILL)
    order(rig, 7)
    rig.run(STANDS_FOR - 1)
    assert not rig.bodies("shuffler", m.Inventory)
    assert rig.heartbeat("shuffler").busy
    rig.run(2)
    (inventory,) = rig.bodies("shuffler", m.Inventory)
    assert inventory.buffer + sum(inventory.compartments) == 51
    assert rig.table.faults.struck == {Fault.STANDS_STILL: 1}


def test_an_inventory_stops_the_intake_and_waits_while_the_lid_is_open() -> None:
    rig = Rig()
    rig.ready()
    rig.hold("shuffler")
    rig.level("shuffler", m.Level.INTAKE, 1)
    rig.table.pull_card()
    order(rig, 7)
    rig.table.put_in_intake_tray(list(rig.table.on_table))
    rig.run(0.1)
    assert len(rig.table.mechanism.intake_tray) == 1
    assert rig.table.open_lid(force=True)
    rig.run(5)
    assert not rig.bodies("shuffler", m.Inventory)
    rig.table.close_lid()
    rig.run(1)
    assert len(rig.bodies("shuffler", m.Inventory)) == 1
    assert not rig.table.mechanism.intake_tray


@pytest.mark.rule(15)
def test_a_command_of_an_equal_or_lower_id_does_nothing_at_all() -> None:
    rig = Rig()
    rig.ready()
    order(rig, 7)
    rig.run(1)
    heard = len(rig.events("shuffler"))
    order(rig, 7)
    order(rig, 6)
    rig.run(2)
    assert len(rig.events("shuffler")) == heard
    assert rig.last("shuffler", m.Heartbeat).highest_command == 7


@pytest.mark.rule(15)
def test_a_command_that_comes_while_one_is_carried_out_is_not_accepted_and_may_come_again() -> None:
    rig = Rig()
    rig.ready()
    order(rig, 7)
    order(rig, 8)
    assert rig.heartbeat("shuffler").highest_command == 7
    rig.run(1)
    order(rig, 8)
    rig.run(1)
    assert [body.id for body in rig.bodies("shuffler", m.Inventory)] == [7, 8]


@pytest.mark.rule(15, 18)
def test_a_boot_forgets_the_command_under_way_and_the_highest_id() -> None:
    rig = Rig()
    rig.ready()
    order(rig, 7)
    rig.run(0.1)
    rig.table.reboot("shuffler")
    assert not rig.table.mechanism.counting
    rig.open("shuffler")
    rig.run(2)
    heartbeat = rig.last("shuffler", m.Heartbeat)
    assert heartbeat.highest_command == 0
    assert not heartbeat.busy
    assert not rig.bodies("shuffler", m.Inventory)


@pytest.mark.rule(18)
def test_a_result_told_before_a_boot_is_kept_through_it() -> None:
    rig = Rig()
    rig.ready()
    rig.acking.clear()
    order(rig, 7)
    rig.run(1)
    rig.table.reboot("shuffler")
    heard = len(rig.events("shuffler"))
    rig.open("shuffler")
    assert [event.body for event in rig.events("shuffler")[heard:]] == [rig.bodies("shuffler", m.Inventory)[0]]


@pytest.mark.rule(15)
def test_the_highest_id_outlives_an_opening() -> None:
    rig = Rig()
    rig.ready()
    order(rig, 7)
    rig.run(1)
    rig.open("shuffler")
    order(rig, 7)
    rig.run(1)
    assert len(rig.bodies("shuffler", m.Inventory)) == 1


def test_a_machine_that_was_lent_says_up_to_which_number_it_had_commands_and_takes_none_of_those() -> None:
    rig = Rig()
    rig.ready()
    rig.table.lend_machine(40)
    assert rig.table.cables_out == {"shuffler"}
    rig.table.plug_in("shuffler")
    rig.open("shuffler")
    assert rig.heartbeat("shuffler").highest_command == 40
    rig.begin_events("shuffler")
    for number in (40, 41):
        order(rig, number)
        rig.run(1)
    assert [inventory.id for inventory in rig.bodies("shuffler", m.Inventory)] == [41]


@pytest.mark.rule(16)
def test_with_the_lid_open_an_inventory_is_not_done_and_nothing_moves() -> None:
    rig = Rig()
    rig.ready()
    rig.table.open_lid(force=True)
    order(rig, 7)
    assert rig.last("shuffler", m.Event).body == m.CommandResult(7, done=False)
    assert not rig.heartbeat("shuffler").busy


@pytest.mark.rule(16)
@pytest.mark.parametrize("device", ["shoe", "keypad", "lamp"])
def test_a_device_without_commands_answers_not_done(device: str) -> None:
    rig = Rig()
    rig.open(device)
    order(rig, 7, device)
    rig.ask(device, rig.heartbeat(device).first_kept)
    assert rig.last(device, m.Event).body == m.CommandResult(7, done=False)


@pytest.mark.rule(19)
def test_an_inspection_with_a_higher_id_bars_every_earlier_one() -> None:
    rig = Rig()
    rig.ready()
    order(rig, 9)
    rig.run(1)
    order(rig, 8)
    rig.run(1)
    assert [body.id for body in rig.bodies("shuffler", m.Inventory)] == [9]


def test_delivery_goes_on_by_itself_after_an_inventory() -> None:
    rig = Rig()
    rig.ready(DEAL)
    order(rig, 7)
    rig.run(1)
    rig.table.pull_card()
    rig.run(0.1)
    assert rig.table.pull_card() is not None
