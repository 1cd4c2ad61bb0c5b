"""What proves a clause ran: the marks in the sources, as `sabot rules coverage` reads them, and the tests that passed.

Marks are collected as pytest sees them, over all of xdist's workers. A run of all the tests fails where a test that is
marked with a clause did not run, or was skipped, and where the sources do not show a mark that pytest saw. So what is
read from the sources is what ran.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.service.traceability import Tests, marked_tests

Mark = tuple[str, str]
"""The test, class or module that is marked, as ``marked_tests`` names it, and the clause."""

_marked: dict[str, list[Mark]] = {}
_passed: set[str] = set()
_reported: set[str] = set()


def unproved(sources: Tests, marked: Mapping[str, list[Mark]], passed: set[str]) -> Iterator[str]:
    """Yield what is wrong between the marks in the sources and the tests that ran, by what each was marked with."""
    written = {(name, clause) for clause, names in sources.items() for name in names}
    collected = {mark for marks in marked.values() for mark in marks}
    for name, clause in sorted(written - collected):
        yield f"{name} is marked with {clause}, and no test of it was collected"
    for name, clause in sorted(collected - written):
        yield f"{name} is marked with {clause} in a way that the sources do not show: write the mark above it"
    for test in sorted(set(marked) - passed):
        clauses = ", ".join(dict.fromkeys(clause for _, clause in marked[test]))
        yield f"{test} is marked with {clauses} and did not run to its end: let it run, or take the mark off"


def marks_of(item: pytest.Item) -> list[Mark]:
    """Return what a test proves, and where that is written."""
    path = Path(item.nodeid.partition("::")[0]).as_posix()
    return [
        (
            path if isinstance(node, pytest.Module) else f"{path}: {getattr(node, 'originalname', None) or node.name}",
            one,
        )
        for node, mark in item.iter_markers_with_node("clause")
        for one in mark.args
    ]


# ---- hooks, registered by conftest.py


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Note what every test is marked with, before any is left out."""
    _marked.update({item.nodeid: marks for item in items if (marks := marks_of(item))})


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note what ran, and what passed: a test that was let fail did not."""
    _reported.add(report.nodeid)
    if report.when == "call" and report.passed and not hasattr(report, "wasxfail"):
        _passed.add(report.nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take over what a worker saw."""
    del error
    marked = getattr(node, "workeroutput", {}).get("marked", {})
    _marked.update({test: [(name, clause) for name, clause in marks] for test, marks in marked.items()})


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Hand over, or judge: all the tests were asked for, and all that ran is well."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["marked"] = _marked
        return
    options, root = session.config.option, session.config.rootpath
    sources = marked_tests(root / "tests")
    chosen_by_hand = options.keyword or options.markexpr or getattr(options, "deselect", None)
    asked_for = {(root / name).resolve() for name in options.file_or_dir} or {root / "tests"}
    is_whole = not chosen_by_hand and root / "tests" in asked_for
    if exitstatus != 0 or not is_whole or not _reported or sources is None:
        return
    if told := list(unproved(sources, _marked, _passed)):
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        for line in told:
            reporter.write_line(line, red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
