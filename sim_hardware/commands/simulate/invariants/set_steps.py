"""Invariant 3, of the steps of sets at a batch shuffler: what must have stood so before, from the clauses."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from drivers.protocol.batch import PackOut
from drivers.protocol.messages import Purpose
from firmware_bridge.service.inspection import (
    Course,
    Incident,
    Logged,
    Place,
    Procedure,
    Session,
    State,
    Trigger,
    changes,
    events,
)
from sim_hardware.commands.simulate.invariants.remedies import TOUCH_THE_ORDER
from sim_hardware.commands.simulate.watch import Invariant, Watch
from sim_hardware.commands.simulate.world import World

OFF_THE_MACHINE = frozenset({Incident.CLEARED, Incident.COUNTING, Incident.COUNT_DIFFERS, Incident.SHUFFLING})
"""States of an incident in which nobody is at the machine any more: its next cycle is awaited."""

LOOKED_INTO = frozenset({Session.EMPTIED, Session.ALL_REGULAR})
"""Where the machine was looked into: only its own word has it opened once more."""
TAKEN_FOR_EMPTY = frozenset({Trigger.CONFIRM_EMPTY, Trigger.SIGN_RESULT, Trigger.SIGN_DIFFERENCE})
"""Steps that stand on a machine without a card."""


class OfSet(NamedTuple):
    """What the books had of one set before a record."""

    machine: int
    shoe: int
    table: int
    out: int


class Before(NamedTuple):
    """How the table stood before a record."""

    session: Session
    playing: str
    is_touched: bool
    """An incident at the machine's cards is not dealt with yet (SB-9)."""
    sets: dict[str, OfSet]

    @classmethod
    def of(cls, state: State) -> Before:
        """What stands in a state."""
        at_it = (one for one in state.incidents.values() if one.kind in TOUCH_THE_ORDER)
        books = {name: one.account for name, one in state.sets.items()}
        sets = {
            name: OfSet(one.at(Place.MACHINE), one.at(Place.SHOE), one.at(Place.TABLE), one.out)
            for name, one in books.items()
        }
        return cls(state.session, state.playing, any(one.state not in OFF_THE_MACHINE for one in at_it), sets)


class Step(NamedTuple):
    """A step of a set's course: how it stood before, and what the device told with it."""

    before: Before
    name: str
    state: State
    told: object

    @property
    def of_set(self) -> OfSet:
        """What the books had of the set before."""
        return self.before.sets[self.name]

    @property
    def beside(self) -> int:
        """Cards of other sets in the machine before."""
        return sum(one.machine for name, one in self.before.sets.items() if name != self.name)

    def let_out(self, purpose: Purpose) -> bool:
        """Whether the machine let a pack out for this."""
        return isinstance(self.told, PackOut) and self.told.purpose == purpose

    @property
    def was_counted_whole(self) -> bool:
        """Every pass counted the set; what readers saw of it is held against the cards themselves."""
        cards = self.state.sets[self.name]
        return set(cards.passes) == {cards.account.cards}


WHEN: tuple[tuple[str, str, str, Callable[[Step], bool], str, str], ...] = (
    # the step, from where and where to ("" anywhere), what must be so, its clause, and what is wrong otherwise
    (Trigger.SHUFFLE_SET, "", "", lambda step: not step.of_set.shoe, "SB-5", "cards of it are in the shoe"),
    (Trigger.SHUFFLE_SET, "", "", lambda step: not step.of_set.table, "SB-5", "cards of it are on the table"),
    (Trigger.SHUFFLE_SET, "", "", lambda step: not step.beside, "SB-6", "another set is in the machine"),
    (Trigger.SHUFFLE_SET, "", "", lambda step: not step.before.is_touched, "SB-9", "somebody is at the machine"),
    (
        *(Trigger.TAKE_SET_OUT, Course.IN_SHOE, "", lambda step: step.before.session is Session.READY),
        *("SB-5", "a round is under way"),
    ),
    (
        *(Trigger.TAKE_SET_OUT, Course.OUT, "", lambda step: step.name != step.before.playing),
        *("SB-6", "it is the one that is played with"),
    ),
    (Trigger.TAKE_SET_OUT, Course.OUT, "", lambda step: step.of_set.out > 0, "SB-6", "no card of it lies out"),
    (
        Trigger.SHUFFLED,
        "",
        Course.SHUFFLED,
        lambda step: step.was_counted_whole,
        "SB-7",
        "a pass counted another number",
    ),
    (Trigger.PACK_OUT, "", Course.IN_SHOE, lambda step: step.let_out(Purpose.DEAL), "SB-1", "it was let out otherwise"),
    (Trigger.PACK_OUT, "", Course.OUT, lambda step: step.let_out(Purpose.UNLOAD), "SB-1", "it was let out otherwise"),
    (
        *(Trigger.PACK_OUT, "", Course.COMING_OUT, lambda step: step.let_out(Purpose.UNLOAD)),
        *("SB-1", "it was let out otherwise"),
    ),
    (Trigger.FEED_EMPTY, "", "", lambda step: step.of_set.machine > 0, "SB-4", "no card of it was in the machine"),
)


class StepsOfSets(Invariant):
    """3, of the sets: each step of a set's course is taken only where the clauses have it."""

    number = 3

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._before = Before.of(self.state)
        self._went_in = False
        """A card went into the machine since the session began."""

    def recorded(self, number: int, logged: Logged) -> None:
        """Look at each step of the record."""
        told = logged.event.body if isinstance(logged.event, events.Told) else None
        for change in logged.decision.changes:
            if isinstance(change, changes.SessionBegan):
                self._went_in = False
            elif isinstance(change, changes.Booked):
                self._went_in = self._went_in or change.target is Place.MACHINE
            elif isinstance(change, changes.Moved):
                procedure, _, name = change.procedure.partition("/")
                if procedure == Procedure.COURSE:
                    self._look(number, change, Step(self._before, name, self.state, told))
                elif procedure == Procedure.SESSION:
                    self._look_at_session(number, change)
        self._before = Before.of(self.state)

    def _look(self, number: int, moved: changes.Moved, step: Step) -> None:
        for trigger, source, target, may, clause, wrong in WHEN:
            is_it = moved.trigger == trigger and source in ("", moved.source) and target in ("", moved.target)
            if is_it and not may(step):
                raise self.broken(f"record {number}: {moved.trigger} to {moved.target}, and {wrong} [{clause}]")

    def _look_at_session(self, number: int, moved: changes.Moved) -> None:
        """A batch shuffler counts and shuffles in a cycle of a whole set alone; what it held it is proven empty of."""
        if moved.target in (Session.COUNTING_MACHINE, Session.SHUFFLING):
            raise self.broken(f"record {number}: a batch shuffler is told to count, or shuffle, single cards [SB-5]")
        if moved.trigger == Trigger.DECLARE_CLOSED and moved.target == Session.NOT_OPENED and self._went_in:
            raise self.broken(f"record {number}: cards were in the machine, and it is not proven empty [SB-4]")
        machine = self.state.machine
        says_inside = machine is not None and machine.is_there and machine.cards_inside
        if moved.trigger == Trigger.RELEASE_LID and moved.source in LOOKED_INTO and not says_inside:
            raise self.broken(f"record {number}: the lid is released again, and the machine says of no card [SB-4]")
        if moved.trigger in TAKEN_FOR_EMPTY and says_inside:
            raise self.broken(f"record {number}: {moved.trigger}, and the machine says that cards are inside [SB-4]")
