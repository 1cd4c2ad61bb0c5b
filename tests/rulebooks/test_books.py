"""The five books say what their laws say, and where a law is silent the house says it with a reason."""

from __future__ import annotations

import ast
import hashlib
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest

from firmware_bridge.core.procedures.incidents import KINDS
from firmware_bridge.core.words import Role
from firmware_bridge.errors import ConfigError
from firmware_bridge.rulebooks import BOOKS, load_for_table, load_rulebook
from firmware_bridge.rulebooks.catalogue import catalogue
from firmware_bridge.rulebooks.played import AWAITED, PLAYED
from firmware_bridge.toml_file import convert, item_of, written
from firmware_bridge.view import play
from tests.architecture import tree
from tests.rulebooks import book_file
from tests.rulebooks.laws import LAW, Says, said

KEYS = frozenset(book_file.HINTS)
ASKED_BY_METHOD = {
    "burn.cards_with_shuffler": "burn.with_shuffler",
    "burn.cards_with_shoe": "burn.with_shoe",
}


@dataclass(frozen=True)
class Option:
    """A choice that a book leaves to the house, as its file has it."""

    book: str
    place: str


OPTIONS = [
    Option(name, place)
    for name in BOOKS
    for place in book_file.places(book_file.book(name))
    if "allowed" in book_file.entry_at(book_file.book(name), place)
]


@pytest.mark.parametrize(("name", "law"), LAW.items(), ids=list(LAW))
def test_the_law_is_in_the_book_under_its_clause_with_what_it_leaves_to_choose_and_nothing_else_is_shown_as_law(
    name: str, law: list[Says]
) -> None:
    book = load_rulebook(name)
    found = [said(key, book.value_of(key), source) for key, source in book.sources.items() if not source.is_house]
    by_key = attrgetter("key")
    assert sorted(found, key=by_key) == sorted(law, key=by_key)


@pytest.mark.parametrize("name", BOOKS)
def test_where_the_law_is_silent_the_house_gives_a_reason_and_no_clause(name: str) -> None:
    book = load_rulebook(name)
    for key, source in book.sources.items():
        if source.is_house:
            assert source.id == (key if key.startswith("house.") else f"house.{key}")
            assert len(source.reason.split()) > 4, key


@pytest.mark.parametrize("name", BOOKS)
def test_a_book_names_clauses_of_its_own_and_open_readings_that_there_are(name: str) -> None:
    book, letters = load_rulebook(name), book_file.book(name)["clauses"]
    for key, source in book.sources.items():
        clauses = [clause for clause in (source.id, *source.also, source.needs) if "-" in clause]
        assert {clause.partition("-")[0] for clause in clauses} <= {letters}, key
        assert set(clauses) <= set(catalogue().clauses), key
        assert all(reading.startswith(f"{letters}-X") for reading in source.readings), key


def test_every_open_reading_of_the_catalogue_is_taken_by_some_value_and_is_about_values_that_there_are() -> None:
    taken = {one for name in BOOKS for source in load_rulebook(name).sources.values() for one in source.readings}
    assert taken == set(catalogue().readings)
    for reading in catalogue().readings.values():
        assert reading.about
        for key, means in reading.about.items():
            assert all(convert(value, book_file.HINTS[key]) == value for value in means), key
            assert len(means) != 1, "what can mean one thing alone is not open"


def test_whatever_reading_a_clause_names_that_is_to_say_in_the_file_stands_in_the_file() -> None:
    """MO-6a: what the ace of a soft 17 counts after the next card; MO-13c: what the ace counts over or under 13."""
    macau = load_rulebook("macau")
    assert macau.sources["hands.bank_soft_17"].readings == ("MO-X1", "MO-X2")
    assert macau.sources["extra_bets.over_under_13"].readings == ("MO-X8",)


def test_a_book_leaves_out_whole_only_what_its_game_has_not() -> None:
    absent = {name: KEYS - set(load_rulebook(name).sources) for name in BOOKS}
    parts = {name: {key.partition(".")[0] for key in keys} for name, keys in absent.items()}
    assert parts == {
        "portugal": {"extra_bets"},
        "macau": {"jackpot"},
        "spain": {"jackpot", "extra_bets"},
        "live": {"jackpot"},
        "general": {"jackpot", "extra_bets"},
    }


@pytest.mark.parametrize("name", BOOKS)
def test_the_roles_of_a_book_are_roles_of_people(name: str) -> None:
    book = load_rulebook(name)
    for role in (
        book.loading.present,
        book.closing.unloading_present,
        book.house.difference_signed_by,
        book.damaged_card.replaced_by,
        book.jam.lid_opened_by,
    ):
        assert Role(role)


@pytest.mark.parametrize("name", BOOKS)
def test_the_digest_is_that_of_the_files_bytes(name: str) -> None:
    data = (book_file.FOLDER / f"{name}.toml").read_bytes()
    book = load_rulebook(name)
    assert book.digest == hashlib.sha256(data).hexdigest()
    assert (book.id, book.title) == (name, book_file.book(name)["title"])


def test_a_book_cannot_be_changed_once_read() -> None:
    book = load_rulebook("portugal")
    with pytest.raises(AttributeError):
        book.loading.min_packs = 1  # type: ignore[misc]
    with pytest.raises(TypeError):
        book.sources["loading.min_packs"] = book.sources["cut.with_shuffler"]  # type: ignore[index]


# ---- options (the kinds that are an option alone: nothing else has to show them)


@pytest.mark.clause("PT-E1", "MO-1a", "MO-1b", "MO-1c", "MO-2e", "MO-3a", "MO-5a2", "MO-5f", "MO-5g")
@pytest.mark.clause("MO-6a", "MO-10c", "MO-17a", "MO-20", "GN-1")
@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: f"{option.book}-{option.place}")
def test_of_an_option_every_choice_is_taken_and_no_other(tmp_path: Path, option: Option) -> None:
    choices = book_file.entry_at(book_file.book(option.book), option.place)["allowed"]
    is_list = isinstance(book_file.entry_at(book_file.book(option.book), option.place)["value"], list)
    some = [choices["from"], choices["to"]] if isinstance(choices, dict) else choices
    for choice in some:
        tables = book_file.book(option.book)
        book_file.entry_at(tables, option.place)["value"] = [choice] if is_list else choice
        faults = refusal_or_none(tmp_path, tables)
        assert all(line.startswith("contradiction: ") for line in faults), "only another value may speak against it"
    outside = [choices["from"] - 1, choices["to"] + 1] if isinstance(choices, dict) else others(option, choices)
    for wrong in outside:
        tables = book_file.book(option.book)
        book_file.entry_at(tables, option.place)["value"] = [wrong] if is_list else wrong
        [line] = book_file.refusal(tmp_path, tables)
        assert line.startswith(f"{option.place} = ")
        assert "; allowed: " in line


def others(option: Option, choices: list[Any]) -> list[object]:
    """Return what the schema would take and the clause does not allow."""
    item = item_of(book_file.HINTS[option.place])
    if get_origin(item) is Literal:
        return [word for word in get_args(item) if word not in choices]
    return [] if item is bool else [choice + 1 for choice in choices if choice + 1 not in choices]


def refusal_or_none(folder: Path, tables: dict[str, object]) -> list[str]:
    path = book_file.write(folder, tables)
    try:
        load_rulebook(path)
    except ConfigError:
        return book_file.refusal_of(path)
    return []


# ---- what is played


def test_each_value_is_asked_for_or_played_in_one_way_or_awaited_with_a_reason() -> None:
    product = [path for path in tree.files("firmware_bridge", suffix=".py") if "rulebooks" not in path.parts]
    asked = {ASKED_BY_METHOD.get(name, name) for path in product for name in attributes(path)} & KEYS
    asked |= {f"after_error.{kind.after}" for kind in KINDS.values() if kind.after}  # asked by the incidents' table
    asked |= {key for words in play.WORDS for key in words}  # asked by what people mind at the table
    assert not asked & set(PLAYED), "a value that is asked for leaves the table of those that are not"
    assert not asked & set(AWAITED)
    assert not set(PLAYED) & set(AWAITED)
    assert asked | set(PLAYED) | set(AWAITED) == KEYS


def attributes(path: Path) -> set[str]:
    """Return what a module asks of what: ``house.min_pack`` for ``book.house.min_pack``, and for what asks by key."""
    found = set()
    for node in ast.walk(tree.syntax(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ASK_BY_KEY:
            found |= {one.value for one in node.args if isinstance(one, ast.Constant)}
        if isinstance(node, ast.Attribute):
            owner = node.value
            name = owner.attr if isinstance(owner, ast.Attribute) else owner.id if isinstance(owner, ast.Name) else ""
            found.add(f"{name}.{node.attr}")
    return found


ASK_BY_KEY = frozenset({"by_whom", "is_not_asked"})
"""Makers of guards that ask for the value of the key that they are given."""

OTHERWISE: dict[object, object] = {1: 2, "close_session": "reload_with_room_manager", "at_once": "at_next_shuffle"}


@pytest.mark.parametrize("key", PLAYED)
def test_a_book_that_says_what_no_procedure_plays_may_be_checked_and_binds_no_table(tmp_path: Path, key: str) -> None:
    tables, only = book_file.book("spain"), PLAYED[key].value  # where the law is silent on all of them
    if key in ("loading.loadings_per_session", "last_round.announced_with_continuous"):
        tables["house"]["closing"]["taken_out_only_at_close"]["value"] = False  # or the two contradict each other
    place = book_file.place_of(tables, key)
    book_file.entry_at(tables, place)["value"] = not only if isinstance(only, bool) else OTHERWISE[only]
    path = book_file.write(tmp_path, tables)
    assert load_rulebook(path).value_of(key) != only
    with pytest.raises(ConfigError) as raised:
        load_for_table(path, load_rulebook(path).digest)
    [told] = [line for line in str(raised.value).splitlines() if f": {place} = " in line]
    assert told.endswith(f": this version plays only {written(only)}: {PLAYED[key].why}")


def test_whatever_says_how_a_table_closes_is_played_or_binds_no_table() -> None:
    """Every session ends with its decks sorted and read: nobody may believe that his book spares him that."""
    assert PLAYED["closing.sort_decks"].value is True
    assert not [key for key in AWAITED if key.startswith("closing.")]


def test_the_portuguese_book_binds_a_table() -> None:
    assert load_for_table("portugal") == load_rulebook("portugal")


@pytest.mark.parametrize("name", BOOKS)
def test_the_readme_tells_how_many_values_a_book_has_and_how_many_are_of_the_law(name: str) -> None:
    book = load_rulebook(name)
    law = sum(not source.is_house for source in book.sources.values())
    readme = (book_file.FOLDER / "README.md").read_text(encoding="utf-8")
    assert f"| `{name}.toml` | {law} of {len(book.sources)} |" in readme
