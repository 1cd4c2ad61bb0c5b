"""A device that hears and answers, and leaves one thing undone: told once, never taken for ready (rule 29, BR-026)."""

from __future__ import annotations

from typing import Any

import pytest

from drivers.protocol import messages as m
from drivers.protocol import notices as n
from drivers.protocol.link_core import SILENCE
from tests.protocol.bench import BOOT, LINK, MEMORY, Bench
from tests.protocol.test_link_hearing import ASKED, beats_until_lost

pytestmark = [pytest.mark.field("BR-026"), pytest.mark.rule(29)]

FOR_LONG = 500
"""Heartbeats: what is said of each of so many would be a flood."""

OTHER = LINK + 1
"""The link that it is given after the loss of the first."""

OBEYS: dict[str, dict[str, Any]] = {
    "hold": {"hold_revision": 1},
    "lamp": {"lamp_revision": 1},
    "ack": {"first_kept": 2, "last": 1},
    "event": {"last": 3},
    "command": {"highest_command": 42},
}
"""What the heartbeats show once the device does what it was asked."""

KEPT = {"ack": {"last": 1}, "event": {"last": 3}}
"""What its hello says of its events."""


def ignoring(what: str, boot: int = BOOT) -> tuple[Bench, dict[str, Any], list[n.LinkOpened]]:
    """A bench whose device was lost for one thing, and answered the next opening."""
    bench = Bench()
    bench.open()
    asks, shown = ASKED[what]
    asks(bench)
    assert beats_until_lost(bench, **shown)[0]
    kept = KEPT.get(what, {}) if boot == BOOT else {"last": 1 if what == "ack" else 0}
    return bench, shown, bench.answer(link=OTHER, boot=boot, **kept).only(n.LinkOpened)


@pytest.mark.parametrize("what", ASKED)
def test_its_link_stays_open_and_what_it_leaves_undone_is_named_once(what: str) -> None:
    bench, shown, [opened] = ignoring(what)
    assert f"does not do what it is asked ({what})" in opened.ignores
    for _ in range(FOR_LONG):
        beat = bench.beat(link=OTHER, **shown)
        assert [type(one) for one in beat.notices] == [n.HeartbeatHeard], "neither lost again nor ready"
        assert beat.sent, "and asked on: it may obey yet"


@pytest.mark.parametrize("what", ASKED)
def test_it_is_ready_as_soon_as_it_shows_that_it_obeys(what: str) -> None:
    bench, shown, _ = ignoring(what)
    bench.beat(link=OTHER, **shown)
    if what == "event":
        for number in (1, 2, 3):
            assert not bench.event(number, m.FeedEmpty(), link=OTHER).only(n.CaughtUp)
        bench.order(n.AckEvents(3, MEMORY))
        OBEYS["event"]["first_kept"] = 4
    assert bench.beat(link=OTHER, **OBEYS[what]).only(n.CaughtUp)
    assert not bench.beat(link=OTHER, **OBEYS[what]).only(n.CaughtUp), "told once"


@pytest.mark.rule(27)
def test_what_was_not_asked_yet_for_its_events_are_not_journalled_is_not_taken_for_done() -> None:
    bench = Bench()
    bench.open()
    bench.order(n.Want(m.Level.LAMP, 0))
    assert beats_until_lost(bench)[0]
    [opened] = bench.answer(link=OTHER, last=1).only(n.LinkOpened)
    assert "(lamp)" in opened.ignores
    bench.beat(link=OTHER, last=1)
    bench.event(1, m.FeedEmpty(), link=OTHER)
    told = [*bench.beat(link=OTHER, last=1).notices, *bench.order(n.AckEvents(1, MEMORY)).notices]
    journalled = {"link": OTHER, "last": 1, "first_kept": 2}
    told += bench.beat(**journalled).notices
    assert not [one for one in told if isinstance(one, n.CaughtUp)]
    assert bench.beat(**journalled, lamp_revision=1).only(n.CaughtUp)


def test_whoever_was_deaf_and_hears_again_is_said_to_ignore_nothing() -> None:
    bench = Bench()
    bench.open()
    asks, shown = ASKED["lamp"]
    asks(bench)
    assert beats_until_lost(bench, **shown)[0]
    for _ in range(round(SILENCE / 0.5)):
        assert not bench.beat().only(n.LinkOpened)
    [opened] = bench.answer(link=OTHER).only(n.LinkOpened)
    assert opened.ignores == ""
    assert bench.beat(link=OTHER, lamp_revision=1).only(n.CaughtUp)


def test_one_that_began_anew_may_obey_now_and_is_asked_as_any_other() -> None:
    bench, shown, [opened] = ignoring("lamp", boot=BOOT + 1)
    assert opened.ignores == ""
    assert bench.beat(link=OTHER, **shown).only(n.CaughtUp)
    assert beats_until_lost(bench, link=OTHER, **shown)[0], "and lost as any other, if it does not"


def test_one_whose_cable_was_plugged_in_anew_may_hear_now_and_is_asked_as_any_other() -> None:
    bench, _, [opened] = ignoring("lamp")
    assert opened.ignores
    bench.disconnect()
    bench.connect()
    [again] = bench.answer(link=OTHER + 1).only(n.LinkOpened)
    assert again.ignores == ""


def test_a_second_thing_that_it_leaves_undone_is_named_too() -> None:
    bench, _, _ = ignoring("lamp")
    bench.order(n.Carry(42, BOOT, m.Operation.INVENTORY))
    beats, reason = beats_until_lost(bench, link=OTHER)
    assert beats
    assert "(command)" in reason
    [opened] = bench.answer(link=OTHER + 1).only(n.LinkOpened)
    assert "(command, lamp)" in opened.ignores


def test_a_device_that_ignores_a_release_is_ready_for_people_must_confirm_before_the_next() -> None:
    """Else it could never show that it obeys: nobody releases what is not ready."""
    bench = Bench()
    bench.open()
    bench.beat()
    while not bench.beat().only(n.LinkLost):
        bench.order(n.Release(m.Purpose.DEAL, LINK, bench.beats))
    [opened] = bench.answer(link=OTHER).only(n.LinkOpened)
    assert opened.ignores == ""
    assert bench.beat(link=OTHER).only(n.CaughtUp)
