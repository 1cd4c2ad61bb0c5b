"""Short shifts for forty seconds, with seeds that are new in every commit; one that fails is printed, and repeats it.

The first seed is drawn from the commit's tree and not from the clock: a commit that was green stays green, on the next
machine too, and what is found is found by whoever made the change. `make simulate` and `make soak` look further.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sim_hardware.commands.simulate.report import last_line, told
from sim_hardware.commands.simulate.shift import SHORT, Result, Settings, Shift

SECONDS = float(os.environ.get("SABOT_SIMULATE_SECONDS", "40"))
"""For how long; the last shift that was begun is played to its end."""
SEEDS = 10**9
PLANS = ("storm", "typical", "storm", "none")


def _first_seed() -> int:
    """Return the seed of this commit's tree, or of the clock where there is no repository (a source archive)."""
    asked = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD^{tree}"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False)
    return int(told.stdout, 16) % SEEDS if told.returncode == 0 else time.time_ns() % SEEDS


@pytest.mark.timeout(SECONDS + 300)
def test_short_shifts_with_new_seeds_hold_every_invariant(record_property: Callable[[str, object], None]) -> None:
    began, seed = time.monotonic(), _first_seed()
    results: list[Result] = []
    while time.monotonic() < began + SECONDS:
        settings = Settings(seed + len(results), SHORT, PLANS[len(results) % len(PLANS)])
        results.append(Shift(settings).play())
        if results[-1].violation:
            pytest.fail("\n".join(told(results[-1])), pytrace=False)
    record_property("told", f"simulated from seed {seed} on: {last_line(results)}")
