"""What every byte pipe to a device offers, whatever it runs on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


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


Opener = Callable[[], Transport]
"""Opens a pipe, or raises a ``LinkError`` that says why it cannot be opened and what to do."""
