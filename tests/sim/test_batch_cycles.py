"""Batch shufflers of both makes, through bytes: each mode, and the pack's way in and out."""

from __future__ import annotations

from collections import Counter

import pytest

from drivers.cards import ALL_FACES
from drivers.protocol import messages as m
from drivers.protocol.batch import (
    Backs,
    CycleBegan,
    CycleEnded,
    Faces,
    FaultChanged,
    MachineFault,
    Mode,
    Outcome,
    OutputChanged,
    PackOut,
    PassDone,
)
from sim_hardware.batch_mechanics import SHELF_MACHINE, BatchMechanism
from sim_hardware.batch_table import BatchFittings
from sim_hardware.slot_mechanics import GIVES_UP_AFTER, SLOTS, travel
from tests.sim.batch import SHELVES, BatchRig, both_makes, told_of_itself, with_decks
from tests.sim.batch import SLOTS as SLOT_TABLE
from tests.sim.host import DEAL, UNLOAD, VERIFY

OF_A_CYCLE = (CycleBegan, PassDone, Faces, Backs, CycleEnded)


def passes(fittings: BatchFittings) -> int:
    return fittings.machine.usual.passes


# ---- a shuffle


@both_makes
def test_a_shuffle_says_its_mode_each_pass_and_its_end(fittings: BatchFittings) -> None:
    rig = BatchRig(fittings)
    laid = rig.load()
    ended = rig.cycle(Mode.SHUFFLE)
    count = passes(fittings)
    assert ended == CycleEnded(1, Mode.SHUFFLE, Outcome.DONE, count, 52)
    assert rig.told(CycleBegan, PassDone, CycleEnded) == [
        CycleBegan(1, Mode.SHUFFLE, count),
        *(PassDone(1, number, 52) for number in range(1, count + 1)),
        ended,
    ]
    assert rig.told(m.TrayChanged, OutputChanged) == [
        m.TrayChanged(occupied=True),
        m.TrayChanged(occupied=False),
        OutputChanged(occupied=True),
    ]
    made = list(rig.table.mechanism.output)
    assert made != laid
    assert sorted(map(id, made)) == sorted(map(id, laid))


def test_what_was_read_is_told_as_a_set_before_the_end_is() -> None:
    rig = BatchRig(with_decks(6))
    rig.load()
    rig.cycle()
    assert rig.told(*OF_A_CYCLE)[-3:] == [
        Faces(1, (0, *(6,) * 52)),
        Backs(1, (0, 156, 156, 0, 0, 0, 0)),
        CycleEnded(1, Mode.SHUFFLE, Outcome.DONE, 2, 312),
    ]


@pytest.mark.parametrize(
    ("without", "kinds"),
    [(m.Capability.READS_FACES, {Backs}), (m.Capability.READS_BACKS, {Faces})],
    ids=["no faces", "no backs"],
)
def test_a_machine_without_a_reader_tells_nothing_of_what_it_would_read(
    without: m.Capability, kinds: set[type[m.Body]]
) -> None:
    usual = SHELVES.identities["shuffler"].capabilities
    rig = BatchRig(told_of_itself(SHELVES, capabilities=usual & ~without))
    rig.load()
    rig.cycle()
    assert {type(body) for body in rig.told(Faces, Backs)} == kinds


@pytest.mark.parametrize(("argument", "made"), [(0, 2), (1, 1), (2, 2)])
def test_the_command_says_how_many_passes_a_shuffle_makes(argument: int, made: int) -> None:
    rig = BatchRig()
    rig.load()
    assert rig.cycle(Mode.SHUFFLE, argument).passes == made


@both_makes
def test_more_passes_than_the_machine_makes_are_not_begun(fittings: BatchFittings) -> None:
    rig = BatchRig(fittings)
    rig.load()
    rig.begin(m.Operation.SHUFFLE, passes(fittings) + 1)
    rig.run(1)
    assert rig.told(CycleBegan, m.CommandResult) == [m.CommandResult(1, done=False)]


@pytest.mark.parametrize("decks", range(1, 9))
def test_it_takes_one_to_eight_decks_and_counts_them(decks: int) -> None:
    rig = BatchRig(with_decks(decks))
    rig.load()
    assert rig.cycle().cards == 52 * decks


# ---- the other modes


@both_makes
def test_an_inspection_counts_and_leaves_the_order(fittings: BatchFittings) -> None:
    rig = BatchRig(fittings)
    laid = rig.load()
    assert rig.cycle(Mode.INSPECT) == CycleEnded(1, Mode.INSPECT, Outcome.DONE, 1, 52)
    assert list(rig.table.mechanism.output) == laid


def test_a_sort_says_that_it_is_one_and_leaves_each_deck_in_order() -> None:
    rig = BatchRig(with_decks(2))
    rig.load()
    assert rig.cycle(Mode.SORT) == CycleEnded(1, Mode.SORT, Outcome.DONE, 3, 104)
    assert [card.face for card in rig.table.mechanism.output] == list(ALL_FACES) * 2


def test_a_machine_that_cannot_sort_begins_no_sort() -> None:
    rig = BatchRig(SLOT_TABLE)
    rig.load()
    rig.begin(m.Operation.SORT)
    rig.run(1)
    assert rig.told(CycleBegan, m.CommandResult) == [m.CommandResult(1, done=False)]


@both_makes
def test_a_cycle_begun_at_the_machine_names_no_command_and_the_mode_of_its_panel(fittings: BatchFittings) -> None:
    rig = BatchRig(fittings)
    rig.load()
    assert rig.table.press_start(Mode.INSPECT)
    assert rig.ended(0, asked=0) == CycleEnded(0, Mode.INSPECT, Outcome.DONE, 1, 52)


@both_makes
def test_a_command_given_while_a_cycle_begun_at_the_machine_is_under_way_is_not_done(fittings: BatchFittings) -> None:
    rig = BatchRig(fittings)
    rig.load()
    rig.table.press_start()
    asked = rig.begin(m.Operation.SORT)
    rig.run(60)
    assert m.CommandResult(asked, done=False) in rig.told()
    assert [body.mode for body in rig.bodies("shuffler", CycleEnded)] == [Mode.SHUFFLE]


@both_makes
def test_cards_taken_from_the_tray_while_it_is_emptied_are_no_cards_of_the_pack(fittings: BatchFittings) -> None:
    rig = BatchRig(fittings)
    rig.load()
    asked = rig.begin(m.Operation.SHUFFLE)
    while not rig.table.mechanism.inside:
        rig.run(0.001)
    taken = len(rig.table.take_from_intake_tray())
    ended = rig.ended(0, asked)
    assert (ended.outcome, ended.cards) == (Outcome.DONE, 52 - taken)
    assert 0 < taken < 52


# ---- what is no cycle


@both_makes
def test_a_pack_put_in_and_taken_out_again_had_no_cycle(fittings: BatchFittings) -> None:
    rig = BatchRig(fittings)
    laid = rig.load()
    rig.run(60)
    assert rig.table.take_from_intake_tray() == laid, "they are as they were put in"
    rig.run(1)
    assert rig.told(*OF_A_CYCLE, m.TrayChanged) == [m.TrayChanged(occupied=True), m.TrayChanged(occupied=False)]


@both_makes
def test_nothing_is_begun_with_the_intake_shut(fittings: BatchFittings) -> None:
    rig = BatchRig(fittings)
    rig.load()
    rig.level("shuffler", m.Level.INTAKE, 0)
    assert not rig.table.press_start()
    rig.begin(m.Operation.SHUFFLE)
    rig.run(60)
    assert rig.told(*OF_A_CYCLE, m.CommandResult) == [m.CommandResult(1, done=False)]


@both_makes
def test_nothing_is_begun_on_an_empty_tray_or_over_a_pack_that_was_not_taken(fittings: BatchFittings) -> None:
    rig = BatchRig(with_decks(2, fittings))
    rig.begin(m.Operation.SHUFFLE)
    assert rig.told(*OF_A_CYCLE, m.CommandResult) == [m.CommandResult(1, done=False)]
    rig.table.put_in_intake_tray(rig.table.box[:52])
    rig.cycle()
    rig.table.put_in_intake_tray(list(rig.table.box))
    rig.begin(m.Operation.SHUFFLE)
    rig.run(1)
    refused = FaultChanged(MachineFault.OUTPUT_NOT_TAKEN, present=True)
    assert rig.told(FaultChanged, m.CommandResult)[1:] == [m.CommandResult(3, done=False), refused]
    rig.release("shuffler", DEAL)
    rig.run(5)
    assert rig.told(FaultChanged)[-1] == FaultChanged(MachineFault.OUTPUT_NOT_TAKEN, present=False)
    assert rig.cycle().outcome is Outcome.DONE


# ---- the way out


@both_makes
def test_the_pack_goes_into_the_shoe_as_one_and_only_while_released(fittings: BatchFittings) -> None:
    rig = BatchRig(fittings)
    rig.load()
    rig.cycle()
    made = list(rig.table.mechanism.output)
    rig.run(20)
    rig.release("shuffler", VERIFY)
    rig.run(20)
    assert not rig.told(PackOut), "it is held, or released for what is no delivery"
    rig.release("shuffler", DEAL)
    rig.run(5)
    assert rig.told(PackOut, OutputChanged)[1:] == [PackOut(DEAL, 52), OutputChanged(occupied=False)]
    assert list(rig.table.shoe.mouth) == made


@both_makes
def test_a_release_that_lapses_keeps_the_pack(fittings: BatchFittings) -> None:
    rig = BatchRig(fittings)
    rig.load()
    rig.cycle()
    rig.table.shoe.mouth.extend(rig.table.mechanism.output)  # a shoe so full that the pack has to wait
    rig.table.shoe.mouth.extend(list(rig.table.shoe.mouth) * 7)
    rig.release("shuffler", DEAL, renewing=False)
    rig.run(10)
    rig.table.shoe.mouth.clear()
    rig.run(20)
    assert rig.told(PackOut, m.Lapsed) == [m.Lapsed(rig.links["shuffler"], 2)]
    assert len(rig.table.mechanism.output) == 52


@both_makes
def test_a_held_machine_goes_on_with_its_cycle(fittings: BatchFittings) -> None:
    rig = BatchRig(fittings)
    rig.load()
    rig.begin(m.Operation.SHUFFLE)
    rig.hold("shuffler")
    assert rig.ended(0, 1).outcome is Outcome.DONE


@pytest.mark.rule(6)
def test_no_pack_leaves_without_a_place_for_its_event() -> None:
    rig = BatchRig(told_of_itself(SHELVES, window=1), acking=False)
    rig.load()
    rig.cycle()
    rig.release("shuffler", UNLOAD)
    rig.run(10)
    rig.table.put_in_intake_tray(rig.table.take_from_door())
    rig.cycle()
    rig.run(10)
    assert len(rig.told(PackOut)) == 1, "it waits"
    rig.ack("shuffler")
    rig.run(10)
    assert len(rig.told(PackOut)) == 2


@both_makes
def test_unloaded_it_lets_the_pack_out_at_the_door_and_says_once_that_it_is_empty(fittings: BatchFittings) -> None:
    rig = BatchRig(fittings)
    rig.load()
    rig.cycle()
    rig.release("shuffler", UNLOAD)
    rig.run(10)
    assert rig.told(PackOut, m.FeedEmpty) == [PackOut(UNLOAD, 52), m.FeedEmpty()]
    assert len(rig.table.take_from_door()) == 52


@both_makes
def test_a_pack_taken_out_by_hand_is_no_pack_out(fittings: BatchFittings) -> None:
    rig = BatchRig(fittings)
    rig.load()
    rig.cycle()
    rig.level("shuffler", m.Level.LID, 1)
    assert rig.table.open_lid()
    rig.table.take_from_machine()
    rig.run(1)
    assert rig.told(PackOut, OutputChanged, m.LidMoved) == [
        OutputChanged(occupied=True),
        m.LidMoved(open=True),
        OutputChanged(occupied=False),
    ]


@both_makes
def test_every_card_of_the_pack_can_be_drawn_past_the_shoes_reader(fittings: BatchFittings) -> None:
    rig = BatchRig(fittings)
    rig.load()
    rig.cycle()
    for device in ("shuffler", "shoe"):
        rig.release(device, DEAL)
    rig.run(5)
    for _ in range(52):
        assert rig.table.pull_card() is not None
        rig.run(0.2)
    assert Counter(body.face for body in rig.bodies("shoe", m.CardDrawn)) == Counter(ALL_FACES)
    assert len(list(rig.table.all_cards())) == 52


def test_a_held_shoe_gives_no_card_of_the_pack() -> None:
    rig = BatchRig()
    rig.table.put_in_shoe(rig.table.box)
    assert rig.table.pull_card() is None
    rig.release("shoe", DEAL)
    rig.run(0.1)
    assert rig.table.pull_card() is not None
    rig.hold("shoe")
    assert rig.table.pull_card() is None


@both_makes
def test_an_inventory_counts_every_compartment(fittings: BatchFittings) -> None:
    rig = BatchRig(fittings)
    rig.load()
    rig.cycle()
    asked = rig.begin(m.Operation.INVENTORY)
    rig.run(20)
    assert rig.told(m.Inventory) == [m.Inventory(asked, 0, (0,) * fittings.machine.usual.compartments)]


# ---- real times


@pytest.mark.parametrize(("decks", "seconds"), [(1, 22.0), (6, 126.0), (8, 167.6)])
def test_a_shelf_machine_takes_its_time(decks: int, seconds: float) -> None:
    assert BatchMechanism.usual is SHELF_MACHINE
    rig = BatchRig(BatchFittings(decks=decks))
    rig.load()
    began = rig.time
    rig.begin(m.Operation.SHUFFLE)
    while not rig.told(CycleEnded):
        rig.heartbeat("shuffler")
    assert rig.time - began == pytest.approx(seconds, abs=0.6)


def test_a_carousel_turns_by_its_ramp_and_never_faster_than_ninety_turns_a_minute() -> None:
    times = [travel(slots) for slots in range(SLOTS)]
    assert times[0] == 0
    assert times == sorted(times)
    assert times[-1] - times[-2] == pytest.approx(60 / 90 / SLOTS)
    assert times[1] > 60 / 90 / SLOTS


def test_a_slot_machine_waits_for_its_carousel_at_each_card() -> None:
    rig = BatchRig(SLOT_TABLE)
    rig.load()
    began = rig.time
    rig.begin(m.Operation.SHUFFLE)
    while not rig.told(CycleEnded):
        rig.heartbeat("shuffler")
    shortest = 52 * (0.085 + travel(1))
    assert shortest < rig.time - began < 52 * (0.085 + travel(SLOTS)) * 2
    assert GIVES_UP_AFTER == 1.4


def test_a_slot_machine_turns_home_before_it_begins() -> None:
    rig = BatchRig(SLOT_TABLE)
    rig.load()
    rig.cycle()
    rig.release("shuffler", UNLOAD)
    rig.run(10)
    rig.table.put_in_intake_tray(rig.table.take_from_door())
    rig.begin(m.Operation.INSPECT)
    home = (SLOTS - 1) / SLOTS * 60 / 33
    assert rig.table.mechanism.deadline - rig.time == pytest.approx(home + 0.085)
