"""What carries each clause: rows and refusals of the procedures, values of the books, and the tests that prove it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct

from firmware_bridge.core.procedures import INCIDENT_TABLES, TABLES
from firmware_bridge.rulebooks import BOOKS, RuleBook, load_rulebook
from firmware_bridge.rulebooks.catalogue import Catalogue, Clause
from firmware_bridge.rulebooks.subjects import SUBJECTS, behind
from firmware_bridge.toml_file import written

PRODUCT = Path(__file__).parents[1]
TESTS = PRODUCT.parent / "tests"
"""Where the tests lie in a checkout; an installed program has none beside it."""

SAYING = ("core", "view")
"""Parts of the product whose refusals and questions name clauses."""

NOT_RUN = frozenset({"skip", "skipif", "xfail"})
"""Marks of tests that prove nothing, because they may not run, or may fail."""

Tests = Mapping[str, tuple[str, ...]]
"""By clause the tests that are marked with it, as ``tests/core/test_console.py: test_a_stroke``."""


class Carried(Struct, frozen=True):
    """What carries a clause; each line is words for people."""

    rows: tuple[str, ...]
    refusals: tuple[str, ...]
    values: tuple[str, ...]


def carried(clause: str) -> Carried:
    """Return what carries a clause, one of our integrity rules, or an open reading."""
    names = _names().get(clause, frozenset({clause}))
    return Carried(
        rows=tuple(words for named, words in _rows() if named in names),
        refusals=tuple(line for named in sorted(names) for line in _refusals().get(named, ())),
        values=tuple(words for named, words in _values() if clause in named),
    )


@cache
def marked_tests(folder: Path = TESTS) -> Tests | None:
    """Return the tests by the clauses that they are marked with; None where there are no tests to look at."""
    if not folder.is_dir():
        return None
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("test_*.py")):
        module = ast.parse(path.read_text(encoding="utf-8"))
        name = path.relative_to(folder.parent).as_posix()
        for test, clause in _marks(module):
            tests = found.setdefault(clause, [])
            if (words := f"{name}: {test}" if test else name) not in tests:
                tests.append(words)
    return {clause: tuple(tests) for clause, tests in found.items()}


def faults(catalogue: Catalogue, tests: Tests) -> Iterator[str]:
    """Yield what is wrong between the clauses and the tests, in words that say what to do."""
    for clause in catalogue.clauses.values():
        if clause.id in tests and clause.awaiting and not clause.played:
            yield f"{clause.id} is listed as awaiting, and {tests[clause.id][0]} shows it: take the entry out"
        elif clause.id not in tests and clause.played:
            yield f"{clause.id} is listed as played in part, and no test shows it: {clause.played}"
        elif clause.is_shown and clause.id not in tests and not clause.awaiting:
            yield f"{clause.id} has neither a test nor an awaiting entry: write the test, or why there is none yet"
        elif clause.awaiting and not clause.is_shown:
            yield f"{clause.id} is awaited, and nothing here has to show a clause of its kind: take the entry out"
    for named in sorted(set(tests) - set(catalogue.clauses)):
        yield f"{tests[named][0]} names {named}, which is no clause: correct the mark"


def counts(clauses: Iterable[Clause], tests: Tests) -> dict[str, int]:
    """Return how many clauses of the books are tested, awaiting, the scorer's later, outside, and none of these."""
    found = Counter(standing(clause, tests) for clause in clauses if not clause.is_ours)
    return {kind: found[kind] for kind in ("tested", "awaiting", "later", "outside", "untold")}


def standing(clause: Clause, tests: Tests) -> str:
    """Return how it stands with the proof of a clause."""
    if clause.is_shown:
        return "awaiting" if clause.awaiting else "tested" if clause.id in tests else "untold"
    return "outside" if clause.is_outside else "later"


# ---- what is looked at


@cache
def _names() -> Mapping[str, frozenset[str]]:
    """By clause how the product names it: by itself, by another book's clause, or by the key of a value."""
    found: dict[str, set[str]] = {}
    for book in map(_book, BOOKS):
        for named in SUBJECTS:
            found.setdefault(behind(book, named), set()).add(named)
        for key, source in book.sources.items():
            found.setdefault(source.id, set()).add(key)
    return {clause: frozenset(names | {clause}) for clause, names in found.items()}


@cache
def _rows() -> tuple[tuple[str, str], ...]:
    """Each row of each procedure by the clause that it names."""
    return tuple(
        (row.clause, f"{name}: {row.source} -- {row.trigger} --> {row.target}")
        for name, rows in (*TABLES.items(), *INCIDENT_TABLES.items())
        for row in rows
    )


@cache
def _refusals() -> Mapping[str, tuple[str, ...]]:
    """By clause the lines of the product that name it, the procedures' rows apart."""
    found: dict[str, list[str]] = {}
    for part in SAYING:
        for path in sorted((PRODUCT / part).rglob("*.py")):
            for line, text in _texts(ast.parse(path.read_text(encoding="utf-8"))):
                found.setdefault(text, []).append(f"{path.relative_to(PRODUCT).as_posix()}:{line}")
    return {text: tuple(lines) for text, lines in found.items()}


@cache
def _values() -> tuple[tuple[frozenset[str], str], ...]:
    """Each value of each book, with the clauses and readings behind it."""
    return tuple(
        (
            frozenset({source.id, *source.also, source.needs, *source.readings} - {""}),
            f"{name} {key} = {written(book.value_of(key))}" + (f": {source.reason}" if source.reason else ""),
        )
        for name in BOOKS
        for book in (_book(name),)
        for key, source in book.sources.items()
    )


@cache
def _book(name: str) -> RuleBook:
    """A book that comes with the product, read once: its clauses are looked up over and over."""
    return load_rulebook(name)


def _texts(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield each text that a module writes down and its line, but for what stands in a row of a table."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call) and ast.unparse(child.func) == "Row":
            continue
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child.lineno, child.value
        yield from _texts(child)


def _marks(module: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield each mark of a test module: the test (empty for a mark on the whole module), and the clause."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            marks, name = node.decorator_list, node.name
            if not name.lower().startswith("test") or any(_bars(mark) for mark in marks):
                continue
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            marks, name = [node.value], ""
        else:
            continue
        for call in (one for mark in marks for one in ast.walk(mark)):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.mark.clause":
                yield from ((name, str(one.value)) for one in call.args if isinstance(one, ast.Constant))


def _bars(mark: ast.expr) -> bool:
    """Whether a test with this decorator may not run, or may fail."""
    called = mark.func if isinstance(mark, ast.Call) else mark
    return isinstance(called, ast.Attribute) and called.attr in NOT_RUN
