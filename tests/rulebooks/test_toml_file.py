"""A message about a TOML file names the line; what a type allows is checked and told in the same words."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.errors import ConfigError
from firmware_bridge.toml_file import (
    LONGEST_STATEMENT,
    Problem,
    Within,
    allowed,
    convert,
    line_index,
    line_of,
    read_toml,
    written,
)

TEXT = '''# a comment with a = 1 in it
title = "one"

[table]                     # [no.header]
text = """
[neither.is.this]
name = "x"
"""
"quoted.key" = 1
dotted.key = { inner = 2 }
list = [
  1,
  2,
]

[[device]]
name = "first"
[device.port]
path = "a"

[[device]]
name = "second"
   [ device . port ]
path = "b"
'''


def test_each_key_has_the_line_on_which_it_begins() -> None:
    assert line_index(TEXT) == {
        ("title",): 2,
        ("table",): 4,
        ("table", "text"): 5,
        ("table", "quoted.key"): 9,
        ("table", "dotted"): 10,
        ("table", "dotted", "key"): 10,
        ("table", "dotted", "key", "inner"): 10,
        ("table", "list"): 11,
        ("device", 0): 16,
        ("device", 0, "name"): 17,
        ("device", 0, "port"): 18,
        ("device", 0, "port", "path"): 19,
        ("device", 1): 21,
        ("device", 1, "name"): 22,
        ("device", 1, "port"): 23,
        ("device", 1, "port", "path"): 24,
    }


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_lines_are_those_of_an_editor_whatever_ends_them(ends: str) -> None:
    assert line_index(TEXT.replace("\n", ends)) == line_index(TEXT)


def test_what_is_missing_has_the_line_of_the_table_in_which_it_should_stand() -> None:
    lines = line_index(TEXT)
    assert line_of(lines, ("device", 1, "driver")) == "21:"
    assert line_of(lines, ("nowhere", "at", "all")) == ""


def test_after_a_statement_of_very_many_lines_no_line_is_told_rather_than_a_wrong_one() -> None:
    text = "a = 1\nb = [\n" + "  1,\n" * LONGEST_STATEMENT + "]\nc = 2\n"
    assert line_index(text) == {("a",): 1}


KEYS = st.text("ab.-_ ", min_size=1, max_size=4)
VALUES = st.recursive(st.integers(0, 9) | st.booleans() | st.text(max_size=3), lambda some: st.lists(some, max_size=2))


@given(st.dictionaries(KEYS, VALUES, max_size=6), st.dictionaries(KEYS, VALUES, max_size=3))
def test_whatever_is_written_a_line_each_is_found_on_its_line(head: dict[str, Any], below: dict[str, Any]) -> None:
    below = {key: value for key, value in below.items() if key not in head}
    lines = [f"{written(key)} = {written(value)}" for key, value in head.items()]
    for key, value in below.items():
        lines += ["", f"[{written(key)}]", f"x = {written(value)}"]
    found = line_index("\n".join(lines))
    for place, number in found.items():
        assert written(place[0]) in lines[number - 1] or lines[number - 1].startswith("x = ")
    assert set(head) | set(below) == {place[0] for place in found}


def test_all_problems_are_told_in_one_error_a_line_each(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_text(TEXT, encoding="utf-8")
    file = read_toml(path, "file")
    file.refuse([])
    with pytest.raises(ConfigError) as raised:
        file.refuse([Problem(("device", 1, "name"), "no good"), Problem(("head",), "missing")])
    assert str(raised.value) == f"{path}:22: no good\n{path}: missing"


WHOLE = Annotated[int, Within(1, 8)]
TEXT_OF_3 = Annotated[str, Within(1, 3, "small letters", "[a-z]*")]


@pytest.mark.parametrize(
    ("hint", "good", "wrong", "words"),
    [
        (bool, [True, False], [0, 1, "true", None], "true or false"),
        (WHOLE, [1, 8], [0, 9, True, 1.0, "1", 2**70, -1], "a whole number from 1 to 8"),
        (Literal["a", "b"], ["a", "b"], ["c", "", 1, ["a"], True], '"a" or "b"'),
        (
            Annotated[float, Within(0.01, 1000)],
            [1, 0.01, 1000.0],
            [0, 0.009, -1.0, 1000.1, float("nan"), float("inf"), True, "1"],
            "a number from 0.01 to 1000",
        ),
        (TEXT_OF_3, ["a", "abc"], ["", "abcd", "A", "a\n", 1], "a text of 1 to 3 characters; small letters"),
        (
            Annotated[tuple[WHOLE, ...], Within(1, 2, "in order")],
            [[1], [8, 1]],
            [[], [1, 1, 1], [0], ["1"], 1, (1,), [True]],
            "a list of 1 to 2, each a whole number from 1 to 8; in order",
        ),
    ],
    ids=lambda one: "" if isinstance(one, list) else str(one),
)
def test_a_type_takes_what_it_says_and_nothing_else(hint: Any, good: list[Any], wrong: list[Any], words: str) -> None:
    assert allowed(hint) == words
    for value in good:
        assert convert(value, hint) == (tuple(value) if isinstance(value, list) else value)
    for value in wrong:
        with pytest.raises(ValueError, match="allowed: ") as raised:
            convert(value, hint)
        assert str(raised.value) == f"allowed: {words}"


def test_a_type_for_which_there_are_no_words_is_our_own_mistake() -> None:
    with pytest.raises(TypeError, match="no words"):
        allowed(int)


def test_a_pipe_is_no_file_and_nobody_waits_at_it(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "book.toml")
    with pytest.raises(ConfigError, match="cannot read this rule book: it is no regular file; correct the path"):
        read_toml(pipe, "rule book")
