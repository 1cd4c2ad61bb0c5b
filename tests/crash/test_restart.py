"""A controller started again: it goes on from its snapshot or without it, and what was open is open."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from drivers.protocol.messages import JamPlace, Lamp
from firmware_bridge.core.alarms import presented
from firmware_bridge.core.events import LinkDown, Started
from firmware_bridge.core.words import IncidentKind
from firmware_bridge.journal import verify
from tests.service import live
from tests.table.evening import Evening


@pytest.mark.parametrize("spoiled", [False, True])
def test_it_starts_from_the_snapshot_of_its_orderly_end_and_without_one_that_is_spoiled(
    tmp_path: Path, spoiled: bool
) -> None:
    live.enrol(tmp_path)
    config, journal = live.write_config(tmp_path), tmp_path / "table.journal"

    def missed() -> int:
        return sum(isinstance(record.event, LinkDown) for record in live.logged(journal))

    with live.Running(config) as running:
        live.eventually(lambda: missed() == 4, "each absent device is in the journal")
        assert running.end(signal.SIGTERM) == 0
    snapshot = tmp_path / "table.journal.snapshot"
    if spoiled:
        snapshot.write_bytes(snapshot.read_bytes()[:-100])
    with live.Running(config) as running:
        running.wait_for("controller_started")
        assert running.end(signal.SIGTERM) == 0
        assert ("snapshot_not_used" in running.output) == spoiled
    assert sum(isinstance(record.event, Started) for record in live.logged(journal)) == 2
    assert verify(journal).ok


@pytest.mark.field("BR-045")
@pytest.mark.clause("SB-2", "PT-A2")
def test_after_the_watchdogs_restart_the_open_procedure_and_its_alarm_are_open_still() -> None:
    """A controller that was killed within its work: the next one has only what was safe."""
    evening = Evening()
    evening.open_and_load()
    evening.hands.jam(JamPlace.EXIT)
    evening.hands.pull_card()
    assert evening.table.run(3, lambda: IncidentKind.JAM in evening.kinds())
    before = evening.state
    kept = before.positions, before.incidents, before.session, presented(before)
    evening.table.start_controller()
    assert evening.state is not before
    assert (evening.state.positions, evening.state.incidents, evening.state.session, presented(evening.state)) == kept
    evening.table.run(5)
    assert all(device.is_there for device in evening.state.devices.values()), "every link is back"
    assert evening.kinds() == [IncidentKind.JAM]
    assert presented(evening.state) == kept[-1]
    assert "SB-2" in evening.reasons()
    assert evening.hands.lamp_shown is Lamp.FLASHING
