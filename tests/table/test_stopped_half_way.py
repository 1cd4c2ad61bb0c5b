"""Unloading that stops half way: how many came out is known, it goes on at that point, and both are told (BR-050).

A machine that mixes all decks gives them back in no order, so that each deck is whole is known once all are sorted.
"""

from __future__ import annotations

import pytest

from drivers.protocol.messages import JamPlace
from firmware_bridge.core.words import Incident, IncidentKind, Place, Session, Trigger
from tests.table.evening import SUPERVISOR, Evening
from tests.table.test_jam import clear, settle
from tests.table.told import incident_told, session_told

SET, DECK = 208, 52
OUT = 3 * DECK + 37
"""As many cards are out as three decks have, and of a fourth as many as in the case."""


def pull_one(evening: Evening) -> None:
    """One card out of the shoe, as far as one comes; whoever is asked to be there says so."""
    if evening.session is Session.ASKING_UNLOAD_PRESENCE:
        assert evening.act(SUPERVISOR, Trigger.CONFIRM_PRESENCE) is None
    evening.hands.pull_card()
    evening.table.run(0.05)


def where_the_cards_are(evening: Evening) -> tuple[int, int, int]:
    """Out, and inside by the books; and inside by the mechanism, with the card that sticks in its path."""
    account = evening.state.account
    return account.at(Place.UNLOADED), account.inside, len(list(evening.hands.mechanism.cards()))


@pytest.mark.clause("PT-A2")
@pytest.mark.clause("SB-1")
@pytest.mark.field("BR-050")
@pytest.mark.parametrize("restarted", [False, True], ids=["", "restarted"])
@pytest.mark.parametrize(("place", "in_path"), [(JamPlace.CAROUSEL, 2), (JamPlace.EXIT, 1)])
def test_a_jam_in_the_fourth_deck_is_told_where_it_stood_and_the_set_is_complete_with_an_incident(
    ready: Evening, place: JamPlace, in_path: int, restarted: bool
) -> None:
    assert ready.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert ready.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    ready.table.run(1)
    while ready.state.account.at(Place.UNLOADED) < OUT - 1:
        pull_one(ready)
    ready.table.run(1)  # the machine has filled its path again, and stands
    ready.hands.jam(place)
    pull_one(ready)
    ready.table.run(1)
    stood = (OUT, SET - OUT, SET - OUT)
    assert where_the_cards_are(ready) == stood, "the sum is the set, and the cards in the path are of it"
    assert (ready.hands.mechanism.jam_place, len(ready.hands.mechanism.mouth) + 1) == (place, in_path)
    assert ready.hands.pull_card() is None
    if restarted:
        ready.table.start_controller()
        ready.table.run(3)
        assert where_the_cards_are(ready) == stood
    at_the_jam = session_told(ready).sets[0].accounts
    at_the_mouth = {Place.SHOE.value: 1} if in_path == 2 else {}
    assert at_the_jam == {"unloaded": OUT, "machine": SET - OUT - len(at_the_mouth)} | at_the_mouth
    clear(ready)
    settle(ready)
    assert where_the_cards_are(ready) == stood, "it goes on at that point"
    while ready.session in (Session.UNLOADING, Session.ASKING_UNLOAD_PRESENCE):
        pull_one(ready)
    assert ready.table.run(60, lambda: ready.session is Session.LOOKING)
    assert where_the_cards_are(ready) == (SET, 0, 0)
    ready.look()
    ready.verify()
    assert ready.session is Session.ALL_REGULAR
    told = session_told(ready)
    assert (told.counts[-1].found, told.counts[-1].expected) == (0, 0), "the path is proven empty"
    assert [(deck.deck, deck.regular) for deck in told.decks] == [(1, True), (2, True), (3, True), (4, True)]
    assert [one.kind for one in told.incidents] == [IncidentKind.JAM.value]
    assert incident_told(ready).state == Incident.CONFIRMED.value
    assert incident_told(ready).confirmed_by == SUPERVISOR
