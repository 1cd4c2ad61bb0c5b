"""A batch shuffler's mechanism: tray, compartments, lift, output. Pure, seeded, stepped; shelves by default.

A cycle takes the pack from the tray past the count sensor into the compartments, and from these into the lift, once
for each pass; then the pack lies in the output, until it is let into the shoe or out at the door. As in
``mechanics.py``, firmware sets the actuators and reads the sensors.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from random import Random
from typing import ClassVar

from drivers.cards import DECK_SIZE, UNREAD, Face
from drivers.protocol.batch import Back, FaultClass, MachineFault, Mode
from drivers.protocol.messages import JamPlace
from sim_hardware.batch_faults import AS_A_CARD_GOES_IN, AS_A_PASS_BEGINS, BREAKS, MOST_LEFT, BatchFault
from sim_hardware.cards import Card, taken_for
from sim_hardware.faults import Fault, Faults
from sim_hardware.machine import Inside, MachineMechanism
from sim_hardware.motors import Motor
from sim_hardware.shelves import SHELVES, lay_at_random, random_order, sort_passes, sort_shelf
from sim_hardware.signals import Broken, Counted, Imaged, PackLeft, PassOver, PathChanged, Signal


@dataclass(frozen=True)
class Build:
    """How a make is built, and in how many passes it shuffles by itself.

    Seconds: ``card`` past the count sensor, ``compartment`` emptied or counted, ``hand_over`` of the pack as one.
    """

    compartments: int = SHELVES
    room: int = 80
    most_cards: int = 8 * DECK_SIZE
    passes: int = 2
    card: float = 0.2
    compartment: float = 0.06
    hand_over: float = 3.0


SHELF_MACHINE = Build()
"""One deck takes 22 s in two passes, as a machine of the trade does (field findings 2.1); eight decks 168 s."""

QUICK_SHELVES = Build(card=0.002, compartment=0.001, hand_over=0.1)
"""A quick machine, for demonstrations and tests."""


class Way(Enum):
    """Where the pack may leave to."""

    SHOE = auto()
    DOOR = auto()


@dataclass
class Cycle:
    """A cycle under way: in which pass it is, and which compartments are still to be emptied in it."""

    mode: Mode
    passes: int
    number: int = 1
    laid: int = 0
    to_empty: list[int] | None = None
    """None while cards are still taken in."""


class BatchMechanism(MachineMechanism):
    """The shelf machine. ``takes`` is the docked shoe: it takes a pack, or says that it cannot."""

    usual: ClassVar[Build] = SHELF_MACHINE
    """How this make is built, where nothing else is asked for."""

    def __init__(
        self,
        rng: Random,
        now: float = 0.0,
        build: Build | None = None,
        faults: Faults | None = None,
        takes: Callable[[Sequence[Card]], bool] | None = None,
    ) -> None:
        super().__init__(now, faults or Faults())
        self.build = build or self.usual
        self.rng = rng
        self._takes = takes

        # Actuators: set by firmware. Without power all is shut.
        self.motors_on = False
        """Whether tray, compartments and lift may move."""
        self.way: Way | None = None
        self.counting = False
        self.cycle: Cycle | None = None

        # The world's own.
        self.fault: MachineFault | None = None
        """What the machine finds wrong with itself."""
        self.overfull = False
        """A card waits in the tray and there is no room for it."""
        self.made: Mode | None = None
        """By what cycle, made to its end, the pack in the output came about; None: by none."""

        # Places.
        self.compartments: list[deque[Card]] = [deque() for _ in range(self.build.compartments)]
        self.left_behind: list[deque[Card]] = [deque() for _ in range(self.build.compartments)]
        """What stuck to the wall of a compartment that was emptied: its sensors do not see it."""
        self.lift: deque[Card] = deque()
        self.output: deque[Card] = deque()
        self.door: deque[Card] = deque()
        """The pack that was let out, for hands to take."""

        self._copies: Counter[Face] = Counter()
        self._counted = 0
        self.intake = Motor(self.build.card, self._can_take_in, self._take_in)
        self.motors = (
            self.intake,
            Motor(self.build.compartment, self._can_empty, self._empty),
            Motor(self.build.hand_over, self._can_hand_over, self._hand_over),
            Motor(self.build.compartment, self._can_clear_out, self._clear_out),
            Motor(self.build.compartment, self._can_count, self._count),
            self.clearing,
        )

    # ---- commands

    def start_cycle(self, mode: Mode, passes: int) -> Cycle:
        """Begin on the pack in the tray; the cycle that is returned says how many passes it takes."""
        if mode is Mode.SORT:
            passes = sort_passes(-(-len(self.intake_tray) // DECK_SIZE))
        elif mode is Mode.INSPECT:
            passes = 1
        self.overfull, self.made = False, None
        self.cycle = Cycle(mode, passes)
        self._begin_pass((*AS_A_PASS_BEGINS, BatchFault.RANDOM_NUMBERS))
        self.settle()
        return self.cycle

    def start_count(self) -> None:
        """Begin to turn every compartment past the count sensor, from the first one on."""
        self.counting = True
        self._counted = 0
        self.settle()

    def stop(self) -> None:
        """Break off a cycle or a count; the cards stay where they are."""
        self.cycle = None
        self.counting = False
        self.settle()

    def power_up(self) -> None:
        """Start anew: what was under way is not resumed; only faults of parts that move outlast it."""
        if self.fault is not None and self.fault.fault_class is FaultClass.INTERNAL:
            self.fault = None
        self._breaks((BatchFault.MEMORY,))
        self.stop()

    # ---- sensors that have a standing value

    @property
    def inside(self) -> int:
        """Cards in compartments and lift, as far as sensors see them."""
        return len(self.lift) + sum(map(len, self.compartments))

    def cards(self) -> Iterator[Card]:
        """Every card in the mechanism, in no order that means anything to anyone."""
        for place in (self.intake_tray, *self.compartments, *self.left_behind, self.lift, self.output, self.door):
            yield from place
        if self.jam is not None:
            yield self.jam.card

    # ---- what hands do

    def lay_in_intake_tray(self, cards: Sequence[Card]) -> bool:
        """Lay cards in the tray; it is open above and takes any number, whatever the machine may make of them."""
        self.intake_tray.extend(cards)
        self.settle()
        return True

    def look_inside(self) -> Inside:
        """Return what is under the lid: lift and output, and each compartment with what was left behind in it."""
        return Inside(len(self.lift) + len(self.output), self._by_compartment(), self.jam_place)

    def lay_inside(self, cards: Sequence[Card]) -> bool:
        """Lay cards by hand into the lift, past every sensor; False, and none is laid, while a card sticks."""
        if self.jam is not None:
            return False
        self.lift.extend(cards)
        self.settle()
        return True

    def _within_reach(self) -> Iterable[deque[Card]]:
        return self.output, self.lift, *self.compartments, *self.left_behind

    def repair(self) -> bool:
        """Free what keeps a mechanical part from moving; False if there is nothing that a hand could free."""
        if self.fault is None or self.fault.fault_class is not FaultClass.MECHANICAL:
            return False
        self.fault = None
        self.settle()
        return True

    # ---- a cycle

    def _can_take_in(self) -> bool:
        return self._runs() and self.cycle is not None and self.cycle.to_empty is None

    def _runs(self) -> bool:
        return self.motors_on and not self.intake_tripped and not self.lid_open and not self.overfull

    def _take_in(self) -> Signal | None:
        cycle = self._under_way
        source, place = (self.intake_tray, JamPlace.INTAKE) if cycle.number == 1 else (self.lift, JamPlace.CAROUSEL)
        if not source:
            self._all_taken_in()  # Hands were quicker.
            return None
        self.overfull = cycle.laid >= self.build.most_cards or not any(map(self._has_room, self.compartments))
        if self._breaks(AS_A_CARD_GOES_IN) or self.overfull:
            return Broken()
        card = source.popleft()
        if self._sticks(card, place, source):
            return PathChanged()
        image = self._imaged(card)
        self._lay(card, image.face)
        if source and self.faults.strikes(Fault.DOUBLE_IN):
            self._lay(source.popleft(), UNREAD)
        if not source:
            self._all_taken_in()
        return image

    def _all_taken_in(self) -> None:
        self._under_way.to_empty = self.emptied_in(self._under_way.mode)

    def _lay(self, card: Card, read: Face) -> None:
        cycle = self._under_way
        if cycle.mode is Mode.SORT:
            self.compartments[sort_shelf(read, self._copies[read], cycle.number)].append(card)
            self._copies[read] += 1
        else:
            self.place(card, cycle.mode)
        cycle.laid += 1

    def place(self, card: Card, mode: Mode) -> None:
        """Put a card that is shuffled or inspected into a compartment: what makes the order random, or keeps it."""
        with_room = [each for each in self.compartments if self._has_room(each)] or self.compartments
        if mode is Mode.SHUFFLE:
            lay_at_random(card, with_room, self.rng)
        else:
            with_room[0].append(card)

    def emptied_in(self, mode: Mode) -> list[int]:
        """Return the numbers of the compartments in the order in which they are emptied."""
        count = len(self.compartments)
        return random_order(count, self.rng) if mode is Mode.SHUFFLE else list(range(count))

    def _can_empty(self) -> bool:
        return self._runs() and self.cycle is not None and self.cycle.to_empty is not None

    def _empty(self) -> Signal | None:
        cycle = self._under_way
        assert cycle.to_empty is not None  # else it could not have been begun
        if cycle.to_empty:
            return self._empty_compartment(cycle.to_empty.pop(0))
        if cycle.number < cycle.passes:
            cycle.number += 1
            cycle.laid, cycle.to_empty = 0, None
            self._begin_pass(AS_A_PASS_BEGINS)
            return PassOver(last=False)
        self.output.extend(self.lift)
        self.lift.clear()
        self.made, self.cycle = cycle.mode, None
        return PassOver(last=True)

    def _empty_compartment(self, number: int) -> Signal | None:
        pile = self.compartments[number]
        if pile and self._sticks(pile[0], JamPlace.CAROUSEL, pile):
            pile.popleft()
            return PathChanged()
        if pile and self.faults.strikes(BatchFault.CARDS_LEFT):
            for _ in range(min(MOST_LEFT, len(pile))):
                self.left_behind[number].append(pile.pop())
        self.lift.extend(pile)
        pile.clear()
        return None

    def _begin_pass(self, could_break: Iterable[BatchFault]) -> None:
        self._copies.clear()
        self._breaks(could_break)

    @property
    def _under_way(self) -> Cycle:
        assert self.cycle is not None  # else no motor of it could have moved
        return self.cycle

    def _breaks(self, could: Iterable[BatchFault]) -> bool:
        for fault in could:
            if self.faults.strikes(fault):
                self.fault = BREAKS[fault]
        return self.fault is not None

    def _has_room(self, compartment: deque[Card]) -> bool:
        return len(compartment) < self.build.room

    # ---- the readers

    def _imaged(self, card: Card) -> Imaged:
        """What faces and backs the readers see: a card that lies face up shows the one where the other should be."""
        if card.boxed:
            return Imaged(UNREAD, Back.FACE)
        back = Back.__members__.get(card.back.upper(), Back.OTHER)
        if card.face == UNREAD or self.faults.strikes(BatchFault.UNREADABLE):
            return Imaged(UNREAD, back)
        misread = self.faults.strikes(Fault.MISREAD)
        return Imaged(taken_for(card.face) if misread else card.face, back)

    # ---- the way out

    def _can_hand_over(self) -> bool:
        return self.way is not None and bool(self.output) and self._may_deliver() and not self._may_clear_out()

    def _may_deliver(self) -> bool:
        return self.cycle is None and not self.counting and not self.lid_open

    def _hand_over(self) -> Signal | None:
        if self._sticks(self.output[0], JamPlace.EXIT, self.output):
            self.output.popleft()
            return PathChanged()
        if self.way is Way.DOOR:
            self.door.extend(self.output)
        elif self._takes is None or not self._takes(tuple(self.output)):
            return None  # No shoe stands there that has room: it tries again.
        self.output.clear()
        return PackLeft()

    def _may_clear_out(self) -> bool:
        return self.way is Way.DOOR and self.inside > 0

    def _can_clear_out(self) -> bool:
        return self._may_clear_out() and self._may_deliver()

    def _clear_out(self) -> None:
        pile = next(each for each in (*self.compartments, self.lift) if each)
        self.output.extend(pile)
        pile.clear()
        self.made = None

    # ---- the count

    def _can_count(self) -> bool:
        return self.counting and not self.lid_open

    def _count(self) -> Signal | None:
        self._counted += 1
        if self._counted < len(self.compartments):
            return None
        self.counting = False
        return Counted(0, self._by_compartment())

    def _by_compartment(self) -> tuple[int, ...]:
        pairs = zip(self.compartments, self.left_behind, strict=True)
        return tuple(len(seen) + len(left) for seen, left in pairs)
