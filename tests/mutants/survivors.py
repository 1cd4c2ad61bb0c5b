"""Mutants that the simulated shifts cannot catch, each with the reason; one that is caught after all is an error."""

from __future__ import annotations

from collections.abc import Mapping

_BATCH = "a shift's table has a continuous shuffler: no set of it has a course of its own"

SURVIVORS: Mapping[str, str] = {
    "without_decks_are_allowed": "a shift draws its decks from the rule book: no other number comes to the table",
    "without_permissions_hold": "the simulated clock stands after every permission's days",
    "without_not_the_supervisor": "nobody has two roles, so that no dealer is ever the supervisor of the session",
    "without_another_person_checked_it": "nobody has two roles, so that no technician is ever the supervisor",
    **dict.fromkeys(
        (
            "without_a_set_leaves_the_shoe",
            "without_another_set_is_played",
            "without_it_is_in_the_machine",
            "without_it_lies_in_the_discard",
            "without_let_out_1",
            "without_let_out_2",
            "without_machine_takes_single_cards",
            "without_no_other_set_is_in_the_machine",
            "without_no_round_runs",
            "without_nobody_is_at_the_machine",
            "without_nothing_went_in",
            "without_set_is_whole",
            "without_tray_is_filled",
            "without_whole_set_is_in_hands",
        ),
        _BATCH,
    ),
}
"""Name and reason."""
