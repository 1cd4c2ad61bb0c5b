"""Invariant 3, of the steps at a table whose shoe people fill: what must have stood so before, from the clauses."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from firmware_bridge.service.inspection import (
    Logged,
    Place,
    Procedure,
    RuleBook,
    Session,
    State,
    Trigger,
    changes,
)
from sim_hardware.commands.simulate.watch import Invariant, Watch
from sim_hardware.commands.simulate.world import World

IN_HANDS = (Place.OUTSIDE, Place.TABLE, Place.DISCARD)
"""Where cards lie that hands fill a shoe with."""


class Before(NamedTuple):
    """How the table stood before a record; the last two since its shoe was filled."""

    book: RuleBook
    places: dict[Place, int]
    cards: int
    """Of the set."""
    opened: bool
    shuffle_due: bool
    awaited: int
    """Cards that were set aside in this session, and that no replacement was booked for."""
    marked: bool
    stopped: bool

    @property
    def in_hands(self) -> int:
        """Cards that lie where hands take them from."""
        return sum(self.places.get(place, 0) for place in IN_HANDS)

    @property
    def is_the_set(self) -> bool:
        """Exactly the set lies in hands."""
        return self.in_hands == self.cards and not self.places.get(Place.OVER, 0)

    @property
    def is_used_up(self) -> bool:
        """No other round may begin with this shoe."""
        return self.marked or self.places.get(Place.SHOE, 0) <= 0 or self.shuffle_due


May = Callable[[Before], bool]

WHEN: tuple[tuple[str, str, str, May, str, str], ...] = (
    # the step, from where and where to ("" anywhere), what must be so, its clause, and what is wrong otherwise
    (Trigger.YES, Session.FILLING_SHOE, Session.READY, lambda at: at.is_the_set, "PT-E2", "the set is not in hands"),
    (Trigger.ONE_PLAYER, "", "", lambda at: at.is_the_set, "PT-E2", "the set is not in hands"),
    (
        *(Trigger.ONE_PLAYER, "", "", lambda at: at.book.warning_card.middle_for_one_player),
        *("PT-S4", "the warning card lies where it does for more players"),
    ),
    (Trigger.DECLARE_CLOSED, "", Session.NOT_OPENED, lambda at: not at.opened, "PT-A6", "the session is open"),
    (
        *(Trigger.SPECIAL_CARD, Session.READY, Session.READY),
        *(lambda at: at.book.last_round.warning_card_between_rounds == "round_is_played", "PT-S7", "a shuffle is due"),
    ),
    (
        *(Trigger.SPECIAL_CARD, Session.READY, Session.EMPTYING_SHOE),
        *(lambda at: at.book.last_round.warning_card_between_rounds == "shuffle_first", "PT-S7", "a round is due"),
    ),
    (Trigger.ROUND_OVER, "", Session.EMPTYING_SHOE, lambda at: at.is_used_up, "PT-S6", "the shoe is not used up"),
    (Trigger.STOP_PLAY, "", "", lambda at: at.book.shuffle.when_play_stops, "PT-S8", "the shoe is played on"),
    (Trigger.YES, Session.EMPTYING_SHOE, Session.SHOWING, lambda at: at.stopped, "PT-S8", "play did not stop"),
    *(
        (Trigger.YES, Session.EMPTYING_SHOE, target, may, clause, wrong)
        for target in (Session.SHOWING, Session.MIXING)
        for may, clause, wrong in (
            (lambda at: at.is_the_set, "SB-7", "the set did not come out"),
            (lambda at: at.awaited <= 0, "PT-A1", "a replacement is awaited"),
        )
    ),
)


class StepsOfShoe(Invariant):
    """3, of a shoe that people fill: it is filled, emptied, cut and closed only where the clauses have it."""

    number = 3

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._awaited = 0
        self._marked = self._stopped = False
        self._before = self._now()

    def _now(self) -> Before:
        state: State = self.state
        return Before(
            self.world.config.book,
            dict(state.account.places),
            state.account.cards,
            state.opened,
            state.shuffle_due,
            self._awaited,
            self._marked,
            self._stopped,
        )

    def recorded(self, number: int, logged: Logged) -> None:
        """Look at each step of the record, and follow what befell the shoe."""
        for change in logged.decision.changes:
            if isinstance(change, changes.Moved) and change.procedure == Procedure.SESSION:
                self._look(number, change)
            self._follow(change)
        self._before = self._now()

    def _look(self, number: int, moved: changes.Moved) -> None:
        for trigger, source, target, may, clause, wrong in WHEN:
            is_it = moved.trigger == trigger and source in ("", moved.source) and target in ("", moved.target)
            if is_it and not may(self._before):
                raise self.broken(f"record {number}: {moved.trigger} to {moved.target}, and {wrong} [{clause}]")

    def _follow(self, change: changes.Change) -> None:
        if isinstance(change, changes.SessionBegan):
            self._awaited = 0
        elif isinstance(change, changes.Booked):
            aside = (change.target is Place.SET_ASIDE) - (change.source is Place.SET_ASIDE)
            self._awaited += change.count * (aside - (change.source is Place.RESERVE))
        elif isinstance(change, changes.ShoeFilled):
            self._marked = self._stopped = False
        elif isinstance(change, changes.ShoeMarked):
            self._marked = True
        elif isinstance(change, changes.PlayStopped):
            self._stopped = True
