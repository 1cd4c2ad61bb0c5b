"""A journal whose flushes are slow: what waits for it, what is told of it and when (SB-11)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import CardDrawn, JamChanged, JamPlace, Lapsed, Purpose
from drivers.protocol.notices import HoldNow
from firmware_bridge.core import events as e
from firmware_bridge.core.words import IncidentKind
from tests.core.tape import FLUSH, Tape, heartbeat, kinds
from tests.table.evening import otherwise


def test_a_flush_over_the_houses_limit_is_an_incident_that_holds(tape: Tape) -> None:
    tape.flush_ns = 2_500_000_000
    events = tape.tell("shoe", tape.event("shoe", CardDrawn(Purpose.DEAL, 5)))
    assert [one.kind for one in tape.controller.state.incidents.values()] == [IncidentKind.SLOW_JOURNAL]
    assert ("shoe", HoldNow()) in events


def test_a_flush_below_the_houses_limit_is_none(tape: Tape) -> None:
    tape.flush_ns = 1_500_000_000
    tape.tell("shoe", tape.event("shoe", CardDrawn(Purpose.DEAL, 5)))
    assert not tape.controller.state.incidents


@pytest.mark.clause("SB-11")
def test_a_slow_flush_is_told_with_the_next_record_and_costs_its_turn_no_second_one(tape: Tape) -> None:
    tape.flush_ns = 1_500_000_000
    events = tape.tell("shoe", tape.event("shoe", CardDrawn(Purpose.DEAL, 5)))
    assert kinds(events).count(FLUSH) == 1
    assert not kinds(tape.tell("shoe", heartbeat())).count(FLUSH), "nothing to record, so nothing to wait for"
    drawn = tape.event("shoe", CardDrawn(Purpose.DEAL, 6))
    tape.tell("shoe", drawn)
    assert [type(one) for one in tape.recorded[-2:]] == [e.FlushWasSlow, e.Told]


@pytest.mark.clause("SB-11")
@pytest.mark.rule(25)
def test_a_flush_over_the_houses_limit_holds_before_anything_is_acknowledged_or_renewed(tape: Tape) -> None:
    tape.flush_ns = 2_500_000_000
    events = tape.tell("shoe", heartbeat(), tape.event("shoe", CardDrawn(Purpose.DEAL, 5)))
    first = kinds(events).index(FLUSH)
    assert ("shoe", HoldNow()) in events[first:]
    assert kinds(events).count(FLUSH) == 2
    assert "Release" not in kinds(events)
    assert kinds(events).index("AckEvents") > events.index(("shoe", HoldNow()))


@pytest.mark.clause("SB-11")
def test_a_processor_that_is_late_is_no_slow_flush(tape: Tape) -> None:
    tape.late_ns = 5_000_000_000
    events = tape.tell("shuffler", tape.event("shuffler", JamChanged(JamPlace.EXIT, True)))
    assert ("shoe", HoldNow()) in events[: kinds(events).index(FLUSH)], "and that came late"
    tape.tell("shoe", tape.event("shoe", CardDrawn(Purpose.DEAL, 5)))
    assert IncidentKind.SLOW_JOURNAL not in [one.kind for one in tape.controller.state.incidents.values()]
    assert not any(isinstance(one, e.FlushWasSlow) for one in tape.recorded)


@pytest.mark.clause("SB-11")
@pytest.mark.parametrize(("limit_ms", "took_ms", "is_held"), [(500, 600, True), (500, 400, False), (2500, 2400, False)])
def test_the_houses_limit_holds_the_table_whether_it_is_above_a_second_or_below(
    tape: Tape, limit_ms: int, took_ms: int, is_held: bool
) -> None:
    tape.controller.book = otherwise(tape.controller.book, "house.flush_limit_ms", limit_ms)
    tape.flush_ns = took_ms * 10**6
    tape.tell("shoe", tape.event("shoe", CardDrawn(Purpose.DEAL, 5)))
    assert bool(tape.controller.state.incidents) is is_held


@pytest.mark.clause("SB-11")
@pytest.mark.parametrize(("later_s", "is_named"), [(5, True), (15, False)])
def test_a_lapse_is_put_down_to_the_disk_only_soon_after_a_slow_flush(tape: Tape, later_s: int, is_named: bool) -> None:
    tape.flush_ns = 1_500_000_000
    tape.tell("shoe", tape.event("shoe", CardDrawn(Purpose.DEAL, 5)))
    tape.flush_ns = 0
    tape.tell("shoe", tape.event("shoe", CardDrawn(Purpose.DEAL, 6)))
    tape.now_ns += later_s * 10**9
    tape.tell("shoe", tape.event("shoe", Lapsed(7, 1)))
    lapsed = next(one for one in tape.controller.state.incidents.values() if one.kind is IncidentKind.RELEASE_LAPSED)
    assert ("the journal's disk" in lapsed.detail) is is_named
