"""A session with a batch shuffler: the set shuffled, dealt, taken out, shuffled anew; and the table closed over it."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey, Purpose
from firmware_bridge.core.outputs import purpose
from firmware_bridge.core.words import Course, IncidentKind, Place, Session, Trigger
from sim_hardware.batch_makes import SLOT_IDENTITY
from sim_hardware.batch_table import BatchFittings, with_machine
from sim_hardware.slot_mechanics import SlotMechanism
from tests.table.batch_evening import HOUSE, SLOW, BatchEvening
from tests.table.evening import BACKS, DEALER, SUPERVISOR, otherwise


@pytest.fixture
def batch() -> BatchEvening:
    """A table that is open, its set in the shoe, between rounds."""
    evening = BatchEvening()
    evening.open_and_load()
    return evening


@pytest.mark.clause("SB-5")
def test_a_set_is_shuffled_dealt_taken_out_and_shuffled_anew_until_every_card_is_verified(batch: BatchEvening) -> None:
    batch.play_round(11)
    batch.play_round(7)
    assert (batch.at(Place.DISCARD), batch.at(Place.SHOE)) == (18, 86)
    batch.take_out_of_shoe()
    assert batch.at(Place.DISCARD) == 104
    batch.load()
    batch.play_round()
    batch.close()
    assert batch.session is Session.ALL_REGULAR
    assert batch.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert batch.session is Session.VERIFIED
    batch.open_table()
    assert batch.course is Course.OUT


@pytest.mark.clause("SB-5")
def test_a_machine_that_reads_nothing_shuffles_a_set_too() -> None:
    fittings = BatchFittings(decks=1, backs=BACKS[:1], machine=SlotMechanism, identities=with_machine(SLOT_IDENTITY))
    book = otherwise(HOUSE, "equipment.decks_allowed", (1,))
    evening = BatchEvening(decks=1, fittings=fittings, driver="slot_shuffler", book=book)
    evening.open_table()
    evening.lay_in()
    assert evening.shuffle() is None
    evening.until(Course.IN_SHOE, 120)
    evening.play_round()
    assert evening.state.played.faces_read is None
    assert evening.state.played.passes == [52]


@pytest.mark.clause("SB-1")
def test_a_rounds_cards_lie_in_the_discard_and_the_next_round_is_dealt_at_once(batch: BatchEvening) -> None:
    batch.deal(5)
    assert batch.key(DealerKey.ROUND_OVER) is None
    assert batch.session is Session.READY
    assert purpose(batch.state) is Purpose.DEAL
    assert (batch.at(Place.TABLE), batch.at(Place.DISCARD)) == (0, 5)


@pytest.mark.clause("SB-5")
def test_a_shoe_dealt_to_its_last_card_holds_and_its_set_is_in_hands() -> None:
    batch = BatchEvening(book=otherwise(HOUSE, "warning_card.used", False))
    batch.open_and_load()
    batch.play_round(38)
    batch.play_round(38)
    batch.deal(28)
    assert batch.course is Course.OUT
    assert batch.reasons() == ["SB-2", "SB-5"]
    assert batch.kinds() == [IncidentKind.ROUND_CUT]
    assert batch.act(SUPERVISOR, Trigger.DECIDE_ROUND, 1) is None  # settled as the cards lie
    assert batch.key(DealerKey.ROUND_OVER) is None
    batch.confirm_all()
    batch.hands.move(list(batch.hands.on_table), batch.hands.discard)
    batch.load()
    assert batch.reasons() == []


@pytest.mark.clause("SB-1")
def test_a_long_round_is_asked_about_and_its_cards_go_to_the_discard_too(batch: BatchEvening) -> None:
    limit = batch.table.config.book.house.round_card_limit
    batch.deal(limit + 1)
    assert batch.session is Session.ASKING_ROUND
    assert batch.key(DealerKey.ROUND_OVER) is None
    assert batch.session is Session.READY
    assert batch.at(Place.DISCARD) == limit + 1


@pytest.mark.clause("SB-4")
def test_a_table_that_closes_with_the_set_in_the_tray_is_looked_into_first() -> None:
    evening = BatchEvening()
    evening.open_table()
    evening.lay_in()
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.session is Session.DECLARED_CLOSED


@pytest.mark.clause("PT-A6")
def test_a_table_that_closes_before_anything_went_in_does_not_open() -> None:
    evening = BatchEvening()
    evening.open_table()
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.session is Session.NOT_OPENED


@pytest.mark.clause("PT-A3")
def test_where_the_book_has_the_cards_cut_they_are_cut_before_they_are_laid_in() -> None:
    evening = BatchEvening(book=otherwise(HOUSE, "cut.with_shuffler", True))
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) is None
    assert evening.act(DEALER, Trigger.SIGN_IN) is None
    while evening.session is not Session.CUTTING:
        assert evening.key(DealerKey.YES) is None
    assert evening.act(SUPERVISOR, Trigger.CUT) is None
    assert evening.session is Session.READY
    evening.load()


def close_over_the_machine(evening: BatchEvening) -> None:
    """The table closes while the set is in the machine: it comes out at its door."""
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    assert evening.table.run(60, lambda: evening.session is Session.LOOKING), evening.session
    assert IncidentKind.UNEXPECTED_CARD not in evening.kinds()
    evening.hands.take_from_door()
    assert evening.course is Course.OUT
    assert evening.at(Place.UNLOADED) == 104


@pytest.mark.clause("PT-A6")
def test_a_set_that_is_shuffled_when_the_table_closes_comes_out_at_the_door(batch: BatchEvening) -> None:
    batch.take_out_of_shoe()
    batch.lay_in()
    assert batch.shuffle() is None
    batch.hands.press_dealer_key(DealerKey.DAMAGED_CARD)  # an open incident keeps the pack from the shoe
    batch.until(Course.SHUFFLED)
    batch.table.run(10)
    assert batch.course is Course.SHUFFLED
    close_over_the_machine(batch)


@pytest.mark.clause("PT-A6")
def test_a_cycle_under_way_when_the_table_closes_is_stopped_and_its_cards_come_out() -> None:
    batch = BatchEvening(build=SLOW)
    batch.open_table()
    batch.begin_cycle()
    close_over_the_machine(batch)
    batch.look_inside()
    assert batch.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) == "SB-4"  # what was not taken in yet lies in the tray
    batch.hands.take_from_intake_tray()
    batch.table.run(0.3)
    assert batch.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    assert batch.session is Session.EMPTIED
