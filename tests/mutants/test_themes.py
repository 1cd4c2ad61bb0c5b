"""The themes of the mutants' shifts name what there is, and each meets each plan, book and set of habits."""

from __future__ import annotations

from math import gcd

import pytest

from sim_hardware.commands.crowd import ROLES
from sim_hardware.commands.misdeeds import Habit
from sim_hardware.commands.simulate.fate import BEFALLS
from sim_hardware.commands.trying import SET_STEPS, STEPS
from tests.mutants import hunt
from tests.mutants.themes import FIRST, THEMES, Theme, theme_of


@pytest.mark.parametrize("theme", THEMES, ids=range(len(THEMES)))
def test_a_theme_names_roles_habits_steps_books_and_what_befalls_that_there_are(theme: Theme) -> None:
    assert {*theme.habits, *theme.set_on} <= set(ROLES.values())
    assert {habit for habits in theme.habits.values() for habit in habits} <= set(Habit)
    assert {step for steps in theme.set_on.values() for step in steps} <= {*STEPS, *SET_STEPS}
    assert set(theme.befalls) <= BEFALLS.keys()
    assert theme.book in {"", *hunt.BOOKS}


def test_the_first_hundred_shifts_have_no_theme_and_each_later_one_has_its_own_alone() -> None:
    assert all(theme_of(shift) == Theme() for shift in range(FIRST))
    assert [theme_of(shift) for shift in range(FIRST, FIRST + len(THEMES))] != [Theme()] * len(THEMES)
    assert hunt.seed_and_plan(FIRST)[1] == "none"
    assert gcd(len(THEMES), 5 * len(hunt.HABITS)) == 1
