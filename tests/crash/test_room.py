"""How much room the journal's disk has, as the controller is told of it."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from firmware_bridge.core.controller import Now, Room
from firmware_bridge.errors import JournalError
from firmware_bridge.service.config import Table
from firmware_bridge.service.room import PERIOD_NS, RoomWatch, free_mb


def looks(*frees: int) -> list[bool]:
    """What is seen when so many megabytes are free, at one look after the other."""
    table = Table(name="BJ", decks=4, backs=("red",), rulebook="portugal", journal="j", people="p", journal_room_mb=100)
    clock, left = [0], list(frees)
    watch = RoomWatch(table, lambda: Now(clock[0], 0, 0), lambda: left.pop(0))
    seen = []
    for _ in frees:
        seen += [room.low for room in watch.look()]
        assert watch.look() == [], "the next look is ten seconds later"
        clock[0] += PERIOD_NS
    return seen


@pytest.mark.field("BR-038")
def test_low_is_below_what_is_configured_and_enough_again_a_quarter_above_it() -> None:
    assert looks(101, 100, 99, 100, 124, 125, 100, 99) == [False, False, True, True, True, False, False, True]


def test_it_says_how_much_is_free(tmp_path: Path) -> None:
    table = Table(name="BJ", decks=4, backs=("red",), rulebook="portugal", journal="j", people="p")
    assert RoomWatch(table, lambda: Now(0, 0, 0), lambda: 17).look() == [Room(True, 17)]
    assert free_mb(tmp_path / "journal") > 0


@pytest.mark.field("BR-038")
def test_what_is_kept_for_the_system_s_own_user_is_no_room_for_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SimpleNamespace(f_bsize=1 << 20, f_frsize=4096, f_blocks=1_000_000, f_bfree=50_000, f_bavail=10_000)
    monkeypatch.setattr(os, "statvfs", lambda _: disk)
    assert free_mb(tmp_path / "journal") == 40, "10,000 blocks of 4,096 bytes, in whole megabytes"


def test_a_disk_that_is_gone_is_a_journal_that_fails(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="looking for room"):
        free_mb(tmp_path / "gone" / "journal")
