"""The worked example in drivers/README.md is the driver that runs here, word for word."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import drivers
from drivers.cards import UNREAD
from drivers.link import LinkThread
from drivers.protocol.messages import Capability, CardFed, CardIn, FeedEmpty, LidMoved, Purpose
from drivers.protocol.notices import (
    AckEvents,
    CaughtUp,
    DeviceCore,
    EventTold,
    HeartbeatHeard,
    HoldNow,
    LinkLost,
    LinkOpened,
    Notice,
    Release,
    RemoteErrors,
)
from tests.transport.link_bench import LIMIT, Delays, Socket, Told
from tests.transport.registered import registered

README = Path(drivers.__file__).with_name("README.md")
LINES = b"OK\r\nLID 1\r\nIN\r\nLID 0\r\nOUT\r\nEMPTY\r\nOK\r\n"
EVENTS = [LidMoved(open=True), CardIn(face=UNREAD), LidMoved(open=False), CardFed(purpose=0), FeedEmpty()]


def written_examples() -> list[str]:
    """The page's driver, its simulated model, and the script that shows the two at work."""
    return re.findall(r"^```python\n(.*?)^```$", README.read_text("utf-8"), re.M | re.S)


@pytest.fixture(scope="module")
def example() -> Iterator[Any]:
    source, _, _ = written_examples()
    module = ModuleType("drivers.fortuna_2")
    sys.modules[module.__name__] = module
    exec(compile(source, str(README), "exec"), vars(module))
    yield module
    del sys.modules[module.__name__]


@pytest.fixture
def core(example: Any) -> DeviceCore:
    made: DeviceCore = example.FORTUNA_2.core(nonces=count(100).__next__)
    assert made.connected(0.0).to_send == b""
    return made


def hear(core: DeviceCore, data: bytes, now: float = 0.0) -> list[Notice]:
    step = core.step(now, data, [])
    assert step.to_send == b"", "it takes no orders, so nothing is ever sent"
    return list(step.notices)


def events(notices: list[Notice]) -> list[Any]:
    return [notice.body for notice in notices if isinstance(notice, EventTold)]


def test_two_lines_in_the_registry_make_it_known(example: Any) -> None:
    assert registered(README)["fortuna_2"] is example.FORTUNA_2


def test_its_lines_become_events_numbered_in_order(core: DeviceCore) -> None:
    told = hear(core, LINES)
    opened = told[0]
    assert isinstance(opened, LinkOpened)
    assert opened.memory_lost, "it keeps nothing: what went by unheard is lost"
    assert opened.hello.capabilities == Capability.COUNTS_CARDS, "it cannot hold, and says so"
    assert told[1] == CaughtUp()
    assert events(told) == EVENTS
    assert [notice.number for notice in told if isinstance(notice, EventTold)] == [1, 2, 3, 4, 5]
    assert [notice.number for notice in told if isinstance(notice, HeartbeatHeard)] == [1, 2]


def test_bytes_one_by_one_tell_the_same(core: DeviceCore) -> None:
    told = [notice for byte in LINES for notice in hear(core, bytes([byte]))]
    assert events(told) == EVENTS
    assert not [notice for notice in told if isinstance(notice, RemoteErrors)]


def test_damaged_lines_are_counted_and_told_with_the_next_sign_of_life(core: DeviceCore) -> None:
    told = hear(core, b"LID 7\nOUT" + b"T" * 5_000)
    told += hear(core, b"T" * 5_000 + b"\n\xff\xfe\nIN\n")
    assert events(told) == [CardIn(face=UNREAD)]
    (errors,) = [notice for notice in hear(core, b"OK\n") if isinstance(notice, RemoteErrors)]
    assert errors.count == 3


def test_silence_is_a_lost_link_and_the_next_line_opens_another(core: DeviceCore) -> None:
    first = hear(core, b"OK\n", now=10.0)[0]
    assert hear(core, b"", now=12.9) == []
    (lost,) = hear(core, b"", now=13.0)
    assert isinstance(lost, LinkLost)
    again = hear(core, b"OK\n", now=20.0)[0]
    assert isinstance(first, LinkOpened)
    assert isinstance(again, LinkOpened)
    assert again.hello.memory != first.hello.memory


def test_it_is_due_when_the_silence_would_be_too_long(core: DeviceCore) -> None:
    assert core.step(5.0, b"", []).deadline is None, "there is no link yet that could be lost"
    assert core.step(10.0, b"OK\n", []).deadline == 13.0


def test_an_unplug_is_told_only_if_there_was_a_link(core: DeviceCore) -> None:
    assert core.disconnected(1.0, "unplugged").notices == []
    core.connected(2.0)
    hear(core, b"OK\n", now=3.0)
    assert core.disconnected(4.0, "unplugged").notices == [LinkLost("unplugged")]


def test_orders_that_it_cannot_carry_out_send_nothing(core: DeviceCore) -> None:
    hear(core, b"OK\n")
    step = core.step(1.0, b"", [HoldNow(), Release(Purpose.DEAL, link=2, heartbeat=1), AckEvents(number=1, memory=1)])
    assert (list(step.notices), step.to_send) == ([], b"")


def test_it_runs_in_a_link_thread_like_any_other(core: DeviceCore) -> None:
    told, socket = Told(), Socket()
    core.disconnected(0.0, "the fixture's connection")
    link = LinkThread(
        device="shoe",
        port="fortuna",
        core=core,
        open_port=socket.open,
        sink=told,
        clock=lambda: 0.0,
        delay=Delays(),
    )
    link.start()
    try:
        socket.next_end().write(LINES)
        told.wait_for(HeartbeatHeard, 2)
    finally:
        assert link.stop(LIMIT)
    assert events(told.notices) == EVENTS
