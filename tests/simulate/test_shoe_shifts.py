"""Simulated shifts at a table whose shoe people fill: they end, and what is broken there on purpose is noticed."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import TrayChanged
from firmware_bridge.core import asked
from firmware_bridge.core.procedures.guards import rounds, shoe
from firmware_bridge.core.report import Report
from firmware_bridge.core.reports import REPORTS
from sim_hardware.commands.simulate.invariants import ALL, CHECKED, NEED_A_MACHINE
from sim_hardware.commands.simulate.invariants.books import BooksAreTrue
from sim_hardware.commands.simulate.invariants.orders import OrdersAreSettled
from sim_hardware.commands.simulate.shift import Settings, Shift

SHORT = 24


@pytest.mark.clause("PT-S5", "PT-S6")
@pytest.mark.parametrize(("seed", "faults"), [(1, "none"), (2, "typical"), (2, "storm")])
def test_a_shift_ends_well(seed: int, faults: str) -> None:
    result = Shift(Settings(seed, SHORT, faults, table="shoe")).play()
    assert result.violation == ""
    assert result.ends["verified"] >= 1


@pytest.mark.clause("PT-S6")
def test_a_round_after_the_last_one_of_a_shoe_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shoe, "shoe_is_used_up", lambda _: False)
    result = Shift(Settings(1, SHORT, "none", rulebook="general", table="shoe", ways_out=0)).play()  # two decks
    assert "invariant 14" in result.violation
    assert "the last one of this shoe was played" in result.violation


@pytest.mark.clause("PT-S5")
def test_a_round_before_its_burn_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "burn_due", lambda *_: False)
    result = Shift(Settings(1, SHORT, "none", table="shoe", ways_out=0)).play()
    assert "invariant 14" in result.violation
    assert "0 cards were burned and not 1" in result.violation


@pytest.mark.clause("PT-S3", "PT-S4", "PT-S8")
@pytest.mark.parametrize(("seed", "steps"), [(2, {"cut", "stop_play"}), (4, {"one_player", "stop_play"})])
def test_players_sit_alone_cut_not_and_stop_to_play_and_the_shift_ends_well(seed: int, steps: set[str]) -> None:
    result = Shift(Settings(seed, SHORT, "typical", table="shoe", ways_out=0)).play()
    assert result.violation == ""
    assert steps <= {trigger for _, _, trigger, _ in result.rows}


@pytest.mark.clause("MO-2e")
def test_a_shoe_that_is_emptied_at_a_wish_that_the_book_does_not_leave_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (asked, rounds):
        monkeypatch.setattr(module, "may_wish_a_shuffle", lambda *_: True)
    result = Shift(Settings(1, SHORT, "none", table="shoe", ways_out=0)).play()
    assert "shuffled at a wish that the book does not leave the dealer [MO-2e]" in result.violation


@pytest.mark.clause("PT-A6")
def test_a_shoe_whose_tray_is_not_seen_to_be_filled_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REPORTS, TrayChanged, lambda *_: Report())
    result = Shift(Settings(1, SHORT, "none", table="shoe", ways_out=0)).play()
    assert "the shoe's tray was filled or emptied" in result.violation


def test_all_is_checked_at_a_shoe_but_what_is_of_a_machine() -> None:
    assert set(ALL) - set(CHECKED["shoe"]) == NEED_A_MACHINE == {BooksAreTrue, OrdersAreSettled}
