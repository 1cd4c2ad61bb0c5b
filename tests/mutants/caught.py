"""Which shift caught a mutant last: that is tried first. ``--remember`` writes a line for each into ``caught.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tests.mutants.hunt import Hunted, seed_and_plan

FILE = Path(__file__).with_name("caught.toml")


def remembered() -> dict[str, int]:
    """The shift that caught each mutant, by its name."""
    shifts: dict[str, int] = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return shifts


def remember(one: Hunted) -> None:
    """Write down where a mutant was caught now; what stands of the others stays."""
    assert one.shift is not None  # the caller saw it caught
    before = FILE.read_text(encoding="utf-8").splitlines()
    lines = {line.partition(" = ")[0]: line for line in before if " = " in line}
    seed, plan = seed_and_plan(one.shift)
    key = f'"{one.name}"'  # a name may hold a dot
    lines[key] = f"{key} = {one.shift}  # seed {seed}, {plan}: {one.caught_by}"
    head = "# The shift that caught each mutant; written by python -m tests.mutants --remember.\n"
    FILE.write_text(head + "\n".join(lines[name] for name in sorted(lines)) + "\n", encoding="utf-8")
