"""A choice that needs the regulator's permission stands only with it: its reference, its days, and what it covers."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.errors import ConfigError
from firmware_bridge.rulebooks import load_for_table, load_rulebook
from firmware_bridge.rulebooks.permissions import without_permission, working_days_between
from sim_hardware import commands
from tests.rulebooks.book_file import FOLDER, refusal_of
from tests.rulebooks.house_file import BASE, HEAD, NEEDING, PERMITTED, macau, write


@pytest.mark.clause("MO-21a")
def test_a_house_in_macau_names_the_permission_of_every_choice_or_is_refused(tmp_path: Path) -> None:
    ours = load_rulebook(write(tmp_path, macau()))
    [permission] = ours.permissions
    assert (permission.reference, permission.choices) == ("DICJ 57/2026", tuple(NEEDING))
    assert permission.days == {"applied": datetime.date(2026, 4, 1), "first_day": datetime.date(2026, 4, 9)}
    for key in NEEDING:
        [line] = refusal_of(write(tmp_path, macau(choices=[other for other in NEEDING if other != key])))
        assert line.startswith(f"{key} = ")
        assert "needs a permission (MO-21a)" in line


@pytest.mark.clause("MO-21a")
def test_the_choices_of_these_articles_need_a_permission_and_no_others() -> None:
    articles = {source.id for key, source in BASE.sources.items() if source.needs == "MO-21a"}
    assert articles == {
        "MO-1a", "MO-1b", "MO-1c", "MO-2b", "MO-2e", "MO-3a", "MO-4a", "MO-4b", "MO-5a2", "MO-5e", "MO-5f", "MO-5g",
        "MO-6a", "MO-10c", "MO-12", "MO-13a", "MO-13b", "MO-13c", "MO-16a", "MO-17a", "MO-20",
    }  # fmt: skip


@pytest.mark.clause("MO-21a", "MO-21b", "MO-21c")
def test_there_is_no_choice_in_macau_that_needs_no_permission() -> None:
    assert [key for key, source in BASE.sources.items() if source.allowed is not None and not source.needs] == []


@pytest.mark.clause("MO-21a")
def test_the_book_of_macau_alone_chooses_nothing_and_binds_no_table() -> None:
    assert load_rulebook("macau").permissions == ()
    with pytest.raises(ConfigError) as raised:
        load_for_table("macau")
    told = str(raised.value)
    assert all(f" {key} = " in told for key in NEEDING)


@pytest.mark.clause("MO-21a", "MO-21c")
@pytest.mark.parametrize(
    ("applied", "first_day", "days"),
    [
        ("2026-04-01", "2026-04-08", None),  # Thursday, Friday, Tuesday: Monday is a holiday
        ("2026-04-01", "2026-04-07", 2),
        ("2026-04-03", "2026-04-06", 0),  # a weekend between
        ("2026-04-13", "2026-04-17", None),  # Tuesday, Wednesday, Thursday
        ("2026-04-13", "2026-04-16", 2),
    ],
)
def test_three_working_days_lie_between_application_and_first_day(
    tmp_path: Path, applied: str, first_day: str, days: int | None
) -> None:
    permitted = PERMITTED.replace("2026-04-01", applied).replace("2026-04-09", first_day)
    path = write(tmp_path, macau(permitted=permitted))
    if days is None:
        assert load_rulebook(path).permissions
        return
    told = refusal_of(path)
    assert told[0] == (
        f"permission 1: {days} working days lie between applied = {applied} and first_day = {first_day}; "
        "allowed: 3 or more (MO-21a)"
    )


@pytest.mark.clause("MO-21b", "MO-21c", "PT-J1")
@pytest.mark.parametrize(
    ("book", "more", "key", "clause"),
    [
        ("macau", "[hands]\nspecial_prize = { value = false }\n", "hands.special_prize", "MO-21b"),
        ("macau", "[hands]\nsurrender = { value = false }\n", "hands.surrender", "MO-21b"),
        ("macau", "[extra_bets]\nperfect_pairs = { value = true }\n", "extra_bets.perfect_pairs", "MO-21c"),
        ("macau", "[extra_bets]\nstreaks = { value = true }\n", "extra_bets.streaks", "MO-21c"),
        ("macau", "[extra_bets]\nsevens = { value = true }\n", "extra_bets.sevens", "MO-21a"),
        ("portugal", "[jackpot]\noffered = { value = true }\n", "jackpot.offered", "PT-J1"),
    ],
)
def test_what_needs_a_permission_only_when_it_is_chosen_is_refused_without_and_taken_with(
    tmp_path: Path, book: str, more: str, key: str, clause: str
) -> None:
    text = macau(more) if book == "macau" else HEAD.format(book=book) + more
    [line] = refusal_of(write(tmp_path, text))
    assert line.startswith(f"{key} = ")
    assert f"needs a permission ({clause})" in line
    days = "approved = 2026-03-02" if book == "portugal" else "applied = 2026-03-02\nfirst_day = 2026-03-09"
    own = f'\n[[permission]]\nreference = "one more"\n{days}\nchoices = ["{key}"]\n'
    ours = load_rulebook(write(tmp_path, text + own))
    assert ours.permissions[-1].choices == (key,)


# ---- the days of a permission, and what else it names

PORTUGAL = HEAD.format(book="portugal") + "[jackpot]\noffered = { value = true }\n[[permission]]\n"


@pytest.mark.clause("PT-J1", "MO-21a")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (PORTUGAL + 'approved = 2026-03-02\nchoices = ["jackpot.offered"]', "permission 1: reference is missing"),
        (
            PORTUGAL + 'reference = "  "\napproved = 2026-03-02\nchoices = ["jackpot.offered"]',
            "permission 1: reference is missing",
        ),
        (PORTUGAL + 'reference = "r"\nchoices = ["jackpot.offered"]', "permission 1: approved is missing or no day"),
        (
            PORTUGAL + 'reference = "r"\napproved = 2026-03-02T10:00:00\nchoices = ["jackpot.offered"]',
            "permission 1: approved is missing or no day",
        ),
        (PORTUGAL + 'reference = "r"\napproved = 2026-03-02', "permission 1: choices is missing"),
        (
            PORTUGAL + 'reference = "r"\napproved = 2026-03-02\nchoices = ["jackpot.offered", "cut.by"]',
            'permission 1: choices names "cut.by", which needs no permission; remove it',
        ),
        (
            PORTUGAL + 'reference = "r"\napproved = 2026-03-02\nfirst_day = 2026-03-02\nchoices = ["jackpot.offered"]',
            "permission 1: unknown key first_day; allowed: reference, choices, approved",
        ),
        (
            PORTUGAL + 'reference = "r"\napproved = 2026-03-02\nchoices = ["jackpot.offered", "jackpot.offered"]',
            'permission 1: choices names "jackpot.offered" more than once; keep one',
        ),
        (HEAD.format(book="portugal") + "permission = 1\n", "permission is no list of tables"),
        (macau(permitted=PERMITTED.replace("2026-04-09", "2026-04-01")), "permission 1: first_day = 2026-04-01 is not"),
        (macau(permitted=PERMITTED.replace("[2026-04-06]", '["monday"]')), 'holidays = ["monday"]; allowed: a list'),
        (macau(permitted=PERMITTED.replace("holidays = [2026-04-06]", "")), "permission 1: holidays is missing"),
        (
            macau() + '[[permission]]\nreference = "r"\napplied = 2026-03-02\nfirst_day = 2026-03-09\n'
            f'choices = ["{NEEDING[0]}"]\n',
            f'permission 2: choices names "{NEEDING[0]}", which permission 1 covers already',
        ),
        (
            macau() + '[[permission]]\nreference = "r"\napplied = 2026-03-02\nfirst_day = 2026-03-09\n'
            'choices = ["extra_bets.streaks", "hands.surrender"]\n',
            "permission 2: choices are of several clauses (MO-21b, MO-21c)",
        ),
    ],
)
def test_a_permission_that_is_not_whole_is_refused_with_what_it_lacks(tmp_path: Path, text: str, told: str) -> None:
    assert any(line.startswith(told) for line in refusal_of(write(tmp_path, text)))


@given(st.dates(datetime.date(2020, 1, 1), datetime.date(2030, 1, 1)), st.integers(0, 40))
def test_a_week_has_five_working_days_wherever_it_begins(first: datetime.date, weeks: int) -> None:
    last = first + datetime.timedelta(days=7 * weeks + 1)
    assert working_days_between(first, last, frozenset(), most=10**6) == 5 * weeks
    assert working_days_between(last, first, frozenset(), most=3) == 0


def test_permissions_stand_in_whole_books_too(tmp_path: Path) -> None:
    whole = (FOLDER / "portugal.toml").read_text(encoding="utf-8").replace('id = "portugal"', 'id = "whole"', 1)
    text = whole + '[[permission]]\nreference = "r"\napproved = 2026-03-02\nchoices = ["jackpot.offered"]\n'
    assert load_rulebook(write(tmp_path, text)).permissions[0].reference == "r"


@pytest.mark.clause("MO-21a")
def test_the_simulated_house_in_macau_has_a_permission_for_all_that_needs_one() -> None:
    house = load_rulebook(Path(commands.__file__).with_name("house_in_macau.toml"))
    assert list(without_permission(house)) == []
    assert {key: house.value_of(key) for key in house.sources} == {key: BASE.value_of(key) for key in BASE.sources}
