"""Shifts at a table with a batch shuffler: each holds every invariant, and the two of its sets bite."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from drivers.protocol.batch import Mode
from firmware_bridge.core import batch_reports
from firmware_bridge.core.procedures import set_effects
from firmware_bridge.core.procedures.guards import sets as guards
from firmware_bridge.core.words import Course, IncidentKind
from sim_hardware.batch_faults import BatchFault
from sim_hardware.batch_table import BatchTable, HandedOver
from sim_hardware.commands.misdeeds import Habit
from sim_hardware.commands.simulate.report import told
from sim_hardware.commands.simulate.shift import Settings, Shift
from sim_hardware.commands.simulate.world import seconds
from sim_hardware.faults import Fault

LONGEST_S = 3600


def shift_of(seed: int, faults: str = "none", book: str = "") -> Shift:
    return Shift(Settings(seed=seed, rounds=4, faults=faults, rulebook=book, table="batch", ways_out=0))


def in_shoe(shift: Shift) -> BatchTable:
    """Play until the set is in the shoe, and return the table."""
    while shift.watch.state.course(shift.watch.state.playing) is not Course.IN_SHOE:
        shift.world.play_until(shift.world.ns + seconds(0.1))
        assert shift.world.seconds < LONGEST_S
    table = shift.world.physical
    assert isinstance(table, BatchTable)
    return table


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("seed", "faults", "book"), [(1, "none", ""), (3, "typical", "live_with_batch"), (4, "typical", "spain_with_batch")]
)
def test_a_short_shift_with_a_batch_shuffler_holds_every_invariant(seed: int, faults: str, book: str) -> None:
    result = shift_of(seed, faults, book).play()
    assert not result.violation, "\n".join(told(result))
    assert result.ends.total()
    assert faults == "typical" or set(result.ends) == {"verified"}


@pytest.mark.clause("SB-5", "SB-7")
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("faults", "sets"), [("none", 2), ("typical", 1)])
def test_a_short_shift_with_a_machine_of_one_deck_that_reads_nothing_holds_every_invariant(
    faults: str, sets: int
) -> None:
    made = Settings(1, 4, faults, table="batch", shuffler="slot_shuffler", sets=sets, ways_out=0)
    shift = Shift(made)
    result = shift.play()
    assert not result.violation, "\n".join(told(result))
    assert set(result.ends) == {"verified"}
    assert (shift.watch.state.decks, len(shift.watch.state.sets)) == (1, sets)
    assert result.settings.command.endswith(f"--table batch --shuffler slot_shuffler --sets {sets}")


def a_sort_makes_dealable(monkeypatch: pytest.MonkeyPatch, table: BatchTable) -> None:
    monkeypatch.setattr(batch_reports, "Mode", SimpleNamespace(SHUFFLE=Mode.SORT))
    table.faults.arm(BatchFault.WRONG_MODE)


def any_reading_makes_dealable(monkeypatch: pytest.MonkeyPatch, table: BatchTable) -> None:
    for module in (guards, set_effects):
        monkeypatch.setattr(module, "why_not_whole", lambda _cards: "")
    table.faults.arm(Fault.FOREIGN_FACE)


@pytest.mark.clause("SB-5")
@pytest.mark.parametrize(
    ("breaks", "said"),
    [(a_sort_makes_dealable, "a cycle made that was to sort"), (any_reading_makes_dealable, "had 1 others")],
)
def test_a_controller_that_deals_what_no_shuffle_of_the_set_made_is_seen(
    monkeypatch: pytest.MonkeyPatch, breaks: Callable[[pytest.MonkeyPatch, BatchTable], None], said: str
) -> None:
    shift = shift_of(seed=1)
    table = shift.world.physical
    assert isinstance(table, BatchTable)
    breaks(monkeypatch, table)
    violation = shift.play().violation
    assert violation.startswith("invariant 11:"), violation
    assert said in violation


@pytest.mark.clause("SB-5")
def test_a_pack_that_hands_laid_in_the_shoe_is_seen_when_it_is_dealt() -> None:
    shift = shift_of(seed=1)
    table = in_shoe(shift)
    table.handed_over = HandedOver(None, table.handed_over.cards)
    assert "a pack that no cycle made" in shift.play().violation


def test_a_card_that_leaves_the_shoe_past_every_sensor_is_missed_by_the_books() -> None:
    shift = shift_of(seed=1)
    table = in_shoe(shift)
    table.gone.append(table.shoe.mouth.pop())
    table.stirs += 1
    assert shift.play().violation.startswith("invariant 1: 0 cards are in the machine")


@pytest.mark.clause("SB-6")
def test_a_table_that_deals_though_a_set_was_found_to_be_another_pack_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(set_effects, "why_not_whole", lambda _cards: "")
    monkeypatch.setattr(guards, "why_not_whole", lambda _cards: "")
    shift = Shift(Settings(seed=1, rounds=4, faults="none", table="batch", sets=2, ways_out=0))
    shift.world.physical.faults.arm(Fault.FOREIGN_FACE)
    assert "is to be counted whole first [SB-6]" in shift.play().violation


@pytest.mark.clause("SB-6")
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("role", "habit"), [("dealer", Habit.OTHER_SETS_CARD), ("supervisor", Habit.WRONG_SET)])
def test_people_who_confuse_two_sets_are_found_out_and_every_card_is_verified(role: str, habit: Habit) -> None:
    shift = Shift(Settings(seed=1, rounds=6, faults="none", table="batch", sets=2, ways_out=0))
    for person in shift.crowd.people:
        person.habits |= {habit} if person.role == role else set()
    result = shift.play()
    assert not result.violation, "\n".join(told(result))
    assert result.misdeeds[habit] > 0
    assert set(result.ends) == {"verified"}
    assert IncidentKind.COUNT_MISMATCH in [kind for kind, _ in shift.watch.raised]
