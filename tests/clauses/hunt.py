"""Which test that is marked with its clause fails, once something that carries the clause is taken out.

pytest collects the tests once. Each then runs in forks of that process: first as the product is, to see what it asks of
the procedures; then, for each mutant, with that taken out, the quickest first, until one fails.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import pytest

from tests.clauses import watching
from tests.clauses.mutants import ClauseMutant
from tests.forks import in_forks


class Played(NamedTuple):
    """A test as it runs when nothing is taken out: whether it fails, its seconds, and what it asks."""

    failed: bool
    seconds: float
    seen: frozenset[str]


class Hunted(NamedTuple):
    """What became of a mutant: the marked test that failed first, or none of so many in which it could show."""

    name: str
    caught_by: str
    tests: int


class Hunters:
    """A plugin of pytest that hunts mutants in place of running the tests once."""

    def __init__(self, mutants: Mapping[str, ClauseMutant], jobs: int, told: Callable[[Hunted], None]) -> None:
        self._mutants = mutants
        self._jobs = jobs
        self._told = told
        self._failures = 0
        self.hunted: dict[str, Hunted] = {}
        self.broken: list[str] = []
        """Tests that fail though nothing is taken out: they catch nothing."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count what fails."""
        self._failures += report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Hunt all mutants in the tests that were collected."""
        clauses = frozenset(mutant.clause for mutant in self._mutants.values())
        items = {item.nodeid: item for item in session.items if clauses & marked(item)}
        played = self._play_all(list(items.values()))
        self.broken = [name for name, one in played.items() if one.failed]
        tasks = {}
        for name, mutant in self._mutants.items():
            where = [items[test] for test in able_to_tell(mutant, played) if mutant.clause in marked(items[test])]
            tasks[name] = partial(self._hunt, mutant, where)
        for name, (caught_by, tests) in in_forks(tasks, self._jobs):
            self.hunted[name] = Hunted(name, caught_by, tests)
            self._told(self.hunted[name])
        return True

    def _play_all(self, items: Sequence[pytest.Item]) -> dict[str, Played]:
        """Play each test as the product is; those of a file in one fork."""
        files: dict[str, list[pytest.Item]] = {}
        for item in items:
            files.setdefault(str(item.path), []).append(item)
        played = {}
        for _, found in in_forks({path: partial(self._watch, tests) for path, tests in files.items()}, self._jobs):
            for test, (failed, spent, seen) in found.items():
                played[test] = Played(failed, spent, frozenset(seen))
        return played

    def _watch(self, items: Iterable[pytest.Item]) -> dict[str, tuple[bool, float, list[str]]]:
        watching.watch()
        found = {}
        for item in items:
            watching.seen.clear()
            began = time.monotonic()
            failed = self._fails(item)
            found[item.nodeid] = (failed, time.monotonic() - began, sorted(watching.seen))
        return found

    def _hunt(self, mutant: ClauseMutant, items: Sequence[pytest.Item]) -> tuple[str, int]:
        mutant.apply()
        return next((item.nodeid for item in items if self._fails(item)), ""), len(items)

    def _fails(self, item: Any) -> bool:
        """Run one test with all its fixtures made for it alone."""
        before = self._failures
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return self._failures > before


def marked(item: pytest.Item) -> frozenset[str]:
    """The clauses that a test is marked with."""
    return frozenset(clause for mark in item.iter_markers("clause") for clause in mark.args)


def able_to_tell(mutant: ClauseMutant, played: Mapping[str, Played]) -> list[str]:
    """The tests in which its absence can show, the quickest first."""
    able = [test for test, one in played.items() if not one.failed and one.seen & mutant.seen_as]
    return sorted(able, key=lambda test: played[test].seconds)
