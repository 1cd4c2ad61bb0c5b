"""``python -m tests.clauses [NAMES]``: does a test that is marked with its clause fail, once a row or guard is gone?"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence

import pytest

from tests.clauses.hunt import Hunted, Hunters
from tests.clauses.mutants import ClauseMutant, all_mutants
from tests.clauses.survivors import SURVIVORS

WHERE = ["tests/table", "tests/core", "tests/view", "tests/hostile/test_state.py"]
"""Tests that run the procedures within pytest's own process; what is taken out there is in no other process."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Hunt mutants; return 1 if one survives that is not listed, a listed one is caught, or a test fails anyway."""
    parser = argparse.ArgumentParser(prog="python -m tests.clauses", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="which, by a part of their names; none: all")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--list", action="store_true", help="say which there are, with the clause that each carries")
    parser.add_argument("--tests", nargs="*", default=WHERE, help="where the tests are that may catch them")
    asked = parser.parse_args(arguments)
    mutants = all_mutants()
    chosen = {name: one for name, one in mutants.items() if any(part in name for part in asked.names or [""])}
    if not chosen:
        parser.error(f"no mutant has {' or '.join(asked.names)} in its name; --list names all")
    if asked.list:
        for name, one in chosen.items():
            print(f"{one.clause:<8}{name}")
        return 0
    return hunt(chosen, asked.jobs, asked.tests)


def hunt(mutants: Mapping[str, ClauseMutant], jobs: int, tests: Sequence[str]) -> int:
    """Hunt these, and tell what becomes of each."""
    began = time.monotonic()
    hunters = Hunters(mutants, jobs, tell)
    # native: a test that a time limit breaks off can have frames without a line, which pytest's own writer cannot write
    options = ["-q", "-s", "-p", "no:xdist", "--tb=native", "-m", "clause", "--no-header"]
    ended = pytest.main([*options, *tests], plugins=[hunters])
    if ended not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) or len(hunters.hunted) < len(mutants):
        print("the tests could not be collected; pytest says why above", file=sys.stderr)
        return 1
    survivors = [name for name, one in hunters.hunted.items() if not one.caught_by]
    unlisted = [name for name in survivors if name not in SURVIVORS]
    too_good = [name for name, one in hunters.hunted.items() if one.caught_by and name in SURVIVORS]
    print(f"\n{len(mutants)} taken out, {len(survivors)} not missed, {time.monotonic() - began:.0f} s")
    for name in hunters.broken:
        print(f"fails though nothing is taken out, so it catches nothing: {name}")
    for name in survivors:
        why = SURVIVORS.get(name, "NOT LISTED: write the test that shows it, or mark the one that does")
        print(f"not missed ({mutants[name].clause}): {name}: {why}")
    for name in too_good:
        print(f"missed, though survivors.py lists it: {name}: take it off that list")
    return 1 if unlisted or too_good or hunters.broken else 0


def tell(one: Hunted) -> None:
    """A line about one mutant."""
    print(f"{one.name:<70} {one.caught_by or f'NOT MISSED by {one.tests} tests'}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
