"""A session with a shoe that people fill: prepared, played to its last round, prepared anew, verified."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core import changes as c
from firmware_bridge.core.shoe import Shoe
from firmware_bridge.core.words import Place, Session, Trigger
from firmware_bridge.view import table_view
from tests.table.evening import DEALER, PORTUGAL, SUPERVISOR, Evening, otherwise
from tests.table.hand_fed_evening import INSPECTOR, HandFedEvening


@pytest.mark.clause("PT-S1", "PT-S2", "PT-S4", "PT-S6")
def test_a_shoe_is_prepared_played_to_its_last_round_and_prepared_anew_until_every_card_is_verified() -> None:
    evening = HandFedEvening()
    evening.open_and_load()
    assert (evening.session, evening.at(Place.SHOE)) == (Session.READY, 208)
    evening.play_until(60)
    assert evening.session is Session.READY
    evening.play_round(12)  # the warning card comes in it
    assert evening.session is Session.EMPTYING_SHOE
    evening.end_shoe()
    assert evening.session is Session.MIXING
    evening.prepare()
    evening.play_round()
    evening.close()
    assert not evening.kinds()
    assert evening.session is Session.ALL_REGULAR
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert evening.session is Session.VERIFIED


@pytest.mark.clause("PT-S1", "PT-S2", "PT-S3")
def test_what_the_book_asks_before_a_shoe_is_asked_in_order_and_nothing_of_a_machine() -> None:
    evening = HandFedEvening()
    evening.open_table()
    seen = []
    while evening.session is not Session.READY:
        seen.append(evening.session)
        if evening.session is Session.FILLING_SHOE:
            evening.lay_in()
        evening.yes()
    shown, mixed = (Session.SHOWING, Session.CHECKING_BACKS), (Session.MIXING, Session.CUTTING, Session.FILLING_SHOE)
    assert seen == [*shown, *mixed]
    moves = [one for record in evening.logged() for one in record.decision.changes if isinstance(one, c.Moved)]
    clauses = [one.clause for one in moves if one.trigger == Trigger.YES]
    assert clauses == ["PT-S1", "house.opening.check_backs", "PT-S2", "PT-S3", "PT-S4"]


@pytest.mark.clause("PT-S1", "PT-S8")
def test_play_stops_the_cards_are_shown_again_and_the_right_to_cut_begins_anew() -> None:
    evening = HandFedEvening()
    evening.open_and_load()
    evening.play_round()
    assert evening.state.shoe.in_turn == 1
    assert evening.act(SUPERVISOR, Trigger.STOP_PLAY) is None
    assert evening.session is Session.EMPTYING_SHOE
    evening.end_shoe()
    assert (evening.session, evening.state.shoe.in_turn) == (Session.SHOWING, 0)
    evening.prepare()
    assert evening.state.shoe.in_turn == 1


@pytest.mark.clause("PT-S3")
def test_at_the_start_of_another_session_the_right_to_cut_is_the_first_players_again() -> None:
    evening = HandFedEvening()
    evening.open_and_load()
    evening.close()
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert evening.state.shoe.in_turn == 1
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) is None
    assert evening.state.shoe == Shoe()


@pytest.mark.clause("PT-S8")
def test_where_the_book_knows_no_stop_of_play_the_shoe_is_played_on() -> None:
    evening = HandFedEvening(book=otherwise(PORTUGAL, "shuffle.when_play_stops", False))
    evening.open_and_load()
    evening.play_round()
    assert evening.act(SUPERVISOR, Trigger.STOP_PLAY) == "PT-S8"
    assert evening.session is Session.READY


@pytest.mark.clause("PT-S8")
def test_only_a_supervisor_says_that_play_stops_and_after_a_last_round_no_card_is_shown_again() -> None:
    evening = HandFedEvening()
    evening.open_and_load()
    evening.play_round()
    assert evening.act(INSPECTOR, Trigger.STOP_PLAY) == "PT-S8"
    assert evening.session is Session.READY
    evening.play_until(60)
    evening.play_round(12)  # the warning card comes in it
    evening.end_shoe()
    assert evening.session is Session.MIXING


@pytest.mark.clause("PT-S1", "PT-S2", "PT-S3", "PT-S5", "PT-S6", "PT-S7", "PT-S8")
def test_nothing_of_a_shoe_that_people_fill_is_asked_where_a_machine_feeds_it() -> None:
    evening = Evening()
    evening.open_and_load()
    evening.play_round()
    assert evening.act(SUPERVISOR, Trigger.STOP_PLAY) == "PT-S8"
    assert evening.session is not Session.EMPTYING_SHOE
    assert evening.state.shoe == Shoe()


@pytest.mark.clause("PT-S6")
def test_a_warning_card_that_comes_only_when_the_shoe_is_drawn_out_is_no_incident() -> None:
    evening = HandFedEvening()
    evening.open_and_load()
    evening.play_round()
    assert evening.act(SUPERVISOR, Trigger.STOP_PLAY) is None
    assert evening.state.shoe.marked_at == 0
    evening.draw_out()
    assert evening.session is Session.EMPTYING_SHOE
    assert evening.kinds() == []


@pytest.mark.clause("PT-S3")
def test_the_right_to_cut_goes_round_and_begins_anew_when_the_inspector_cuts() -> None:
    evening = HandFedEvening()
    evening.open_table()
    evening.until_cut()
    assert any("lowest-numbered occupied place" in line for line in asked_of(evening, "dealer"))
    evening.prepare()
    evening.play_until(40)
    evening.end_shoe()
    evening.until_cut()
    assert any("the next player in order" in line for line in asked_of(evening, "dealer"))
    assert evening.act(SUPERVISOR, Trigger.CUT) == "PT-S3"
    assert evening.act(INSPECTOR, Trigger.CUT) is None
    assert (evening.session, evening.state.shoe.in_turn) == (Session.FILLING_SHOE, 0)
    evening.fill()
    evening.play_until(40)
    evening.end_shoe()
    evening.until_cut()
    assert any("lowest-numbered occupied place" in line for line in asked_of(evening, "dealer"))


@pytest.mark.clause("PT-A6")
@pytest.mark.parametrize("yes", range(5))
def test_a_table_that_closes_before_its_first_shoe_does_not_open(yes: int) -> None:
    evening = HandFedEvening()
    evening.open_table()
    for _ in range(yes):
        evening.yes()
        if evening.session is Session.READY:
            break
    assert evening.session is not Session.READY
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.session is Session.NOT_OPENED


@pytest.mark.clause("PT-A6", "SB-4")
@pytest.mark.parametrize(
    "session",
    [
        Session.EMPTYING_SHOE,
        Session.SHOWING,
        Session.CHECKING_BACKS,
        Session.MIXING,
        Session.CUTTING,
        Session.FILLING_SHOE,
    ],
)
def test_between_two_shoes_a_table_closes_over_the_whole_set_and_every_card_is_read(session: Session) -> None:
    evening = HandFedEvening()
    evening.open_and_load()
    evening.play_round()
    assert evening.act(SUPERVISOR, Trigger.STOP_PLAY) is None
    if session is not Session.EMPTYING_SHOE:
        evening.end_shoe()
    while evening.session is not session:
        evening.yes()
    evening.close()
    assert not evening.kinds()  # also of a warning card that comes only as the shoe is unloaded
    assert evening.session is Session.ALL_REGULAR


@pytest.mark.clause("SB-4")
def test_the_shoe_is_proven_empty_by_a_supervisor_who_looks_and_a_deck_is_read_only_then() -> None:
    evening = HandFedEvening()
    evening.open_and_load()
    evening.play_round()
    evening.unload()
    assert evening.key(DealerKey.YES) is not None
    assert evening.act(DEALER, Trigger.CONFIRM_EMPTY) == "SB-4"
    assert evening.session is Session.UNLOADING
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    assert evening.session is Session.SORTING


@pytest.mark.clause("SB-4")
def test_cards_forgotten_in_the_shoe_make_a_difference_until_they_are_found_and_all_is_read_again() -> None:
    evening = HandFedEvening()
    evening.open_and_load()
    evening.play_round()
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) == "SB-4"
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_SHOE_EMPTY) is None  # he did not look
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    evening.yes()
    assert evening.act(SUPERVISOR, Trigger.NO_CARDS_LEFT) is None
    assert evening.session is Session.DIFFERENCE
    evening.hands.take_from_mouth()
    evening.hands.move([evening.hands.warning_card], evening.hands.special_cards)
    assert evening.act(SUPERVISOR, Trigger.SORT_AGAIN) is None
    for cards in evening.piles().values():
        evening.read_deck(cards)
    assert evening.session is Session.ALL_REGULAR


def asked_of(evening: HandFedEvening, role: str) -> list[str]:
    """What the screen asks of a role."""
    view = table_view(evening.state, evening.table.config.book, None, ())
    return [line.text for line in view.asks if line.role == role]


@pytest.mark.clause("PT-S4", "SB-1")
def test_no_table_opens_on_a_shoe_that_would_not_tell_its_warning_card() -> None:
    evening = HandFedEvening(reads=False)
    assert "open_table" not in [ask.trigger for ask in table_view(evening.state, PORTUGAL, None, ()).asks]
    assert any("reads no face" in line for line in asked_of(evening, "technician"))
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) == "PT-S4"
    assert evening.session is Session.CLOSED
    without = HandFedEvening(book=otherwise(PORTUGAL, "warning_card.used", False), reads=False)
    assert without.act(SUPERVISOR, Trigger.OPEN_TABLE) is None
