"""The thread that checks and renews PINs, one at a time: their tenth of a second never holds up the controller."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

import structlog

from firmware_bridge.core.console import CheckWanted, RenewWanted
from firmware_bridge.core.controller import Checked, Renewed
from firmware_bridge.errors import BridgeError
from firmware_bridge.service.clocks import boot_seconds
from firmware_bridge.service.people import Credentials, read_people, renew_pin
from firmware_bridge.service.people_watch import file_stamp

ANSWER_LIMIT = 10.0
"""Seconds after which what was asked and is not answered hangs: a check takes a tenth of one."""

STOP_LIMIT = 3.0
"""Seconds that ``stop`` waits: above the longest check."""


class CheckThread:
    """Answers each check and renewal that is asked for; one that cannot be made is a no, and the log says why."""

    def __init__(self, people: Path, answer: Callable[[Checked | Renewed], None]) -> None:
        self._people = people
        self._answer = answer
        self._asked: SimpleQueue[CheckWanted | RenewWanted | None] = SimpleQueue()
        self._unanswered: list[float] = []
        self._complained = False
        self._thread = threading.Thread(target=self._run, name="credential checks", daemon=True)
        self._credentials: Credentials | None = None
        self._file: tuple[int, ...] = ()
        self._log = structlog.get_logger()

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def ask(self, wanted: CheckWanted | RenewWanted) -> None:
        """Ask for a check or a renewal and return at once."""
        self._unanswered.append(boot_seconds())
        self._asked.put(wanted)

    def is_at_work(self) -> bool:
        """Whether all that was asked is answered, or may still be in time; the log says once that it hangs."""
        oldest = self._unanswered[:1]
        hangs = bool(oldest) and boot_seconds() - oldest[0] > ANSWER_LIMIT
        if hangs and not self._complained:
            self._log.error("credential_check_hangs", seconds=ANSWER_LIMIT, path=str(self._people))
        self._complained = hangs
        return not hangs

    def stop(self) -> None:
        """End the thread after what was asked for."""
        self._asked.put(None)
        if self._thread.ident is not None:
            self._thread.join(STOP_LIMIT)

    def _run(self) -> None:
        while (wanted := self._asked.get()) is not None:
            if isinstance(wanted, RenewWanted):
                self._answer(Renewed(wanted.entry, wanted.person, wanted.by, self._renew(wanted)))
            else:
                self._answer(self._checked(wanted))
            del self._unanswered[0]

    def _checked(self, wanted: CheckWanted) -> Checked:
        try:
            return Checked(wanted.entry, self._current().check(wanted.person, wanted.pin.digits()))
        except Exception as error:  # noqa: BLE001 - whatever stops a check, nobody is let in, and nobody waits for ever
            self._complain("credential_check_failed", error)
            return Checked(wanted.entry, None, "no PIN can be checked, the people file fails; the log says why")

    def _renew(self, wanted: RenewWanted) -> str:
        """Write the new PIN's hash down; return why not, or nothing."""
        try:
            refused = renew_pin(self._people, wanted.person, wanted.pin)
        except Exception as error:  # noqa: BLE001 - as above
            self._complain("pin_renewal_failed", error)
            return "the people file cannot be changed; the controller's log says why"
        if not refused:  # said here too: the record of it is made after the fact
            self._log.info("pin_renewed", person=wanted.person, by=wanted.by)
        return refused

    def _complain(self, event: str, error: Exception) -> None:
        """Log what failed; the text of an error that is not ours might quote what it was given."""
        reason = str(error) if isinstance(error, BridgeError) else ""
        self._log.error(event, error=type(error).__name__, reason=reason)

    def _current(self) -> Credentials:
        """The people as they are in the file now: who was disabled a moment ago does not act any more."""
        file = file_stamp(self._people)
        if self._credentials is None or file != self._file:
            self._credentials, self._file = None, file
            self._credentials = Credentials(read_people(self._people))
        return self._credentials
