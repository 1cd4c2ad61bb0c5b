"""Every value of every book, set wrong in turn, gives exactly its message; all set wrong at once, each its line."""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest

from firmware_bridge.errors import ConfigError
from firmware_bridge.rulebooks import BOOKS, load_rulebook, loader
from firmware_bridge.rulebooks.catalogue import catalogue
from firmware_bridge.rulebooks.permissions import RULE_FORM
from firmware_bridge.toml_file import TomlFile, Within, allowed, written
from sim_hardware import commands
from tests.rulebooks import book_file
from tests.rulebooks.book_file import HINTS, entry_at, key_of, places, source_of, told_of

PLACES = [(name, place) for name in BOOKS for place in places(book_file.book(name))]
WRONG_EVERYWHERE: tuple[object, ...] = (0.5, {"of": 1}, "no such thing")


def taken_apart(hint: Any) -> tuple[Any, Within | None]:
    return (hint.__origin__, hint.__metadata__[0]) if hasattr(hint, "__metadata__") else (hint, None)


def wrong_values(hint: Any) -> Iterator[object]:
    """Yield what a type does not allow: another type, below, above, an unknown word, too few, too many."""
    yield from WRONG_EVERYWHERE
    base, limits = taken_apart(hint)
    if base is bool:
        yield from (0, "true")
    elif get_origin(base) is Literal:
        yield from ("", get_args(base)[0].upper(), True)
    elif base is int:
        assert limits is not None
        yield from (int(limits.low) - 1, int(limits.high) + 1, True)
    else:
        assert get_origin(base) is tuple
        assert limits is not None
        item = get_args(base)[0]
        yield from ([], 4)
        yield from ([wrong] for wrong in wrong_values(item))
        inner = taken_apart(item)[1]
        good = int(inner.low) if inner else get_args(item)[0]
        yield [good] * (int(limits.high) + 1)


def in_words(choices: Any) -> str:
    if isinstance(choices, dict):
        return f"from {choices['from']} to {choices['to']}"
    return " or ".join(written(choice) for choice in choices or [])


def of_the_schema(hint: Any) -> Iterator[object]:
    """Yield what a type allows, a few of it: what is wrong only where a clause fixes another value."""
    base, limits = taken_apart(hint)
    if base is bool:
        yield from (False, True)
    elif get_origin(base) is Literal:
        yield from get_args(base)
    elif base is int:
        assert limits is not None
        yield from (int(limits.low), int(limits.high))
    else:
        yield from ([one] for one in of_the_schema(get_args(base)[0]))


def meanings(place: str, entry: dict[str, Any]) -> list[Any]:
    """Return what a clause's open words can mean, where it leaves no choice."""
    if "clause" not in entry or "allowed" in entry:
        return []
    readings = entry.get("reading", [])
    several = [readings] if isinstance(readings, str) else readings
    return [value for one in several for value in catalogue().readings[one].about[place]]


def is_fixed(place: str, entry: dict[str, Any]) -> bool:
    """Whether a clause leaves no choice, and its words are not open to another value."""
    return "clause" in entry and "allowed" not in entry and not meanings(place, entry)


@pytest.mark.parametrize(("name", "place"), PLACES, ids=lambda one: one)
def test_each_value_set_wrong_is_named_with_what_is_allowed_and_its_clause(
    monkeypatch: pytest.MonkeyPatch, name: str, place: str
) -> None:
    tables, hint = book_file.book(name), HINTS[key_of(place)]
    monkeypatch.setattr(loader, "read_toml", spoilt_or(loader.read_toml, tables))
    entry = entry_at(tables, place)
    right, means = entry["value"], meanings(place, entry)
    choice = in_words(means or entry.get("allowed"))  # the clause's, not what the schema takes beside it
    others = (
        [one for one in of_the_schema(hint) if one not in (means or [right])] if means or is_fixed(place, entry) else []
    )
    allowed_here = written(right) if is_fixed(place, entry) else allowed(hint, choice)
    for wrong in (*wrong_values(hint), *others):
        entry["value"] = wrong
        with pytest.raises(ConfigError) as raised:
            load_rulebook(SPOILT)
        assert str(raised.value) == (
            f"book.toml: {place} = {written(wrong)} ({source_of(entry)}); allowed: {allowed_here}"
        )


SPOILT = Path("book.toml")


def spoilt_or(read: Callable[[Path, str], TomlFile], tables: dict[str, Any]) -> Callable[[Path, str], TomlFile]:
    """Read the spoilt book's tables without a file, and every other file as it is."""
    return lambda path, what: TomlFile(path, b"", tables) if path == SPOILT else read(path, what)


# ---- a house's own file


def extending(name: str, place: str, entry: dict[str, Any]) -> dict[str, Any]:
    """Return the tables of a house's file that extends a book and says one value."""
    tables: dict[str, Any] = {"id": "ours", "title": "Ours", "extends": name}
    *above, key = place.split(".")
    at = tables
    for part in above:
        at = at.setdefault(part, {})
    at[key] = entry
    return tables


@pytest.mark.parametrize(("name", "place"), PLACES, ids=lambda one: one)
def test_each_value_that_a_house_says_wrong_is_named_with_what_its_book_allows(
    monkeypatch: pytest.MonkeyPatch, name: str, place: str
) -> None:
    there, hint = entry_at(book_file.book(name), place), HINTS[key_of(place)]
    is_own = place.startswith("house.")
    entry: dict[str, Any] = {"value": None} | ({"reason": "so it is here"} if is_own else {})
    monkeypatch.setattr(loader, "read_toml", spoilt_or(loader.read_toml, extending(name, place, entry)))
    for wrong in wrong_values(hint):
        entry["value"] = wrong
        with pytest.raises(ConfigError) as raised:
            load_rulebook(SPOILT)
        told = [line for line in str(raised.value).splitlines() if "needs a permission" not in line]
        if is_own or "allowed" in there:
            words = f"{place} = {written(wrong)} ({source_of(there)}); allowed: "
            words += allowed(hint, in_words(there.get("allowed")))
        else:
            words = (
                f"{place} is nothing to choose: the book fixes {written(there['value'])} ({source_of(there)}); "
                "remove it: a house cannot override it"
            )
        assert told == [f"book.toml: {words}"]


# ---- what stands under [permissions]


PERMITTED = {"MO-21a": "macau", "MO-21b": "macau", "MO-21c": "macau", "PT-J1": "portugal"}
WRONG_RULES: tuple[object, ...] = (
    5,
    {},
    {"days": []},
    {"days": ["aproved"]},
    {"days": ["approved", "approved"]},
    {"day": ["approved"]},
    {"days": ["approved"], "working_days": 3},
    {"days": ["approved"], "working_days_between": 3},
    {"days": ["applied", "first_day"], "working_days_between": -1},
)
OTHER_RULES: tuple[dict[str, Any], ...] = (
    {"days": ["first_day"]},
    {"days": ["applied", "first_day"], "working_days_between": 1},
)


@pytest.mark.parametrize("clause", PERMITTED)
def test_each_rule_on_permissions_set_wrong_is_named_with_its_form_or_what_its_clause_asks_for(
    monkeypatch: pytest.MonkeyPatch, clause: str
) -> None:
    tables = book_file.book(PERMITTED[clause])
    monkeypatch.setattr(loader, "read_toml", spoilt_or(loader.read_toml, tables))
    right = {"working_days_between": 0} | tables["permissions"][clause]
    as_law = f"{{ days = {written(right['days'])}, working_days_between = {right['working_days_between']} }}"
    for wrong in (*WRONG_RULES, *OTHER_RULES):
        tables["permissions"][clause] = wrong
        with pytest.raises(ConfigError) as raised:
            load_rulebook(SPOILT)
        first, *others = str(raised.value).splitlines()
        remedy = f"; allowed: {as_law} ({clause})" if wrong in OTHER_RULES else f" is not of the form {RULE_FORM}"
        assert first == f"book.toml: permissions.{clause} = {written(wrong)}{remedy}"
        assert all(f"needs a permission ({clause}) of which nobody knows" in line for line in others)


@pytest.mark.parametrize("clause", ["PT-" + "J9", "PT-A5", "MO-21a"])
def test_no_rule_on_permissions_stands_under_a_clause_that_asks_for_none(tmp_path: Path, clause: str) -> None:
    tables = book_file.portugal()
    tables["permissions"][clause] = {"days": ["approved"]}
    [line] = book_file.refusal(tmp_path, tables)
    assert line == (
        f'permissions.{clause} = {{ days = ["approved"] }} stands under {clause}, which asks for none; allowed: PT-J1'
    )


# ---- what a house says of a permission


HOUSE = Path(commands.__file__).with_name("house_in_macau.toml")
NOON = datetime.datetime(2025, 12, 1, 12, tzinfo=datetime.UTC)
A_DAY = "is missing or no day; write {key} = 2026-12-31 (MO-21a)"
WRONG_PERMISSIONS: tuple[tuple[str, tuple[object, ...], str], ...] = (
    (
        "reference",
        (None, "", "  ", 5, "r\n1"),
        'reference is missing or no line of text; write reference = "..." as the regulator gave it',
    ),
    ("applied", (None, "2025-12-01", 5, NOON), "applied " + A_DAY.format(key="applied")),
    ("first_day", (None, "2025-12-09", NOON), "first_day " + A_DAY.format(key="first_day")),
    (
        "first_day",
        (datetime.date(2025, 12, 1),),
        "first_day = 2025-12-01 is not after applied = 2025-12-01 (MO-21a)",
    ),
    (
        "first_day",
        (datetime.date(2025, 12, 4),),
        "2 working days lie between applied = 2025-12-01 and first_day = 2025-12-04; allowed: 3 or more (MO-21a)",
    ),
    (
        "choices",
        (None, [], "equipment.places", [5]),
        'choices is missing or no list of keys; write choices = ["..."] with what was permitted',
    ),
    ("aplied", (5,), "unknown key aplied; allowed: reference, choices, applied, first_day"),
)


@pytest.mark.parametrize(("key", "wrong", "told"), WRONG_PERMISSIONS)
def test_each_part_of_a_permission_set_wrong_gives_its_message_and_no_other(
    tmp_path: Path, key: str, wrong: tuple[object, ...], told: str
) -> None:
    for value in wrong:
        house = tomllib.loads(HOUSE.read_text(encoding="utf-8"))
        house["permission"][0] |= {key: value}
        if value is None:
            del house["permission"][0][key]
        assert book_file.refusal(tmp_path, house) == [f"permission 1: {told}"]


CHOICES = tomllib.loads(HOUSE.read_text(encoding="utf-8"))["permission"][0]["choices"]


@pytest.mark.clause("MO-21a")
@pytest.mark.parametrize("choice", CHOICES)
def test_each_choice_that_a_permission_leaves_out_or_misspells_is_named(tmp_path: Path, choice: str) -> None:
    house = tomllib.loads(HOUSE.read_text(encoding="utf-8"))
    choices = house["permission"][0]["choices"]
    choices.remove(choice)
    value = written(load_rulebook("macau").value_of(choice))
    [left_out] = book_file.refusal(tmp_path, house)
    assert left_out.startswith(f"{choice} = {value} is a choice that needs a permission (MO-21a); name it in a ")
    choices.append(f"{choice}s")
    misspelt = f'permission 1: choices names "{choice}s", which needs no permission; remove it'
    assert book_file.refusal(tmp_path, house) == [misspelt, left_out]


# ---- all at once


@pytest.mark.parametrize("name", BOOKS)
def test_all_values_set_wrong_are_told_at_once_each_with_its_line(tmp_path: Path, name: str) -> None:
    text = (book_file.FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    spoilt = re.sub(
        r"\bvalue = ",
        "value = [[]] # ",
        re.sub(r"\{ value = .*?, ((?:allowed|clause|reading|reason) = )", r"{ value = [[]], \1", text),
    )
    path = tmp_path / "book.toml"
    path.write_text(spoilt.replace("# [[]]", "").replace(f'id = "{name}"', 'id = "spoilt"', 1), encoding="utf-8")
    found = {words.partition(" = ")[0]: int(line or 0) for line, words in told_of(path)}
    assert found == dict(where_values_stand(text))


def where_values_stand(text: str) -> Iterator[tuple[str, int]]:
    """Yield the place of each value and its line, as a person finds it who knows how our own files are written."""
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\[([\w.]+)\]", line):
            table, above = header[1], number
        elif line.startswith("value = "):
            yield table, above
        elif (entry := re.match(r"(\w+) = \{ value = ", line)) is not None:
            yield f"{table}.{entry[1]}", number
