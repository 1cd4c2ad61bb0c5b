"""A sorted deck with one face too many and another missing: one read is wrong, or one card; it is read once more."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.changes import DeckJudged
from firmware_bridge.core.words import IncidentKind, Place, Session, Trigger
from sim_hardware.cards import Card
from sim_hardware.faults import Fault
from tests.table.byways import empty
from tests.table.evening import SUPERVISOR, Evening
from tests.table.told import asked


@pytest.fixture
def piles(ready: Evening) -> list[list[Card]]:
    """The table was closed and unloaded, and its cards are sorted deck by deck."""
    empty(ready)
    return list(ready.sort().values())


def judged(evening: Evening) -> list[DeckJudged]:
    return [one for record in evening.logged() for one in record.decision.changes if isinstance(one, DeckJudged)]


def misread(evening: Evening, cards: list[Card]) -> None:
    """The reader takes one card of the deck for another."""
    evening.hands.mechanism.faults.arm(Fault.MISREAD)
    evening.read_once(cards)


@pytest.mark.field("BR-016")
@pytest.mark.clause("PT-A6", "SB-7", "SB-2")
def test_a_misread_is_told_as_one_wrong_read_and_nothing_is_missing_or_over(
    ready: Evening, piles: list[list[Card]]
) -> None:
    misread(ready, piles[0])
    assert ready.session is Session.AWAITING_DECK
    assert not judged(ready)
    account = ready.state.account
    assert (account.at(Place.VERIFIED), account.at(Place.OVER), account.at(Place.UNLOADED)) == (0, 0, 208)
    assert "twice" in asked(ready)
    assert "missing: lay the same deck into the shoe's tray again" in asked(ready)
    ready.read_once(piles[0])
    assert [(deck.missing, deck.over) for deck in judged(ready)] == [((), ())]
    assert ready.kinds() == [IncidentKind.MISREAD]  # the reader's errors are counted
    for pile in piles[1:]:
        ready.read_deck(pile)
    assert ready.session is Session.ALL_REGULAR
    assert ready.act(SUPERVISOR, Trigger.SIGN_RESULT) == "SB-2"
    ready.confirm_all()
    assert ready.act(SUPERVISOR, Trigger.SIGN_RESULT) is None


@pytest.mark.field("BR-016")
@pytest.mark.clause("PT-A6")
def test_a_card_that_no_reader_sees_face_down_is_turned_and_its_deck_read_again(
    ready: Evening, piles: list[list[Card]]
) -> None:
    piles[0][30].boxed = True
    ready.read_once(piles[0])
    assert not judged(ready)
    piles[0][30].boxed = False
    ready.read_once(piles[0])
    assert judged(ready)[0].missing == ()


@pytest.mark.field("BR-016")
@pytest.mark.clause("PT-A6")
def test_what_is_read_the_same_again_is_no_misread(ready: Evening, piles: list[list[Card]]) -> None:
    piles[0][7], piles[1][20] = piles[1][20], piles[0][7]
    for pile in piles:
        ready.read_deck(pile)
    assert ready.session is Session.DIFFERENCE
    assert not ready.kinds()  # the decks are mixed: each card of the set is there


@pytest.mark.clause("PT-A6")
def test_a_deck_with_more_wrong_than_one_read_can_be_is_judged_at_once(ready: Evening, piles: list[list[Card]]) -> None:
    for place in (7, 9):
        piles[0][place], piles[1][place + 20] = piles[1][place + 20], piles[0][place]
    ready.read_once(piles[0])
    assert len(judged(ready)[0].missing) == 2


@pytest.mark.clause("PT-A6", "SB-2")
def test_decks_that_are_sorted_again_begin_without_a_doubt(ready: Evening, piles: list[list[Card]]) -> None:
    misread(ready, piles[0])
    ready.table.unplug("shoe")
    ready.table.run(1)
    ready.table.replug("shoe")
    ready.table.run(3)
    ready.hands.put_in_shoe_tray(piles[0])
    ready.table.run(0.2)
    assert ready.key(DealerKey.YES) is None
    assert ready.session is Session.READING_DECK
    assert ready.act(SUPERVISOR, Trigger.SORT_AGAIN) is None
    assert ready.state.account.doubted is None
