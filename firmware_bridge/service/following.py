"""A running controller as another process sees it: through its journal and its status file, drawn for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firmware_bridge.readers.follow import Follower, read_status
from firmware_bridge.readers.presence import Presence
from firmware_bridge.readers.terminal import render
from firmware_bridge.service.status import NAME
from firmware_bridge.view import TableView

__all__ = ["Onlooker", "render"]


class Onlooker:
    """Follows one controller, and is a screen to it: whoever looks shows what is seen.

    Nothing is to be seen before it has begun, nor once it has ended in order.
    """

    def __init__(self, journal: Path, status: Path, books: Sequence[Path] = ()) -> None:
        self._journal = journal
        self._books = books
        self._status = status / NAME
        self._presence = Presence(status)
        self._follower: Follower | None = None

    def look(self, utc_ns: int) -> TableView | None:
        """Return the table as it stands at this moment of UTC. Raises ``JournalError``."""
        status = read_status(self._status)
        if status is None:
            return None
        if self._follower is None:
            self._follower = Follower(self._journal, self._books)
        self._follower.refresh()
        self._presence.tell(self._follower.state, utc_ns)
        return self._follower.view(status, utc_ns)
