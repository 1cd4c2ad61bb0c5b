"""The themes of the mutants' shifts name what there is, and each meets each plan, book and set of habits."""

from __future__ import annotations

from itertools import pairwise
from math import gcd

import pytest

from sim_hardware.commands.crowd import ROLES
from sim_hardware.commands.misdeeds import Habit
from sim_hardware.commands.simulate.fate import BEFALLS
from sim_hardware.commands.simulate.shift import KINDS
from sim_hardware.commands.trying import DEAL_STEPS, SET_STEPS, SHOE_STEPS, STEPS
from sim_hardware.faults import PLANS
from tests.mutants import hunt
from tests.mutants.all_mutants import BY_NAME
from tests.mutants.themes import SERIES, SHIFTS, THEMES, Series, Theme, plan_of, series_of, theme_of

ALL_THEMES = [theme for series in SERIES for theme in series.themes]


@pytest.mark.parametrize("theme", ALL_THEMES, ids=range(len(ALL_THEMES)))
def test_a_theme_names_roles_habits_steps_books_tables_and_what_befalls_that_there_are(theme: Theme) -> None:
    assert {*theme.habits, *theme.set_on} <= set(ROLES.values())
    assert {habit for habits in theme.habits.values() for habit in habits} <= set(Habit)
    steps = {*STEPS, *SET_STEPS, *SHOE_STEPS, *DEAL_STEPS}
    assert {step for steps_of_one in theme.set_on.values() for step in steps_of_one} <= steps
    assert set(theme.befalls) <= BEFALLS.keys()
    assert theme.book in {"", hunt.USUAL, *hunt.BOOKS}
    assert theme.table in KINDS


@pytest.mark.parametrize("series", SERIES, ids=lambda series: series.name)
def test_each_theme_of_a_series_meets_each_of_its_plans(series: Series) -> None:
    met = {
        (series.themes.index(theme_of(shift)), plan_of(shift))
        for shift in range(series.first, SHIFTS)
        if series_of(shift) is series
    }
    assert len(met) == len(series.themes) * len(set(series.plans))
    assert set(series.plans) <= PLANS.keys()


def test_the_first_hundred_shifts_have_no_theme_and_each_later_series_begins_where_the_one_before_ends() -> None:
    assert all(theme_of(shift) == Theme() for shift in range(100))
    assert [theme_of(shift) for shift in range(100, 100 + len(THEMES))] != [Theme()] * len(THEMES)
    assert all(one.first < other.first for one, other in pairwise(SERIES))
    assert gcd(len(THEMES), 5 * len(hunt.HABITS)) == 1


def test_a_mutant_that_shows_in_one_series_alone_names_one_that_there_is() -> None:
    assert {one.series for one in BY_NAME.values()} <= {"", *(series.name for series in SERIES)}
