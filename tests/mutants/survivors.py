"""Mutants that the simulated shifts cannot catch, each with the reason; one that is caught after all is an error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from firmware_bridge.core.procedures import TABLES, guards
from firmware_bridge.core.procedures.guards import sets, shoe
from firmware_bridge.core.words import Procedure
from tests.mutants.guards import PREFIX, all_rows, name_of

_BATCH = "none of these shifts has a batch shuffler; the tests that `make test-clauses` runs miss it"

_HAND_FED = "none of these shifts is at a table whose shoe people fill; the tests that `make test-clauses` runs miss it"


def _of_a_batch_shuffler() -> Iterator[str]:
    """Guards that refuse only at a table with a batch shuffler: those of the course alone, and those about its sets."""
    elsewhere = {name_of(guard) for row in all_rows() if row not in TABLES[Procedure.COURSE] for guard in row.guards}
    for guard in dict.fromkeys(guard for row in all_rows() for guard in row.guards):
        is_about_its_sets = guard.__module__ == sets.__name__ and guard is not guards.machine_takes_whole_sets
        if is_about_its_sets or name_of(guard) not in elsewhere:
            yield PREFIX + name_of(guard)


def _of_a_hand_fed_shoe() -> Iterator[str]:
    """Guards that refuse only at a table whose shoe people fill: those about it, but for what keeps its rows to it."""
    elsewhere = (guards.fed_by_hand, guards.cards_stay_in_discard)
    for guard in dict.fromkeys(guard for row in all_rows() for guard in row.guards):
        if guard.__module__ == shoe.__name__ and guard not in elsewhere:
            yield PREFIX + name_of(guard)


OF_A_BATCH_SHUFFLER = tuple(_of_a_batch_shuffler())
OF_A_HAND_FED_SHOE = tuple(_of_a_hand_fed_shoe())

SURVIVORS: Mapping[str, str] = {
    "deals_without_a_device": "a device that is lost is an incident besides, which holds the table too; only a shoe "
    "that says nothing by itself is silent without one: tests/table/test_older_makes.py has it at a table",
    "without_decks_are_allowed": "a shift draws its decks from the rule book: no other number comes to the table",
    "without_permissions_hold": "the simulated clock stands after every permission's days",
    "without_not_the_supervisor": "nobody has two roles, so that no dealer is ever the supervisor of the session",
    "without_another_person_checked_it": "nobody has two roles, so that no technician is ever the supervisor",
    **dict.fromkeys(OF_A_BATCH_SHUFFLER, _BATCH),
    **dict.fromkeys(OF_A_HAND_FED_SHOE, _HAND_FED),
}
"""Name and reason."""
