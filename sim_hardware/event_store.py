"""A device's memory of numbered events: each keeps number and place until acked (rules 6 to 8, 12)."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from drivers.protocol.messages import CARD_BODIES, EventBody, EventsLost

OTHER_PLACES = 24
"""Places for events other than cards; the last one is for *events lost*."""

LAST_EVENT = 0xFFFF_FFFE
"""The last number that an event gets: the one above it is for *first kept* when nothing is kept."""


class EventStore:
    """One memory: its random id, its places, its events. A memory lost is another object."""

    def __init__(self, rng: Random, window: int, other_places: int = OTHER_PLACES) -> None:
        self.memory = rng.getrandbits(64)
        self.last = 0
        self._window = window
        self._other_places = other_places
        self._kept: dict[int, EventBody] = {}
        self._cards = 0
        self._lost = 0

    @property
    def first_kept(self) -> int:
        """Number of the first event kept; that of the next one to come while none is."""
        return next(iter(self._kept), self.last + 1)

    @property
    def ended(self) -> bool:
        """Whether every number has been given: this memory takes no event any more."""
        return self.last >= LAST_EVENT

    @property
    def card_place_free(self) -> bool:
        """Whether one more card may pass (rule 6)."""
        return self._cards < self._window and not self.ended

    def add(self, body: EventBody) -> None:
        """Number an event if it has a place; otherwise drop it and count it for *events lost* (rule 7)."""
        has_place = self.card_place_free if isinstance(body, CARD_BODIES) else self._others_free > 1
        if has_place:
            self._keep(body)
        else:
            # A card without a place has slipped a gate that should have been shut: it too is said to be lost.
            self._lost += 1
            self._number_lost()

    def ack(self, number: int) -> None:
        """Forget every event up to ``number`` (rule 11); one beyond the last is no ack of this memory's."""
        if number > self.last:
            return
        for acked in [kept for kept in self._kept if kept <= number]:
            self._cards -= isinstance(self._kept.pop(acked), CARD_BODIES)
        self._number_lost()

    def keeps(self, number: int) -> bool:
        """Whether the event of this number is kept."""
        return number in self._kept

    def kept_from(self, number: int) -> Iterator[tuple[int, EventBody]]:
        """Events kept from ``number`` on, in order."""
        return ((kept, body) for kept, body in self._kept.items() if kept >= number)

    @property
    def _others_free(self) -> int:
        return 0 if self.ended else self._other_places - (len(self._kept) - self._cards)

    def _keep(self, body: EventBody) -> None:
        self.last += 1
        self._kept[self.last] = body
        self._cards += isinstance(body, CARD_BODIES)

    def _number_lost(self) -> None:
        if self._lost and self._others_free > 0:
            lost, self._lost = self._lost, 0
            self._keep(EventsLost(lost))
