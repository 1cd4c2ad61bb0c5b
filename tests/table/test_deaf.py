"""A device that hears nothing more, and goes on telling that all is well: the table must not believe that it obeys."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import Lamp, Level, SetLevel
from firmware_bridge.core.events import TimerDue
from firmware_bridge.core.words import Incident, IncidentKind, Session, Trigger
from sim_hardware.lamp import LampFirmware
from tests.table.evening import SUPERVISOR, Evening
from tests.table.told import asked

LAPSE_AND_LOSS = 6.0
"""Seconds: the lease runs out after three, and what is asked then stays unanswered for two, by a beat of a half."""

HEARS_NOTHING = "hear nothing"


def deafen(evening: Evening, device: str) -> None:
    """Let nothing reach a device from now on; what it sends arrives."""
    wire = evening.table._to_device[device]
    wire.cut()
    wire.put = lambda at, data: None  # type: ignore[method-assign]  # noqa: ARG005


def mend(evening: Evening, device: str) -> None:
    """Let all reach it again."""
    del evening.table._to_device[device].put  # type: ignore[attr-defined]


def is_lost_as_deaf(evening: Evening, device: str) -> bool:
    one = evening.state.devices[device]
    return not one.is_there and HEARS_NOTHING in one.reason


@pytest.mark.field("BR-026")
@pytest.mark.clause("SB-1")
def test_a_shoe_that_hears_nothing_in_play_is_lost_and_nothing_says_deal(ready: Evening) -> None:
    ready.deal(2)
    deafen(ready, "shoe")
    assert ready.table.run(LAPSE_AND_LOSS, lambda: is_lost_as_deaf(ready, "shoe"))
    ready.table.run(1)
    assert ready.hands.pull_card() is None
    assert ready.reasons()
    assert IncidentKind.LINK_LOST in ready.kinds()
    ready.table.run(60)
    assert is_lost_as_deaf(ready, "shoe"), "its state stays unknown, whatever it says of itself"
    mend(ready, "shoe")
    ready.table.run(3)
    assert ready.state.devices["shoe"].is_there
    assert ready.hands.pull_card() is None, "that it is back is not confirmed yet"
    ready.confirm_all()
    ready.table.run(1)
    assert ready.hands.pull_card() is not None


@pytest.mark.field("BR-026")
@pytest.mark.clause("SB-1")
def test_a_lamp_that_hears_nothing_at_an_alarm_is_an_alarm_itself(ready: Evening) -> None:
    deafen(ready, "lamp")
    ready.table.run(30)
    assert ready.state.devices["lamp"].is_there, "nothing was asked of it, so nothing is missed"
    ready.table.unplug("shoe")
    assert ready.table.run(3.5, lambda: is_lost_as_deaf(ready, "lamp"))
    assert ready.hands.lamp_shown is Lamp.OFF
    assert ready.kinds().count(IncidentKind.LINK_LOST) == 2
    mend(ready, "lamp")
    ready.table.run(2)
    assert ready.hands.lamp_shown is not Lamp.OFF


@pytest.mark.field("BR-026")
@pytest.mark.clause("SB-1")
def test_a_shuffler_that_hears_nothing_while_it_is_loaded_is_lost() -> None:
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    deafen(evening, "shuffler")
    evening.table.run(10)
    assert evening.act(SUPERVISOR, Trigger.START_PACK) is None
    assert evening.table.run(3.5, lambda: is_lost_as_deaf(evening, "shuffler"))
    assert IncidentKind.LINK_LOST in evening.kinds()


@pytest.mark.field("BR-026")
@pytest.mark.clause("SB-1")
def test_a_shuffler_that_does_not_hear_that_it_is_to_count_is_lost() -> None:
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    for cards in (len(evening.hands.box) // 2, len(evening.hands.box)):
        evening.load_pack(cards)
        assert evening.end_pack() is None
    deafen(evening, "shuffler")
    assert evening.act(SUPERVISOR, Trigger.DECLARE_LOADED) is None
    assert evening.table.run(3.5, lambda: is_lost_as_deaf(evening, "shuffler"))
    assert evening.session is not Session.READY


IGNORING_FOR = 900.0
"""Seconds: a lamp that stays dark for a quarter of an hour is one alarm, not hundreds."""


@pytest.mark.field("BR-026")
@pytest.mark.clause("SB-1")
def test_a_lamp_that_answers_and_stays_dark_is_one_alarm_that_names_it_until_it_obeys(ready: Evening) -> None:
    lamp = ready.hands.equipment["lamp"]
    assert isinstance(lamp, LampFirmware)
    obeyed = lamp._on_level
    lamp._handlers[SetLevel] = lambda message: None if message.level is Level.LAMP else obeyed(message)
    ready.table.unplug("shoe")
    ready.table.run(3)
    ready.table.replug("shoe")
    ready.table.run(20)
    records = len(ready.logged())
    ready.table.run(IGNORING_FOR)
    since = [one.event for one in ready.logged()[records:]]
    assert all(isinstance(event, TimerDue) for event in since), "nobody answers the alarm, and else nothing happens"
    device = ready.state.devices["lamp"]
    assert device.open
    assert not device.is_there
    assert [one.state for one in ready.state.incidents.values() if one.about == "lamp"] == [Incident.RAISED]
    assert "see to the lamp: it answers, but does not do what it is asked (lamp)" in asked(ready)
    assert ready.reasons()
    assert ready.hands.pull_card() is None
    lamp._handlers[SetLevel] = obeyed
    ready.table.run(2)
    assert device.is_there
    assert ready.hands.lamp_shown is not Lamp.OFF
    ready.confirm_all()
    ready.table.run(1)
    assert ready.hands.pull_card() is not None
