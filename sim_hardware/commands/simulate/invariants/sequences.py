"""Invariant 5, of the order of dealt cards: six in a row that no shuffled set has hold the table in their record."""

from __future__ import annotations

from itertools import pairwise

from drivers.cards import RANKS, UNREAD, Face
from drivers.protocol.messages import Operation
from firmware_bridge.service.inspection import IncidentKind, Logged, Place, changes
from sim_hardware.commands.simulate.watch import Invariant, Watch, is_open
from sim_hardware.commands.simulate.world import World

REMEMBERED = 832
"""Dealt cards within which an order that comes again is looked for: two sets of eight decks."""
DEALT = frozenset({Place.TABLE, Place.DISCARD})


class SequenceIsSeen(Invariant):
    """5: dealt cards rank by rank, or as they came before, are an incident at once, and nothing else is."""

    number = 5

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._length = world.config.book.house.sequence_holds_at
        self._shuffles = False
        self._begin()

    def _begin(self) -> None:
        self._dealt: list[Face] = []
        self._came: dict[tuple[Face, ...], int] = {}
        """Each run of so many cards, and after how many it had come last; none that shares a card with the last run."""

    def recorded(self, number: int, logged: Logged) -> None:
        """Follow what was dealt, and when all was shuffled."""
        in_order = raised = False
        for change in logged.decision.changes:
            if isinstance(change, changes.SessionBegan):
                self._begin()
            elif isinstance(change, changes.OrderGiven):
                self._shuffles = change.operation is Operation.SHUFFLE
            elif (
                isinstance(change, changes.OrderClosed) and self._shuffles and change.outcome == "done"
            ) or isinstance(change, changes.ShoeFilled):
                self._deal(UNREAD)
            elif isinstance(change, changes.Booked) and change.source is Place.SHOE and change.target in DEALT:
                in_order = [self._deal(change.face) for _ in range(change.count)][-1]
            elif isinstance(change, changes.Raised):
                raised |= change.kind is IncidentKind.SEQUENCE
        if in_order and self.state.under_way and not is_open(self.state, IncidentKind.SEQUENCE):
            raise self.broken(f"record {number}: {self._length} cards came in order, and play goes on [SB-9]")
        if raised and not in_order:
            raise self.broken(f"record {number}: the table is held for an order of cards that there was not [SB-9]")

    def _deal(self, face: Face) -> bool:
        """One more card; return whether so many came in order with it."""
        n, dealt = self._length, self._dealt
        dealt.append(face)
        now = len(dealt)
        if now >= 2 * n:
            self._came[tuple(dealt[now - 2 * n : now - n])] = now - n
        last = tuple(dealt[-n:])
        if now < n or UNREAD in last:
            return False
        steps = {after - before for before, after in pairwise(last)}
        of_one_suit = len({(one - 1) // len(RANKS) for one in last}) == 1
        again = self._came.get(last, 0) >= max(n, now - REMEMBERED + n)
        return (of_one_suit and steps in ({1}, {-1})) or again
