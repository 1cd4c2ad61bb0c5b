"""Replay: the same events decided again by the same book give the same decisions, or the first other one is named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from firmware_bridge.core.changes import Decision
from firmware_bridge.core.events import Started
from firmware_bridge.core.records import Logged
from firmware_bridge.errors import ConfigError, JournalError
from firmware_bridge.journal import read_records
from firmware_bridge.rulebooks import Shelf, load_rulebook
from firmware_bridge.service.replay import replay
from tests.service import recorded

Records = list[tuple[int, int, Logged]]


@pytest.fixture
def records(tmp_path: Path) -> Records:
    path = recorded.journal_in(tmp_path)
    return [(one.number, one.utc_ns, Logged.from_body(one.body)) for one in read_records(path)]


def bodies(records: Records) -> Iterator[tuple[int, int, bytes]]:
    return ((number, utc_ns, logged.to_body()) for number, utc_ns, logged in records)


def test_all_decisions_come_out_again(records: Records) -> None:
    report = replay(bodies(records), Shelf())
    assert (report.agree, report.difference) == (len(records), None)


def test_the_first_decision_that_differs_is_named(records: Records) -> None:
    number, utc_ns, logged = records[4]
    records[4] = number, utc_ns, replace(logged, decision=Decision())
    report = replay(bodies(records), Shelf())
    assert report.agree == 4
    assert report.difference is not None
    assert (report.difference.number, report.difference.recorded) == (5, "nothing changes")
    assert "record 5 differs" in report.lines()[0]


def test_an_event_on_which_nothing_can_be_decided_is_a_difference(records: Records) -> None:
    number, utc_ns, logged = records[1]
    records[1] = number, utc_ns, replace(logged, event=replace(logged.event, device="none"))
    report = replay(bodies(records), Shelf())
    assert report.difference is not None
    assert report.difference.number == 2


def test_another_rule_book_decides_nothing_again(records: Records) -> None:
    number, utc_ns, logged = records[0]
    assert isinstance(logged.event, Started)
    records[0] = number, utc_ns, replace(logged, event=replace(logged.event, rulebook_digest="0" * 64))
    with pytest.raises(ConfigError, match="--rulebook"):
        replay(bodies(records), Shelf())


def test_a_house_gives_its_own_book(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    built_in = Path(__file__).parents[2] / "firmware_bridge/rulebooks/portugal.toml"
    own.write_bytes(built_in.read_bytes().replace(b'id = "portugal"', b'id = "ours"', 1))
    digest = load_rulebook(own).digest
    assert Shelf().find(digest) is None
    assert Shelf([own]).find(digest) == load_rulebook(own)


def test_a_journal_without_its_beginning_is_refused(records: Records) -> None:
    with pytest.raises(JournalError, match="record 2 comes before any controller started"):
        replay(bodies(records[1:]), Shelf())
