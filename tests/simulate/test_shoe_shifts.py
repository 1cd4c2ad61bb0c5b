"""Simulated shifts at a table whose shoe people fill: they end, and what is broken there on purpose is noticed."""

from __future__ import annotations

import pytest

from firmware_bridge.core.procedures.guards import rounds, shoe
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
