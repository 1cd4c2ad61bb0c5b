"""Events in order and once, asks, acks and their repeats (rules 8 to 11, 18, 27)."""

from __future__ import annotations

import pytest

from drivers.protocol import messages as m
from drivers.protocol import notices as n
from drivers.protocol.framing import encode_frame
from tests.protocol.bench import LINK, MEMORY, Bench, on_the_line

OPEN, CLOSED = m.LidMoved(open=True), m.LidMoved(open=False)


def told_numbers(bench: Bench, *numbers: int) -> list[int]:
    told = [bench.event(number, OPEN) for number in numbers]
    return [event.number for step in told for event in step.only(n.EventTold)]


@pytest.mark.field("BR-049")
@pytest.mark.rule(10)
def test_events_are_told_once_and_in_order() -> None:
    bench = Bench()
    bench.open(last=3)
    assert told_numbers(bench, 1, 1, 3, 2, 2, 1, 3, 4) == [1, 2, 3, 4]


@pytest.mark.rule(8)
@pytest.mark.rule(10)
def test_a_later_event_has_the_first_missing_asked_for() -> None:
    bench = Bench()
    bench.open()
    told = bench.event(3, OPEN)
    assert (told.notices, told.sent) == ([], [m.Ask(LINK, 1)])


@pytest.mark.field("BR-026")
@pytest.mark.rule(10)
def test_a_burst_behind_a_gap_asks_once() -> None:
    """Else thirty kept events behind one lost frame would be sent thirty times."""
    bench = Bench()
    bench.open()
    asked = [message for number in range(2, 30) for message in bench.event(number, OPEN).sent]
    assert asked == [m.Ask(LINK, 1)]


@pytest.mark.rule(9)
@pytest.mark.rule(10)
def test_a_request_that_was_lost_is_repeated_by_the_heartbeat() -> None:
    bench = Bench()
    bench.open()
    bench.event(3, OPEN)
    assert bench.beat(last=3).sent == [m.Ask(LINK, 1)]
    assert bench.beat(last=3).sent == [m.Ask(LINK, 1)]


@pytest.mark.rule(9)
@pytest.mark.rule(10)
def test_each_heartbeat_arms_the_request_for_a_gap_anew_though_it_is_answered_with_an_ack() -> None:
    bench = Bench()
    bench.open(last=1)
    bench.event(1, OPEN)
    bench.order(n.AckEvents(1, MEMORY))
    assert bench.event(3, OPEN).sent == [m.Ask(LINK, 2)]
    assert bench.event(4, OPEN).sent == []
    assert bench.beat(first_kept=1, last=4).sent == [m.Ack(LINK, 1)]
    assert bench.event(5, OPEN).sent == [m.Ask(LINK, 2)]
    assert bench.event(6, OPEN).sent == []


@pytest.mark.rule(10)
def test_the_request_of_a_heartbeat_is_that_of_the_events_behind_it() -> None:
    bench = Bench()
    bench.open()
    assert bench.beat(last=3).sent == [m.Ask(LINK, 1)]
    assert bench.event(3, OPEN).sent == []


@pytest.mark.rule(10)
def test_an_event_that_cannot_be_read_is_asked_for_and_nothing_after_it_is_taken() -> None:
    bench = Bench()
    bench.open()
    unknown = b"\x83" + LINK.to_bytes(4, "little") + b"\x01\0\0\0" + b"\xfe"
    assert bench.step(encode_frame(unknown)).only(n.RemoteErrors)
    assert bench.event(2, OPEN).only(n.EventTold) == []
    assert bench.beat(last=2).sent == [m.Ask(LINK, 1)]


@pytest.mark.rule(10)
def test_the_last_event_lost_is_noticed_by_the_heartbeat() -> None:
    bench = Bench()
    bench.open()
    bench.event(1, OPEN)
    assert bench.beat(last=2).sent == [m.Ask(LINK, 2)]


@pytest.mark.rule(10)
def test_a_heartbeat_that_shows_nothing_new_is_answered_with_nothing() -> None:
    bench = Bench()
    bench.open()
    bench.event(1, OPEN)
    assert bench.beat(last=1).sent == []


@pytest.mark.rule(11)
def test_an_event_taken_is_not_acked_by_itself() -> None:
    bench = Bench()
    bench.open(last=1)
    assert bench.event(1, OPEN).sent == []
    assert bench.beat(last=1).sent == []


@pytest.mark.rule(11)
def test_the_ack_leaves_when_the_journal_has_it() -> None:
    bench = Bench()
    bench.open(last=2)
    told_numbers(bench, 1, 2)
    assert bench.order(n.AckEvents(2, MEMORY)).sent == [m.Ack(LINK, 2)]


@pytest.mark.rule(11)
@pytest.mark.parametrize("number", [0, 1, 3])
def test_nothing_is_acked_backwards_or_beyond_what_was_taken(number: int) -> None:
    bench = Bench()
    bench.open(last=2)
    told_numbers(bench, 1, 2)
    bench.order(n.AckEvents(1, MEMORY))
    assert bench.order(n.AckEvents(number, MEMORY)).sent == []


@pytest.mark.rule(9)
@pytest.mark.rule(10)
def test_an_ack_that_was_lost_is_repeated_while_the_heartbeat_shows_the_event_kept() -> None:
    """A full window whose last ack was lost has no gap: nobody else would speak."""
    bench = Bench()
    bench.open(last=2)
    told_numbers(bench, 1, 2)
    bench.order(n.AckEvents(2, MEMORY))
    assert bench.beat(first_kept=1, last=2).sent == [m.Ack(LINK, 2)]
    assert bench.beat(first_kept=2, last=2).sent == [m.Ack(LINK, 2)]
    assert bench.beat(first_kept=3, last=2).sent == []


@pytest.mark.rule(10)
def test_the_ack_goes_before_the_request_when_both_are_due() -> None:
    bench = Bench()
    bench.open(last=1)
    told_numbers(bench, 1)
    bench.order(n.AckEvents(1, MEMORY))
    assert bench.beat(first_kept=1, last=2).sent == [m.Ack(LINK, 1)]
    assert bench.beat(first_kept=2, last=2).sent == [m.Ask(LINK, 2)]


@pytest.mark.rule(10)
def test_the_hello_is_answered_as_a_heartbeat_is() -> None:
    bench = Bench(resume=n.Resume(MEMORY, 5))
    assert bench.open(first_kept=4, last=6).sent[-1] == m.Ack(LINK, 5)


@pytest.mark.rule(10)
@pytest.mark.rule(11)
def test_an_ack_ordered_while_no_link_is_open_leaves_on_the_next_one() -> None:
    bench = Bench()
    bench.open(last=1)
    told_numbers(bench, 1)
    bench.disconnect()
    assert bench.order(n.AckEvents(1, MEMORY)).sent == []
    assert bench.open(link=LINK + 1, last=1).sent[-1] == m.Ack(LINK + 1, 1)


@pytest.mark.rule(4)
@pytest.mark.rule(12)
def test_a_flush_that_outlived_its_memory_acks_nothing_of_the_new_one() -> None:
    bench = Bench()
    bench.open(last=3)
    told_numbers(bench, 1, 2, 3)
    bench.beat(link=0)
    bench.answer(link=LINK + 1, memory=MEMORY + 1, last=3)
    for number in (1, 2, 3):
        bench.event(number, CLOSED, link=LINK + 1)
    assert bench.order(n.AckEvents(3, MEMORY)).sent == []
    assert bench.order(n.AckEvents(3, MEMORY + 1)).sent == [m.Ack(LINK + 1, 3)]


@pytest.mark.rule(18)
@pytest.mark.rule(27)
def test_caught_up_is_told_once_after_the_last_event_of_the_hello() -> None:
    bench = Bench()
    assert bench.open(last=2).only(n.CaughtUp) == []
    assert bench.event(1, OPEN).only(n.CaughtUp) == []
    assert bench.beat(last=2).only(n.CaughtUp) == []
    assert bench.event(2, OPEN).notices == [n.EventTold(2, OPEN), n.CaughtUp()]
    assert bench.event(3, OPEN).only(n.CaughtUp) == []


@pytest.mark.rule(27)
def test_caught_up_is_told_again_in_every_link() -> None:
    bench = Bench()
    bench.open()
    assert bench.beat().only(n.CaughtUp)
    bench.disconnect()
    bench.open(link=LINK + 1)
    assert bench.beat(link=LINK + 1).only(n.CaughtUp)


@pytest.mark.rule(14)
@pytest.mark.rule(27)
def test_caught_up_is_not_told_before_a_heartbeat_of_the_link_names_the_highest_command() -> None:
    bench = Bench()
    assert bench.open(last=1).only(n.CaughtUp) == []
    assert bench.beat(link=LINK - 1, highest_command=9).only(n.CaughtUp) == [], "of another link"
    assert bench.answer(link=LINK + 1, last=1).only(n.CaughtUp) == []
    assert bench.event(1, OPEN, link=LINK + 1).only(n.CaughtUp) == []
    told = bench.beat(link=LINK + 1, last=1, highest_command=500)
    assert told.only(n.CaughtUp) == [n.CaughtUp(500)]


@pytest.mark.rule(9)
def test_each_heartbeat_is_told_once() -> None:
    bench = Bench()
    bench.open()
    bench.beat()
    told = bench.beat(held=False)
    assert told.notices == [n.HeartbeatHeard(LINK, 2, held=False, lapsed=False)]
    bench.beats -= 1
    assert bench.beat().notices == [], "a copy"


# ---- what is no message


def test_bad_frames_are_counted_and_told_at_most_once_a_second() -> None:
    bench = Bench()
    bench.open()
    told = bench.step(b"\x03ab\0\x05abcd\0")
    assert told.notices == [
        n.RemoteErrors(2, "a frame of 5 bytes is too short for a payload and its check; it is dropped")
    ]
    assert bench.step(b"\x03ab\0").notices == []
    assert bench.step(b"\x03ab\0").notices == []
    assert bench.deadline == bench.now + 1.0
    bench.now += 1.0
    (errors,) = bench.step().notices
    assert isinstance(errors, n.RemoteErrors)
    assert errors.count == 2


def test_a_message_that_is_none_is_named_and_the_link_goes_on() -> None:
    bench = Bench()
    bench.open(last=1)
    told = bench.step(on_the_line(m.Ack(LINK, 1)) + on_the_line(m.Event(LINK, 1, OPEN)))
    assert told.only(n.EventTold)
    (errors,) = told.only(n.RemoteErrors)
    assert "Ack is the host's to send" in errors.latest
