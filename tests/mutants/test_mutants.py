"""Do the checks bite? Every mutant fits the product, and the quickest are caught; ``make test-mutants`` hunts all."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.clauses.mutants import all_mutants
from tests.clauses.survivors import SURVIVORS as MISSED_BY_NONE
from tests.mutants.all_mutants import BY_NAME
from tests.mutants.caught import remembered
from tests.mutants.guards import PREFIX, all_rows, name_of
from tests.mutants.survivors import SELDOM, SURVIVORS

QUICKEST = (
    "pin_in_a_record",
    "ack_before_flush",
    "hold_after_flush",
    "everybody_a_supervisor",
    "state_moved_beside_changes",
)
"""Those caught soonest, by measure; each by an invariant of its own."""

GUARD, SHIFT = "without_pack_is_big_enough", 2
"""A guard and a shift that catches it early."""


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


@pytest.mark.timeout(240)
def test_a_guards_copy_goes_on_as_its_mutant_does_from_the_first_moment() -> None:
    told = f"""
from tests.mutants import hunt, in_forks
with hunt.short_books() as books:
    forks = in_forks.play_in_forks({SHIFT}, books, ["{GUARD}"])
    print(forks[0] or forks[1][0].violation)
"""
    apart = f"""
from tests.mutants import hunt
with hunt.short_books() as books:
    print(hunt.hunt("{GUARD}", [{SHIFT}], books).violation)
"""
    in_a_copy, from_the_first = (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
        for program in (told, apart)
    )
    assert "invariant" in in_a_copy
    assert in_a_copy == from_the_first


def test_every_guard_of_the_tables_has_its_mutant() -> None:
    named = {PREFIX + name_of(guard) for row in all_rows() for guard in row.guards}
    assert named == {name for name in BY_NAME if name.startswith(PREFIX)}


def test_at_least_twenty_mutants_are_by_hand() -> None:
    assert sum(not name.startswith(PREFIX) for name in BY_NAME) >= 20


def test_every_survivor_is_a_mutant_and_has_a_reason() -> None:
    assert SURVIVORS.keys() <= BY_NAME.keys()
    assert all(SURVIVORS.values())


def test_a_guard_that_no_shift_reaches_is_missed_by_a_test_of_its_clause() -> None:
    by_clause = {name.split()[1] for name in all_mutants() if name.startswith("without ")}
    assert {name.removeprefix(PREFIX) for name in SELDOM} <= by_clause
    assert not MISSED_BY_NONE


def test_what_is_remembered_is_of_mutants_that_there_are() -> None:
    assert remembered().keys() <= BY_NAME.keys()
