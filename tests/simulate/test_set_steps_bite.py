"""The course of a set is watched: each step of it in its place (invariant 3), no set among another's cards (12)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import pytest

from drivers.cards import UNREAD
from drivers.protocol.batch import CycleBegan, CycleEnded, Mode, Outcome, PackOut
from drivers.protocol.messages import CardDrawn, Purpose
from drivers.protocol.notices import Release
from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.accounts import Account
from firmware_bridge.core.records import Logged
from firmware_bridge.core.state import Moment, OpenIncident, SetOfCards, State, course_of
from firmware_bridge.core.words import FIRST, SECOND, Course, Incident, IncidentKind, Place, Procedure, Session, Trigger
from sim_hardware.batch_mechanics import Cycle
from sim_hardware.batch_table import BatchTable, HandedOver
from sim_hardware.cards import Card
from sim_hardware.commands.simulate.fitted import sets_of
from sim_hardware.commands.simulate.invariants.set_steps import StepsOfSets
from sim_hardware.commands.simulate.invariants.two_sets import HANDFUL, SetsAreApart
from sim_hardware.commands.simulate.shift import Settings, Shift
from sim_hardware.commands.simulate.watch import Invariant, ViolationError

NOTHING = e.BadFrames("shoe", 1, "")
A_CARD = e.Told("shoe", 1, CardDrawn(Purpose.DEAL, UNREAD))
BEGAN = c.SessionBegan(201, 104)
TO_DEAL, TO_UNLOAD = (e.Told("shuffler", 1, PackOut(purpose, 104)) for purpose in (Purpose.DEAL, Purpose.UNLOAD))


def lie_in(pile: deque[Card], cards: Sequence[Card]) -> None:
    """These cards, and no others, lie there."""
    pile.clear()
    pile.extend(cards)


def at_the_machine(state: Incident) -> OpenIncident:
    """A jam that has come so far."""
    return OpenIncident(IncidentKind.JAM, "shuffler", "exit", Moment(1, 1, 1), state=state)


class Table:
    """A table with two sets in hands, between rounds of the first, and an invariant of it that begins anew."""

    def __init__(self, watches: type[Invariant]) -> None:
        shift = Shift(Settings(seed=1, rounds=1, faults="none", table="batch", sets=2, ways_out=0))
        assert isinstance(shift.world.physical, BatchTable)
        self.hands = shift.world.physical
        self.state: State = shift.watch.state
        self.state.positions[Procedure.SESSION] = Session.READY
        self.state.sets = {name: SetOfCards(account=Account(104, {Place.OUTSIDE: 104})) for name in (FIRST, SECOND)}
        self.state.playing = FIRST
        backs: Sequence[tuple[str, ...]] = sets_of(shift.world.config)
        self.first, self.second = ([card for card in self.hands.box if card.back in own] for own in backs)
        self.invariant = watches(shift.world, shift.watch)

    def __call__(self, *changes: c.AnyChange, event: e.AnyEvent = NOTHING) -> None:
        self.invariant.recorded(7, Logged(0, event, c.Decision(changes)))

    def lie(self, place: Place, name: str = FIRST) -> None:
        """By the books a set's cards lie there."""
        self.state.sets[name].account.places = {place: 104}
        self()

    def step(self, trigger: Trigger, target: Course, source: Course = Course.OUT, event: e.AnyEvent = NOTHING) -> None:
        """The first set takes a step of its course; before it all stood as it stands."""
        self()
        self(c.Moved(course_of(FIRST), trigger, source, target, "SB-5"), event=event)

    def closes(self, target: Session) -> None:
        """The session goes there at a supervisor's word that the table is closed."""
        self(c.Moved(Procedure.SESSION, Trigger.DECLARE_CLOSED, Session.READY, target, "PT-A6"))

    def cycle(self, cards: Sequence[Card], done: bool = True) -> None:
        """A cycle that is told to be of the first set takes these cards in, and is made to its end."""
        self.state.positions[course_of(FIRST)] = Course.IN_CYCLE
        lie_in(self.hands.mechanism.intake_tray, cards)
        self.hands.mechanism.cycle = Cycle(Mode.SHUFFLE, 1)
        self.invariant.happened()
        self(event=e.Told("shuffler", 1, CycleBegan(1, Mode.SHUFFLE, 1)))
        outcome = Outcome.DONE if done else Outcome.STOPPED
        self(event=e.Told("shuffler", 2, CycleEnded(1, Mode.SHUFFLE, outcome, 1, len(cards))))
        self.hands.mechanism.cycle = None
        self.invariant.happened()


# ---- invariant 3: the steps of a set


@pytest.fixture
def steps() -> Table:
    return Table(StepsOfSets)


def shuffled_out_of_the_shoe(table: Table) -> None:
    table.lie(Place.SHOE)
    table.step(Trigger.SHUFFLE_SET, Course.IN_CYCLE)


def shuffled_while_it_is_played_with(table: Table) -> None:
    table.lie(Place.TABLE)
    table.step(Trigger.SHUFFLE_SET, Course.IN_CYCLE)


def shuffled_upon_another_set(table: Table) -> None:
    table.lie(Place.MACHINE, SECOND)
    table.step(Trigger.SHUFFLE_SET, Course.IN_CYCLE)


def shuffled_with_hands_in_the_machine(table: Table) -> None:
    table.state.incidents[1] = at_the_machine(Incident.LID_OPEN)
    table.step(Trigger.SHUFFLE_SET, Course.IN_CYCLE)


def taken_out_of_the_shoe_in_a_round(table: Table) -> None:
    table.state.positions[Procedure.SESSION] = Session.IN_ROUND
    table.step(Trigger.TAKE_SET_OUT, Course.COMING_OUT, Course.IN_SHOE)


def put_away_while_it_is_played_with(table: Table) -> None:
    table.lie(Place.DISCARD)
    table.step(Trigger.TAKE_SET_OUT, Course.OUT)


def put_away_with_no_card_of_it_out(table: Table) -> None:
    table.state.playing = SECOND
    table.lie(Place.OUTSIDE)
    table.step(Trigger.TAKE_SET_OUT, Course.OUT)


def shuffled_though_a_pass_counted_another_number(table: Table) -> None:
    table.state.sets[FIRST].passes = [104, 103]
    table.step(Trigger.SHUFFLED, Course.SHUFFLED, Course.IN_CYCLE)


def shuffled_though_no_pass_counted_it(table: Table) -> None:
    table.step(Trigger.SHUFFLED, Course.SHUFFLED, Course.IN_CYCLE)


def in_the_shoe_though_it_came_out_at_the_door(table: Table) -> None:
    table.step(Trigger.PACK_OUT, Course.IN_SHOE, Course.SHUFFLED, TO_UNLOAD)


def in_the_shoe_though_nothing_came_out(table: Table) -> None:
    table.step(Trigger.PACK_OUT, Course.IN_SHOE, Course.SHUFFLED)


def taken_out_though_it_went_to_the_shoe(table: Table) -> None:
    table.step(Trigger.PACK_OUT, Course.OUT, Course.COMING_OUT, TO_DEAL)


def coming_out_though_it_went_to_the_shoe(table: Table) -> None:
    table.step(Trigger.PACK_OUT, Course.COMING_OUT, Course.COMING_OUT, TO_DEAL)


def drawn_empty_though_no_card_of_it_was_inside(table: Table) -> None:
    table.step(Trigger.FEED_EMPTY, Course.OUT, Course.COMING_OUT)


def single_cards_counted(table: Table) -> None:
    counts = c.Moved(Procedure.SESSION, Trigger.COUNT_MACHINE, Session.READY, Session.COUNTING_MACHINE, "SB-7")
    table(counts)


def single_cards_shuffled(table: Table) -> None:
    table(c.Moved(Procedure.SESSION, Trigger.SHUFFLE_MACHINE, Session.READY, Session.SHUFFLING, "SB-9"))


def closed_over_cards_that_went_in(table: Table) -> None:
    table(c.Booked(Place.OUTSIDE, Place.MACHINE, 104, "loading", set=FIRST))
    table.closes(Session.NOT_OPENED)


STEPS = [
    (shuffled_out_of_the_shoe, "cards of it are in the shoe"),
    (shuffled_while_it_is_played_with, "cards of it are on the table"),
    (shuffled_upon_another_set, "another set is in the machine"),
    (shuffled_with_hands_in_the_machine, "somebody is at the machine"),
    (taken_out_of_the_shoe_in_a_round, "a round is under way"),
    (put_away_while_it_is_played_with, "it is the one that is played with"),
    (put_away_with_no_card_of_it_out, "no card of it lies out"),
    (shuffled_though_a_pass_counted_another_number, "a pass counted another number"),
    (shuffled_though_no_pass_counted_it, "a pass counted another number"),
    (in_the_shoe_though_it_came_out_at_the_door, "it was let out otherwise"),
    (in_the_shoe_though_nothing_came_out, "it was let out otherwise"),
    (taken_out_though_it_went_to_the_shoe, "it was let out otherwise"),
    (coming_out_though_it_went_to_the_shoe, "it was let out otherwise"),
    (drawn_empty_though_no_card_of_it_was_inside, "no card of it was in the machine"),
    (single_cards_counted, "told to count, or shuffle, single cards"),
    (single_cards_shuffled, "told to count, or shuffle, single cards"),
    (closed_over_cards_that_went_in, "it is not proven empty"),
]


@pytest.mark.clause("SB-5", "SB-6")
@pytest.mark.parametrize(("breaks", "said"), STEPS, ids=lambda one: getattr(one, "__name__", ""))
def test_a_step_of_a_set_that_no_clause_has_there_is_named(
    steps: Table, breaks: Callable[[Table], None], said: str
) -> None:
    with pytest.raises(ViolationError, match=said) as broken:
        breaks(steps)
    assert broken.value.invariant == 3


def test_a_set_that_is_shuffled_dealt_and_put_away_as_the_clauses_have_it_breaks_nothing(steps: Table) -> None:
    steps.state.incidents[1] = at_the_machine(Incident.COUNTING)  # its next cycle is awaited
    steps.lie(Place.DISCARD)
    steps.step(Trigger.SHUFFLE_SET, Course.IN_CYCLE)
    steps.lie(Place.MACHINE)
    steps.state.sets[FIRST].passes = [104, 104]
    steps.step(Trigger.SHUFFLED, Course.SHUFFLED, Course.IN_CYCLE)
    steps.step(Trigger.PACK_OUT, Course.IN_SHOE, Course.SHUFFLED, TO_DEAL)
    steps.lie(Place.SHOE)
    steps.step(Trigger.TAKE_SET_OUT, Course.COMING_OUT, Course.IN_SHOE)
    steps.state.playing = SECOND
    steps.lie(Place.DISCARD)
    steps.step(Trigger.TAKE_SET_OUT, Course.OUT)


def test_a_session_that_begins_knows_nothing_of_cards_that_went_in_before(steps: Table) -> None:
    steps(c.Booked(Place.OUTSIDE, Place.MACHINE, 104, "loading", set=FIRST))
    steps(BEGAN)
    steps.closes(Session.NOT_OPENED)


# ---- invariant 13: no set among another's cards


@pytest.fixture
def apart() -> Table:
    return Table(SetsAreApart)


def a_pack_upon_another_sets(table: Table) -> None:
    table.hands.handed_over = HandedOver(Mode.SHUFFLE, tuple(table.first))
    lie_in(table.hands.shoe.mouth, [*table.second[:1], *table.first])
    table.invariant.happened()


def dealt_with_the_other_set_out(table: Table) -> None:
    table.lie(Place.DISCARD, SECOND)
    table(event=A_CARD)


def dealt_onto_a_pile_of_the_other_set(table: Table) -> None:
    table.hands.discard[:] = table.second[: HANDFUL + 1]
    table(event=A_CARD)


def released_after_a_card_was_lost(table: Table) -> None:
    table.cycle(table.first[1:])
    table.invariant.ordered("shoe", Release(Purpose.DEAL, 1, 1))


def released_after_a_card_of_the_other_set_took_its_place(table: Table) -> None:
    table.cycle([*table.first[1:], table.second[0]])
    table.invariant.ordered("shoe", Release(Purpose.DEAL, 1, 1))


def released_after_only_one_of_two_sets_was_counted(table: Table) -> None:
    table.cycle([*table.first[1:], table.second[0]])
    table.cycle(table.first)
    table.invariant.ordered("shoe", Release(Purpose.DEAL, 1, 1))


APART = [
    (a_pack_upon_another_sets, "1 cards of another set are there"),
    (dealt_with_the_other_set_out, "104 of set 2 lie out"),
    (dealt_onto_a_pile_of_the_other_set, f"{HANDFUL + 1} of another set lie with it"),
    (released_after_a_card_was_lost, "set 1, set 2 is to be counted whole first"),
    (released_after_a_card_of_the_other_set_took_its_place, "set 1, set 2 is to be counted whole first"),
    (released_after_only_one_of_two_sets_was_counted, "and set 2 is to be counted whole first"),
]


@pytest.mark.clause("SB-6")
@pytest.mark.parametrize(("breaks", "said"), APART, ids=lambda one: getattr(one, "__name__", ""))
def test_a_set_that_is_dealt_among_anothers_cards_or_in_doubt_is_named(
    apart: Table, breaks: Callable[[Table], None], said: str
) -> None:
    with pytest.raises(ViolationError, match=said) as broken:
        breaks(apart)
    assert broken.value.invariant == 13


def test_a_whole_set_alone_is_dealt_and_what_is_not_to_be_dealt_is_no_matter(apart: Table) -> None:
    apart.cycle(apart.first)
    apart.cycle(apart.first[1:], done=False)  # broken off: it made no pack
    apart.hands.handed_over = HandedOver(Mode.SHUFFLE, tuple(apart.first))
    lie_in(apart.hands.shoe.mouth, apart.first)
    apart.hands.discard[:] = apart.second[:HANDFUL]
    apart.invariant.happened()
    apart.invariant.ordered("shoe", Release(Purpose.DEAL, 1, 1))
    apart(event=A_CARD)


def test_sets_in_doubt_come_out_to_be_counted_and_a_new_session_counts_its_own(apart: Table) -> None:
    apart.cycle(apart.first[1:])
    apart.invariant.ordered("shoe", Release(Purpose.UNLOAD, 1, 1))
    apart(BEGAN)
    apart.invariant.ordered("shoe", Release(Purpose.DEAL, 1, 1))
