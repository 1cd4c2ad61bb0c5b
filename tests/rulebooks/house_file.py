"""A house's own file as a test writes it: what it extends, and in Macau the permission of all that needs one."""

from __future__ import annotations

from pathlib import Path

from firmware_bridge.rulebooks import load_rulebook

HEAD = 'id = "ours"\ntitle = "Our house"\nextends = "{book}"\n'
BASE = load_rulebook("macau")
NEEDING = [key for key, source in BASE.sources.items() if source.needs == "MO-21a" and source.unless is None]
PERMITTED = """
holidays = [2026-04-06]

[[permission]]
reference = "DICJ 57/2026"
applied = 2026-04-01
first_day = 2026-04-09
choices = {choices}
"""


def macau(more: str = "", choices: list[str] | None = None, permitted: str = PERMITTED) -> str:
    """Return a house's file in Macau, permitted in all that every house needs a permission for."""
    written = "[" + ", ".join(f'"{key}"' for key in (choices or NEEDING)) + "]"
    holidays, _, table = permitted.format(choices=written).partition("\n\n")
    return HEAD.format(book="macau") + holidays + "\n" + more + "\n" + table


def write(folder: Path, text: str) -> Path:
    """Write a house's file as ``ours.toml``, and return its path."""
    path = folder / "ours.toml"
    path.write_text(text, encoding="utf-8")
    return path
