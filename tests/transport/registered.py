"""The step by which a page has a new make known: its two lines written into a registry, as a reader would."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from drivers import registry
from drivers.device import Driver


def written_in(source: str, page: str, package: str, table: str) -> str:
    """Return a registry's source with the import, and the name in its table, that the page says."""
    (import_line,) = re.findall(rf"`(from {package}\.\w+ import \w+)`", page)
    (entry,) = re.findall(r'`("\w+": \w+)`', page)
    before, after = source.split(f"\n{table}: ")
    rows, rest = after.split("\n}\n", 1)
    return f"{before}{import_line}\n\n{table}: {rows}\n    {entry},\n}}\n{rest}"


def registered(page: Path) -> Mapping[str, Driver]:
    """Return the drivers' table with what the page says; its module must be importable."""
    source = Path(registry.__file__).read_text(encoding="utf-8")
    made: dict[str, Any] = {"__name__": registry.__name__}
    exec(compile(written_in(source, page.read_text(encoding="utf-8"), "drivers", "DRIVERS"), str(page), "exec"), made)
    known: Mapping[str, Driver] = made["DRIVERS"]
    return known
