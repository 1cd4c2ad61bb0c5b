"""What was mended and goes again before anybody confirmed it: the same alarm stands as at first (SB-2)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import Incident, IncidentKind, Session, Trigger
from sim_hardware.faults import Fault
from tests.table.byways import confirm, count, stands
from tests.table.evening import SUPERVISOR, Evening

pytestmark = pytest.mark.clause("SB-2")

Deed = Callable[[Evening], object]


def unplug(device: str) -> Deed:
    """The device's cable comes out, for longer than a release lasts."""

    def deed(evening: Evening) -> None:
        evening.table.unplug(device)
        evening.table.run(5)

    return deed


def replug(device: str) -> Deed:
    """The device's cable is put in again."""

    def deed(evening: Evening) -> None:
        evening.table.replug(device)
        evening.table.run(5)

    return deed


def screen(shown: bool) -> Deed:
    """A screen shows the table, or none."""

    def deed(evening: Evening) -> None:
        evening.table.show_screen(shown)
        evening.table.run(0.5)

    return deed


COMES_AND_GOES: dict[IncidentKind, tuple[Deed, Deed]] = {
    IncidentKind.KEYPAD_LOST: (unplug("keypad"), replug("keypad")),
    IncidentKind.LINK_LOST: (unplug("lamp"), replug("lamp")),
    IncidentKind.SCREEN_LOST: (screen(False), screen(True)),
}
"""How each kind goes, and how it is mended."""


@pytest.mark.clause("SB-1")
@pytest.mark.parametrize("kind", COMES_AND_GOES)
def test_what_goes_again_is_the_same_alarm_and_holds_the_table_again(ready: Evening, kind: IncidentKind) -> None:
    go, mend = COMES_AND_GOES[kind]
    for _ in range(2):
        go(ready)
        assert stands(ready, kind, Incident.RAISED, within=0.1)
        assert ready.hands.pull_card() is None
        mend(ready)
        assert stands(ready, kind, Incident.CLEARED, within=0.1)
        assert ready.hands.pull_card() is None, "back is not confirmed"
    assert ready.kinds() == [kind]
    ready.confirm_all()
    ready.table.run(1)
    assert ready.hands.pull_card() is not None


@pytest.mark.clause("SB-1")
def test_a_shoe_whose_release_lapsed_is_not_there_again_when_it_goes_once_more(ready: Evening) -> None:
    unplug("shoe")(ready)
    replug("shoe")(ready)
    assert stands(ready, IncidentKind.RELEASE_LAPSED, Incident.CLEARED, within=0.1)
    unplug("shoe")(ready)
    assert stands(ready, IncidentKind.RELEASE_LAPSED, Incident.RAISED, within=0.1)
    replug("shoe")(ready)
    assert stands(ready, IncidentKind.RELEASE_LAPSED, Incident.CLEARED, within=0.1)
    assert ready.hands.pull_card() is None
    ready.confirm_all()
    ready.table.run(1)
    assert ready.hands.pull_card() is not None


@pytest.mark.clause("PT-A10")
def test_a_lost_card_that_came_back_is_owed_again_when_another_slips_through_the_shut_gate(ready: Evening) -> None:
    lost = ready.deal(5)[0]
    ready.hands.move([lost], ready.hands.set_aside)
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.hands.put_in_intake_tray(ready.hands.on_table)
    ready.table.wait(70)
    ready.hands.put_in_intake_tray([lost])
    assert ready.table.run(10, lambda: ready.session is Session.READY)
    assert stands(ready, IncidentKind.CARD_LOST, Incident.CLEARED, within=1)
    ready.hands.faults.arm(Fault.GATE_LEAKS)
    slipped = ready.hands.pull_card()
    assert slipped is not None
    ready.table.run(1)
    assert stands(ready, IncidentKind.CARD_LOST, Incident.RAISED, within=0.1)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
    assert ready.act(SUPERVISOR, Trigger.DECLARE_SPILL) is None  # between rounds the intake takes no other card
    ready.table.run(0.5)
    ready.hands.put_in_intake_tray([slipped])
    assert stands(ready, IncidentKind.CARD_LOST, Incident.CLEARED, within=5)
    count(ready)
    assert stands(ready, IncidentKind.SPILL, Incident.CLEARED)
    confirm(ready)
