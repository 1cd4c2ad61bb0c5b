"""Invariants of a metal box: nothing is left in it that is said to be out; one round, then all is counted."""

from __future__ import annotations

from firmware_bridge.service.inspection import Logged, Place, Session, changes
from sim_hardware.commands.simulate.invariants.books import TrueAtRest
from sim_hardware.commands.simulate.watch import Invariant, Watch
from sim_hardware.commands.simulate.world import World

IN_HANDS = frozenset({Session.SHOWING, Session.CHECKING_BACKS, Session.MIXING, Session.CUTTING, Session.SORTING})
"""States in which all cards lie in hands: the box was said to be empty, or was never filled."""


class BoxIsTrue(TrueAtRest):
    """1, of a metal box: where all cards lie in hands none is left in it; nothing is left in it at the end."""

    def recorded(self, number: int, logged: Logged) -> None:
        """Look at each end of a session."""
        del number
        for change in logged.decision.changes:
            self._follow(change)

    def _compare(self) -> None:
        state = self.state
        if state.incidents or not state.counts_trusted or state.session not in IN_HANDS:
            return
        if left := self.world.physical.inside():
            raise self.broken(f"{left} cards are in the box, and all of them are said to lie in hands [SB-4]")


class OneRoundABox(Invariant):
    """14: one round is played from a filled box, after its burn; then all is counted before it is filled anew."""

    number = 14

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._may_begin = False
        self._is_counted = True
        self._burned = 0

    def recorded(self, number: int, logged: Logged) -> None:
        """Follow each filling, its round, and the count after it."""
        for change in logged.decision.changes:
            if isinstance(change, changes.SessionBegan):
                self._may_begin, self._is_counted, self._burned = False, True, 0
            elif isinstance(change, changes.ShoeFilled):
                if not self._is_counted:
                    raise self.broken(f"record {number}: the box is filled, and its cards were not counted [MO-2f]")
                self._may_begin, self._is_counted, self._burned = True, False, 0
            elif isinstance(change, changes.FullCount):
                self._is_counted = change.found == change.expected == self.state.account.cards
            elif isinstance(change, changes.Booked) and change.target is Place.DISCARD and change.cause == "burn":
                self._burned += change.count
        if any(isinstance(change, changes.RoundBegan) for change in logged.decision.changes):
            self._look_at_round(number)

    def _look_at_round(self, number: int) -> None:
        if not self._may_begin:
            raise self.broken(f"record {number}: a second round begins from one filling of the box [MO-2f]")
        wanted = self.world.config.book.burn.cards_with_shoe(self.state.decks)
        if self._burned != wanted:
            raise self.broken(f"record {number}: {self._burned} cards were burned and not {wanted} [MO-4a]")
        self._may_begin = False
