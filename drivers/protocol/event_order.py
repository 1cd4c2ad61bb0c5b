"""The host's place in a device's numbered events: taken, journalled, and what to answer (rules 8 to 13)."""

from __future__ import annotations

from drivers.protocol.codec import WINDOW_MAX
from drivers.protocol.messages import Ack, Ask, Event, Hello
from drivers.protocol.notices import Resume

OTHER_PLACES = 24
"""Places of a device for events other than cards (README.md 5.3)."""

MOST_KEPT = WINDOW_MAX + OTHER_PLACES
"""Events that a device keeps at most, whatever its window."""


class EventOrder:
    """Takes each event once and in order, asks from the first missing, repeats the last ack.

    ``taken`` is in the host's working state, ``journalled`` is flushed. Both outlive a link, not a memory.
    """

    def __init__(self, resume: Resume | None) -> None:
        self._memory = None if resume is None else resume.memory
        self._taken = self._journalled = 0 if resume is None else resume.number
        self._link = 0
        self._kept_at_opening = 0
        self._asked = 0

    def open(self, hello: Hello) -> tuple[bool, bool]:
        """Begin a link; return whether a memory was lost (rule 12) and the journal is behind (rule 13)."""
        self._link = hello.link
        self._kept_at_opening = hello.last
        # Numbers never go back in one memory: a device that shows it has lost its store and not said so.
        lost = self._memory is not None and (hello.memory != self._memory or hello.last < self._taken)
        behind = not lost and self._memory is not None and hello.first_kept > self._taken + 1
        if lost or behind or self._memory is None:
            # What stands before the first kept is nowhere any more: neither to be asked for nor to be acked.
            self._taken = self._journalled = hello.first_kept - 1
        self._memory = hello.memory
        return lost, behind

    @property
    def caught_up(self) -> bool:
        """Whether every event up to the hello's last is taken (rules 18 and 27)."""
        return self._taken >= self._kept_at_opening

    @property
    def flushed(self) -> bool:
        """Whether every event up to the hello's last is journalled (rule 27)."""
        return self._journalled >= self._kept_at_opening

    def missing_for_good(self, first_kept: int) -> bool:
        """Whether the device has forgotten the next event: the next opening tells that we are behind."""
        return first_kept > self._taken + 1

    def has_no_place(self, event: Event) -> bool:
        """Whether a device that keeps each event until it is acked can have no place for this one (rules 6 and 7).

        Taken all the same, such events would fill the controller's queue faster than a disk takes them.
        """
        return event.number > self._journalled + MOST_KEPT

    def take(self, event: Event) -> bool:
        """Take the next event; return whether it was the next one. A known one changes nothing (rule 10)."""
        if event.number != self._taken + 1:
            return False
        self._taken = event.number
        return True

    def ask_for_gap(self, event: Event) -> Ask | None:
        """Return the request for what is missing before an event; the burst behind it asks no more."""
        first_missing = self._taken + 1
        if event.number <= first_missing or self._asked == first_missing:
            return None
        return self._ask()

    def answer(self, first_kept: int, last: int) -> Ack | Ask | None:
        """Return what a hello or heartbeat calls for: the ack that was lost, else what is missing.

        It arms the request for a gap anew, so that one that was lost is repeated.
        """
        self._asked = 0
        if first_kept <= self._journalled:
            return Ack(self._link, self._journalled)
        return self._ask() if last > self._taken else None

    def journalled(self, memory: int, number: int) -> Ack | None:
        """Note a flush and return its ack (rule 11); a flush that outlived its memory acks nothing."""
        if memory != self._memory or not self._journalled < number <= self._taken:
            return None
        self._journalled = number
        return Ack(self._link, number)

    def _ask(self) -> Ask:
        self._asked = self._taken + 1
        return Ask(self._link, self._asked)
