"""The configuration of a table whose shoe people fill: it says so, has no shuffler, and a book that knows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sim_hardware.commands import stage
from tests.service.test_config import load, refusal, table

HOUSE_WITH_BOX = Path(stage.__file__).with_name("house_with_box.toml")


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


def beside_a_box(tmp_path: Path) -> dict[str, Any]:
    """A table that deals from a metal box, by a book that has one: the dealer's keys, and no shoe."""
    tables = table()
    del tables["device"][0]
    tables["device"][0]["driver"] = "dealer_keys"
    tables["table"] |= {"fed_by_hand": True, "decks": 1, "backs": ["red"]}
    tables["table"]["rulebook"] = str(tmp_path / "house.toml")
    (tmp_path / "house.toml").write_text(HOUSE_WITH_BOX.read_text(encoding="utf-8"), encoding="utf-8")
    return tables


@pytest.mark.clause("MO-1b")
def test_a_table_with_the_dealers_keys_and_no_shoe_deals_from_a_metal_box(tmp_path: Path) -> None:
    assert load(tmp_path, beside_a_box(tmp_path)).table.fed_by_hand


@pytest.mark.clause("MO-1b")
def test_a_metal_box_stands_only_where_the_book_has_one_and_deals_one_deck(tmp_path: Path) -> None:
    tables = beside_a_box(tmp_path)
    tables["table"] |= {"decks": 2, "backs": ["red", "blue"]}
    assert any(line.startswith("table.decks = 2; allowed by the rule book") for line in refusal(tmp_path, tables))
    tables["table"] |= {"rulebook": "portugal", "decks": 4, "backs": ["red"] * 4}
    [line] = refusal(tmp_path, tables)
    assert "a table here has a metal_box; allowed by the rule book portugal" in line


@pytest.mark.clause("MO-1b")
def test_keys_by_themselves_stand_beside_a_box_alone_and_once(tmp_path: Path) -> None:
    tables = table()
    tables["device"].append({"name": "keys", "driver": "dealer_keys", "port": "/dev/keys"})
    assert any("stands 1 times for a pad of dealer's keys; allowed: 0" in line for line in refusal(tmp_path, tables))
    tables = beside_a_box(tmp_path)
    tables["device"].append({"name": "shoe 2", "driver": "shoe", "port": "/dev/shoe2"})
    assert any("stands 2 times for a shoe, or, beside a metal box" in line for line in refusal(tmp_path, tables))


@pytest.mark.clause("SB-7")
def test_a_shoe_that_hears_nothing_is_filled_by_no_hand(tmp_path: Path) -> None:
    tables = table()
    del tables["device"][0]
    tables["device"][0]["driver"] = "line_shoe"
    tables["table"]["fed_by_hand"] = True
    [line] = refusal(tmp_path, tables)
    assert line.startswith('device 1.driver = "line_shoe": a shoe that people fill is dealt from and drawn out')
