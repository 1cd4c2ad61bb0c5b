"""A device that hears nothing and beats on: what it is asked stays unanswered, and its link is lost (rule 29)."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from drivers.protocol import messages as m
from drivers.protocol import notices as n
from drivers.protocol.framing import END
from drivers.protocol.hearing import LIMIT, TRIES
from drivers.protocol.link_core import ANSWER_LIMIT, UNANSWERED, WAKE_PERIOD
from drivers.protocol.messages import Level
from tests.protocol.bench import BOOT, HEARTBEAT, HELLO, LINK, MEMORY, Bench, on_the_line
from tests.protocol.lines import Table, striking
from tests.protocol.wire import Fate

HEARS_NOTHING = "hear nothing"
MOST_BEATS = 1 + round(LIMIT / 0.5)
"""Heartbeats that leave the same unanswered, the last of which ends the link."""


def beats_until_lost(bench: Bench, **shown: Any) -> tuple[int, str]:
    """Let heartbeats come that all show the same; how many until the link was lost, and the reason."""
    for beat in range(1, 20):
        for lost in bench.beat(**shown).only(n.LinkLost):
            return beat, lost.reason
    return 0, ""


def ask_nothing(bench: Bench) -> None:
    """The opening's own hold is asked for already."""


def want_lamp(bench: Bench) -> None:
    bench.order(n.Want(Level.LAMP, 1))


def ack(bench: Bench) -> None:
    bench.event(1, m.FeedEmpty())
    bench.order(n.AckEvents(1, MEMORY))


def order_count(bench: Bench) -> None:
    bench.order(n.Carry(42, BOOT, m.Operation.INVENTORY))


ASKED = {
    "hold": (ask_nothing, {"hold_revision": 0}),
    "lamp": (want_lamp, {}),
    "ack": (ack, {"last": 1}),
    "event": (ask_nothing, {"last": 3}),
    "command": (order_count, {"highest_command": 41}),
}


@pytest.mark.field("BR-026")
@pytest.mark.rule(29)
@pytest.mark.parametrize("what", ASKED)
def test_what_no_heartbeat_shows_though_it_was_asked_for_again_and_again_ends_the_link(what: str) -> None:
    bench = Bench()
    bench.open()
    asks, shown = ASKED[what]
    asks(bench)
    beats, reason = beats_until_lost(bench, **shown)
    assert beats == MOST_BEATS
    assert HEARS_NOTHING in reason
    assert f"({what})" in reason


@pytest.mark.field("BR-026")
@pytest.mark.rule(29)
def test_a_release_that_no_heartbeat_shows_ends_the_link() -> None:
    bench = Bench()
    bench.open()
    bench.beat()
    for beat in range(1, MOST_BEATS + 1):
        bench.order(n.Release(m.Purpose.DEAL, LINK, bench.beats))
        lost = bench.beat().only(n.LinkLost)
        assert bool(lost) == (beat == MOST_BEATS)


@pytest.mark.rule(24)
def test_a_release_that_left_late_may_have_been_dropped_and_proves_nothing() -> None:
    """Its flush took so long that another heartbeat was heard meanwhile."""
    bench = Bench()
    bench.open()
    bench.beat()
    for _ in range(10):
        late = bench.beats
        assert not bench.beat().only(n.LinkLost)
        assert bench.order(n.Release(m.Purpose.DEAL, LINK, late)).only(m.Lease)


@pytest.mark.rule(15)
def test_a_busy_device_may_leave_a_command_undone_for_as_long_as_it_likes() -> None:
    bench = Bench()
    bench.open()
    order_count(bench)
    assert beats_until_lost(bench, busy=True) == (0, "")


def test_a_device_that_does_one_of_many_things_hears() -> None:
    """Ten events told and all acked; it forgets them one by one, as slowly as it likes."""
    bench = Bench()
    bench.open()
    for number in range(1, 11):
        bench.event(number, m.FeedEmpty())
    bench.order(n.AckEvents(10, MEMORY))
    for first in range(2, 11):
        for _ in range(TRIES):
            assert not bench.beat(first_kept=first, last=10).only(n.LinkLost)


def test_what_came_in_one_piece_after_a_stall_was_asked_for_once() -> None:
    """The host stood still for ten seconds: the heartbeats of that time could show nothing of what it sent then."""
    bench = Bench()
    bench.open()
    bench.beat(hold_revision=0)
    bench.now += 10.0
    for _ in range(20):
        bench.now -= 0.5
        assert not bench.beat(hold_revision=0).only(n.LinkLost)


@pytest.mark.rule(1)
def test_it_is_opened_again_by_the_heartbeat_that_ended_it_and_by_each_one_after_that() -> None:
    bench = Bench()
    bench.open()
    for _ in range(MOST_BEATS - 1):
        bench.beat(hold_revision=0)
    before = bench.nonce
    assert [type(sent) for sent in bench.beat(hold_revision=0).sent] == [m.Open]
    assert bench.nonce != before
    again = bench.beat(hold_revision=0)
    assert [type(sent) for sent in again.sent] == [m.Open]
    assert again.notices == [], "it was said, and once"
    assert bench.answer(link=LINK + 1).only(n.LinkOpened)


def test_nothing_is_asked_and_so_nothing_is_missed() -> None:
    bench = Bench()
    bench.open()
    assert beats_until_lost(bench) == (0, "")


@pytest.mark.rule(29)
def test_what_one_link_left_unanswered_does_not_count_against_the_next() -> None:
    bench = Bench()
    bench.open()
    for _ in range(MOST_BEATS - 1):
        bench.beat(hold_revision=0)
    assert bench.beat(link=0).only(n.LinkLost), "it began anew"
    bench.answer()
    bench.beats = 0
    assert beats_until_lost(bench, hold_revision=0)[0] == MOST_BEATS


def test_a_device_that_beat_and_then_fell_silent_is_not_told_of_as_one_that_hears_nothing() -> None:
    bench = Bench()
    bench.connect()
    bench.beat(link=0)
    bench.now += ANSWER_LIMIT
    (lost,) = bench.step().only(n.LinkLost)
    assert lost.reason == UNANSWERED


def test_a_device_that_beats_and_answers_no_opening_is_told_of_as_one_that_hears_nothing() -> None:
    bench = Bench()
    bench.connect()
    beats, reason = beats_until_lost(bench, link=0)
    assert beats == 10
    assert HEARS_NOTHING in reason


@pytest.mark.parametrize("seed", range(4))
def test_a_line_that_loses_a_fifth_is_not_deaf(seed: int) -> None:
    """Five sendings in a row must be lost: it falls silent, for want of four heartbeats in a row, more often."""
    rng = Random(seed)
    table = Table(lambda _: striking(0.2, Fate.LOST)(rng))
    reasons = Counter[str]()
    for desk in table.desks.values():
        desk.hear = _also(desk.hear, reasons)  # type: ignore[method-assign]
    assert table.play()
    table.pass_time(30.0)
    assert reasons[HEARS_NOTHING] <= 1


def _also(hear: Any, reasons: Counter[str]) -> Any:
    def heard(notices: Any) -> None:
        reasons.update(HEARS_NOTHING for one in notices if isinstance(one, n.LinkLost) and HEARS_NOTHING in one.reason)
        hear(notices)

    return heard


# ---- a line that sleeps until the host writes


@pytest.mark.field("BR-047")
@pytest.mark.rule(9)
def test_a_lone_zero_each_second_wakes_a_line_whose_hello_is_awaited() -> None:
    bench = Bench()
    bench.core.connected(bench.now)
    for _ in range(5):
        bench.now += WAKE_PERIOD
        step = bench.core.step(bench.now, b"", ())
        assert step.to_send == END
    bench.hear(replace(HELLO, nonce=1))
    bench.now += WAKE_PERIOD
    assert bench.core.step(bench.now, b"", ()).to_send == b"", "an open link has its heartbeats answered"


@pytest.mark.field("BR-047")
@pytest.mark.rule(9)
def test_a_heartbeat_that_has_no_other_answer_is_answered_by_a_lone_zero() -> None:
    bench = Bench()
    bench.open()
    beat = on_the_line(HEARTBEAT)
    assert bench.core.step(bench.now + 0.5, beat, ()).to_send == END
    assert bench.core.step(bench.now + 0.6, beat, ()).to_send == b"", "one that came twice is no heartbeat"
