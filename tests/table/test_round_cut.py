"""A machine that is given up within a round: a supervisor says what becomes of the round, unless the book voids it."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey, JamPlace
from firmware_bridge.core.words import Incident, IncidentKind, Session, Trigger
from firmware_bridge.rulebooks import load_rulebook
from tests.table.byways import begin_to_empty_by_hand, give_up_the_machine, stands, take_all_out_of
from tests.table.evening import SUPERVISOR, TECHNICIAN, Evening
from tests.table.told import asked, session_told

SETTLED, VOID = 1, 2


def fails_in_a_round(evening: Evening) -> None:
    """A card sticks in a round, and the technician cannot mend the machine."""
    evening.deal(5)
    evening.hands.jam(JamPlace.CAROUSEL)
    while IncidentKind.JAM not in evening.kinds():
        evening.hands.pull_card()
        evening.table.run(0.2)
    assert evening.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) is None
    assert evening.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) is None


@pytest.mark.field("BR-011")
@pytest.mark.clause("SB-2", "SB-4")
@pytest.mark.parametrize(("decision", "void"), [(SETTLED, ""), (VOID, "house.after_error.bets_of_void_round")])
def test_what_becomes_of_a_round_that_was_cut_short_is_said_and_recorded(
    ready: Evening, decision: int, void: str
) -> None:
    fails_in_a_round(ready)
    assert ready.kinds() == [IncidentKind.JAM, IncidentKind.ROUND_CUT]
    assert "1 settled as the cards lie, 2 void" in asked(ready)
    assert ready.act(TECHNICIAN, Trigger.DECIDE_ROUND, decision) == "SB-2"
    assert ready.act(SUPERVISOR, Trigger.DECIDE_ROUND, 3) == "SB-2"
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
    assert ready.act(SUPERVISOR, Trigger.DECIDE_ROUND, decision) is None
    assert stands(ready, IncidentKind.ROUND_CUT, Incident.CLEARED)
    assert [one.void.replace("house.", "") for one in ready.state.rounds] == [void.replace("house.", "")]
    assert ready.act(SUPERVISOR, Trigger.DECIDE_ROUND, decision) == "SB-2"
    assert ready.key(DealerKey.ROUND_OVER) is None
    begin_to_empty_by_hand(ready)
    take_all_out_of(ready)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    ready.verify()
    assert ready.session is Session.ALL_REGULAR
    while ready.state.incidents:
        assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 2 if void else 1) is None
    assert ready.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert [bool(one.void) for one in session_told(ready).rounds] == [bool(void)]


@pytest.mark.clause("LD-8")
def test_where_the_book_voids_the_round_nothing_is_left_to_say() -> None:
    live = Evening(decks=8, book=load_rulebook("live"))
    live.open_and_load()
    fails_in_a_round(live)
    assert live.kinds() == [IncidentKind.JAM]
    assert live.state.rounds[-1].void == "LD-8"


@pytest.mark.clause("SB-4")
def test_between_rounds_no_round_is_cut(ready: Evening) -> None:
    give_up_the_machine(ready)
    assert ready.kinds() == [IncidentKind.LINK_LOST]
