"""A journal in memory that tells a test of each record, so that it acts at the moment it waits for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firmware_bridge.core.events import LinkDown, Told
from firmware_bridge.core.records import Entry, Logged
from firmware_bridge.journal import MemoryStore
from tests.service.live import One


class WatchedStore(MemoryStore):
    """A journal that calls back after each append, and fails from some number of appends on."""

    def __init__(self, fails_after: int = 1_000) -> None:
        super().__init__(table="BJ-07", seed=bytes(32))
        self.after: Callable[[], None] = lambda: None
        self._left = fails_after

    def append(self, entries: Sequence[Entry], *, sign: bool) -> None:
        self._left -= 1
        if self._left < 0:
            self.fail()
        super().append(entries, sign=sign)
        self.after()

    def events(self, kind: type[One]) -> list[One]:
        found = [Logged.from_body(record.body).event for record in self.records()]
        return [event for event in found if isinstance(event, kind)]

    def told(self, device: str) -> list[object]:
        """Return what a device told, in order."""
        return [event.body for event in self.events(Told) if event.device == device]

    def losses(self) -> dict[str, str]:
        return {event.device: event.reason for event in self.events(LinkDown)}
