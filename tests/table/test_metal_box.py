"""A metal box, one deck and one round: filled, opened to a round by the dealer's key, and counted by hand."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core import changes as c
from firmware_bridge.core.deal import BANK, expected
from firmware_bridge.core.words import IncidentKind, Place, Session, Trigger
from firmware_bridge.view import table_view
from tests.table.box_evening import HOUSE, BoxEvening
from tests.table.evening import DEALER, SUPERVISOR, TECHNICIAN, otherwise
from tests.table.hand_fed_evening import HandFedEvening


def ready() -> BoxEvening:
    """A box that is filled for its first round."""
    evening = BoxEvening()
    evening.open_and_load(None)
    assert evening.session is Session.READY
    return evening


def asked(evening: BoxEvening) -> list[str]:
    """What the screen asks of people."""
    return [ask.text for ask in table_view(evening.state, evening.table.config.book, None, ()).asks]


def close(evening: BoxEvening) -> None:
    """The table closes: the box is emptied, looked into, and its deck counted by eye."""
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    evening.hands.take_from_mouth()
    if evening.at(Place.SHOE):
        assert evening.act(SUPERVISOR, Trigger.CONFIRM_SHOE_EMPTY) is None
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    evening.yes()


def clauses_of(evening: HandFedEvening, *triggers: Trigger) -> list[str]:
    """By which clauses the session moved at these triggers, in order."""
    moves = [one for record in evening.logged() for one in record.decision.changes if isinstance(one, c.Moved)]
    return [one.clause for one in moves if one.procedure == "session" and one.trigger in triggers]


@pytest.mark.clause("MO-1b", "MO-2f", "MO-4a")
def test_a_box_is_played_round_by_round_counted_after_each_and_its_deck_verified() -> None:
    evening = ready()
    for _ in range(2):
        evening.play_round()
        evening.count()
        evening.prepare(None)
    close(evening)
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_DECK, 52) is None
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert (evening.session, evening.kinds()) == (Session.VERIFIED, [])
    first = clauses_of(evening, Trigger.YES, Trigger.ROUND_OVER)[4:8]
    assert first == ["MO-1b", "MO-4a", "MO-2f", "MO-2f"]


@pytest.mark.clause("MO-2f")
def test_a_second_round_from_one_filling_is_refused_whatever_is_left_in_the_box() -> None:
    evening = ready()
    evening.play_round(5)
    assert evening.session is Session.EMPTYING_SHOE
    assert (evening.at(Place.TABLE), evening.at(Place.DISCARD)) == (0, 52)
    assert evening.hands.inside() > 40
    assert evening.key(DealerKey.ROUND_OVER) is not None
    evening.count()
    assert evening.session is Session.MIXING  # shuffled, cut and laid in before another round
    assert len(evening.state.rounds) == 1


@pytest.mark.clause("MO-1a", "MO-1b", "PT-E2")
def test_a_box_is_filled_with_the_whole_deck_or_not_at_all() -> None:
    evening = BoxEvening()
    evening.open_table()
    assert evening.key(DealerKey.DAMAGED_CARD) is None
    assert evening.act(SUPERVISOR, Trigger.NAME_CARD, 1107) is None
    while evening.session is not Session.FILLING_SHOE:
        evening.yes()
    evening.lay_in(None)
    assert evening.key(DealerKey.YES) == "MO-1a"
    assert evening.session is Session.FILLING_SHOE


@pytest.mark.clause("MO-2f", "SB-7")
def test_a_filling_is_followed_by_one_count_of_the_whole_deck_on_the_dealers_word() -> None:
    evening = ready()
    evening.play_round()
    evening.count()
    counts = [one for record in evening.logged() for one in record.decision.changes if isinstance(one, c.FullCount)]
    assert [(one.found, one.expected) for one in counts] == [(52, 52)]


@pytest.mark.clause("MO-1b", "MO-2f")
def test_a_shoe_that_people_fill_is_played_by_rows_of_its_own_and_for_more_than_one_round() -> None:
    evening = HandFedEvening()
    evening.open_and_load()
    evening.play_round()
    assert evening.session is Session.READY
    assert clauses_of(evening, Trigger.YES, Trigger.ROUND_OVER)[-2:] == ["PT-S4", "SB-5"]
    evening.play_until(40)
    evening.end_shoe()
    assert clauses_of(evening, Trigger.YES)[-1] == "PT-S6"


@pytest.mark.clause("MO-4a")
def test_with_the_key_that_begins_the_round_the_dealer_says_that_a_card_is_burned() -> None:
    evening = ready()
    assert any("burn it" in line for line in asked(evening))
    evening.begin()
    assert (evening.at(Place.DISCARD), evening.at(Place.SHOE)) == (1, 0)


@pytest.mark.clause("MO-4a", "SB-1")
def test_where_the_book_burns_none_the_round_begins_with_the_whole_deck() -> None:
    evening = BoxEvening(book=otherwise(HOUSE, "burn.with_shoe", "none"))
    evening.open_and_load(None)
    evening.begin()
    assert (evening.at(Place.DISCARD), evening.at(Place.TABLE)) == (0, 52)


@pytest.mark.clause("SB-1", "MO-4a")
def test_while_dealing_is_held_the_key_begins_no_round() -> None:
    evening = ready()
    assert evening.act(SUPERVISOR, Trigger.DECLARE_SPILL) is None
    assert evening.key(DealerKey.YES) == "SB-2"
    assert evening.session is Session.READY


@pytest.mark.clause("SB-7")
def test_in_a_round_the_screen_says_what_is_not_known_and_the_books_guess_no_card() -> None:
    evening = ready()
    evening.begin()
    evening.draw(7)
    assert evening.at(Place.SHOE) + evening.at(Place.TABLE) + evening.at(Place.DISCARD) == 52
    assert any("known only when all cards are counted" in line for line in asked(evening))


@pytest.mark.clause("MO-5c")
def test_from_the_box_the_bank_has_two_cards_before_the_players_act_one_open_one_closed() -> None:
    order = expected(HOUSE, (1, 2), from_box=True)
    bank = [(card.nth, card.is_open) for card in order.first if card.place == BANK]
    players = [(card.place, card.is_open) for card in order.first if card.place != BANK]
    assert (bank, order.late) == ([(1, True), (2, False)], ())
    assert players == [(1, False), (2, False), (1, False), (2, False)]
    assert expected(HOUSE, (1, 2)).late  # from a shoe its second comes after the players, open


@pytest.mark.clause("MO-5c")
def test_the_screen_says_in_which_order_the_first_cards_are_dealt_from_the_box() -> None:
    evening = ready()
    evening.begin()
    (line,) = [line for line in asked(evening) if "before the players act" in line]
    assert "to the bank its first card open" in line
    assert "to the bank its second card face down" in line
    assert line.endswith("[MO-5c]")


@pytest.mark.clause("MO-5c", "MO-5b")
def test_a_slip_in_the_deal_which_no_device_sees_is_named_and_remedied_by_the_book() -> None:
    evening = ready()
    evening.begin()
    assert evening.key(DealerKey.CALL_SUPERVISOR) is None
    assert evening.act(SUPERVISOR, Trigger.NAME_SLIP, 103) is None
    assert IncidentKind.WRONG_DEAL in {one.kind for one in evening.state.incidents.values()}


@pytest.mark.clause("SB-7")
def test_a_deck_that_is_not_whole_is_a_mismatch_and_the_table_closes_on_every_card_counted() -> None:
    evening = ready()
    evening.play_round()
    assert evening.act(DEALER, Trigger.NO_CARDS_LEFT) == "SB-7"
    assert evening.act(SUPERVISOR, Trigger.NO_CARDS_LEFT) is None
    assert [one.kind for one in evening.state.incidents.values()] == [IncidentKind.COUNT_MISMATCH]
    view = table_view(evening.state, HOUSE, None, ())
    assert any(ask.trigger == "declare_closed" and ask.due for ask in view.asks)
    close(evening)
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_DECK, 51) is None
    assert evening.session is Session.DIFFERENCE


@pytest.mark.clause("SB-8")
def test_an_open_claim_keeps_the_rounds_cards_from_being_mixed() -> None:
    evening = ready()
    evening.play_round()
    assert evening.key(DealerKey.CLAIM) is None
    assert evening.key(DealerKey.YES) == "SB-8"
    assert evening.act(SUPERVISOR, Trigger.NO_CARDS_LEFT) == "SB-8"
    assert evening.act(SUPERVISOR, Trigger.CLOSE_CLAIM, 1) is None
    evening.count()
    assert evening.session is Session.MIXING


@pytest.mark.clause("SB-9")
def test_what_an_incident_has_counted_is_taken_out_of_the_box_and_counted_by_hand() -> None:
    evening = ready()
    assert evening.act(SUPERVISOR, Trigger.DECLARE_SPILL) is None
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert evening.act(TECHNICIAN, Trigger.SHUFFLE_MACHINE) == "SB-9"
    assert evening.act(SUPERVISOR, Trigger.SHUFFLE_MACHINE) is None
    assert (evening.session, evening.at(Place.SHOE)) == (Session.EMPTYING_SHOE, 0)
    evening.count()
    assert evening.session is Session.MIXING


@pytest.mark.clause("MO-2e", "MO-2f")
def test_the_dealers_wish_to_shuffle_has_no_place_at_a_box_that_is_shuffled_after_each_round() -> None:
    evening = ready()
    evening.play_round()
    evening.count()
    evening.prepare(None)
    assert not any("shuffled first" in line for line in asked(evening))


@pytest.mark.clause("PT-S8")
def test_no_stop_of_play_ends_a_box() -> None:
    evening = BoxEvening(book=otherwise(HOUSE, "shuffle.when_play_stops", True))
    evening.open_and_load(None)
    assert evening.act(SUPERVISOR, Trigger.STOP_PLAY) is not None
    assert evening.session is Session.READY


@pytest.mark.clause("SB-4")
def test_a_box_that_was_filled_is_emptied_and_looked_into_before_its_deck_is_counted() -> None:
    evening = ready()
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) == "SB-4"
    evening.hands.take_from_mouth()
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_SHOE_EMPTY) is None
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    assert evening.session is Session.SORTING


@pytest.mark.clause("SB-1", "PT-S4")
def test_keys_beside_a_box_that_are_gone_hold_dealing_and_lose_no_card() -> None:
    evening = ready()
    evening.table.unplug("shoe")
    evening.table.run(3.0)
    assert not table_view(evening.state, HOUSE, None, ()).may_deal
    evening.hands.reboot("shoe", memory_lost=True)
    evening.table.replug("shoe")
    evening.table.run(3.0)
    assert IncidentKind.MEMORY_LOST not in {one.kind for one in evening.state.incidents.values()}


@pytest.mark.clause("PT-A1")
def test_a_damaged_card_is_replaced_before_the_deck_is_counted_and_mixed() -> None:
    evening = ready()
    evening.begin()
    evening.draw(4)
    assert evening.key(DealerKey.DAMAGED_CARD) is None
    assert evening.act(SUPERVISOR, Trigger.NAME_CARD, 1107) is None
    evening.over()
    evening.hands.move(evening.hands.take_from_mouth(), evening.hands.discard)
    evening.yes()  # the replacement is there, and no reader: its face is looked at
    evening.yes()  # and so is its back
    assert evening.key(DealerKey.YES) == "house.damaged_card.replaced_by"  # the old card is not sealed yet
    assert evening.session is Session.EMPTYING_SHOE
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 7) is None
    evening.yes()
    assert evening.session is Session.MIXING
