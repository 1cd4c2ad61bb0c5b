"""What goes wrong at batch shufflers of both makes, through bytes: what each fault tells, and the way on from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TypeVar

import pytest

from drivers.cards import DECK_SIZE, UNREAD, Face, face_of
from drivers.protocol import messages as m
from drivers.protocol.batch import (
    Back,
    Backs,
    CycleBegan,
    CycleEnded,
    Faces,
    FaultChanged,
    FaultClass,
    MachineFault,
    Mode,
    Outcome,
    OutputChanged,
    PackOut,
    PassDone,
)
from sim_hardware.batch_faults import BREAKS, MOST_LEFT, SEEN_BY, BatchFault
from sim_hardware.batch_table import BatchFittings
from sim_hardware.cards import Card, taken_for
from sim_hardware.faults import Fault, Planned
from sim_hardware.slot_mechanics import GIVES_UP_AFTER, PUSHES_AFTER
from sim_hardware.table import CannotDoError
from tests.sim.batch import SHELVES, BatchRig, both_makes, with_decks
from tests.sim.batch import SLOTS as SLOT_TABLE
from tests.sim.host import DEAL, UNLOAD

T = TypeVar("T")
INSIDE = FaultChanged(MachineFault.CARDS_INSIDE, present=True)
NINE_OF_CLUBS, NINE_OF_HEARTS = face_of(9, 0), face_of(9, 2)


def begun(fittings: BatchFittings) -> BatchRig:
    """A machine that has taken some cards in."""
    rig = BatchRig(fittings)
    rig.load()
    rig.begin(m.Operation.SHUFFLE)
    while not rig.table.mechanism.inside:
        rig.run(0.001)
    return rig


def shuffle(rig: BatchRig) -> CycleEnded:
    return rig.cycle(Mode.SHUFFLE)


def unload(rig: BatchRig) -> list[Card]:
    """Let all come out at the door, and take it; with what was left in the tray."""
    rig.release("shuffler", UNLOAD)
    rig.run(20)
    rig.hold("shuffler")
    return [*rig.table.take_from_door(), *rig.table.take_from_intake_tray()]


def is_whole_again(rig: BatchRig) -> None:
    """All cards come out, go in again, and the next shuffle counts every one of them."""
    unload(rig)
    rig.table.put_in_intake_tray(rig.table.on_table)
    assert shuffle(rig).outcome is Outcome.DONE
    assert rig.told(CycleEnded)[-1].cards == 52


# ---- a cycle broken off

LEVEL: Callable[[BatchRig], object] = lambda rig: rig.level("shuffler", m.Level.INTAKE, 0)  # noqa: E731
BUTTON: Callable[[BatchRig], object] = lambda rig: rig.table.press_stop()  # noqa: E731
LID: Callable[[BatchRig], object] = lambda rig: rig.table.open_lid(force=True)  # noqa: E731


@both_makes
@pytest.mark.parametrize(
    ("how", "outcome"),
    [(LEVEL, Outcome.STOPPED), (BUTTON, Outcome.STOPPED), (LID, Outcome.LID_OPENED)],
    ids=["by its level", "by its button", "by its lid"],
)
def test_a_cycle_broken_off_is_told_as_one_and_leaves_cards_inside(
    fittings: BatchFittings, how: Callable[[BatchRig], object], outcome: Outcome
) -> None:
    rig = begun(fittings)
    how(rig)
    rig.run(60)
    told = rig.told(INSIDE.__class__, CycleEnded, Faces, Backs, PackOut, OutputChanged, m.CommandResult)
    assert told == [INSIDE, CycleEnded(1, Mode.SHUFFLE, outcome, 0, 0)]
    rig.table.close_lid()
    rig.level("shuffler", m.Level.INTAKE, 1)
    rig.begin(m.Operation.SHUFFLE)
    rig.run(1)
    assert rig.told()[-1] == m.CommandResult(2, done=False), "it begins nothing over what lies inside"
    is_whole_again(rig)


@both_makes
@pytest.mark.rule(18)
def test_a_cycle_that_the_power_cut_has_no_end_and_what_comes_out_of_it_no_count(fittings: BatchFittings) -> None:
    rig = begun(fittings)
    boot = rig.last("shuffler", m.Hello).boot
    rig.table.reboot("shuffler")
    rig.run(1)
    assert rig.open("shuffler").boot != boot
    rig.run(60)
    assert rig.told(CycleEnded, PassDone, m.CommandResult) == []
    assert rig.told()[-1] == INSIDE
    rig.level("shuffler", m.Level.INTAKE, 1)
    unload(rig)
    assert rig.told(PackOut) == [PackOut(UNLOAD, 0)]
    assert rig.told(FaultChanged)[-1] == FaultChanged(MachineFault.CARDS_INSIDE, present=False)


@both_makes
def test_a_finished_pack_is_no_counted_one_after_a_power_cut(fittings: BatchFittings) -> None:
    rig = BatchRig(fittings)
    rig.load()
    shuffle(rig)
    rig.table.reboot("shuffler")
    rig.run(1)
    rig.open("shuffler")
    rig.begin_events("shuffler")
    rig.release("shuffler", DEAL)
    rig.run(10)
    assert rig.told(PackOut) == [PackOut(DEAL, 0)]


@both_makes
def test_a_memory_lost_tells_what_lies_where(fittings: BatchFittings) -> None:
    rig = begun(fittings)
    rig.table.reboot("shuffler", memory_lost=True)
    rig.run(1)
    before = len(rig.told())
    rig.open("shuffler")
    assert rig.told()[before:] == [INSIDE, m.TrayChanged(occupied=True)]


@both_makes
def test_what_lies_inside_comes_out_at_the_door_as_one(fittings: BatchFittings) -> None:
    rig = begun(fittings)
    while rig.table.mechanism.inside < 48:
        rig.run(0.001)
    rig.table.press_stop()
    rig.release("shuffler", UNLOAD)
    rig.run(60)
    assert rig.told(PackOut, m.FeedEmpty) == [PackOut(UNLOAD, 0), m.FeedEmpty()]
    assert len(rig.table.take_from_door()) >= 48


# ---- jams


@both_makes
@pytest.mark.parametrize(
    ("fault", "place"),
    [(Fault.JAM_INTAKE, m.JamPlace.INTAKE), (Fault.JAM_CAROUSEL, m.JamPlace.CAROUSEL)],
    ids=["intake", "carousel"],
)
def test_a_jam_ends_the_cycle_and_is_cleared_under_the_lid(
    fittings: BatchFittings, fault: Fault, place: m.JamPlace
) -> None:
    rig = BatchRig(fittings)
    rig.table.faults.arm(fault)
    rig.load()
    ended = shuffle(rig)
    assert ended.outcome is Outcome.FAILED
    jam = m.JamChanged(place, jammed=True)
    assert rig.told(m.JamChanged, CycleEnded) == [jam, ended]
    assert not rig.told(Faces, Backs, OutputChanged)
    assert rig.table.mechanism.lamp is m.Lamp.FLASHING
    rig.level("shuffler", m.Level.LID, 1)
    rig.table.open_lid()
    rig.table.take_stuck_card()
    rig.table.close_lid()
    rig.run(1)
    assert rig.told(m.JamChanged)[-1] == m.JamChanged(place, jammed=False)
    is_whole_again(rig)


@both_makes
def test_a_pack_that_sticks_on_its_way_out_goes_on_when_it_comes_free(fittings: BatchFittings) -> None:
    rig = BatchRig(fittings)
    rig.load()
    shuffle(rig)
    for fault in (Fault.JAM_EXIT, Fault.JAM_CLEARS_ITSELF):
        rig.table.faults.arm(fault)
    rig.release("shuffler", DEAL)
    rig.run(20)
    exit_jam = m.JamPlace.EXIT
    told = rig.told(m.JamChanged, PackOut)
    assert told == [m.JamChanged(exit_jam, True), m.JamChanged(exit_jam, False), PackOut(DEAL, 52)]


def test_a_slot_machine_pushes_harder_and_then_gives_up_waiting() -> None:
    def takes(fault: BatchFault | Fault | None) -> float:
        rig = BatchRig(SLOT_TABLE)
        if fault is not None:
            rig.table.faults.arm(fault)
        rig.load()
        rig.begin(m.Operation.INSPECT)
        return rig.table.mechanism.deadline - rig.time

    usual = takes(None)
    assert takes(BatchFault.STICKY) == pytest.approx(usual + PUSHES_AFTER)
    assert takes(Fault.JAM_INTAKE) == pytest.approx(usual - 0.085 + GIVES_UP_AFTER)


# ---- the machine's own faults


@both_makes
@pytest.mark.parametrize("fault", [fault for fault in BREAKS if fault is not BatchFault.MEMORY])
def test_a_machine_that_finds_a_fault_in_itself_says_which_and_ends_its_cycle(
    fittings: BatchFittings, fault: BatchFault
) -> None:
    rig = BatchRig(fittings)
    rig.table.faults.arm(fault)
    rig.load()
    ended = shuffle(rig)
    assert ended.outcome is Outcome.FAILED
    present = FaultChanged(BREAKS[fault], present=True)
    assert rig.told(FaultChanged, CycleEnded)[-1] == ended
    assert present in rig.told()
    rig.begin(m.Operation.INSPECT)
    rig.run(1)
    assert rig.told()[-1] == m.CommandResult(2, done=False)
    rig.table.open_lid(force=True)
    if BREAKS[fault].fault_class is FaultClass.MECHANICAL:
        rig.table.repair()
        rig.table.close_lid()
    else:
        with pytest.raises(CannotDoError):
            rig.table.repair()
        rig.table.close_lid()
        rig.table.reboot("shuffler")
        rig.run(1)
        rig.open("shuffler")
        rig.level("shuffler", m.Level.INTAKE, 1)
    rig.run(1)
    assert FaultChanged(BREAKS[fault], present=False) in rig.told()
    unload(rig)
    rig.table.put_in_intake_tray(rig.table.on_table)
    rig.last_id += 1
    assert rig.cycle().outcome is Outcome.DONE


@both_makes
def test_a_machine_whose_memory_fails_when_its_power_comes_back_begins_nothing(fittings: BatchFittings) -> None:
    rig = BatchRig(fittings)
    rig.load()
    rig.table.faults.arm(BatchFault.MEMORY)
    rig.table.reboot("shuffler")
    rig.run(1)
    rig.open("shuffler")
    rig.level("shuffler", m.Level.INTAKE, 1)
    rig.begin(m.Operation.SHUFFLE)
    rig.run(1)
    assert rig.told(FaultChanged, m.CommandResult) == [
        FaultChanged(MachineFault.MEMORY, present=True),
        m.CommandResult(1, done=False),
    ]


def test_each_class_of_fault_has_its_numbers() -> None:
    by_class = {each: {fault for fault in MachineFault if fault.fault_class is each} for each in FaultClass}
    assert by_class == {
        FaultClass.OPERATOR: {
            MachineFault.TOO_MANY_CARDS,
            MachineFault.OUTPUT_NOT_TAKEN,
            MachineFault.CARDS_INSIDE,
        },
        FaultClass.MECHANICAL: {MachineFault.HOMING, MachineFault.MOVE, MachineFault.ALIGNMENT},
        FaultClass.INTERNAL: {MachineFault.DRIVE, MachineFault.MEMORY, MachineFault.RANDOM_NUMBERS},
    }


@pytest.mark.parametrize(
    ("fittings", "room"), [(with_decks(9), 416), (with_decks(2, SLOT_TABLE), 54)], ids=["shelves", "slots"]
)
def test_more_cards_than_there_is_room_for_end_the_cycle(fittings: BatchFittings, room: int) -> None:
    rig = BatchRig(fittings)
    rig.load()
    assert shuffle(rig) == CycleEnded(1, Mode.SHUFFLE, Outcome.FAILED, 0, 0)
    too_many = FaultChanged(MachineFault.TOO_MANY_CARDS, present=True)
    assert rig.told(FaultChanged) == [too_many, INSIDE]
    assert rig.table.mechanism.inside == room
    rig.table.take_from_intake_tray()
    rig.run(1)
    assert rig.told(FaultChanged)[-1] == FaultChanged(MachineFault.TOO_MANY_CARDS, present=False)
    unload(rig)
    rig.table.put_in_intake_tray(rig.table.on_table[:52])
    assert shuffle(rig).outcome is Outcome.DONE


def test_a_machine_may_sort_what_it_was_told_to_shuffle_and_says_so() -> None:
    rig = BatchRig(with_decks(6))
    rig.table.faults.arm(BatchFault.WRONG_MODE)
    rig.load()
    asked = rig.begin(m.Operation.SHUFFLE)
    ended = rig.ended(0, asked)
    assert (ended.mode, ended.outcome) == (Mode.SORT, Outcome.DONE)
    assert rig.told(CycleBegan) == [CycleBegan(asked, Mode.SORT, 3)]
    rig.release("shuffler", DEAL)
    rig.run(10)
    assert rig.told(PackOut) == [PackOut(DEAL, 312)], "a machine lets out what it has: to judge it is not its affair"


# ---- counts that disagree


def test_two_cards_taken_in_as_one_show_as_two_counts_that_disagree() -> None:
    rig = BatchRig()
    rig.table.faults.arm(Fault.DOUBLE_IN)
    rig.load()
    ended = shuffle(rig)
    assert rig.told(PassDone) == [PassDone(1, 1, 51), PassDone(1, 2, 52)]
    assert (ended.outcome, ended.cards) == (Outcome.DONE, 52)


def test_cards_left_behind_in_a_shelf_are_found_by_a_hand_under_the_lid() -> None:
    rig = BatchRig(with_decks(6))
    rig.table.faults.arm(BatchFault.CARDS_LEFT)
    rig.load()
    shuffle(rig)
    assert rig.table.open_lid(force=True)
    assert len(rig.table.take_from_machine()) == 6 * DECK_SIZE
    assert rig.table.inside() == 0


def test_cards_left_behind_in_a_shelf_show_at_the_next_pass_and_by_inventory() -> None:
    rig = BatchRig(with_decks(6))
    rig.table.faults.arm(BatchFault.CARDS_LEFT)
    rig.load()
    shuffle(rig)
    assert rig.told(PassDone) == [PassDone(1, 1, 312), PassDone(1, 2, 312 - MOST_LEFT)]
    rig.release("shuffler", UNLOAD)
    rig.run(10)
    takes_itself_for_empty = [PackOut(UNLOAD, 312 - MOST_LEFT), m.FeedEmpty()]
    assert rig.told(PackOut, m.FeedEmpty) == takes_itself_for_empty
    rig.begin(m.Operation.INVENTORY)
    rig.run(10)
    [found] = rig.told(m.Inventory)
    assert isinstance(found, m.Inventory)
    assert sorted(found.compartments) == [*[0] * 9, MOST_LEFT]


# ---- what the readers see


def nothing(rig: BatchRig) -> None:
    """Leave the cards as they are."""


def read(change: Callable[[BatchRig], object], *faults: StrEnum) -> tuple[dict[Face, int], dict[Back, int]]:
    """How many more or fewer of each face and back than one deck has are told; the faults strike in the second pass."""
    rig = BatchRig(replace(SHELVES, faults=tuple(Planned((fault,), 60, 60) for fault in faults)))
    change(rig)
    rig.load()
    shuffle(rig)
    [faces] = rig.bodies("shuffler", Faces)
    [backs] = rig.bodies("shuffler", Backs)
    return differences(faces.cards, (0, *[1] * 52), Face), differences(backs.cards, (0, 52, 0, 0, 0, 0, 0), Back)


def differences(told: Sequence[int], usual: Sequence[int], what: Callable[[int], T]) -> dict[T, int]:
    return {what(at): one - other for at, (one, other) in enumerate(zip(told, usual, strict=True)) if one != other}


def card(rig: BatchRig, face: Face) -> Card:
    return next(one for one in rig.table.box if one.face == face)


def test_a_machine_that_reads_well_tells_the_deck() -> None:
    assert read(nothing) == ({}, {})


def test_one_misread_shows_as_a_face_too_many_and_one_too_few() -> None:
    faces, backs = read(nothing, Fault.MISREAD)
    missed, seen = sorted(faces, key=lambda face: faces[face])
    assert (faces, backs) == ({missed: -1, seen: 1}, {})
    assert taken_for(missed) == seen


def test_a_face_that_is_not_read_shows_as_one_unread_and_one_too_few() -> None:
    faces, backs = read(nothing, BatchFault.UNREADABLE)
    missed, unread = sorted(faces, key=lambda face: faces[face])
    assert (faces, backs, unread) == ({missed: -1, UNREAD: 1}, {}, UNREAD)


def test_a_misread_takes_the_same_rank_of_the_other_suit_of_its_kind() -> None:
    assert taken_for(NINE_OF_CLUBS) == NINE_OF_HEARTS
    assert {taken_for(taken_for(Face(number))) for number in range(1, 53)} == set(range(1, 53))


def test_a_boxed_card_shows_no_face_to_one_reader_and_a_face_to_the_other() -> None:
    def turn(rig: BatchRig) -> None:
        card(rig, NINE_OF_CLUBS).boxed = True

    assert read(turn) == ({UNREAD: 1, NINE_OF_CLUBS: -1}, {Back.RED: -1, Back.FACE: 1})


def test_a_right_face_of_the_other_set_shows_by_its_back_alone() -> None:
    def change(rig: BatchRig) -> None:
        card(rig, NINE_OF_CLUBS).back = "blue"

    assert read(change) == ({}, {Back.RED: -1, Back.BLUE: 1})


def test_a_cut_card_inside_is_one_more_that_nobody_can_read() -> None:
    def add(rig: BatchRig) -> None:
        rig.table.box.append(Card(UNREAD, "yellow plastic", 0))

    assert read(add) == ({UNREAD: 1}, {Back.OTHER: 1})


# ---- a count by place broken off


@both_makes
@pytest.mark.parametrize("opened", [True, False], ids=["lid", "power"])
def test_an_inventory_broken_off_is_not_done_or_has_no_end(fittings: BatchFittings, opened: bool) -> None:
    rig = BatchRig(fittings)
    rig.begin(m.Operation.INVENTORY)
    if opened:
        rig.table.open_lid(force=True)
        rig.run(1)
        assert rig.told()[-2:] == [m.CommandResult(1, done=False), m.LidMoved(open=True)]
    else:
        rig.table.reboot("shuffler")
        rig.run(30)
        rig.open("shuffler")
        assert not rig.told(m.CommandResult, m.Inventory)


def test_of_every_fault_it_is_known_what_sees_it_first() -> None:
    assert set(SEEN_BY) == {*BatchFault, Fault.MISREAD}


def test_no_fault_of_the_batch_shuffler_has_the_name_of_another_for_plans_and_counts_go_by_names() -> None:
    assert {*map(str, BatchFault)}.isdisjoint(map(str, Fault))
