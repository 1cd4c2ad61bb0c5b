"""Mutants that the simulated shifts cannot catch, each with the reason; one that is caught after all is an error."""

from __future__ import annotations

from collections.abc import Mapping

SURVIVORS: Mapping[str, str] = {
    "without_decks_are_allowed": "a shift draws its decks from the rule book: no other number comes to the table",
    "without_permissions_hold": "the simulated clock stands after every permission's days",
    "without_not_the_supervisor": "nobody has two roles, so that no dealer is ever the supervisor of the session",
    "without_another_person_checked_it": "nobody has two roles, so that no technician is ever the supervisor",
}
"""Name and reason."""
