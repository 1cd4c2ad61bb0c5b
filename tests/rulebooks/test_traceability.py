"""Every clause that has to be shown has a test, or an entry that says why it has none yet."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType

import pytest
from click.testing import CliRunner, Result

from firmware_bridge.core.procedures import INCIDENT_TABLES, OUT_OF_PLACE, TABLES
from firmware_bridge.rulebooks import BOOKS, load_rulebook
from firmware_bridge.rulebooks.catalogue import KINDS, Catalogue, Clause, catalogue
from firmware_bridge.rulebooks.subjects import SUBJECTS, behind
from firmware_bridge.service import rules
from firmware_bridge.service.cli import main
from firmware_bridge.service.traceability import PRODUCT, Tests, carried, counts, faults, marked_tests
from firmware_bridge.view.deal_words import PLAYERS_CLOSED
from firmware_bridge.view.incident_texts import INCIDENT_CLAUSES
from tests.clause_coverage import marks_of, unproved
from tests.rulebooks import book_file

LAW = re.compile(r"\b(PT|MO|ES|LD|GN)-[A-Z]?\d")
"""A clause of any book, wherever it stands in a text."""


def sabot_rules(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["rules", *arguments])


def test_every_clause_that_has_to_be_shown_has_a_test_or_a_reason_why_not() -> None:
    tests = marked_tests()
    assert tests is not None, "the tests run in a checkout"
    assert list(faults(catalogue(), tests)) == []


def test_each_clause_says_something_and_is_of_known_kinds() -> None:
    known = catalogue()
    assert len(known.clauses) == 145
    for clause in known.clauses.values():
        assert set(clause.kinds) <= KINDS
        assert clause.kinds
        assert len(clause.words) > 10
        assert clause.is_ours == clause.id.startswith("SB-")
    assert all(len(reading.words.split()) > 1 for reading in known.readings.values())


CLAUSES = Catalogue(
    MappingProxyType(
        {
            clause.id: clause
            for clause in (
                Clause("AA-1", ("enforce",), "tested"),
                Clause("AA-2", ("prompt",), "awaited", "no machine"),
                Clause("AA-3", ("score",), "later"),
                Clause("AA-4", ("outside",), "none of ours"),
                Clause("AA-5", ("watch", "option"), "tested as an option"),
                Clause("AA-6", ("rule",), "ours"),
                Clause("AA-7", ("option", "enforce"), "both burns", "the second is not followed", "the first"),
                Clause("AA-8", ("rule",), "ours, of another machine", "no such machine"),
            )
        }
    ),
    MappingProxyType({}),
)
PROVED = {"AA-1": ("t.py: a",), "AA-5": ("t.py: b",), "AA-6": ("t.py: e",), "AA-7": ("t.py: f",)}


def test_all_is_well_where_each_has_its_test_or_its_reason() -> None:
    assert list(faults(CLAUSES, PROVED)) == []
    assert counts(CLAUSES.clauses.values(), PROVED) == {
        "tested": 2, "awaiting": 2, "later": 1, "outside": 1, "untold": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("tests", "told"),
    [
        ({key: PROVED[key] for key in ("AA-5", "AA-6", "AA-7")}, "AA-1 has neither a test nor an awaiting entry"),
        ({key: PROVED[key] for key in ("AA-1", "AA-5", "AA-7")}, "AA-6 has neither a test nor an awaiting entry"),
        ({key: PROVED[key] for key in ("AA-1", "AA-5", "AA-6")}, "AA-7 is listed as played in part, and no test shows"),
        (PROVED | {"AA-2": ("t.py: c",)}, "AA-2 is listed as awaiting, and t.py: c shows it"),
        (PROVED | {"AA-9": ("t.py: d",)}, "t.py: d names AA-9, which is no clause"),
    ],
)
def test_a_clause_without_a_test_a_false_reason_and_an_unknown_clause_are_told(
    tests: dict[str, tuple[str, ...]], told: str
) -> None:
    [line] = faults(CLAUSES, tests)
    assert line.startswith(told)


def test_a_reason_for_what_nobody_has_to_show_is_told() -> None:
    later = Catalogue(MappingProxyType({"AA-3": Clause("AA-3", ("score",), "later", "some reason")}), CLAUSES.readings)
    [line] = faults(later, {})
    assert line.startswith("AA-3 is awaited, and nothing here has to show a clause of its kind")


def test_marks_are_found_on_tests_on_classes_and_on_whole_modules(tmp_path: Path) -> None:
    folder = tmp_path / "tests" / "part"
    folder.mkdir(parents=True)
    mark = "@pytest.mark.clause"
    (folder / "test_some.py").write_text(
        f'import pytest\n{mark}("A-1", "A-2")\n{mark}("A-3")\ndef test_one(): ...\n\n'
        f'{mark}("A-1")\nclass TestTwo:\n    def test_not_marked(self): ...\n\ndef test_three(): "A-4"\n'
        f'{mark}("A-7")\n@pytest.mark.skip(reason="later")\ndef test_four(): ...\n\n{mark}("A-8")\ndef helper(): ...\n'
        f'@pytest.mark.skipif(True, reason="later")\n{mark}("A-9")\ndef test_five(): ...\n\n'
        f'@pytest.mark.xfail\n{mark}("A-9")\nclass TestSix: ...\n',
        encoding="utf-8",
    )
    (folder / "test_all.py").write_text('pytestmark = [pytest.mark.clause("A-5")]\n', encoding="utf-8")
    (folder / "helper.py").write_text(f'{mark}("A-6")\ndef no_test(): ...\n', encoding="utf-8")
    assert marked_tests(tmp_path / "tests") == {
        "A-1": ("tests/part/test_some.py: test_one", "tests/part/test_some.py: TestTwo"),
        "A-2": ("tests/part/test_some.py: test_one",),
        "A-3": ("tests/part/test_some.py: test_one",),
        "A-5": ("tests/part/test_all.py",),
    }


@pytest.mark.parametrize(
    ("sources", "marked", "passed", "told"),
    [
        ({"A-1": ("t.py: a",)}, {"t.py::a": [("t.py: a", "A-1")]}, {"t.py::a"}, []),
        ({"A-1": ("t.py: a",)}, {}, set(), ["t.py: a is marked with A-1, and no test of it was collected"]),
        (
            {},
            {"t.py::a": [("t.py: a", "A-1")]},
            {"t.py::a"},
            ["t.py: a is marked with A-1 in a way that the sources do not show: write the mark above it"],
        ),
        (
            {"A-1": ("t.py: a",), "A-2": ("t.py",)},
            {"t.py::a[1]": [("t.py: a", "A-1"), ("t.py", "A-2")], "t.py::a[2]": [("t.py: a", "A-1"), ("t.py", "A-2")]},
            {"t.py::a[1]"},
            ["t.py::a[2] is marked with A-1, A-2 and did not run to its end: let it run, or take the mark off"],
        ),
    ],
)
def test_a_run_proves_a_clause_only_by_tests_that_ran_to_their_end(
    sources: Tests, marked: dict[str, list[tuple[str, str]]], passed: set[str], told: list[str]
) -> None:
    assert list(unproved(sources, marked, passed)) == told


def test_what_pytest_collects_here_is_marked_as_the_sources_show(request: pytest.FixtureRequest) -> None:
    here = Path(request.node.nodeid.partition("::")[0]).as_posix()
    collected = {mark for item in request.session.items if item.path == request.path for mark in marks_of(item)}
    known = marked_tests() or {}
    written = {(name, clause) for clause, names in known.items() for name in names if name.startswith(here)}
    assert collected <= written
    assert (f"{here}: test_a_file_is_held_against_a_day_before_which_its_permission_does_not_hold", "PT-J1") in written


def test_what_carries_a_clause_is_found_in_rows_refusals_and_values() -> None:
    found = carried("PT-A5")
    assert any(row.startswith("session: ") and "start_pack" in row for row in found.rows)
    assert any(line.startswith("core/procedures/__init__.py:") for line in found.refusals)
    assert "portugal loading.min_packs = 2" in found.values
    assert not carried("PT-H9").rows


def test_what_other_books_say_is_carried_by_the_same_rows() -> None:
    assert set(carried("MO-2g").rows) == {*carried("PT-A10").rows, *carried("PT-A11").rows}
    assert len(carried("PT-S5").rows) == 1  # it burns from a shoe that is filled by hand
    assert len(carried("MO-4a").rows) == 3  # from an automatic shuffler, and by the dealer's word from a metal box
    assert any(line.startswith("core/procedures/guards/rounds.py:") for line in carried("MO-4a").refusals)


def test_every_clause_that_rows_and_refusals_name_has_a_value_that_says_the_same_in_every_book() -> None:
    named = {row.clause for rows in (*TABLES.values(), *INCIDENT_TABLES.values()) for row in rows}
    named |= {clause for clause, _ in OUT_OF_PLACE.values()} | set(INCIDENT_CLAUSES.values())
    named.add(PLAYERS_CLOSED)  # on the screen, beside a metal box
    keys = load_rulebook("portugal").sources.keys()  # a value's key says the same in every book by itself
    assert {clause for clause in named - keys if not clause.startswith("SB-")} == set(SUBJECTS)
    for clause in SUBJECTS:
        for book in map(load_rulebook, BOOKS):
            assert behind(book, clause) in catalogue().clauses or behind(book, clause).startswith("house.")
    assert behind(load_rulebook("macau"), "SB-7") == "SB-7"


def test_whatever_the_product_says_at_a_table_names_a_clause_only_as_one_that_every_book_has_a_value_for() -> None:
    """A clause within a longer text could not be looked up: it would be said at every table."""
    named = {text for part in ("core", "view", "readers") for text in _texts(PRODUCT / part) if LAW.search(text)}
    assert named == set(SUBJECTS)


def _texts(folder: Path) -> Iterator[str]:
    """Each text that the modules of a folder write down, but for their docstrings."""
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if isinstance(node, ast.stmt) and not is_docstring:
                yield from (
                    one.value
                    for child in ast.iter_child_nodes(node)
                    if not isinstance(child, ast.stmt)
                    for one in ast.walk(child)
                    if isinstance(one, ast.Constant) and isinstance(one.value, str)
                )


def test_a_value_may_be_named_by_its_key_and_what_is_looked_up_already_stays() -> None:
    macau = load_rulebook("macau")
    assert behind(load_rulebook("portugal"), "notices.damaged_card") == "PT-A1"
    assert behind(macau, "notices.damaged_card") == "house.notices.damaged_card"
    for book in map(load_rulebook, BOOKS):
        assert all(behind(book, source.id) == source.id for source in book.sources.values() if book.id != "portugal")


def test_in_portugal_a_step_stands_on_the_clause_by_which_it_is_named_but_for_macaus() -> None:
    book = load_rulebook("portugal")
    others = {clause: behind(book, clause) for clause in SUBJECTS if behind(book, clause) != clause}
    assert others == {
        "MO-2e": "house.shuffle.at_dealers_wish",
        "MO-4a": "house.burn.with_shuffler",
        "MO-1b": "PT-A7",
        "MO-2f": "house.shuffle.each_round_with_metal_box",
        "MO-5c": "PT-D1",
    }


# ---- the commands


def test_coverage_tells_each_clause_and_counts_them_all() -> None:
    result = sabot_rules("coverage")
    assert result.exit_code == 0
    *lines, last = result.output.splitlines()
    for clause in catalogue().clauses:
        assert sum(line.startswith(f"{clause} [") for line in lines) == 1
    numbers = re.fullmatch(
        r"(\d+) clauses: (\d+) tested, (\d+) awaiting, (\d+) scored or watched later, (\d+) outside", last
    )
    assert numbers
    whole, *parts = map(int, numbers.groups())
    assert whole == sum(parts) == 134


def test_where_no_tests_lie_beside_the_program_coverage_says_so_and_proves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(rules, "marked_tests", lambda: marked_tests(tmp_path / "absent"))
    result = sabot_rules("coverage")
    assert result.exit_code == 1
    assert result.output.splitlines()[-1].startswith("no tests lie beside this program")
    assert sabot_rules("explain", "PT-A5").output.splitlines()[-1].startswith("  no tests lie beside this program")


def test_a_clause_is_explained_with_its_words_and_all_that_carries_it() -> None:
    lines = sabot_rules("explain", "PT-A5").output.splitlines()
    assert lines[0] == f"PT-A5 (enforce): {catalogue().clauses['PT-A5'].words}"
    assert "  value: portugal loading.min_packs = 2" in lines
    assert any(line.startswith("  row: session: ") for line in lines)
    assert any(line.startswith("  said in: core/") for line in lines)
    assert any(line.startswith("  test: tests/") for line in lines)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("MO-2f", "  row: session: in_round -- round_over --> emptying_shoe"),
        ("PT-H9", "  nothing carries it yet"),
        ("PT-X12", "PT-X12, an open reading: whether a card is burned with the automatic shuffler"),
        ("house.min_pack", "spain house.min_pack = 26 (the house's)"),
        ("loading.min_packs", "portugal loading.min_packs = 2 (PT-A5)"),
        ("house.opening.check_backs", "portugal opening.check_backs = true (the house's)"),
        ("jackpot.offered", "portugal jackpot.offered = false (PT-J1)"),
    ],
)
def test_whatever_a_message_names_is_explained(name: str, told: str) -> None:
    result = sabot_rules("explain", name)
    assert result.exit_code == 0
    assert told in result.output.splitlines()


def test_what_is_none_is_refused_with_examples() -> None:
    result = sabot_rules("explain", "XX-1")
    assert result.exit_code == 1
    assert "XX-1 is no clause, rule, reading or value; write one as" in result.output


def test_a_good_file_is_told_with_what_keeps_it_from_a_table(tmp_path: Path) -> None:
    good = sabot_rules("check", "portugal")
    assert good.exit_code == 0
    assert good.output.splitlines()[-1] == "  may bind a table"
    macau = sabot_rules("check", "macau")
    assert macau.exit_code == 0
    assert "    equipment.places = 7 is a choice that needs a permission (MO-21a)" in macau.output
    house = tmp_path / "ours.toml"
    house.write_text(
        'id = "ours"\ntitle = "Ours"\nextends = "portugal"\n[jackpot]\noffered = { value = true }\n'
        '[[permission]]\nreference = "r 1"\napproved = 2026-03-02\nchoices = ["jackpot.offered"]\n',
        encoding="utf-8",
    )
    told = sabot_rules("check", str(house)).output
    assert "  permission r 1, approved 2026-03-02: jackpot.offered" in told
    assert "  opens a table from 2026-03-02 on" in told


@pytest.mark.clause("PT-J1")
def test_a_file_is_held_against_a_day_before_which_its_permission_does_not_hold(tmp_path: Path) -> None:
    house = tmp_path / "ours.toml"
    house.write_text(
        'id = "ours"\ntitle = "Ours"\nextends = "portugal"\n[jackpot]\noffered = { value = true }\n'
        '[[permission]]\nreference = "r 1"\napproved = 2026-03-02\nchoices = ["jackpot.offered"]\n',
        encoding="utf-8",
    )
    early = sabot_rules("check", str(house), "--on", "2026-03-01").output
    assert "  binds no table: 1 reason\n    permission r 1 holds from 2026-03-02, not on 2026-03-01 (PT-J1)" in early
    assert sabot_rules("check", str(house), "--on", "2026-03-02").output.splitlines()[-1] == "  may bind a table"
    assert sabot_rules("check", str(house), "--on", "soon").exit_code == 2


def test_a_wrong_file_is_refused_with_all_that_is_wrong_each_with_its_line(tmp_path: Path) -> None:
    text = book_file.PORTUGAL.read_text(encoding="utf-8")
    path = tmp_path / "book.toml"
    path.write_text(
        text.replace("min_packs = { value = 2", "min_packs = { value = 0").replace("value = 26", "value = 0")
    )
    result = sabot_rules("check", str(path))
    assert result.exit_code == 1
    line = 1 + next(n for n, row in enumerate(text.splitlines()) if row.startswith("min_packs"))
    assert f"{path}:{line}: loading.min_packs = 0 (PT-A5); allowed: from 2 to 8" in result.output
    assert "house.min_pack = 0 (the house's); allowed: a whole number from 1 to 208" in result.output


def test_two_books_are_compared_value_by_value() -> None:
    same = sabot_rules("diff", "portugal", "portugal").output.splitlines()
    assert len(same) == 1
    assert same[0].startswith("0 of 100 values differ")
    lines = sabot_rules("diff", "portugal", "macau").output.splitlines()
    at = lines.index("loading.min_packs")
    assert lines[at + 1 : at + 3] == ["  portugal: 2 (PT-A5)", "  macau: 1 (the house's)"]
    at = lines.index("jackpot.offered")
    assert lines[at + 2] == "  macau: not in this book (its game has no such thing)"
