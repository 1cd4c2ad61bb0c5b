"""TOML files read so that all errors are found at once, each with file, line, key, and what is allowed."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, TypeGuard, get_args, get_origin

from msgspec import Struct

from firmware_bridge.errors import ConfigError
from firmware_bridge.plain_file import read_plain, remedy

Place = tuple[str | int, ...]
"""Where a value stands in a file: the keys that lead to it, and the number (from 0) of a table among several."""

LONGEST_FILE = 1_000_000
"""Bytes of a file that are read at most; a rule book of ours has some ten thousands."""

LONGEST_REPEATED = 200
"""Characters of a refused value that a message repeats."""

LONGEST_STATEMENT = 200
"""Lines over which one key and its value may reach and still be found; the keys after a longer one have no line."""


class Problem(Struct, frozen=True):
    """What is wrong at a place of a file, in words."""

    place: Place
    words: str


class Within(Struct, frozen=True):
    """The least and most that a number may be, or that a text or list may be long.

    ``pattern``: what a whole text is like. ``words``: what else holds, or where they ``say_all`` all that holds.
    """

    low: float
    high: float
    words: str = ""
    pattern: str = ""
    say_all: bool = False


class TomlFile(Struct, frozen=True):
    """A file's path, its bytes, and its tables."""

    path: Path
    data: bytes
    tables: dict[str, Any]

    def refuse(self, problems: Iterable[Problem]) -> None:
        """Raise one ``ConfigError`` that tells all problems, a line each; nothing if there are none."""
        found = list(problems)
        if not found:
            return
        lines = line_index(self.data.decode("utf-8"))
        raise ConfigError("\n".join(f"{self.path}:{line_of(lines, one.place)} {one.words}" for one in found))


def read_toml(path: Path, what: str) -> TomlFile:
    """Return a file. Raises ``ConfigError``, which calls the file ``what``."""
    try:
        data = read_plain(path, LONGEST_FILE)
        return TomlFile(path, data, tomllib.loads(data.decode("utf-8")))
    except OSError as error:
        raise ConfigError(f"{path}: cannot read this {what}: {error.strerror}; {remedy(error)}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: this {what} is not UTF-8 text; save it as UTF-8") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, tables nested by the thousand
        at = re.search(r"\(at line (\d+)", str(error))
        line = f"{at[1]}:" if at else ""
        raise ConfigError(f"{path}:{line} this {what} is not TOML: {error}; correct that place") from error


# ---- lines


def line_index(text: str) -> dict[Place, int]:
    """Return the line on which each table and key of a TOML text begins.

    The parser of the standard library keeps no lines; it is asked here for one statement at a time, so that quoted
    and dotted keys are its business. What stands in an inline table has the line on which the statement begins.
    """
    found: dict[Place, int] = {}
    counts: dict[Place, int] = {}
    above: Place = ()
    for number, header, tables in _statements(text):
        for keys in _keys(tables):
            if header == "[[":
                several = _numbered(keys, counts, last=False)
                counts[several] = counts.get(several, -1) + 1
            if header:
                above, keys = _numbered(keys, counts, last=True), ()
            for length in range(len(keys) + 1):
                found.setdefault(above + keys[:length], number)
    found.pop((), None)
    return found


def line_of(lines: Mapping[Place, int], place: Place) -> str:
    """Return a line's number and a colon, of what is missing that of the table it should stand in; empty if neither."""
    while place and place not in lines:
        place = place[:-1]
    return f"{lines[place]}:" if place else ""


def _statements(text: str) -> Iterable[tuple[int, str, dict[str, Any]]]:
    """Yield of each statement of a text that is TOML its first line, the brackets of a header, and what it says."""
    statement, first = "", 1
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        if not statement:
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            first = number
        statement += line + "\n"
        try:
            tables = tomllib.loads(statement)
        except ValueError:  # it goes on in the next line
            if number - first >= LONGEST_STATEMENT:
                return
            continue
        head = statement.lstrip()
        yield first, "[[" if head.startswith("[[") else "[" if head.startswith("[") else "", tables
        statement = ""


def _keys(tables: object) -> Iterable[Place]:
    """Yield the keys that lead to each end of a tree of tables."""
    if isinstance(tables, list) and len(tables) == 1 and tables[0] == {}:  # what a [[header]] alone is
        tables = {}
    if not isinstance(tables, dict) or not tables:
        yield ()
        return
    for key, below in tables.items():
        for rest in _keys(below):
            yield (key, *rest)


def _numbered(keys: Place, counts: Mapping[Place, int], *, last: bool) -> Place:
    """The keys of a header with the number of the table that is meant, where there are several of a name."""
    place: Place = ()
    for number, key in enumerate(keys, start=1):
        place += (key,)
        if place in counts and (last or number < len(keys)):
            place += (counts[place],)
    return place


# ---- values


def dotted(place: Place) -> str:
    """Return a place as people write it: ``house.min_pack``, ``device 2.port``."""
    words = ""
    for key in place:
        words += f" {key + 1}" if isinstance(key, int) else f".{key}" if words else key
    return words


def table_of(tables: Mapping[str, Any], place: Place, problems: list[Problem]) -> dict[str, Any]:
    """Return the sub-table at a place; an absent one is empty, so that its missing keys are told one by one."""
    value = tables.get(str(place[-1]), {})
    if isinstance(value, dict):
        return value
    name = dotted(place)
    problems.append(Problem(place, f"{name} = {repeated(value)} is no table; write [{name}]"))
    return {}


def unknown_keys(table: Mapping[str, Any], known: Sequence[str], above: Place = ()) -> list[Problem]:
    """Return a problem for each key that nobody asked for."""
    names = ", ".join(sorted(known))
    return [
        Problem(
            (*above, key),
            f"unknown key {dotted((*above, key))}; remove it or correct its spelling (allowed here: {names})",
        )
        for key in table
        if key not in known
    ]


def convert(value: object, hint: Any) -> Any:
    """Return a TOML value as the field's type. Raises ``ValueError`` that says what is allowed."""
    if not _fits(value, hint):
        raise ValueError(f"allowed: {allowed(hint)}")
    return tuple(value) if isinstance(value, list) else value


def allowed(hint: Any, choice: str = "") -> str:
    """Return what a field's type allows, in words for the person who writes the file.

    ``choice``: what narrows it further, the value or each item of a list.
    """
    base, limits = _taken_apart(hint)
    if choice and get_origin(base) is not tuple:
        return choice
    if base is bool:
        return "true or false"
    if get_origin(base) is Literal:
        return " or ".join(written(word) for word in get_args(base))
    if limits is None:
        raise TypeError(f"no words for {hint}: a schema has bool, Literal, or int, float, str, tuple with a Within")
    if limits.say_all:
        return limits.words
    said = f"; {limits.words}" if limits.words else ""
    span = f"{limits.low:g} to {limits.high:.15g}"
    if get_origin(base) is tuple:
        return f"a list of {span}, each {choice or allowed(get_args(base)[0])}{said}"
    if base is str:
        return f"a text of {span} characters{said}"
    return f"{'a number' if base is float else 'a whole number'} from {span}{said}"


def item_of(hint: Any) -> Any:
    """Return the type of a list's items; of any other type that type itself."""
    base, _ = _taken_apart(hint)
    return get_args(base)[0] if get_origin(base) is tuple else hint


def is_one_of(value: object, choices: Iterable[object]) -> bool:
    """Whether a value is among the choices; TOML tells 1 from true and from 1.0."""
    return any(value == choice and type(value) is type(choice) for choice in choices)


def is_line(value: object) -> TypeGuard[str]:
    """Whether a value is a text of one line that says something, and can be shown as it stands."""
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()


def written(value: object) -> str:
    """Return a value as it is written in TOML, for messages."""
    match value:
        case dict():
            return "{ " + ", ".join(f"{key} = {written(item)}" for key, item in value.items()) + " }"
        case list() | tuple():
            return "[" + ", ".join(map(written, value)) + "]"
        case str() | bool() | NoneType():
            return json.dumps(value, ensure_ascii=False)
    return str(value)


def repeated(value: object) -> str:
    """Return a value that is refused as the message repeats it: of a long one how it begins."""
    text = written(value)
    return text if len(text) <= LONGEST_REPEATED else f"{text[:LONGEST_REPEATED]}... ({len(text)} characters)"


def _taken_apart(hint: Any) -> tuple[Any, Within | None]:
    if get_origin(hint) is Annotated:
        base, limits = get_args(hint)
        return base, limits
    return hint, None


def _fits(value: object, hint: Any) -> bool:
    base, limits = _taken_apart(hint)
    if get_origin(base) is Literal:
        return is_one_of(value, get_args(base))
    if get_origin(base) is tuple:
        item = get_args(base)[0]
        return isinstance(value, list) and _within(len(value), limits) and all(_fits(one, item) for one in value)
    if base is str:
        return isinstance(value, str) and _within(len(value), limits) and _is_like(value, limits)
    if base is float:
        return type(value) in (int, float) and _within(value, limits)
    return type(value) is base and (limits is None or _within(value, limits))


def _within(number: Any, limits: Within | None) -> bool:
    if limits is None:
        return True
    return bool(limits.low <= number <= limits.high)


def _is_like(text: str, limits: Within | None) -> bool:
    return limits is None or not limits.pattern or re.fullmatch(limits.pattern, text) is not None
