"""Where a link may be captured to: a file of its own, for the table's other files would be spoiled by what is added."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from firmware_bridge.toml_file import Problem, repeated

_OF_THE_JOURNAL = re.compile(
    r"(\.new|\.[1-9][0-9]*)?(-wal|-shm|-journal)?|\.(key|snapshot)(\.new)?|\.lock|\.damaged-[^/]*(/.*)?", re.DOTALL
)
"""What may stand behind the journal's path in the name of a file of its own (README.md, "Its files")."""


def misplaced(path: Path, table: Mapping[str, Any], devices: Sequence[Mapping[str, Any]]) -> list[Problem]:
    """Return a problem for each capture in the place of another file of the table, or where no file can be.

    ``path``: its configuration. ``table``'s rule book is a path only where it is a file and no bare name.
    """
    problems = []
    taken = {_real(path.parent, device["port"]): "a device's port" for device in devices if device.get("port")}
    for number, device in enumerate(devices):
        if not device.get("capture"):
            continue
        real = _real(path.parent, device["capture"])
        what = taken.get(real) or next(_of_the_table(real, path, table), "") or _no_place(real)
        if what:
            words = f"device {number + 1}.capture = {repeated(device['capture'])} is {what}; name a file of its own"
            problems.append(Problem(("device", number, "capture"), words))
        taken.setdefault(real, f"the capture of device {number + 1} too")
    return problems


def _of_the_table(real: str, path: Path, table: Mapping[str, Any]) -> Iterator[str]:
    """What stands at a path that is the table's already."""
    folder = path.parent
    if real == os.path.realpath(path):
        yield "the configuration itself"
    rulebook = table.get("rulebook")
    if isinstance(rulebook, Path) and real == os.path.realpath(rulebook):
        yield "the rule book"
    if people := table.get("people"):
        at = folder / people
        if real in (_real(folder, people), _real(at.parent, f".{at.name}.new")):
            yield "the people file"
    if journal := table.get("journal"):
        at = folder / journal
        named = {_real(folder, journal), os.path.join(os.path.realpath(at.parent), at.name)}
        if any(real.startswith(one) and _OF_THE_JOURNAL.fullmatch(real[len(one) :]) for one in named):
            yield "a file of the journal"
    if (status := table.get("status")) and Path(real).is_relative_to(_real(folder, status)):
        yield "in the status folder"


def _no_place(real: str) -> str:
    """Why no file can be there; empty where one can."""
    if os.path.isdir(real):
        return "a folder"
    folder = os.path.dirname(real)
    return "" if os.path.isdir(folder) else f"in {folder}, which is no folder (make it first)"


def _real(folder: Path, name: str) -> str:
    return os.path.realpath(folder / name)
