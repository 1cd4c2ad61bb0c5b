"""The command prints what was played: at its end, and when it is interrupted."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from firmware_bridge.service.interrupts import INTERRUPTED
from sim_hardware.commands.simulate import command
from sim_hardware.commands.simulate.shift import Result, Settings


def interrupted(wanted: Iterator[Settings], _jobs: int) -> Iterator[Result]:
    """Play one shift of seven records; then somebody presses Ctrl-C."""
    yield Result(next(wanted), events=7)
    raise KeyboardInterrupt


def test_ctrl_c_prints_what_was_played_until_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "play", interrupted)
    told = CliRunner().invoke(command.simulate, ["--shifts", "3"])
    assert told.exit_code == INTERRUPTED
    assert told.output.splitlines()[-1] == "1 shifts, 7 events, 0 violations, 0.0% verified"
    assert "How often each fault struck:" in told.output
