"""How a link comes back: its table, stage by stage, and what is said of an outage."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from drivers import backoff, reconnect
from drivers.errors import LinkBusyError, LinkNotFoundError, LinkUnpluggedError
from drivers.protocol.messages import Capability
from drivers.protocol.notices import CaughtUp, LinkLost, LinkOpened, LinkRefused, Notice
from drivers.reconnect import SETTLE, STEADY, TABLE, Compared, Reconnect, Sign, Stage, compare
from drivers.transport.serial_port import SerialPort
from tests.transport.link_bench import HELLO, LIMIT, Delays, Held, ObedientCore, Socket, Told, running

OPENED = LinkOpened(HELLO, memory_lost=False, behind=False)
UNPLUGGED = LinkUnpluggedError("/dev/shoe", "unplugged", "plug it in again")
MISSING = LinkNotFoundError("/dev/shoe", "no such port", "plug it in")
BUSY = LinkBusyError("/dev/shoe", "another program has it open", "stop that program")


def up() -> Reconnect:
    """A link that is up."""
    way = Reconnect()
    assert way.opened() == 0.0, "the first opening waits for nothing"
    way.settled()
    way.told(OPENED, 1.0)
    way.compared(HELLO)
    way.told(CaughtUp(), 1.0)
    assert way.stage is Stage.UP
    return way


def test_every_stage_can_be_reached_and_from_every_stage_the_link_comes_up() -> None:
    reached, back = {Stage.GONE}, {Stage.UP}
    for _ in Stage:
        reached |= {target for (source, _), target in TABLE.items() if source in reached}
        back |= {source for (source, _), target in TABLE.items() if target in back}
    assert reached == back == set(Stage)


def test_only_by_telling_all_that_it_kept_is_a_link_up() -> None:
    assert [pair for pair, target in TABLE.items() if target is Stage.UP] == [(Stage.RESYNCHRONISING, Sign.CAUGHT_UP)]


def test_a_link_lost_comes_back_stage_by_stage() -> None:
    way = up()
    way.told(LinkLost("silent"), 2.0)
    stages = [way.stage]
    way.failed(UNPLUGGED)
    stages.append(way.stage)
    way.failed(MISSING)
    stages.append(way.stage)
    way.failed(BUSY)
    stages.append(way.stage)
    assert way.failures == 3
    assert way.lost_at == 2.0
    assert way.opened() == SETTLE
    stages.append(way.stage)
    way.settled()
    stages.append(way.stage)
    way.told(OPENED, 9.0)
    stages.append(way.stage)
    assert way.compared(replace(HELLO, boot=9)) is Compared.ANEW
    stages.append(way.stage)
    way.told(CaughtUp(), 9.0)
    stages.append(way.stage)
    assert stages == [
        Stage.IDENTIFYING,
        Stage.GONE,
        Stage.GONE,
        Stage.FOUND,
        Stage.SETTLING,
        Stage.IDENTIFYING,
        Stage.COMPARING,
        Stage.RESYNCHRONISING,
        Stage.UP,
    ]
    assert (way.failures, way.lost_at) == (0, None)


@pytest.mark.parametrize(
    ("notice", "stage"), [(LinkRefused("a toaster"), Stage.REFUSED), (LinkLost("silent"), Stage.IDENTIFYING)]
)
def test_a_link_that_is_refused_or_lost_may_open_again_on_the_same_port(notice: Notice, stage: Stage) -> None:
    way = up()
    way.told(notice, 2.0)
    assert way.stage is stage
    way.told(OPENED, 3.0)
    assert way.compared(HELLO) is Compared.SAME
    assert way.stage is Stage.RESYNCHRONISING


@pytest.mark.parametrize(
    "other",
    [
        {"model": "M2"},
        {"serial": "S2"},
        {"firmware": "F2"},
        {"digest": bytes(31) + b"1"},
        {"capabilities": HELLO.capabilities ^ Capability.CAN_HOLD},
    ],
)
def test_another_model_serial_number_firmware_digest_or_capability_is_another_device(other: dict[str, object]) -> None:
    assert compare(HELLO, replace(HELLO, **other)) is Compared.ANOTHER


def test_what_was_said_of_an_outage_is_news_again_after_it() -> None:
    way = up()
    assert [way.is_news("unplugged"), way.is_news("unplugged"), way.is_news("silent")] == [True, False, True]
    way.told(OPENED, 3.0)
    way.compared(HELLO)
    assert way.is_news("unplugged")


def test_what_befalls_one_link_after_another_is_news_ever_more_seldom_until_one_was_open_for_long() -> None:
    """A device whose counter stands still is opened anew each two seconds, and lost again."""
    way, now, news = up(), 3.0, []
    for _ in range(20):
        news.append(way.is_news("frozen"))
        now += 2.0
        way.told(LinkLost("frozen"), now)
        way.told(OPENED, now)
        way.compared(HELLO)
    assert [at for at, one in enumerate(news, 1) if one] == [1, 2, 4, 8, 16]
    assert way.times("frozen") == 20
    way.told(LinkLost("frozen"), now + STEADY)
    assert way.is_news("frozen")
    assert way.times("frozen") == 1


def test_that_the_port_of_an_unplugged_device_is_not_there_is_the_same_loss() -> None:
    way = up()
    way.failed(UNPLUGGED)
    way.told(LinkLost(str(UNPLUGGED)), 2.0)
    assert way.is_told(MISSING)
    assert not way.is_told(BUSY), "that is another cause"


@pytest.mark.field("BR-028")
def test_that_there_is_no_port_is_a_loss_of_its_own_once_an_unplugged_device_was_back() -> None:
    way = up()
    way.failed(UNPLUGGED)
    way.told(LinkLost(str(UNPLUGGED)), 2.0)
    way.opened()
    way.told(OPENED, 3.0)
    way.compared(HELLO)
    way.told(LinkLost("silent"), 4.0)
    way.failed(MISSING)
    assert not way.is_told(MISSING)


def test_what_a_device_sends_while_it_settles_is_kept_and_it_is_asked_only_after(
    core: ObedientCore, socket: Socket, told: Told
) -> None:
    with running(core, socket.open, told) as link:
        device = socket.next_end()
        device.write(b"H")
        told.wait_for(LinkOpened)
        device.close()
        device = socket.next_end()
        device.write(b"?H")  # its boot's noise, and the first that it says
        told.wait_for(LinkOpened, 2)
        assert device.read(LIMIT) == b"O"
        assert link.statistics.stage is Stage.RESYNCHRONISING
    assert core.lived[:3] == ["connected", "disconnected", "connected"]


@pytest.mark.field("BR-027")
def test_two_hundred_unplugs_are_each_told_and_leave_nothing_open(
    plug: Any, core: ObedientCore, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reconnect, "SETTLE", 0.0)
    plug.unplug()
    held = Held()
    plug.plug_in()
    with running(core, lambda: SerialPort(str(plug.path)), told) as link:
        for times in range(1, 201):
            assert plug.receive(1) == b"O"
            plug.send(b"H")
            told.wait_for(LinkOpened, times)
            if times == 10:
                before = held.now()
            lost = len(told.of(LinkLost))
            plug.unplug()
            told.wait_for(LinkLost, lost + 1)
            plug.plug_in()
        assert plug.receive(1) == b"O"
        after = held.now()
        seen = link.statistics
    assert after == before
    losses = [notice.reason for notice in told.of(LinkLost) if isinstance(notice, LinkLost)]
    assert sum("no such port" not in reason for reason in losses) == 200, "each loss, once"
    assert (seen.opens, len(told.of(LinkOpened))) == (201, 200), "and each return"


@pytest.mark.field("BR-027")
def test_a_port_that_stays_away_is_tried_ever_less_often_and_said_to_be_away_once(
    core: ObedientCore, socket: Socket, told: Told
) -> None:
    socket.plugged_in = False
    delays = Delays()
    with running(core, socket.open, told, delays=delays) as link:
        delays.wait_for(times=10)
        assert link.statistics.stage is Stage.GONE
    waited = [backoff.delay(failures) for failures in delays.asked[:10]]
    assert waited == [0.2, 0.4, 0.8, 1.6, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]
    assert len(told.notices) == 1
