"""An entry of a rule book's file, taken apart: a value, and beside it a clause or a reason, and what may be chosen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, structs

from firmware_bridge.rulebooks.catalogue import catalogue
from firmware_bridge.rulebooks.sources import Source, Span
from firmware_bridge.toml_file import allowed, convert, is_one_of, item_of, repeated, written

HOUSE = "house"
LAW_FORM = '{ value = ..., clause = "..." }'
HOUSE_FORM = '{ value = ..., reason = "..." }'
CHOICE_FORM = "{ value = ... }"
LAW_PARTS = frozenset({"also", "allowed", "needs", "unless", "reading", "reason"})
"""What may stand beside the value and the clause of the law."""

HELD_TO = {
    "id": "the clause",
    "also": "the further clauses",
    "readings": "the reading",
    "allowed": "the choice",
    "needs": "the permission's clause",
    "unless": "the choice without a permission",
}
"""What stands behind a value of the law, with its name in a message: a file says of it what the law says."""


class Entry(Struct, frozen=True):
    """A value as it was written (a list is a tuple), and what stands behind it."""

    value: Any
    source: Source


def law_entry(key: str, entry: object, hint: Any, letters: str, law: Entry | None = None) -> Entry:
    """Return an entry of the law; ``law``: what the law is known to say there, to which a file is held.

    Raises ``ValueError`` that says what is wrong with it.
    """
    parts = _parts(key, entry, {"value", "clause"}, LAW_PARTS, LAW_FORM)
    source = Source(
        id=_text(key, parts, "clause", LAW_FORM),
        reason=parts.get("reason", ""),
        also=tuple(_texts(key, parts, "also")),
        readings=_readings(key, parts),
        needs=parts.get("needs", ""),
    )
    for clause in (source.id, *source.also, *([source.needs] if source.needs else [])):
        if clause not in catalogue().clauses or letters_of(clause) != letters:
            raise ValueError(f'{key} names the clause "{clause}"; allowed: a clause of this book ({letters}-...)')
    _check_reading(key, source, letters)
    source = _with_choice(key, parts, hint, source)
    means = () if source.allowed is not None else _means(key, source)  # open words may be read otherwise, for a reason
    if law is not None:
        _hold_to(key, source, law.source)
    if law is None or source.allowed is not None or means:
        return choose(key, parts["value"], hint, source, means)
    return choose(key, parts["value"], hint, source, only=law.value)


def house_entry(key: str, entry: object, hint: Any, letters: str) -> Entry:
    """Return an entry of the house; ``key`` is where it stands in the file. Raises ``ValueError`` likewise."""
    parts = _parts(key, entry, {"value", "reason"}, frozenset({"reading"}), HOUSE_FORM)
    source = Source(key, _text(key, parts, "reason", HOUSE_FORM), readings=_readings(key, parts))
    _check_reading(key, source, letters)
    return choose(key, parts["value"], hint, source)


def chosen_entry(key: str, entry: object, hint: Any, base: Entry) -> Entry:
    """Return an entry with which a house chooses among what a book allows at its ``base``. Raises ``ValueError``."""
    source = base.source
    if source.allowed is None:
        fixed = f"the book fixes {written(base.value)} ({source.id})"
        raise ValueError(f"{key} is nothing to choose: {fixed}; remove it: a house cannot override it")
    parts = _parts(key, entry, {"value"}, frozenset(), CHOICE_FORM)
    return choose(key, parts["value"], hint, source)


def choose(key: str, value: object, hint: Any, source: Source, means: tuple[Any, ...] = (), only: Any = None) -> Entry:
    """Return a value that the schema and its clause allow, with its source.

    ``means``: what the clause's open words can mean; ``only``: the one value that it fixes. Raises ``ValueError``.
    """
    choices = means or source.allowed
    choice = "" if choices is None else choices_in_words(choices)
    words = f"{said(key, value, source)}; allowed: {allowed(hint, choice) if only is None else written(only)}"
    try:
        good = convert(value, hint)
    except ValueError as error:
        raise ValueError(words) from error
    is_allowed = choices is None or all(_is_among(one, choices) for one in _each(good))
    if not is_allowed or (only is not None and good != only):
        raise ValueError(words)
    return Entry(good, source)


def value_at(place: str) -> str:
    """Return the key of the value that stands at a place: ``house.opening.check_backs`` is ``opening.check_backs``."""
    return place.removeprefix(f"{HOUSE}.") if place.count(".") > 1 else place


def letters_of(clause: str) -> str:
    """Return the letters with which a clause or an open reading begins: those of its book."""
    return clause.partition("-")[0]


def said(key: str, value: object, source: Source) -> str:
    """Return a value as a message names it: where it stands in the file, and what stands behind it."""
    if source.is_house:
        return f"{source.id} = {written(value)} (the house's)"
    return f"{key} = {written(value)} ({source.id})"


def choices_in_words(choices: tuple[Any, ...] | Span) -> str:
    """Return what a clause lets a house choose from."""
    if isinstance(choices, Span):
        return f"from {choices.low} to {choices.high}"
    return " or ".join(written(choice) for choice in choices)


def _parts(key: str, entry: object, needed: set[str], besides: frozenset[str], form: str) -> Mapping[str, Any]:
    """An entry taken apart: what it must have, perhaps what it may have, nothing else."""
    if not isinstance(entry, dict) or not needed <= set(entry):
        raise ValueError(f"{key} = {repeated(entry)} is not of the form {form}")
    if unknown := [part for part in entry if part not in needed | besides]:
        may = f", and perhaps {', '.join(sorted(besides))}" if besides else ""
        raise ValueError(f"{key} has {', '.join(unknown)}, which has no place there; allowed: {form}{may}")
    for part in ("needs", "reason"):
        if part in entry and not isinstance(entry[part], str):
            raise ValueError(f"{key} has a {part} that is no text; allowed: {form}")
    return entry


def _text(key: str, parts: Mapping[str, Any], part: str, form: str) -> str:
    words = parts[part]
    if not isinstance(words, str) or not words.strip():
        raise ValueError(f"{key} has an empty {part}; allowed: {form}")
    return words


def _texts(key: str, parts: Mapping[str, Any], part: str) -> list[str]:
    words = parts.get(part, [])
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError(f"{key} has {part} = {repeated(words)}; allowed: a list of clauses")
    return words


def _readings(key: str, parts: Mapping[str, Any]) -> tuple[str, ...]:
    """The open readings that a value takes: one, or a list of them."""
    one = parts.get("reading", [])
    several = [one] if isinstance(one, str) else one
    if not isinstance(several, list) or not all(isinstance(each, str) for each in several):
        raise ValueError(f"{key} has reading = {repeated(one)}; allowed: a reading, or a list of readings")
    return tuple(several)


def _means(key: str, source: Source) -> tuple[Any, ...]:
    """What the words of the law can mean at a key, by the open readings that its value takes."""
    return tuple(value for one in source.readings for value in catalogue().readings[one].about[key])


def _check_reading(key: str, source: Source, letters: str) -> None:
    """An open reading is one of this book's about this value, and has a reason; the law has no other reason."""
    about = value_at(key)
    known = [name for name, one in catalogue().readings.items() if letters_of(name) == letters and about in one.about]
    for reading in source.readings:
        if reading not in known:
            raise ValueError(f'{key} names the reading "{reading}"; allowed: {" or ".join(known) or "none"}')
        if not source.reason.strip():
            raise ValueError(f"{key} takes the reading {reading} without a reason; write why it is read so")
    if source.reason and not source.readings and not source.is_house:
        raise ValueError(f"{key} has a reason beside its clause; the law needs none but for a reading that it names")


def _hold_to(key: str, source: Source, law: Source) -> None:
    """What stands beside a value of the law is what stands there in the book that comes with the product."""
    for part, name in HELD_TO.items():
        said_here, there = getattr(source, part), getattr(law, part)
        if said_here != there:
            raise ValueError(f"{key} has {name} {_in_words(said_here)}; allowed: {_in_words(there)} ({law.id})")


def _in_words(part: Any) -> str:
    """What stands beside a value, as a message names it."""
    if part is None or part in ("", ()):
        return "none"
    return choices_in_words(part) if isinstance(part, tuple | Span) else written(part)


def _with_choice(key: str, parts: Mapping[str, Any], hint: Any, source: Source) -> Source:
    """The source with what its clause lets the house choose from."""
    if "allowed" not in parts:
        if source.needs or "unless" in parts:
            raise ValueError(f"{key} needs a permission and allows no choice; write allowed = [...] beside the value")
        return source
    choices, form = parts["allowed"], "a list of two or more, or { from = ..., to = ... }"
    is_span = isinstance(choices, dict) and set(choices) == {"from", "to"}
    if "unless" in parts:
        try:
            convert(parts["unless"], item_of(hint))
        except ValueError as error:
            raise ValueError(f"{key} has unless = {repeated(parts['unless'])}; {error}") from error
    if not is_span and not (isinstance(choices, list) and len(choices) > 1):
        raise ValueError(f"{key} has allowed = {repeated(choices)}; write {form}")
    for choice in choices.values() if is_span else choices:
        try:
            convert(choice, item_of(hint))
        except ValueError as error:
            raise ValueError(f"{key} has {repeated(choice)} among what it allows; {error}") from error
    if is_span and not (type(choices["from"]) is int and choices["from"] < choices["to"]):
        raise ValueError(f"{key} has allowed = {repeated(choices)}; from a whole number to a greater one")
    span = Span(choices["from"], choices["to"]) if is_span else tuple(choices)
    return structs.replace(source, allowed=span, unless=parts.get("unless"))


def _is_among(value: Any, choices: tuple[Any, ...] | Span) -> bool:
    if isinstance(choices, Span):
        return bool(choices.low <= value <= choices.high)
    return is_one_of(value, choices)


def _each(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
