"""A controller that outlasts a journal which cannot be written: all is held, and it begins anew once there is room.

After a failed flush nobody knows what that file really holds. So the state that was decided and not recorded is given
up with it, as at a crash: nothing of it was acknowledged or permitted, and the devices keep their events. A new segment
goes on from the last record that is certain, and a controller starts on it as after any restart.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Protocol

import structlog
from msgspec.structs import replace

from firmware_bridge.core.controller import Status
from firmware_bridge.core.events import JournalResumed
from firmware_bridge.core.records import Store
from firmware_bridge.errors import JournalError
from firmware_bridge.service.room import LEAST_MB, FreeMb
from firmware_bridge.service.status import StatusFile

LOOK_S = 1.0
"""Seconds between two looks while nothing can be recorded: the status stays fresh."""

LOOKS = 10
"""Looks between two tries to begin a segment."""


class Run(Protocol):
    """One run of a controller."""

    def run(self) -> None:
        """Run until ``stop``. With everything held it raises ``JournalError`` where the journal fails.

        ``AlreadyRunningError``: another process writes it now, and what this one knows of it is no longer all.
        """

    def stop(self) -> None:
        """Ask it to end."""

    def status(self) -> Status:
        """Return what the status file should show."""


class Lasting:
    """Runs of one table's controller, one after the other, until ``stop``."""

    def __init__(
        self,
        begin: Callable[[JournalResumed | None], Run],
        store: Store,
        status: StatusFile,
        free: FreeMb,
        *,
        looked: Callable[[], None] = lambda: None,
        utc: Callable[[], int] = time.time_ns,
        pause: Callable[[], None] | None = None,
    ) -> None:
        self._begin = begin
        self._store = store
        self._status = status
        self._free = free
        self._looked = looked
        self._utc = utc
        self._pause = pause or self._wait
        self._stopping = False
        self._woken: SimpleQueue[None] = SimpleQueue()
        self._running: Run | None = None
        self._log = structlog.get_logger()

    def stop(self) -> None:
        """Ask the run under way to end, and let none follow; may be called from a signal's handler."""
        self._stopping = True
        self._woken.put(None)
        if self._running is not None:
            self._running.stop()

    def run(self) -> None:
        """Run until ``stop``. Raises ``JournalError`` if that came while nothing could be recorded, or at the start.

        ``AlreadyRunningError`` is not outlasted: a controller that starts goes on from what the other one wrote.
        """
        outage: JournalResumed | None = None
        while not self._stopping:
            kept = self._store.last_number
            try:
                self._begun(outage).run()
                return
            except JournalError as error:
                if self._stopping or self._running is None:
                    raise
                last = self._running.status()
                if outage is None or self._store.last_number > kept:  # otherwise the earlier one is not over yet
                    outage = JournalResumed(str(error), self._utc(), last.record - self._store.last_number)
                self._outlast(error, last)

    def _begun(self, outage: JournalResumed | None) -> Run:
        self._running = running = self._begin(outage)
        if self._stopping:  # told so while the records were folded, when this run could not hear it yet
            running.stop()
        return running

    def _outlast(self, error: JournalError, last: Status) -> None:
        """Wait, everything held, until a new segment could be begun. Raises the error where ``stop`` comes first."""
        reason, looks = str(error), 0
        try:
            while True:
                self._status.show(self._status_now(last, reason))
                self._looked()  # whoever watches the process: it waits, held, and that is its work now
                self._pause()
                if self._stopping:
                    raise error
                looks += 1
                if looks % LOOKS == 0 and (reason := self._try_again(reason)) == "":
                    return
        finally:
            self._status.remove()

    def _try_again(self, before: str) -> str:
        """Begin a segment; return why that cannot be, or nothing. The failed one is never written again."""
        try:
            free = self._free()
            if free < LEAST_MB:
                raise JournalError(
                    f"the journal's disk has {free} MB left, and {LEAST_MB} are needed to go on. Make room there: "
                    "the table goes on by itself."
                )
            self._store.begin_segment()
        except JournalError as error:
            if str(error) != before:
                self._log.error("journal_still_fails", reason=str(error))
            return str(error)
        self._log.info("journal_goes_on", after=self._store.last_number)
        return ""

    def _status_now(self, last: Status, reason: str) -> Status:
        return replace(
            last,
            record=self._store.last_number,
            utc_ns=self._utc(),
            asking="",
            role="",
            digits=0,
            message="",
            journal=reason,
        )

    def _wait(self) -> None:
        try:
            self._woken.get(timeout=LOOK_S)
        except Empty:
            return
