"""Records made durable, one a commit, by the journal and by a file to which the same bytes are appended."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count

from firmware_bridge.core.records import Entry
from tests.benchmarks.pairing import Bench, Limits, Measured, by_turns, rate_waiting
from tests.journal.bench import entry, open_store

COMMITS = 1000

DURABLE = Limits(
    "durable commits: one record each", "append + fdatasync", "commits/s", floor=0.6, goal=0.9, more_is_better=True
)


def measure(bench: Bench) -> Iterator[Measured]:
    """Measure commits of one record."""
    commits = bench.many(COMMITS)
    folder = bench.folder / "commits"
    folder.mkdir()
    numbers = count(1)
    entries = [entry(number) for number in range(1, bench.rounds * commits + 1)]
    with open_store(folder) as store, open(folder / "appended", "ab", buffering=0) as file:

        def next_entries() -> list[Entry]:
            return [entries[next(numbers) - 1] for _ in range(commits)]

        def commit(batch: list[Entry]) -> None:
            for one in batch:
                store.append([one], sign=False)

        def append() -> None:
            for one in entries[:commits]:
                file.write(one.body)
                os.fdatasync(file.fileno())

        def ours() -> float:
            batch = next_entries()
            return rate_waiting(lambda: commit(batch), commits)

        yield by_turns(DURABLE, ours, lambda: rate_waiting(append, commits), bench.rounds)
