"""The step by which a page has a new make known: its two lines written into the registry, as a reader would."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from drivers import registry
from drivers.device import Driver


def registered(page: Path) -> Mapping[str, Driver]:
    """Return the registry's table with the import and the name that the page says; its module must be importable."""
    text = page.read_text(encoding="utf-8")
    (import_line,) = re.findall(r"`(from drivers\.\w+ import \w+)`", text)
    (entry,) = re.findall(r'`("\w+": \w+)`', text)
    source = Path(registry.__file__).read_text(encoding="utf-8")
    before, after = source.split("\nDRIVERS: ")
    table = after.rstrip().removesuffix("}")
    made: dict[str, Any] = {"__name__": registry.__name__}
    exec(compile(f"{before}{import_line}\n\nDRIVERS: {table}    {entry},\n}}\n", str(page), "exec"), made)
    known: Mapping[str, Driver] = made["DRIVERS"]
    return known
