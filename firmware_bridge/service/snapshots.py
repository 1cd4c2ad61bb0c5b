"""When a snapshot of the state is kept for the next start: at a session's end, each 10,000 records, an orderly end."""

from __future__ import annotations

from typing import Protocol

import structlog

from firmware_bridge.core.state import State
from firmware_bridge.errors import JournalError
from firmware_bridge.journal import Restored
from firmware_bridge.service.software import software_digest

EVERY = 10_000
"""Records after which there is a new one, so that a restart folds no more than these."""


class SnapshotStore(Protocol):
    """What a journal's store offers beside its records."""

    def keep_snapshot(self, state: State, software: str) -> None:
        """Keep a state for the next start. Raises ``JournalError``."""

    def restored(self, software: str) -> Restored:
        """Return the state that the journal leads to. Raises ``JournalError``."""


class Snapshots:
    """Restores the state at a start, and keeps it now and then. A snapshot that cannot be kept stops nothing."""

    def __init__(self, store: SnapshotStore) -> None:
        self._store = store
        self._kept = 0
        self._state: State | None = None
        self._under_way = False
        self._log = structlog.get_logger()

    def restored(self) -> State:
        """Return the state that the journal leads to. Raises ``JournalError``."""
        found = self._store.restored(software_digest())
        if found.why:
            self._log.warning("snapshot_not_used", reason=found.why)
        self._kept, self._under_way = found.after, found.state.under_way
        return found.state

    def turned(self, state: State) -> None:
        """Keep the state of a completed turn, if it is time."""
        self._state = state
        ended, self._under_way = self._under_way and not state.under_way, state.under_way
        if ended or state.record - self._kept >= EVERY:
            self.keep()

    def keep(self) -> None:
        """Keep the state of the last completed turn now."""
        state = self._state
        if state is None or state.record == self._kept:
            return
        self._kept = state.record
        try:
            self._store.keep_snapshot(state, software_digest())
        except JournalError as error:  # only the next start takes longer; a disk in trouble tells of itself
            self._log.warning("snapshot_not_kept", reason=str(error))
