"""The journal's records as lines of the log: what happened at the table, in words, for the engineer who reads along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import structlog

from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.records import Entry, Logged, Store
from firmware_bridge.rulebooks import RuleBook
from firmware_bridge.view import describe

WARNED = (e.FlushWasSlow, e.ClockJumped, e.JournalBegunAnew)
"""Events that are warnings though they raise no incident."""

DOUBTS = (c.Raised, c.Postponed)
"""Changes that need a person, now or at the next opening."""


def tell_long_log(log: Path) -> None:
    """Warn that SQLite's log could not be folded in: somebody reads the journal and never lets go (BR-037)."""
    remedy = "a new segment is begun; end the program that holds the journal open"
    structlog.get_logger().warning("journal_log_long", path=str(log), remedy=remedy)


class LoggedStore:
    """A ``Store`` that notes each record that is kept, and tells the log of them when asked.

    ``ports``: of the devices; ``book`` binds the table.

    Telling is no part of keeping: what is permitted waits for the flush, and must not wait for whoever reads the log.
    A record without words for people (a card drawn, say) is no line. What needs a person is a warning: an incident, and
    a device that is not taken, once for each reason.
    """

    def __init__(self, store: Store, ports: Mapping[str, str], book: RuleBook) -> None:
        self._store = store
        self._ports = ports
        self._book = book
        self._untold: list[Entry] = []
        self._refused: dict[str, str] = {}
        self._log = structlog.get_logger()

    @property
    def last_number(self) -> int:
        """See ``Store``."""
        return self._store.last_number

    def append(self, entries: Sequence[Entry], *, sign: bool) -> None:
        """See ``Store``."""
        self._store.append(entries, sign=sign)
        self._untold += entries

    def begin_segment(self) -> None:
        """See ``Store``."""
        self._store.begin_segment()

    def tell(self) -> None:
        """Write the lines of what was kept since the last call."""
        told, self._untold = self._untold, []
        for entry in told:
            self._tell(Logged.from_body(entry.body), entry.number)

    def _tell(self, logged: Logged, number: int) -> None:
        event = logged.event
        if isinstance(event, e.LinkUp):
            self._tell_refusal(event.device, logged)
        words = describe(logged, number, self._book)
        if words is None:
            return
        if isinstance(event, e.BadFrames):  # the link has told of them, once an outage
            self._log.debug("recorded", record=number, words=words)
        elif isinstance(event, WARNED) or any(isinstance(one, DOUBTS) for one in logged.decision.changes):
            self._log.warning("recorded", record=number, words=words)
        else:
            self._log.info("recorded", record=number, words=words)

    def _tell_refusal(self, device: str, logged: Logged) -> None:
        """Warn of a device that answered and is not taken; the reason holds the remedy."""
        reason = next((change.reason for change in logged.decision.changes if isinstance(change, c.Unlinked)), "")
        if reason and reason != self._refused.get(device):
            self._log.warning("device_refused", device=device, link=self._ports.get(device, ""), reason=reason)
        self._refused[device] = reason
