"""Numbers come to their ends and never begin again at 0: the device holds and is out of use, and no error is raised."""

from __future__ import annotations

import pytest

from drivers.protocol import messages as m
from sim_hardware.event_store import LAST_EVENT
from sim_hardware.firmware import LAST_NUMBER
from tests.sim.host import DEAL, Rig, pulls


def at_the_last_event() -> Rig:
    """Return a table that deals, whose shoe has one event number left."""
    rig = Rig()
    rig.ready()
    rig.table.devices["shoe"].store.last = LAST_EVENT - 1
    return rig


@pytest.mark.rule(6, 20)
def test_the_card_that_takes_the_last_number_is_the_last_card() -> None:
    rig = at_the_last_event()
    assert pulls(rig) == 1
    assert rig.last("shoe", m.Event).number == LAST_EVENT
    heartbeat = rig.heartbeat("shoe")
    assert (heartbeat.held, heartbeat.lapsed) == (True, False)
    assert (heartbeat.first_kept, heartbeat.last) == (LAST_NUMBER, LAST_EVENT)


@pytest.mark.rule(20)
def test_out_of_event_numbers_nothing_releases_and_nothing_is_told_but_levels_and_openings_go_on() -> None:
    rig = at_the_last_event()
    pulls(rig, 2)
    rig.hold("shoe")
    rig.release("shoe", DEAL)
    for key in m.DealerKey:
        rig.table.press_dealer_key(key)
    rig.table.reboot("shoe")
    hello = rig.open("shoe")
    assert (hello.first_kept, hello.last) == (LAST_NUMBER, LAST_EVENT)
    rig.level("shoe", m.Level.PROMPT, 5)
    rig.hold("shoe")
    rig.release("shoe", DEAL)
    assert pulls(rig, 4) == 0
    assert rig.heartbeat("shoe").held
    assert rig.heartbeat("shoe").prompt_revision == 1
    assert rig.last("shoe", m.Event).number == LAST_EVENT


@pytest.mark.rule(15, 16)
def test_out_of_event_numbers_no_command_is_accepted() -> None:
    rig = Rig()
    rig.open("shuffler")
    rig.table.devices["shuffler"].store.last = LAST_EVENT
    rig.say("shuffler", m.Command(rig.links["shuffler"], 9, m.Operation.INVENTORY, 0))
    heartbeat = rig.heartbeat("shuffler")
    assert (heartbeat.busy, heartbeat.highest_command) == (False, 0)


@pytest.mark.rule(5, 12)
def test_a_new_memory_has_all_numbers_again() -> None:
    rig = at_the_last_event()
    pulls(rig, 2)
    rig.table.reboot("shoe", memory_lost=True)
    rig.open("shoe")
    rig.begin_events("shoe")
    assert rig.last("shoe", m.Event).number == 1
    rig.release("shoe", DEAL)
    assert pulls(rig, 2) == 2


@pytest.mark.rule(23)
def test_the_last_hold_revision_holds_and_never_releases() -> None:
    """Above a release there must be room for a hold."""
    rig = Rig()
    rig.ready()
    rig.revisions["shoe", m.Level.HOLD] = LAST_NUMBER - 1
    rig.release("shoe", DEAL, renewing=False)
    assert rig.heartbeat("shoe").hold_revision < LAST_NUMBER
    rig.revisions["shoe", m.Level.HOLD] = LAST_NUMBER - 1
    rig.hold("shoe")
    assert rig.last("shoe", m.Event).body == m.HoldConfirmed(rig.links["shoe"], LAST_NUMBER)
    assert pulls(rig, 4) == 0


@pytest.mark.rule(9, 24)
def test_after_the_last_heartbeat_there_is_none_and_the_release_runs_out() -> None:
    rig = Rig()
    rig.ready()
    rig.table.devices["shoe"]._heartbeat_number = LAST_NUMBER - 1
    assert rig.heartbeat("shoe").number == LAST_NUMBER
    heard = len(rig.all("shoe", m.Heartbeat))
    rig.run(4)
    assert len(rig.all("shoe", m.Heartbeat)) == heard
    assert isinstance(rig.last("shoe", m.Event).body, m.Lapsed)
    rig.table.reboot("shoe")
    assert rig.heartbeat("shoe").number == 1


@pytest.mark.rule(30)
def test_after_the_last_stroke_of_a_link_there_is_none() -> None:
    rig = Rig()
    rig.open("keypad")
    rig.table.devices["keypad"]._session.strokes = LAST_NUMBER - 1
    for key in (1, 2, 3):
        rig.table.press_key(key)
    rig.run()
    assert [stroke.counter for stroke in rig.all("keypad", m.Stroke)] == [LAST_NUMBER]
    rig.open("keypad")
    rig.table.press_key(4)
    rig.run()
    assert rig.last("keypad", m.Stroke).counter == 1
