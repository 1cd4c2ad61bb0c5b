"""Devices that begin anew again and again, or stand still (rules 1, 5, 9): counted, and told."""

from __future__ import annotations

import pytest

from drivers.protocol import messages as m
from drivers.protocol import notices as n
from drivers.protocol.link_core import ANSWER_LIMIT
from drivers.protocol.openings import BURST, PERIOD
from tests.protocol.bench import LINK, Bench
from tests.protocol.test_link_opening import hello_of_version_2


def begin_anew(bench: Bench) -> bool:
    """Let the device begin anew and say so; return whether it is asked to open, which it then does."""
    asked = bool(bench.beat(link=0).sent)
    if asked:
        assert bench.answer(link=LINK + bench.nonce).only(n.LinkOpened)
    return asked


@pytest.mark.rule(1)
def test_a_device_that_begins_anew_without_end_opens_a_bounded_number_of_links() -> None:
    bench = Bench()
    bench.open()
    began = bench.now
    opened = sum(begin_anew(bench) for _ in range(10_000))
    assert opened <= BURST + (bench.now - began) / PERIOD


@pytest.mark.rule(1)
def test_what_begins_anew_too_often_is_told_once_with_its_count_and_told_nothing_else() -> None:
    bench = Bench()
    bench.open()
    told, opened = bench.beat(link=0), 1
    while told.sent:
        bench.answer(link=LINK + bench.nonce)
        told, opened = bench.beat(link=0), opened + 1
    (lost,) = told.notices
    assert f"begins anew again and again ({opened} times by now)" in lost.reason
    assert told.sent == []
    for _ in range(5):
        told = bench.beat(link=0)
        assert (told.notices, told.sent) == ([], []), "held, as after any lost link, and no word more"


@pytest.mark.rule(1)
def test_what_has_calmed_down_is_heard_again_with_room_for_as_many() -> None:
    bench = Bench()
    bench.open()
    while begin_anew(bench):
        pass
    bench.now += PERIOD * BURST
    for _ in range(BURST):
        assert begin_anew(bench)


@pytest.mark.rule(1)
@pytest.mark.rule(5)
def test_what_is_refused_again_and_again_is_not_said_to_be_silent() -> None:
    bench = Bench()
    bench.connect()
    bench.answer(kind=m.Kind.LAMP)
    while bench.beat(link=0).sent:
        bench.answer(kind=m.Kind.LAMP)
    bench.now += ANSWER_LIMIT + 1
    assert bench.step().notices == []


@pytest.mark.rule(1)
def test_a_device_of_another_version_is_asked_as_seldom() -> None:
    bench = Bench()
    bench.connect()
    asked = 1
    for _ in range(1000):
        bench.step(hello_of_version_2(bench.nonce))
        asked += bool(bench.beat(link=0).sent)
    assert asked <= BURST + 1 + bench.now / PERIOD


def test_a_cable_that_makes_and_breaks_is_asked_as_seldom() -> None:
    bench = Bench()
    asked = 0
    for _ in range(1000):
        asked += bool(bench.connect().sent)
        if bench.beat(link=0).sent:
            bench.answer(link=LINK + bench.nonce)
        bench.disconnect()
    assert asked <= BURST + 500 / PERIOD


# ---- standing still


@pytest.mark.rule(9)
def test_a_counter_that_stands_still_is_no_sign_of_life_and_is_told_once_as_that() -> None:
    bench = Bench()
    bench.open()
    assert bench.beat(number=1).only(n.HeartbeatHeard)
    *before, fourth, after = (bench.beat(number=1).notices for _ in range(5))
    assert [*before, after] == [[]] * 4
    (lost,) = fourth
    assert isinstance(lost, n.LinkLost)
    assert lost.reason.startswith("the device sends, but its counter has stood still for 2.0 s")
