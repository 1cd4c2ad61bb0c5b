"""More cards of a face out than the set has: read again, one read was wrong, or one card is none of the set."""

from __future__ import annotations

import pytest

from drivers.cards import DECK_SIZE, Face, face_name, face_of
from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import Incident, IncidentKind, Session, Trigger
from firmware_bridge.view.texts import Hand
from sim_hardware.cards import Card, taken_for
from sim_hardware.faults import Fault
from tests.table.byways import empty, stands
from tests.table.evening import ROOM_MANAGER, SUPERVISOR, Evening
from tests.table.test_sequence import stack
from tests.table.told import asked, due, screen

KING = face_of(13, 0)
OTHERS = [face_of(rank, 1) for rank in (2, 9, 5)]


def misread_once_too_often(evening: Evening, faces: list[Face]) -> list[Card]:
    """Five cards of a face come by the reader's word, which has four of them: the last one it took for another."""
    stack(evening, faces)
    cards = evening.deal(len(faces) - 1)
    evening.hands.mechanism.faults.arm(Fault.MISREAD)
    return cards + evening.deal(1)


def a_face_came_too_often(evening: Evening) -> list[Card]:
    cards = misread_once_too_often(evening, [*OTHERS, *[KING] * 4, taken_for(KING)])
    assert evening.kinds() == [IncidentKind.DUPLICATE]
    return cards


def a_foreign_card_came(evening: Evening) -> list[Card]:
    """Somebody had exchanged a card of the set for a fifth king of clubs."""
    other = next(card for card in evening.hands.mechanism.cards() if card.face not in (KING, *OTHERS))
    other.face = KING
    stack(evening, [*OTHERS, *[KING] * 5])
    cards = evening.deal(8)
    assert evening.kinds() == [IncidentKind.DUPLICATE]
    return cards


def read_again(evening: Evening, cards: list[Card]) -> None:
    evening.hands.put_in_shoe_tray(cards)
    evening.table.run(0.2)
    assert evening.key(DealerKey.YES) is None
    assert stands(evening, IncidentKind.DUPLICATE, Incident.READING_AGAIN, within=0.1)
    evening.table.run(10, lambda: not stands(evening, IncidentKind.DUPLICATE, Incident.READING_AGAIN, within=0))
    evening.table.run(0.3)
    evening.hands.take_shoe_output()


def over(evening: Evening) -> None:
    assert evening.key(DealerKey.ROUND_OVER) is None


@pytest.mark.field("BR-016")
@pytest.mark.clause("SB-1", "SB-2")
def test_a_face_too_often_is_read_again_and_was_a_misread(ready: Evening) -> None:
    cards = a_face_came_too_often(ready)
    assert ready.hands.pull_card() is None
    assert face_name(KING) not in str(screen(ready))  # one of them may lie face down
    ready.hands.put_in_shoe_tray(cards)
    ready.table.run(0.2)
    assert ready.key(DealerKey.YES) == "PT-A10"
    ready.hands.take_from_shoe_tray()
    ready.table.run(0.2)
    over(ready)
    assert Hand.READ_ALL_AGAIN in due(ready)
    ready.hands.put_in_intake_tray(cards)
    ready.table.run(2)
    assert ready.state.account.out == 8, "nothing goes back before it was read again"
    ready.hands.take_from_intake_tray()
    ready.table.run(0.2)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
    read_again(ready, cards)
    assert stands(ready, IncidentKind.DUPLICATE, Incident.CLEARED, within=1)
    assert ready.state.account.out_faces[taken_for(KING)] == 1
    ready.put_back()
    ready.confirm_all()
    ready.play_round()
    assert not ready.kinds()


@pytest.mark.field("BR-005")
@pytest.mark.clause("SB-1", "PT-A6")
def test_a_face_too_often_both_times_is_a_foreign_card_that_is_sealed(ready: Evening) -> None:
    cards = a_foreign_card_came(ready)
    over(ready)
    read_again(ready, cards)
    assert ready.kinds() == [IncidentKind.DUPLICATE, IncidentKind.FOREIGN_CARD]
    assert "too many: king of clubs" in ready.state.incidents[2].detail
    ready.hands.put_in_intake_tray(cards[:3])
    ready.table.run(2)
    assert ready.state.account.out == 8, "nothing goes back before it is sealed"
    ready.hands.take_from_intake_tray()
    ready.table.run(0.2)
    ready.hands.move([cards[-1]], ready.hands.set_aside)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 71) is None
    ready.put_back()
    empty(ready)
    for pile in ready.sort().values():
        ready.read_deck(pile)
    assert ready.session is Session.DIFFERENCE
    ready.confirm_all()
    assert ready.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) is None


@pytest.mark.clause("SB-1")
def test_what_was_not_all_that_is_out_is_read_once_more(ready: Evening) -> None:
    cards = a_face_came_too_often(ready)
    over(ready)
    read_again(ready, cards[:5])
    assert stands(ready, IncidentKind.DUPLICATE, Incident.RAISED, within=1)
    read_again(ready, cards)
    assert stands(ready, IncidentKind.DUPLICATE, Incident.CLEARED, within=1)


@pytest.mark.clause("SB-1")
def test_more_than_the_shoes_tray_takes_is_read_at_the_verification(ready: Evening) -> None:
    cards = ready.deal(50)
    kings = sum(card.face == KING for card in cards)
    cards += misread_once_too_often(ready, [*OTHERS, *[KING] * (4 - kings), taken_for(KING)])
    assert ready.kinds() == [IncidentKind.DUPLICATE]
    over(ready)
    assert Hand.READ_ALL_AGAIN not in due(ready)
    assert Trigger.DECLARE_CLOSED in due(ready)
    ready.hands.put_in_shoe_tray(cards[:DECK_SIZE])
    ready.table.run(0.2)
    assert ready.key(DealerKey.YES) == "SB-1"
    ready.hands.take_from_shoe_tray()
    ready.table.run(0.2)
    ready.close()
    assert ready.session is Session.ALL_REGULAR
    assert stands(ready, IncidentKind.DUPLICATE, Incident.CLEARED)


@pytest.mark.clause("SB-1", "SB-2")
def test_a_shoe_that_loses_its_memory_over_the_reading_reads_once_more(ready: Evening) -> None:
    cards = a_face_came_too_often(ready)
    over(ready)
    ready.hands.put_in_shoe_tray(cards)
    ready.table.run(0.2)
    assert ready.key(DealerKey.YES) is None
    ready.hands.take_from_shoe_tray()
    ready.hands.reboot("shoe", memory_lost=True)
    ready.table.run(5)
    assert stands(ready, IncidentKind.DUPLICATE, Incident.RAISED, within=1)


@pytest.mark.clause("SB-1", "PT-A6")
def test_a_table_that_closes_over_a_face_too_often_settles_it_by_reading_every_card(ready: Evening) -> None:
    a_face_came_too_often(ready)
    over(ready)
    assert "declare the table closed" in asked(ready)
    ready.close()
    assert ready.session is Session.ALL_REGULAR
    assert stands(ready, IncidentKind.DUPLICATE, Incident.CLEARED)
    ready.confirm_all()
    assert ready.act(SUPERVISOR, Trigger.SIGN_RESULT) is None


@pytest.mark.clause("SB-1")
def test_a_card_that_went_back_and_came_again_is_no_duplicate(ready: Evening) -> None:
    stack(ready, [KING] * 4)
    cards = ready.deal(4)
    over(ready)
    ready.hands.put_in_intake_tray(cards[:3])
    ready.table.run(2)
    ready.hands.trip_intake()
    ready.table.run(0.5)
    assert ready.key(DealerKey.YES) is None  # one stays in the discard (PT-A11)
    stack(ready, [KING] * 3)
    ready.deal(3)
    assert not ready.kinds()
