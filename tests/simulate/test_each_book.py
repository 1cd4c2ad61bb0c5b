"""A short shift in a storm by each of the five books holds every invariant, and each book's evenings can be played."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmware_bridge.rulebooks import BOOKS, load_for_table
from sim_hardware.commands.simulate.command import simulate
from sim_hardware.commands.simulate.report import told
from sim_hardware.commands.simulate.shift import Settings, Shift
from sim_hardware.commands.stage import book_of

PEOPLES_TO_CHOOSE = ("loading.present", "closing.unloading_present", "jam.lid_opened_by", "damaged_card.replaced_by")
MORE_TO_CHOOSE = {
    "room_manager": ("difference_signed_by", '"supervisor"', "two different people"),
    "table_inspector": ("cut.with_shuffler", "true", "our own cut"),
}
"""What a house with these people there must choose otherwise as well, or may."""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize(("faults", "rounds"), [("none", 3), ("storm", 6)])
def test_a_short_shift_by_each_book_holds_every_invariant(book: str, faults: str, rounds: int) -> None:
    settings = Settings(seed=BOOKS.index(book) + 4, rounds=rounds, faults=faults, rulebook=book, ways_out=0)
    result = Shift(settings).play()
    assert not result.violation, "\n".join(told(result))
    assert faults == "storm" or result.ends == {"verified": result.ends.total()}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("role", MORE_TO_CHOOSE)
def test_whoever_the_book_names_does_it_in_a_simulated_shift(tmp_path: Path, role: str) -> None:
    chosen = [(key, f'"{role}"', "our own people") for key in PEOPLES_TO_CHOOSE]
    text = 'id = "ours"\ntitle = "Ours"\nextends = "spain"\n'
    for key, value, reason in [*chosen, MORE_TO_CHOOSE[role]]:
        text += f'[house.{key}]\nvalue = {value}\nreason = "{reason}"\n'
    path = tmp_path / "ours.toml"
    path.write_text(text, encoding="utf-8")
    result = Shift(Settings(seed=3, rounds=6, faults="typical", rulebook=str(path), ways_out=0)).play()
    assert not result.violation, "\n".join(told(result))
    assert result.ends.total()


@pytest.mark.timeout(300)
@pytest.mark.clause("PT-J1")
def test_a_house_s_own_file_in_a_folder_is_played_and_its_clock_begins_when_its_permission_holds(
    tmp_path: Path,
) -> None:
    path = tmp_path / "of a house" / "ours.toml"
    path.parent.mkdir()
    path.write_text(
        'id = "ours"\ntitle = "Ours"\nextends = "portugal"\n[jackpot]\noffered = { value = true }\n'
        '[[permission]]\nreference = "r 1"\napproved = 2199-01-30\nchoices = ["jackpot.offered"]\n',
        encoding="utf-8",
    )
    result = CliRunner().invoke(
        simulate, ["--shifts", "1", "--rounds", "2", "--faults", "none", "--rulebook", str(path)]
    )
    assert result.exit_code == 0, result.output
    assert re.fullmatch(r"1 shifts, \d+ events, 0 violations, 100\.0% verified", result.output.splitlines()[-1])


def test_a_house_s_own_file_is_named_by_its_path_and_a_book_that_binds_no_table_by_a_simulated_house() -> None:
    assert book_of("some/house.toml") == str(Path("some/house.toml").absolute())
    assert book_of("./house.toml") == str(Path("house.toml").absolute())
    assert book_of("atlantis") == "atlantis"
    assert {name for name in BOOKS if book_of(name) != name} == {"macau"}
    for name in BOOKS:
        load_for_table(book_of(name))
