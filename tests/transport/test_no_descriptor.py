"""A process that may open no file any more: links are lost, diagnoses are not known, and all comes back by itself."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from drivers.capture import Capture
from drivers.errors import LinkError
from drivers.protocol.notices import LinkLost, LinkOpened
from drivers.transport.serial_port import SerialPort
from firmware_bridge.service.port_facts import NOT_KNOWN, Roots, holders, others_words
from tests.transport.conftest import LIMIT
from tests.transport.link_bench import Delays, ObedientCore, Socket, Told, running


@contextmanager
def no_descriptor_left() -> Iterator[None]:
    """Let nothing be opened meanwhile; what is open stays so."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_link_that_is_lost_while_nothing_can_be_opened_comes_back(plug: Any, core: ObedientCore, told: Told) -> None:
    port, delays = str(plug.path), Delays(0.001)
    with (
        capture_logs() as logs,
        running(core, lambda: SerialPort(port), told, delays=delays, others=lambda: others_words(port)) as link,
    ):
        assert plug.receive(1) == b"O"
        plug.send(b"H")
        told.wait_for(LinkOpened)
        with no_descriptor_left():
            plug.unplug()
            told.wait_for(LinkLost, 2)
            delays.wait_for(times=3)
        assert link.alive
        plug.plug_in()
        assert plug.receive(1) == b"O"
        plug.send(b"H")
        told.wait_for(LinkOpened, 2)
    first, second = [line for line in logs if line["event"] == "link_lost" and line["log_level"] == "warning"][:2]
    assert "unplugged" in first["reason"]
    assert first["also_open_in"] == NOT_KNOWN
    assert "no file descriptor left" in second["reason"]


def test_a_look_for_others_that_fails_in_the_middle_of_a_loss_ends_no_link(
    core: ObedientCore, socket: Socket, told: Told
) -> None:
    def fails() -> str:
        raise OSError(5, "Input/output error")

    with capture_logs() as logs, running(core, socket.open, told, others=fails):
        device = socket.next_end()
        device.write(b"H")
        told.wait_for(LinkOpened)
        device.close()
        socket.next_end().write(b"H")
        told.wait_for(LinkOpened, 2)
    lost = next(line for line in logs if line["event"] == "link_lost")
    assert lost["also_open_in"] == "not known: Input/output error"


def test_a_port_that_opens_but_for_what_wakes_its_reader_is_a_link_error_and_is_given_back(
    plug: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(*_: object) -> int:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(os, "eventfd", none_left)
    with pytest.raises(LinkError, match="no file descriptor left") as failed:
        SerialPort(str(plug.path))
    monkeypatch.undo()
    SerialPort(str(plug.path)).close()
    assert failed.tb is not None, "kept until here: else whatever was left open would be closed with its last frame"


def test_who_has_a_port_is_not_known_where_the_system_tells_of_no_process(tmp_path: Path) -> None:
    blind = Roots(proc=tmp_path / "nothing")
    assert holders("/dev/null", blind) is None
    assert others_words("/dev/null", blind) == NOT_KNOWN


# ---- the capture, the other courtesy in a link's thread


@pytest.mark.timeout(LIMIT)
def test_a_pipe_in_the_captures_place_holds_up_no_link(tmp_path: Path) -> None:
    path = tmp_path / "link.jsonl"
    os.mkfifo(path)
    with capture_logs() as logs:
        capture = Capture(path, "shoe", "shoe", lambda: 0.0)
        capture.note("opened")
        capture.note("closed")
    assert [line["event"] for line in logs] == ["capture_failed"]


def test_a_capture_ends_with_the_line_of_which_only_a_part_could_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:5]))
    path = tmp_path / "link.jsonl"
    with capture_logs() as logs:
        capture = Capture(path, "shoe", "shoe", lambda: 0.0)
        capture.note("opened")
        capture.note("closed")
    assert [line["event"] for line in logs] == ["capture_failed"]
    assert path.read_bytes() == b'{"t":', "nothing stands behind half a line"
