"""Clauses, field cases and rules of the link are named by ids that exist, wherever they are named."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from firmware_bridge.rulebooks.catalogue import catalogue
from tests.architecture import tree
from tests.field_cases import FIELD_CASES, WAITING

CLAUSES = frozenset(catalogue().clauses)
READINGS = frozenset(catalogue().readings)
LINK_RULES = frozenset(range(1, 32))

NAMED = re.compile(r"\b(?:PT-[A-Z]|(?:MO|ES|LD|GN)-X?|SB-)\d+[a-z]?\d?\b|\bBR-\d+\b")


def marks() -> Iterator[tuple[str, str, object]]:
    """Yield each mark of a test: where it stands, its name, and each of its arguments."""
    for path, node in tree.nodes("tests"):
        if not (isinstance(node, ast.Call) and ast.unparse(node.func).startswith("pytest.mark.")):
            continue
        for argument in node.args:
            if isinstance(argument, ast.Constant):
                yield (
                    f"{tree.name(path)}:{node.lineno}",
                    ast.unparse(node.func).split(".")[-1],
                    argument.value,
                )


def test_marks_name_what_there_is() -> None:
    known: dict[str, frozenset[object]] = {
        "clause": frozenset(CLAUSES),
        "field": frozenset(FIELD_CASES),
        "rule": frozenset(LINK_RULES),
    }
    unknown = [
        f"{where}: {mark} {value!r}" for where, mark, value in marks() if mark in known and value not in known[mark]
    ]
    assert not unknown, "a mark names a clause, a field case or a rule of the link by its id"


def test_every_id_in_the_repository_is_one() -> None:
    unknown = [
        f"{tree.name(path)}: {named}"
        for path, text in tree.texts(tree.committed())
        for named in sorted(set(NAMED.findall(text)) - CLAUSES - READINGS - FIELD_CASES.keys())
    ]
    assert not unknown, "ids of clauses and field cases last for ever: none is made up and none misspelt"


def test_each_field_case_is_played_by_a_test_or_waits_with_its_reason_and_none_does_both() -> None:
    played = {str(value) for _, mark, value in marks() if mark == "field"}
    assert not played & WAITING.keys(), "a test plays it: it waits no more; take it out of tests/field_cases.py"
    lost = FIELD_CASES.keys() - played - WAITING.keys()
    assert not lost, "no test is marked with it: play it, or say in tests/field_cases.py what it waits for"
    assert not WAITING.keys() - FIELD_CASES.keys()
    assert all(WAITING.values())
