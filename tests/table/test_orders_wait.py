"""What is ordered of a machine that still tells what it kept waits until it has told all: no old result answers it.

A journal that was put back to an older copy counts on from there, and can give an id again whose result its machine
still keeps. Here each machine keeps results of all the ids that could be given next.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from drivers.protocol.hearing import Hearing
from drivers.protocol.messages import CommandResult, EventBody, FeedEmpty, Inventory, JamPlace, Operation
from firmware_bridge.core.changes import OrderClosed, OrderDue, OrderGiven
from firmware_bridge.core.events import DeviceCaughtUp, Told
from firmware_bridge.core.records import Entry
from firmware_bridge.core.words import Incident, IncidentKind, Session, Trigger
from firmware_bridge.journal import MemoryStore
from sim_hardware.machine_firmware import MachineFirmware
from tests.table.byways import confirm, count, force_lid, pull_until, stands, unloading
from tests.table.evening import SUPERVISOR, Evening
from tests.table.test_jam import clear, jam
from tests.table.test_sequence import with_all_cards_in

pytestmark = [pytest.mark.rule(14), pytest.mark.clause("SB-7"), pytest.mark.field("BR-035")]

SOON = 16
"""So many records are written at most while a machine tells what it kept; it keeps 24 events that are no cards."""

Result = Callable[[int], EventBody]


def nothing_found(command: int) -> EventBody:
    return Inventory(command, 0, (0,) * 38)


def done(command: int) -> EventBody:
    return CommandResult(command, done=True)


def machine(evening: Evening) -> MachineFirmware[Any]:
    found = evening.hands.devices["shuffler"]
    assert isinstance(found, MachineFirmware)
    return found


def keep_results(evening: Evening, result: Result) -> None:
    """Let the machine keep results of all commands whose ids this journal may give next."""
    for nth in range(1, SOON):
        machine(evening).tell(result(evening.state.record + nth))


def come_back(evening: Evening) -> None:
    """Its cable is in again: it tells all that it kept, as far as the record that says so."""
    evening.table.replug("shuffler")
    assert evening.table.run(10, lambda: evening.state.devices["shuffler"].is_there)


def assert_waited(evening: Evening, operation: Operation, answers: int = SOON - 1) -> None:
    """The last order became due before its machine had caught up, and was given by the record that says that it has."""
    logged = evening.logged()
    due = max(n for n, one in enumerate(logged) if any(isinstance(c, OrderDue) for c in one.decision.changes))
    given = max(n for n, one in enumerate(logged) if any(isinstance(c, OrderGiven) for c in one.decision.changes))
    assert isinstance(logged[given].event, DeviceCaughtUp)
    (order,) = [one for one in logged[given].decision.changes if isinstance(one, OrderGiven)]
    assert (order.operation, order.boot) == (operation, evening.state.devices["shuffler"].boot)
    between = logged[due + 1 : given]
    told = [one.event.body for one in between if isinstance(one.event, Told)]
    assert sum(isinstance(body, Inventory | CommandResult) for body in told) == answers
    assert not [one for one in between for change in one.decision.changes if isinstance(change, OrderClosed)]


# ---- the rows that order at a device's own event


def test_an_empty_feed_is_counted_by_no_result_that_its_machine_kept(ready: Evening) -> None:
    unloading(ready)
    ready.table.unplug("shuffler")
    assert ready.hands.pull_card() is not None  # the shoe's hold is under way
    ready.hands.reboot("shuffler")  # so that it feeds no other
    ready.table.run(0.2)
    machine(ready).tell(FeedEmpty())  # its sensor errs: there are cards in it
    keep_results(ready, nothing_found)
    come_back(ready)
    assert ready.session is Session.COUNTING_EMPTY
    assert_waited(ready, Operation.INVENTORY)
    assert ready.table.run(30, lambda: ready.session is Session.UNLOADING), "counted anew, and not empty"


def the_last_card_is_drawn(evening: Evening) -> None:
    """The shoe tells it under way to its hold, and the machine is not there."""
    unloading(evening)
    pull_until(evening, lambda: evening.state.account.inside == 1)
    evening.table.run(1)
    evening.table.unplug("shuffler")
    assert evening.hands.pull_card() is not None
    evening.table.run(0.2)
    assert evening.session is Session.COUNTING_EMPTY


def test_the_last_card_has_a_machine_counted_that_is_not_there_once_it_is_back(ready: Evening) -> None:
    the_last_card_is_drawn(ready)
    keep_results(ready, nothing_found)
    come_back(ready)
    assert_waited(ready, Operation.INVENTORY)
    assert ready.session is Session.COUNTING_EMPTY
    assert ready.table.run(30, lambda: ready.session is Session.LOOKING)


def jammed(evening: Evening) -> IncidentKind:
    jam(evening, JamPlace.CAROUSEL)
    clear(evening)
    assert evening.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    return IncidentKind.JAM


def forced(evening: Evening) -> IncidentKind:
    force_lid(evening)
    count(evening)
    return IncidentKind.LID_OPENED


def in_order(evening: Evening) -> IncidentKind:
    with_all_cards_in(evening)
    count(evening)
    return IncidentKind.SEQUENCE


@pytest.mark.clause("SB-9")
@pytest.mark.parametrize("counting", [jammed, forced, in_order])
def test_a_count_that_agrees_has_no_shuffle_done_that_its_machine_kept(
    ready: Evening, counting: Callable[[Evening], IncidentKind]
) -> None:
    kind = counting(ready)
    ready.table.unplug("shuffler")
    assert ready.table.run(30, lambda: machine(ready).busy_with is None), "it counts by itself, and keeps the result"
    keep_results(ready, done)
    come_back(ready)
    assert_waited(ready, Operation.SHUFFLE)
    assert stands(ready, kind, Incident.SHUFFLING)
    assert stands(ready, kind, Incident.CLEARED)


def test_a_count_under_way_in_a_journal_put_back_is_answered_and_its_shuffle_is_given_above_all_that_was_done(
    ready: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = forced(ready)
    kept = [Entry(one.number, one.utc_ns, one.link_ns, one.body) for one in ready.table.store.records()]
    monkeypatch.setattr(machine(ready).store, "ack", lambda _number: None)  # each is lost on its way
    monkeypatch.setattr(Hearing, "judge", lambda *_: "")  # for so long that the link would be lost by it
    assert stands(ready, kind, Incident.CLEARED)
    confirm(ready)
    for _ in range(5):
        count(ready)
        assert ready.table.run(30, lambda: ready.state.order is None)
    monkeypatch.undo()
    done_already = ready.state.record
    ready.table.store = MemoryStore(table="BJ 7", seed=bytes(32))
    ready.table.store.append(kept, sign=True)
    ready.table.start_controller()
    assert ready.table.run(10, lambda: ready.state.devices["shuffler"].is_there)
    assert_waited(ready, Operation.SHUFFLE, answers=6)
    assert ready.state.order is not None
    assert len(kept) < ready.state.record < ready.state.order.id < done_already
    assert stands(ready, kind, Incident.CLEARED), "it is obeyed"


# ---- what happens meanwhile


def test_an_order_that_waits_outlives_the_controller(ready: Evening) -> None:
    the_last_card_is_drawn(ready)
    ready.table.start_controller()
    come_back(ready)
    assert_waited(ready, Operation.INVENTORY, answers=0)
    assert ready.table.run(30, lambda: ready.session is Session.LOOKING)


def test_it_goes_to_whichever_machine_stands_there_then(ready: Evening) -> None:
    the_last_card_is_drawn(ready)
    ready.hands.replace_device("shuffler", serial="S-0099")
    come_back(ready)
    assert_waited(ready, Operation.INVENTORY, answers=0)
    assert ready.table.run(30, lambda: ready.session is Session.LOOKING)


def test_a_machine_that_stays_away_is_waited_for_no_longer_than_for_a_count(ready: Evening) -> None:
    the_last_card_is_drawn(ready)
    ready.table.wait(ready.table.config.book.house.inventory_time_s + 1)
    assert ready.state.order is None
    come_back(ready)
    assert ready.state.order is None, "what was given up is not ordered after all"
    count(ready)
    assert ready.table.run(30, lambda: ready.session is Session.LOOKING)


def test_a_result_under_no_command_at_all_answers_no_order_that_waits(ready: Evening) -> None:
    """The wire knows no command 0; whatever tells of one, an order that waits has no number yet."""
    the_last_card_is_drawn(ready)
    assert ready.state.order is not None
    assert not ready.state.order.is_answered_by(0)
