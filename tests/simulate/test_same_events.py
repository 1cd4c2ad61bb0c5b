"""The same seed gives the same events: in two processes, whatever their hashes, and in any number of processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

PLAY = (
    "from sim_hardware.commands.simulate.shift import Settings, Shift, as_line;"
    "print(as_line(Shift(Settings(seed=5, rounds=2, faults='storm', ways_out=0)).play()))"
)
"""Without ways out: they are tried on copies, of which the shift itself knows nothing."""


@pytest.mark.timeout(180)
def test_two_processes_with_other_hashes_write_the_same_journal() -> None:
    lines = [_played(hash_seed) for hash_seed in ("1", "2")]
    assert lines[0] == lines[1]
    assert json.loads(lines[0])[0] == 5


@pytest.mark.timeout(180)
def test_more_processes_give_the_same_results_in_the_same_order() -> None:
    command = ["-m", "firmware_bridge.service", "simulate", "--shifts=3", "--rounds=1", "--faults=typical"]
    alone, together = (_run({}, *command, f"--jobs={jobs}") for jobs in (1, 2))
    assert alone == together
    assert alone.splitlines()[-1].startswith("3 shifts, ")


def _played(hash_seed: str) -> str:
    return _run({"PYTHONHASHSEED": hash_seed}, "-c", PLAY).strip()


def _run(environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=True).stdout
