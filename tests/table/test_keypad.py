"""The keypad in trouble: pulled out within a PIN, pressed twice, bouncing; and alarms that come meanwhile."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey, Key
from firmware_bridge.core.events import Acted, EntryDropped, Identified
from firmware_bridge.core.words import IncidentKind, Session, Trigger
from tests.table.evening import SUPERVISOR, Evening


def events(evening: Evening, kind: type) -> list[object]:
    return [record.event for record in evening.logged() if isinstance(record.event, kind)]


@pytest.mark.field("BR-043")
@pytest.mark.rule(31)
@pytest.mark.parametrize("away", [0.2, 60.0])
@pytest.mark.parametrize("key_is_down", [False, True])
def test_a_keypad_pulled_out_within_a_pin_leaves_no_digit_and_the_table_waits_for_it(
    away: float, key_is_down: bool
) -> None:
    evening = Evening()
    evening.open_table()
    identified = len(events(evening, Identified))
    evening.press(Key.CLEAR)
    evening.enter(SUPERVISOR)
    evening.press(1, 6)
    if key_is_down:
        evening.hands.press_key(1)  # and it is pulled out before the stroke has left
    evening.table.unplug("keypad")
    assert [kind for kind in evening.kinds() if kind is IncidentKind.KEYPAD_LOST]
    evening.table.wait(away)
    assert evening.session is Session.SHOWING, "it waits, and takes nobody's silence for an answer"
    assert "SB-2" in evening.reasons()
    evening.table.replug("keypad")
    evening.table.run(2)
    evening.press(1, 8, 0, 3, Key.ENTER)
    evening.press(1, 8, 0, 3, Key.ENTER)
    evening.table.run(0.2)
    assert len(events(evening, Identified)) == identified
    evening.confirm_all()
    assert len(events(evening, EntryDropped)) == 1


@pytest.mark.field("BR-044")
@pytest.mark.clause("SB-2")
@pytest.mark.parametrize("typed", range(1, 11))
def test_an_acknowledgement_is_of_the_alarm_that_was_presented_when_it_was_begun(typed: int) -> None:
    """A more urgent one is raised after so many keys."""
    evening = Evening()
    evening.open_table()
    evening.key(DealerKey.CALL_SUPERVISOR)
    evening.press(Key.CLEAR)
    keys = [2, 0, 1, Key.ENTER, *map(int, evening.people[SUPERVISOR][0]), Key.ENTER]
    evening.press(*keys[:typed])
    evening.key(DealerKey.DAMAGED_CARD)
    assert evening.table.assembly.controller.status().presented == 1, "what is presented stays while an entry is open"
    evening.press(*keys[typed:])
    evening.table.run(0.1)
    evening.press(2, Key.ENTER, Key.ENTER)
    called, damaged = evening.state.incidents.values()
    assert called.acknowledged_by == SUPERVISOR
    assert damaged.acknowledged is None
    assert evening.table.assembly.controller.status().presented == 2
    assert len(events(evening, Acted)) == 3, "the table opened, the dealer signed in, and one acknowledgement"


@pytest.mark.field("BR-044")
def test_keys_that_bounce_are_one_press_each() -> None:
    evening = Evening()
    for key in (Key.CLEAR, 2, 0, 1, Key.ENTER, *map(int, evening.people[SUPERVISOR][0]), Key.ENTER, 1, 0, Key.ENTER):
        evening.hands.press_key(key, bounces=4)
        evening.table.run(0.1)
    assert evening.session is Session.SHOWING
    assert evening.act(SUPERVISOR, Trigger.ACKNOWLEDGE) == "SB-2", "there is no alarm"
