"""Decks serve more than one session: how many each has served is kept until it is replaced, and told (PT-E4)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import FIRST, Course, Session, Trigger
from sim_hardware.cards import make_set
from tests.table.batch_evening import BatchEvening, TwoSets
from tests.table.evening import ROOM_MANAGER, SUPERVISOR, Evening
from tests.table.hand_fed_evening import HandFedEvening
from tests.table.test_batch_screen import shown


def play_a_session(evening: BatchEvening) -> None:
    """A session, from its opening to *verified*; its cards are in their boxes then."""
    evening.open_and_load()
    evening.play_round()
    evening.close()
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert evening.session is Session.VERIFIED
    evening.hands.bring(make_set(evening.state.decks, evening.state.backs))


def opening(evening: BatchEvening) -> str:
    """The line that asks for the table to be opened."""
    [text] = [ask.text for ask in shown(evening).asks if ask.trigger == Trigger.OPEN_TABLE]
    return text.rpartition(" - ")[2]


@pytest.mark.clause("PT-E4")
def test_each_deck_ages_by_the_sessions_for_which_it_was_loaded_until_it_is_replaced() -> None:
    evening = BatchEvening()
    assert opening(evening) == "open the table"
    play_a_session(evening)
    assert opening(evening) == "open the table (each deck has served 1 session)"
    assert evening.act(SUPERVISOR, Trigger.MARK_IMPERFECT, 2) is None
    assert evening.state.deck_ages == {1: 1, 2: 1}
    assert evening.act(SUPERVISOR, Trigger.DECK_REPLACED, 2) is None
    play_a_session(evening)
    assert evening.state.deck_ages == {1: 2, 2: 1}
    assert opening(evening) == "open the table (sessions that its decks have served: deck 1: 2, deck 2: 1)"


@pytest.mark.clause("PT-E4")
def test_a_table_that_opens_and_closes_with_its_cards_in_their_boxes_ages_no_deck() -> None:
    evening = BatchEvening()
    evening.open_table()
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.state.deck_ages == {}


@pytest.mark.clause("PT-E4", "SB-6")
def test_of_two_sets_only_the_one_that_was_loaded_ages_and_once_a_session() -> None:
    two = TwoSets()
    two.open_and_load()
    two.play_round()
    two.take_out(FIRST)
    two.shuffle_set(FIRST)
    two.until_at(FIRST, Course.IN_SHOE)
    assert two.state.deck_ages == {1: 1, 2: 1}


@pytest.mark.clause("PT-E4")
def test_a_deck_whose_cards_go_in_one_by_one_serves_one_session() -> None:
    evening = Evening()
    evening.open_and_load()
    assert evening.state.deck_ages == dict.fromkeys(range(1, evening.state.decks + 1), 1)


@pytest.mark.clause("PT-E4")
def test_however_often_a_shoe_is_filled_by_hand_its_decks_serve_one_session() -> None:
    evening = HandFedEvening()
    evening.open_and_load()
    evening.play_round()
    assert evening.act(SUPERVISOR, Trigger.STOP_PLAY) is None
    evening.end_shoe()
    evening.prepare()
    assert evening.state.deck_ages == dict.fromkeys(range(1, evening.state.decks + 1), 1)


@pytest.mark.clause("PT-E4", "SB-2")
def test_a_whole_set_that_is_replaced_is_new() -> None:
    evening = BatchEvening()
    evening.open_and_load()
    evening.hands.carry_away([evening.hands.pull_card()])  # type: ignore[list-item]  # it is missed at the end
    evening.table.run(0.5)
    assert evening.key(DealerKey.ROUND_OVER) is None
    evening.close()
    assert evening.act(SUPERVISOR, Trigger.NO_CARDS_LEFT) is None
    assert evening.session is Session.DIFFERENCE
    assert evening.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) is None
    assert evening.state.deck_ages == {1: 1, 2: 1}
    assert evening.act(ROOM_MANAGER, Trigger.SET_REPLACED) is None
    assert evening.state.deck_ages == {}
