"""The link thread: bytes and orders pass, no failure goes untold, and nothing but a stop ends it."""

from __future__ import annotations

import time
from typing import Any

import pytest
from structlog.testing import capture_logs

from drivers import link as link_module
from drivers.errors import LinkBusyError, LinkError, LinkLostError, LinkNotFoundError
from drivers.protocol.messages import Level, Purpose
from drivers.protocol.notices import (
    CaughtUp,
    EventTold,
    HeartbeatHeard,
    HoldNow,
    LinkLost,
    LinkOpened,
    Release,
    Settled,
    Want,
)
from drivers.transport.base import Transport
from drivers.transport.serial_port import SerialPort
from tests.transport.link_bench import (
    FAR_AWAY,
    LIMIT,
    Delays,
    ObedientCore,
    Socket,
    Told,
    read_until,
    running,
)

RELEASE = Release(purpose=Purpose.DEAL, link=2, heartbeat=1)
LAMP_ON = Want(level=Level.LAMP, value=1)
FAR_TOO_MUCH = bytes(1_000_000)


# ---- bytes, orders, time


def test_the_core_opens_the_link_and_tells_what_comes(core: ObedientCore, socket: Socket, told: Told) -> None:
    with running(core, socket.open, told):
        device = socket.next_end()
        read_until(device, b"O")
        device.write(b"H.")
        told.wait_for(HeartbeatHeard)
    assert [type(notice) for notice in told.notices] == [LinkOpened, HeartbeatHeard]


def test_an_order_wakes_the_reader(
    core: ObedientCore, socket: Socket, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_module, "LONGEST_WAIT", FAR_AWAY)
    with running(core, socket.open, told) as link:
        device = socket.next_end()
        read_until(device, b"O")
        for _ in range(100):
            link.order(HoldNow())
            read_until(device, b"HoldNow\n")


def test_orders_keep_their_order(core: ObedientCore, socket: Socket, told: Told) -> None:
    with running(core, socket.open, told) as link:
        link.order(HoldNow(), LAMP_ON)
        link.order(RELEASE)
        read_until(socket.next_end(), b"OHoldNow\nWant\nRelease\n")


def test_what_was_ordered_before_a_stop_still_leaves(core: ObedientCore, socket: Socket, told: Told) -> None:
    with running(core, socket.open, told) as link:
        device = socket.next_end()
        read_until(device, b"O")
        link.order(HoldNow())
        assert link.stop(LIMIT)
    read_until(device, b"HoldNow\n")


class PatientPort:
    """A port on which nothing happens: it writes down how long each read was to wait, and fails at last."""

    def __init__(self, reads: int) -> None:
        self.waits: list[float] = []
        self._reads = reads

    def read(self, timeout: float) -> bytes:
        self.waits.append(timeout)
        if len(self.waits) > self._reads:
            raise LinkLostError("port", "enough", "end of the test")
        return b""

    def write(self, data: bytes) -> None: ...

    def cancel(self) -> None: ...

    def close(self) -> None: ...


@pytest.mark.parametrize(
    ("core_waits", "thread_waits"),
    [
        (0.25, 0.25),
        (0.0, 0.0),
        (-5.0, 0.0),
        (FAR_AWAY, link_module.LONGEST_WAIT),
        (None, link_module.LONGEST_WAIT),
    ],
)
def test_a_read_waits_until_the_core_is_due_and_no_longer(
    told: Told, core_waits: float | None, thread_waits: float
) -> None:
    port = PatientPort(reads=3)
    link = link_module.LinkThread(
        device="shoe",
        port="port",
        core=ObedientCore(wait=core_waits),
        open_port=lambda: port,
        sink=told,
        clock=lambda: 100.0,
        delay=lambda _: FAR_AWAY,
    )
    link.start()
    told.wait_for(LinkLost)
    assert link.stop(LIMIT)
    assert port.waits == [thread_waits] * 4


def test_orders_that_waited_for_the_port_do_not_wait_for_the_first_byte(core: ObedientCore, told: Told) -> None:
    port = PatientPort(reads=1)
    link = link_module.LinkThread(
        device="shoe",
        port="port",
        core=core,
        open_port=lambda: port,
        sink=told,
        clock=lambda: 100.0,
        delay=lambda _: FAR_AWAY,
    )
    link.order(HoldNow())
    link.start()
    told.wait_for(LinkLost)
    assert link.stop(LIMIT)
    assert port.waits == [0.0, link_module.LONGEST_WAIT]


# ---- the port fails


def test_an_unplug_is_told_and_the_port_opened_again(core: ObedientCore, socket: Socket, told: Told) -> None:
    with running(core, socket.open, told):
        for times in range(1, 4):
            device = socket.next_end()
            read_until(device, b"O")
            device.write(b"H")
            told.wait_for(LinkOpened, times)
            device.close()
            told.wait_for(LinkLost, times)
    assert [type(notice) for notice in told.notices[:6]] == [LinkOpened, LinkLost] * 3
    assert core.lived[:6] == ["connected", "disconnected"] * 3


def test_a_loss_says_why(core: ObedientCore, socket: Socket, told: Told) -> None:
    with running(core, socket.open, told):
        socket.next_end().close()
        assert told.wait_for(LinkLost) == LinkLost("memory: the far end is closed; open a new pair")


def test_what_the_core_took_is_told_even_if_the_line_fails_at_the_answer(told: Told) -> None:
    class Deaf(PatientPort):
        def read(self, timeout: float) -> bytes:  # noqa: ARG002 - it never waits
            return b"e"

        def write(self, data: bytes) -> None:
            if data != b"O":
                raise LinkLostError("port", "deaf", "end of the test")

    core = ObedientCore()
    core.answer = b"got it"
    with running(core, lambda: Deaf(0), told):
        told.wait_for(LinkLost)
    assert [type(notice) for notice in told.notices[:2]] == [EventTold, LinkLost]


def test_a_port_that_never_was_there_is_told_once_and_tried_until_it_is(
    core: ObedientCore, socket: Socket, told: Told
) -> None:
    socket.plugged_in = False
    delays = Delays()
    with running(core, socket.open, told, delays=delays):
        delays.wait_for(times=5)
        assert told.notices == [LinkLost("memory: no such port; plug the device in")]
        socket.plugged_in = True
        socket.next_end().write(b"H")
        told.wait_for(LinkOpened)
    assert delays.asked[:5] == [1, 2, 3, 4, 5]


@pytest.mark.field("BR-029")
def test_another_cause_of_an_outage_is_told_and_each_is_warned_of_once(
    core: ObedientCore, socket: Socket, told: Told
) -> None:
    delays = Delays()
    causes: list[LinkError] = []

    def open_port() -> Transport:
        if causes:
            raise causes[0]
        return socket.open()

    with capture_logs() as logs, running(core, open_port, told, delays=delays):
        device = socket.next_end()
        device.write(b"H")
        told.wait_for(LinkOpened)
        causes[:] = [LinkNotFoundError("/dev/shoe", "no such port", "plug it in")]
        device.close()
        told.wait_for(LinkLost, 2)
        causes[:] = [LinkBusyError("/dev/shoe", "process 7 has it", "stop that one")]
        told.wait_for(LinkLost, 3)
        causes[:] = [LinkNotFoundError("/dev/shoe", "no such port", "plug it in")]
        told.wait_for(LinkLost, 4)
        delays.wait_for(times=len(delays.asked) + 5)
    first, *others = [notice.reason for notice in told.of(LinkLost) if isinstance(notice, LinkLost)]
    away, busy = "/dev/shoe: no such port; plug it in", "/dev/shoe: process 7 has it; stop that one"
    assert others == [away, busy, away], "what is told last is what is so; the same again is not told"
    lost = [(line["log_level"], line["reason"]) for line in logs if line["event"] == "link_lost"]
    assert lost == [("warning", first), ("warning", away), ("warning", busy), ("debug", away)]


def test_a_loose_plug_that_opens_and_fails_at_once_is_waited_for_longer_each_time(
    core: ObedientCore, socket: Socket, told: Told
) -> None:
    delays = Delays()
    with running(core, socket.open, told, delays=delays):
        for times in range(1, 5):
            socket.next_end().close()
            delays.wait_for(times)
        socket.next_end().write(b"H")
        told.wait_for(LinkOpened)
        socket.plugged_in = False
    assert delays.asked[:4] == [1, 2, 3, 4]


def test_after_a_recovery_the_waits_begin_anew(core: ObedientCore, socket: Socket, told: Told) -> None:
    delays = Delays()
    with running(core, socket.open, told, delays=delays):
        for times in (1, 2):
            device = socket.next_end()
            device.write(b"H")
            told.wait_for(LinkOpened, times)
            device.close()
            told.wait_for(LinkLost, times)
        delays.wait_for(times=2)
    assert delays.asked[:2] == [1, 1]


def test_orders_reach_the_core_while_there_is_no_port(core: ObedientCore, socket: Socket, told: Told) -> None:
    socket.plugged_in = False
    delays = Delays(seconds=FAR_AWAY)
    with running(core, socket.open, told, delays=delays) as link:
        delays.wait_for(times=1)
        link.order(Settled(id=1))
        told.wait_for(CaughtUp)


def test_a_stop_ends_the_wait_for_a_port(core: ObedientCore, socket: Socket, told: Told) -> None:
    socket.plugged_in = False
    delays = Delays(seconds=FAR_AWAY)
    with running(core, socket.open, told, delays=delays) as link:
        delays.wait_for(times=1)
        assert link.stop(LIMIT)


def test_a_link_that_was_never_started_stops() -> None:
    link = link_module.LinkThread(
        device="shoe",
        port="port",
        core=ObedientCore(),
        open_port=Socket().open,
        sink=Told(),
        clock=lambda: 0.0,
    )
    assert link.stop(LIMIT)
    assert not link.alive


# ---- the thread dies


@pytest.mark.parametrize("opens", [True, False])
def test_a_defect_is_a_lost_link_and_a_traceback(core: ObedientCore, socket: Socket, told: Told, opens: bool) -> None:
    with capture_logs() as logs, running(core, socket.open, told) as link:
        device = socket.next_end()
        if opens:
            device.write(b"H")
            told.wait_for(LinkOpened)
        device.write(b"!")
        lost = told.wait_for(LinkLost)
        assert isinstance(lost, LinkLost)
        assert "ZeroDivisionError" in lost.reason
        assert "restart the controller" in lost.reason
        assert link.stop(LIMIT)
        assert not link.alive
        with pytest.raises(LinkLostError):
            device.write(b"x")
    (died,) = (line for line in logs if line["event"] == "link_thread_died")
    assert died["log_level"] == "critical"
    assert died["device"] == "shoe"
    if opens:
        assert isinstance(died["exc_info"], ZeroDivisionError)
        assert died["exc_info"].__traceback__ is not None
    else:
        assert "step" in "".join(died["frames"]), "its message may quote what a keypad sent; the place is told"


def test_a_controller_that_cannot_be_told_is_logged(core: ObedientCore, socket: Socket) -> None:
    def full(device: str, notices: object) -> None:
        raise RuntimeError(f"no room for {device} {notices}")

    with capture_logs() as logs, running(core, socket.open, full) as link:
        socket.next_end().write(b"H")
        link._thread.join(LIMIT)
        assert not link.alive
    assert [line["event"] for line in logs][-2:] == ["link_thread_died", "link_loss_not_told"]


# ---- over a real line


def test_over_a_serial_line_it_comes_back_after_an_unplug(plug: Any, core: ObedientCore, told: Told) -> None:
    with running(core, lambda: SerialPort(str(plug.path)), told) as link:
        for times in (1, 2, 3):
            assert plug.receive(1) == b"O"
            plug.send(b"H")
            told.wait_for(LinkOpened, times)
            link.order(HoldNow())
            assert plug.receive(8) == b"HoldNow\n"
            before = len(told.of(LinkLost))
            plug.unplug()
            lost = told.wait_for(LinkLost, before + 1)
            assert isinstance(lost, LinkLost)
            assert "shuffler: unplugged" in lost.reason
            plug.plug_in()


def test_over_a_serial_line_an_order_wakes_the_reader(
    plug: Any, core: ObedientCore, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_module, "LONGEST_WAIT", FAR_AWAY)
    with running(core, lambda: SerialPort(str(plug.path)), told) as link:
        assert plug.receive(1) == b"O"
        for _ in range(100):
            link.order(HoldNow())
            assert plug.receive(8) == b"HoldNow\n"


def test_an_unplug_in_the_middle_of_a_write_is_a_lost_link(plug: Any, core: ObedientCore, told: Told) -> None:
    core.answer = FAR_TOO_MUCH
    with running(core, lambda: SerialPort(str(plug.path)), told):
        assert plug.receive(1) == b"O"
        plug.send(b"e")
        plug.wait_for_bytes()
        plug.unplug()
        told.wait_for(LinkLost)
    first, *later = [type(notice) for notice in told.notices]
    assert first is EventTold
    assert set(later) == {LinkLost}, "it hung up, and then the port is gone, too: a second cause may be told"


# ---- at work


@pytest.mark.field("BR-045")
def test_a_thread_that_waits_for_its_port_is_at_work_for_as_long_as_it_tries(
    core: ObedientCore, socket: Socket, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    later, delays = [0.0], Delays(0.01)
    monkeypatch.setattr(time, "monotonic", lambda now=time.monotonic: now() + later[0])
    socket.plugged_in = False
    with running(core, socket.open, told, delays=delays) as link:
        delays.wait_for(1)
        later[0] = FAR_AWAY
        delays.wait_for(len(delays.asked) + 3)
        assert link.is_at_work(LIMIT)


@pytest.mark.field("BR-045")
def test_a_thread_that_died_is_not_at_work_however_lately_it_came_round(
    core: ObedientCore, socket: Socket, told: Told
) -> None:
    with running(core, socket.open, told) as link:
        told_first = socket.next_end()
        assert link.is_at_work(FAR_AWAY)
        told_first.write(b"!")
        told.wait_for(LinkLost)
        assert link.stop(LIMIT)
        assert not link.is_at_work(FAR_AWAY)
