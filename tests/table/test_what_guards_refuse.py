"""What single guards refuse, each where it alone stands in the way: the wrong person, the wrong time, a wrong card."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import CardDrawn, CardIn, DealerKey, EventBody, Purpose
from drivers.protocol.notices import EventTold
from firmware_bridge.core.controller import FromDevice
from firmware_bridge.core.words import Incident, IncidentKind, Place, Procedure, Session, Trigger
from tests.table.byways import counting_its_load, course, loading, reconnect, stands, unloading
from tests.table.evening import DEALER, PORTUGAL, ROOM_MANAGER, SUPERVISOR, TECHNICIAN, Evening, otherwise
from tests.table.test_damaged_card import lay_replacement, spare, typed
from tests.table.test_damaged_card import standing as replacing

ANOTHER_SUPERVISOR = 202


def tell(evening: Evening, device: str, body: EventBody) -> None:
    """A device tells what its firmware should not: the next event, of this kind."""
    told = EventTold(evening.state.devices[device].taken + 1, body)
    evening.table.assembly.controller.turn([FromDevice(device, [told])])


# ---- before play


@pytest.mark.clause("PT-A4")
def test_no_table_opens_over_cards_in_a_tray() -> None:
    evening = Evening()
    evening.hands.put_in_intake_tray(evening.hands.box[:5])
    evening.table.run(1)
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) == "PT-A4"
    assert evening.session is Session.CLOSED


@pytest.mark.clause("SB-3")
@pytest.mark.parametrize("person", [DEALER, ROOM_MANAGER, TECHNICIAN])
def test_a_table_is_opened_by_the_supervisor_alone(person: int) -> None:
    evening = Evening()
    assert evening.act(person, Trigger.OPEN_TABLE) == "SB-3"
    assert evening.session is Session.CLOSED


@pytest.mark.clause("SB-3")
def test_nobody_but_a_dealer_signs_in_as_one() -> None:
    evening = Evening()
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) is None
    for person in (ANOTHER_SUPERVISOR, ROOM_MANAGER):
        assert evening.act(person, Trigger.SIGN_IN) == "SB-3"
    assert evening.state.dealer == 0


@pytest.mark.clause("SB-3")
def test_whoever_opened_the_table_deals_no_card_of_it_whatever_role_he_has_now() -> None:
    evening = Evening()
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) is None
    evening.people[SUPERVISOR] = evening.people[SUPERVISOR][0], evening.people[DEALER][1]  # as no people file does
    assert evening.act(SUPERVISOR, Trigger.SIGN_IN) == "SB-3"
    assert evening.state.dealer == 0


@pytest.mark.clause("PT-A5")
def test_no_pack_begins_when_the_whole_set_is_in() -> None:
    evening = loading()
    for _ in range(2):
        evening.load_pack(104)
        assert evening.end_pack() is None
    assert evening.act(SUPERVISOR, Trigger.START_PACK) == "PT-A5"
    assert evening.session is Session.AWAITING_PACK


@pytest.mark.clause("PT-E2")
def test_no_pack_begins_when_a_card_over_the_set_is_in() -> None:
    evening = loading()
    evening.hands.box += Evening(seed=2).hands.box[:1]
    for cards in (104, 105):
        evening.load_pack(cards)
        assert evening.end_pack() is None
    assert evening.act(SUPERVISOR, Trigger.START_PACK) == "PT-E2"


@pytest.mark.clause("SB-1", "PT-A5", "PT-E2")
def test_a_whole_set_that_the_machine_cannot_count_is_no_wrong_one_and_is_not_loaded_a_second_time() -> None:
    evening = loading()
    for _ in range(2):
        evening.load_pack(104)
        assert evening.end_pack() is None
    evening.table.unplug("shuffler")
    evening.table.run(3)
    assert evening.act(SUPERVISOR, Trigger.DECLARE_LOADED) == "SB-1"
    assert evening.session is Session.AWAITING_PACK, "it is exactly the set (PT-E2)"
    evening.table.replug("shuffler")
    evening.table.run(3)
    assert evening.act(SUPERVISOR, Trigger.START_PACK) == "PT-A5"
    assert evening.act(SUPERVISOR, Trigger.DECLARE_LOADED) is None
    assert evening.session is Session.COUNTING_LOAD


@pytest.mark.clause("PT-E2")
def test_a_card_that_went_in_while_the_right_load_was_counted_makes_it_a_wrong_one() -> None:
    evening = counting_its_load()
    tell(evening, "shuffler", CardIn(0))
    evening.hands.mechanism.compartments[-1].append(Evening(seed=2).hands.box[0])
    assert evening.table.run(60, lambda: evening.session is not Session.COUNTING_LOAD)
    assert evening.state.played.last_count == (209, 209), "counted and books agree; the load is not the set"
    assert evening.session is Session.WRONG_LOAD


# ---- in play


@pytest.mark.clause("PT-A8")
@pytest.mark.parametrize("person", [DEALER, ROOM_MANAGER])
def test_the_table_is_declared_closed_by_the_supervisor_alone(ready: Evening, person: int) -> None:
    assert ready.act(person, Trigger.DECLARE_CLOSED) == "PT-A8"
    assert ready.session is Session.READY


@pytest.mark.clause("SB-1")
def test_a_card_that_goes_in_for_a_damaged_one_that_was_all_the_round_had_is_one_too_many(ready: Evening) -> None:
    [card] = ready.deal(1)
    assert ready.key(DealerKey.DAMAGED_CARD) is None
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    assert ready.key(DealerKey.ROUND_OVER) is None
    assert (ready.session, ready.state.account.out) == (Session.RETURNING, 0)
    tell(ready, "shuffler", CardIn(0))
    assert IncidentKind.UNEXPECTED_CARD in ready.kinds()
    assert ready.state.account.at(Place.OVER) == 1


@pytest.mark.clause("SB-1")
def test_a_card_that_came_for_another_purpose_is_none_of_the_game(ready: Evening) -> None:
    tell(ready, "shoe", CardDrawn(Purpose.VERIFY, face=1))
    assert ready.session is Session.READY
    assert ready.kinds() == [IncidentKind.UNEXPECTED_CARD]


@pytest.mark.clause("SB-7")
def test_a_card_that_goes_in_between_rounds_is_one_too_many_unless_a_spill_asks_for_it(ready: Evening) -> None:
    ready.deal(3)
    ready.hands.trip_intake()
    ready.table.run(0.5)
    assert ready.key(DealerKey.ROUND_OVER) is None
    assert ready.key(DealerKey.YES) is None
    assert (ready.session, ready.state.account.out) == (Session.READY, 3)
    tell(ready, "shuffler", CardIn(0))
    assert ready.kinds() == [IncidentKind.UNEXPECTED_CARD]


@pytest.mark.clause("SB-7")
@pytest.mark.parametrize("person", [DEALER, ROOM_MANAGER])
def test_the_machine_is_counted_at_the_supervisors_word_alone(ready: Evening, person: int) -> None:
    assert ready.act(person, Trigger.COUNT_MACHINE) == "SB-7"
    assert ready.session is Session.READY


@pytest.mark.clause("SB-2")
@pytest.mark.parametrize("person", [DEALER, ROOM_MANAGER])
def test_an_incident_that_is_over_is_confirmed_by_the_supervisor_alone(ready: Evening, person: int) -> None:
    reconnect(ready, "lamp")
    assert stands(ready, IncidentKind.LINK_LOST, Incident.CLEARED, within=0.1)
    assert ready.act(person, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
    assert ready.kinds() == [IncidentKind.LINK_LOST]


@pytest.mark.clause("PT-A11", "PT-A10")
def test_under_a_book_that_does_not_know_the_discard_no_card_stays_there() -> None:
    evening = Evening(book=otherwise(PORTUGAL, "rounds.may_leave_in_discard", False))
    evening.open_and_load()
    evening.deal(6)
    evening.hands.trip_intake()
    evening.table.run(0.5)
    assert evening.key(DealerKey.ROUND_OVER) is None
    assert evening.key(DealerKey.YES) == "PT-A11"
    assert evening.session is Session.RETURNING


# ---- damaged cards and decks


@pytest.mark.clause("PT-A1")
def test_a_card_is_named_damaged_only_while_one_lies_open(ready: Evening) -> None:
    assert ready.key(DealerKey.DAMAGED_CARD) is None
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, 1101) == "PT-A1"
    assert replacing(ready) is Incident.RAISED


@pytest.mark.clause("PT-A1")
def test_a_second_replacement_waits_until_the_first_is_sealed_in_an_envelope_with_a_number(ready: Evening) -> None:
    cards = ready.deal(6)[:2]
    for card in cards:
        assert ready.key(DealerKey.DAMAGED_CARD) is None
        assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    first, second = sorted(ready.state.incidents)
    standing = [ready.state.incidents[number].state for number in (first, second)]
    assert standing == [Incident.AWAITING_REPLACEMENT] * 2
    lay_replacement(ready, spare(cards[0]))
    assert ready.state.incidents[first].state is Incident.ASKING_BACK
    ready.hands.take_shoe_output()
    two = spare(cards[1])
    ready.hands.on_table.append(two)
    ready.hands.put_in_shoe_tray([two])
    ready.table.run(0.3)
    assert ready.key(DealerKey.YES) is None  # the back of the first
    assert ready.state.incidents[first].state is Incident.AWAITING_SEAL
    assert ready.key(DealerKey.YES) == "PT-A1"
    assert ready.state.incidents[second].state is Incident.AWAITING_REPLACEMENT
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 0) == "PT-A1"
    assert ready.state.incidents[first].state is Incident.AWAITING_SEAL
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 7) is None


@pytest.mark.clause("PT-A1")
def test_a_card_that_comes_for_another_purpose_is_no_replacement(ready: Evening) -> None:
    card = ready.deal(6)[2]
    assert ready.key(DealerKey.DAMAGED_CARD) is None
    assert ready.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    ready.hands.on_table.append(spare(card))
    ready.hands.put_in_shoe_tray(ready.hands.on_table[-1:])
    ready.table.run(0.2)
    ready.hands.press_dealer_key(DealerKey.YES)
    assert ready.table.run(1, lambda: replacing(ready) is Incident.READING_REPLACEMENT)
    dealt = ready.state.account.at(Place.TABLE)
    tell(ready, "shoe", CardDrawn(Purpose.DEAL, face=card.face))
    assert replacing(ready) is Incident.READING_REPLACEMENT
    assert ready.state.account.at(Place.TABLE) == dealt + 1, "it is one of the round's"


@pytest.mark.clause("PT-E4")
def test_a_deck_is_marked_by_the_supervisor_alone_and_replaced_between_sessions_only(ready: Evening) -> None:
    assert ready.act(ROOM_MANAGER, Trigger.MARK_IMPERFECT, 1) == "PT-E4"
    assert ready.act(SUPERVISOR, Trigger.MARK_IMPERFECT, 1) is None
    assert ready.act(SUPERVISOR, Trigger.DECK_REPLACED, 1) == "PT-E4"
    assert list(ready.state.imperfect_decks) == [1]


# ---- at the end


@pytest.mark.clause("PT-A6")
def test_a_card_that_was_dealt_while_unloading_is_none_of_the_unloaded(ready: Evening) -> None:
    unloading(ready)
    unloaded = ready.state.account.inside
    tell(ready, "shoe", CardDrawn(Purpose.DEAL, face=1))
    assert IncidentKind.UNEXPECTED_CARD in ready.kinds()
    assert course(ready, Procedure.SESSION)[-1] == (Trigger.CARD_DRAWN, Session.UNLOADING)
    assert ready.state.account.inside in (unloaded, unloaded - 1)


@pytest.mark.clause("SB-4")
def test_a_card_that_goes_in_while_the_empty_machine_is_looked_at_undoes_the_proof(ready: Evening) -> None:
    ready.unload()
    ready.look_inside()
    assert ready.session is Session.LOOKED
    tell(ready, "shuffler", CardIn(0))
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) == "SB-4"
    assert ready.session is Session.LOOKED


@pytest.mark.clause("PT-A6")
def test_a_card_that_comes_for_another_purpose_is_not_read_as_one_of_the_deck(ready: Evening) -> None:
    ready.unload()
    ready.look()
    pile = next(iter(ready.sort().values()))
    ready.hands.put_in_shoe_tray(pile)
    ready.table.run(0.2)
    assert ready.key(DealerKey.YES) is None
    assert ready.session is Session.READING_DECK
    tell(ready, "shoe", CardDrawn(Purpose.DEAL, face=1))
    assert IncidentKind.UNEXPECTED_CARD in ready.kinds()
