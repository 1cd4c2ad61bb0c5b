"""Every guard of the procedures' tables, in turn: the mutant takes it out of every row that names it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain

from msgspec.structs import replace as with_fields

from firmware_bridge.core.machine import Guard, Row
from firmware_bridge.core.procedures import INCIDENT_TABLES, TABLES, guards, hand_fed
from firmware_bridge.core.procedures.guards import deal, sets, shoe
from firmware_bridge.core.words import IncidentKind, Procedure
from tests.mutants.mutant import Mutant, change_rows
from tests.mutants.themes import BATCH, PLACES, SHOE

PREFIX = "without_"

SERIES_OF: Mapping[str, str] = {Procedure.DEAL: PLACES, IncidentKind.WRONG_DEAL: PLACES, Procedure.COURSE: BATCH}
"""Tables of which rows fire in shifts of one series alone: with a deal that is followed, or at a table of that kind."""
MODULES = {deal.__name__: PLACES, sets.__name__: BATCH, shoe.__name__: SHOE}
"""And where the guards stand that refuse in those alone, in whatever row."""
ANYWHERE = (guards.machine_takes_whole_sets, guards.fed_by_hand, guards.cards_stay_in_discard)
"""But for these: what they refuse is what any other table does."""


def name_of(guard: Guard) -> str:
    """A guard's name; one that was made is told by what made it, and of what: ``by_supervisor_PT-A5``."""
    maker, _, is_made = guard.__qualname__.partition(".<locals>.")
    if not is_made:
        return maker
    made_of = inspect.getclosurevars(guard).nonlocals
    parameters = inspect.signature(vars(sys.modules[guard.__module__])[maker]).parameters
    return "_".join([maker, *(str(made_of[name]) for name in parameters)])


def all_rows() -> Iterator[Row]:
    """Every row of the product's tables."""
    for tables in (TABLES, INCIDENT_TABLES):
        for rows in tables.values():
            yield from rows


def without(name: str, row: Row) -> Row:
    """Return the row without that guard; one that does not name it, as it is."""
    left = tuple(guard for guard in row.guards if name_of(guard) != name)
    return row if len(left) == len(row.guards) else with_fields(row, guards=left)


def guard_mutants() -> list[Mutant]:
    """One mutant a guard, in the order of the tables."""
    series: dict[str, set[str]] = {}
    for table, rows in chain(TABLES.items(), INCIDENT_TABLES.items()):
        for row in rows:
            for guard in row.guards:
                series.setdefault(name_of(guard), set()).add(_series_of(table, row, guard))
    return [
        Mutant(
            PREFIX + name,
            f"the guard {name} is removed",
            partial(change_rows, partial(without, name)),
            where.pop() if len(where) == 1 else "",
        )
        for name, where in series.items()
    ]


def _series_of(table: str, row: Row, guard: Guard) -> str:
    """The series of shifts in which alone a guard can refuse in a row; empty: any."""
    if guard in ANYWHERE:
        return ""
    return MODULES.get(guard.__module__) or SERIES_OF.get(table) or (SHOE if row in hand_fed.ROWS else "")


def let_through(wanted: Callable[[str], bool]) -> None:
    """Where one guard alone keeps a row from firing, ask ``wanted`` whether it fires, as without that guard.

    Until then the mutant of that guard does what the product does.
    """

    def asking(row: Row) -> Row:
        def guard(facts: object) -> object:
            refusals = [(name_of(one), one(facts)) for one in row.guards]  # type: ignore[arg-type]
            refusing = {name for name, refusal in refusals if refusal is not None}
            if len(refusing) == 1 and wanted(*refusing):
                return None
            return next((refusal for _, refusal in refusals if refusal is not None), None)

        return with_fields(row, guards=(guard,)) if row.guards else row

    change_rows(asking)
