"""What ``sabot devices approve`` says: who is to type what, and that nothing is approved from there."""

from __future__ import annotations

from copy import deepcopy

import pytest

from firmware_bridge.core.changes import Seen, Sight, Unlinked
from firmware_bridge.core.fold import apply_change
from firmware_bridge.core.words import IncidentKind, Trigger
from firmware_bridge.view import Hand, approval_lines
from firmware_bridge.view.alarm_asks import alarm_lines
from tests.table.byways import update
from tests.table.evening import PORTUGAL, SUPERVISOR, TECHNICIAN, Evening

pytestmark = pytest.mark.clause("SB-10")


def lines(evening: Evening) -> str:
    return "\n".join(approval_lines(evening.state, PORTUGAL))


def test_each_alarm_says_what_the_technician_types_and_then_what_the_supervisor_types() -> None:
    evening = Evening()
    assert "approved one" in lines(evening)
    evening.open_table()
    for name in ("lamp", "keypad"):
        update(evening, name, "simulated 2")
    told = lines(evening)
    assert told.count("Technician: step 62") == 2
    assert told.count("its turn at the keypad comes after incident") == 1
    assert "Nothing is approved from here" in told
    for checked in (1, 2):
        assert evening.act(TECHNICIAN, Trigger.CHECK_DEVICE) is None
        assert lines(evening).count("Supervisor: step 63") == checked
    for left in (1, 0):
        assert evening.act(SUPERVISOR, Trigger.APPROVE_DEVICE) is None
        assert lines(evening).count("Supervisor: step 63") == left


def test_of_a_closed_table_it_says_that_the_alarm_comes_with_its_opening() -> None:
    evening = Evening()
    evening.open_table()
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    update(evening, "lamp", "simulated 2")
    assert "simulated 2 instead of simulated 1" in lines(evening)
    assert "opens with the next session" in lines(evening)
    assert "step" not in lines(evening)


def test_a_device_that_is_back_and_still_tells_what_happened_is_waited_for_and_nobody_is_to_connect_it() -> None:
    evening = Evening()
    evening.open_table()
    update(evening, "lamp", "simulated 2")
    state = deepcopy(evening.state)
    [number] = [at for at, one in state.incidents.items() if one.kind is IncidentKind.IDENTITY_CHANGED]
    apply_change(state, Seen("lamp", Sight.CAUGHT_UP, False))
    asked = [line.text for line in alarm_lines(state, number, PORTUGAL) if line.trigger in (Hand.WAIT, Hand.CONNECT)]
    assert asked == ["Wait: lamp is back and tells what happened before"]
    apply_change(state, Unlinked("lamp", "unplugged"))
    asked = [line.text for line in alarm_lines(state, number, PORTUGAL) if line.trigger in (Hand.WAIT, Hand.CONNECT)]
    assert asked == ["Supervisor: connect lamp: unplugged"]


@pytest.mark.clause("SB-4")
@pytest.mark.field("BR-001")
def test_of_the_same_machine_with_other_firmware_nothing_is_said_to_be_left_in_another() -> None:
    evening = Evening()
    evening.open_and_load()
    update(evening, "shuffler", "simulated 2")
    [number] = [at for at, one in evening.state.incidents.items() if one.kind is IncidentKind.IDENTITY_CHANGED]
    asks = alarm_lines(evening.state, number, PORTUGAL)
    [text] = [line.text for line in asks if line.trigger == Hand.CONNECT_APPROVED]
    assert "have the approved shuffler connected again" in text
    assert "stood here" not in text
