"""How everything is measured here: both sides by turns in one run, and of their ratio the median and the range.

Absolute figures of one machine say little on another, and the clock of one machine drifts: a ratio of two sides that
took turns says the same everywhere. What is gated has a floor, which may never be missed, and a goal.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import NamedTuple

Side = Callable[[], float]
"""Takes one sample of a side and returns its figure: a rate, a time or a count."""

Pair = tuple[float, float]
"""One round: our figure and the other side's."""


class Limits(NamedTuple):
    """What is measured, against what, and what its ratio may be; ``unit`` is that of the two figures."""

    name: str
    against: str
    unit: str
    floor: float
    goal: float
    more_is_better: bool = False
    is_a_count: bool = False
    """A count has no noise: its worst round is judged."""


@dataclass(frozen=True)
class Measured:
    """The rounds of one measure."""

    limits: Limits
    pairs: Sequence[Pair]

    @property
    def ratios(self) -> list[float]:
        """Ours to theirs, round by round."""
        return [ours / theirs for ours, theirs in self.pairs]

    @property
    def ours(self) -> float:
        """Our figure, the median of the rounds."""
        return median(ours for ours, _ in self.pairs)

    @property
    def theirs(self) -> float:
        """The other side's figure, the median of the rounds."""
        return median(theirs for _, theirs in self.pairs)

    @property
    def best(self) -> float:
        """The best round's ratio."""
        return max(self.ratios) if self.limits.more_is_better else min(self.ratios)

    @property
    def worst(self) -> float:
        """The worst round's ratio."""
        return min(self.ratios) if self.limits.more_is_better else max(self.ratios)

    @property
    def median(self) -> float:
        """What counts: the median ratio; of a count the worst."""
        return self.worst if self.limits.is_a_count else median(self.ratios)

    @property
    def verdict(self) -> str:
        """``goal``, ``floor`` (that one holds), ``unsure`` (only the best round holds it) or ``MISSED``."""
        if self._holds(self.median, self.limits.goal):
            return "goal"
        if self._holds(self.median, self.limits.floor):
            return "floor"
        return "unsure" if self._holds(self.best, self.limits.floor) else "MISSED"

    def _holds(self, ratio: float, limit: float) -> bool:
        return ratio >= limit if self.limits.more_is_better else ratio <= limit


class Bench(NamedTuple):
    """How much is measured: ``rounds`` of each pair, on files in ``folder``; ``quick`` only tries that all works."""

    folder: Path
    rounds: int = 5
    quick: bool = False

    def many(self, count: int) -> int:
        """So many items a sample, or a twentieth of them to try."""
        return max(1, count // 20) if self.quick else count


def by_turns(limits: Limits, ours: Side, theirs: Side, rounds: int) -> Measured:
    """Take ``rounds`` samples of both sides, who begins changing from round to round."""
    pairs = []
    for turn in range(rounds):
        if turn % 2:
            other = theirs()
            pairs.append((ours(), other))
        else:
            mine = ours()
            pairs.append((mine, theirs()))
    return Measured(limits, pairs)


def rate(does: Callable[[], object], items: int) -> float:
    """Return how many items a second of processor time it does: for what never waits."""
    began = time.process_time()
    does()
    return items / (time.process_time() - began)


def rate_waiting(does: Callable[[], object], items: int) -> float:
    """Return how many items a second it does by the clock on the wall: for what waits for disk or line."""
    began = time.perf_counter()
    does()
    return items / (time.perf_counter() - began)


def percentile(samples: Sequence[float], share: float) -> float:
    """Return the sample that this share of all does not exceed."""
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
