"""Unloading that stops half way: how many came out is known, it goes on at that point, and both are told (BR-050)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import JamPlace
from firmware_bridge.core.words import Incident, IncidentKind, Place, Session, Trigger
from tests.table.evening import SUPERVISOR, Evening
from tests.table.test_jam import clear, jam, settle
from tests.table.told import incident_told, session_told

SET, DECK = 208, 52
OUT = 3 * DECK + 37
"""Three decks are out, and of the fourth as many as in the case."""


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
def test_a_jam_in_the_fourth_deck_is_told_where_it_stood_and_the_set_is_complete_with_an_incident(
    ready: Evening, restarted: bool
) -> None:
    assert ready.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert ready.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    ready.table.run(1)
    while ready.state.account.at(Place.UNLOADED) < OUT:
        pull_one(ready)
    jam(ready, JamPlace.EXIT)
    stood = out, inside, really = where_the_cards_are(ready)
    assert out >= OUT
    assert (out + inside, really) == (SET, inside), "the sum is the set, and the card in the path is one of it"
    assert ready.hands.mechanism.jam_place is JamPlace.EXIT
    assert ready.hands.pull_card() is None
    if restarted:
        ready.table.start_controller()
        ready.table.run(3)
        assert where_the_cards_are(ready) == stood
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
