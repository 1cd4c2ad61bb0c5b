"""``python -m tests.mutants [NAMES]``: does each deliberate fault break an invariant within so many short shifts?

Each mutant is played first in the shift that caught it last time; one that got away is hunted in all shifts. A shift
counts only if it is clean without a mutant. A guard's mutant does nothing else than the product until that guard alone
keeps a row from firing: it is hunted only in the shifts in which its guard bites.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from tests.mutants.all_mutants import BY_NAME
from tests.mutants.caught import remember, remembered
from tests.mutants.check import misfits
from tests.mutants.guards import PREFIX
from tests.mutants.hunt import Census, Hunted, hunt, seed_and_plan, short_books, take_census
from tests.mutants.survivors import SURVIVORS

ENOUGH = 20
"""Shifts for a mutant that is listed as a survivor: those that catch most, to keep the list true."""
FIRST = 6
"""Shifts, of those that catch most, in which a mutant is hunted before all are played without any."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Hunt mutants; return 1 if one survives that is not listed, or a listed one is caught."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="which; none: all")
    parser.add_argument("--shifts", type=int, default=200, help="how many short shifts at most for each")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--list", action="store_true", help="say which there are, and whether each can be applied")
    parser.add_argument("--remember", action="store_true", help="write down in caught.toml where each was caught")
    asked = parser.parse_args(arguments)
    names = asked.names or list(BY_NAME)
    if unknown := [name for name in names if name not in BY_NAME]:
        parser.error(f"no mutant is called {', '.join(unknown)}; --list names all")
    if asked.list:
        return _list(names)
    began = time.monotonic()
    with short_books() as books:
        found = Hunters(books, asked.jobs, asked.shifts, asked.remember).hunt_all(names)
    return _judge([found[name] for name in names], time.monotonic() - began)


def _list(names: Sequence[str]) -> int:
    wrong = misfits(BY_NAME[name] for name in names)
    for name in names:
        print(f"{name:<32} {BY_NAME[name].fault}")
    print("\n".join(wrong))
    return 1 if wrong else 0


class Hunters:
    """So many processes that hunt; each mutant in a process of its own."""

    def __init__(self, books: str, jobs: int, shifts: int, remembers: bool = False) -> None:
        self._books = books
        self._jobs = jobs
        self._shifts = shifts
        self._remembers = remembers
        self._census = Census()

    def hunt_all(self, names: Sequence[str]) -> dict[str, Hunted]:
        """Hunt each where it was caught last; what got away there in the few shifts that catch most, then in all."""
        known = {name: shift for name, shift in remembered().items() if shift < self._shifts}
        found = self._hunt({name: [known[name]] for name in names if name in known})
        catches = Counter(known.values())
        ranked = sorted(range(self._shifts), key=lambda shift: (-catches[shift], shift))
        for shifts in (ranked[:FIRST], ranked[FIRST:]):
            if left := _at_large(names, found):
                self._play_without(shifts)
                found |= self._hunt({name: self._promising(name, shifts) for name in left})
        return found

    def _promising(self, name: str, shifts: Sequence[int]) -> list[int]:
        """Of these shifts those for a mutant: for a guard's only those in which it bites."""
        bites = self._census.bites.get(name.removeprefix(PREFIX), ())
        promising = [shift for shift in shifts if not name.startswith(PREFIX) or shift in bites]
        return promising[:ENOUGH] if name in SURVIVORS else promising

    def _hunt(self, where: Mapping[str, Sequence[int]]) -> dict[str, Hunted]:
        self._play_without({shift for shifts in where.values() for shift in shifts})
        broken = self._census.broken
        clean = {name: [shift for shift in shifts if shift not in broken] for name, shifts in where.items()}
        found = {name: Hunted(name) for name in where}
        with self._pool(1) as pool:
            hunts = [pool.submit(hunt, name, shifts, self._books) for name, shifts in clean.items() if shifts]
            for future in as_completed(hunts):
                one = future.result()
                found[one.name] = one
                print(told(one), flush=True)
                if self._remembers and one.violation:  # at once: a run of hours may be interrupted
                    remember(one)
        return found

    def _play_without(self, shifts: Iterable[int]) -> None:
        """Play shifts as the product is, those that were not yet; what breaks there is nobody's catch, and is said."""
        new = sorted(set(shifts) - self._census.played)
        with self._pool(None) as pool:
            for future in [pool.submit(take_census, new[at :: self._jobs], self._books) for at in range(self._jobs)]:
                census = future.result()
                self._census.add(census)
                for shift, violation in sorted(census.broken.items()):
                    seed, plan = seed_and_plan(shift)
                    print(f"shift {shift} (seed {seed}, {plan}) breaks without a mutant: {violation.splitlines()[-1]}")

    def _pool(self, tasks: int | None) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._jobs, mp_context=get_context("spawn"), max_tasks_per_child=tasks)


def _at_large(names: Iterable[str], found: Mapping[str, Hunted]) -> list[str]:
    """Those that were not caught yet."""
    return [name for name in names if name not in found or not (found[name].violation or found[name].misfit)]


def told(one: Hunted) -> str:
    """A line about one mutant."""
    if one.misfit:
        return f"{one.name:<32} CANNOT BE APPLIED: {one.misfit.splitlines()[-1]}"
    if one.shift is None:
        return f"{one.name:<32} gets away in {one.played} shifts, in {one.seconds:.0f} s"
    seed, plan = seed_and_plan(one.shift)
    where = f"shift {one.shift} (seed {seed}, {plan})"
    return (
        f"{one.name:<32} {one.caught_by:<18} {where:<32} {one.seconds:6.1f} s  {one.violation.splitlines()[-1][:200]}"
    )


def _judge(hunted: Sequence[Hunted], seconds: float) -> int:
    survivors = [one.name for one in hunted if not one.violation and not one.misfit]
    unlisted = [name for name in survivors if name not in SURVIVORS]
    too_good = [one.name for one in hunted if one.violation and one.name in SURVIVORS]
    misfit = [one.name for one in hunted if one.misfit]
    print(f"\n{len(hunted)} mutants, {len(survivors)} survivors, {seconds:.0f} s")
    for name in survivors:
        print(f"survives: {name}: {SURVIVORS.get(name, 'NOT LISTED: strengthen an invariant, or say why it cannot')}")
    for name in too_good:
        print(f"caught, though survivors.py lists it: {name}: take it off that list")
    for name in misfit:
        print(f"cannot be applied: {name}")
    return 1 if unlisted or too_good or misfit else 0


if __name__ == "__main__":
    sys.exit(main())
