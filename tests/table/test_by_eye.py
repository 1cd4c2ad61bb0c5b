"""A shoe without a reader: the supervisor counts each deck, and no count by eye makes up for what is known (PT-A6)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from drivers.protocol.messages import Capability, DealerKey
from firmware_bridge.core.words import IncidentKind, Place, Session, Trigger
from tests.table.byways import WITHOUT_READER, begin_to_empty_by_hand, give_up_the_machine
from tests.table.evening import DEALER, ROOM_MANAGER, SUPERVISOR, TECHNICIAN, Evening
from tests.table.told import screen, session_told

pytestmark = pytest.mark.clause("PT-A6")


@pytest.fixture
def unread() -> Evening:
    """One round was played; no face was seen."""
    evening = Evening(fittings=WITHOUT_READER)
    evening.open_and_load()
    evening.play_round()
    return evening


def lose_a_card_on_the_way_back(evening: Evening) -> None:
    evening.deal(9)
    assert evening.key(DealerKey.ROUND_OVER) is None
    lost, *rest = evening.hands.on_table
    evening.hands.put_in_intake_tray(rest)
    evening.table.wait(65)
    assert evening.kinds() == [IncidentKind.CARD_LOST]
    evening.hands.on_table.clear()
    del lost  # it lies in the table's well


def count_decks(evening: Evening, *counts: int) -> None:
    for cards in counts:
        assert evening.session is Session.AWAITING_DECK
        assert evening.act(SUPERVISOR, Trigger.CONFIRM_DECK, cards) is None


def close_and_sort(evening: Evening) -> None:
    evening.unload()
    evening.look()
    assert evening.key(DealerKey.YES) is None


def test_each_deck_is_confirmed_with_the_number_of_its_cards_and_by_the_supervisor(unread: Evening) -> None:
    close_and_sort(unread)
    assert unread.key(DealerKey.YES) == "PT-A6"  # no reader for the dealer's deck
    assert unread.act(DEALER, Trigger.CONFIRM_DECK, 52) == "PT-A6"
    assert unread.act(SUPERVISOR, Trigger.CONFIRM_DECK, 0) == "PT-A6"
    assert unread.act(SUPERVISOR, Trigger.CONFIRM_DECK, 209) == "PT-A6"
    count_decks(unread, 52, 52, 52, 52)
    assert unread.session is Session.ALL_REGULAR
    assert unread.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    told = session_told(unread)
    assert [deck.by_person for deck in told.decks] == [True] * 4
    assert told.counted_out == "208 of 208 cards were counted out of the machine by the shoe"


@pytest.mark.parametrize("counts", [(51, 52, 52, 52), (52, 52, 52, 51), (52, 52, 52, 53), (104, 52, 51, 1)], ids=str)
def test_a_deck_that_is_not_full_makes_a_difference_whichever_it_is(unread: Evening, counts: tuple[int, ...]) -> None:
    close_and_sort(unread)
    count_decks(unread, *counts)
    assert unread.session is Session.DIFFERENCE
    assert unread.act(SUPERVISOR, Trigger.SORT_AGAIN) is None
    count_decks(unread, 52, 52, 52, 52)
    assert unread.session is Session.ALL_REGULAR  # a slip of whoever counted is none of the cards'


def test_what_is_counted_beyond_what_came_out_is_over_until_the_decks_are_counted_again(unread: Evening) -> None:
    account = unread.state.account
    close_and_sort(unread)
    for _ in range(2):
        count_decks(unread, 52, 52, 52, 53)
        assert [account.at(place) for place in (Place.OVER, Place.UNLOADED, Place.VERIFIED)] == [1, 0, 209]
        assert unread.act(SUPERVISOR, Trigger.SORT_AGAIN) is None
        assert [account.at(place) for place in (Place.OVER, Place.UNLOADED, Place.VERIFIED)] == [0, 208, 0]
    count_decks(unread, 52, 52, 52, 52)
    assert unread.session is Session.ALL_REGULAR


@pytest.mark.clause("PT-A6", "SB-7")
def test_no_count_by_eye_says_that_a_card_known_to_be_missing_is_back(unread: Evening) -> None:
    lose_a_card_on_the_way_back(unread)
    assert unread.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    unread.unload_cards()
    unread.look()
    assert unread.state.account.at(Place.MISSING) == 1
    assert unread.state.account.at(Place.UNLOADED) == 207
    assert unread.key(DealerKey.YES) is None
    count_decks(unread, 52, 52, 52, 52)
    assert unread.session is Session.DIFFERENCE
    assert "207 of 208 cards were counted out of the machine by the shoe" in screen(unread).difference
    assert any("only a reader shows that what is missing is back" in line for line in screen(unread).difference)
    unread.confirm_all()  # its alarm is closed, and the card as much missing as before
    assert unread.act(SUPERVISOR, Trigger.SORT_AGAIN) is None
    count_decks(unread, 52, 52, 52, 52)
    assert unread.session is Session.DIFFERENCE
    unread.look()  # once more into the machine
    assert unread.key(DealerKey.YES) is None
    count_decks(unread, 52, 52, 52, 52)
    assert unread.session is Session.DIFFERENCE
    assert unread.act(SUPERVISOR, Trigger.SIGN_RESULT) == "PT-A6"
    assert unread.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) is None
    assert unread.session is Session.CLOSED_WITH_DIFFERENCE


@pytest.mark.clause("PT-A10", "PT-A11", "SB-7")
def test_a_missing_card_that_was_said_to_lie_in_the_discard_is_missing_when_the_table_closes(unread: Evening) -> None:
    lose_a_card_on_the_way_back(unread)
    unread.table.unplug("shuffler")
    unread.table.run(1)
    for _ in range(2):
        assert unread.act(SUPERVISOR, Trigger.ACKNOWLEDGE) is None
    assert unread.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) is None
    assert unread.key(DealerKey.YES) is None
    assert unread.session is Session.READY
    assert unread.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert [unread.state.account.at(place) for place in (Place.DISCARD, Place.MISSING)] == [0, 1]


@pytest.mark.clause("SB-4")
@pytest.mark.field("BR-001")
def test_cards_left_in_a_machine_out_of_service_are_missed_by_whoever_counts(unread: Evening) -> None:
    give_up_the_machine(unread)
    begin_to_empty_by_hand(unread)
    assert unread.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    assert unread.key(DealerKey.YES) is None
    count_decks(unread, 52, 52, 52, 36)  # sixteen stayed inside
    assert unread.session is Session.DIFFERENCE
    assert "192 of 208 cards verified" in screen(unread).difference
    assert "0 of 208 cards were counted out of the machine by the shoe" in screen(unread).difference


@pytest.mark.clause("PT-A6", "SB-7")
def test_a_reader_that_did_not_see_every_deck_does_not_find_the_missing_card_either(unread: Evening) -> None:
    lose_a_card_on_the_way_back(unread)
    assert unread.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    unread.unload_cards()
    unread.look()
    piles = unread.sort()
    count_decks(unread, 52)  # in truth the deck that lacks the card
    unread.table.unplug("shoe")
    unread.table.run(1)
    shoe = unread.hands.devices["shoe"]
    shoe.identity = replace(
        shoe.identity, serial="SS-2", capabilities=shoe.identity.capabilities | Capability.READS_FACES
    )
    unread.hands.reboot("shoe", memory_lost=True)
    unread.table.replug("shoe")
    unread.table.run(4)
    for pile in piles.values():
        if len(pile) == 52:
            unread.read_deck(pile)
    assert unread.session is Session.DIFFERENCE
    assert unread.state.account.at(Place.MISSING) == 1
    assert unread.act(SUPERVISOR, Trigger.SORT_AGAIN) is None
    for pile in piles.values():
        unread.read_deck(pile)
    assert unread.session is Session.DIFFERENCE
    assert [len(deck.missing) for deck in unread.state.decks_read].count(1) == 1  # and now it is named
