"""A card that is none of the set: sealed as evidence, and every card of the set read (BR-005, BR-015)."""

from __future__ import annotations

import pytest

from drivers.cards import face_of
from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import CardSet, Incident, IncidentKind, Place, Session, Trigger
from sim_hardware.cards import Card
from tests.table.byways import empty, stands
from tests.table.evening import DEALER, ROOM_MANAGER, SUPERVISOR, Evening
from tests.table.told import asked, screen

SEVEN_OF_HEARTS, NINE_OF_CLUBS = face_of(7, 2), face_of(9, 0)


def exchange(evening: Evening) -> Card:
    """Somebody lays a 7 of hearts into the boxes, and takes a 9 of clubs of the same back away."""
    box = evening.hands.box
    place = next(place for place, card in enumerate(box) if card.face == NINE_OF_CLUBS)
    box[place] = Card(SEVEN_OF_HEARTS, box[place].back, box[place].deck)
    return box[place]


def seal(evening: Evening, card: Card) -> str | None:
    """The supervisor takes the card out and seals it."""
    lying = [card] if card in (*evening.hands.on_table, *evening.hands.discard) else []
    evening.hands.move(lying, evening.hands.set_aside)
    return evening.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 71)


@pytest.mark.field("BR-015")
@pytest.mark.clause("SB-1", "PT-A6")
def test_a_right_count_with_a_wrong_card_is_found_at_the_verification_and_both_cards_are_named() -> None:
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    card = exchange(evening)
    evening.load()
    evening.close()
    assert evening.session is Session.DIFFERENCE
    assert evening.kinds() == [IncidentKind.FOREIGN_CARD]
    [incident] = evening.state.incidents.values()
    assert incident.detail == "the set has too many: 7 of hearts; it lacks: 9 of clubs"
    assert evening.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) == "SB-2"
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 0) == "PT-A1"  # the envelope has a number
    assert seal(evening, card) is None
    assert stands(evening, IncidentKind.FOREIGN_CARD, Incident.CLEARED)
    evening.confirm_all()
    assert evening.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) is None
    assert evening.state.card_set is CardSet.BARRED
    assert evening.state.account.at(Place.SET_ASIDE) == 1


@pytest.mark.clause("SB-1")
def test_a_card_that_is_declared_where_none_lies_open_is_asked_of_nobody_and_the_reading_settles_it(
    ready: Evening,
) -> None:
    assert ready.act(SUPERVISOR, Trigger.DECLARE_FOREIGN) is None
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 71) == "SB-1"
    assert "step 39" not in asked(ready)
    assert "declare the table closed" in asked(ready)
    ready.close()
    assert ready.session is Session.ALL_REGULAR
    assert stands(ready, IncidentKind.FOREIGN_CARD, Incident.CLEARED)


@pytest.mark.field("BR-005")
@pytest.mark.clause("SB-1", "SB-2")
def test_a_card_of_another_back_is_declared_sealed_and_the_table_closes(ready: Evening) -> None:
    [card, *_] = ready.deal(5)
    assert ready.act(DEALER, Trigger.DECLARE_FOREIGN) == "SB-1"
    assert ready.act(SUPERVISOR, Trigger.DECLARE_FOREIGN) is None
    assert ready.kinds() == [IncidentKind.FOREIGN_CARD]
    assert ready.hands.pull_card() is None
    assert "none of this set out, seal it" in asked(ready)
    assert seal(ready, card) is None
    assert ready.state.account.out == 4
    assert stands(ready, IncidentKind.FOREIGN_CARD, Incident.SEALED)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"  # nobody plays on with what is left
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.put_back()
    assert ready.reasons() == ["SB-2"]
    assert any(ask.trigger == Trigger.DECLARE_CLOSED and ask.due for ask in screen(ready).asks)
    empty(ready)
    piles = list(ready.sort().values())
    for pile in piles:
        ready.read_deck(pile)
    assert ready.session is Session.DIFFERENCE  # one of the set is not there
    assert stands(ready, IncidentKind.FOREIGN_CARD, Incident.CLEARED)
    ready.confirm_all()
    assert ready.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) is None


@pytest.mark.clause("SB-1")
def test_a_card_that_is_declared_when_none_lies_open_is_sealed_when_the_cards_come_out(ready: Evening) -> None:
    assert ready.act(SUPERVISOR, Trigger.DECLARE_FOREIGN) is None
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 71) == "SB-1"
    ready.close()
    assert ready.session is Session.ALL_REGULAR  # there was none
    assert stands(ready, IncidentKind.FOREIGN_CARD, Incident.CLEARED)
    ready.confirm_all()
    assert ready.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
