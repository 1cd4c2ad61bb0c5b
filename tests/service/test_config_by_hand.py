"""The configuration of a table whose shoe people fill: it says so, has no shuffler, and a book that knows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.service.test_config import load, refusal, table


@pytest.mark.clause("PT-E3", "MO-1a")
def test_a_table_whose_shoe_people_fill_says_so_has_no_machine_and_plays_one_set(tmp_path: Path) -> None:
    tables = table()
    tables["table"]["fed_by_hand"] = True
    [line] = refusal(tmp_path, tables)
    assert line.startswith("[[device]] stands 1 times for a shuffler; allowed: 0")
    tables["device"].pop(0)
    assert load(tmp_path, tables).table.fed_by_hand
    tables["table"]["second_backs"] = ["white"] * len(tables["table"]["backs"])
    assert any(
        line.startswith("table.second_backs: a table whose shoe people fill") for line in refusal(tmp_path, tables)
    )


@pytest.mark.clause("PT-E3")
def test_a_shoe_that_people_fill_stands_only_where_the_book_has_one(tmp_path: Path) -> None:
    tables = table()
    tables["table"]["fed_by_hand"] = True
    tables["device"].pop(0)
    tables["table"]["rulebook"] = str(tmp_path / "house.toml")
    house = 'id = "ours"\ntitle = "Ours"\nextends = "portugal"\n[equipment]\n'
    house += 'machines_allowed = { value = ["continuous_shuffler"] }\n'
    (tmp_path / "house.toml").write_text(house, encoding="utf-8")
    [line] = refusal(tmp_path, tables)
    assert "a table here has a hand_fed_shoe; allowed by the rule book" in line


@pytest.mark.parametrize("value", ["yes", 1])
def test_where_it_cannot_be_read_whether_people_fill_the_shoe_nothing_is_said_of_shufflers(
    tmp_path: Path, value: object
) -> None:
    tables = table()
    tables["table"]["fed_by_hand"] = value
    [line] = refusal(tmp_path, tables)
    assert line.startswith("table.fed_by_hand = ")
    tables["device"].pop(0)
    assert refusal(tmp_path, tables) == [line]


def test_a_shuffler_beside_a_shoe_that_people_fill_is_refused_with_the_reason(tmp_path: Path) -> None:
    tables = table()
    tables["table"]["fed_by_hand"] = True
    reason = "(table.fed_by_hand is true, which says that people fill the shoe)"
    assert refusal(tmp_path, tables) == [f"[[device]] stands 1 times for a shuffler; allowed: 0 {reason}"]
    tables["table"]["fed_by_hand"] = False
    tables["device"].pop(0)
    [line] = refusal(tmp_path, tables)
    assert line.startswith("[[device]] stands 0 times for a shuffler; allowed: 1 (none where table.fed_by_hand")
