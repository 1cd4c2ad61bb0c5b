"""Logs: JSON lines, set up once, here only. They serve the engineer; evidence is the journal's.

Nothing secret may be handed to a logger. Two things stand behind that rule: a ``Pin`` prints as hidden, and
tracebacks are rendered without the values of variables.
"""

from __future__ import annotations

import io
import json
import logging
import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TextIO, cast

import structlog
from structlog.typing import EventDict, WrappedLogger

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
LIBRARIES = ("transitions", "usb")
"""Libraries that log through the standard library. They speak from WARNING up, whatever our own level."""


class LogFile(io.TextIOBase):
    """A file that is logged to and that may fail: a full disk or a reader that is gone stops no table.

    A line that cannot be written is lost; how many were stands in a line of its own before the next one that can.
    Nothing is buffered, so nothing is left that could fail at the end.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lost = 0

    def write(self, text: str) -> int:
        """Write a line, or count it as lost."""
        try:
            if self._lost:  # the last of them may be there in part: its line is ended
                self._write("\n" + json.dumps({"event": "log_lines_lost", "count": self._lost}) + "\n")
                self._lost = 0
            self._write(text)
        except OSError:
            self._lost += 1
        return len(text)

    def _write(self, text: str) -> None:
        left = text.encode()
        while left:
            left = left[os.write(self._descriptor, left) :]


def configure_logs(
    stream: TextIO | LogFile, clock: Callable[[], int], level: str = "info", *, cache: bool = True
) -> None:
    """Set up logging: JSON lines to ``stream``, stamped by ``clock`` (nanoseconds of UTC). Called once.

    ``cache`` fixes loggers at their first use; tests, which set up logging more than once, turn it off.
    """
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            _stamp(clock),
            structlog.processors.format_exc_info,
            # the standard library's JSON writes plain ASCII: no text and no terminal can make a line fail
            structlog.processors.JSONRenderer(default=_plain),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.WriteLoggerFactory(file=cast(TextIO, stream)),
        cache_logger_on_first_use=cache,
    )
    for name in LIBRARIES:
        library = logging.getLogger(name)
        library.handlers = [_IntoStructlog()]
        library.setLevel(logging.WARNING)
        library.propagate = False


class _IntoStructlog(logging.Handler):
    """Hands a library's record to structlog, so that all lines have one form, one clock and one stream."""

    def emit(self, record: logging.LogRecord) -> None:
        structlog.get_logger().log(
            record.levelno,
            "library_said",
            library=record.name,
            text=record.getMessage(),
            exc_info=record.exc_info,
        )


def _stamp(clock: Callable[[], int]) -> structlog.typing.Processor:
    def stamp(_logger: WrappedLogger, _method: str, line: EventDict) -> EventDict:
        seconds, nanoseconds = divmod(clock(), 1_000_000_000)
        moment = datetime.fromtimestamp(seconds, UTC).replace(microsecond=nanoseconds // 1000)
        return {"time": moment.isoformat(timespec="milliseconds"), **line}

    return stamp


def _plain(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else repr(value)
