"""Two cards that the machine fed as one: the split of the books is wrong, their sum is not."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import Incident, IncidentKind, Place, Session
from firmware_bridge.view.texts import Hand
from sim_hardware.faults import Fault
from sim_hardware.mechanics import Rates
from sim_hardware.table import Fittings
from tests.table.byways import confirm, count, pull_until, shown, stands, unloading
from tests.table.evening import BACKS, Evening
from tests.table.told import screen

pytestmark = pytest.mark.clause("SB-1", "SB-7")

UNHURRIED = Fittings(decks=4, backs=BACKS[:4], rates=Rates(card=0.25, compartment=0.01))
"""A machine so slow that the round is over before it has fed the next card."""


@pytest.fixture
def mismatch() -> Evening:
    """The last two cards of a round were fed as one: more were drawn than the machine says that it fed."""
    evening = Evening(fittings=UNHURRIED)
    evening.open_and_load()
    evening.hands.faults.arm(Fault.DOUBLE_FEED)
    while len(evening.hands.mechanism.mouth) < 2:
        evening.deal(1)
    assert evening.hands.pull_card()
    assert evening.hands.pull_card()
    assert evening.key(DealerKey.ROUND_OVER) is None
    assert stands(evening, IncidentKind.COUNT_MISMATCH, Incident.RAISED)
    evening.put_back()
    assert not evening.hands.mechanism.mouth
    return evening


def test_a_full_count_that_agrees_ends_it_and_puts_the_split_right(mismatch: Evening) -> None:
    state = mismatch.state
    assert state.account.at(Place.SHOE) == -1
    count(mismatch)
    assert stands(mismatch, IncidentKind.COUNT_MISMATCH, Incident.CLEARED)
    mismatch.table.run(60)
    assert [one.state for one in state.incidents.values()] == [Incident.CLEARED]
    assert state.account.at(Place.SHOE) == 0
    assert state.account.at(Place.MACHINE) == shown(mismatch)
    confirm(mismatch)
    mismatch.play_round()
    mismatch.table.run(60)
    assert not mismatch.kinds()


def test_a_card_that_went_in_with_another_as_one_is_found_by_no_search_and_the_screen_says_the_way_out(
    ready: Evening,
) -> None:
    ready.deal(9)
    ready.hands.faults.arm(Fault.DOUBLE_IN)
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.put_back()
    assert shown(ready) == 208  # all are in, and the intake told of one card fewer
    ready.table.wait(70)
    assert ready.kinds() == [IncidentKind.CARD_LOST]
    [find] = [ask.text for ask in screen(ready).asks if ask.trigger == Hand.FIND_CARD]
    assert "it may have gone in with another as one: declare the table closed then (step 40)" in find
    unloading(ready)
    pull_until(ready, lambda: ready.session is Session.LOOKING)
    ready.look()
    ready.verify()
    assert ready.session is Session.ALL_REGULAR
