"""Field cases of counting and of procedure, played at a continuous shuffler (BR-003 to BR-005, BR-011)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from drivers.cards import face_name
from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import Incident, IncidentKind, Place, Session, Trigger
from firmware_bridge.readers.report import report_session
from firmware_bridge.view.phrases import clock
from sim_hardware.cards import Card
from tests.readers.test_report import written
from tests.table.byways import count, empty, verify_and_find_no_more
from tests.table.evening import SUPERVISOR, Evening


@pytest.mark.clause("PT-A10", "SB-1")
@pytest.mark.field("BR-003")
def test_a_card_that_does_not_come_back_raises_its_alarm_after_the_window_and_holds_the_next_round(
    ready: Evening,
) -> None:
    ready.deal(17)
    assert ready.key(DealerKey.ROUND_OVER) is None
    fallen = ready.hands.on_table[8]
    ready.hands.move([fallen], ready.hands.set_aside)  # it lies in the table's well
    ready.hands.put_in_intake_tray(ready.hands.on_table)
    ready.table.run(10)
    assert ready.session is Session.RETURNING
    assert not ready.kinds()
    ready.table.wait(60)
    assert ready.kinds() == [IncidentKind.CARD_LOST]
    assert ready.hands.pull_card() is None
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
    ready.hands.put_in_intake_tray([fallen])  # found
    assert ready.table.run(10, lambda: ready.session is Session.READY)
    assert ready.hands.pull_card() is None  # back is not confirmed
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) is None
    ready.table.run(1)
    assert ready.hands.pull_card() is not None


@pytest.mark.clause("SB-7", "SB-2")
@pytest.mark.field("BR-004")
def test_after_a_spill_a_look_around_is_not_enough_only_a_full_count_is(ready: Evening) -> None:
    ready.deal(9)
    assert ready.act(SUPERVISOR, Trigger.DECLARE_SPILL) is None
    ready.table.run(1)
    assert ready.hands.pull_card() is None
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
    assert ready.act(SUPERVISOR, Trigger.COUNT_MACHINE) == "SB-7"  # nine cards are out
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.put_back()
    assert ready.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert ready.table.run(60, lambda: ready.state.incidents[1].state is Incident.CLEARED)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) is None
    ready.table.run(1)
    assert ready.hands.pull_card() is not None
    assert ready.state.played.good_count is not None
    assert ready.state.played.good_count.moment.record > ready.state.rounds[0].began.record


def fall_on_the_way_back(evening: Evening) -> Card:
    """A round's cards fall, and one stays in a stool; the alarm comes all the same, and the table closes over it."""
    fallen = evening.deal(9)[4]
    assert evening.key(DealerKey.ROUND_OVER) is None
    evening.hands.move([fallen], evening.hands.set_aside)
    evening.hands.put_in_intake_tray(evening.hands.on_table)
    evening.table.wait(70)
    assert evening.kinds() == [IncidentKind.CARD_LOST]
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"  # he looked around, and found nothing
    empty(evening)
    return fallen


def fall_while_sorted(evening: Evening) -> Card:
    """The unloaded cards fall off the table on their way to be sorted; nobody misses the one in the stool."""
    empty(evening)
    fallen = evening.hands.on_table[-1]
    evening.hands.move([fallen], evening.hands.set_aside)
    assert not evening.kinds()
    return fallen


@pytest.mark.clause("PT-A6", "SB-7")
@pytest.mark.field("BR-004")
@pytest.mark.parametrize("fall", [fall_on_the_way_back, fall_while_sorted])
def test_of_a_spill_that_nobody_declared_the_report_names_card_last_good_count_and_each_round_since(
    ready: Evening, fall: Callable[[Evening], Card], tmp_path: Path
) -> None:
    ready.play_round()
    count(ready)
    assert ready.table.run(60, lambda: ready.session is Session.READY)
    ready.table.run(1)
    good = ready.state.played.good_count
    for _ in range(2):
        ready.play_round()
    fallen = fall(ready)
    verify_and_find_no_more(ready)
    assert ready.session is Session.DIFFERENCE
    page = re.sub(r"\s+", " ", report_session(written(ready, tmp_path)))
    assert f"deck {fallen.deck}: {face_name(fallen.face)} missing, 51 cards read" in page
    assert f"the whole set lacks {face_name(fallen.face)}" in page
    assert good is not None
    since = [one for one in ready.state.rounds if one.began.record > good.moment.record]
    assert [one.number for one in since] == list(range(2, len(ready.state.rounds) + 1))
    rounds = [f"{one.number} ({clock(one.began.utc_ns)})" for one in since]
    told = f"last good count: record {good.moment.record} at {clock(good.moment.utc_ns)}, 208 cards; "
    assert told + f"rounds since: {', '.join(rounds)}" in page


@pytest.mark.clause("PT-E2", "SB-1")
@pytest.mark.field("BR-005")
def test_an_extra_card_is_found_at_the_first_full_count() -> None:
    evening = Evening()
    evening.hands.box += Evening(seed=2).hands.box[:1]
    evening.open_table()
    evening.show_and_mix()
    evening.load_pack(104)
    assert evening.end_pack() is None
    evening.load_pack(len(evening.hands.box))
    assert evening.state.account.at(Place.OVER) == 1
    assert evening.end_pack() is None
    assert evening.act(SUPERVISOR, Trigger.DECLARE_LOADED) is None
    assert evening.session is Session.WRONG_LOAD


@pytest.mark.clause("SB-2")
@pytest.mark.field("BR-011")
def test_discovery_stop_acknowledgement_and_confirmation_are_four_moments_and_no_incident_closes_without_an_action(
    ready: Evening,
) -> None:
    ready.deal(3)
    ready.hands.open_lid(force=True)
    ready.table.run(0.5)
    ready.hands.close_lid()
    ready.table.wait(360)
    assert ready.act(SUPERVISOR, Trigger.ACKNOWLEDGE) is None
    assert ready.act(SUPERVISOR, Trigger.ACKNOWLEDGE) == "SB-2"
    assert ready.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert ready.table.run(60, lambda: ready.state.incidents[1].state is Incident.CLEARED)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 9) == "SB-2"  # no such action
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 2) is None
    closed = ready.state.incidents_closed[1]
    moments = [closed.raised, closed.stopped, closed.acknowledged, closed.cleared, closed.confirmed]
    assert all(moment is not None for moment in moments)
    records = [moment.record for moment in moments if moment is not None]
    assert records == sorted(records)
    assert len(set(records)) == 5
    assert (closed.action, closed.confirmed_by) == (2, SUPERVISOR)
