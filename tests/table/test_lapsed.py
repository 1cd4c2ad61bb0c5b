"""A release that lapsed while the controller waited is spent: only a hold makes the next one possible (rule 26)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import IncidentKind, Session, Trigger
from sim_hardware.commands.stepped import NEVER
from tests.table.evening import SUPERVISOR, Evening

pytestmark = pytest.mark.clause("SB-1")

LASTS = 3.5
"""Seconds: a little more than a release lasts."""


def lapse(evening: Evening) -> None:
    """The controller takes no turn until every release has lapsed; links and devices go on."""
    table = evening.table
    table._turn_if_needed = lambda: None  # type: ignore[method-assign]
    table._turn_due = lambda: NEVER  # type: ignore[method-assign]
    table.run(LASTS)
    del table._turn_if_needed, table._turn_due
    table.run(2)
    assert set(evening.kinds()) == {IncidentKind.RELEASE_LAPSED}


@pytest.mark.clause("PT-A6")
def test_a_deck_whose_reading_lapsed_is_read_on_under_a_new_release(ready: Evening) -> None:
    ready.unload()
    ready.look()
    deck, *_ = ready.sort().values()
    ready.hands.put_in_shoe_tray(deck)
    ready.table.run(0.2)
    assert ready.key(DealerKey.YES) is None
    lapse(ready)
    assert ready.table.run(60, lambda: ready.session is Session.AWAITING_DECK)


@pytest.mark.clause("PT-A6")
def test_an_unloading_that_lapsed_goes_on_under_a_new_release(ready: Evening) -> None:
    assert ready.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert ready.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    ready.table.run(1)
    lapse(ready)
    for _ in range(20):  # more than lie at the mouth and in the buffer already
        assert ready.hands.pull_card() is not None
        ready.table.run(0.2)


@pytest.mark.clause("SB-2")
def test_dealing_that_lapsed_goes_on_only_when_its_alarm_is_confirmed(ready: Evening) -> None:
    lapse(ready)
    assert ready.hands.pull_card() is None
    ready.confirm_all()
    ready.table.run(1)
    assert ready.hands.pull_card() is not None
