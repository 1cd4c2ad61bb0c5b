"""A card is counted once, when it is past the gap sensor: not twice, not as it is seen, not by guess (BR-049)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import JamPlace
from firmware_bridge.core.changes import FullCount
from firmware_bridge.core.words import IncidentKind, Session, Trigger
from tests.table.byways import count, loading
from tests.table.evening import SUPERVISOR, Evening
from tests.table.test_jam import clear, settle

pytestmark = [pytest.mark.field("BR-049"), pytest.mark.clause("SB-1")]

PACK = 104


def say_all_twice(evening: Evening, device: str) -> None:
    """Let each piece that a device sends arrive twice, the second behind whatever came meanwhile."""
    wire = evening.table._to_host[device]
    once = wire.put

    def twice(at: int, data: bytes) -> None:
        once(at, data)
        once(at + evening.table.to_host_ns, data)

    wire.put = twice  # type: ignore[method-assign]


def counted(evening: Evening) -> int:
    """How many cards are in the machine by the books."""
    return evening.state.account.inside


def in_machine(evening: Evening) -> int:
    """How many are past its intake's sensor, by its mechanism; a card that sticks on its way in is none of them."""
    mechanism = evening.hands.mechanism
    return sum(len(place) for place in (*mechanism.compartments, mechanism.buffer, mechanism.mouth))


def test_events_that_all_come_twice_raise_the_count_once_a_card() -> None:
    evening = loading()
    say_all_twice(evening, "shuffler")
    evening.load_pack(PACK)
    assert counted(evening) == in_machine(evening) == PACK
    assert evening.end_pack() is None
    evening.load_pack(len(evening.hands.box))
    assert evening.end_pack() is None
    assert evening.act(SUPERVISOR, Trigger.DECLARE_LOADED) is None
    assert evening.table.run(60, lambda: evening.session is Session.READY)
    assert counted(evening) == 2 * PACK


def test_a_card_that_was_drawn_in_and_given_back_is_counted_when_it_passes_and_not_as_it_is_seen() -> None:
    evening = loading()
    assert evening.act(SUPERVISOR, Trigger.START_PACK) is None
    evening.hands.put_in_intake_tray(evening.hands.box[:PACK])
    evening.table.run(0.5)
    evening.hands.jam(JamPlace.INTAKE)
    evening.table.run(2)
    assert evening.kinds() == [IncidentKind.JAM]
    before = counted(evening)
    assert 0 < before == in_machine(evening) < PACK
    clear(evening)
    settle(evening)
    given_back = list(evening.hands.on_table)
    assert given_back, "hands have the card that stuck"
    evening.table.run(30, lambda: not evening.hands.mechanism.intake_tray)
    evening.table.run(1)
    assert counted(evening) == in_machine(evening) == PACK - len(given_back)
    evening.hands.put_in_intake_tray(given_back)
    evening.table.run(5)
    assert counted(evening) == in_machine(evening) == PACK


def test_cards_that_the_intake_sees_and_does_not_take_are_never_counted() -> None:
    evening = loading()
    evening.hands.put_in_intake_tray(evening.hands.box[:PACK])  # no pack is begun: the intake is shut
    evening.table.run(5)
    machine = evening.state.machine
    assert machine is not None
    assert machine.tray_occupied, "its sensor sees them"
    assert counted(evening) == in_machine(evening) == 0
    taken_back = evening.hands.take_from_intake_tray()
    evening.table.run(1)
    assert not machine.tray_occupied
    assert (len(taken_back), counted(evening)) == (PACK, 0)
    evening.hands.move(taken_back, evening.hands.box)
    evening.load_pack(PACK)
    assert counted(evening) == in_machine(evening) == PACK, "and those that are fed then, once"


@pytest.mark.clause("SB-7")
def test_cards_whose_events_are_lost_are_to_be_counted_and_are_not_guessed() -> None:
    evening = loading()
    assert evening.act(SUPERVISOR, Trigger.START_PACK) is None
    evening.hands.put_in_intake_tray(evening.hands.box[:PACK])
    evening.table.run(1)
    evening.table.unplug("shuffler")
    evening.table.run(1)
    told = counted(evening)
    assert told < in_machine(evening), "some went in that nobody heard of"
    evening.hands.reboot("shuffler", memory_lost=True)
    evening.table.replug("shuffler")
    evening.table.run(5)
    assert IncidentKind.MEMORY_LOST in evening.kinds()
    assert not evening.state.counts_trusted
    count(evening)
    evening.table.run(60, lambda: evening.state.order is None)
    full = [one for logged in evening.logged() for one in logged.decision.changes if isinstance(one, FullCount)]
    assert [(one.found, one.expected) for one in full] == [(in_machine(evening), told)]
    assert not evening.state.counts_trusted, "the machine says more than was heard: the doubt stands"
    assert IncidentKind.MEMORY_LOST in evening.kinds()
