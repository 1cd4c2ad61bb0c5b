"""The keypad and the people at it: who is unknown does nothing, and no PIN is anywhere (SB-3)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import Key
from firmware_bridge.core.events import Acted, EntryDropped, Identified, Rejected
from firmware_bridge.core.words import Session, Trigger
from tests.table import evening as evenings
from tests.table.evening import DEALER, SUPERVISOR, Evening


def kinds(evening: Evening) -> list[type]:
    return [type(record.event) for record in evening.logged()]


@pytest.mark.parametrize(("person", "pin"), [(999, "161803"), (SUPERVISOR, "000001")])
def test_an_unknown_person_and_a_wrong_pin_are_rejected_alike(person: int, pin: str) -> None:
    evening = Evening()
    evening.identify(person, pin)
    evening.enter(10)
    assert Rejected in kinds(evening)
    assert Identified not in kinds(evening)
    assert evening.session is Session.CLOSED


def test_an_entry_opens_one_act_only() -> None:
    evening = Evening()
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) is None
    evening.enter(40)  # nobody is identified any more: this is the beginning of a number
    assert kinds(evening).count(Acted) == 1


def test_an_entry_left_alone_is_dropped_after_the_houses_time() -> None:
    evening = Evening()
    evening.identify(SUPERVISOR)
    evening.table.wait(31)
    assert kinds(evening)[-1] is EntryDropped
    evening.enter(10)
    assert evening.session is Session.CLOSED


@pytest.mark.rule(31)
def test_a_keypad_unplugged_within_a_pin_drops_the_entry() -> None:
    evening = Evening()
    evening.press(Key.CLEAR)
    evening.enter(SUPERVISOR)
    evening.press(1, 6, 1)
    evening.table.unplug("keypad")
    evening.table.run(0.5)
    evening.table.replug("keypad")
    evening.table.run(2)
    assert evening.state.devices["keypad"].is_there
    evening.press(8, 0, 3, Key.ENTER)
    evening.enter(10)
    evening.table.run(1)
    assert Identified not in kinds(evening)
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) is None, "the whole entry, begun anew, is heard"


def test_a_step_that_does_not_exist_is_said_and_the_entry_stays_open() -> None:
    evening = Evening()
    evening.identify(SUPERVISOR)
    evening.enter(99)
    assert "no step 99" in evening.table.assembly.controller.status().message
    evening.enter(10)
    evening.table.run(0.1)
    assert evening.session is Session.SHOWING


def test_two_runs_with_other_pins_of_one_length_leave_the_same_journal(monkeypatch: pytest.MonkeyPatch) -> None:
    def journal() -> list[bytes]:
        evening = Evening(seed=5)
        evening.open_and_load()
        evening.play_round()
        return [record.digest for record in evening.table.store.records()]

    first = journal()
    others = {number: (f"{987650 + number % 7:06d}", role) for number, (_, role) in evenings.PEOPLE.items()}
    monkeypatch.setattr(evenings, "PEOPLE", others)
    assert journal() == first


def test_no_pin_stands_in_the_journal() -> None:
    evening = Evening()
    evening.open_and_load()
    text = b"".join(record.body for record in evening.table.store.records())
    for person in (SUPERVISOR, DEALER):
        pin = evenings.PEOPLE[person][0]
        assert pin.encode() not in text
        assert pin.encode().hex().encode() not in text
