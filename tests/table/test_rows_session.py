"""By-ways of loading and of rounds: tables that do not open, cards under way as a gate shuts, unknown counts."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey, JamPlace
from firmware_bridge.core.words import Claim, IncidentKind, Place, Procedure, Session, Trigger
from tests.table.byways import HURRIED, counting_its_load, course, loading, power_cycle, shown, take_the_last_stroke
from tests.table.evening import PORTUGAL, SUPERVISOR, Evening, otherwise
from tests.table.test_jam import clear, settle

# ---- a table that does not open


@pytest.mark.clause("PT-A6", "PT-A4")
@pytest.mark.parametrize("confirmations", [1, 2, 3])
def test_a_table_may_be_closed_at_every_step_before_its_first_card_and_opens_again(confirmations: int) -> None:
    evening = Evening()
    evening.open_table()
    for _ in range(confirmations):
        assert evening.key(DealerKey.YES) is None
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.session is Session.NOT_OPENED
    assert evening.act(SUPERVISOR, Trigger.START_PACK) == "PT-A5"
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) is None
    assert evening.key(DealerKey.YES) == "SB-3"  # the dealer of the session before is not the dealer of this one


@pytest.mark.clause("PT-A5", "PT-A6")
def test_a_card_under_way_when_nobody_answered_is_in_the_books_and_the_broken_off_load_comes_out_again() -> None:
    evening = loading()
    assert evening.act(SUPERVISOR, Trigger.START_PACK) is None
    evening.table.wait(58)
    evening.table.run(0.52)  # so that a card is just under way when the minute is over
    evening.hands.put_in_intake_tray(evening.hands.box[:104])
    assert evening.table.run(5, lambda: evening.session is Session.ASKING_PRESENCE)
    counted = evening.state.account.at(Place.MACHINE)
    evening.table.run(2)
    account = evening.state.account
    assert account.at(Place.MACHINE) == counted + 1 == shown(evening)
    assert evening.hands.mechanism.intake_tray  # the rest waits in the tray
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    evening.hands.move(evening.hands.take_from_intake_tray(), evening.hands.box)
    evening.unload_cards()
    evening.look()
    assert evening.session is Session.EMPTIED
    assert account.at(Place.UNLOADED) == counted + 1
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert evening.session is Session.NOT_OPENED


@pytest.mark.clause("PT-A6")
def test_a_card_under_way_when_the_table_is_closed_within_a_pack_is_in_the_books() -> None:
    evening = loading()
    assert evening.act(SUPERVISOR, Trigger.START_PACK) is None
    evening.hands.put_in_intake_tray(evening.hands.box[:104])
    evening.table.step()  # so that a card is just under way at the last stroke
    take_the_last_stroke(evening, SUPERVISOR, 40)
    assert evening.session is Session.WRONG_LOAD
    counted = evening.state.account.at(Place.MACHINE)
    evening.table.run(2)
    assert evening.hands.mechanism.intake_tray
    assert evening.state.account.at(Place.MACHINE) == counted + 1 == shown(evening)
    assert not evening.kinds()


# ---- the machine counts its load


@pytest.mark.clause("SB-7", "SB-9")
def test_power_lost_while_the_load_is_counted_has_it_counted_again_from_the_beginning() -> None:
    evening = counting_its_load()
    power_cycle(evening)
    assert IncidentKind.POWER_LOST in evening.kinds()
    assert evening.table.run(60, lambda: evening.session is Session.READY)
    assert evening.hands.pull_card() is None  # the cards' order may have changed: counted and shuffled first
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert evening.table.run(60, lambda: all(one.cleared for one in evening.state.incidents.values()))
    evening.confirm_all()
    evening.table.run(1)
    assert evening.deal(1)


@pytest.mark.clause("SB-7", "PT-A2")
def test_a_jam_while_the_load_is_counted_is_cleared_and_the_supervisor_has_it_counted_again() -> None:
    evening = counting_its_load()
    evening.hands.jam(JamPlace.CAROUSEL)
    evening.table.run(2)
    assert evening.kinds() == [IncidentKind.JAM]
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) == "PT-A2"
    clear(evening)
    settle(evening)
    assert evening.session is Session.COUNTING_LOAD  # the jam's count is not the load's
    unknown = (Trigger.COUNT_UNKNOWN, Session.COUNTING_LOAD)
    assert unknown in course(evening, Procedure.SESSION), "that the count came to nothing is on record"
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert evening.table.run(60, lambda: evening.session is Session.READY)


@pytest.mark.clause("PT-E2", "SB-4")
def test_a_load_whose_count_is_a_card_short_does_not_open_and_is_taken_out_again() -> None:
    evening = counting_its_load()
    gone = next(place for place in reversed(evening.hands.mechanism.compartments) if place).pop()
    assert evening.table.run(60, lambda: evening.session is Session.WRONG_LOAD)
    assert evening.hands.pull_card() is None
    evening.unload_cards()
    assert gone not in evening.hands.on_table
    assert evening.state.account.at(Place.UNLOADED) == 207
    evening.look()
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert evening.session is Session.NOT_OPENED


# ---- rounds


@pytest.mark.clause("MO-4a")
def test_a_house_that_burns_burns_its_cards_before_the_first_round_only() -> None:
    evening = Evening(book=otherwise(PORTUGAL, "burn.with_shuffler", "one_per_deck"))
    evening.open_and_load()
    burned = evening.deal(4)
    assert evening.session is Session.READY
    assert not evening.state.rounds
    assert evening.state.account.at(Place.DISCARD) == 4
    evening.hands.move(burned, evening.hands.discard)
    evening.deal(7)
    assert evening.key(DealerKey.ROUND_OVER) is None
    assert evening.state.rounds[0].out == 11  # what was burned goes back with the first round's cards
    evening.put_back()
    assert evening.session is Session.READY
    evening.deal(1)
    assert (evening.session, len(evening.state.rounds)) == (Session.IN_ROUND, 2)


@pytest.mark.clause("SB-1")
def test_a_card_that_left_as_the_gate_shut_on_a_long_round_is_in_the_books() -> None:
    evening = Evening(fittings=HURRIED)
    evening.open_and_load()
    limit = evening.table.config.book.house.round_card_limit
    evening.deal(limit)
    while evening.hands.pull_card() is None:
        evening.table.step()
    evening.table.step()
    assert evening.session is Session.ASKING_ROUND
    assert evening.hands.pull_card() is not None  # the hold is under way
    evening.table.run(1)
    assert evening.hands.pull_card() is None
    assert (evening.session, evening.state.account.at(Place.TABLE)) == (Session.ASKING_ROUND, limit + 2)
    assert not evening.kinds()


@pytest.mark.clause("PT-A10")
def test_a_card_drawn_as_the_round_was_called_over_is_owed_back_with_the_others(ready: Evening) -> None:
    ready.deal(9)
    ready.hands.press_dealer_key(DealerKey.ROUND_OVER)
    assert ready.hands.pull_card() is not None
    ready.table.run(0.5)
    assert ready.session is Session.RETURNING
    assert ready.state.account.out == 10
    ready.hands.put_in_intake_tray(ready.hands.on_table[1:])
    ready.table.run(5)
    assert ready.session is Session.RETURNING
    ready.put_back()
    assert ready.session is Session.READY
    assert not ready.kinds()


@pytest.mark.clause("PT-A12", "SB-8")
def test_a_claim_said_twice_is_one_claim_and_closed_once(ready: Evening) -> None:
    ready.deal(9)
    assert ready.key(DealerKey.CLAIM) is None
    ready.table.run(1)
    assert ready.key(DealerKey.CLAIM) is None
    assert ready.hands.pull_card() is None
    assert ready.act(SUPERVISOR, Trigger.CLOSE_CLAIM, 1) is None
    assert ready.state.claim is Claim.NONE
    assert ready.act(SUPERVISOR, Trigger.CLOSE_CLAIM, 1) == "PT-A12"
    ready.table.run(1)
    assert ready.hands.pull_card() is not None


@pytest.mark.clause("SB-7")
def test_a_count_between_rounds_that_gives_no_answer_in_time_is_unknown_and_may_be_ordered_again(
    ready: Evening,
) -> None:
    assert ready.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    ready.table.unplug("shuffler")
    ready.table.wait(100)
    assert ready.session is Session.COUNTING_MACHINE
    ready.table.wait(30)
    assert ready.session is Session.READY
    assert ready.hands.pull_card() is None
    ready.table.replug("shuffler")
    ready.table.run(3)  # the count's own result comes too late, and answers nothing
    ready.confirm_all()
    assert ready.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert ready.session is Session.COUNTING_MACHINE
    assert ready.table.run(30, lambda: ready.session is Session.READY)
    ready.table.run(1)
    assert ready.hands.pull_card() is not None


# ---- closing
