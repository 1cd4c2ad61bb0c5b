"""A shift on a disk that stays slow: play goes on, and a controller that makes it slower still is found out."""

from __future__ import annotations

import pytest

from firmware_bridge.core.controller import Controller
from firmware_bridge.core.events import FlushWasSlow
from firmware_bridge.core.records import Logged
from firmware_bridge.core.words import IncidentKind, Session
from sim_hardware.commands.simulate.fate import PLAYS_ON_S, SLOW_FOR_S
from sim_hardware.commands.simulate.shift import Shift
from sim_hardware.commands.simulate.watch import ViolationError
from sim_hardware.commands.simulate.world import seconds
from tests.simulate.test_invariants_bite import play_to, run_on


def slowed() -> Shift:
    shift = play_to(Session.READY)
    shift.world.let_each_flush_take(seconds(PLAYS_ON_S))
    shift.world.flush_takes_ns = seconds(PLAYS_ON_S)
    return shift


@pytest.mark.clause("SB-11")
def test_a_shift_plays_on_while_every_flush_is_slow() -> None:
    shift = slowed()
    rounds = len(shift.watch.state.rounds)
    run_on(shift, 4 * SLOW_FOR_S)
    told = [Logged.from_body(entry.body).event for entry in shift.world.disk.flushed]
    assert sum(isinstance(event, FlushWasSlow) for event in told) > 10
    assert len(shift.watch.state.rounds) > rounds
    assert IncidentKind.RELEASE_LAPSED not in shift.watch.state.incident_kinds


@pytest.mark.clause("SB-11")
def test_a_turn_that_waits_twice_for_a_disk_within_the_limit_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Controller, "_is_held_for_its_disk", lambda controller: bool(controller._slow_ms))
    shift = slowed()
    with pytest.raises(ViolationError, match="a turn waits for its disk twice"):
        run_on(shift, SLOW_FOR_S)
