"""Each row, guard and reason is taken out once; here a sample of them, and that the hunt itself bites."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import pytest

from firmware_bridge.core import outputs
from tests.architecture.test_names import CLAUSES
from tests.architecture.tree import ROOT
from tests.clauses.mutants import REASONS, all_mutants, tables
from tests.clauses.survivors import SURVIVORS
from tests.mutants.guards import name_of

SAMPLE = ("claim: ", "no_open_claim", "in spite of claim")
ITS_TESTS = ("tests/table/test_rows_session.py", "tests/table/test_rounds.py", "tests/table/test_closing.py")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``python -m tests.clauses`` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "tests.clauses", *arguments], capture_output=True, text=True, check=False, cwd=ROOT
    )


@pytest.mark.timeout(240)
def test_each_of_a_sample_that_is_taken_out_is_missed_by_a_test_of_its_clause() -> None:
    ran = run(*SAMPLE, "--jobs", "1", "--tests", *ITS_TESTS)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "5 taken out, 0 not missed" in ran.stdout


@pytest.mark.timeout(120)
def test_what_no_test_misses_fails_the_hunt() -> None:
    ran = run("without outcome_is_named", "--jobs", "1", "--tests", "tests/table/test_pins.py")
    assert ran.returncode == 1
    assert "not missed (SB-8): without outcome_is_named (SB-8): NOT LISTED" in ran.stdout


def test_every_row_and_every_guard_is_taken_out_under_a_clause_that_there_is() -> None:
    mutants = all_mutants()
    rows = {id(row) for _, table in tables() for row in table}
    guards = {name_of(guard) for _, table in tables() for row in table for guard in row.guards}
    taken = [one for one in mutants.values() if one.name.startswith("without ")]
    assert {one.name.split()[1] for one in taken} == guards
    assert len(
        [one for one in mutants.values() if one.name.startswith(tuple(f"{name}: " for name, _ in tables()))]
    ) == len(rows)
    assert {one.clause for one in mutants.values()} <= CLAUSES


def test_every_reason_to_hold_dealing_is_taken_out() -> None:
    written = re.findall(r'Reason\("([^"]+)", "([^"]+)"', inspect.getsource(outputs))
    assert {about: rule for rule, about in written} == REASONS


def test_what_is_listed_as_not_missed_is_taken_out_and_has_a_reason() -> None:
    assert SURVIVORS.keys() <= all_mutants().keys()
    assert all(SURVIVORS.values())
