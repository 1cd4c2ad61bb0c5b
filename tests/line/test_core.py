"""What a shoe that only talks is taken for: who it is by its test key, each damage a loss, each gap a memory lost."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from drivers.cards import Face
from drivers.errors import LocalProtocolError
from drivers.line.codec import Card, Identity, KeyPress, Message, Tray, encode
from drivers.line.core import FRAME_LIMIT, MOST_UNJOURNALLED, UNHEARD, LineCore
from drivers.line_shoe import LINE_SHOE
from drivers.protocol.answered import SETTLES
from drivers.protocol.faults import PERIOD
from drivers.protocol.messages import (
    Capability,
    CardDrawn,
    DealerKey,
    DealerKeyPressed,
    EventsLost,
    Level,
    Operation,
    Purpose,
    TrayChanged,
)
from drivers.protocol.notices import (
    AckEvents,
    Carry,
    CaughtUp,
    DeviceCore,
    EventTold,
    HoldNow,
    LinkLost,
    LinkOpened,
    Notice,
    Release,
    RemoteErrors,
    Settled,
    Want,
)

TEST_KEY = Identity("Line Shoe", "LS-1", simulated=True, reads_faces=True, switched_on=False)
SWITCHED_ON = Identity("Line Shoe", "LS-1", simulated=True, reads_faces=True, switched_on=True)
SEVEN = Card(Face(7), own_tray=False)


class Bench:
    """A core and a shoe that says what it is told to."""

    def __init__(self) -> None:
        self.core: DeviceCore = LINE_SHOE.core(nonces=count(100).__next__)
        self.first = list(self.core.connected(0.0).notices)

    def bytes(self, data: bytes, now: float = 1.0, *orders: Any) -> list[Notice]:
        step = self.core.step(now, data, orders)
        assert step.to_send == b"", "it hears nothing, so nothing is ever sent"
        return list(step.notices)

    def says(self, *messages: Message, now: float = 1.0) -> list[Notice]:
        return self.bytes(b"".join(map(encode, messages)), now)

    def opened(self) -> Bench:
        self.says(TEST_KEY, Tray(occupied=False))
        return self


def told(notices: list[Notice]) -> list[Any]:
    return [notice.body for notice in notices if isinstance(notice, EventTold)]


def test_an_open_port_tells_nothing_but_what_to_do() -> None:
    bench = Bench()
    assert bench.first == [LinkLost(UNHEARD)]
    assert bench.says(SEVEN, KeyPress(DealerKey.YES)) == [], "whose word is that?"


def test_its_test_key_opens_the_link_and_its_tray_completes_what_is_known() -> None:
    bench = Bench()
    (opened,) = bench.says(TEST_KEY)
    assert isinstance(opened, LinkOpened)
    assert opened.memory_lost, "what it said before, nobody heard"
    hello = opened.hello
    assert (hello.model, hello.serial, hello.simulated) == ("Line Shoe", "LS-1", True)
    can = Capability.COUNTS_CARDS | Capability.HAS_DEALER_KEYS | Capability.READS_FACES | Capability.SEND_ONLY
    assert hello.capabilities == can
    assert bench.says(Tray(occupied=True)) == [EventTold(1, TrayChanged(occupied=True)), CaughtUp()]


def test_cards_and_keys_are_events_in_order() -> None:
    bench = Bench().opened()
    notices = bench.says(SEVEN, Card(Face(52), own_tray=True), KeyPress(DealerKey.CLAIM))
    drawn = CardDrawn(0, Face(7)), CardDrawn(Purpose.VERIFY, Face(52))
    assert told(notices) == [*drawn, DealerKeyPressed(DealerKey.CLAIM, 0)]
    assert [notice.number for notice in notices if isinstance(notice, EventTold)] == [2, 3, 4]


def test_the_test_key_within_a_link_says_that_it_is_there_and_loses_nothing() -> None:
    bench = Bench().opened()
    bench.says(SEVEN)
    (again, _, caught_up) = bench.says(TEST_KEY, Tray(occupied=False))
    assert isinstance(again, LinkOpened)
    assert not again.memory_lost
    assert again.hello.last == 2
    assert caught_up == CaughtUp()


@pytest.mark.field("BR-028")
@pytest.mark.parametrize("who", [SWITCHED_ON, Identity("Line Shoe", "LS-2", True, True, False)], ids=["boot", "other"])
def test_one_that_was_switched_on_or_is_another_may_have_dealt_unheard(who: Identity) -> None:
    bench = Bench().opened()
    lost, opened = bench.says(who)
    assert isinstance(lost, LinkLost)
    assert isinstance(opened, LinkOpened)
    assert opened.memory_lost
    assert opened.hello.last == 0


def test_an_ack_of_another_memory_says_nothing_of_this_ones_events() -> None:
    bench = Bench().opened()
    bench.says(SWITCHED_ON, Tray(occupied=False))
    bench.bytes(b"", 1.5, AckEvents(MOST_UNJOURNALLED, memory=100))
    assert len(told(bench.says(*[SEVEN] * 200, now=2.0))) == MOST_UNJOURNALLED - 1


def test_of_a_port_that_is_gone_nothing_is_awaited_and_what_was_damaged_is_told() -> None:
    bench = Bench().opened()
    bench.bytes(b"\x02C07\x03\x00", 1.5)
    bench.bytes(b"\x02C07\x03\x00\x02C", 1.6)
    gone = bench.core.disconnected(5.0, "unplugged")
    lost, damaged = gone.notices
    assert (lost, gone.deadline) == (LinkLost("unplugged"), None)
    assert isinstance(damaged, RemoteErrors)
    assert damaged.count == 1


def test_an_unplug_ends_the_link_and_the_test_key_opens_another_memory() -> None:
    bench = Bench().opened()
    assert list(bench.core.disconnected(2.0, "unplugged").notices) == [LinkLost("unplugged")]
    assert list(bench.core.connected(3.0).notices) == [LinkLost(UNHEARD)]
    (opened,) = bench.says(TEST_KEY, now=4.0)
    assert isinstance(opened, LinkOpened)
    assert opened.memory_lost


# ---- damage


def test_a_damaged_frame_is_an_event_lost() -> None:
    bench = Bench().opened()
    hurt = bytearray(encode(SEVEN))
    hurt[-1] ^= 1
    notices = bench.bytes(bytes(hurt) + encode(SEVEN))
    assert told(notices) == [CardDrawn(0, Face(7)), EventsLost(1)]
    assert [notice.count for notice in notices if isinstance(notice, RemoteErrors)] == [1]


@pytest.mark.field("BR-031")
def test_what_another_program_takes_off_the_port_is_heard_as_events_lost() -> None:
    bench = Bench().opened()
    left = b"".join(encode(Card(Face(face), own_tray=False)) for face in range(1, 21))[::2]
    notices = bench.bytes(left) + bench.bytes(b"", 1.0 + PERIOD)
    assert not [body for body in told(notices) if isinstance(body, CardDrawn)]
    assert sum(body.dropped for body in told(notices)) >= 1


def test_a_text_that_the_dialect_does_not_have_is_an_event_lost_too() -> None:
    bench = Bench().opened()
    assert told(bench.bytes(b"\x02K9\x03q")) == [EventsLost(1)]


def test_what_is_lost_is_told_at_once_and_then_once_a_second() -> None:
    bench = Bench().opened()
    assert told(bench.bytes(b"?", 10.0)) == [EventsLost(1)]
    for at in range(1, 10):
        assert told(bench.bytes(b"\x02?\x02", 10.0 + at / 10)) == []
    (lost,) = told(bench.bytes(b"", 10.0 + PERIOD))
    assert lost.dropped >= 9


def test_damage_before_the_link_is_open_is_counted_and_no_event() -> None:
    bench = Bench()
    notices = bench.bytes(b"\x02C07\x03\x00")
    assert [type(notice) for notice in notices] == [RemoteErrors]


def test_a_frame_that_does_not_end_is_lost_after_its_time() -> None:
    bench = Bench().opened()
    step = bench.core.step(10.0, b"\x02C0", ())
    assert step.deadline == 10.0 + FRAME_LIMIT
    assert bench.bytes(b"", 10.9) == []
    assert told(bench.bytes(b"", 11.0)) == [EventsLost(1)]
    assert told(bench.says(SEVEN, now=12.0)) == [CardDrawn(0, Face(7))]


@pytest.mark.field("BR-023")
@pytest.mark.parametrize("split", range(1, 6))
def test_a_frame_with_a_pause_in_it_is_one_card(split: int) -> None:
    bench = Bench().opened()
    data = encode(SEVEN)
    assert bench.bytes(data[:split], 10.0) == []
    assert bench.bytes(b"", 10.5) == []
    assert told(bench.bytes(data[split:], 10.6)) == [CardDrawn(0, Face(7))]


def test_a_shoe_that_never_stops_is_taken_up_to_what_a_journal_can_be_behind() -> None:
    bench = Bench().opened()
    notices = bench.says(*[SEVEN] * 200)
    assert len(told(notices)) == MOST_UNJOURNALLED - 1, "one was told at the opening"
    assert sum(notice.count for notice in notices if isinstance(notice, RemoteErrors)) == 201 - MOST_UNJOURNALLED
    bench.bytes(b"", 1.5, AckEvents(MOST_UNJOURNALLED, memory=100))
    (lost,) = told(bench.bytes(b"", 1.0 + PERIOD))
    assert isinstance(lost, EventsLost)
    assert told(bench.says(SEVEN, now=3.0)) == [CardDrawn(0, Face(7))]


# ---- keys and prompts


def test_a_key_answers_what_has_stood_on_the_screen_for_a_moment() -> None:
    bench = Bench().opened()
    bench.bytes(b"", 10.0, Want(Level.PROMPT, 41))
    bench.bytes(b"", 20.0, Want(Level.PROMPT, 42))
    (soon,) = told(bench.says(KeyPress(DealerKey.YES), now=20.0 + SETTLES - 0.01))
    (later,) = told(bench.says(KeyPress(DealerKey.YES), now=20.0 + SETTLES))
    assert (soon.prompt, later.prompt) == (41, 42)


def test_a_key_that_came_with_the_order_of_a_prompt_was_pressed_before_it() -> None:
    bench = Bench().opened()
    bench.bytes(b"", 10.0, Want(Level.PROMPT, 41))
    (key,) = told(bench.bytes(encode(KeyPress(DealerKey.YES)), 99.0, Want(Level.PROMPT, 42)))
    assert key.prompt == 41


def test_a_key_that_came_with_the_second_order_of_a_moment_answers_what_was_shown_before_both() -> None:
    bench = Bench().opened()
    bench.bytes(b"", 10.0, Want(Level.PROMPT, 41))
    bench.bytes(b"", 20.0, Want(Level.PROMPT, 42))
    (key,) = told(bench.bytes(encode(KeyPress(DealerKey.YES)), 20.1, Want(Level.PROMPT, 43)))
    assert key.prompt == 41


# ---- orders


def test_orders_for_what_it_has_no_parts_for_send_nothing() -> None:
    bench = Bench().opened()
    release = Release(Purpose.DEAL, link=1, heartbeat=1)
    assert bench.bytes(b"", 2.0, HoldNow(), release, Want(Level.LAMP, 1), Settled(id=7)) == []


def test_a_command_is_a_defect() -> None:
    with pytest.raises(LocalProtocolError):
        Bench().opened().bytes(b"", 2.0, Carry(id=1, boot=1, operation=Operation.INVENTORY))
    core = LineCore(LINE_SHOE.kind, count().__next__, None)
    with pytest.raises(LocalProtocolError):
        core.step(0.0, b"", [HoldNow()])
