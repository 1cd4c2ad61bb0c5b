"""The wall's clock is set in the middle of every timed step: no step changes its length, and the record says it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache

import pytest

from drivers.protocol.messages import DealerKey, JamPlace
from firmware_bridge.core.controller import Now
from firmware_bridge.core.events import ClockJumped, EntryDropped, TimerDue
from firmware_bridge.core.records import Logged
from firmware_bridge.core.words import Trigger
from firmware_bridge.readers.moments import moment
from firmware_bridge.view import describe
from sim_hardware.commands.stepped import EPOCH_NS, SECOND, SteppedTable
from sim_hardware.equipment import SHOE
from tests.table.evening import SUPERVISOR, Evening
from tests.table.test_jam import jam
from tests.table.test_older_makes import OlderEvening
from tests.table.told import screen, session_told

YEAR = 365 * 86_400
JUMPS = {"three years on": 3 * YEAR, "an hour back": -3600, "five seconds on": 5, "ten minutes back": -600}


class WalledTable(SteppedTable):
    """A stepped table whose wall's clock can be set."""

    set_by_s = 0

    def _now(self) -> Now:
        return Now(self.ns, self.ns, EPOCH_NS + self.ns + self.set_by_s * SECOND)


class WalledEvening(Evening):
    table_of = WalledTable

    def set_clock(self, by_s: int) -> None:
        assert isinstance(self.table, WalledTable)
        self.table.set_by_s += by_s


class OlderWalledEvening(OlderEvening, WalledEvening):
    """With a shoe that only talks, whose silence has a time."""


def loading(evening: Evening) -> None:
    evening.open_table()
    evening.show_and_mix()
    assert evening.act(SUPERVISOR, Trigger.START_PACK) is None


def returning(evening: Evening) -> None:
    evening.open_and_load()
    evening.deal(3)
    assert evening.key(DealerKey.ROUND_OVER) is None


def locked_out(evening: Evening) -> None:
    for _ in range(5):
        evening.identify(202, "000111")
    assert 202 in evening.state.locked_out


def typing(evening: Evening) -> None:
    evening.identify(SUPERVISOR)
    evening.press(4)


def jammed(evening: Evening) -> None:
    evening.open_and_load()
    jam(evening, JamPlace.CAROUSEL)


def counting(evening: Evening) -> None:
    evening.open_and_load()
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    evening.table.unplug("shuffler")


def silent(evening: Evening) -> None:
    assert isinstance(evening, OlderEvening)
    evening.test_key()
    evening.open_and_load()


def fed_untold(evening: Evening) -> None:
    silent(evening)
    evening.deal(2)
    evening.table._to_host[SHOE].cut()
    assert evening.hands.pull_card() is not None
    evening.table._step_devices()
    evening.table._to_host[SHOE].cut()


STEPS: dict[str, tuple[Callable[[Evening], None], str]] = {
    "a supervisor's presence": (loading, "presence"),
    "cards on their way back": (returning, "return"),
    "a lock-out": (locked_out, "lock_out/202"),
    "an open entry": (typing, ""),
    "an alarm that nobody answers": (jammed, "call/1"),
    "a count that does not end": (counting, "order"),
    "a shoe that says nothing": (silent, "silence/shoe"),
    "a card fed and not told": (fed_untold, "split"),
}
"""Every step that has a time, how it is begun, and the timer that ends it."""

LONG = 700.0


def course(begin: Callable[[Evening], None], jump_s: int) -> tuple[list[tuple[int, str, str]], WalledEvening]:
    """Begin a step, set the clock in the middle of it, wait; return when what happened, but for the clock's record."""
    evening = OlderWalledEvening() if begin in (silent, fed_untold) else WalledEvening()
    begin(evening)
    evening.table.wait(1)
    evening.set_clock(jump_s)
    evening.table.wait(LONG)
    events = [(one.table_ns, one.event) for one in evening.logged()]
    return [
        (at, type(event).__name__, getattr(event, "timer", getattr(event, "reason", "")))
        for at, event in events
        if not isinstance(event, ClockJumped)
    ], evening


@cache
def calm_course(step: str) -> tuple[list[tuple[int, str, str]], WalledEvening]:
    """The course of a step while nobody touches the clock."""
    return course(STEPS[step][0], 0)


@pytest.mark.field("BR-039")
@pytest.mark.clause("SB-3")
@pytest.mark.parametrize("jump", ["three years on", "an hour back", "five seconds on"])
@pytest.mark.parametrize("step", STEPS)
def test_no_step_changes_its_length_when_the_clock_is_set(step: str, jump: str) -> None:
    begin, timer = STEPS[step]
    without, calm = calm_course(step)
    with_jump, evening = course(begin, JUMPS[jump])
    assert with_jump == without
    assert any(isinstance(one.event, TimerDue | EntryDropped) for one in calm.logged()), "the step has a time"
    assert timer in {name for _, _, name in without} or not timer
    told = screen(evening).alarm, screen(calm).alarm
    texts = [None if alarm is None else (alarm.text, alarm.escalation) for alarm in told]
    assert texts[0] == texts[1], "nor is it told otherwise"


@pytest.mark.field("BR-039")
@pytest.mark.parametrize("jump", JUMPS)
def test_the_jump_is_a_record_with_both_times_and_order_follows_the_record_number(jump: str) -> None:
    evening = WalledEvening()
    evening.open_and_load()
    evening.set_clock(JUMPS[jump])
    evening.play_round()
    records = evening.table.store.records()
    jumps = [(record, Logged.from_body(record.body)) for record in records]
    ((record, logged),) = [(record, one) for record, one in jumps if isinstance(one.event, ClockJumped)]
    assert isinstance(logged.event, ClockJumped)
    assert logged.event.utc_ns == record.utc_ns
    assert logged.event.utc_ns - logged.event.expected_utc_ns == JUMPS[jump] * SECOND
    assert [one.number for one in records] == list(range(1, len(records) + 1))
    assert [one.table_ns for one in evening.logged()] == sorted(one.table_ns for one in evening.logged())
    words = describe(logged, record.number)
    assert words is not None
    assert ("set back by" if JUMPS[jump] < 0 else "set forward by") in words
    (line,) = session_told(evening).clock
    assert (line.when.record, line.text) == (record.number, words)


@pytest.mark.field("BR-039")
@pytest.mark.parametrize("seconds", [1.9, -1.9, 0.0])
def test_a_clock_that_is_only_steered_is_no_record(seconds: float) -> None:
    evening = WalledEvening()
    evening.open_table()
    evening.table.set_by_s = seconds  # type: ignore[attr-defined]
    evening.table.wait(60)
    assert not any(isinstance(one.event, ClockJumped) for one in evening.logged())


@pytest.mark.field("BR-039")
def test_a_controller_that_starts_before_its_last_record_says_so() -> None:
    evening = WalledEvening()
    evening.open_table()
    last = evening.state.utc_ns
    evening.set_clock(-YEAR)
    evening.table.start_controller()
    (jumped,) = [one.event for one in evening.logged() if isinstance(one.event, ClockJumped)]
    assert (jumped.expected_utc_ns, jumped.utc_ns) == (last, EPOCH_NS + evening.table.ns - YEAR * SECOND)


@pytest.fixture(params=["Europe/Lisbon", "Europe/Madrid", "Asia/Macau"])
def local_time(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()
    assert os.environ.get("TZ") != request.param


@pytest.mark.field("BR-040")
@pytest.mark.usefixtures("local_time")
def test_the_repeated_hour_is_told_apart_and_a_shift_over_it_has_its_true_length() -> None:
    """Written and shown in UTC, whatever the computer's own time is; nothing is done by local time.

    The field's hourly counts do not apply: no step or duty here is due by the hour of the day, each by a time elapsed.
    """
    change = int(datetime(2026, 10, 25, 0, 0, tzinfo=UTC).timestamp())
    quarters = [moment((change + 900 * quarter) * SECOND) for quarter in range(13)]
    assert quarters == sorted(set(quarters))
    assert (quarters[0], quarters[-1]) == ("2026-10-25T00:00:00Z", "2026-10-25T03:00:00Z")


CHANGES = {
    "an hour repeated": datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
    "an hour left out": datetime(2026, 3, 29, 0, 30, tzinfo=UTC),
}
"""Half an hour before Lisbon and Madrid change their clocks; Macau never does."""


@cache
def evening_over(change: str) -> WalledEvening:
    """A session over the change; it is played once, where that comes first, and told wherever it may be."""
    evening = WalledEvening()
    evening.set_clock(int(CHANGES[change].timestamp()) - (EPOCH_NS + evening.table.ns) // SECOND)
    evening.open_and_load()
    evening.play_round()
    began = evening.state.utc_ns
    evening.table.wait(2 * 3600)
    evening.play_round()
    assert 0 <= evening.state.utc_ns - began - 2 * 3600 * SECOND < 120 * SECOND
    evening.close()
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    return evening


@pytest.mark.field("BR-040")
@pytest.mark.usefixtures("local_time")
@pytest.mark.parametrize("change", CHANGES)
def test_a_session_over_the_change_is_reported_with_its_true_length(change: str) -> None:
    evening = evening_over(change)
    report = session_told(evening)
    assert report.ended is not None
    assert 7200 < (report.ended.utc_ns - report.began.utc_ns) / SECOND < 7200 + 1800
    assert len([one for one in evening.logged() if isinstance(one.event, ClockJumped)]) == 1, "the one set here"
