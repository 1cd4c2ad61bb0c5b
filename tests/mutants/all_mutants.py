"""All mutants by name: those by hand, and every guard in turn."""

from __future__ import annotations

from collections.abc import Mapping

from tests.mutants import by_hand, by_hand_deal, by_hand_people
from tests.mutants.guards import guard_mutants
from tests.mutants.mutant import Mutant

BY_NAME: Mapping[str, Mutant] = {
    mutant.name: mutant
    for mutant in (*by_hand.MUTANTS, *by_hand_people.MUTANTS, *by_hand_deal.MUTANTS, *guard_mutants())
}
