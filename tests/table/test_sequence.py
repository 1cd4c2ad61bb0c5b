"""Dealt cards in an order that no shuffled set has: a few warn after the round, more hold the table (BR-007, SB-9)."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from drivers.cards import Face, face_name, face_of
from drivers.protocol.messages import CardIn, DealerKey
from firmware_bridge.core.words import Incident, IncidentKind, Place, Session, Trigger
from firmware_bridge.view.texts import Hand
from tests.table.byways import (
    WITHOUT_READER,
    confirm,
    count,
    empty,
    lose_a_card,
    power_cycle,
    stands,
    verify_and_find_no_more,
)
from tests.table.evening import PORTUGAL, ROOM_MANAGER, SUPERVISOR, Evening, otherwise
from tests.table.test_what_guards_refuse import tell
from tests.table.told import due

UP = [face_of(rank, 2) for rank in range(3, 9)]
DOWN = UP[::-1]


def stack(evening: Evening, faces: Iterable[Face]) -> None:
    """The machine feeds these cards next: each changes its place with the one that was next."""
    mechanism = evening.hands.mechanism
    held = (mechanism.mouth, mechanism.buffer, *mechanism.compartments)
    places = [(place, index) for place in held for index in range(len(place))]
    for at, face in enumerate(faces):
        (here, i), (there, k) = places[at], next(one for one in places[at:] if one[0][one[1]].face == face)
        here[i], there[k] = there[k], here[i]


def held_by(evening: Evening, faces: list[Face]) -> None:
    """These cards come in this order, and hold the table."""
    stack(evening, faces)
    evening.deal(len(faces))
    assert evening.kinds() == [IncidentKind.SEQUENCE]


def with_all_cards_in(evening: Evening) -> None:
    held_by(evening, UP)
    assert evening.key(DealerKey.ROUND_OVER) is None
    evening.put_back()


@pytest.mark.clause("SB-9", "SB-5", "SB-2")
@pytest.mark.parametrize("faces", [UP, DOWN])
def test_six_in_sequence_hold_until_all_cards_are_in_counted_and_shuffled(ready: Evening, faces: list[Face]) -> None:
    held_by(ready, faces)
    assert ready.hands.pull_card() is None
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
    assert Hand.PUT_ALL_IN in due(ready)
    assert ready.act(SUPERVISOR, Trigger.COUNT_MACHINE) == "SB-7"  # cards are out
    assert ready.key(DealerKey.ROUND_OVER) is None
    assert ready.kinds() == [IncidentKind.SEQUENCE], "what holds the table is not warned of too"
    ready.put_back()
    assert Trigger.COUNT_MACHINE in due(ready)
    assert ready.hands.pull_card() is None
    count(ready)
    assert stands(ready, IncidentKind.SEQUENCE, Incident.SHUFFLING)
    assert stands(ready, IncidentKind.SEQUENCE, Incident.CLEARED)
    confirm(ready)
    ready.play_round()
    assert not ready.kinds()


@pytest.mark.clause("SB-5")
def test_five_in_sequence_are_told_after_the_round_and_hold_nothing(ready: Evening) -> None:
    stack(ready, UP[:5])
    ready.deal(9)
    assert not ready.kinds()  # one of them may lie face down
    assert ready.key(DealerKey.ROUND_OVER) is None
    assert ready.kinds() == [IncidentKind.SEQUENCE_WARNING]
    ready.put_back()
    ready.play_round()
    assert ready.kinds() == [IncidentKind.SEQUENCE_WARNING]  # latched, and the same cards warn once
    ready.confirm_all()
    ready.play_round()
    assert not ready.kinds()


@pytest.mark.clause("SB-9", "SB-5")
def test_six_cards_that_come_as_they_came_before_hold_the_table(ready: Evening) -> None:
    before = [card.face for card in ready.deal(9)]
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.put_back()
    held_by(ready, before[2:8])
    [incident] = ready.state.incidents.values()
    assert incident.detail == "6 cards in the order of earlier ones"


@pytest.mark.clause("SB-5")
def test_no_record_of_the_alarm_names_a_card_and_nothing_undealt_is_kept(ready: Evening) -> None:
    held_by(ready, UP)
    assert list(ready.state.dealt.faces) == UP
    details = [incident.detail for incident in ready.state.incidents.values()]
    assert not any(face_name(face) in detail for detail in details for face in UP)


@pytest.mark.clause("SB-9")
def test_the_cards_of_one_session_go_on_in_no_other(ready: Evening) -> None:
    stack(ready, UP[:3])
    ready.play_round(3)
    ready.close()
    assert ready.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    ready.hands.move(ready.hands.set_aside, ready.hands.box)
    ready.open_and_load()  # every card was read, and all are mixed anew
    stack(ready, UP[3:])
    ready.deal(3)
    assert not ready.kinds()


@pytest.mark.clause("SB-9", "SB-5")
def test_burned_cards_are_of_the_order_like_the_dealt_ones() -> None:
    evening = Evening(book=otherwise(PORTUGAL, "burn.with_shuffler", "one_per_deck"))
    evening.open_and_load()
    stack(evening, UP)
    evening.deal(5)
    assert not evening.kinds()
    evening.deal(1)
    assert evening.kinds() == [IncidentKind.SEQUENCE]


@pytest.mark.clause("SB-5")
def test_a_shoe_that_reads_no_face_sees_no_sequence() -> None:
    blind = Evening(fittings=WITHOUT_READER)
    blind.open_and_load()
    stack(blind, UP)
    blind.play_round(9)
    assert not blind.kinds()


@pytest.mark.clause("SB-9", "SB-7")
@pytest.mark.parametrize("at", [Incident.COUNTING, Incident.SHUFFLING])
def test_power_lost_in_the_count_or_shuffle_after_a_sequence_has_both_done_again(ready: Evening, at: Incident) -> None:
    with_all_cards_in(ready)
    count(ready)
    assert stands(ready, IncidentKind.SEQUENCE, at)
    power_cycle(ready)
    assert stands(ready, IncidentKind.SEQUENCE, Incident.RAISED, within=0.1)
    for kind in (IncidentKind.POWER_LOST, IncidentKind.SEQUENCE):  # the more urgent first
        count(ready)
        assert stands(ready, kind, Incident.SHUFFLING)
        assert stands(ready, kind, Incident.CLEARED)
    confirm(ready)


@pytest.mark.clause("SB-7", "PT-A6")
def test_a_count_that_differs_after_a_sequence_is_taken_again_or_the_verification_names_the_card(
    ready: Evening,
) -> None:
    with_all_cards_in(ready)
    lose_a_card(ready)
    for _ in range(2):
        count(ready)
        assert stands(ready, IncidentKind.SEQUENCE, Incident.COUNTING, within=0.1)
        assert stands(ready, IncidentKind.SEQUENCE, Incident.COUNT_DIFFERS)
        assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
    empty(ready)
    verify_and_find_no_more(ready)
    assert ready.session is Session.DIFFERENCE
    ready.confirm_all()
    assert ready.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) is None


@pytest.mark.clause("SB-9")
def test_once_a_sequence_was_counted_a_card_that_goes_in_is_one_too_many(ready: Evening) -> None:
    with_all_cards_in(ready)
    count(ready)
    assert stands(ready, IncidentKind.SEQUENCE, Incident.CLEARED)
    tell(ready, "shuffler", CardIn(0))
    assert IncidentKind.UNEXPECTED_CARD in ready.kinds()
    assert ready.state.account.at(Place.OVER) == 1


@pytest.mark.clause("SB-9", "SB-7")
def test_cards_that_are_dealt_no_more_are_counted_and_not_shuffled(ready: Evening) -> None:
    with_all_cards_in(ready)
    assert ready.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    count(ready)
    assert stands(ready, IncidentKind.SEQUENCE, Incident.CLEARED)
    assert ready.state.played.shuffled_at == 0


@pytest.mark.clause("SB-2", "SB-7", "PT-A6")
def test_a_table_that_closes_over_a_sequence_settles_it_by_reading_every_card(ready: Evening) -> None:
    with_all_cards_in(ready)
    ready.close()
    assert ready.session is Session.ALL_REGULAR
    assert stands(ready, IncidentKind.SEQUENCE, Incident.CLEARED)
    ready.confirm_all()
    assert ready.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
