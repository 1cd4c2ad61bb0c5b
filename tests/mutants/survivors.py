"""Mutants that the simulated shifts cannot catch, each with the reason; one that is caught after all is an error."""

from __future__ import annotations

from collections.abc import Mapping

_SELDOM = "no shift came to where it alone refuses; the tests that `make test-clauses` runs miss it there"

SELDOM: tuple[str, ...] = (
    "without_mark_can_be_seen",
    "without_who_cuts",
    "without_it_did_not_open",
    "without_from_the_box",
    "without_cards_may_be_dealt",
    "without_no_card_is_awaited",
    "without_all_came_out",
    "without_by_supervisor_PT-S4",
    "without_place_depends_on_players",
    "without_it_is_the_warning_card",
    "without_shuffle_comes_first",
    "without_from_a_shoe",
    "without_a_set_leaves_the_shoe",
    "without_nobody_is_at_the_machine",
    "without_whole_set_is_in_hands",
    "without_no_other_set_is_in_the_machine",
    "without_another_set_is_played",
    "without_no_round_runs",
    "without__let_out_2",
)
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
