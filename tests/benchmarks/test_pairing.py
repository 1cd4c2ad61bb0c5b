"""The verdict of a measure: what is a goal, what a floor, and what must fail."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.benchmarks import __main__ as bench
from tests.benchmarks import process
from tests.benchmarks.pairing import Bench, Limits, Measured, by_turns, percentile

MORE = Limits("speed", "a peer", "things/s", floor=4, goal=8, more_is_better=True)
LESS = Limits("time", "a limit", "s", floor=3, goal=2)
COUNT = Limits("flushes", "one", "flushes", floor=1, goal=1, is_a_count=True)


def of(limits: Limits, ratios: Sequence[float]) -> Measured:
    return Measured(limits, [(ratio * 5, 5.0) for ratio in ratios])


@pytest.mark.parametrize(
    ("limits", "ratios", "verdict"),
    [
        (MORE, (9, 8, 1), "goal"),
        (MORE, (9, 5, 1), "floor"),
        (MORE, (4, 3, 1), "unsure"),
        (MORE, (3.9, 3, 1), "MISSED"),
        (LESS, (9, 2, 1), "goal"),
        (LESS, (9, 3, 1), "floor"),
        (LESS, (9, 3.1, 3), "unsure"),
        (LESS, (9, 4, 3.1), "MISSED"),
        (COUNT, (1, 1, 1), "goal"),
        (COUNT, (1, 1, 1.01), "unsure"),
    ],
)
def test_the_median_is_judged_and_a_floor_is_missed_where_the_best_round_misses_it(
    limits: Limits, ratios: Sequence[float], verdict: str
) -> None:
    assert of(limits, ratios).verdict == verdict


def test_both_sides_take_turns_and_each_begins_as_often() -> None:
    order: list[str] = []

    def side(name: str) -> float:
        order.append(name)
        return float(len(order))

    measured = by_turns(MORE, lambda: side("ours"), lambda: side("theirs"), 4)
    assert order == ["ours", "theirs", "theirs", "ours"] * 2
    assert measured.pairs == [(1, 2), (4, 3), (5, 6), (8, 7)]


def test_a_percentile_is_a_sample_that_so_many_do_not_exceed() -> None:
    samples = [float(n) for n in range(100, 0, -1)]
    assert (percentile(samples, 0.5), percentile(samples, 0.99), percentile([7.0], 0.99)) == (51, 100, 7)


@pytest.mark.parametrize(("ratio", "status"), [(4.0, 0), (3.9, 1)])
def test_a_missed_floor_is_exit_status_1_and_every_round_stands_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], ratio: float, status: int
) -> None:
    def measure(given: Bench) -> list[Measured]:
        return [of(MORE, [ratio] * given.rounds)]

    monkeypatch.setattr(bench, "MEASURES", {"speed": measure})
    file = tmp_path / "bench.json"
    assert bench.main(["--rounds", "2", "--folder", str(tmp_path), "--json", str(file)]) == status
    assert "| speed | a peer |" in capsys.readouterr().out
    (told,) = json.loads(file.read_text())["measures"]
    assert (told["pairs"], told["median"], told["floor"]) == ([[ratio * 5, 5.0]] * 2, ratio, 4)


def test_a_process_under_measure_sees_no_library_that_only_tests_need() -> None:
    seen = "print(*(name for name in ('rich', 'pytest', 'msgspec') if sys.modules.get(name)))"
    command = [sys.executable, "-c", f"{process.HIDE}; import structlog, msgspec; {seen}", process.hidden()]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "msgspec\n"
