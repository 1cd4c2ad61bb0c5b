"""Counts that nobody believes: whatever the cause, only a full count that agrees ends it, or every card read (SB-7)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import JamPlace
from firmware_bridge.core.words import Incident, IncidentKind, Session, Trigger
from tests.table.byways import (
    confirm,
    count,
    course,
    empty,
    force_lid,
    lose_a_card,
    power_cycle,
    stands,
    unloading,
    verify_and_find_no_more,
)
from tests.table.distrust import DOUBTS
from tests.table.evening import ROOM_MANAGER, SUPERVISOR, Evening
from tests.table.test_jam import clear, settle

each_kind = pytest.mark.parametrize("kind", DOUBTS)


def doubt(evening: Evening, kind: IncidentKind) -> None:
    """Nobody believes the counts any more, for this reason alone."""
    DOUBTS[kind](evening)
    assert set(evening.kinds()) - {IncidentKind.LINK_LOST} == {kind}
    assert stands(evening, kind, Incident.RAISED, within=0.1)
    assert evening.hands.pull_card() is None


@each_kind
@pytest.mark.clause("SB-7")
def test_it_is_settled_by_a_full_count_that_agrees_until_something_else_touches_the_cards(
    ready: Evening, kind: IncidentKind
) -> None:
    doubt(ready, kind)
    count(ready)
    assert stands(ready, kind, Incident.COUNTING, within=0.1)
    assert stands(ready, kind, Incident.CLEARED)
    number = next(n for n, one in ready.state.incidents.items() if one.kind is kind)
    assert course(ready, f"incident/{number}")[-1] == (Trigger.COUNTED, Incident.CLEARED)
    assert ready.act(SUPERVISOR, Trigger.DECLARE_SPILL) is None  # before anybody confirmed it
    assert stands(ready, kind, Incident.RAISED, within=0.1)
    count(ready)  # one count for both
    assert stands(ready, IncidentKind.SPILL, Incident.CLEARED)
    confirm(ready)


@each_kind
@pytest.mark.clause("SB-7")
def test_a_jam_in_its_count_leaves_it_uncounted(ready: Evening, kind: IncidentKind) -> None:
    doubt(ready, kind)
    count(ready)
    ready.hands.jam(JamPlace.CAROUSEL)
    ready.table.run(2)
    assert stands(ready, kind, Incident.RAISED, within=0.1)
    clear(ready)
    settle(ready)  # the jam's full count is one for both
    confirm(ready)


@each_kind
@pytest.mark.clause("SB-7", "PT-A6", "SB-2")
def test_a_card_that_is_gone_shows_at_each_count_and_is_named_at_the_end(ready: Evening, kind: IncidentKind) -> None:
    doubt(ready, kind)
    lose_a_card(ready)
    for _ in range(2):
        count(ready)
        assert stands(ready, kind, Incident.COUNTING, within=0.1)
        assert stands(ready, kind, Incident.COUNT_DIFFERS)
        assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
        assert ready.hands.pull_card() is None
    empty(ready)
    verify_and_find_no_more(ready)
    assert ready.session is Session.DIFFERENCE
    ready.confirm_all()
    assert ready.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) is None


@each_kind
@pytest.mark.clause("SB-7", "PT-A2")
def test_a_card_that_no_sensor_saw_go_and_that_is_found_is_laid_back_inside_and_counted(
    ready: Evening, kind: IncidentKind
) -> None:
    doubt(ready, kind)
    card = next(place for place in ready.hands.mechanism.compartments if place).pop()
    ready.hands.set_aside.append(card)
    count(ready)
    assert stands(ready, kind, Incident.COUNT_DIFFERS)
    ready.look_inside(lambda: ready.hands.put_inside([card]))
    assert stands(ready, kind, Incident.RAISED, within=0.1)
    count(ready)
    assert stands(ready, kind, Incident.CLEARED)
    confirm(ready)


# ---- what may have touched the order of the cards as well: counted, then shuffled (SB-9)

DISTURBED = {IncidentKind.POWER_LOST: power_cycle, IncidentKind.LID_OPENED: force_lid}

each_disturbance = pytest.mark.parametrize("kind", DISTURBED)


def clear_and_count(evening: Evening) -> None:
    """The jam is cleared, and ends with a count and a shuffle of its own; its confirmation comes later."""
    clear(evening)
    assert evening.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    assert stands(evening, IncidentKind.JAM, Incident.CLEARED)


@each_disturbance
@pytest.mark.clause("SB-7", "SB-9")
def test_a_jam_in_the_count_or_in_the_shuffle_after_it_begins_both_again(ready: Evening, kind: IncidentKind) -> None:
    DISTURBED[kind](ready)
    count(ready)
    assert stands(ready, kind, Incident.COUNTING, within=0.1)
    ready.hands.jam(JamPlace.CAROUSEL)
    assert stands(ready, kind, Incident.RAISED, within=2)
    clear_and_count(ready)
    count(ready)
    assert stands(ready, kind, Incident.SHUFFLING)
    ready.hands.jam(JamPlace.CAROUSEL)
    assert stands(ready, kind, Incident.RAISED, within=2)
    clear_and_count(ready)
    count(ready)
    assert stands(ready, kind, Incident.CLEARED)
    confirm(ready)


@each_disturbance
@pytest.mark.clause("SB-7", "SB-9")
def test_cards_that_are_dealt_no_more_are_counted_and_need_no_shuffle(ready: Evening, kind: IncidentKind) -> None:
    unloading(ready)
    DISTURBED[kind](ready)
    ready.table.run(2)
    count(ready)
    assert stands(ready, kind, Incident.CLEARED)
    number = next(n for n, one in ready.state.incidents.items() if one.kind is kind)
    done = course(ready, f"incident/{number}")
    assert (Trigger.COUNTED, Incident.CLEARED) in done
    assert Incident.SHUFFLING not in [target for _, target in done]
