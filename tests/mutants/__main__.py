"""``python -m tests.mutants [NAMES]``: does each deliberate fault break an invariant within so many short shifts?

Each mutant is played first in the shift that caught it last time; one that got away is hunted in all shifts. A shift
counts only if it is clean without a mutant. A guard's mutant does nothing else than the product until that guard alone
keeps a row from firing: there a copy of the shift goes on without it (``in_forks.py``).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from multiprocessing import get_context

from tests.mutants.all_mutants import BY_NAME
from tests.mutants.caught import remember, remembered
from tests.mutants.check import misfits
from tests.mutants.guards import PREFIX
from tests.mutants.hunt import Hunted, hunt, seed_and_plan, short_books
from tests.mutants.in_forks import play_in_forks
from tests.mutants.survivors import SURVIVORS
from tests.mutants.themes import SHIFTS, series_of

ENOUGH = 20
"""Shifts, of those that catch most, in which a mutant is hunted first, and one that is listed as a survivor at all."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Hunt mutants; return 1 if one survives that is not listed, or a listed one is caught."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="which; none: all")
    parser.add_argument("--shifts", type=int, default=SHIFTS, help="how many short shifts at most for each")
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
    """So many processes that hunt: a shift at a time for the guards, each other mutant in a process of its own."""

    def __init__(self, books: str, jobs: int, shifts: int, remembers: bool = False) -> None:
        self._books = books
        self._jobs = jobs
        self._shifts = shifts
        self._remembers = remembers
        self._found: dict[str, Hunted] = {}
        self._as_it_is: dict[int, str] = {}
        """What breaks in a shift that was played without a mutant: nothing, or it is nobody's catch."""

    def hunt_all(self, names: Sequence[str]) -> dict[str, Hunted]:
        """Hunt each where it was caught last; what got away there in the few shifts that catch most, then in all."""
        self._found = {name: Hunted(name) for name in names}
        known = {name: shift for name, shift in remembered().items() if shift < self._shifts}
        self._hunt({name: [known[name]] for name in names if name in known})
        where = {name: self._where(name, Counter(known.values())) for name in self._at_large(names)}
        self._hunt({name: shifts[:ENOUGH] for name, shifts in where.items()})
        left = [name for name in self._at_large(names) if name not in SURVIVORS]
        self._hunt({name: where[name][ENOUGH:] for name in left})
        for name in self._at_large(names):
            print(told(self._found[name]), flush=True)
        return self._found

    def _where(self, name: str, catches: Counter[int]) -> list[int]:
        """The shifts in which a mutant can show, those first that catch most."""
        series = BY_NAME[name].series
        shifts = [shift for shift in range(self._shifts) if series in ("", series_of(shift).name)]
        return sorted(shifts, key=lambda shift: (-catches[shift], shift))

    def _hunt(self, where: Mapping[str, Sequence[int]]) -> None:
        """Hunt each of these in the shifts that are named for it."""
        guards = {name: shifts for name, shifts in where.items() if name.startswith(PREFIX)}
        shifts = list(dict.fromkeys(shift for some in guards.values() for shift in some))
        for at in range(0, len(shifts), self._jobs):
            left = self._at_large(guards)
            batch = {shift: [name for name in left if shift in guards[name]] for shift in shifts[at : at + self._jobs]}
            self._play({shift: wanted for shift, wanted in batch.items() if wanted})
        others = {name: shifts for name, shifts in where.items() if name not in guards}
        while others:
            others = self._hunt_others(others)

    def _hunt_others(self, where: Mapping[str, Sequence[int]]) -> dict[str, Sequence[int]]:
        """Hunt mutants that are there from the first moment; return those to hunt on: their shift breaks as it is."""
        again: dict[str, Sequence[int]] = {}
        with self._pool(1) as pool:
            for future in as_completed([pool.submit(hunt, name, some, self._books) for name, some in where.items()]):
                one = future.result()
                if one.shift is not None and one.shift not in self._as_it_is:
                    self._play({one.shift: []})
                if one.shift is not None and self._as_it_is[one.shift]:
                    again[one.name] = where[one.name][where[one.name].index(one.shift) + 1 :]
                else:
                    self._take(one)
        return again

    def _play(self, wanted: Mapping[int, Sequence[str]]) -> None:
        """Play shifts as the product is, each with a copy for every guard of its list that bites there."""
        with self._pool(None) as pool:
            plays = {shift: pool.submit(play_in_forks, shift, self._books, names) for shift, names in wanted.items()}
            for shift, future in plays.items():
                self._as_it_is[shift], hunted = future.result()
                for one in hunted if not self._as_it_is[shift] else ():
                    self._take(one)
        for shift in (shift for shift in wanted if self._as_it_is[shift]):
            seed, plan = seed_and_plan(shift)
            print(f"shift {shift} (seed {seed}, {plan}) breaks as it is: {self._as_it_is[shift].splitlines()[-1]}")

    def _take(self, one: Hunted) -> None:
        """Write down what became of a mutant; one that was caught is told and remembered at once."""
        before = self._found[one.name]
        if before.violation:
            return
        now = replace(one, seconds=before.seconds + one.seconds, played=before.played + one.played)
        self._found[one.name] = now
        if one.violation or one.misfit:
            print(told(now), flush=True)
        if self._remembers and one.violation:  # at once: a run of hours may be interrupted
            remember(one)

    def _at_large(self, names: Iterable[str]) -> list[str]:
        """Those that were not caught yet."""
        return [name for name in names if not (self._found[name].violation or self._found[name].misfit)]

    def _pool(self, tasks: int | None) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._jobs, mp_context=get_context("spawn"), max_tasks_per_child=tasks)


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
