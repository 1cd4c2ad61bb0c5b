"""Whole courses by a book that says otherwise: whose a step is, the cut, cards that stay, a wish, a first day."""

from __future__ import annotations

import datetime
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from drivers.protocol.messages import DealerKey, JamPlace
from firmware_bridge.core.words import CardSet, Incident, Place, Session, Trigger
from firmware_bridge.rulebooks import RuleBook, load_for_table
from firmware_bridge.rulebooks.permissions import day_of
from firmware_bridge.rulebooks.sources import Permission
from firmware_bridge.view import describe
from sim_hardware.commands.stage import book_of
from sim_hardware.commands.stepped import EPOCH_NS
from tests.table.byways import begin_to_empty_by_hand, take_all_out_of
from tests.table.evening import DEALER, PORTUGAL, ROOM_MANAGER, SUPERVISOR, TECHNICIAN, Evening, otherwise
from tests.table.test_damaged_card import lay_replacement, spare, typed
from tests.table.test_jam import clear, jam, leave_the_round, standing
from tests.table.told import asked, screen

MACAU = load_for_table(book_of("macau"))


def opened(book: RuleBook) -> Evening:
    evening = Evening(book=book)
    evening.open_table()
    return evening


def ready(book: RuleBook, decks: int = 4) -> Evening:
    evening = Evening(decks=decks, book=book)
    evening.open_and_load()
    return evening


# ---- whose a step is


@pytest.mark.clause("PT-A5")
def test_the_packs_are_begun_answered_for_and_ended_by_whom_the_book_wants_present() -> None:
    evening = opened(otherwise(PORTUGAL, "loading.present", "room_manager"))
    evening.show_and_mix()
    assert "Room manager: step 20" in asked(evening)
    assert evening.act(SUPERVISOR, Trigger.START_PACK) == "PT-A5"
    assert evening.act(ROOM_MANAGER, Trigger.START_PACK) is None
    for step in (Trigger.CONFIRM_PRESENCE, Trigger.END_PACK):
        assert evening.act(SUPERVISOR, step) == "PT-A5"
        assert evening.session is Session.LOADING_PACK
    evening.table.run(70)
    assert evening.session is Session.ASKING_PRESENCE
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_PRESENCE) == "PT-A5"
    assert "Room manager: step 1" in asked(evening)
    assert evening.act(ROOM_MANAGER, Trigger.CONFIRM_PRESENCE) is None
    evening.hands.put_in_intake_tray(evening.hands.box[:104])
    evening.table.run(10)
    assert evening.act(ROOM_MANAGER, Trigger.END_PACK) is None


@pytest.mark.clause("PT-A6")
def test_the_cards_leave_the_machine_only_while_the_one_is_there_whom_the_book_wants_present() -> None:
    evening = ready(otherwise(PORTUGAL, "closing.unloading_present", "room_manager"))
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) == "PT-A6"
    evening.table.run(2)
    assert evening.hands.pull_card() is None
    assert evening.act(ROOM_MANAGER, Trigger.BEGIN_UNLOADING) is None
    assert evening.table.run(70, lambda: evening.session is Session.ASKING_UNLOAD_PRESENCE)
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_PRESENCE) == "PT-A6"
    assert evening.act(ROOM_MANAGER, Trigger.CONFIRM_PRESENCE) is None


@pytest.mark.clause("PT-A2")
def test_a_jammed_machine_is_opened_by_whom_the_book_names_and_by_nobody_else() -> None:
    evening = ready(otherwise(PORTUGAL, "jam.lid_opened_by", "room_manager"))
    jam(evening, JamPlace.EXIT)
    view = screen(evening)
    assert view.alarm is not None
    assert view.asks[0].text == "Room manager: step 42 - release the lid"
    assert any(stage.startswith("Room manager: open the lid") for stage in view.alarm.later)
    assert evening.act(SUPERVISOR, Trigger.RELEASE_LID) == "PT-A2"
    evening.table.run(1)
    assert not evening.hands.open_lid()
    assert evening.act(ROOM_MANAGER, Trigger.RELEASE_LID) is None
    evening.table.run(1)
    assert "Room manager: open the lid" in asked(evening)
    assert evening.hands.open_lid()


@pytest.mark.clause("PT-A1")
def test_a_damaged_card_is_replaced_by_whom_the_book_names() -> None:
    evening = ready(otherwise(PORTUGAL, "damaged_card.replaced_by", "room_manager"))
    card = evening.deal(3)[0]
    assert evening.key(DealerKey.DAMAGED_CARD) is None
    assert evening.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    lay_replacement(evening, spare(card))
    assert evening.key(DealerKey.YES) is None
    assert "Room manager: step 39" in asked(evening)
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 77) == "PT-A1"
    assert evening.act(ROOM_MANAGER, Trigger.CONFIRM_REPLACEMENT, 77) is None


@pytest.mark.clause("SB-2", "SB-3", "PT-A6")
def test_a_difference_is_signed_and_its_set_barred_by_whom_the_house_names() -> None:
    book = otherwise(PORTUGAL, "house.difference_signed_by", "supervisor")
    evening = ready(otherwise(book, "closing.unloading_present", "room_manager"))
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.act(ROOM_MANAGER, Trigger.BEGIN_UNLOADING) is None
    evening.table.run(1)
    while evening.session is Session.UNLOADING:
        evening.hands.pull_card()
        evening.table.run(0.03)
        if evening.session is Session.ASKING_UNLOAD_PRESENCE:
            assert evening.act(ROOM_MANAGER, Trigger.CONFIRM_PRESENCE) is None
    assert evening.table.run(60, lambda: evening.session is Session.LOOKING)
    evening.look()
    evening.sort()
    assert evening.act(SUPERVISOR, Trigger.NO_CARDS_LEFT) is None
    assert any("the supervisor" in duty for duty in screen(evening).duties if "difference to sign" in duty.lower())
    assert evening.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) == "house.difference_signed_by"
    assert evening.act(SUPERVISOR, Trigger.SIGN_DIFFERENCE) is None
    assert (evening.session, evening.state.card_set) == (Session.CLOSED_WITH_DIFFERENCE, CardSet.BARRED)


# ---- where no technician is called


NO_TECHNICIAN = otherwise(PORTUGAL, "jam.technician_may_be_called", False)


def jammed(evening: Evening) -> None:
    del evening


def released(evening: Evening) -> None:
    assert evening.act(SUPERVISOR, Trigger.RELEASE_LID) is None
    evening.table.run(1)


def open_lid(evening: Evening) -> None:
    released(evening)
    assert evening.hands.open_lid()
    evening.table.run(0.5)


def still_blocked(evening: Evening) -> None:
    open_lid(evening)
    evening.hands.close_lid()
    evening.table.run(1)


WAYS: dict[Incident, Callable[[Evening], None]] = {
    Incident.RAISED: jammed,
    Incident.LID_RELEASED: released,
    Incident.LID_OPEN: open_lid,
    Incident.STILL_BLOCKED: still_blocked,
    Incident.ASKING_DAMAGE: clear,
}


@pytest.mark.clause("PT-A2", "SB-4")
@pytest.mark.parametrize("stands", WAYS)
def test_where_the_book_has_no_technician_called_the_room_manager_gives_a_jammed_machine_up(stands: Incident) -> None:
    evening = ready(NO_TECHNICIAN)
    evening.deal(2)
    jam(evening, JamPlace.EXIT)
    WAYS[stands](evening)
    assert standing(evening) is stands
    assert evening.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) == "PT-A2"
    for person in (SUPERVISOR, TECHNICIAN):
        assert evening.act(person, Trigger.TAKE_OUT_OF_SERVICE) == "SB-4"
    is_asked = stands is not Incident.ASKING_DAMAGE  # its path is clear, and all else would be the wrong advice
    assert ("Room manager: step 37" in asked(evening)) is is_asked
    assert "step 35" not in asked(evening)
    assert evening.act(ROOM_MANAGER, Trigger.TAKE_OUT_OF_SERVICE) is None
    assert standing(evening) is Incident.OUT_OF_SERVICE


@pytest.mark.clause("PT-A2", "SB-4")
def test_a_machine_that_the_room_manager_gave_up_is_emptied_by_hand_and_every_card_is_read() -> None:
    evening = ready(NO_TECHNICIAN)
    evening.deal(2)
    jam(evening, JamPlace.EXIT)
    assert evening.act(ROOM_MANAGER, Trigger.TAKE_OUT_OF_SERVICE) is None
    told = describe(evening.logged()[-1], 0, NO_TECHNICIAN) or ""
    assert f"out of service by the word of number {ROOM_MANAGER}" in told
    assert "technician" not in told.lower()
    leave_the_round(evening)
    begin_to_empty_by_hand(evening)
    take_all_out_of(evening)
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    evening.verify()
    assert evening.session is Session.ALL_REGULAR


@pytest.mark.clause("PT-A2", "SB-4")
def test_a_machine_that_stays_dead_is_given_up_by_the_room_manager_where_no_technician_is_called() -> None:
    evening = ready(NO_TECHNICIAN)
    evening.table.unplug("shuffler")
    evening.table.run(1)
    assert evening.act(SUPERVISOR, Trigger.ACKNOWLEDGE) is None
    assert evening.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) == "PT-A2"
    assert "Room manager: step 37" in asked(evening)
    assert evening.act(ROOM_MANAGER, Trigger.TAKE_OUT_OF_SERVICE) is None


@pytest.mark.clause("PT-A2")
def test_where_a_technician_is_called_no_room_manager_gives_a_machine_up() -> None:
    evening = ready(PORTUGAL)
    jam(evening, JamPlace.EXIT)
    assert evening.act(ROOM_MANAGER, Trigger.TAKE_OUT_OF_SERVICE) == "PT-A2"


# ---- the cut


CUT = otherwise(PORTUGAL, "cut.with_shuffler", True)


def mixed() -> Evening:
    evening = opened(CUT)
    for _ in range(3):
        assert evening.key(DealerKey.YES) is None
    assert evening.session is Session.CUTTING
    return evening


@pytest.mark.clause("PT-A3")
def test_where_the_book_has_the_cards_cut_none_is_loaded_before_a_supervisor_says_that_they_were() -> None:
    evening = mixed()
    assert "Supervisor: step 60" in asked(evening)
    assert evening.act(SUPERVISOR, Trigger.START_PACK) == "PT-A5"
    assert evening.act(DEALER, Trigger.CUT) == "PT-A3"
    assert evening.act(SUPERVISOR, Trigger.CUT) is None
    assert evening.session is Session.AWAITING_PACK
    assert evening.act(SUPERVISOR, Trigger.CUT) == "PT-A3"  # once, before the loading


@pytest.mark.clause("PT-A6")
def test_a_table_may_be_closed_while_the_cut_is_awaited() -> None:
    evening = mixed()
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.session is Session.NOT_OPENED


# ---- cards that need not go back


@pytest.mark.clause("PT-A10", "PT-A11")
def test_where_the_book_has_no_cards_go_back_they_stay_in_the_discard_at_the_dealers_word_and_nobody_misses_them() -> (
    None
):
    book = otherwise(PORTUGAL, "rounds.discards_return_after_each", False)
    evening = ready(otherwise(otherwise(book, "rounds.may_leave_in_discard", False), "claims.until", "round_over"))
    evening.deal(5)
    assert evening.key(DealerKey.ROUND_OVER) is None
    evening.table.wait(600)
    assert not evening.kinds()
    evening.hands.move(evening.hands.on_table, evening.hands.discard)
    assert evening.key(DealerKey.YES) is None
    assert evening.session is Session.READY
    assert evening.state.account.at(Place.DISCARD) == 5
    assert not screen(evening).duties
    evening.table.run(1)
    evening.play_round()  # and with the next round's they may go in
    assert evening.state.account.out == 0
    evening.close()
    assert evening.session is Session.ALL_REGULAR


# ---- the dealer's wish


@pytest.mark.clause("MO-2e", "SB-1")
def test_where_the_book_leaves_no_shuffle_to_the_dealer_his_yes_between_rounds_is_refused() -> None:
    evening = ready(PORTUGAL)
    evening.play_round()
    assert evening.key(DealerKey.YES) == "SB-1"
    assert evening.session is Session.READY


# ---- the first day of use


def on(days: int) -> dict[str, datetime.date]:
    """The days of a permission, the last of them so many after the opening."""
    return {"applied": datetime.date(2025, 12, 1), "first_day": TODAY + datetime.timedelta(days)}


TODAY = day_of(EPOCH_NS)
BOOKS = {"MO-21a": MACAU, "PT-J1": PORTUGAL}


@pytest.mark.clause("MO-21a", "PT-J1")
@pytest.mark.parametrize("clause", BOOKS)
def test_no_table_opens_before_the_first_day_of_what_was_permitted_and_its_screen_says_why(clause: str) -> None:
    for days, refused_by in ((1, clause), (0, None)):
        permission = Permission(clause, "r 1", on(days), ())
        book = replace(BOOKS[clause], permissions=(permission,))
        evening = Evening(decks=book.equipment.decks_allowed[0], book=book)
        told = f"Permission r 1 holds from {permission.holds_from}: the table does not open before [{clause}]"
        assert (told in screen(evening).duties) is (refused_by is not None)
        assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) == refused_by
