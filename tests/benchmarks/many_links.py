"""Eight devices at once, each with one event under way: how they share flushes, and what a slow disk does to them.

A table has fewer that tell events. These are eight shoes at a closed table, whose trays are filled and emptied.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from itertools import cycle, islice
from pathlib import Path

from drivers.protocol.messages import TrayChanged
from tests.benchmarks.lines import Lane, Lines
from tests.benchmarks.pairing import Bench, Limits, Measured, by_turns, percentile
from tests.benchmarks.process import running
from tests.benchmarks.shoes import Flushes, Shoes
from tests.benchmarks.table import write_config

NAMES = tuple(f"shoe{number}" for number in range(1, 9))
EVENTS = 100
"""Events of each device a sample; even, so that every tray ends as it began."""

SLOW_S = 0.005

SHARED = Limits("flushes an acknowledged event, eight devices", "one", "flushes", 0.35, 0.15, is_a_count=True)
SLOW = Limits("send to ack, p50, eight devices, flushes of 5 ms", "two such flushes", "s", floor=1.5, goal=1.1)


def measure(bench: Bench) -> Iterator[Measured]:
    """Measure flushes on the disk as it is, and the wait for acks on one of 5 ms more."""
    count = 2 * max(1, bench.many(EVENTS) // 2)
    with eight(bench.folder / "eight", 0.0) as (lines, flushes):

        def flushes_each() -> float:
            lines.idle(0.1)
            before = flushes.count
            lines.burst(lanes(count))
            return (flushes.count - before) / (count * len(NAMES))

        yield by_turns(SHARED, flushes_each, lambda: 1.0, bench.rounds)
    with eight(bench.folder / "eight slow", SLOW_S) as (lines, _):

        def wait() -> float:
            lines.idle(0.1)
            return percentile(lines.burst(lanes(count)), 0.5)

        yield by_turns(SLOW, wait, partial(two_flushes, bench.folder / "slowly", count), bench.rounds)


@contextmanager
def eight(folder: Path, slow_s: float) -> Iterator[tuple[Lines, Flushes]]:
    """Run a controller with eight shoes; the context begins when it has heard of all that they keep."""
    folder.mkdir()
    config = write_config(folder, dict.fromkeys(NAMES, "shoe"))
    flushes = Flushes(folder / "flushes")
    shoes = Shoes(NAMES)
    with (
        closing(Lines(shoes, folder / "ports")) as lines,
        running("tests.benchmarks.controller", str(config), str(flushes.file), str(slow_s), log=folder / "log"),
    ):
        lines.live(
            lambda: all(device.store.last and not list(device.store.kept_from(1)) for device in shoes.devices.values())
        )
        yield lines, flushes


def lanes(events: int) -> list[Lane]:
    """A lane for each shoe: its tray is filled and emptied."""
    moves = [TrayChanged(occupied) for occupied in islice(cycle((True, False)), events)]
    return [[(name, move) for move in moves] for name in NAMES]


def two_flushes(file: Path, count: int) -> float:
    """Twice the median of what a flush takes here, 5 ms more with it."""
    took = []
    with file.open("ab", buffering=0) as opened:
        for _ in range(count):
            began = time.perf_counter()
            opened.write(bytes(100))
            os.fdatasync(opened.fileno())
            time.sleep(SLOW_S)
            took.append(time.perf_counter() - began)
    return 2 * percentile(took, 0.5)
