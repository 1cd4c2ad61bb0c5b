"""Records made durable, one a commit, by the journal and by a file to which the same bytes are appended."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice

from tests.benchmarks.pairing import Bench, Limits, Measured, by_turns, rate_waiting
from tests.journal.bench import entries, open_store

COMMITS = 1000

DURABLE = Limits(
    "durable commits: one record each", "append + fdatasync", "commits/s", floor=0.6, goal=0.9, more_is_better=True
)


def measure(bench: Bench) -> Iterator[Measured]:
    """Measure commits of one record."""
    commits = bench.many(COMMITS)
    folder = bench.folder / "commits"
    folder.mkdir()
    made = entries(1, bench.rounds * commits)
    left = iter(made)
    with open_store(folder) as store, open(folder / "appended", "ab", buffering=0) as file:

        def commit() -> None:
            for one in islice(left, commits):
                store.append([one], sign=False)

        def append() -> None:
            for one in made[:commits]:
                file.write(one.body)
                os.fdatasync(file.fileno())

        yield by_turns(
            DURABLE, lambda: rate_waiting(commit, commits), lambda: rate_waiting(append, commits), bench.rounds
        )
