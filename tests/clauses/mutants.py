"""What is taken out of the procedures, one at a time: a row of a table, a guard, a reason to hold dealing."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace as with_fields

from firmware_bridge.core import deciding, outputs
from firmware_bridge.core.machine import Guard, Refusal, Row, TableMachine
from firmware_bridge.core.procedures import INCIDENT_TABLES, TABLES
from firmware_bridge.core.state import State
from firmware_bridge.rulebooks import load_rulebook
from tests.mutants.guards import name_of, without
from tests.mutants.mutant import ChangesNothingError

PORTUGAL = load_rulebook("portugal")
BOOKS = (PORTUGAL, *map(load_rulebook, ("macau", "spain", "live", "general")))
CLAUSE = re.compile(r"\b(?:PT-[A-Z]|SB-)\d+\b")

REASONS = {
    "session": "SB-1",
    "device": "SB-1",
    "claim": "SB-8",
    "dealer": "SB-3",
    "incident": "SB-2",
    "counts": "SB-7",
    "books": "SB-1",
    "set": "SB-5",
    "empty": "SB-1",
    "deal": "PT-D1",
    "last_round": "PT-S6",
    "discard": "SB-6",
}
"""What dealing is held for (``outputs.why_not_deal``), each with its rule."""


class ClauseMutant(NamedTuple):
    """Something that carries a clause and is taken out: a test marked with that clause must fail without it.

    ``seen_as`` is what a run tells of it where its absence can make a difference (see ``watching``).
    """

    name: str
    clause: str
    seen_as: frozenset[str]
    apply: Callable[[], None]


def tables() -> Iterator[tuple[str, tuple[Row, ...]]]:
    """Every table of the product by its machine's name."""
    yield from ((str(name), rows) for name, rows in TABLES.items())
    yield from ((str(name), rows) for name, rows in INCIDENT_TABLES.items())


def place_of(machine: str, source: str, trigger: str) -> str:
    """Where a row stands, as one word."""
    return f"{machine}: {source} {trigger}"


def all_mutants() -> dict[str, ClauseMutant]:
    """Every mutant by its name, in the order of the tables."""
    found = [*_rows(), *_guards(), *_reasons()]
    named = {mutant.name: mutant for mutant in found}
    if len(named) != len(found):
        raise ValueError("two mutants have one name")
    return named


def change_machines(made: Callable[[tuple[Row, ...]], tuple[Row, ...]]) -> None:
    """Build the machines anew from tables that ``made`` returns; it is handed each machine's rows."""
    changed = 0
    for machines, sources in ((deciding.MACHINES, TABLES), (deciding.INCIDENT_MACHINES, INCIDENT_TABLES)):
        for key, rows in sources.items():
            new = made(rows)
            changed += new != rows
            machines[key] = TableMachine(key, new)  # type: ignore[index]
    if not changed:
        raise ChangesNothingError("no table has that")
    for trigger in deciding.ROUTES:
        routes = tuple(one for one, machine in deciding.MACHINES.items() if trigger in machine.triggers)
        deciding.ROUTES[trigger] = routes


# ---- rows


def _rows() -> Iterator[ClauseMutant]:
    """A row that several tables share is one row, and goes from all of them."""
    places: dict[int, set[str]] = {}
    names: dict[int, tuple[str, Row]] = {}
    taken: dict[str, int] = {}
    for machine, rows in tables():
        for row in rows:
            place = place_of(machine, row.source, row.trigger)
            places.setdefault(id(row), set()).add(place)
            if id(row) not in names:
                name = f"{place} -> {row.target}"
                taken[name] = taken.get(name, 0) + 1
                names[id(row)] = (name if taken[name] == 1 else f"{name} ({taken[name]})", row)
    for key, (name, row) in names.items():
        yield ClauseMutant(name, _clause_of(row), frozenset(places[key]), partial(_remove_row, row))


def _clause_of(row: Row) -> str:
    """The clause of a row; of one that names a value the first law's on it, or else that of the house's reason."""
    if row.clause not in PORTUGAL.sources:
        return row.clause
    laws = [book.clause_of(row.clause) for book in BOOKS if not book.sources[row.clause].is_house]
    return (laws or CLAUSE.findall(PORTUGAL.sources[row.clause].reason))[0]


def _remove_row(gone: Row) -> None:
    """A table's only row stays where it is and never fires: a machine has states."""
    never = with_fields(gone, guards=(lambda _facts: Refusal(gone.clause, "this row is taken out"),))
    change_machines(lambda rows: tuple(row for row in rows if row is not gone) or (never,))


# ---- guards


def _guards() -> Iterator[ClauseMutant]:
    """A guard carries each clause that it names; one that names none, those of the rows that it keeps."""
    clauses: dict[str, set[str]] = {}
    rows_of: dict[str, set[str]] = {}
    for _, rows in tables():
        for row in rows:
            for guard in row.guards:
                clauses.setdefault(name_of(guard), set()).update(_named_by(guard))
                rows_of.setdefault(name_of(guard), set()).add(_clause_of(row))
    for name, named in clauses.items():
        for clause in sorted(named or rows_of[name]):
            seen_as = frozenset({f"guard {name}"})
            yield ClauseMutant(f"without {name} ({clause})", clause, seen_as, partial(_remove_guard, name))


def _named_by(guard: Guard) -> set[str]:
    """The clauses in a guard's text, in what it was made of, and behind the values that either asks for."""
    made_of, source = inspect.getclosurevars(guard), inspect.getsource(guard)
    constants = [str(value) for name, value in made_of.globals.items() if name.isupper()]
    words = [str(value) for value in made_of.nonlocals.values()]
    keys = [*re.findall(r'clause_of\("([a-z_.]+)"\)', source), *(word for word in words if word in PORTUGAL.sources)]
    return set(CLAUSE.findall(" ".join([source, *constants, *words, *map(PORTUGAL.clause_of, keys)])))


def _remove_guard(name: str) -> None:
    change_machines(lambda rows: tuple(without(name, row) for row in rows))


# ---- reasons to hold dealing


def _reasons() -> Iterator[ClauseMutant]:
    for about, rule in REASONS.items():
        name = f"deals in spite of {about}"
        yield ClauseMutant(name, rule, frozenset({f"reason {about}"}), partial(_ignore, about))


def _ignore(about: str) -> None:
    why = outputs.why_not_deal
    everywhere("why_not_deal", lambda state: tuple(reason for reason in why(state) if reason.about != about))


def everywhere(name: str, new: Callable[[State], tuple[outputs.Reason, ...]]) -> None:
    """Let a function of ``core.outputs`` be another in every module that imported it, the tests' own among them."""
    old = getattr(outputs, name)
    for module in list(sys.modules.values()):
        if vars(module).get(name) is old:
            setattr(module, name, new)
