"""Rounds, returns, claims: what is out goes back before the next card (PT-A7 to PT-A12, SB-1, SB-8)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey, DealerKeyPressed
from drivers.protocol.notices import EventTold
from firmware_bridge.core.controller import FromDevice
from firmware_bridge.core.words import Claim, Place, Session, Trigger
from firmware_bridge.view import Hand
from tests.table.evening import DEALER, SUPERVISOR, Evening
from tests.table.told import asked, due


@pytest.mark.clause("SB-1")
def test_no_card_comes_before_the_session_is_ready() -> None:
    evening = Evening()
    assert evening.hands.pull_card() is None
    evening.open_table()
    assert evening.hands.pull_card() is None
    evening.show_and_mix()
    evening.load_pack(104)
    evening.table.run(5)
    assert evening.hands.pull_card() is None
    assert evening.reasons()


@pytest.mark.clause("PT-A10", "SB-1")
def test_between_round_over_and_the_last_card_back_no_card_comes(ready: Evening) -> None:
    ready.deal(9)
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.table.run(1.0)
    for _ in range(50):
        assert ready.hands.pull_card() is None
        ready.table.run(0.1)
    cards = ready.hands.on_table
    ready.hands.put_in_intake_tray(cards[:8])
    ready.table.run(5)
    assert ready.session is Session.RETURNING
    assert ready.hands.pull_card() is None
    ready.hands.put_in_intake_tray(ready.hands.on_table)
    assert ready.table.run(5, lambda: ready.session is Session.READY)
    assert len(ready.deal(2)) == 2


@pytest.mark.clause("PT-A9")
def test_during_a_round_the_intake_is_shut(ready: Evening) -> None:
    ready.deal(9)
    ready.hands.put_in_intake_tray(ready.hands.on_table[:4])
    ready.table.run(5)
    assert len(ready.hands.mechanism.intake_tray) == 4
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.put_back()
    assert ready.session is Session.READY


@pytest.mark.clause("PT-A8")
def test_the_cards_do_not_leave_the_machine_while_the_session_goes_on(ready: Evening) -> None:
    assert ready.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) == "PT-A8"
    assert ready.act(SUPERVISOR, Trigger.RELEASE_LID) == "SB-4"
    assert not ready.hands.open_lid()


@pytest.mark.clause("PT-A8")
def test_a_table_is_not_closed_within_a_round(ready: Evening) -> None:
    ready.deal(5)
    assert ready.act(SUPERVISOR, Trigger.DECLARE_CLOSED) == "PT-A8"


@pytest.mark.clause("PT-A7")
def test_no_round_is_announced_as_the_last_and_the_table_closes_after_any(ready: Evening) -> None:
    for _ in range(3):
        assert due(ready) == [Hand.DEAL]
        assert "last" not in asked(ready).lower()
        ready.play_round(20)
    assert ready.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None


@pytest.mark.clause("PT-A11")
def test_cards_are_left_in_the_discard_only_while_the_machine_takes_none(ready: Evening) -> None:
    ready.deal(9)
    assert ready.key(DealerKey.ROUND_OVER) is None
    assert ready.key(DealerKey.YES) == "PT-A11"
    ready.hands.trip_intake()
    ready.table.run(0.5)
    ready.hands.move(ready.hands.on_table, ready.hands.discard)
    assert ready.key(DealerKey.YES) is None
    assert (ready.session, ready.state.account.at(Place.DISCARD)) == (Session.READY, 9)


@pytest.mark.clause("PT-A11", "PT-A10")
def test_what_was_left_in_the_discard_is_owed_with_the_next_rounds_cards(ready: Evening) -> None:
    ready.deal(9)
    ready.key(DealerKey.ROUND_OVER)
    ready.hands.trip_intake()
    ready.table.run(0.5)
    ready.hands.move(ready.hands.on_table, ready.hands.discard)
    ready.key(DealerKey.YES)
    ready.hands.trip_intake(False)
    ready.table.run(1)
    ready.deal(7)
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.hands.put_in_intake_tray(ready.hands.on_table)
    ready.table.run(5)
    assert (ready.session, ready.state.account.out) == (Session.RETURNING, 9)
    ready.put_back()
    assert (ready.session, ready.state.account.out) == (Session.READY, 0)


@pytest.mark.clause("PT-A12", "SB-8")
def test_a_claim_holds_insertion_and_dealing_until_a_supervisor_closes_it(ready: Evening) -> None:
    ready.deal(9)
    assert ready.key(DealerKey.CLAIM) is None
    ready.table.run(1)
    assert ready.hands.pull_card() is None
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.hands.put_in_intake_tray(ready.hands.on_table)
    ready.table.run(5)
    assert len(ready.hands.mechanism.intake_tray) == 9
    assert ready.act(DEALER, Trigger.CLOSE_CLAIM, 2) == "PT-A12"
    assert ready.act(SUPERVISOR, Trigger.CLOSE_CLAIM, 2) is None
    assert ready.table.run(5, lambda: ready.session is Session.READY)


@pytest.mark.clause("PT-A12")
def test_a_claim_after_the_first_card_went_in_is_refused_with_the_time(ready: Evening) -> None:
    ready.deal(9)
    ready.key(DealerKey.ROUND_OVER)
    ready.hands.put_in_intake_tray(ready.hands.on_table[:1])
    ready.table.run(5)
    assert ready.key(DealerKey.CLAIM) == "PT-A12"
    refused = [record.decision.refusal for record in ready.logged()][-1]
    assert refused is not None
    assert " s before the claim" in refused.reason
    assert ready.state.claim is Claim.NONE


@pytest.mark.clause("PT-A12", "SB-8")
def test_after_the_table_is_declared_closed_a_claim_about_cards_still_out_is_heard_and_holds_the_unloading(
    ready: Evening,
) -> None:
    ready.deal(6)
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.table.wait(65)  # the cards do not come back
    assert ready.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert ready.key(DealerKey.CLAIM) is None
    assert ready.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) == "SB-8"
    assert ready.act(SUPERVISOR, Trigger.CLOSE_CLAIM, 4) == "SB-8"  # no such outcome
    assert ready.act(SUPERVISOR, Trigger.CLOSE_CLAIM, 2) is None
    assert ready.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    assert ready.key(DealerKey.CLAIM) == "PT-A12"


@pytest.mark.clause("PT-A12")
def test_a_claim_about_cards_that_stayed_in_the_discard_is_heard(ready: Evening) -> None:
    ready.deal(9)
    ready.key(DealerKey.ROUND_OVER)
    ready.hands.trip_intake()
    ready.table.run(0.5)
    ready.key(DealerKey.YES)
    assert ready.key(DealerKey.CLAIM) is None
    assert "SB-8" in ready.reasons()


@pytest.mark.clause("SB-1")
def test_a_round_longer_than_the_houses_limit_asks_the_dealer(ready: Evening) -> None:
    limit = ready.table.config.book.house.round_card_limit
    while ready.session in (Session.READY, Session.IN_ROUND):
        ready.hands.pull_card()
        ready.table.run(0.05)
    assert ready.session is Session.ASKING_ROUND
    assert ready.state.account.at(Place.TABLE) == limit + 1
    ready.table.run(1)
    assert ready.hands.pull_card() is None
    assert ready.key(DealerKey.YES) is None
    ready.table.run(1)
    assert ready.hands.pull_card() is not None


@pytest.mark.clause("PT-A10")
def test_a_dealer_who_is_asked_about_a_long_round_may_end_it(ready: Evening) -> None:
    while ready.session in (Session.READY, Session.IN_ROUND):
        ready.hands.pull_card()
        ready.table.run(0.05)
    assert ready.session is Session.ASKING_ROUND
    ready.table.run(1)
    assert ready.key(DealerKey.ROUND_OVER) is None
    assert ready.session is Session.RETURNING
    ready.put_back()
    assert ready.session is Session.READY


def test_an_answer_pressed_before_its_question_was_shown_acts_on_nothing(ready: Evening) -> None:
    earlier = ready.state.prompt
    ready.deal(1)
    shoe = ready.state.devices["shoe"]
    late = EventTold(shoe.taken + 1, DealerKeyPressed(DealerKey.ROUND_OVER, earlier))
    ready.table.assembly.controller.turn([FromDevice("shoe", [late])])
    assert ready.refusals()[-1] == ("round_over", "SB-1")
    assert ready.session is Session.IN_ROUND


@pytest.mark.clause("SB-1")
def test_a_card_more_than_was_out_stops_the_table(ready: Evening) -> None:
    extra = Evening(seed=3).hands.box[0]
    ready.deal(6)
    ready.key(DealerKey.ROUND_OVER)
    ready.hands.on_table.insert(0, extra)
    ready.hands.put_in_intake_tray(ready.hands.on_table)
    ready.table.run(5)
    stopped = ready.state.account.at(Place.OVER) == 1 or ready.hands.mechanism.intake_tray
    assert stopped, "the seventh card is either found over or still in the tray"


@pytest.mark.clause("PT-A11", "SB-1")
def test_of_a_machine_that_is_only_silent_nobody_says_that_it_takes_no_cards(ready: Evening) -> None:
    ready.deal(9)
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.table.unplug("shuffler")
    ready.table.run(2)
    assert ready.key(DealerKey.YES) == "PT-A11"
    assert ready.act(SUPERVISOR, Trigger.DECLARE_CLOSED) == "PT-A10"
    ready.table.replug("shuffler")
    ready.table.run(4)
    ready.put_back()
    assert ready.session is Session.READY
