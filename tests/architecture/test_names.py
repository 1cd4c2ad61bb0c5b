"""Clauses, field cases and rules of the link are named by ids that exist, wherever they are named."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from firmware_bridge.rulebooks.catalogue import catalogue
from tests.architecture import tree

CLAUSES = frozenset(catalogue().clauses)
READINGS = frozenset(catalogue().readings)
FIELD_CASES = frozenset(f"BR-{number:03}" for number in range(1, 51))
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
        for named in sorted(set(NAMED.findall(text)) - CLAUSES - READINGS - FIELD_CASES)
    ]
    assert not unknown, "ids of clauses and field cases last for ever: none is made up and none misspelt"
