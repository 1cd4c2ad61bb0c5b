"""Mutants that the simulated shifts cannot catch, each with the reason; one that is caught after all is an error."""

from __future__ import annotations

from collections.abc import Mapping

_SELDOM = "no shift came to where it alone refuses; the tests that `make test-clauses` runs miss it there"

SELDOM: tuple[str, ...] = ("without_a",)
"""Guards that only a rare situation asks. Each stands here until a habit, a fault or a theme brings it about."""

SURVIVORS: Mapping[str, str] = {
    "deals_without_a_device": "a device that is lost is an incident besides, which holds the table too; only a shoe "
    "that says nothing by itself is silent without one: tests/table/test_older_makes.py has it at a table",
    "without_decks_are_allowed": "a shift draws its decks from the rule book: no other number comes to the table",
    "without_permissions_hold": "the simulated clock stands after every permission's days",
    "without_not_the_supervisor": "nobody has two roles, so that no dealer is ever the supervisor of the session",
    "without_another_person_checked_it": "nobody has two roles, so that no technician is ever the supervisor",
    **dict.fromkeys(SELDOM, _SELDOM),
}
"""Name and reason."""
