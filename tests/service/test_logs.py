"""Logs: one JSON object a line, one clock, one stream, libraries included, and nothing secret."""

from __future__ import annotations

import errno
import io
import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from firmware_bridge.core.secrets import Pin
from firmware_bridge.service.logs import LIBRARIES, LogFile, configure_logs

NOON = 1_790_000_000_123_456_789
PIN = "739154"


@pytest.fixture(autouse=True)
def libraries_as_they_were() -> Iterator[None]:
    loggers = [logging.getLogger(name) for name in LIBRARIES]
    before = [(logger.handlers, logger.level, logger.propagate) for logger in loggers]
    yield
    for logger, (handlers, level, propagate) in zip(loggers, before, strict=True):
        logger.handlers, logger.propagate = handlers, propagate
        logger.setLevel(level)


class Log:
    """What was logged, and the clock by which it was."""

    def __init__(self, level: str = "info") -> None:
        self.now = NOON
        self.stream = io.StringIO()
        configure_logs(self.stream, lambda: self.now, level, cache=False)

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]


@pytest.mark.field("BR-038")
def test_lines_that_cannot_be_written_are_counted_and_told_before_the_next_one_that_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(tmp_path / "log", "ab") as file:
        configure_logs(LogFile(file.fileno()), lambda: NOON, cache=False)
        structlog.get_logger().info("first")
        write, room = os.write, iter([10])

        def full(descriptor: int, data: bytes) -> int:
            if (some := next(room, 0)) > 0:
                return write(descriptor, data[:some])
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as sick:
            sick.setattr(os, "write", full)
            for _ in range(3):
                structlog.get_logger().info("lost, every one")
        structlog.get_logger().info("last")
    whole = [line for line in (tmp_path / "log").read_text().splitlines() if line.endswith("}")]
    assert [json.loads(line)["event"] for line in whole] == ["first", "log_lines_lost", "last"]
    assert json.loads(whole[1])["count"] == 3


def test_a_line_is_a_json_object_with_time_level_event_and_what_was_bound() -> None:
    log = Log()
    structlog.get_logger().bind(device="shoe").info("link_opened", window=8)
    assert log.lines() == [
        {
            "time": "2026-09-21T14:13:20.123+00:00",
            "device": "shoe",
            "window": 8,
            "event": "link_opened",
            "level": "info",
        }
    ]


def test_time_is_the_clocks_that_was_handed_in() -> None:
    log = Log()
    structlog.get_logger().info("first")
    log.now += 1_500_000_000
    structlog.get_logger().info("second")
    assert [line["time"] for line in log.lines()] == [
        "2026-09-21T14:13:20.123+00:00",
        "2026-09-21T14:13:21.623+00:00",
    ]


def test_two_runs_of_the_same_are_the_same_bytes() -> None:
    texts = []
    for _ in range(2):
        log = Log()
        structlog.get_logger().warning("frame_dropped", raw=b"\x00\xff", count=3, reason="check")
        texts.append(log.stream.getvalue())
    assert texts[0] == texts[1] != ""


@pytest.mark.parametrize(
    ("level", "told"),
    [
        ("debug", ["debug", "info", "warning", "error"]),
        ("info", ["info", "warning", "error"]),
        ("warning", ["warning", "error"]),
        ("error", ["error"]),
    ],
)
def test_only_lines_of_the_level_and_above_are_told(level: str, told: list[str]) -> None:
    log = Log(level)
    for method in ("debug", "info", "warning", "error"):
        getattr(structlog.get_logger(), method)("something")
    assert [line["level"] for line in log.lines()] == told


def test_bytes_are_hex_and_unknown_things_are_named_as_they_print() -> None:
    log = Log()
    structlog.get_logger().info("frame", raw=b"\x00\x81", frames=[b"\x01"], core=object)
    [line] = log.lines()
    assert (line["raw"], line["frames"]) == ("0081", ["01"])
    assert line["core"] == "<class 'object'>"


@pytest.mark.parametrize("text", ["莊家", "não\nsim", "\u2028\x1b[2J", "/dev/\udcff"])
def test_a_line_is_plain_ascii_and_one_line_whatever_stands_in_it(text: str) -> None:
    log = Log()
    structlog.get_logger().info("said", text=text)
    written = log.stream.getvalue()
    assert written.removesuffix("\n").isprintable()
    assert written.isascii()
    assert log.lines()[0]["text"] == text


@pytest.mark.parametrize("name", ["transitions", "transitions.core", "usb", "usb.backend.libusb1"])
@pytest.mark.parametrize("level", ["debug", "info", "warning"])
def test_libraries_speak_from_warning_up_in_our_form_and_once(
    name: str, level: str, capfd: pytest.CaptureFixture[str]
) -> None:
    log = Log(level)
    library = logging.getLogger(name)
    library.debug("too much")
    library.info("too much")
    library.warning("took %d tries", 3)
    [line] = log.lines()
    assert (line["event"], line["library"], line["text"]) == ("library_said", name, "took 3 tries")
    assert (line["level"], line["time"]) == ("warning", "2026-09-21T14:13:20.123+00:00")
    assert capfd.readouterr() == ("", "")


def test_setting_up_twice_tells_a_librarys_line_once() -> None:
    Log()
    log = Log()
    logging.getLogger("transitions").error("again")
    assert len(log.lines()) == 1


def test_a_traceback_is_told_without_the_values_of_variables() -> None:
    log = Log()
    digits = PIN
    try:
        assert digits
        raise ValueError("the check failed")
    except ValueError:
        structlog.get_logger().exception("check_failed")
    [line] = log.lines()
    assert "ValueError: the check failed" in line["exception"]
    assert PIN not in log.stream.getvalue()


def test_a_pin_that_comes_to_a_logger_by_mistake_shows_no_digit() -> None:
    log = Log("debug")
    pin = Pin(PIN)
    logger = structlog.get_logger().bind(pin=pin)
    logger.info("entered", entry=[pin], by={"person": pin})
    logger.info(f"entered {pin}")
    logging.getLogger("transitions").warning("model %r", pin)
    assert len(log.lines()) == 3
    assert PIN not in log.stream.getvalue()
