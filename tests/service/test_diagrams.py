"""The procedures' state diagrams: made from the tables, whole, and never stale."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmware_bridge.core import procedures
from firmware_bridge.core.procedures import INCIDENT_TABLES, TABLES
from firmware_bridge.service.cli import main
from firmware_bridge.service.diagrams import PARTS, diagrams
from firmware_bridge.service.generated import begin, end, with_generated

BEGIN, END = begin("diagrams"), end("diagrams")
README = Path(procedures.__file__).with_name("README.md")
ARROW = re.compile(r"    (\w+) --> (\w+): (.+)")


def test_the_diagrams_beside_the_tables_are_those_of_the_tables() -> None:
    text = README.read_text(encoding="utf-8")
    advice = "stale: run  .venv/bin/sabot rules diagrams --into firmware_bridge/core/procedures/README.md"
    assert text == with_generated(text, "diagrams", diagrams()), advice


def test_every_row_of_every_table_is_drawn_and_nothing_else() -> None:
    assert set().union(*PARTS.values()) == set().union(*TABLES.values())
    drawn = {
        (source, target, label)
        for source, target, labels in map(str_groups, filter(ARROW.fullmatch, diagrams()))
        for label in labels.split("<br/>")
    }
    rows = [row for table in (*TABLES.values(), *INCIDENT_TABLES.values()) for row in table]
    assert drawn == {(row.source, row.target, f"{row.trigger.replace('_', ' ')} ({row.clause})") for row in rows}


def str_groups(line: str) -> tuple[str, str, str]:
    """An arrow's two states and its labels."""
    found = ARROW.fullmatch(line)
    assert found
    return found[1], found[2], found[3]


def test_every_kind_of_incident_stands_over_its_diagram_and_each_table_is_drawn_once() -> None:
    headings = [line for line in diagrams() if line.startswith("### ")]
    assert len(headings) == len(set(headings)) == len(PARTS) + len(set(INCIDENT_TABLES.values()))
    for kind in INCIDENT_TABLES:
        assert sum(kind.replace("_", " ") in re.split(r"[:,] ", heading) for heading in headings) == 1, kind


def test_what_begins_and_ends_in_a_diagram_is_marked() -> None:
    lines = list(diagrams())
    session = lines[lines.index("### The session: closing") : lines.index("### The dealer's seat")]
    assert {line.split()[0] for line in session if line.endswith("--> [*]")} >= {"verified", "closed_with_difference"}
    assert not [line for line in session if "[*] -->" in line]
    opening = lines[: lines.index("### The session: loading")]
    assert "    [*] --> closed" in opening


def test_the_command_prints_them_or_writes_them_between_two_marks(tmp_path: Path) -> None:
    printed = CliRunner().invoke(main, ["rules", "diagrams"])
    assert printed.output.splitlines() == list(diagrams())
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    assert CliRunner().invoke(main, ["rules", "diagrams", "--into", str(page)]).exit_code == 0
    lines = page.read_text(encoding="utf-8").splitlines()
    assert lines == ["before", BEGIN, *diagrams(), END, "after"]


@pytest.mark.parametrize("text", ["no mark\n", f"{BEGIN}\nno end\n", f"{END}\n{BEGIN}\n"])
def test_a_file_without_its_two_marks_is_refused_and_left_as_it_is(tmp_path: Path, text: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(main, ["rules", "diagrams", "--into", str(page)])
    assert result.exit_code == 1
    assert "there is no place for the diagrams" in result.output
    assert page.read_text(encoding="utf-8") == text
    assert "name a file that can be" in CliRunner().invoke(main, ["rules", "diagrams", "--into", str(tmp_path)]).output
