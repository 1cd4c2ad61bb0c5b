"""What is printed after the shifts: how often each fault struck and each row fired, and the last line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from firmware_bridge.service.inspection import INCIDENT_TABLES, TABLES
from sim_hardware.batch_faults import BatchFault
from sim_hardware.commands.crowd import Kind
from sim_hardware.commands.misdeeds import Habit
from sim_hardware.commands.simulate.fate import BEFALLS
from sim_hardware.commands.simulate.shift import Result
from sim_hardware.faults import Fault

NEVER = "   <- never"
NAMED_FROM = 10
"""Shifts from which what never happened is named: in fewer, most things do not, and that tells nothing."""

Row = tuple[str, str, str, str]


def all_rows() -> list[Row]:
    """Every row of the product's tables: machine, from, trigger, to."""
    tables = [*TABLES.items(), *INCIDENT_TABLES.items()]
    found = ((str(name), str(row.source), str(row.trigger), str(row.target)) for name, rows in tables for row in rows)
    return list(dict.fromkeys(found))


def lines(results: Sequence[Result]) -> Iterator[str]:
    """Yield the tables and the last line."""
    struck: Counter[str] = Counter()
    people: Counter[str] = Counter()
    misdeeds: Counter[str] = Counter()
    rows: Counter[Row] = Counter()
    for result in results:
        struck.update(result.struck)
        people.update(result.people)
        misdeeds.update(result.misdeeds)
        rows.update(result.rows)
    yield "How often each fault struck:"
    yield from _counted([*map(str, (*Fault, *BatchFault)), *BEFALLS], struck, len(results))
    yield ""
    yield f"Who sat at the tables: {', '.join(f'{people[kind]} {kind}' for kind in map(str, Kind))}"
    yield "How many of them gave in to each bad habit:"
    yield from _counted(map(str, Habit), misdeeds, len(results))
    yield ""
    yield "How often each procedure's row fired:"
    fired = Counter({_row_words(row): times for row, times in rows.items()})
    yield from _counted(map(_row_words, all_rows()), fired, len(results))
    yield ""
    yield f"How the sessions ended: {_ended_words(ends(results)) or 'none did'}"
    yield f"Situations from which a way out was tried: {sum(result.ways_out for result in results)}"
    yield last_line(results)


def last_line(results: Sequence[Result]) -> str:
    """``N shifts, E events, V violations, P% verified``: of the sessions that ended."""
    ended = ends(results)
    violations = sum(bool(result.violation) for result in results)
    percent = 100 * ended["verified"] / ended.total() if ended.total() else 0.0
    events = sum(result.events for result in results)
    return f"{len(results)} shifts, {events} events, {violations} violations, {percent:.1f}% verified"


def ends(results: Sequence[Result]) -> Counter[str]:
    """How often a session ended in each way."""
    counted: Counter[str] = Counter()
    for result in results:
        counted.update(result.ends)
    return counted


def shift_line(result: Result) -> str:
    """One shift, as soon as it was played."""
    ended = _ended_words(result.ends) or "no session ended"
    found = "; VIOLATION" if result.violation else ""
    return f"seed {result.settings.seed}: {result.events} events; {ended}{found}"


def told(result: Result) -> Iterator[str]:
    """Yield what a violation is, its seed, the events before it, and the command that repeats it."""
    yield f"VIOLATION with seed {result.settings.seed} at {result.seconds:.3f} s: {result.violation}"
    yield from result.last_events
    yield f"Repeat it: {result.settings.command}"
    yield ""


def _ended_words(counted: Counter[str]) -> str:
    return ", ".join(f"{times} {end}" for end, times in sorted(counted.items()))


def _row_words(row: Row) -> str:
    name, source, trigger, target = row
    return f"{name}: {source} + {trigger} -> {target}"


def _counted(names: Iterable[str], counts: Counter[str], shifts: int) -> Iterator[str]:
    """A line a name; in a few shifts, those that never came are one line together."""
    never = 0
    for name in names:
        if counts[name]:
            yield f"{counts[name]:>9}  {name}"
        elif shifts >= NAMED_FROM:
            yield f"{0:>9}  {name}{NEVER}"
        else:
            never += 1
    if never:
        yield f"{never:>9}  more never did; they are named from {NAMED_FROM} shifts on"
