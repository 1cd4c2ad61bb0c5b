"""Who may act is looked up when the people file changes, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_bridge.core.controller import MayAct
from firmware_bridge.core.secrets import Pin
from firmware_bridge.core.words import Role
from firmware_bridge.service.people import add_person, disable_person
from firmware_bridge.service.people_watch import PeopleWatch


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "people.json"
    add_person(path, 21, Role.DEALER, Pin("739154"))
    add_person(path, 22, Role.DEALER, Pin("628419"))
    return path


@pytest.mark.clause("SB-3")
def test_who_was_disabled_a_moment_ago_may_not_act(path: Path) -> None:
    watch = PeopleWatch(path)
    assert watch.look() == [MayAct(frozenset({21, 22}))]
    assert watch.look() == []
    disable_person(path, 21)
    assert watch.look() == [MayAct(frozenset({22}))]


@pytest.mark.clause("SB-3")
def test_a_file_that_cannot_be_read_takes_nobodys_right_and_is_said_once(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    watch = PeopleWatch(path)
    watch.look()
    path.write_text("no people", encoding="utf-8")
    assert watch.look() == watch.look() == []
    assert capsys.readouterr().out.count("people_unreadable") == 1
