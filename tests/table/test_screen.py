"""A table whose screen is gone: nobody answers blindly what he cannot see (SB-2)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.events import ScreenSeen
from firmware_bridge.core.words import Incident, IncidentKind, Trigger
from tests.table.evening import SUPERVISOR, Evening

pytestmark = pytest.mark.clause("SB-2")


@pytest.fixture
def dark() -> Evening:
    """A supervisor is called at a table whose screen is gone."""
    evening = Evening()
    evening.open_table()
    evening.key(DealerKey.CALL_SUPERVISOR)
    evening.table.show_screen(False)
    return evening


def test_a_screen_lost_is_an_incident_and_holds_the_table(dark: Evening) -> None:
    assert dark.kinds() == [IncidentKind.SUPERVISOR_CALLED, IncidentKind.SCREEN_LOST]
    assert "SB-2" in dark.reasons()


@pytest.mark.parametrize("step", [Trigger.ACKNOWLEDGE, Trigger.CONFIRM_INCIDENT])
def test_nobody_answers_an_alarm_that_no_screen_shows(dark: Evening, step: Trigger) -> None:
    assert dark.act(SUPERVISOR, step) == "SB-2"
    assert len(dark.kinds()) == 2
    assert all(incident.acknowledged is None for incident in dark.state.incidents.values())


def test_a_screen_that_is_back_clears_it_and_a_supervisor_confirms_it(dark: Evening) -> None:
    dark.table.show_screen(True)
    assert [one.state for one in dark.state.incidents.values() if one.kind is IncidentKind.SCREEN_LOST] == [
        Incident.CLEARED
    ]
    dark.confirm_all()


def test_the_same_sight_again_is_no_record(dark: Evening) -> None:
    for _ in range(3):
        dark.table.show_screen(False)
    assert [record.event for record in dark.logged() if isinstance(record.event, ScreenSeen)] == [ScreenSeen(False)]


def test_a_restart_brings_no_screen_back(dark: Evening) -> None:
    dark.table.start_controller()
    dark.table.run(3)
    assert dark.act(SUPERVISOR, Trigger.ACKNOWLEDGE) == "SB-2"


@pytest.mark.clause("SB-2")
def test_without_a_session_a_screen_lost_is_no_incident_but_no_table_is_opened_that_no_screen_shows() -> None:
    evening = Evening()
    evening.table.show_screen(False)
    assert not evening.kinds()
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) == "SB-2"
    evening.table.show_screen(True)
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) is None
