"""Do the checks bite? Every mutant fits the product, and the quickest are caught; ``make test-mutants`` hunts all."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.mutants.all_mutants import BY_NAME
from tests.mutants.caught import remembered
from tests.mutants.guards import PREFIX, all_rows, name_of
from tests.mutants.survivors import SURVIVORS

QUICKEST = (
    "pin_in_a_record",
    "ack_before_flush",
    "hold_after_flush",
    "everybody_a_supervisor",
    "state_moved_beside_changes",
)
"""Those caught soonest, by measure; each by an invariant of its own."""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``python -m tests.mutants`` in a process of its own, which has not imported the product yet."""
    return subprocess.run(
        [sys.executable, "-m", "tests.mutants", *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.timeout(240)
def test_every_mutant_still_changes_the_product() -> None:
    ran = run("--list")
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.timeout(240)
def test_the_quickest_mutants_are_caught() -> None:
    ran = run(*QUICKEST, "--shifts", "8", "--jobs", "1")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"{len(QUICKEST)} mutants, 0 survivors" in ran.stdout


def test_every_guard_of_the_tables_has_its_mutant() -> None:
    named = {PREFIX + name_of(guard) for row in all_rows() for guard in row.guards}
    assert named == {name for name in BY_NAME if name.startswith(PREFIX)}


def test_at_least_twenty_mutants_are_by_hand() -> None:
    assert sum(not name.startswith(PREFIX) for name in BY_NAME) >= 20


def test_every_survivor_is_a_mutant_and_has_a_reason() -> None:
    assert SURVIVORS.keys() <= BY_NAME.keys()
    assert all(SURVIVORS.values())


def test_what_is_remembered_is_of_mutants_that_there_are() -> None:
    assert remembered().keys() <= BY_NAME.keys()
