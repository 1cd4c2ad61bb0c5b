"""A link is captured to a file of its own: none that the table has already is named, and none is written into."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.service.test_config import load, refusal, table

OURS = {
    "table.toml": "the configuration itself",
    "people.json": "the people file",
    ".people.json.new": "the people file",
    "bj-07.journal": "a file of the journal",
    "bj-07.journal.key": "a file of the journal",
    "bj-07.journal.lock": "a file of the journal",
    "bj-07.journal.snapshot": "a file of the journal",
    "bj-07.journal-wal": "a file of the journal",
    "bj-07.journal-shm": "a file of the journal",
    "bj-07.journal.12": "a file of the journal",
    "bj-07.journal.3-wal": "a file of the journal",
    "bj-07.journal.damaged-1/bj-07.journal": "a file of the journal",
    "status/status.json": "in the status folder",
    "status/mine.jsonl": "in the status folder",
    "dev/lamp": "a device's port",
    "spare/../people.json": "the people file",
    "alias": "a file of the journal",
}
"""Names of files in a table's folder, and what they are called where a capture has one."""


def with_captures(*names: str) -> dict[str, object]:
    tables = table()
    tables["table"] |= {"people": "people.json", "status": "status"}
    tables["device"][3]["port"] = "dev/lamp"
    for device, name in zip(tables["device"], names, strict=False):
        device["capture"] = name
    return tables


@pytest.mark.parametrize("name", OURS)
def test_no_file_of_the_table_is_a_capture(tmp_path: Path, name: str) -> None:
    (tmp_path / "spare").mkdir()
    (tmp_path / "alias").symlink_to("bj-07.journal.key")
    [line] = refusal(tmp_path, with_captures("", name))
    assert line == f'device 2.capture = "{name}" is {OURS[name]}; name a file of its own'


def test_the_status_folder_is_kept_where_it_is_not_named_either(tmp_path: Path) -> None:
    tables = table()
    tables["device"][0]["capture"] = "/run/sabot/machine.jsonl"
    [line] = refusal(tmp_path, tables)
    assert "is in the status folder" in line


def test_the_rule_book_of_a_table_is_no_capture(tmp_path: Path) -> None:
    tables = with_captures("house.toml")
    tables["table"]["rulebook"] = "house.toml"  # type: ignore[index]
    assert any("is the rule book" in line for line in refusal(tmp_path, tables))


def test_a_bare_name_of_a_rule_book_is_no_file_so_a_capture_may_have_it(tmp_path: Path) -> None:
    assert load(tmp_path, with_captures("portugal")).devices[0].capture == str(tmp_path / "portugal")


@pytest.mark.parametrize("name", ["spare", "spare/", "."])
def test_a_folder_is_no_capture(tmp_path: Path, name: str) -> None:
    (tmp_path / "spare").mkdir()
    [line] = refusal(tmp_path, with_captures(name))
    assert line == f'device 1.capture = "{name}" is a folder; name a file of its own'


def test_a_capture_in_a_folder_that_is_not_there_is_refused_before_anything_is_lost(tmp_path: Path) -> None:
    [line] = refusal(tmp_path, with_captures("spare/shoe.jsonl"))
    where = f"in {tmp_path / 'spare'}, which is no folder (make it first)"
    assert line == f'device 1.capture = "spare/shoe.jsonl" is {where}; name a file of its own'


@pytest.mark.parametrize("name", [" ", "   "])
def test_spaces_alone_name_no_capture(tmp_path: Path, name: str) -> None:
    [line] = refusal(tmp_path, with_captures(name))
    assert line.startswith(f'device 1.capture = "{name}"; allowed: ')
    assert line.endswith("not spaces alone")


def test_two_links_have_two_captures(tmp_path: Path) -> None:
    (tmp_path / "same.jsonl").symlink_to("one.jsonl")
    [line] = refusal(tmp_path, with_captures("one.jsonl", "same.jsonl"))
    assert line == 'device 2.capture = "same.jsonl" is the capture of device 1 too; name a file of its own'


@pytest.mark.parametrize("name", ["shoe.jsonl", "bj-07.journal-shoe.jsonl", "status.jsonl", "people.json.jsonl"])
def test_a_name_that_is_only_like_one_of_the_tables_is_a_capture(tmp_path: Path, name: str) -> None:
    config = load(tmp_path, with_captures(name))
    assert config.devices[0].capture == str(tmp_path / name)
