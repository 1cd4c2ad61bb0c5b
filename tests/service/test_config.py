"""A table's configuration: what it gives, and how each fault in it is named, all at once, with its remedy."""

from __future__ import annotations

import hashlib
import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from drivers.protocol.messages import Operation
from drivers.registry import DRIVERS
from drivers.transport.base import SerialFormat
from firmware_bridge.errors import ConfigError
from firmware_bridge.rulebooks import load_rulebook
from firmware_bridge.service.config import Config, load_config
from firmware_bridge.toml_file import written
from tests.rulebooks import book_file

TEXT = """
[table]
name = "BJ-07"
decks = 4
backs = ["red", "red", "blue", "blue"]
rulebook = "portugal"
journal = "bj-07.journal"
people = "/etc/sabot/people.json"

[[device]]
name = "machine"
driver = "continuous_shuffler"
port = "/dev/sabot/machine"

[[device]]
name = "shoe"
driver = "shoe"
port = "/dev/sabot/shoe"

[[device]]
name = "keypad"
driver = "keypad"
port = "/dev/sabot/keypad"

[[device]]
name = "lamp"
driver = "lamp"
port = "/dev/sabot/lamp"
"""


def table() -> dict[str, Any]:
    return tomllib.loads(TEXT)


def load(folder: Path, tables: dict[str, Any]) -> Config:
    path = folder / "table.toml"
    path.write_text("".join(f"{key} = {written(value)}\n" for key, value in tables.items()), encoding="utf-8")
    return load_config(path)


def refusal(folder: Path, tables: dict[str, Any]) -> list[str]:
    with pytest.raises(ConfigError) as raised:
        load(folder, tables)
    told = [book_file.TOLD.fullmatch(line) for line in str(raised.value).splitlines()]
    assert all(one and one["path"] == str(folder / "table.toml") for one in told)
    return [one["words"] for one in told if one]


def test_a_configuration_gives_the_table_its_devices_and_its_book(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(TEXT, encoding="utf-8")
    config = load_config(path)
    assert (config.table.name, config.table.decks) == ("BJ-07", 4)
    assert config.table.backs == ("red", "red", "blue", "blue")
    assert [(device.name, device.driver, device.port) for device in config.devices] == [
        ("machine", "continuous_shuffler", "/dev/sabot/machine"),
        ("shoe", "shoe", "/dev/sabot/shoe"),
        ("keypad", "keypad", "/dev/sabot/keypad"),
        ("lamp", "lamp", "/dev/sabot/lamp"),
    ]
    assert config.book == load_rulebook("portugal")


def test_what_is_not_said_is_the_safe_choice(tmp_path: Path) -> None:
    config = load(tmp_path, table())
    assert config.table.allow_simulated is False
    assert config.table.status == "/run/sabot"
    assert config.time.speed == 1.0
    assert config.log.level == "info"


def test_relative_files_lie_in_the_configurations_folder_wherever_one_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "ours.toml").write_bytes(book_file.PORTUGAL.read_bytes())
    tables = table()
    tables["table"]["rulebook"] = "books/ours.toml"
    tables["device"][0]["port"] = "ports/machine"
    monkeypatch.chdir("/")
    config = load(tmp_path, tables)
    assert config.devices[0].port == str(tmp_path / "ports/machine")
    assert config.table.journal == str(tmp_path / "bj-07.journal")
    assert config.table.people == "/etc/sabot/people.json"
    assert config.book.id == "portugal"


def test_a_book_of_its_own_binds_the_table_that_names_its_digest(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    text = book_file.PORTUGAL.read_text(encoding="utf-8")
    own.write_text(text.replace('id = "portugal"', 'id = "atlantis"', 1), encoding="utf-8")
    tables = table()
    tables["table"]["rulebook"] = "own.toml"
    [line] = refusal(tmp_path, tables)
    assert "atlantis is a book of its own and binds no table by itself" in line
    tables["table"]["rulebook_digest"] = load_rulebook(own).digest
    assert load(tmp_path, tables).book.is_own
    tables["table"]["rulebook_digest"] = load_rulebook("portugal").digest
    [line] = refusal(tmp_path, tables)
    assert "the digest of this rule book is" in line


def test_a_configuration_cannot_be_changed_once_read(tmp_path: Path) -> None:
    with pytest.raises(AttributeError):
        load(tmp_path, table()).table.decks = 6  # type: ignore[misc]


@pytest.mark.parametrize("key", ["name", "decks", "backs", "rulebook", "journal", "people"])
def test_a_key_that_the_table_needs_is_asked_for(tmp_path: Path, key: str) -> None:
    tables = table()
    del tables["table"][key]
    [line] = refusal(tmp_path, tables)
    assert line.startswith(f"table.{key} is missing; allowed: ")


@pytest.mark.parametrize("key", ["name", "driver", "port"])
def test_a_key_that_a_device_needs_is_asked_for(tmp_path: Path, key: str) -> None:
    tables = table()
    del tables["device"][2][key]
    [line] = refusal(tmp_path, tables)
    assert line.startswith(f"device 3.{key} is missing; allowed: ")


def test_a_long_value_is_not_repeated_whole(tmp_path: Path) -> None:
    tables = table()
    tables["table"]["name"] = "x" * 5_000
    [told] = refusal(tmp_path, tables)
    assert "table.name" in told
    assert "(5002 characters)" in told
    assert "1 to 40 characters" in told
    assert len(told) < 500


@pytest.mark.parametrize(
    ("section", "key", "wrong", "allowed"),
    [
        ("table", "name", "", "a text of 1 to 40 characters"),
        ("table", "decks", "four", "a whole number from 1 to 8"),
        ("table", "decks", True, "a whole number from 1 to 8"),
        ("table", "backs", "red", "a list of 1 to 8, each a text of 1 to 40 characters"),
        ("table", "rulebook", 1, "a text of"),
        ("table", "journal", [], "a text of"),
        ("table", "people", False, "a text of"),
        ("table", "status", 0, "a text of"),
        ("table", "allow_simulated", "yes", "true or false"),
        ("time", "speed", 0.009, "a number from 0.01 to 1000"),
        ("time", "speed", 0, "a number from 0.01 to 1000"),
        ("time", "speed", -1.0, "a number from 0.01 to 1000"),
        ("time", "speed", float("nan"), "a number from 0.01 to 1000"),
        ("time", "speed", float("inf"), "a number from 0.01 to 1000"),
        ("log", "level", "loud", '"debug" or "info" or "warning" or "error"'),
    ],
)
def test_a_value_of_a_wrong_kind_is_named_with_what_is_allowed(
    tmp_path: Path, section: str, key: str, wrong: object, allowed: str
) -> None:
    tables = table()
    tables.setdefault(section, {})[key] = wrong
    [line] = refusal(tmp_path, tables)
    assert line.startswith(f"{section}.{key} = {written(wrong)}; allowed: {allowed}")


@pytest.mark.parametrize("section", ["", "table", "time", "log"])
def test_an_unknown_key_is_named_with_those_there_are(tmp_path: Path, section: str) -> None:
    tables = table()
    (tables.setdefault(section, {}) if section else tables)["colour"] = "green"
    [line] = refusal(tmp_path, tables)
    prefix = f"{section}." if section else ""
    assert line.startswith(f"unknown key {prefix}colour; remove it or correct its spelling (allowed here: ")


def test_an_unknown_key_of_a_device_is_named_with_the_device(tmp_path: Path) -> None:
    tables = table()
    tables["device"][1]["baud"] = 9600
    [line] = refusal(tmp_path, tables)
    assert line.startswith("unknown key device 2.baud; ")


def test_an_unknown_driver_is_named_with_all_there_are(tmp_path: Path) -> None:
    tables = table()
    tables["device"][0]["driver"] = "card_cannon"
    [line] = refusal(tmp_path, tables)
    assert line.startswith('device 1.driver = "card_cannon"; allowed: ')
    assert all(f'"{driver}"' in line for driver in DRIVERS)


def test_a_machine_that_cannot_be_told_to_count_and_shuffle_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deaf = replace(DRIVERS["continuous_shuffler"], operations=frozenset({Operation.SHUFFLE}))
    monkeypatch.setitem(DRIVERS, "fortuna_2", deaf)  # type: ignore[arg-type]
    tables = table()
    tables["device"][0]["driver"] = "fortuna_2"
    [line] = refusal(tmp_path, tables)
    assert line.startswith('device 1.driver = "fortuna_2": no inventory can be ordered of it')


@pytest.mark.parametrize("driver", ["batch_shuffler", "slot_shuffler"])
def test_a_table_takes_a_batch_shuffler_instead_of_another_machine_and_not_beside_it(
    tmp_path: Path, driver: str
) -> None:
    tables = table()
    tables["device"].append({"name": "second", "driver": driver, "port": "/dev/second"})
    assert refusal(tmp_path, tables) == ["[[device]] stands 2 times for a shuffler; allowed: 1"]
    tables["device"].pop(0)
    [line] = refusal(tmp_path, tables)
    assert line.startswith("[[device]]: a batch_shuffler takes a whole set and no single round's cards")
    assert "portugal has go back after each round (PT-A10)" in line
    own = Path(str(files("sim_hardware.commands") / "house_with_batch.toml"))
    in_packs = tmp_path / "in_packs.toml"
    in_packs.write_text(own.read_text(encoding="utf-8").replace("min_packs = { value = 1", "min_packs = { value = 2"))
    tables["table"] |= {"rulebook": str(in_packs), "rulebook_digest": load_rulebook(in_packs).digest}
    [line] = refusal(tmp_path, tables)
    assert "takes a whole set as one pack" in line
    assert "wants 2 at least (house.loading.min_packs)" in line
    tables["table"] |= {"rulebook": str(own), "rulebook_digest": load_rulebook(own).digest}
    assert [device.driver for device in load(tmp_path, tables).devices].count(driver) == 1


def test_a_lines_format_and_its_capture_are_the_devices_own(tmp_path: Path) -> None:
    tables = table()
    tables["device"][1] |= {"driver": "line_shoe", "format": "9600 8N1", "capture": "shoe.jsonl"}
    config = load(tmp_path, tables)
    assert [device.format for device in config.devices] == ["", "9600 8N1", "", ""]
    assert [device.capture for device in config.devices] == ["", str(tmp_path / "shoe.jsonl"), "", ""]


@pytest.mark.parametrize("written", ["9600", "9600 8X1", "fast 8N1", "9600 8N1 "])
def test_a_format_that_is_none_is_refused_and_one_is_shown(tmp_path: Path, written: str) -> None:
    tables = table()
    tables["device"][1]["format"] = written
    [line] = refusal(tmp_path, tables)
    assert line.startswith(f'device 2.format = "{written}"; allowed: speed, data bits (7 or 8), parity (N none')
    assert 'as "9600 8E1"; left out, as the driver has it' in line
    assert "characters" not in line, "how long such a text is helps nobody to write it"
    with pytest.raises(ValueError, match="is no serial format"):
        SerialFormat.parse(written)


@pytest.mark.parametrize("driver", DRIVERS)
def test_every_drivers_own_format_is_one(driver: str) -> None:
    assert DRIVERS[driver].format.baud in (9600, 115200)


def test_two_devices_do_not_share_a_name(tmp_path: Path) -> None:
    tables = table()
    tables["device"][3]["name"] = "machine"
    [line] = refusal(tmp_path, tables)
    assert line.startswith('device 4.name = "machine" is the name of device 1 too; give each device')


@pytest.mark.field("BR-030")
def test_two_devices_do_not_share_a_port_under_two_names_either(tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to("/dev/sabot/shoe")
    for port in ("/dev/sabot/shoe", "/dev/sabot/../sabot/shoe", str(tmp_path / "alias")):
        tables = table()
        tables["device"][3]["port"] = port
        [line] = refusal(tmp_path, tables)
        assert line.startswith(f'device 4.port = "{port}" is the port of device 2 too; give each device')
    (tmp_path / "alias").unlink()


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_a_table_without_machine_shoe_or_keypad_is_refused(tmp_path: Path, missing: int) -> None:
    tables = table()
    gone = tables["device"].pop(missing)
    [line] = refusal(tmp_path, tables)
    assert line.startswith(f"[[device]] stands 0 times for a {gone['driver'].removeprefix('continuous_')}; allowed: 1")
    assert ("table.fed_by_hand" in line) == (missing == 0)


def test_a_lamp_of_its_own_is_not_needed_and_a_second_machine_is_refused(tmp_path: Path) -> None:
    tables = table()
    tables["device"].pop()
    assert len(load(tmp_path, tables).devices) == 3
    tables["device"].append({"name": "other", "driver": "continuous_shuffler", "port": "/dev/sabot/other"})
    [line] = refusal(tmp_path, tables)
    assert line == "[[device]] stands 2 times for a shuffler; allowed: 1"


@pytest.mark.parametrize("devices", [{"name": "machine"}, "machine", ["machine"]])
def test_devices_that_are_no_list_of_tables_are_refused(tmp_path: Path, devices: object) -> None:
    tables = table() | {"device": devices}
    assert refusal(tmp_path, tables) == ["device is no list of tables; write [[device]] above each device"]


@pytest.mark.clause("PT-E2")
@pytest.mark.parametrize("decks", [1, 3, 5, 8])
def test_a_number_of_decks_that_the_rule_book_forbids_is_refused_by_its_clause(tmp_path: Path, decks: int) -> None:
    tables = table()
    tables["table"] |= {"decks": decks, "backs": ["red"] * decks}
    [line] = refusal(tmp_path, tables)
    assert line == f"table.decks = {decks}; allowed by the rule book portugal: 4 or 6 (PT-E2)"


@pytest.mark.clause("SB-6")
@pytest.mark.parametrize("second", [["green"] * 3, ["green"] * 5, ["green", "green", "green", "blue"]])
def test_a_second_set_has_as_many_decks_as_the_first_and_none_of_its_colours(tmp_path: Path, second: list[str]) -> None:
    tables = table()
    tables["table"]["second_backs"] = ["green"] * 3 + ["yellow"]
    assert load(tmp_path, tables).table.second_backs == ("green", "green", "green", "yellow")
    tables["table"]["second_backs"] = second
    [line] = refusal(tmp_path, tables)
    assert "second_backs" in line
    assert "as many decks as the first one, and no colour of it" in line


@pytest.mark.clause("PT-E2")
def test_backs_may_be_of_one_colour_or_of_several_but_each_deck_has_one(tmp_path: Path) -> None:
    for backs in (["red"] * 4, ["red", "blue", "green", "grey"]):
        tables = table()
        tables["table"]["backs"] = backs
        assert load(tmp_path, tables).table.backs == tuple(backs)
    tables["table"]["backs"] = ["red"] * 3
    [line] = refusal(tmp_path, tables)
    assert line.startswith("table.backs names 3 colours and table.decks is 4; name the colour of each deck's backs")


def test_an_unknown_rule_book_is_named_with_those_there_are(tmp_path: Path) -> None:
    tables = table()
    tables["table"]["rulebook"] = "atlantis"
    [line] = refusal(tmp_path, tables)
    assert line.startswith("table.rulebook: no rule book is called 'atlantis'; allowed: portugal")


def with_own_book(folder: Path, book: dict[str, Any]) -> dict[str, Any]:
    """Return the table's configuration, bound by a book of its own that is written beside it."""
    digest = hashlib.sha256(book_file.write(folder, book).read_bytes()).hexdigest()
    configured = table()
    configured["table"] |= {"rulebook": "book.toml", "rulebook_digest": digest}
    return configured


def test_a_rule_book_that_contradicts_itself_is_refused_with_the_configuration(tmp_path: Path) -> None:
    tables = book_file.portugal()
    tables["house"]["min_pack"]["value"] = 105
    [line] = refusal(tmp_path, with_own_book(tmp_path, tables))
    assert line.startswith(f"table.rulebook: {tmp_path / 'book.toml'}:")
    assert ": contradiction: loading.min_packs = 2 (PT-A5) and house.min_pack = 105 (the house's)" in line


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        (
            "mixed_backs",
            False,
            'table.backs = ["red", "red", "blue", "blue"]; allowed by the rule book spoilt: '
            "one colour for all decks (PT-E2)",
        ),
        (
            "machines_allowed",
            ["hand_fed_shoe", "batch_shuffler"],
            "[[device]]: a table here has a continuous_shuffler; allowed by the rule book spoilt: "
            "hand_fed_shoe or batch_shuffler (PT-A7)",
        ),
    ],
)
def test_what_the_rule_book_does_not_allow_is_refused_by_its_clause(
    tmp_path: Path, key: str, value: object, told: str
) -> None:
    tables = book_file.portugal()
    tables["equipment"][key]["value"] = value
    assert refusal(tmp_path, with_own_book(tmp_path, tables)) == [told]


def test_a_book_that_no_procedure_plays_yet_binds_no_table(tmp_path: Path) -> None:
    tables = book_file.book("general")
    tables["house"]["damaged_card"]["replaced"]["value"] = "at_next_shuffle"
    [told] = refusal(tmp_path, with_own_book(tmp_path, tables))
    assert ' house.damaged_card.replaced = "at_next_shuffle" (the house\'s): this version plays only "at_once"' in told


def test_every_fault_has_the_line_on_which_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(
        TEXT.replace('"shoe"\nport', '"card_cannon"\nport').replace("decks = 4", "decks = 0"), encoding="utf-8"
    )
    with pytest.raises(ConfigError) as raised:
        load_config(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    told = [line.split(":")[1] for line in str(raised.value).splitlines()]
    assert told == [str(1 + lines.index(line)) for line in ("decks = 0", 'driver = "card_cannon"')]


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    tables = table()
    del tables["table"]["people"]
    tables["table"]["decks"] = 5
    tables["table"]["journl"] = "x"
    tables["time"] = {"speed": "fast"}
    tables["device"][0]["driver"] = "card_cannon"
    tables["device"][3]["name"] = "shoe"
    told = refusal(tmp_path, tables)
    assert len(told) == 7
    for key in (
        "table.people",
        "table.decks",
        "table.backs",
        "table.journl",
        "time.speed",
        "device 1.driver",
    ):
        assert any(key in line for line in told)
    assert any(line.startswith("device 4.name") for line in told)


def test_a_file_that_cannot_be_read_is_named_with_its_remedy(tmp_path: Path) -> None:
    broken = tmp_path / "table.toml"
    broken.write_text("[table\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=re.escape(str(broken)) + ".*line 1.*correct that place"):
        load_config(broken)
    with pytest.raises(ConfigError, match=r"absent.*No such file.*correct the path"):
        load_config(tmp_path / "absent.toml")
