"""A count that does not agree is an alarm that no deed but a recount, or the reading of every card, ends (BR-009)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from drivers.protocol.messages import Key
from firmware_bridge.core.alarms import presented
from firmware_bridge.core.words import Incident, IncidentKind, Role, Session, Trigger
from firmware_bridge.view import Entry
from sim_hardware.cards import Card
from tests.table.byways import confirm, count, force_lid, power_cycle, verify_and_find_no_more
from tests.table.evening import DEALER, ROOM_MANAGER, SUPERVISOR, TECHNICIAN, Evening
from tests.table.told import entries, incident_told, screen

pytestmark = [pytest.mark.clause("SB-2", "SB-7"), pytest.mark.field("BR-009")]

MISMATCH = 1
"""The number of the incident."""

Way = Callable[[Evening], object]


def restart(evening: Evening) -> None:
    """The controller is ended and started again."""
    evening.table.start_controller()
    evening.table.run(5)


def unplug(evening: Evening) -> None:
    """The machine's cable is out for a while."""
    evening.table.unplug("shuffler")
    evening.table.run(3)
    evening.table.replug("shuffler")
    evening.table.run(5)


def press_clear(evening: Evening) -> None:
    """Somebody clears at the keypad, again and again."""
    for _ in range(20):
        evening.press(Key.CLEAR)
    evening.table.run(1)


def wait(evening: Evening) -> None:
    """Nobody does anything for an hour."""
    evening.table.wait(3_600)


WAYS: dict[str, Way] = {
    "restart": restart,
    "unplug": unplug,
    "power cycle": power_cycle,
    "clear key": press_clear,
    "opened lid": force_lid,
    "waiting": wait,
}


@pytest.fixture
def missed(ready: Evening) -> Card:
    """A card leaves the machine past every sensor, after a round; the supervisor has the machine counted."""
    ready.play_round()
    card = next(place for place in ready.hands.mechanism.compartments if place).pop()
    ready.hands.set_aside.append(card)
    count(ready)
    assert ready.table.run(60, lambda: ready.kinds() == [IncidentKind.COUNT_MISMATCH])
    ready.table.run(1)
    return card


def held(evening: Evening) -> bool:
    """Whether the alarm stands, no card comes, and nobody may confirm it."""
    alarm = evening.state.incidents.get(MISMATCH)
    stands = alarm is not None and alarm.kind is IncidentKind.COUNT_MISMATCH and alarm.state is not Incident.CLEARED
    people = (DEALER, SUPERVISOR, ROOM_MANAGER, TECHNICIAN)
    refused = [evening.act(person, Trigger.CONFIRM_INCIDENT, 0) for person in people]
    return stands and refused == ["SB-2"] * len(people) and evening.hands.pull_card() is None


def lay_it_back(evening: Evening, card: Card) -> None:
    """The count differs; the supervisor opens the lid, and the card that was found goes back where it came from."""
    count(evening)
    assert evening.table.run(
        60, lambda: evening.state.incidents[presented(evening.state)].state is Incident.COUNT_DIFFERS
    )
    evening.look_inside(lambda: evening.hands.put_inside([card]))


@pytest.mark.parametrize("way", WAYS)
def test_no_way_round_ends_it_only_a_recount_that_agrees(ready: Evening, missed: Card, way: str) -> None:
    assert held(ready)
    WAYS[way](ready)
    assert held(ready), way
    lay_it_back(ready, missed)
    assert held(ready), "the card is back, and nobody counted yet"
    count(ready)
    assert ready.table.run(60, lambda: ready.state.incidents[MISMATCH].state is Incident.CLEARED)
    assert ready.table.run(60, lambda: {one.state for one in ready.state.incidents.values()} == {Incident.CLEARED})
    confirm(ready)
    assert ready.hands.pull_card() is not None


@pytest.mark.parametrize("way", WAYS)
def test_a_recount_that_differs_ends_it_as_little(ready: Evening, missed: Card, way: str) -> None:
    del missed  # it lies aside, and nobody lays it back
    WAYS[way](ready)
    for _ in range(2):
        count(ready)
        ready.table.run(30)
        assert held(ready), way
    [recount] = [line.text for line in screen(ready).asks if line.trigger == Trigger.COUNT_MACHINE]
    assert "if a card was found" in recount
    assert "declare the table closed (step 40)" in recount


def test_all_ways_one_after_the_other_end_it_as_little_and_the_verification_names_the_card(
    ready: Evening, missed: Card
) -> None:
    for way in WAYS.values():
        way(ready)
    assert held(ready)
    assert ready.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    for _ in range(3):  # the lid, the power, the mismatch: no card leaves before the machine was counted for each
        count(ready)
        ready.table.run(10)
    assert ready.state.incidents[MISMATCH].state is Incident.COUNT_DIFFERS
    ready.unload_cards()
    ready.look()
    verify_and_find_no_more(ready)
    assert ready.session is Session.DIFFERENCE
    assert [face for deck in ready.state.decks_read for face in deck.missing] == [missed.face]
    ready.confirm_all()
    assert ready.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) is None


def test_unanswered_it_goes_up_the_ladder_by_the_houses_times_and_the_report_says_when(
    ready: Evening, missed: Card
) -> None:
    del missed
    house = ready.table.config.book.house
    raised = ready.state.incidents[MISMATCH].raised
    ready.table.wait(house.escalate_after_s - 10)
    assert ready.state.incidents[MISMATCH].escalated == []
    ready.table.wait(20)
    assert ready.state.incidents[MISMATCH].escalated == [Role.ROOM_MANAGER]
    called = entries(incident_told(ready), Entry.CALLED)
    assert [line.role for line in called] == ["supervisor", "room_manager"]
    assert called[-1].when is not None
    assert round((called[-1].when.utc_ns - raised.utc_ns) / 10**9) == house.escalate_after_s
