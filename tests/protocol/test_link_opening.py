"""Opening a link, losing it, refusing what is not configured (rules 1 to 5, 12, 13)."""

from __future__ import annotations

import struct

import pytest
from msgspec.structs import replace

from drivers.errors import LocalProtocolError
from drivers.protocol import messages as m
from drivers.protocol import notices as n
from drivers.protocol.framing import END, encode_frame
from drivers.protocol.link_core import ANSWER_LIMIT, UNANSWERED, WAKE_PERIOD
from tests.protocol.bench import BOOT, HEARTBEAT, HELLO, LINK, MEMORY, Bench, on_the_line

LID = m.LidMoved(open=True)


@pytest.mark.rule(1)
def test_a_connected_host_opens_with_a_zero_byte_and_a_nonce() -> None:
    bench = Bench()
    step = bench.core.connected(bench.now)
    assert step.to_send == END + on_the_line(m.Open(version=1, nonce=1))
    assert (step.notices, step.deadline) == ((), bench.now + WAKE_PERIOD)


@pytest.mark.rule(1)
def test_while_the_hello_is_awaited_every_heartbeat_has_the_same_open_sent_again() -> None:
    bench = Bench()
    bench.connect()
    for link in (0, 77, 77):
        assert bench.beat(link=link).sent == [m.Open(version=1, nonce=1)]
    assert bench.answer().only(n.LinkOpened)


@pytest.mark.rule(1)
def test_each_opening_draws_its_own_nonce() -> None:
    bench = Bench()
    bench.open()
    assert bench.beat(link=0).sent == [m.Open(version=1, nonce=2)]
    bench.answer(link=LINK + 1)
    bench.disconnect()
    assert bench.connect().sent == [m.Open(version=1, nonce=3)]


@pytest.mark.field("BR-026")
@pytest.mark.rule(1)
@pytest.mark.rule(9)
def test_nothing_is_sent_by_a_timer() -> None:
    bench = Bench()
    bench.connect()
    for _ in range(100):
        bench.now += 1.0
        assert bench.step().sent == []


def test_the_hello_opens_the_link_and_is_told() -> None:
    bench = Bench()
    told = bench.open()
    assert told.notices == [n.LinkOpened(replace(HELLO, nonce=1), memory_lost=False, behind=False)]


@pytest.mark.field("BR-025")
@pytest.mark.rule(3)
def test_a_hello_with_another_nonce_is_dropped() -> None:
    bench = Bench()
    bench.connect()
    told = bench.hear(replace(HELLO, nonce=999))
    assert (told.notices, told.sent) == ([], [])


@pytest.mark.rule(3)
def test_a_hello_that_nobody_awaits_is_dropped() -> None:
    bench = Bench()
    bench.open()
    told = bench.answer(link=LINK + 1, memory=MEMORY + 1)
    assert (told.notices, told.sent) == ([], [])
    assert bench.beat().only(n.HeartbeatHeard), "the link is still the first one"


@pytest.mark.field("BR-025")
@pytest.mark.rule(3)
def test_the_hello_of_an_earlier_opening_is_dropped() -> None:
    bench = Bench()
    bench.open()
    bench.beat(link=0)
    assert bench.hear(replace(HELLO, nonce=1, link=LINK + 1)).only(n.LinkOpened) == []


@pytest.mark.rule(4)
@pytest.mark.parametrize("link", [0, LINK + 1])
def test_a_heartbeat_of_another_link_means_that_the_link_is_gone(link: int) -> None:
    bench = Bench()
    bench.open()
    told = bench.beat(link=link)
    assert [type(notice) for notice in told.notices] == [n.LinkLost]
    assert told.sent == [m.Open(version=1, nonce=2)]


@pytest.mark.rule(4)
@pytest.mark.parametrize("frame", [m.Event(LINK + 1, 1, LID), m.Stroke(LINK + 1, 1, 0, 5)])
def test_frames_of_another_link_are_dropped_and_counted(frame: m.Message) -> None:
    bench = Bench()
    bench.open()
    told = bench.hear(frame)
    assert told.sent == []
    assert [type(notice) for notice in told.notices] == [n.RemoteErrors]


@pytest.mark.rule(4)
def test_events_before_the_hello_are_dropped_even_if_their_link_will_be_the_one() -> None:
    bench = Bench()
    bench.connect()
    assert bench.event(1, LID).only(n.EventTold) == []
    assert bench.answer(last=1).sent[-1] == m.Ask(LINK, 1)


@pytest.mark.rule(4)
def test_everything_sent_carries_the_link() -> None:
    bench = Bench()
    bench.open(last=1)
    bench.event(1, LID)
    told = bench.step(
        orders=[
            n.AckEvents(1, MEMORY),
            n.Want(m.Level.LAMP, m.Lamp.STEADY),
            n.HoldNow(),
            n.Carry(id=9, boot=BOOT, operation=m.Operation.INVENTORY),
        ]
    )
    told.sent += bench.beat(first_kept=2, last=1, hold_revision=2, lamp_revision=1, highest_command=9).sent
    told.sent += bench.order(n.Release(m.Purpose.DEAL, LINK, 1)).sent
    assert len(told.sent) == 5
    assert {getattr(message, "link", None) for message in told.sent} == {LINK}


@pytest.mark.rule(5)
@pytest.mark.rule(12)
def test_only_another_memory_id_tells_that_a_memory_was_lost() -> None:
    """The new memory may have counted as far as the old one; the boot id says nothing."""
    bench = Bench(resume=n.Resume(MEMORY, 7))
    (opened,) = bench.open(memory=MEMORY + 1, last=7).only(n.LinkOpened)
    assert opened.memory_lost
    bench.beat(link=0)
    (opened,) = bench.answer(memory=MEMORY + 1, boot=BOOT + 1, link=LINK + 1, last=7).only(n.LinkOpened)
    assert not opened.memory_lost


@pytest.mark.rule(12)
def test_memory_lost_is_told_before_any_event_of_the_new_memory() -> None:
    bench = Bench(resume=n.Resume(MEMORY, 40))
    told = bench.open(memory=MEMORY + 1, last=2)
    assert told.notices[0] == n.LinkOpened(
        replace(HELLO, nonce=1, memory=MEMORY + 1, last=2), memory_lost=True, behind=False
    )
    assert told.sent[-1] == m.Ask(LINK, 1)
    assert bench.event(1, LID).notices[0] == n.EventTold(1, LID)


@pytest.mark.rule(12)
def test_numbers_that_went_back_are_a_lost_memory_too() -> None:
    bench = Bench(resume=n.Resume(MEMORY, 40))
    told = bench.open(last=3)
    (opened,) = told.only(n.LinkOpened)
    assert opened.memory_lost
    assert told.sent[-1] == m.Ask(LINK, 1)


@pytest.mark.rule(13)
def test_a_start_resumes_from_the_journal() -> None:
    bench = Bench(resume=n.Resume(MEMORY, 40))
    told = bench.open(first_kept=41, last=43)
    (opened,) = told.only(n.LinkOpened)
    assert (opened.memory_lost, opened.behind) == (False, False)
    assert told.sent[-1] == m.Ask(LINK, 41)


@pytest.mark.rule(13)
def test_a_reconnect_goes_on_from_what_was_taken() -> None:
    bench = Bench()
    bench.open(last=3)
    for number in (1, 2):
        bench.event(number, LID)
    bench.disconnect()
    assert bench.open(link=LINK + 1, last=3).sent[-1] == m.Ask(LINK + 1, 3)


@pytest.mark.rule(13)
def test_a_first_kept_beyond_what_is_taken_means_that_the_journal_is_behind() -> None:
    bench = Bench(resume=n.Resume(MEMORY, 40))
    told = bench.open(first_kept=50, last=51)
    (opened,) = told.only(n.LinkOpened)
    assert (opened.memory_lost, opened.behind) == (False, True)
    assert told.sent[-1] == m.Ask(LINK, 50), "what is forgotten cannot be asked for"


@pytest.mark.rule(13)
def test_a_device_that_forgets_what_was_not_acked_is_opened_anew_and_shows_it() -> None:
    bench = Bench()
    bench.open(last=2)
    told = bench.beat(first_kept=3, last=2)
    assert [type(notice) for notice in told.notices] == [n.LinkLost]
    assert told.sent == [m.Open(version=1, nonce=2)]
    (opened,) = bench.answer(link=LINK + 1, first_kept=3, last=2).only(n.LinkOpened)
    assert opened.behind


def test_a_device_never_seen_before_is_neither_forgetful_nor_ahead() -> None:
    bench = Bench()
    told = bench.open(first_kept=31, last=32)
    (opened,) = told.only(n.LinkOpened)
    assert (opened.memory_lost, opened.behind) == (False, False)
    assert told.sent[-1] == m.Ask(LINK, 31)


# ---- silence


def test_two_seconds_of_silence_end_the_link() -> None:
    bench = Bench()
    bench.open()
    bench.beat()
    assert bench.deadline == bench.now + 2.0
    bench.now += 1.999
    assert bench.step().notices == []
    bench.now += 0.001
    told = bench.step()
    (lost,) = told.only(n.LinkLost)
    assert lost.reason.startswith("the device has been silent for 2.0 s; see to its power and cable")
    assert told.sent == []
    assert bench.step().sent == [], "not before the device is heard again"


@pytest.mark.field("BR-031")
@pytest.mark.parametrize("heard", [b"", b"\x03noise\0"], ids=["all", "a part"])
def test_who_hears_nothing_whole_is_told_that_another_program_may_have_it(heard: bytes) -> None:
    bench = Bench()
    bench.open()
    bench.now += 1.5
    bench.step(heard)
    bench.now += 0.5
    (lost,) = bench.step().only(n.LinkLost)
    assert lost.reason.endswith("another program may be using this port")


@pytest.mark.rule(1)
def test_after_silence_the_next_heartbeat_has_the_link_opened_anew() -> None:
    bench = Bench()
    bench.open()
    bench.now += 5.0
    bench.step()
    assert bench.beat().sent == [m.Open(version=1, nonce=2)]
    assert bench.answer(link=LINK + 1).only(n.LinkOpened)


def test_only_good_frames_of_the_link_break_the_silence() -> None:
    bench = Bench()
    bench.open()
    bench.now += 1.5
    bench.step(b"\x03noise\0")
    bench.hear(m.Stroke(LINK + 1, 1, 0, 5))
    bench.now += 0.5
    lost = bench.step().only(n.LinkLost)
    assert lost[0].reason.startswith("the device sends, but nothing whole of its link for 2.0 s")


@pytest.mark.parametrize("sends", [b"\x03", b"half a frame"])
def test_who_sent_half_a_frame_and_then_nothing_is_silent(sends: bytes) -> None:
    bench = Bench()
    bench.open()
    bench.now += 0.1
    bench.step(sends)
    bench.now += 1.9
    assert "has been silent" in bench.step().only(n.LinkLost)[0].reason


def test_a_late_hello_does_not_break_the_silence() -> None:
    bench = Bench()
    bench.open()
    bench.now += 1.5
    assert bench.answer().notices == []
    bench.now += 0.5
    assert bench.step().only(n.LinkLost)


def test_what_arrives_late_together_with_the_step_still_counts_as_heard() -> None:
    """A link thread that was kept waiting must not take its own delay for the device's."""
    bench = Bench()
    bench.open()
    bench.now += 4.0
    assert bench.beat().only(n.LinkLost) == []


# ---- nobody answers


@pytest.mark.parametrize("received", [b"", b"\x55" * 300], ids=["silence", "garbage"])
def test_an_opening_that_nothing_answers_is_told_once_with_its_remedy(received: bytes) -> None:
    bench = Bench()
    bench.connect()
    bench.now += ANSWER_LIMIT - 0.001
    assert bench.step(received).only(n.LinkLost) == []
    bench.now += 0.001
    assert bench.step(received).only(n.LinkLost) == [n.LinkLost(UNANSWERED)]
    assert "power" in UNANSWERED
    assert "cable" in UNANSWERED
    assert "another program may be using this port" in UNANSWERED
    bench.now += 100.0
    assert bench.step().only(n.LinkLost) == []
    bench.step(b"\0")  # what a device sends first when it boots
    assert bench.answer().only(n.LinkOpened), "a device that is switched on late is taken all the same"


def test_each_opening_of_the_port_waits_anew_for_an_answer() -> None:
    bench = Bench()
    bench.connect()
    bench.now += ANSWER_LIMIT - 1
    bench.disconnect()
    bench.now += ANSWER_LIMIT
    assert bench.step().notices == [], "no port is open"
    bench.connect()
    bench.now += ANSWER_LIMIT
    assert bench.step().notices == [n.LinkLost(UNANSWERED)]


def test_a_device_that_was_open_and_fell_silent_is_told_of_for_its_silence_alone() -> None:
    bench = Bench()
    bench.open()
    bench.now += 2.0
    assert len(bench.step().only(n.LinkLost)) == 1
    bench.now += 2 * ANSWER_LIMIT
    assert bench.step().notices == []


def test_a_refusal_does_not_outlive_the_device_that_was_refused() -> None:
    bench = Bench()
    bench.connect()
    bench.answer(kind=m.Kind.LAMP)
    bench.now += 2.0
    bench.step()
    bench.now += ANSWER_LIMIT
    assert bench.step().notices == [n.LinkLost(UNANSWERED)]


# ---- what is refused


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kind": m.Kind.KEYPAD}, "Bench B-1 is a keypad where a shoe is configured; connect the right"),
        ({"kind": m.Kind.LAMP}, "Bench B-1 is a lamp where a shoe is configured; connect the right"),
    ],
)
def test_another_kind_is_refused_by_name_and_remedy(changes: dict[str, int], words: str) -> None:
    bench = Bench()
    bench.connect()
    told = bench.answer(**changes)
    (refused,) = told.notices
    assert isinstance(refused, n.LinkRefused)
    assert words in refused.reason
    assert told.sent == []


def hello_of_version_2(nonce: int, kind: int = 2, flags: int = 0) -> bytes:
    """Return a hello laid out as in every version; kind and flags may have got new meanings."""
    numbers = struct.pack("<BQIQQIIBBIBB", 0x81, nonce, LINK, BOOT, MEMORY, 1, 0, 2, kind, 1, 8, flags)
    return encode_frame(numbers + b"\x05Bench\x03B-1\x012" + bytes(32))


@pytest.mark.parametrize(("kind", "flags"), [(2, 0), (9, 0), (2, 0xF0)])
def test_another_version_is_refused_as_such_whatever_else_its_hello_says(kind: int, flags: int) -> None:
    bench = Bench()
    bench.connect()
    told = bench.step(hello_of_version_2(bench.nonce, kind, flags))
    reason = "Bench B-1 speaks sabot/2, this controller speaks sabot/1; bring firmware and controller to one version"
    assert (told.notices, told.sent) == ([n.LinkRefused(reason)], [])
    assert bench.beat().sent == [], "its heartbeat is that of the refused link"


@pytest.mark.rule(3)
def test_a_hello_of_another_version_with_another_nonce_is_ignored() -> None:
    bench = Bench()
    bench.connect()
    assert bench.step(hello_of_version_2(bench.nonce + 1)).notices == []
    assert bench.answer().only(n.LinkOpened)


def test_a_refused_device_that_falls_silent_is_opened_anew_and_no_loss_is_told() -> None:
    bench = Bench()
    bench.connect()
    bench.answer(kind=m.Kind.LAMP)
    bench.now += 2.0
    assert bench.step().notices == [], "what was never open cannot be lost"
    assert bench.beat().sent == [m.Open(version=1, nonce=2)]


def test_nothing_is_taken_from_or_sent_to_a_refused_device() -> None:
    bench = Bench()
    bench.connect()
    bench.answer(kind=m.Kind.LAMP)
    told = bench.hear(m.Event(LINK, 1, LID), replace(HEARTBEAT, last=5), m.Stroke(LINK, 1, 0, 5))
    assert (told.notices, told.sent) == ([], [])
    told = bench.order(n.HoldNow(), n.Want(m.Level.LAMP, 1), n.Release(m.Purpose.DEAL, LINK, 1))
    assert (told.notices, told.sent) == ([], [])


def test_a_refused_device_that_starts_anew_is_looked_at_again() -> None:
    bench = Bench()
    bench.connect()
    bench.answer(kind=m.Kind.LAMP)
    told = bench.beat(link=0)
    assert (told.notices, told.sent) == ([], [m.Open(version=1, nonce=2)])
    assert bench.answer().only(n.LinkOpened)


# ---- the transport


def test_a_transport_that_goes_is_told_once() -> None:
    bench = Bench()
    bench.open()
    assert bench.disconnect("pulled out").notices == [n.LinkLost("pulled out")]
    bench.connect()
    assert bench.disconnect("pulled out").notices == []
    bench.open(link=LINK + 1)
    assert bench.disconnect("again").notices == [n.LinkLost("again")]


def test_a_half_frame_does_not_outlive_its_transport() -> None:
    bench = Bench()
    bench.open()
    frame = on_the_line(HEARTBEAT)
    bench.step(frame[:10])
    bench.disconnect()
    bench.connect()
    assert bench.step(on_the_line(replace(HELLO, nonce=2))).only(n.LinkOpened)


def test_a_core_used_out_of_order_says_so() -> None:
    bench = Bench()
    with pytest.raises(LocalProtocolError, match="before connected"):
        bench.step(b"x")
    bench.connect()
    with pytest.raises(LocalProtocolError, match="twice"):
        bench.connect()
