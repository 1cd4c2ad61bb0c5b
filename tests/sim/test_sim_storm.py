"""What goes wrong in a storm: lines, cables, reboots, cards astray; each drawn from the seed, each with who sees it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from sim_hardware.cards import Card, make_set, taken_for
from sim_hardware.faults import DEVICES, NOISE, PLANS, SEEN_BY, Fault, Faults, Noise, Planned
from sim_hardware.mechanics import QUICK, Mechanism
from sim_hardware.mishaps import COOLS_AFTER, FOREIGN, LONGEST, PERIOD
from sim_hardware.table import CarouselTable, Fittings, Now, PhysicalTable
from sim_hardware.wire import Wire

ON_LINES = {Fault.BYTES_LOST, Fault.BYTES_CORRUPTED, Fault.BYTES_DOUBLED, Fault.BYTES_SPLIT}
PIECE = bytes(range(40))


def table_of(*faults: Fault) -> PhysicalTable:
    """A table at which these strike at their first opportunity."""
    fittings = Fittings(rates=QUICK, faults=tuple(Planned((fault,), 1, 1) for fault in faults))
    return CarouselTable(Random(3), Now(0.0, 0.0), fittings)


def run(table: PhysicalTable, seconds: float) -> None:
    """Let time pass with nobody at the wires."""
    end = table.now.mechanics + seconds
    while (now := table.now.mechanics) < end:
        later = min(end, now + 1.0)
        table.step(Now(later, later), {})


def test_in_a_storm_every_fault_can_strike_and_each_says_what_sees_it() -> None:
    planned = {fault for one in PLANS["storm"] for fault in one.one_of}
    assert planned | ON_LINES == set(Fault)
    assert set(SEEN_BY) == set(Fault)
    assert {seen.device for seen in SEEN_BY.values()} <= {*DEVICES, ""}
    assert set(NOISE) == set(PLANS)


def test_a_fault_planned_more_than_once_strikes_so_often_in_a_session() -> None:
    faults = Faults((Planned((Fault.CARD_LOST,), 1, 1), Planned((Fault.JAM_EXIT,), 1, 1000, times=3)), Random(5))
    for _ in range(1000):
        faults.strikes(Fault.JAM_EXIT)
    assert faults.struck[Fault.JAM_EXIT] == 3


def test_nothing_strikes_any_more_once_it_is_stopped() -> None:
    table = table_of(Fault.LID_FORCED)
    table.faults.arm(Fault.CABLE_SHOE)
    table.calm()
    run(table, 5 * PERIOD)
    assert not table.faults.struck
    assert not table.lid_open


# ---- lines


@pytest.mark.parametrize(
    ("noise", "fault"),
    [
        (Noise(lost=1.0), Fault.BYTES_LOST),
        (Noise(corrupted=1.0), Fault.BYTES_CORRUPTED),
        (Noise(doubled=1.0), Fault.BYTES_DOUBLED),
    ],
)
def test_a_noisy_line_changes_what_it_carries(noise: Noise, fault: Fault) -> None:
    struck = Counter[Fault]()
    wire = Wire(Random(1), noise, struck)
    assert wire.carry(PIECE) != PIECE
    assert struck == {fault: 1}


def test_a_piece_that_is_split_comes_whole_in_the_end_and_in_order() -> None:
    wire = Wire(Random(1), Noise(split=1.0))
    first = wire.carry(PIECE)
    assert wire.is_late
    assert first + wire.carry(b"") == PIECE


def test_a_quiet_line_draws_on_no_randomness() -> None:
    wire = Wire(Random(1), Noise(lost=1.0))
    wire.quieten()
    assert [wire.carry(PIECE) for _ in range(100)] == [PIECE] * 100


@pytest.mark.parametrize("device", DEVICES)
def test_a_cable_that_is_out_carries_nothing_and_comes_back(device: str) -> None:
    table = table_of(Fault[f"CABLE_{device.upper()}"])
    run(table, PERIOD)
    assert table.cables_out == {device}
    assert table.step(Now(PERIOD + 1, PERIOD + 1), {}).get(device, b"") == b""
    run(table, LONGEST + 1)
    assert not table.cables_out


def test_a_cable_may_be_plugged_in_by_hand_sooner() -> None:
    table = table_of(Fault.CABLE_LAMP)
    run(table, PERIOD)
    table.plug_in("lamp")
    assert not table.cables_out


# ---- devices and lid


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("fault", "is_kept"), [("REBOOT", True), ("MEMORY", False)])
def test_a_device_that_reboots_keeps_its_memory_or_has_another(device: str, fault: str, is_kept: bool) -> None:
    table = table_of(Fault[f"{fault}_{device.upper()}"])
    memory = table.devices[device].store.memory
    run(table, PERIOD)
    assert (table.devices[device].store.memory == memory) is is_kept


def test_a_forced_lid_stays_open_until_somebody_closes_it() -> None:
    table = table_of(Fault.LID_FORCED)
    run(table, 10 * PERIOD)
    assert table.lid_open


def test_a_motor_that_cut_out_takes_no_card_until_it_has_cooled() -> None:
    table = table_of(Fault.INTAKE_TRIPS)
    run(table, PERIOD)
    assert not table.mechanism.intake_ready
    run(table, COOLS_AFTER + 1)
    assert table.mechanism.intake_ready


def test_the_next_mishap_is_in_the_tables_deadline() -> None:
    assert table_of(Fault.LID_FORCED).deadline.mechanics == PERIOD
    assert table_of().deadline.mechanics > PERIOD


# ---- cards


@pytest.mark.parametrize(("fault", "where"), [(Fault.CARD_KEPT, "set_aside"), (Fault.CARD_DROPPED, "on_table")])
def test_a_card_goes_astray_on_its_way_back(fault: Fault, where: str) -> None:
    table = table_of(fault)
    table.move(table.box[:5], table.discard)
    table.put_in_intake_tray(list(table.discard))
    assert len(table.mechanism.intake_tray) == 4
    assert len(getattr(table, where)) == 1


def test_a_card_slips_into_the_machine_past_every_sensor_when_the_lid_is_opened() -> None:
    table = table_of(Fault.CARD_SLIPPED_IN)
    table.move(table.box[:5], table.on_table)
    table.open_lid(force=True)
    assert (len(table.on_table), table.look_inside().cards) == (4, 1)


def test_a_machine_that_sorts_feeds_its_cards_as_a_new_pack_lies() -> None:
    mechanism = Mechanism(Random(3), QUICK, faults=Faults())
    mechanism.faults.arm(Fault.NOT_SHUFFLED)
    mechanism.lay_inside(make_set(1, ("red",)))
    mechanism.feed_on = True
    fed = b""
    for moment in range(200):
        mechanism.step(moment / 10)
        fed += bytes(mechanism.mouth.popleft().face for _ in range(len(mechanism.mouth)))
        mechanism.settle()
    assert len(fed) == 52
    first = len(fed) - 30  # what lay in the compartment under way came before
    assert list(fed[first:]) == sorted(fed[first:])


def test_a_card_is_changed_for_one_of_another_back_and_the_old_one_is_gone() -> None:
    table = table_of(Fault.FOREIGN_BACK)
    table.put_in_intake_tray(table.box[:10])
    [foreign] = [card for card in table.mechanism.intake_tray if card.back == FOREIGN]
    assert [card.face for card in table.gone] == [foreign.face]


def test_a_card_is_changed_for_one_of_another_face_and_the_old_one_is_gone() -> None:
    table = table_of(Fault.FOREIGN_FACE)
    before = [card.face for card in table.box[:10]]
    table.put_in_intake_tray(table.box[:10])
    after = [card.face for card in table.mechanism.intake_tray]
    [gone] = table.gone
    assert after == [taken_for(gone.face) if face == gone.face else face for face in before]


def test_a_card_is_turned_face_up_as_it_is_laid_in() -> None:
    table = table_of(Fault.BOXED)
    table.put_in_intake_tray(table.box[:10])
    assert sum(card.boxed for card in table.mechanism.intake_tray) == 1


def test_one_card_too_many_is_laid_with_a_pack() -> None:
    table = table_of(Fault.EXTRA_CARD)
    table.put_in_intake_tray(table.box[:10])
    assert len(table.mechanism.intake_tray) == 11


def test_cards_that_are_carried_away_are_at_the_table_no_more_and_others_are_brought() -> None:
    table = table_of()
    old = list(table.box)
    table.carry_away(old)
    new = Card(1, "red", 1)
    table.bring([new])
    assert list(table.all_cards()) == [new]
    assert table.gone == old


def test_a_storm_changes_nothing_of_how_the_cards_fall() -> None:
    def load(fittings: Fittings) -> list[int]:
        table = CarouselTable(Random(9), Now(0.0, 0.0), fittings)
        table.mechanism.lay_inside(table.box[:60])
        return [card.face for compartment in table.mechanism.compartments for card in compartment]

    calm = Fittings()
    assert load(calm) == load(replace(calm, faults=PLANS["storm"], noise=NOISE["storm"]))
