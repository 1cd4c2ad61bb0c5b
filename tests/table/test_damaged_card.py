"""A damaged card: replaced at once by the same card, sealed, its deck marked, the notice owed (PT-A1, PT-E4)."""

from __future__ import annotations

import pytest

from drivers.cards import Face
from drivers.protocol.messages import DealerKey, JamPlace
from firmware_bridge.core.words import CardSet, Incident, IncidentKind, Place, Session, Trigger
from sim_hardware.cards import Card
from tests.table.evening import BACKS, DEALER, ROOM_MANAGER, SUPERVISOR, Evening
from tests.table.test_jam import clear, jam, settle


def typed(card: Card) -> int:
    """The card as it is typed: deck, suit, rank."""
    suit, rank = divmod(card.face - 1, 13)
    return 1000 * card.deck + 100 * (suit + 1) + rank + 1


def spare(card: Card, face: int | None = None) -> Card:
    """A card of the reserve: the same deck and back, and the face that is wanted (or another)."""
    return Card(Face(face or card.face), card.back, card.deck)


def standing(evening: Evening) -> Incident:
    return next(one.state for one in evening.state.incidents.values() if one.kind is IncidentKind.DAMAGED_CARD)


def lay_replacement(evening: Evening, card: Card) -> None:
    evening.hands.on_table.append(card)
    evening.hands.put_in_shoe_tray([card])
    evening.table.run(0.2)
    assert evening.key(DealerKey.YES) is None
    evening.table.run(2)


def replace(evening: Evening, card: Card) -> None:
    lay_replacement(evening, spare(card))
    assert standing(evening) is Incident.ASKING_BACK
    assert evening.key(DealerKey.YES) is None
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 77) is None


@pytest.mark.clause("PT-A1")
def test_in_play_no_card_is_named_that_did_not_come_out_of_the_shoe(ready: Evening) -> None:
    dealt = {card.face: card for card in ready.deal(6)}
    assert ready.key(DealerKey.DAMAGED_CARD) is None
    other = next(face for face in range(1, 53) if face not in dealt)
    card = next(iter(dealt.values()))
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(spare(card, face=other))) == "PT-A1"
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None


@pytest.mark.clause("PT-A1", "PT-E4")
@pytest.mark.field("BR-010")
def test_a_damaged_card_holds_play_until_it_is_replaced_sealed_and_confirmed(ready: Evening) -> None:
    card = ready.deal(6)[2]
    assert ready.key(DealerKey.DAMAGED_CARD) is None
    ready.table.wait(58 * 60)
    assert ready.hands.pull_card() is None
    assert ready.state.incidents[1].escalated
    assert ready.act(DEALER, Trigger.NAME_CARD, typed(card)) == "PT-A1"
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    ready.hands.move([card], ready.hands.set_aside)
    assert ready.hands.pull_card() is None
    replace(ready, card)
    ready.hands.move(ready.hands.take_shoe_output(), ready.hands.on_table)
    assert ready.hands.pull_card() is None
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) is None
    ready.table.run(1)
    assert ready.hands.pull_card() is not None
    assert ready.state.incidents_closed[1].envelope == 77
    account = ready.state.account
    assert account.inside + account.out == 208
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.put_back()
    ready.close()
    assert ready.session is Session.ALL_REGULAR
    assert ready.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert ready.state.card_set is CardSet.IMPERFECT
    assert ready.act(SUPERVISOR, Trigger.OPEN_TABLE) == "PT-E4"
    assert ready.act(SUPERVISOR, Trigger.NOTICE_SENT, 1) == "PT-A1"
    assert ready.act(ROOM_MANAGER, Trigger.NOTICE_SENT, 1) is None
    assert not ready.state.notices


@pytest.mark.clause("PT-A1")
def test_the_wrong_replacement_is_found_by_the_reader(ready: Evening) -> None:
    card = ready.deal(6)[0]
    ready.key(DealerKey.DAMAGED_CARD)
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    lay_replacement(ready, spare(card, face=1 + card.face % 52))
    assert standing(ready) is Incident.WRONG_REPLACEMENT
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 5) == "PT-A1"
    ready.hands.move(ready.hands.take_shoe_output(), ready.hands.set_aside)
    replace(ready, card)


@pytest.mark.clause("PT-A1")
def test_without_a_replacement_at_hand_the_table_stands_and_may_only_close(ready: Evening) -> None:
    card = ready.deal(6)[0]
    ready.key(DealerKey.DAMAGED_CARD)
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    ready.hands.move([card], ready.hands.set_aside)
    ready.table.wait(3600)
    assert ready.hands.pull_card() is None
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.put_back()
    assert ready.hands.pull_card() is None
    assert ready.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None


def test_a_card_that_is_not_damaged_after_all_is_answered_no(ready: Evening) -> None:
    ready.deal(3)
    ready.key(DealerKey.DAMAGED_CARD)
    assert ready.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) is None
    ready.table.run(1)
    assert ready.hands.pull_card() is not None


@pytest.mark.clause("PT-A1")
def test_a_card_that_no_deck_has_is_not_taken(ready: Evening) -> None:
    ready.deal(3)
    ready.key(DealerKey.DAMAGED_CARD)
    for wrong in (0, 9101, 1501, 1114, 12345):
        assert ready.act(SUPERVISOR, Trigger.NAME_CARD, wrong) == "PT-A1"


@pytest.mark.clause("PT-A1", "PT-A2")
def test_a_card_found_damaged_at_the_jam_is_replaced_by_its_own_procedure(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    clear(ready, put_back=False)
    card = ready.hands.on_table[-1]
    ready.hands.move([card], ready.hands.set_aside)
    assert ready.act(SUPERVISOR, Trigger.ANSWER_YES, typed(card)) is None
    assert ready.kinds() == [IncidentKind.JAM, IncidentKind.DAMAGED_CARD]
    assert ready.table.run(60, lambda: ready.state.incidents[1].state is Incident.CLEARED)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"  # what is not done yet comes first
    assert ready.hands.pull_card() is None
    replace(ready, card)
    ready.confirm_all()
    assert ready.state.account.at(Place.DISCARD) == 1  # it goes in with the round's cards
    ready.hands.take_shoe_output()
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.put_back()
    ready.play_round()
    ready.close()
    assert ready.session is Session.ALL_REGULAR


def test_backs_of_the_test_are_those_of_the_table() -> None:
    assert {card.back for card in Evening().hands.box} == set(BACKS[:4])


@pytest.mark.clause("PT-A1")
def test_a_card_named_wrongly_may_be_named_again_before_a_replacement_is_read(ready: Evening) -> None:
    first, second = ready.deal(6)[:2]
    ready.key(DealerKey.DAMAGED_CARD)
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(first)) is None
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(second)) is None
    assert ready.state.account.at(Place.SET_ASIDE) == 1
    lay_replacement(ready, spare(second))
    assert standing(ready) is Incident.ASKING_BACK


@pytest.mark.clause("PT-A1", "PT-E2")
def test_a_card_damaged_while_the_load_is_counted_is_replaced_and_goes_in_as_a_pack_of_its_own() -> None:
    evening = Evening(seed=6)
    evening.open_table()
    evening.show_and_mix()
    evening.load_pack(104)
    assert evening.end_pack() is None
    evening.load_pack(104)
    assert evening.end_pack() is None
    evening.hands.jam(JamPlace.CAROUSEL)
    assert evening.act(SUPERVISOR, Trigger.DECLARE_LOADED) is None
    assert evening.table.run(30, lambda: IncidentKind.JAM in evening.kinds())
    clear(evening, put_back=False)
    card = evening.hands.on_table[-1]
    evening.hands.move([card], evening.hands.set_aside)
    assert evening.act(SUPERVISOR, Trigger.ANSWER_YES, typed(card)) is None
    assert evening.table.run(60, lambda: evening.state.incidents[1].state is Incident.CLEARED)
    replace(evening, card)
    evening.confirm_all()
    evening.hands.move(evening.hands.take_shoe_output(), evening.hands.box)
    if evening.session is Session.COUNTING_LOAD:
        assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert evening.table.run(60, lambda: evening.session is Session.AWAITING_PACK), evening.session
    evening.load_pack(1)
    assert evening.end_pack() is None
    assert evening.act(SUPERVISOR, Trigger.DECLARE_LOADED) is None
    assert evening.table.run(60, lambda: evening.session is Session.READY), evening.session
    assert evening.state.account.at(Place.MACHINE) + evening.state.account.at(Place.SHOE) == 208


@pytest.mark.clause("PT-A1")
def test_two_damaged_cards_at_once_are_replaced_one_after_the_other(ready: Evening) -> None:
    shown = ready.deal(6)[0]
    jam(ready, JamPlace.CAROUSEL)
    ready.key(DealerKey.DAMAGED_CARD)
    clear(ready, put_back=False)
    found = ready.hands.on_table[-1]
    ready.hands.move([shown, found], ready.hands.set_aside)
    assert ready.act(SUPERVISOR, Trigger.ANSWER_YES, typed(found)) is None
    assert ready.table.run(60, lambda: ready.state.incidents[1].state is Incident.CLEARED)
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(shown)) is None
    for card in (shown, found):
        lay_replacement(ready, spare(card))
        assert ready.key(DealerKey.YES) is None
        assert ready.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 78) is None
        ready.hands.move(ready.hands.take_shoe_output(), ready.hands.on_table)
    ready.confirm_all()
    assert len(ready.state.notices) == 2


@pytest.mark.clause("PT-A1")
@pytest.mark.parametrize("is_technician_called", [False, True])
def test_whether_the_card_that_stuck_is_damaged_is_asked_for_and_a_whole_one_is_neither_replaced_nor_told(
    ready: Evening, is_technician_called: bool
) -> None:
    jam(ready, JamPlace.CAROUSEL)
    if is_technician_called:
        assert ready.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) is None  # the lid is free for him
        assert ready.hands.open_lid()
        ready.hands.put_inside([ready.hands.take_stuck_card()])
        ready.hands.close_lid()
    else:
        clear(ready)
    asking = ready.state.incidents[1].state
    ready.table.run(30)
    assert (ready.state.incidents[1].state, ready.hands.pull_card()) == (asking, None), "it waits for the answer"
    settle(ready)
    assert IncidentKind.DAMAGED_CARD not in {one.kind for one in ready.state.incidents_closed.values()}
    assert not ready.state.incidents
    assert not ready.state.imperfect_decks
    assert not ready.state.notices


@pytest.mark.clause("PT-A1", "PT-A2")
def test_a_card_found_damaged_while_the_technician_is_awaited_is_replaced_as_well(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    assert ready.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) is None
    assert ready.hands.open_lid()
    ready.table.run(0.2)
    card = ready.hands.take_stuck_card()
    ready.hands.move([card], ready.hands.set_aside)
    ready.hands.close_lid()
    ready.table.run(0.5)
    assert ready.act(SUPERVISOR, Trigger.ANSWER_YES, typed(card)) is None
    assert ready.table.run(60, lambda: ready.state.incidents[1].state is Incident.CLEARED)
    replace(ready, card)
    ready.confirm_all()


@pytest.mark.clause("PT-E4")
def test_a_card_named_wrongly_takes_no_mark_from_a_deck_that_another_damaged_card_marked(ready: Evening) -> None:
    first = ready.deal(30)[0]
    other = next(card for card in ready.hands.on_table if card.deck != first.deck)
    assert ready.key(DealerKey.DAMAGED_CARD) is None
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(first)) is None
    replace(ready, first)
    ready.confirm_all()
    assert ready.key(DealerKey.DAMAGED_CARD) is None
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(first)) is None
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(other)) is None
    assert set(ready.state.imperfect_decks) == {first.deck, other.deck}
