"""TOML files read so that all errors are found at once, each with file, key, and what is allowed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import inspect

from firmware_bridge.errors import ConfigError


def read_toml(path: Path, what: str) -> tuple[bytes, dict[str, Any]]:
    """Return a file's bytes and its tables. Raises ``ConfigError``, which calls the file ``what``."""
    try:
        data = path.read_bytes()
        return data, tomllib.loads(data.decode("utf-8"))
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot read this {what}: {error.strerror}; correct the path or its rights"
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: this {what} is not UTF-8 text; save it as UTF-8") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, tables nested by the thousand
        raise ConfigError(f"{path}: this {what} is not TOML: {error}; correct that place") from error


def refuse(path: Path, problems: Sequence[str]) -> None:
    """Raise one ``ConfigError`` that tells all problems of a file, a line each; nothing if there are none."""
    if problems:
        raise ConfigError("\n".join(f"{path}: {problem}" for problem in problems))


def table_of(tables: Mapping[str, Any], key: str, problems: list[str], prefix: str = "") -> dict[str, Any]:
    """Return a sub-table; an absent one is empty, so that its missing keys are told one by one."""
    value = tables.get(key, {})
    if isinstance(value, dict):
        return value
    problems.append(f"{prefix}{key} = {written(value)} is no table; write [{prefix}{key}]")
    return {}


def unknown_keys(table: Mapping[str, Any], known: Sequence[str], prefix: str) -> list[str]:
    """Return a problem for each key that nobody asked for."""
    allowed = ", ".join(sorted(known))
    return [
        f"unknown key {prefix}{key}; remove it or correct its spelling (allowed here: {allowed})"
        for key in table
        if key not in known
    ]


def convert(value: object, field_type: Any) -> Any:
    """Return a TOML value as the field's type. Raises ``ValueError`` that says what is allowed."""
    try:
        return msgspec.convert(value, field_type)
    except msgspec.ValidationError as error:
        raise ValueError(f"allowed: {allowed(field_type)}") from error


def allowed(field_type: Any) -> str:
    """Return what a field's type allows, in words for the person who writes the file."""
    return _in_words(inspect.type_info(field_type))


def written(value: object) -> str:
    """Return a value as it is written in TOML, for messages."""
    match value:
        case dict():
            return "{ " + ", ".join(f"{key} = {written(item)}" for key, item in value.items()) + " }"
        case list() | tuple():
            return "[" + ", ".join(map(written, value)) + "]"
        case str() | bool():
            return msgspec.json.encode(value).decode()
    return str(value)


def _in_words(info: inspect.Type) -> str:
    match info:
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType(ge=low, le=high):
            return f"a whole number from {low} to {high}"
        case inspect.FloatType(gt=low, le=high):
            return f"a number above {low:g}, at most {high:g}"
        case inspect.LiteralType(values=values):
            return " or ".join(f'"{value}"' for value in values)
        case inspect.StrType(min_length=shortest, max_length=longest):
            return f"a text of {shortest} to {longest} characters"
        case inspect.VarTupleType(item_type=item, min_length=fewest, max_length=most):
            return f"a list of {fewest} to {most}, each {_in_words(item)}"
        case inspect.Metadata(type=inner, extra_json_schema={"description": str(words)}):
            return f"{_in_words(inner)}; {words}"
        case inspect.Metadata(type=inner):
            return _in_words(inner)
    raise TypeError(f"no words for {info}: a schema here uses bounded int, float, str, bool, Literal and tuple only")
