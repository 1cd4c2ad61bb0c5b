"""Where a card's time goes: an event's way through the controller, part by part, from its sending to its ack.

``python -m tests.benchmarks.parts [FOLDER]`` plays rounds at a loaded table and prints the medians; nothing is judged.
``python -m tests.benchmarks.parts CONFIG MARKS`` is the controller of it: it notes when each part of the way is over,
which costs each some microseconds, and writes that to MARKS at its end.
"""

from __future__ import annotations

import sys
import tempfile
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import msgspec

from drivers.transport.serial_port import SerialPort
from firmware_bridge.core.controller import Controller
from firmware_bridge.service.run import Service, run
from tests.benchmarks.pairing import percentile
from tests.benchmarks.table import CARDS, EVENTS_A_ROUND, Playing, Prepared, a_round

BEFORE, ROUNDS = 4, 24


class Part(NamedTuple):
    """A part of the way, and the method at whose beginning (or end) it is over."""

    what: str
    owner: type
    method: str
    at_end: bool = False


PARTS = (
    Part("the device writes, the line, the link's thread wakes", SerialPort, "read", at_end=True),
    Part("decoded, checked, handed on", Service, "_take"),
    Part("the controller's thread wakes, looks at what nobody tells", Controller, "turn"),
    Part("decided; what follows for devices and deadlines; what restricts leaves", Controller, "_flush"),
    Part("the journal: names looked at, chained, written, flushed", Controller, "_flush", at_end=True),
    Part("the ack is ordered", Service, "_send"),
    Part("the link's thread wakes, the ack is encoded", SerialPort, "write"),
    Part("the ack is written", SerialPort, "write", at_end=True),
)
THE_REST = "the line, the device wakes and decodes"

Marks = list[list[int]]
"""Of each part, the moments at which it was over, in nanoseconds of the machine's clock."""


def main(first: str = "/var/tmp", marks: str = "") -> None:
    """Be one of the two."""
    if marks:
        Path(marks).write_bytes(msgspec.json.encode(marked(lambda: run(Path(first)))))
    else:
        with tempfile.TemporaryDirectory(dir=first, prefix="sabot-bench-") as folder:
            print("\n".join(as_table(*measured(Path(folder)))))


def marked(does: Callable[[], None]) -> Marks:
    """Do something; return when each part was over, each time."""
    found: Marks = [[] for _ in PARTS]
    for part, moments in zip(PARTS, found, strict=True):
        setattr(part.owner, part.method, _noting(getattr(part.owner, part.method), moments, at_end=part.at_end))
    does()
    return found


def _noting(method: Callable[..., Any], moments: list[int], *, at_end: bool) -> Callable[..., Any]:
    def noted(*arguments: Any) -> Any:
        if not at_end:
            moments.append(time.perf_counter_ns())
        answer = method(*arguments)
        if at_end:
            moments.append(time.perf_counter_ns())
        return answer

    return noted


def measured(folder: Path) -> tuple[list[tuple[int, int]], Marks]:
    """Play rounds; return each event's sending and ack, and the controller's marks."""
    table, marks = Prepared(folder / "table"), folder / "marks"
    with table.controller("tests.benchmarks.parts", str(table.config), str(marks)) as playing:
        playing.play(BEFORE)
        events = [one for _ in range(ROUNDS) for one in _round(playing)]
    return events, msgspec.json.decode(marks.read_bytes(), type=Marks)


def _round(playing: Playing) -> Iterator[tuple[int, int]]:
    for event in a_round(playing.falls):
        sent = time.perf_counter_ns()
        playing.lines.burst([[event]])
        yield sent, time.perf_counter_ns()
    playing.lines.live(lambda: True)  # heartbeats, if they are due


def way(sent: int, acked: int, marks: Marks) -> list[int]:
    """When an event was sent, when each part was first over after the one before, and when the event was acked."""
    moments = [sent]
    for found in marks:
        at = bisect_left(found, moments[-1])
        moments.append(found[at] if at < len(found) else acked)
    return [*(min(moment, acked) for moment in moments), acked]


def as_table(events: Sequence[tuple[int, int]], marks: Marks) -> Iterator[str]:
    """A line for each part: the median of its microseconds, of all events and of each round's *round over*."""
    ways = [way(sent, acked, marks) for sent, acked in events]
    parts = [[(end - begin) / 1000 for begin, end in pairwise(one)] for one in ways]
    over = parts[2 * CARDS :: EVENTS_A_ROUND]  # behind the round's cards, each fed and drawn
    yield "| part | a card, µs | *round over*, µs |\n|---|---|---|"
    for what, any_event, at_the_end in zip(
        [*(part.what for part in PARTS), THE_REST], zip(*parts, strict=True), zip(*over, strict=True), strict=True
    ):
        yield f"| {what} | {median(any_event):.0f} | {median(at_the_end):.0f} |"
    totals = [sum(one) for one in parts]
    slowest = f"of a hundred events the slowest: {percentile(totals, 0.99):.0f}"
    yield f"| all; {slowest} | {median(totals):.0f} | {median(map(sum, over)):.0f} |"


if __name__ == "__main__":
    main(*sys.argv[1:])
