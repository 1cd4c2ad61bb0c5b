"""Every row of every procedure's table fires at least once in a run through bytes, or stands below with a reason.

The tests that ``PLAYS`` names play whole tables: devices, wire, cores, controller. Which rows they made fire, they and
no other test, is collected over all of xdist's workers, and checked when all of them ran. A kind of incident counts by
itself, also where it shares its table with others.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from firmware_bridge.core.machine import Facts, Refusal, Row, TableMachine
from firmware_bridge.core.procedures import INCIDENT_TABLES, TABLES
from firmware_bridge.core.words import Incident, IncidentKind, Trigger

PLAYS = ("tests/table/", "tests/crash/test_disk_at_the_table.py")
"""Where whole tables are played; the second has the journal's disk in trouble."""

Fired = tuple[str, str, str, str, int]

_OVER_AT_ONCE = "what a person has to say about it is the whole of it: its condition is gone at once, and never back"

NEVER_FIRES: dict[tuple[str, str, str], str] = {
    (kind, Incident.CLEARED, Trigger.CONDITION_BACK): _OVER_AT_ONCE
    for kind in (
        IncidentKind.JOURNAL_FAILED,
        IncidentKind.SLOW_JOURNAL,
        IncidentKind.SUPERVISOR_CALLED,
        IncidentKind.HOST_BREAK,
        IncidentKind.SEQUENCE_WARNING,
        IncidentKind.SPECIAL_CARD,
        IncidentKind.MISREAD,
    )
}
"""Rows (machine, source, trigger) of a shared table that no run through bytes reaches, each with its reason."""

_fired: set[Fired] = set()
_played: set[str] = set()
_wanted: set[str] = set()
_true_fire = TableMachine.fire


def _places() -> dict[tuple[str, int], Fired]:
    """Each machine's rows: its name, source, trigger, target, and the place among the rows that share these.

    Kinds of incident that share a table are machines of their own: each shows each row.
    """
    tables = [*TABLES.items(), *INCIDENT_TABLES.items()]
    found: dict[tuple[str, int], Fired] = {}
    for name, rows in tables:
        seen: dict[tuple[str, str, str], int] = {}
        for row in rows:
            key = (str(row.source), str(row.trigger), str(row.target))
            found[str(name), id(row)] = (str(name), *key, seen.get(key, 0))
            seen[key] = seen.get(key, 0) + 1
    return found


PLACES = _places()


def _watched_fire(self: TableMachine, source: str, trigger: Trigger, facts: Facts) -> Row | Refusal | None:
    answer = _true_fire(self, source, trigger, facts)
    playing = os.environ.get("PYTEST_CURRENT_TEST", "").startswith(PLAYS)
    if playing and isinstance(answer, Row) and (place := PLACES.get((str(self.name), id(answer)))):
        _fired.add(place)
    return answer


# ---- hooks, registered by conftest.py


def pytest_configure(config: pytest.Config) -> None:
    """Watch what fires."""
    del config
    TableMachine.fire = _watched_fire  # type: ignore[method-assign]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Note which of these tests were chosen."""
    _wanted.update(item.nodeid for item in items if item.nodeid.startswith(PLAYS))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note which of them ran well."""
    if report.when == "call" and report.passed and report.nodeid.startswith(PLAYS):
        _played.add(report.nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take over what a worker saw."""
    del error
    output = getattr(node, "workeroutput", {})
    _fired.update(tuple(row) for row in output.get("rows", ()))
    _wanted.update(output.get("wanted", ()))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Hand over, or judge: all of ``PLAYS`` ran well, and a row never fired."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["rows"] = [list(row) for row in _fired]
        session.config.workeroutput["wanted"] = sorted(_wanted)
        return
    chosen_by_hand = session.config.option.keyword or session.config.option.markexpr
    whole = not chosen_by_hand and {path.rpartition("::")[0] for path in _wanted} >= _files(session)
    if exitstatus != 0 or not whole or not _wanted <= _played:
        return
    silent = {row for row in set(PLACES.values()) - _fired if row[:3] not in NEVER_FIRES}
    false = {row[:3] for row in _fired} & set(NEVER_FIRES)
    if silent or false:
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        for row in sorted(silent):
            reporter.write_line(f"no run through bytes made this row fire: {' '.join(map(str, row))}", red=True)
        for place in sorted(false):
            reporter.write_line(f"listed as never fired, yet it fires: {' '.join(place)}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _files(session: pytest.Session) -> set[str]:
    root = session.config.rootpath
    found = [
        path for play in PLAYS for path in ((root / play).glob("test_*.py") if play.endswith("/") else [root / play])
    ]
    return {path.relative_to(root).as_posix() for path in found}
