"""What every byte pipe to a device offers, whatever it runs on."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, Protocol

from drivers.errors import LinkError

FORMAT = r"(\d{3,7}) ([78])([NEO])([12])"
"""What the text of a serial format is like."""


class SerialFormat(NamedTuple):
    """How a serial line is set up: bits a second, data bits, parity (N none, E even, O odd), stop bits."""

    baud: int
    bits: int
    parity: str
    stop: int

    @classmethod
    def parse(cls, text: str) -> SerialFormat:
        """Return the format written as ``9600 8E1``. Raises ValueError for any other text."""
        found = re.fullmatch(FORMAT, text)
        if found is None:
            raise ValueError(f'{text!r} is no serial format; write speed, data bits, parity, stop bits, as "9600 8E1"')
        return cls(int(found[1]), int(found[2]), found[3], int(found[4]))

    def __str__(self) -> str:
        return f"{self.baud} {self.bits}{self.parity}{self.stop}"


SABOT_1 = SerialFormat(115200, 8, "N", 1)
"""What a line is set up as where nothing else is said."""


class Transport(Protocol):
    """An open byte pipe, owned by one thread; only ``cancel`` may be called from another."""

    def read(self, timeout: float) -> bytes:
        """Wait up to ``timeout`` seconds and return what came: ``b""`` when idle or cancelled.

        Raises ``LinkLostError`` when the far end is gone.
        """

    def write(self, data: bytes) -> None:
        """Send all of ``data``. Raises ``LinkTimeoutError`` (part of it may be out) or ``LinkLostError``."""

    def cancel(self) -> None:
        """Let the read under way, or else the next one, return at once; harmless after ``close``."""

    def close(self) -> None:
        """Give the port back; may be called twice."""


class Failure(NamedTuple):
    """What a library's error means: which of ours it is, what happened, and what to do."""

    error: type[LinkError]
    what: str
    remedy: str

    def at(self, port: object, detail: object = "") -> LinkError:
        """Return it as the error of a port."""
        return self.error(str(port), f"{self.what} ({detail})" if detail else self.what, self.remedy)


Opener = Callable[[], Transport]
"""Opens a pipe, or raises a ``LinkError`` that says why it cannot be opened and what to do."""
