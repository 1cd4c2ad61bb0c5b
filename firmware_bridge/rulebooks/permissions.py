"""Permissions of the regulator: which choices need one, and whether its days were kept (MO-21a to c, PT-J1)."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from typing import Any, TypeGuard

from msgspec import Struct

from firmware_bridge.rulebooks.entries import Entry
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.rulebooks.sources import Permission
from firmware_bridge.toml_file import Problem, is_line, written

APPLIED, FIRST_DAY = "applied", "first_day"
DAYS = (APPLIED, FIRST_DAY, "approved")
"""The days that a permission may have to name."""

SATURDAY = 5
RULE_FORM = '{ days = ["applied", "first_day"], working_days_between = 3 }, the days among applied, first_day, approved'
ONE_DAY = datetime.timedelta(days=1)


class Rule(Struct, frozen=True):
    """What a permission must name, by the clause that asks for it: its days, and how many working days lie between."""

    clause: str
    days: tuple[str, ...]
    working_days_between: int


def rules(
    tables: Mapping[str, Any], needed: Collection[str], law: Mapping[str, Rule] | None, problems: list[Problem]
) -> dict[str, Rule]:
    """Return a book's rules on permissions, by their clauses: ``[permissions]`` in its file.

    ``needed``: the clauses that ask for one; ``law``: what they are known to ask for, to which a file is held.
    """
    found = {}
    table = tables.get("permissions", {})
    for clause, entry in table.items() if isinstance(table, dict) else [("", table)]:
        place = ("permissions", clause) if clause else ("permissions",)
        said = f"{'.'.join(place)} = {written(entry)}"
        if not _is_rule(entry):
            problems.append(Problem(place, f"{said} is not of the form {RULE_FORM}"))
            continue
        rule = Rule(clause, tuple(entry["days"]), entry.get("working_days_between", 0))
        if clause not in needed:
            asking = " or ".join(filter(None, needed)) or "none"
            problems.append(Problem(place, f"{said} stands under {clause}, which asks for none; allowed: {asking}"))
        elif law is not None and rule != law[clause]:
            as_law = written({"days": law[clause].days, "working_days_between": law[clause].working_days_between})
            problems.append(Problem(place, f"{said}; allowed: {as_law} ({clause})"))
        else:
            found[clause] = rule
    return found


def _is_rule(entry: object) -> bool:
    """Whether an entry says which of the days a permission names, each once, and how many working days lie between."""
    if not isinstance(entry, dict) or not set(entry) <= {"days", "working_days_between"}:
        return False
    days, between = entry.get("days"), entry.get("working_days_between", 0)
    if not isinstance(days, list) or not days or not all(day in DAYS and days.count(day) == 1 for day in days):
        return False
    return type(between) is int and 0 <= between <= 30 and (not between or {APPLIED, FIRST_DAY} <= set(days))


def without_rule(known: Mapping[str, Rule], entries: Mapping[str, Entry]) -> Iterable[tuple[str, str]]:
    """Yield each value that needs a permission of which the book does not say what it names: its key, and words."""
    for key, entry in entries.items():
        if entry.source.needs and entry.source.needs not in known:
            yield (
                key,
                f"{key} needs a permission ({entry.source.needs}) of which nobody knows what it names; "
                f"write {entry.source.needs} = {RULE_FORM} under [permissions]",
            )


def permissions(
    tables: Mapping[str, Any],
    known: Mapping[str, Rule],
    entries: Mapping[str, Entry],
    unread: Collection[str],
    problems: list[Problem],
) -> tuple[tuple[Permission, ...], frozenset[str]]:
    """Return the permissions that a file names, ``[[permission]]``, and the keys that any names, whole or not.

    What is wrong with any goes to ``problems``; of a value that is ``unread`` itself, nothing more is told.
    """
    written_ones = tables.get("permission", [])
    if not isinstance(written_ones, list) or not all(isinstance(one, dict) for one in written_ones):
        problems.append(Problem(("permission",), "permission is no list of tables; write [[permission]] above each"))
        return (), frozenset(entries)
    holidays = _holidays(tables, problems)
    covered: dict[str, int] = {}
    found = []
    for number, one in enumerate(written_ones):
        told = [*_choices(one, known, entries, unread, covered, number)]
        asking = _asking(one.get("choices"), known, entries)
        if len(asking) == 1:
            rule = known[asking.pop()]
            told += [*_unknown(one, rule.days), *_days(one, rule, holidays)]
            if not told:
                days = {day: one[day] for day in rule.days}
                found.append(Permission(rule.clause, one["reference"], days, tuple(one["choices"])))
        else:
            told += _unknown(one, DAYS)
        problems += [Problem(("permission", number), f"permission {number + 1}: {words}") for words in told]
    all_are_read = all(_are_keys(one.get("choices")) for one in written_ones)
    return tuple(found), frozenset(covered if all_are_read else entries)


def without_permission(book: RuleBook, named: Collection[str] = ()) -> Iterable[tuple[str, str]]:
    """Yield each choice that stands without the permission it needs: its key, and words for people.

    ``named``: keys for which a permission stands in the file, though it is not whole.
    """
    covered = {*named, *(key for one in book.permissions for key in one.choices)}
    for key, source in book.sources.items():
        if source.needs and key not in covered and book.value_of(key) != source.unless:
            yield (
                key,
                f"{key} = {written(book.value_of(key))} is a choice that needs a permission ({source.needs}); name it "
                f"in a [[permission]] of a house's own file, with its reference, its days, and this key in choices",
            )


def not_yet(book: RuleBook, day: datetime.date) -> tuple[Permission, ...]:
    """Return the permissions of a book that do not hold on a day yet: no table opens with it then (MO-21a, PT-J1)."""
    return tuple(one for one in book.permissions if one.holds_from > day)


def day_of(utc_ns: int) -> datetime.date:
    """Return the day of a moment, in UTC: where permissions are asked for it never begins before the day there."""
    return datetime.datetime.fromtimestamp(utc_ns // 10**9, datetime.UTC).date()


def working_days_between(
    first: datetime.date, last: datetime.date, holidays: frozenset[datetime.date], most: int
) -> int:
    """Return how many working days lie between two days, neither of them counted; ``most`` if there are as many."""
    days = (first + ONE_DAY * number for number in range(1, (last - first).days))
    return sum(1 for _ in islice((day for day in days if day.weekday() < SATURDAY and day not in holidays), most))


def _holidays(tables: Mapping[str, Any], problems: list[Problem]) -> frozenset[datetime.date] | None:
    """The days on which nobody works; None where the file has no list of them."""
    if "holidays" not in tables:
        return None
    days = tables["holidays"]
    if not isinstance(days, list) or not all(_is_day(day) for day in days):
        problems.append(Problem(("holidays",), f"holidays = {written(days)}; allowed: a list of days, as 2026-12-25"))
        return None
    return frozenset(days)


def _choices(
    one: Mapping[str, Any],
    known: Mapping[str, Rule],
    entries: Mapping[str, Entry],
    unread: Collection[str],
    covered: dict[str, int],
    number: int,
) -> Iterable[str]:
    """What is wrong with the keys that a permission covers."""
    reference, choices = one.get("reference"), one.get("choices")
    if not is_line(reference):
        yield 'reference is missing or no line of text; write reference = "..." as the regulator gave it'
    if not _are_keys(choices):
        yield 'choices is missing or no list of keys; write choices = ["..."] with what was permitted'
        return
    for key in dict.fromkeys(choices):
        if choices.count(key) > 1:
            yield f'choices names "{key}" more than once; keep one'
        if key not in unread and (key not in entries or entries[key].source.needs not in known):
            yield f'choices names "{key}", which needs no permission; remove it'
        elif covered.setdefault(key, number) != number:
            yield f'choices names "{key}", which permission {covered[key] + 1} covers already; keep one of the two'
    if len(asking := _asking(choices, known, entries)) > 1:
        yield f"choices are of several clauses ({', '.join(sorted(asking))}); write one [[permission]] for each"


def _are_keys(choices: object) -> TypeGuard[list[str]]:
    """Whether a permission says which keys it covers."""
    return isinstance(choices, list) and bool(choices) and all(isinstance(key, str) for key in choices)


def _asking(choices: object, known: Mapping[str, Rule], entries: Mapping[str, Entry]) -> set[str]:
    """The clauses that ask for a permission of these choices, as far as they can be told."""
    keys = choices if isinstance(choices, list) else []
    return {entries[key].source.needs for key in keys if isinstance(key, str) and key in entries} & set(known)


def _unknown(one: Mapping[str, Any], days: tuple[str, ...]) -> Iterable[str]:
    """Keys of a permission that nobody asked for."""
    known = ("reference", "choices", *days)
    return (f"unknown key {key}; allowed: {', '.join(known)}" for key in one if key not in known)


def _days(one: Mapping[str, Any], rule: Rule, holidays: frozenset[datetime.date] | None) -> Iterable[str]:
    """What is wrong with the days of a permission."""
    missing = [day for day in rule.days if not _is_day(one.get(day))]
    for day in missing:
        yield f"{day} is missing or no day; write {day} = 2026-12-31 ({rule.clause})"
    if not missing and {APPLIED, FIRST_DAY} <= set(rule.days) and one[FIRST_DAY] <= one[APPLIED]:
        yield f"first_day = {one[FIRST_DAY]} is not after applied = {one[APPLIED]} ({rule.clause})"
    elif not missing and rule.working_days_between:
        yield from _working_days(one, rule, holidays)


def _working_days(one: Mapping[str, Any], rule: Rule, holidays: frozenset[datetime.date] | None) -> Iterable[str]:
    """Too few working days lie between the application and the first day of use, or nobody can tell."""
    if holidays is None:
        yield f"holidays is missing; write holidays = [...] at the head of the file: working days count ({rule.clause})"
        return
    applied, first = one[APPLIED], one[FIRST_DAY]
    days = working_days_between(applied, first, holidays, rule.working_days_between)
    if days < rule.working_days_between:
        yield (
            f"{days} working days lie between applied = {applied} and first_day = {first}; "
            f"allowed: {rule.working_days_between} or more ({rule.clause})"
        )


def _is_day(value: object) -> bool:
    """TOML knows days and moments; a moment is no day."""
    return isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)
