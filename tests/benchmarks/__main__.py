"""Measures everything and prints one table: ``make bench``. Exit status 1 if a floor is missed."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from tests.benchmarks import commits, decode, end_to_end, many_links, round_trip, simulated, standing
from tests.benchmarks.pairing import Bench, Measured

MEASURES: dict[str, Callable[[Bench], Iterable[Measured]]] = {
    "decode": decode.measure,
    "round trip": round_trip.measure,
    "commits": commits.measure,
    "cards": end_to_end.measure,
    "links": many_links.measure,
    "standing": standing.measure,
    "simulated": simulated.measure,
}

HEADINGS = ("measure", "against", "median", "range", "floor", "goal", "", "ours", "theirs", "unit")


def main(arguments: Sequence[str]) -> int:
    """Run the measures named, or all."""
    options = _options(arguments)
    began, found = time.monotonic(), []
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="sabot-bench-") as folder:
        bench = Bench(Path(folder), options.rounds, options.quick)
        for name in options.measures or MEASURES:
            for measured in MEASURES[name](bench):
                found.append(measured)
                print(f"{name}: {measured.limits.name}: {_number(measured.median)}", file=sys.stderr, flush=True)
    print(table(found))
    seconds = time.monotonic() - began
    print(f"{os.cpu_count()} processors, {platform.machine()}, Python {platform.python_version()}, {seconds:.0f} s")
    if options.json:
        options.json.write_text(json.dumps(as_json(found, seconds), indent=1) + "\n", encoding="utf-8")
    if options.quick:
        print("A trial: too few samples to judge by.")
        return 0
    return int(any(measured.verdict == "MISSED" for measured in found))


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("measures", nargs="*", metavar="MEASURE", help=f"of {', '.join(MEASURES)}; all by default")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rounds to FILE, too")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each pair (5)")
    parser.add_argument("--folder", default="/var/tmp", help="where the files lie: on the disk of a table's PC")
    parser.add_argument("--quick", action="store_true", help="a twentieth of it, to see whether it works")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.measures if name not in MEASURES]
    if unknown:
        parser.error(f"no such measure: {', '.join(unknown)}; there are {', '.join(MEASURES)}")
    return options


def table(found: Iterable[Measured]) -> str:
    """All measures as a Markdown table."""
    rows = [HEADINGS, ("---",) * len(HEADINGS), *map(_row, found)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _row(measured: Measured) -> tuple[str, ...]:
    limits = measured.limits
    low, high = sorted((measured.best, measured.worst))
    return (
        limits.name,
        limits.against,
        _number(measured.median),
        f"{_number(low)} to {_number(high)}",
        f"{'≥' if limits.more_is_better else '≤'} {limits.floor:g}",
        f"{limits.goal:g}",
        measured.verdict,
        _number(measured.ours),
        _number(measured.theirs),
        limits.unit,
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def as_json(found: Iterable[Measured], seconds: float) -> dict[str, object]:
    """Every round of every measure."""
    return {
        "processors": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "seconds": round(seconds, 1),
        "measures": [
            {
                **measured.limits._asdict(),
                "pairs": measured.pairs,
                "median": measured.median,
                "best": measured.best,
                "worst": measured.worst,
                "verdict": measured.verdict,
            }
            for measured in found
        ],
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
