"""A journal that may lack records: what comes to light while the table is closed stands before the next session."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.core.changes import CommandsBarred, OrderClosed, OrderGiven, Postponed
from firmware_bridge.core.deciding import Deciding
from firmware_bridge.core.events import ScreenSeen
from firmware_bridge.core.outputs import why_not_deal
from firmware_bridge.core.records import Entry, Logged
from firmware_bridge.core.words import Incident, IncidentKind, Session, Trigger
from firmware_bridge.journal import MemoryStore
from tests.table.byways import count, power_cycle, stands
from tests.table.evening import SUPERVISOR, Evening
from tests.table.told import screen

pytestmark = [pytest.mark.clause("SB-11"), pytest.mark.field("BR-036")]


@pytest.fixture
def cut() -> Evening:
    """A session was under way; of its journal only what came before it is left."""
    evening = Evening()
    older = MemoryStore(table="BJ 7", seed=bytes(32))
    kept = list(evening.table.store.records())
    older.append([Entry(one.number, one.utc_ns, one.link_ns, one.body) for one in kept], sign=True)
    evening.open_and_load()
    evening.play_round()
    evening.table.store = older
    evening.table.start_controller()
    evening.table.run(5)
    return evening


def test_a_session_that_vanished_from_the_journal_is_told_while_the_table_stands_closed(cut: Evening) -> None:
    assert cut.session is Session.CLOSED
    assert {one.about for one in cut.state.postponed} == {"shoe", "shuffler"}
    told = [duty for duty in screen(cut).duties if "Records may be missing" in duty]
    assert len(told) == 2


def test_it_waits_once_for_the_next_session_however_often_it_comes_to_light(cut: Evening) -> None:
    deciding = Deciding(cut.state, ScreenSeen(True), cut.table.config.book)
    for _ in range(2):
        deciding.raise_incident(IncidentKind.JOURNAL_BEHIND, "shoe", "it was acknowledged further")
        deciding.raise_incident(IncidentKind.JOURNAL_FAILED, "", "nothing was recorded")
    assert [type(change) for change in deciding.changes] == [Postponed]
    assert sorted(one.about for one in cut.state.postponed) == ["", "shoe", "shuffler"]


@pytest.mark.clause("SB-7")
@pytest.mark.rule(14)
def test_a_machine_obeys_a_journal_whose_records_are_below_what_it_has_done_already(cut: Evening) -> None:
    ((number, barred),) = changes(cut, CommandsBarred)
    assert barred.device == "shuffler"
    assert barred.highest > number
    assert cut.act(SUPERVISOR, Trigger.OPEN_TABLE) is None
    for nth in (1, 2):
        count(cut)
        assert cut.table.run(60, lambda: cut.state.order is None)
        assert changes(cut, OrderGiven)[-1][1].id == barred.highest + nth
        assert changes(cut, OrderClosed)[-1][1] == OrderClosed(barred.highest + nth, "done")
    cut.table.start_controller()
    cut.table.run(5)
    assert len(changes(cut, CommandsBarred)) == 1, "what this journal gave itself bars nothing"
    power_cycle(cut)
    count(cut)
    number, given = changes(cut, OrderGiven)[-1]
    assert given.id == 0, "a boot has accepted nothing: its record's own number does again"
    assert cut.state.order is not None
    assert cut.state.order.id == number


@pytest.mark.clause("SB-7")
def test_the_next_session_opens_under_its_alarm_and_the_cards_left_inside_are_found(cut: Evening) -> None:
    assert cut.act(SUPERVISOR, Trigger.OPEN_TABLE) is None
    assert cut.kinds().count(IncidentKind.JOURNAL_BEHIND) == 2
    assert not cut.state.postponed
    assert why_not_deal(cut.state)
    count(cut)
    assert stands(cut, IncidentKind.JOURNAL_BEHIND, Incident.COUNT_DIFFERS)  # the books say that the machine is empty
    assert cut.state.played.last_count is not None
    assert cut.state.played.last_count[0] >= 207  # one may stand at the shoe's mouth
    assert cut.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) is not None


def test_nothing_is_postponed_where_the_journal_reaches_as_far_as_its_devices() -> None:
    evening = Evening()
    evening.table.start_controller()
    evening.table.run(5)
    assert not evening.state.postponed
    evening.open_table()
    assert not evening.kinds()


def changes(evening: Evening, kind: type[Any]) -> list[tuple[int, Any]]:
    """The changes of a kind that the journal holds, each with its record's number."""
    logged = [(record.number, Logged.from_body(record.body)) for record in evening.table.store.records()]
    return [(number, one) for number, entry in logged for one in entry.decision.changes if isinstance(one, kind)]
