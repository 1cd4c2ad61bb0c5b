"""Ports that are there, and not yet this user's, as at a boot whose rules run late."""

from __future__ import annotations

import os
import pty
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from drivers import backoff
from drivers.errors import LinkNotFoundError, LinkPermissionError
from drivers.protocol.notices import LinkOpened
from drivers.transport.base import SerialFormat, Transport
from drivers.transport.serial_port import SerialPort, opening_error
from drivers.transport.usb_address import UsbInterface
from firmware_bridge.core.events import DeviceCaughtUp, LinkDown
from firmware_bridge.core.records import Logged
from firmware_bridge.core.state import State
from firmware_bridge.journal import MemoryStore
from firmware_bridge.service.config import load_config
from firmware_bridge.service.run import Service
from tests.architecture import tree
from tests.service import live
from tests.transport.link_bench import ObedientCore, Socket, Told, running

REFUSED = 3
"""How often each port refuses to be opened."""


NOBODY = 65534
"""A user who may do nothing."""


@pytest.fixture
def denied_port() -> Iterator[str]:
    """A real port that this user may not open; for root another user's rights are taken on meanwhile."""
    ours, theirs = pty.openpty()
    port, user = os.ttyname(theirs), os.geteuid()
    os.chmod(port, 0)
    try:
        if user == 0:
            os.seteuid(NOBODY)
        yield port
    finally:
        os.seteuid(user)
        os.close(ours)
        os.close(theirs)


@pytest.mark.field("BR-046")
def test_a_port_that_the_system_denies_is_told_with_its_name_and_the_missing_right(denied_port: str) -> None:
    with pytest.raises(LinkPermissionError, match=rf"{denied_port}.*this user may not open it; add the user to"):
        SerialPort(denied_port)


@pytest.mark.field("BR-046")
def test_a_port_that_may_not_be_opened_is_said_once_with_the_missing_right_and_tried_again(tmp_path: Path) -> None:
    live.enrol(tmp_path)
    store = MemoryStore(table="BJ-07", seed=bytes(32))
    tries: Counter[str] = Counter()

    def open_port(port: str, _form: SerialFormat, _interface: UsbInterface) -> Transport:
        tries[port] += 1
        if tries[port] <= REFUSED:
            raise opening_error(port, PermissionError(13, "Permission denied"))
        return SerialPort(port)

    def events(kind: type) -> list[object]:
        found = [Logged.from_body(record.body).event for record in store.records()]
        return [event for event in found if isinstance(event, kind)]

    def completed(_state: State) -> None:
        if len(events(DeviceCaughtUp)) == len(live.DEVICES):
            service.stop()

    with live.devices(tmp_path):
        config = load_config(live.write_config(tmp_path))
        service = Service(config, store, State(), open_port, completed=completed)
        service.run()
    assert set(tries.values()) == {REFUSED + 1}
    told = {event.device: event.reason for event in events(LinkDown) if isinstance(event, LinkDown)}
    assert len(events(LinkDown)) == len(live.DEVICES), "once for each"
    for name, reason in told.items():
        assert reason.startswith(str(tmp_path / "ports" / name))
        assert "this user may not open it; add the user to" in reason


RIGHTS_OF_ROOT = ("geteuid", "getuid", "setuid", "seteuid", "setgid", "chown", "sudo", "pkexec", "CAP_")


@pytest.mark.field("BR-046")
def test_nothing_in_the_product_asks_for_root_or_takes_other_rights() -> None:
    """The way out of a missing right is the right: the message names the group, and no code looks for more."""
    found = [
        f"{tree.name(path)}: {word}"
        for path in tree.files("drivers", "firmware_bridge", suffix=".py")
        for word in RIGHTS_OF_ROOT
        if re.search(rf"\b{word}", path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.field("BR-046")
@pytest.mark.parametrize("device_first", [True, False])
def test_access_denied_for_twenty_seconds_is_said_once_and_then_the_port_is_opened(device_first: bool) -> None:
    denied_until, waited = 20.0, [0.0]
    socket, told = Socket(), Told()
    socket.plugged_in = device_first

    def open_port() -> Transport:
        socket.plugged_in = socket.plugged_in or waited[0] > 2.0
        if not socket.plugged_in:
            raise LinkNotFoundError("/dev/shoe", "no such port", "plug it in")
        if waited[0] < denied_until:
            raise opening_error("/dev/shoe", PermissionError(13, "Permission denied"))
        return socket.open()

    def passes(failures: int) -> float:
        waited[0] += backoff.delay(failures)
        return 0.0

    with capture_logs() as logs, running(ObedientCore(), open_port, told, delays=passes):  # type: ignore[arg-type]
        socket.next_end().write(b"H")
        told.wait_for(LinkOpened)
    assert denied_until <= waited[0] <= denied_until + 2.0, "tried again every two seconds, so opened within as many"
    warned = [line["reason"] for line in logs if line["event"] == "link_lost" and line["log_level"] == "warning"]
    assert ["may not open it; add the user to" in reason for reason in warned] == [False] * (not device_first) + [True]
