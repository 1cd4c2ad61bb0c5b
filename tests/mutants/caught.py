"""Which shift caught a mutant last: that is tried first. ``--remember`` writes a line for each into ``caught.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from tests.mutants.hunt import Hunted, seed_and_plan

FILE = Path(__file__).with_name("caught.toml")


def remembered() -> dict[str, int]:
    """The shift that caught each mutant, by its name."""
    shifts: dict[str, int] = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return shifts


def remember(before: Mapping[str, int], hunted: Mapping[str, Hunted]) -> None:
    """Write down where each was caught now; what was not hunted stays as it was."""
    lines = {name: f"{name} = {shift}" for name, shift in before.items() if name not in hunted}
    for name, one in hunted.items():
        if one.shift is not None:
            seed, plan = seed_and_plan(one.shift)
            lines[name] = f"{name} = {one.shift}  # seed {seed}, {plan}: {one.caught_by}"
    head = "# The shift that caught each mutant; written by python -m tests.mutants --remember.\n"
    FILE.write_text(head + "\n".join(lines[name] for name in sorted(lines)) + "\n", encoding="utf-8")
