"""What of a make's own wire may be shown in log and capture: its frames, and nothing that another says there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Shows(Protocol):
    """What may be shown of what comes over a wire of another kind than sabot/1."""

    @property
    def held(self) -> int:
        """Bytes of a frame that has begun: whether they are shown is not known yet."""

    def feed(self, data: bytes) -> bytes:
        """Take what came, in any pieces; return the whole frames that it completes."""


class ShowsNothing:
    """What a device says that never speaks, or whose driver does not tell its frames from another's bytes."""

    held = 0

    def feed(self, data: bytes) -> bytes:  # noqa: ARG002 - whatever it is
        """Show none of it."""
        return b""


Judge = Callable[[], Shows]
"""Makes what judges one opening of a wire."""
