"""Mutants that the simulated shifts cannot catch, each with the reason; one that is caught after all is an error."""

from __future__ import annotations

from collections.abc import Mapping

SURVIVORS: Mapping[str, str] = {
    "without_decks_are_allowed": "a shift draws its decks from the rule book: no other number comes to the table",
    "without_book_lets_cards_stay": "Portugal's book lets them stay, so this guard never refuses in its shifts",
    "without_not_the_supervisor": "nobody has two roles, so that no dealer is ever the supervisor of the session",
}
"""Name and reason."""
