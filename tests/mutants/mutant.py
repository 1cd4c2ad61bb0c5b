"""What a mutant is, and the few ways in which one changes the imported product."""

from __future__ import annotations

import sys
from collections.abc import Callable, MutableMapping
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")

BUILDS_THE_MACHINES = "firmware_bridge.core.deciding"
WHOLE_PRODUCT = ("firmware_bridge.service.assembly", "firmware_bridge.service.inspection")


class Mutant(NamedTuple):
    """One deliberate fault in the controller: its name, what it is in one line, and what puts it there."""

    name: str
    fault: str
    apply: Callable[[], None]
    series: str = ""
    """The series of shifts in which alone it can show (``themes.SERIES``); empty: any."""


class ChangesNothingError(Exception):
    """What a mutant would change is not there any more, or is that already."""


def replace(where: str, name: str, made: Callable[[Any], Any]) -> None:
    """Let a name of the product mean something else, wherever a module has it by that name.

    ``where`` is a module, or ``module:Class``. ``made`` is handed what is there and returns what shall be.
    """
    for module in WHOLE_PRODUCT:
        import_module(module)
    module_name, _, class_name = where.partition(":")
    module = import_module(module_name)
    owner = getattr(module, class_name) if class_name else module
    old = vars(owner).get(name)
    new = made(old)
    if old is None or new == old:
        raise ChangesNothingError(f"{where} has no {name}, or it is that already")
    owners = [owner] if class_name else _modules_with(name, old)
    for one in owners:
        setattr(one, name, new)


def _modules_with(name: str, value: object) -> list[object]:
    loaded = [module for path, module in sys.modules.items() if path.split(".")[0] in ("firmware_bridge", "drivers")]
    return [module for module in loaded if vars(module).get(name) is value]


def put(where: str, name: str, key: object, made: Callable[[Any], Any]) -> None:
    """Change one entry of a table of the product; ``made`` is handed the entry and returns the new one."""
    table: MutableMapping[Any, Any] = getattr(import_module(where), name)
    if key not in table or (new := made(table[key])) == table[key]:
        raise ChangesNothingError(f"{where}.{name} has no {key}, or it is that already")
    table[key] = new


def change_rows(made: Callable[[Any], Any]) -> None:
    """Change rows of the procedures' tables; ``made`` is handed each row.

    The machines are built from the tables when ``core.deciding`` is imported: this comes first, or changes nothing.
    """
    if BUILDS_THE_MACHINES in sys.modules:
        raise ChangesNothingError("the machines are built already")
    from firmware_bridge.core.procedures import INCIDENT_TABLES, TABLES

    changed = False
    for tables in (TABLES, INCIDENT_TABLES):
        for key, rows in tables.items():
            new = tuple(made(row) for row in rows)
            changed |= any(one is not other for one, other in zip(new, rows, strict=True))
            tables[key] = new  # type: ignore[index]
    if not changed:
        raise ChangesNothingError("no row has that")
