"""A batch shuffler says that cards are inside: nothing is signed against its word, and there is a way back (SB-4)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from drivers.protocol.batch import MachineFault
from firmware_bridge.core.words import Incident, IncidentKind, Session, Trigger
from sim_hardware.batch_faults import BatchFault
from tests.table.batch_evening import BatchEvening
from tests.table.byways import pull_until
from tests.table.evening import ROOM_MANAGER, SUPERVISOR, TECHNICIAN
from tests.table.test_batch_closing import close, steps
from tests.table.test_batch_screen import shown


def given_up_and_looked_into(evening: BatchEvening) -> None:
    """Its drive fails in the first cycle: out of service, emptied by hand, looked into; no cards were loaded right."""
    evening.open_table()
    evening.hands.faults.arm(BatchFault.DRIVE)
    evening.lay_in()
    assert evening.shuffle() is None
    assert evening.table.run(60, lambda: bool(evening.state.incidents))
    assert evening.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) is None
    assert evening.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) is None
    close(evening)
    assert evening.act(SUPERVISOR, Trigger.EMPTY_BY_HAND) is None
    evening.look_inside(evening.hands.take_from_machine)
    evening.hands.take_from_intake_tray()
    evening.table.run(0.3)


def emptied() -> BatchEvening:
    """A table that did not open on a right load, its machine out of service and emptied by hand."""
    evening = BatchEvening()
    given_up_and_looked_into(evening)
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    assert evening.session is Session.EMPTIED
    return evening


def counted_and_sorted() -> BatchEvening:
    """A table whose set came out of the shoe, its machine counted empty and looked into."""
    evening = BatchEvening()
    evening.open_and_load()
    close(evening)
    pull_until(evening, lambda: evening.session is not Session.UNLOADING)
    assert evening.table.run(30, lambda: evening.session is Session.LOOKING)
    evening.look()
    return evening


def all_regular() -> BatchEvening:
    """As before, and every deck of it read as regular."""
    evening = counted_and_sorted()
    evening.verify()
    assert evening.session is Session.ALL_REGULAR
    return evening


def with_difference() -> BatchEvening:
    """As before, and one card is not found again."""
    evening = counted_and_sorted()
    evening.hands.move([evening.cards_in_hands()[0]], evening.hands.set_aside)
    evening.verify()
    assert evening.act(SUPERVISOR, Trigger.NO_CARDS_LEFT) is None
    assert evening.session is Session.DIFFERENCE
    return evening


def lay_one_inside(evening: BatchEvening) -> None:
    """Somebody breaks the lid open, and lays a card inside."""
    hands = evening.hands
    hands.open_lid(force=True)
    evening.table.run(0.2)
    hands.put_inside((hands.set_aside or evening.cards_in_hands())[:1])
    hands.close_lid()
    evening.table.run(1)


SIGNS = [
    (emptied, SUPERVISOR, Trigger.SIGN_RESULT, 47),
    (all_regular, SUPERVISOR, Trigger.SIGN_RESULT, 47),
    (with_difference, ROOM_MANAGER, Trigger.SIGN_DIFFERENCE, 48),
]


@pytest.mark.clause("SB-4")
@pytest.mark.field("BR-001")
@pytest.mark.parametrize(("comes_to", "signer", "signs", "number"), SIGNS, ids=lambda one: getattr(one, "__name__", ""))
def test_nothing_is_signed_while_the_machine_says_that_a_card_is_inside(
    comes_to: Callable[[], BatchEvening], signer: int, signs: Trigger, number: int
) -> None:
    evening = comes_to()
    session = evening.session
    lay_one_inside(evening)
    evening.confirm_all()
    assert evening.act(signer, signs) == "SB-4"
    assert evening.session is session
    assert 42 in steps(evening)
    assert number not in steps(evening)


@pytest.mark.clause("SB-4", "PT-A5")
@pytest.mark.field("BR-001")
def test_a_card_that_got_into_an_emptied_machine_is_taken_out_under_its_lid_before_the_result_is_signed() -> None:
    evening = emptied()
    lay_one_inside(evening)
    evening.confirm_all()
    evening.look_inside()
    assert evening.session is Session.LOOKED
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) == "SB-4"  # looked into, and the card left where it is
    assert steps(evening) & {42, 43} == {42}
    evening.look_inside(evening.hands.take_from_machine)
    assert steps(evening) & {42, 43} == {42, 43}
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    assert evening.session is Session.EMPTIED
    assert evening.act(SUPERVISOR, Trigger.RELEASE_LID) == "SB-4"  # nothing is inside to look for
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert evening.session is Session.NOT_OPENED


@pytest.mark.clause("SB-4")
@pytest.mark.parametrize("comes_to", [all_regular, with_difference])
def test_a_machine_in_which_a_card_lay_after_the_reading_is_emptied_again_and_every_deck_is_read_again(
    comes_to: Callable[[], BatchEvening],
) -> None:
    evening = comes_to()
    lay_one_inside(evening)
    evening.confirm_all()
    evening.look_inside(evening.hands.take_from_machine)
    assert not evening.state.decks_read
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    evening.hands.move(list(evening.hands.set_aside), evening.hands.on_table)
    evening.verify()
    assert evening.session is Session.ALL_REGULAR
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None


@pytest.mark.clause("SB-4")
def test_a_machine_out_of_service_that_answers_no_more_holds_no_signature_up_but_for_its_lost_link() -> None:
    evening = emptied()
    lay_one_inside(evening)
    evening.confirm_all()
    evening.table.unplug("shuffler")
    evening.table.run(1)
    assert 42 not in steps(evening)
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) == "SB-2"
    evening.confirm_all()
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None


@pytest.mark.clause("SB-4", "PT-A6")
def test_a_table_that_nothing_was_loaded_at_is_not_closed_at_once_while_a_card_is_inside_its_machine() -> None:
    evening = BatchEvening()
    evening.open_table()
    lay_one_inside(evening)
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.session is Session.DECLARED_CLOSED


def lid_asks(evening: BatchEvening) -> list[tuple[int, bool]]:
    """What the lid is to be released for, 0 the session, and whether the table waits for it."""
    return [(ask.about, ask.due) for ask in shown(evening).asks if ask.trigger == Trigger.RELEASE_LID]


@pytest.mark.clause("SB-4", "PT-A2")
def test_an_alarm_has_the_lid_when_the_look_under_way_is_over() -> None:
    evening = BatchEvening()
    evening.open_and_load()
    close(evening)
    pull_until(evening, lambda: evening.session is not Session.UNLOADING)
    assert evening.table.run(30, lambda: evening.session is Session.LOOKING)
    evening.look_inside()
    evening.hands.mechanism.fault = MachineFault.HOMING
    evening.hands.devices["shuffler"].control()
    evening.table.run(1)
    jam = next(number for number, one in evening.state.incidents.items() if one.kind is IncidentKind.JAM)
    assert evening.state.incidents[jam].state is Incident.RAISED
    assert lid_asks(evening) == [(0, False)]  # or whoever answers the alarm first looks and looks again
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    evening.verify()
    assert evening.session is Session.ALL_REGULAR
    assert lid_asks(evening) == [(jam, True)]
