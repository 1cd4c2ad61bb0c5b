"""What the link thread logs and counts: one warning for an outage, and nothing that a keypad sends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec import structs
from structlog.testing import capture_logs

from drivers.protocol.messages import Capability, Kind
from drivers.protocol.notices import (
    CaughtUp,
    HeartbeatHeard,
    LinkLost,
    LinkOpened,
    LinkRefused,
    Order,
    RemoteErrors,
    Settled,
    Step,
    StrokeTold,
)
from drivers.reconnect import Compared
from tests.transport.link_bench import (
    LIMIT,
    Delays,
    ObedientCore,
    Socket,
    Told,
    read_until,
    running,
)


def levels(logs: Any, event: str) -> list[str]:
    return [line["log_level"] for line in logs if line["event"] == event]


def test_a_warning_for_each_cause_of_an_outage_however_long_and_one_summary(
    core: ObedientCore, socket: Socket, told: Told
) -> None:
    delays = Delays()
    with capture_logs() as logs, running(core, socket.open, told, delays=delays):
        device = socket.next_end()
        device.write(b"H")
        told.wait_for(LinkOpened)
        socket.plugged_in = False
        device.close()
        delays.wait_for(times=20)
        socket.plugged_in = True
        socket.next_end().write(b"H")
        told.wait_for(LinkOpened, 2)
    causes = [line["reason"] for line in logs if line["event"] == "link_lost" and line["log_level"] == "warning"]
    assert len(levels(logs, "link_lost")) == len(causes) == len(set(causes)) == 2, "it hung up, and then was away"
    assert set(levels(logs, "port_failed")) == {"debug"}
    opened = [line for line in logs if line["event"] == "link_opened"]
    assert [line["log_level"] for line in opened] == ["info", "info"]
    assert opened[0]["failures"] == 0
    assert opened[1]["failures"] == len(delays.asked)
    assert opened[1]["seconds_lost"] > 0
    assert all(line["device"] == "shoe" and line["link"] == "/dev/shoe" for line in logs)


def test_repeated_complaints_are_warned_of_once_for_each_opening(
    core: ObedientCore, socket: Socket, told: Told
) -> None:
    with capture_logs() as logs, running(core, socket.open, told):
        socket.next_end().write(b"RR??LLH?")
        told.wait_for(RemoteErrors, 3)
    refused = [notice.reason for notice in told.of(LinkRefused) if isinstance(notice, LinkRefused)]
    assert refused == ["/dev/shoe: this is a toaster"] * 2, "the controller is told each time, and of the port"
    assert levels(logs, "link_refused") == ["warning", "debug"]
    assert levels(logs, "link_lost") == ["warning", "debug"]
    assert levels(logs, "remote_errors") == ["warning", "debug", "warning"]


@pytest.mark.field("BR-031")
def test_damage_on_the_line_names_who_else_has_the_port_open_and_asks_whether_another_reads_it(
    core: ObedientCore, socket: Socket, told: Told
) -> None:
    asked = []

    def others() -> str:
        asked.append(1)
        return "process 812 (cat)"

    with capture_logs() as logs, running(core, socket.open, told, others=others):
        device = socket.next_end()
        device.write(b"H?")
        told.wait_for(RemoteErrors)
        device.write(b"?")
        told.wait_for(RemoteErrors, 2)
    (warned, repeated) = (line for line in logs if line["event"] == "remote_errors")
    assert warned["also_open_in"] == "process 812 (cat)"
    assert "another program reads from it" in warned["remedy"]
    assert "also_open_in" not in repeated
    assert len(asked) == 1, "who has it costs a look at every process"


def test_the_last_bytes_are_logged_as_hex_with_an_error_and_only_then(
    core: ObedientCore, socket: Socket, told: Told
) -> None:
    with capture_logs() as logs, running(core, socket.open, told):
        device = socket.next_end()
        device.write(b"H")
        told.wait_for(LinkOpened)
        device.write(b"?")
        told.wait_for(RemoteErrors)
        device.write(b"?")
        told.wait_for(RemoteErrors, 2)
    hexes = [(line["event"], line["log_level"], line["last_bytes"]) for line in logs if "last_bytes" in line]
    assert hexes == [("remote_errors", "warning", [">4f", "<48", "<3f"])]


def test_a_flood_of_errors_is_warned_of_again_as_their_number_grows_tenfold(
    core: ObedientCore, socket: Socket, told: Told
) -> None:
    with capture_logs() as logs, running(core, socket.open, told):
        device = socket.next_end()
        device.write(b"H")
        for errors in range(1, 41):
            device.write(b"?")
            told.wait_for(RemoteErrors, errors)
    warned = [line["total"] for line in logs if line["event"] == "remote_errors" and line["log_level"] == "warning"]
    assert warned == [3, 12, 102], "three at a time: the first, and where one more digit is needed"


def test_only_the_last_of_the_bytes_are_kept(core: ObedientCore, socket: Socket, told: Told) -> None:
    with capture_logs() as logs, running(core, socket.open, told):
        device = socket.next_end()
        for times in range(1, 40):
            device.write(b"H" + b"." * 200)
            told.wait_for(HeartbeatHeard, 200 * times)
        device.write(b"?")
        told.wait_for(RemoteErrors)
    (line,) = (line for line in logs if line["event"] == "remote_errors")
    assert len(line["last_bytes"]) == 16
    assert max(map(len, line["last_bytes"])) == 1 + 2 * 64


@pytest.mark.field("BR-028")
@pytest.mark.parametrize(
    ("hello", "level", "it_is"),
    [
        ({}, "info", "the same"),
        ({"boot": 9}, "info", "the same, started anew"),
        ({"serial": "S2"}, "warning", Compared.ANOTHER.value),
        ({"firmware": "F2"}, "warning", Compared.ANOTHER.value),
    ],
)
def test_a_device_that_came_back_is_compared_with_the_one_before(
    core: ObedientCore, socket: Socket, told: Told, hello: dict[str, Any], level: str, it_is: str
) -> None:
    with capture_logs() as logs, running(core, socket.open, told):
        device = socket.next_end()
        device.write(b"H")
        told.wait_for(LinkOpened)
        core.hello = structs.replace(core.hello, **hello)
        device.write(b"LH")
        told.wait_for(LinkOpened, 2)
    opened = [(line["log_level"], line["it_is"]) for line in logs if line["event"] == "link_opened"]
    assert opened == [("info", "the first here"), (level, it_is)]


def test_nothing_that_a_keypad_sends_is_ever_logged(core: ObedientCore, socket: Socket, told: Told) -> None:
    core.hello = structs.replace(core.hello, kind=Kind.KEYPAD, capabilities=Capability.SENDS_STROKES)
    with capture_logs() as logs, running(core, socket.open, told):
        device = socket.next_end()
        device.write(b"H7?")
        told.wait_for(StrokeTold)
        device.write(b"7777!")
        told.wait_for(LinkLost)
    (died,) = (line for line in logs if line["event"] == "link_thread_died")
    assert "step" in "".join(died["frames"]), "the place of the defect is told, its message is not"
    logged = repr([{**line, "frames": ""} for line in logs])
    assert "7" not in logged.replace("'seconds_lost': 0.0", ""), logged
    assert "37" not in logged, logged


def test_statistics_count_what_the_link_has_seen(core: ObedientCore, socket: Socket, told: Told) -> None:
    with running(core, socket.open, told) as link:
        device = socket.next_end()
        assert link.statistics.heard_age is None
        device.write(b"H.e7??")
        told.wait_for(RemoteErrors, 2)
        device.close()
        told.wait_for(LinkLost)
        read_until(socket.next_end(), b"O")
        seen = link.statistics
    assert (seen.opens, seen.failures, seen.frames, seen.errors) == (2, 1, 4, 6)
    assert seen.heard_age is not None
    assert 0 <= seen.heard_age < LIMIT


def test_a_device_that_never_speaks_is_not_said_to_have_been_heard(
    core: ObedientCore, socket: Socket, told: Told
) -> None:
    core.hello = structs.replace(core.hello, capabilities=Capability.SHOWS_LAMP | Capability.LISTEN_ONLY)
    with running(core, socket.open, told) as link:
        socket.next_end().write(b"H")
        told.wait_for(LinkOpened)
        seen = link.statistics
    assert (seen.frames, seen.heard_age) == (0, None), "its link is opened by its core alone"


def test_after_an_opening_the_same_reasons_are_warned_of_again(core: ObedientCore, socket: Socket, told: Told) -> None:
    with capture_logs() as logs, running(core, socket.open, told):
        socket.next_end().write(b"RLHRL?")
        told.wait_for(RemoteErrors)
    assert levels(logs, "link_refused") == ["warning", "warning"]
    assert levels(logs, "link_lost") == ["warning", "warning"]


@pytest.mark.field("BR-026")
def test_a_device_that_ignores_something_is_warned_of_as_it_opens_and_told_when_it_obeys(
    core: ObedientCore, socket: Socket, told: Told
) -> None:
    core.ignores = "it does not do what it is asked (lamp)"
    with capture_logs() as logs, running(core, socket.open, told) as link:
        socket.next_end().write(b"H")
        told.wait_for(LinkOpened)
        link.order(Settled(1), Settled(2))
        told.wait_for(CaughtUp, 2)
    told_of = [(line["event"], line["log_level"], line.get("ignores", line.get("ignored"))) for line in logs]
    assert told_of == [("link_opened", "warning", core.ignores), ("device_obeys", "info", core.ignores)]


class AnewEachTime(ObedientCore):
    """Tells of each loss with another number, as one does whose device begins anew again and again."""

    def step(self, now: float, received: bytes, orders: Sequence[Order]) -> Step:
        step = super().step(now, received, orders)
        numbered = [
            LinkLost(f"it no longer knows link {number}") if isinstance(notice, LinkLost) else notice
            for number, notice in enumerate(step.notices)
        ]
        return Step(numbered, step.to_send, step.deadline)


def test_a_loss_that_differs_by_a_number_alone_is_the_same_loss_again(socket: Socket, told: Told) -> None:
    with capture_logs() as logs, running(AnewEachTime(), socket.open, told):
        socket.next_end().write(b"HL" * 8)
        told.wait_for(LinkLost, 8)
    lost = [line for line in logs if line["event"] == "link_lost"]
    assert len({line["reason"] for line in lost}) == 8
    assert [line["times"] for line in lost if line["log_level"] == "warning"] == [1, 2, 4, 8]
