"""Incidents at a batch shuffler: what touched its cards is settled by the next whole cycle (SB-7, SB-9)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from drivers.protocol.batch import MachineFault
from drivers.protocol.messages import DealerKey, JamPlace
from firmware_bridge.core.words import Course, Incident, IncidentKind, Place, Session, Trigger
from sim_hardware.batch_faults import BatchFault
from sim_hardware.faults import Fault
from tests.table.batch_evening import SLOW, BatchEvening, cut_its_power, force_the_lid
from tests.table.evening import SUPERVISOR, TECHNICIAN


@pytest.fixture
def opened() -> BatchEvening:
    """A table that is open; its set lies in the box."""
    evening = BatchEvening(build=SLOW)
    evening.open_table()
    return evening


@pytest.mark.clause("SB-9")
@pytest.mark.parametrize(
    ("how", "kind"),
    [(force_the_lid, IncidentKind.LID_OPENED), (cut_its_power, IncidentKind.POWER_LOST)],
    ids=["lid forced", "power cut"],
)
def test_after_a_disturbance_the_next_whole_cycle_counts_and_shuffles(
    opened: BatchEvening, how: Callable[[BatchEvening], None], kind: IncidentKind
) -> None:
    opened.begin_cycle()
    opened.table.run(1.0)
    how(opened)
    opened.until(Course.UNSHUFFLED)
    opened.table.run(3.0)
    assert kind in opened.kinds()
    assert opened.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    opened.shuffle_anew()


@pytest.mark.clause("SB-9")
def test_nothing_is_shuffled_before_the_steps_of_what_touched_the_machine_began(opened: BatchEvening) -> None:
    opened.hands.blink_lid()
    opened.lay_in()
    assert opened.shuffle() == "SB-9"
    assert opened.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert opened.shuffle() is None
    opened.until(Course.SHUFFLED)
    opened.confirm_all()
    opened.until(Course.IN_SHOE)


@pytest.mark.clause("PT-A2")
def test_after_a_jam_the_next_whole_cycle_counts_and_shuffles(opened: BatchEvening) -> None:
    opened.begin_cycle()
    opened.hands.jam(JamPlace.CAROUSEL)
    opened.until(Course.UNSHUFFLED)
    opened.look_inside(lambda: opened.hands.take_stuck_card())
    assert opened.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    opened.shuffle_anew()


@pytest.mark.clause("PT-A2")
def test_a_part_that_does_not_move_is_freed_under_the_lid_and_the_next_whole_cycle_settles_it(
    opened: BatchEvening,
) -> None:
    opened.hands.faults.arm(BatchFault.HOMING)
    opened.lay_in()
    assert opened.shuffle() is None
    opened.until(Course.UNSHUFFLED)
    assert opened.state.incidents[1].kind is IncidentKind.JAM
    opened.look_inside(opened.hands.repair)
    assert opened.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    opened.shuffle_anew()


@pytest.mark.clause("SB-4")
def test_a_machine_that_nobody_at_the_table_can_mend_is_taken_out_of_service_and_emptied_by_hand(
    opened: BatchEvening,
) -> None:
    opened.hands.faults.arm(BatchFault.DRIVE)
    opened.lay_in()
    assert opened.shuffle() is None
    opened.until(Course.UNSHUFFLED)
    assert opened.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) is None
    assert opened.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) is None
    assert opened.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert opened.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    assert opened.act(SUPERVISOR, Trigger.EMPTY_BY_HAND) is None
    opened.look_inside(opened.hands.take_from_machine)
    opened.hands.take_from_intake_tray()
    opened.table.run(0.3)
    assert opened.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    assert opened.session is Session.EMPTIED
    assert opened.at(Place.UNLOADED) == 104


@pytest.mark.clause("SB-9")
def test_what_an_open_incident_awaited_of_a_cycle_is_settled_at_the_closing(opened: BatchEvening) -> None:
    opened.begin_cycle()
    opened.hands.reboot("shuffler")
    opened.until(Course.UNSHUFFLED)
    opened.table.run(3.0)
    assert opened.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert opened.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    cut = next(one for one in opened.state.incidents.values() if one.kind is IncidentKind.POWER_LOST)
    assert cut.state is Incident.RAISED
    assert opened.session is Session.DECLARED_CLOSED


@pytest.mark.clause("SB-9")
def test_what_lies_in_the_machine_waits_for_the_steps_of_what_touched_it_before_it_comes_out(
    opened: BatchEvening,
) -> None:
    opened.begin_cycle()
    force_the_lid(opened)
    opened.until(Course.UNSHUFFLED)
    assert opened.act(SUPERVISOR, Trigger.TAKE_SET_OUT) is None
    opened.table.run(30)
    assert (opened.course, opened.at(Place.MACHINE)) == (Course.COMING_OUT, 104)
    assert opened.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    opened.until(Course.OUT)
    assert opened.at(Place.OUTSIDE) == 104


@pytest.mark.clause("SB-4", "SB-7")
@pytest.mark.field("BR-001")
def test_a_card_that_the_books_have_nowhere_in_the_machine_comes_out_at_its_door_and_has_its_alarm() -> None:
    evening = BatchEvening()
    evening.open_and_load()
    evening.play_round()
    evening.hands.mechanism.compartments[3].append(card := evening.hands.discard.pop())
    evening.hands.devices["shuffler"].control()
    assert evening.table.run(30, lambda: not evening.hands.mechanism.look_inside().cards)
    assert evening.hands.take_from_door() == [card]
    evening.table.run(1)
    assert evening.kinds() == [IncidentKind.UNEXPECTED_CARD]
    assert "the books had not in it" in evening.state.incidents[1].detail
    assert evening.at(Place.MACHINE) == 0
    assert evening.at(Place.SHOE) + evening.at(Place.DISCARD) == 104
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    evening.hands.move([card], evening.hands.discard)
    evening.take_out_of_shoe()
    evening.lay_in()
    assert evening.shuffle() is None
    evening.until(Course.SHUFFLED)
    evening.confirm_all()
    evening.until(Course.IN_SHOE)


@pytest.mark.clause("SB-1", "SB-2")
def test_a_card_that_slips_through_the_shut_gate_of_the_shoe_has_its_alarm_and_is_in_the_books() -> None:
    evening = BatchEvening()
    evening.open_and_load()
    evening.hands.press_dealer_key(DealerKey.DAMAGED_CARD)
    evening.table.run(1)
    assert evening.hands.pull_card() is None
    evening.hands.faults.arm(Fault.GATE_LEAKS)
    assert evening.hands.pull_card() is not None
    evening.table.run(1)
    assert IncidentKind.UNEXPECTED_CARD in evening.kinds()
    assert evening.at(Place.SHOE) == 103


@pytest.mark.clause("SB-4")
@pytest.mark.field("BR-001")
def test_cards_that_stick_in_a_compartment_are_counted_once_at_the_closing_and_taken_out_under_the_lid(
    opened: BatchEvening,
) -> None:
    opened.load()
    machine = opened.hands.mechanism
    for _ in range(16):
        machine.left_behind[2].append(opened.hands.shoe.mouth.pop())
    assert opened.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert opened.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    assert opened.act(SUPERVISOR, Trigger.RELEASE_LID) == "SB-4"
    opened.table.run(1)
    while opened.hands.pull_card() is not None:
        opened.table.run(0.05)
    assert opened.act(SUPERVISOR, Trigger.CONFIRM_SHOE_EMPTY) is None
    assert opened.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    opened.table.run(30)
    assert opened.session is Session.UNLOADING
    assert opened.state.played.last_count == (16, 0)
    before = opened.state.record
    opened.table.run(15)
    assert opened.state.record - before < 10, "a count that found cards is made again and again"
    opened.look_inside(opened.hands.take_from_machine)
    assert opened.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert opened.table.run(30, lambda: opened.session is Session.LOOKING)


@pytest.mark.clause("PT-A2", "SB-1")
def test_a_machine_with_two_faults_is_not_clear_before_both_are_gone(opened: BatchEvening) -> None:
    opened.hands.faults.arm(BatchFault.RANDOM_NUMBERS)
    opened.lay_in()
    assert opened.shuffle() is None
    opened.until(Course.UNSHUFFLED)
    opened.hands.faults.arm(BatchFault.MEMORY)
    opened.hands.reboot("shuffler")
    opened.table.run(5.0)
    assert opened.state.devices["shuffler"].hindered_by == [MachineFault.MEMORY]
    assert opened.state.devices["shuffler"].jammed
    jam = opened.state.incidents[1]
    assert (jam.kind, jam.state) == (IncidentKind.JAM, Incident.RAISED)
    opened.hands.reboot("shuffler")
    opened.table.run(5.0)
    assert not opened.state.devices["shuffler"].jammed


@pytest.mark.clause("PT-A6", "SB-4")
def test_a_machine_that_does_not_work_is_told_no_count_when_its_last_card_is_out(opened: BatchEvening) -> None:
    opened.load()
    assert opened.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    opened.hands.mechanism.fault = MachineFault.HOMING
    opened.hands.devices["shuffler"].control()
    opened.table.run(1.0)
    assert opened.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) is None
    assert opened.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) is None
    assert opened.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    opened.table.run(1.0)
    while opened.hands.pull_card() is not None:
        opened.table.run(0.05)
    assert (opened.session, opened.state.order) == (Session.UNLOADING, None)
    assert opened.act(SUPERVISOR, Trigger.EMPTY_BY_HAND) is None
