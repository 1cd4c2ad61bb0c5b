"""Invariants of a shoe that people fill: its books are true; no round after its last one, none before its burns."""

from __future__ import annotations

from drivers.cards import SPECIAL
from drivers.protocol.messages import CardDrawn
from firmware_bridge.service.inspection import Logged, Place, Session, changes, events
from sim_hardware.commands.simulate.invariants.books import TrueAtRest
from sim_hardware.commands.simulate.watch import Invariant, Watch
from sim_hardware.commands.simulate.world import World
from sim_hardware.hand_fed_table import HandFedTable

BETWEEN = frozenset({Session.FILLING_SHOE, Session.UNLOADING, Session.ASKING_UNLOAD_PRESENCE})
"""States in which hands may have done what is not said yet: the shoe is filled, or emptied."""


class ShoeIsTrue(TrueAtRest):
    """1, of a shoe that people fill: at rest its books are the cards in it; nothing is left in it at the end.

    Compared while the books claim to be true: every count is believed, no incident is open, and a card has come since
    somebody said that the shoe is filled.
    """

    def recorded(self, number: int, logged: Logged) -> None:
        """Look at each end of a session."""
        del number
        for change in logged.decision.changes:
            self._follow(change)

    def _compare(self) -> None:
        state = self.state
        if not state.under_way or state.incidents or not state.counts_trusted or state.session in BETWEEN:
            return
        booked, found = state.account.at(Place.SHOE), self.world.physical.inside()
        if booked != found and booked != state.account.cards:  # nobody sees that it was filled before a card comes
            raise self.broken(f"{found} cards are in the shoe, the books say {booked}")


class LastRoundIsLast(Invariant):
    """14: no round begins after the last one of a shoe, nor before its burns; a special card is never in play.

    The last round is the one in which the warning card came, or which follows it (PT-S5 to PT-S7).
    """

    number = 14

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        assert isinstance(world.physical, HandFedTable)  # it is checked at no other one
        self._is_full = False
        self._was_marked = False
        self._rounds = 0
        self._burned = 0

    def recorded(self, number: int, logged: Logged) -> None:
        """Follow each filling, its burns and its rounds."""
        event = logged.event
        is_special = isinstance(event, events.Told) and isinstance(event.body, CardDrawn) and event.body.face == SPECIAL
        for change in logged.decision.changes:
            if is_special and isinstance(change, changes.Booked):
                raise self.broken(f"record {number}: a special card is booked as one of the set [PT-S4]")
            if isinstance(change, changes.ShoeFilled):
                self._is_full, self._was_marked, self._rounds, self._burned = True, False, 0, 0
            elif isinstance(change, changes.SessionBegan):
                self._is_full = False
            elif isinstance(change, changes.ShoeMarked):
                self._was_marked = True
            elif isinstance(change, changes.RoundEnded) and self._was_marked:
                self._is_full = False
            elif isinstance(change, changes.Booked) and change.cause == "burn":
                self._burned += change.count
            elif isinstance(change, changes.RoundBegan):
                self._look_at_round(number)

    def _look_at_round(self, number: int) -> None:
        if not self._is_full:
            raise self.broken(f"record {number}: a round begins, and the last one of this shoe was played [PT-S6]")
        burn = self.world.config.book.burn
        wanted = int(burn.before_each_later_round) if self._rounds else burn.cards_with_shoe(self.state.decks)
        if self._burned != wanted:
            raise self.broken(f"record {number}: {self._burned} cards were burned and not {wanted} [PT-S5]")
        self._rounds, self._burned = self._rounds + 1, 0
