"""The page of each rule book: what a session asks of whom, made from the tables, whole, and never stale."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from drivers.protocol.messages import Kind
from firmware_bridge import rulebooks
from firmware_bridge.core.words import Session
from firmware_bridge.rulebooks import BOOKS, load_rulebook
from firmware_bridge.service.cli import main
from firmware_bridge.service.config import why_no_such_machine
from firmware_bridge.service.generated import with_generated
from firmware_bridge.service.good_course import GoodCourse
from firmware_bridge.service.session_pages import TABLES, pages
from sim_hardware.commands.stage import book_of

README = Path(rulebooks.__file__).with_name("README.md")
CLOSED = (Session.VERIFIED, [])


def page(book: str, table: str) -> list[str]:
    """A book's page of one kind of table."""
    lines = list(pages([book]))
    first = next(number for number, line in enumerate(lines) if line.startswith(f"#### {table}"))
    after = [number for number, line in enumerate(lines) if number > first and line.startswith("#### ")]
    return lines[first : (after or [None])[0]]


def in_order(lines: list[str], *parts: str) -> list[str]:
    """Of the parts those that stand in the lines, each after the one before."""
    rest = iter(lines)
    return [part for part in parts if any(part in line for line in rest)]


def test_the_pages_in_the_readme_are_those_of_the_tables() -> None:
    text = README.read_text(encoding="utf-8")
    advice = "stale: run  .venv/bin/sabot rules sessions --into firmware_bridge/rulebooks/README.md"
    assert text == with_generated(text, "sessions", pages()), advice


@pytest.mark.parametrize("machine", TABLES.values())
@pytest.mark.parametrize("name", BOOKS)
def test_whoever_does_what_the_page_says_closes_a_verified_table_on_which_nothing_went_wrong(
    name: str, machine: Kind | None
) -> None:
    book = load_rulebook(name)
    if why_no_such_machine(machine, book):
        return
    course = GoodCourse(book, machine)
    followed = [asked.line.trigger for asked in course.walk() if asked.followed]
    assert (course.state.session, course.state.incident_kinds) == CLOSED
    assert (followed[0], followed[-1]) == ("open_table", "sign_result")


@pytest.mark.clause("PT-S1", "PT-S2", "PT-S3", "PT-S4", "PT-S5", "PT-S6")
def test_a_shoe_is_shown_mixed_cut_marked_burned_and_played_to_its_last_round_in_this_order() -> None:
    steps = (
        "were shown [PT-S1]",
        "shuffled by hand [PT-S2]",
        "offer the cut to the player in the lowest-numbered occupied place",
        "place the warning card with 49 to 50 cards behind it",
        "burn it: to the discard, face down [PT-S5]",
        "this round is the last of this shoe [PT-S6]",
        "draw what was not dealt from the shoe",
        "offer the cut to the next player in order",
        "declare the table closed [PT-A6]",
    )
    assert in_order(page("portugal", "At a shoe"), *steps) == list(steps)


@pytest.mark.clause("PT-S3")
def test_whose_a_step_is_stands_in_front_and_what_is_not_waited_for_is_said_to_be_open() -> None:
    [nobody] = [line for line in page("portugal", "At a shoe") if "step 60" in line]
    assert nobody.startswith("  - *open:* Table inspector: ")
    assert nobody.endswith(" [PT-S3]")
    assert not [line for line in page("general", "At a shoe") if "step 60" in line]  # the dealer does it, by YES


@pytest.mark.clause("PT-A10")
def test_a_table_that_a_book_does_not_have_says_by_which_clause() -> None:
    assert "PT-A10" in page("portugal", "At a batch shuffler")[2]


def test_a_page_names_no_machine_where_there_is_none() -> None:
    for name in BOOKS:
        assert not [line for line in page(name, "At a shoe") if "machine" in line]


def test_the_command_prints_the_pages_of_the_books_that_it_is_given() -> None:
    printed = CliRunner().invoke(main, ["rules", "sessions", "macau"])
    assert printed.output.splitlines() == list(pages(["macau"]))
    assert CliRunner().invoke(main, ["rules", "sessions", "nowhere"]).exit_code == 1


@pytest.mark.clause("MO-1b")
def test_the_page_of_a_metal_box_speaks_of_no_shoe_and_of_one_deck_as_one() -> None:
    lines = list(pages([book_of("house_with_box")]))
    box = lines[lines.index("#### At a metal box, 1 deck") :]
    assert any("sort the cards into 1 deck," in line for line in box)
    assert not [line for line in box if "the shoe" in line]
