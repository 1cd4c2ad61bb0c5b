"""Simulated shifts at a metal box: they end, and what is broken there on purpose is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from drivers.protocol.messages import DealerKey, DealerKeyPressed
from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.records import Logged
from sim_hardware.commands import stage
from sim_hardware.commands.simulate.invariants.box import BoxIsTrue, OneRoundABox
from sim_hardware.commands.simulate.shift import Settings, Shift
from sim_hardware.commands.simulate.watch import ViolationError

SHORT = 24
BEGAN = (c.Booked(c.Place.SHOE, c.Place.DISCARD, 1, "burn"), c.RoundBegan())
FILLED = c.ShoeFilled(52, one_player=False)
COUNTED = c.FullCount(52, 52)


@pytest.mark.clause("MO-1b", "MO-2f")
@pytest.mark.parametrize(("seed", "faults"), [(1, "none"), (2, "typical"), (2, "storm")])
def test_a_shift_ends_well(seed: int, faults: str) -> None:
    result = Shift(Settings(seed, SHORT, faults, table="box")).play()
    assert result.violation == ""
    assert result.ends["verified"] >= 1


@pytest.mark.clause("MO-2e", "MO-2f")
def test_the_key_that_begins_a_round_is_no_wish_to_shuffle(tmp_path: Path) -> None:
    house = Path(stage.__file__).with_name("house_with_box.toml").read_text(encoding="utf-8")
    book = tmp_path / "no_wish.toml"
    book.write_text(f"{house}\n[shuffle]\nat_dealers_wish = {{ value = false }}\n", encoding="utf-8")
    result = Shift(Settings(1, 4, "none", str(book), "box", ways_out=0)).play()
    assert result.violation == ""
    assert result.ends["verified"] >= 1


@pytest.fixture
def shift() -> Shift:
    """A shift that has not begun."""
    shift = Shift(Settings(1, SHORT, "none", table="box", ways_out=0))
    shift.watch.state.account.open_set(52)
    return shift


def record(invariant: OneRoundABox, *changes: c.AnyChange) -> None:
    """Let an invariant see a record."""
    event = e.Told("shoe", 1, DealerKeyPressed(DealerKey.YES, 1))
    invariant.recorded(1, Logged(0, event, c.Decision(changes)))


@pytest.mark.clause("MO-2f")
def test_a_second_round_from_one_filling_is_noticed(shift: Shift) -> None:
    box = OneRoundABox(shift.world, shift.watch)
    record(box, FILLED)
    record(box, *BEGAN)
    with pytest.raises(ViolationError, match="a second round begins from one filling"):
        record(box, *BEGAN)


@pytest.mark.clause("MO-2f")
def test_a_round_from_a_box_that_nobody_filled_is_noticed(shift: Shift) -> None:
    with pytest.raises(ViolationError, match="begins from one filling"):
        record(OneRoundABox(shift.world, shift.watch), *BEGAN)


@pytest.mark.clause("MO-2f", "SB-7")
@pytest.mark.parametrize("counts", [(), (c.FullCount(51, 52),), (c.FullCount(51, 51),)])
def test_a_box_that_is_filled_anew_without_a_whole_count_is_noticed(
    shift: Shift, counts: tuple[c.AnyChange, ...]
) -> None:
    box = OneRoundABox(shift.world, shift.watch)
    record(box, FILLED)
    record(box, *BEGAN)
    record(box, *counts)
    with pytest.raises(ViolationError, match="its cards were not counted"):
        record(box, FILLED)


@pytest.mark.clause("MO-2f")
def test_a_box_that_is_counted_and_filled_anew_deals_another_round(shift: Shift) -> None:
    box = OneRoundABox(shift.world, shift.watch)
    for _ in range(2):
        record(box, FILLED)
        record(box, *BEGAN)
        record(box, COUNTED)


@pytest.mark.clause("MO-4a")
def test_a_round_before_its_burn_is_noticed(shift: Shift) -> None:
    box = OneRoundABox(shift.world, shift.watch)
    record(box, FILLED)
    with pytest.raises(ViolationError, match="0 cards were burned and not 1"):
        record(box, c.RoundBegan())


@pytest.mark.clause("SB-4")
def test_cards_left_in_a_box_that_is_said_to_be_empty_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim_hardware.commands.dealer.take_out", lambda table: table.move([], table.discard))
    monkeypatch.setattr("sim_hardware.commands.dealer.counts_by_hand", lambda _: False)
    result = Shift(Settings(1, SHORT, "none", table="box", ways_out=0)).play()
    assert "cards are in the box, and all of them are said to lie in hands" in result.violation
    assert BoxIsTrue.number == 1
