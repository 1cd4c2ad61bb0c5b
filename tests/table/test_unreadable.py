"""A card of which the reader saw no face is never skipped: turned and read, no card of the set, or soiled."""

from __future__ import annotations

import pytest

from drivers.cards import UNREAD
from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import Incident, IncidentKind, Place, Session, Trigger
from firmware_bridge.view.texts import Hand
from sim_hardware.cards import Card
from tests.table.byways import WITHOUT_READER, count, stands
from tests.table.evening import DEALER, SUPERVISOR, Evening
from tests.table.told import asked, due


def comes_unread(evening: Evening) -> Card:
    """The third card of a round lies face up in the shoe."""
    mechanism = evening.hands.mechanism
    [*_, third] = [*mechanism.mouth, *mechanism.buffer][:3]
    third.boxed = True
    evening.deal(3)
    assert evening.kinds() == [IncidentKind.UNREADABLE]
    return third


def lay(evening: Evening, card: Card) -> None:
    evening.hands.put_in_shoe_tray([card])
    evening.table.run(0.2)
    assert evening.key(DealerKey.YES) is None
    evening.table.run(1)
    evening.hands.take_shoe_output()
    evening.table.run(0.2)


@pytest.mark.clause("SB-1", "SB-2")
def test_a_boxed_card_is_turned_and_read_and_the_round_goes_on(ready: Evening) -> None:
    card = comes_unread(ready)
    assert ready.hands.pull_card() is None
    assert Hand.READ_AGAIN in due(ready)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
    lay(ready, card)  # the other way up it is no better than before
    assert stands(ready, IncidentKind.UNREADABLE, Incident.RAISED, within=1)
    card.boxed = False
    lay(ready, card)
    assert stands(ready, IncidentKind.UNREADABLE, Incident.CLEARED, within=1)
    faces = ready.state.account.out_faces
    assert (faces.get(UNREAD, 0), faces[card.face]) == (0, [one.face for one in ready.hands.on_table].count(card.face))
    ready.confirm_all()
    ready.deal(2)
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.put_back()
    assert ready.session is Session.READY


@pytest.mark.clause("SB-1")
def test_no_card_goes_back_while_one_is_unread(ready: Evening) -> None:
    comes_unread(ready)
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.hands.put_in_intake_tray(list(ready.hands.on_table))
    ready.table.run(2)
    assert ready.state.account.out == 3


@pytest.mark.clause("SB-1", "SB-7")
def test_a_cut_card_that_went_for_a_card_leaves_the_books_and_the_machine_is_counted(ready: Evening) -> None:
    card = comes_unread(ready)
    assert "a cut card or the like" in asked(ready)
    assert ready.act(DEALER, Trigger.ANSWER_NO) == "SB-1"
    ready.hands.move([card], ready.hands.set_aside)
    assert ready.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    assert ready.state.account.at(Place.MISSING) == 1  # of the set one is not there: the cut card stood for it
    assert ready.kinds() == [IncidentKind.UNREADABLE, IncidentKind.COUNT_MISMATCH]
    count(ready)
    assert stands(ready, IncidentKind.COUNT_MISMATCH, Incident.CLEARED)
    ready.confirm_all()
    assert ready.reasons() == ["SB-1"]  # on books that do not balance nobody plays on


@pytest.mark.clause("SB-1", "PT-A1")
def test_a_card_that_cannot_be_read_any_more_is_replaced_as_a_damaged_one(ready: Evening) -> None:
    card = comes_unread(ready)
    ready.hands.move([card], ready.hands.set_aside)
    suit, rank = divmod(card.face - 1, 13)
    assert ready.act(SUPERVISOR, Trigger.ANSWER_YES, 9999) == "PT-A1"
    assert ready.act(SUPERVISOR, Trigger.ANSWER_YES, 1000 * card.deck + 100 * (suit + 1) + rank + 1) is None
    assert ready.kinds() == [IncidentKind.UNREADABLE, IncidentKind.DAMAGED_CARD]
    assert stands(ready, IncidentKind.DAMAGED_CARD, Incident.AWAITING_REPLACEMENT, within=1)
    assert (ready.state.account.out, ready.state.account.at(Place.SET_ASIDE)) == (2, 1)


@pytest.mark.clause("SB-1", "PT-A6")
def test_a_table_that_closes_over_an_unread_card_settles_it_by_reading_every_card(ready: Evening) -> None:
    comes_unread(ready).boxed = False
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.close()
    assert ready.session is Session.ALL_REGULAR
    assert stands(ready, IncidentKind.UNREADABLE, Incident.CLEARED)


@pytest.mark.clause("SB-1")
def test_a_shoe_that_reads_no_face_misses_none() -> None:
    blind = Evening(fittings=WITHOUT_READER)
    blind.open_and_load()
    blind.play_round()
    assert not blind.kinds()
