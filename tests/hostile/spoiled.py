"""Files spoiled at random: bytes that a bad disk leaves, and values that a hurried hand writes."""

from __future__ import annotations

import re
from collections.abc import Callable

from hypothesis import strategies as st

Spoil = Callable[[bytes], bytes]

WORDS = (
    b"",
    b"-1",
    b"0",
    b"1e999",
    b"nan",
    b"-inf",
    b"9" * 25,
    b"9" * 5000,
    b'""',
    b'"' + b"x" * 3000 + b'"',
    b"true",
    b"[]",
    b"[" * 2000,
    b"[" * 2000 + b"]" * 2000,
    b"{}",
    b'{ value = 1, clause = "SB-1" }',
    b"2026-01-01",
    b"null",
    b"\xff\xfe",
    b"\x00",
    '"\u202eRED"'.encode(),
    b'"\\u0000"',
    b"'''",
    b"=",
    b"\n[table]\n",
    b"/",
    b"..",
)
"""What may come to stand in the place of a value."""

VALUE = re.compile(rb'"[^"\n]*"|[0-9][0-9._]*|true|false')


def _cut(data: bytes, at: float, length: int) -> bytes:
    place = int(at * len(data))
    return data[:place] + data[place + length :]


def _truncated(data: bytes, at: float) -> bytes:
    return data[: int(at * len(data))]


def _overwritten(data: bytes, at: float, junk: bytes) -> bytes:
    place = int(at * len(data))
    return data[:place] + junk + data[place + len(junk) :]


def _doubled(data: bytes, at: float, length: int) -> bytes:
    place = int(at * len(data))
    return data[:place] + data[place : place + length] + data[place:]


def _other_value(data: bytes, at: float, word: bytes) -> bytes:
    found = list(VALUE.finditer(data))
    if not found:
        return word
    which = found[int(at * (len(found) - 1))]
    return data[: which.start()] + word + data[which.end() :]


_AT = st.floats(0, 1, allow_nan=False)


def _with(function: Callable[..., bytes], *arguments: st.SearchStrategy[object]) -> st.SearchStrategy[Spoil]:
    return st.tuples(*arguments).map(lambda drawn: lambda data: function(data, *drawn))


BY_A_DISK = st.one_of(
    _with(_cut, _AT, st.integers(1, 200)),
    _with(_truncated, _AT),
    _with(_overwritten, _AT, st.binary(min_size=1, max_size=64)),
    _with(_doubled, _AT, st.integers(1, 500)),
)
"""What a disk, or a copy that was broken off, does to any file."""

BY_A_HAND = st.one_of(_with(_other_value, _AT, st.sampled_from(WORDS)), BY_A_DISK)
"""What a hand does to a text, besides."""


def several(one: st.SearchStrategy[Spoil]) -> st.SearchStrategy[Spoil]:
    """Up to three of them, one after the other."""

    def all_of(spoils: list[Spoil]) -> Spoil:
        def spoil(data: bytes) -> bytes:
            for each in spoils:
                data = each(data)
            return data

        return spoil

    return st.lists(one, min_size=1, max_size=3).map(all_of)
