"""Short shifts with seeds that are new in every run, for a minute; a seed that fails is printed, and repeats it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import pytest

from sim_hardware.commands.simulate.report import last_line, told
from sim_hardware.commands.simulate.shift import SHORT, Result, Settings, Shift

SECONDS = float(os.environ.get("SABOT_SIMULATE_SECONDS", "60"))
"""For how long; the last shift that was begun is played to its end."""
PLANS = ("storm", "typical", "storm", "none")


@pytest.mark.timeout(SECONDS + 300)
def test_short_shifts_with_new_seeds_hold_every_invariant(record_property: Callable[[str, object], None]) -> None:
    began, seed = time.monotonic(), time.time_ns() // 1000 % 10**9
    results: list[Result] = []
    while time.monotonic() < began + SECONDS:
        settings = Settings(seed + len(results), SHORT, PLANS[len(results) % len(PLANS)])
        results.append(Shift(settings).play())
        if results[-1].violation:
            pytest.fail("\n".join(told(results[-1])), pytrace=False)
    record_property("told", f"simulated from seed {seed} on: {last_line(results)}")
