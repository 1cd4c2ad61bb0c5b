"""The table's one mechanism: trays, carousel, rollers, gate, lid, lamp. Pure, seeded, stepped.

Nothing here knows of links or permissions: firmware sets the actuators and reads the sensors. Cards are only
ever moved from one place to another.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from drivers.cards import UNREAD, Face
from drivers.protocol.messages import JamPlace
from sim_hardware.cards import Card, taken_for
from sim_hardware.dealing_shoe import TRAY_ROOM
from sim_hardware.faults import Fault, Faults
from sim_hardware.machine import Inside, MachineMechanism
from sim_hardware.motors import Motor
from sim_hardware.shelves import lay_at_random
from sim_hardware.signals import CardPassed, Counted, PathChanged, Shuffled, Signal, Spot

COMPARTMENTS = 38
LARGE_COMPARTMENTS = 54
MOST_DECKS = 6
"""Decks that the smaller machine takes."""
COMPARTMENT_ROOM = 10
BUFFER_ROOM = 10
INTAKE_TRAY_ROOM = 208
STANDS_FOR = 150.0
"""Seconds for which a machine that stands still as it counts does so: more than the house waits for a count."""


@dataclass(frozen=True)
class Rates:
    """Seconds that moving parts take: for a card along any path, for a compartment past the count sensor."""

    card: float = 0.1
    compartment: float = 0.1


NORMAL = Rates()
QUICK = Rates(card=0.02, compartment=0.01)
"""A quick machine, for demonstrations and tests."""


def compartments_for(decks: int) -> int:
    """Return the compartments of the machine that a set of so many decks needs."""
    return COMPARTMENTS if decks <= MOST_DECKS else LARGE_COMPARTMENTS


class Mechanism(MachineMechanism):
    """A continuous shuffler and the shoe docked to it. ``now`` is seconds of the mechanics' clock."""

    def __init__(
        self,
        rng: Random,
        rates: Rates = NORMAL,
        compartments: int = COMPARTMENTS,
        now: float = 0.0,
        faults: Faults | None = None,
    ) -> None:
        super().__init__(now, faults or Faults())
        self._rng = rng

        # Actuators: set by firmware. Without power all is shut.
        self.intake_on = False
        self.feed_on = False
        self.counting = False
        self.shuffling = False
        self.gate_open = False
        self.shoe_motor_on = False

        # Places.
        self.compartments: list[deque[Card]] = [deque() for _ in range(compartments)]
        self.buffer: deque[Card] = deque()
        self.mouth: deque[Card] = deque()
        """What lies at the shoe's mouth: one card, or two that were fed as one."""
        self.shoe_tray: deque[Card] = deque()
        self.shoe_output: list[Card] = []

        self._ejecting = self.compartments[0]
        self._sorts = self._stands_still = False
        self._counts: list[int] = []
        self._unshuffled: list[Card] = []
        self.motors = (
            Motor(rates.card, self._can_take_in, self._take_in),
            Motor(rates.card, self._can_eject, self._eject),
            Motor(rates.card, self._can_feed, self._feed),
            Motor(rates.card, self._can_draw_from_tray, self._draw_from_tray),
            Motor(rates.compartment, self._can_count, self._count),
            Motor(rates.card, self._can_shuffle, self._shuffle),
            Motor(STANDS_FOR, self._is_stuck_in_count, self._go_on_counting),
            self.clearing,
        )

    # ---- commands

    def start_count(self) -> None:
        """Begin to turn every compartment past the count sensor, from the first one on."""
        self.counting = True
        self._begin_anew()

    def start_shuffle(self) -> None:
        """Begin to move every card of carousel and buffer to a random compartment."""
        self.shuffling = True
        self._begin_anew()

    def stop_command(self) -> None:
        """Break off a count or a shuffle; the cards stay where they are."""
        self.counting = self.shuffling = False
        self.settle()

    def _begin_anew(self) -> None:
        self._counts.clear()
        self._stands_still = self.counting and self.faults.strikes(Fault.STANDS_STILL)
        if self.shuffling:
            self._sorts = False
            self._unshuffled = [card for each in (self.buffer, *self.compartments) for card in each]
            self._rng.shuffle(self._unshuffled)
        self.settle()

    # ---- sensors that have a standing value

    @property
    def intake_ready(self) -> bool:
        """Whether the machine can take a card in: room in the carousel, and the cut-out closed."""
        return not self.intake_tripped and any(map(self._has_room, self.compartments))

    @property
    def machine_empty(self) -> bool:
        """Whether neither carousel nor buffer holds a card, and none sticks."""
        return not self.buffer and not any(self.compartments) and self.jam is None

    def cards(self) -> Iterator[Card]:
        """Every card in the mechanism, in no order that means anything to anyone."""
        for place in (self.intake_tray, *self.compartments, self.buffer, self.mouth, self.shoe_tray, self.shoe_output):
            yield from place
        if self.jam is not None:
            yield self.jam.card

    # ---- what hands do (a hand that finds no room or a locked lid is told so by the result)

    def lay_in_intake_tray(self, cards: Sequence[Card]) -> bool:
        """Lay cards in the intake tray; False, and none is laid, if they do not all fit."""
        stuck = self.jam_place is JamPlace.INTAKE  # It would come back here, should the jam clear itself.
        return self._lay_in(cards, self.intake_tray, INTAKE_TRAY_ROOM - stuck)

    def lay_in_shoe_tray(self, cards: Sequence[Card]) -> bool:
        """Lay cards in the shoe's own tray; False, and none is laid, if they do not all fit."""
        return self._lay_in(cards, self.shoe_tray, TRAY_ROOM)

    def pull(self) -> tuple[list[Card], Signal] | None:
        """Pull the card at the mouth through gate and reader; None if the gate is shut or none lies there.

        Of two that stick together the reader sees one.
        """
        if not self.mouth or not (self.gate_open or self.faults.strikes(Fault.GATE_LEAKS)):
            return None
        together = len(self.mouth) > 1 and self.faults.strikes(Fault.DOUBLE_DRAW)
        cards = [self.mouth.popleft() for _ in range(1 + together)]
        self.settle()
        return cards, CardPassed(Spot.READER, self._seen(cards[0]))

    def move_lid(self, open_it: bool, force: bool = False) -> bool:
        """As every lid; a count or a shuffle begins anew when it is closed: hands may have been inside."""
        if self.lid_open and not open_it and (self.counting or self.shuffling):
            self._begin_anew()
        return super().move_lid(open_it, force)

    def look_inside(self) -> Inside:
        """Return what is under the lid; whether it is open is the onlooker's affair."""
        return Inside(len(self.buffer), tuple(map(len, self.compartments)), self.jam_place)

    def lay_inside(self, cards: Sequence[Card]) -> bool:
        """Lay cards by hand into compartments; False, and none is laid, without room or while a card sticks."""
        room = len(self.compartments) * COMPARTMENT_ROOM - sum(map(len, self.compartments))
        if self.jam is not None or len(cards) > room:
            return False
        for card in cards:
            self._put_in_carousel(card)
        self.settle()
        return True

    def _within_reach(self) -> Iterable[deque[Card]]:
        return self.buffer, *self.compartments

    # ---- motors of the shuffler: the open lid's switch cuts their current

    def _can_take_in(self) -> bool:
        return self.intake_on and bool(self.intake_tray) and self.intake_ready and not self.lid_open

    def _take_in(self) -> Signal:
        card = self.intake_tray.popleft()
        if self._sticks(card, JamPlace.INTAKE, self.intake_tray):
            return PathChanged()
        self._put_in_carousel(card)
        if self.intake_tray and self.intake_ready and self.faults.strikes(Fault.DOUBLE_IN):
            self._put_in_carousel(self.intake_tray.popleft())
        return CardPassed(Spot.INTAKE, card.face)

    def _put_in_carousel(self, card: Card) -> None:
        lay_at_random(card, [each for each in self.compartments if self._has_room(each)], self._rng)

    def _can_eject(self) -> bool:
        return self.feed_on and len(self.buffer) < BUFFER_ROOM and any(self.compartments) and not self.lid_open

    def _eject(self) -> Signal | None:
        # A compartment once begun is emptied before the carousel turns to another.
        if not self._ejecting:
            self._ejecting = self._next_compartment()
        card = self._ejecting.popleft()
        if self._sticks(card, JamPlace.CAROUSEL, self._ejecting):
            return PathChanged()
        self.buffer.append(card)
        return None

    def _next_compartment(self) -> deque[Card]:
        """Any that holds cards; of a machine that sorts instead of shuffling, the first one."""
        if self.faults.strikes(Fault.NOT_SHUFFLED):
            self._sort()
        held = [each for each in self.compartments if each]
        return held[0] if self._sorts else self._rng.choice(held)

    def _sort(self) -> None:
        """The carousel's cards lie as new packs do, until they are shuffled; those that come in fall as ever."""
        self._sorts = True
        cards = sorted((card for each in self.compartments for card in each), key=lambda card: (card.deck, card.face))
        for index, each in enumerate(self.compartments):
            each.clear()
            each.extend(cards[index * COMPARTMENT_ROOM : (index + 1) * COMPARTMENT_ROOM])

    def _can_feed(self) -> bool:
        return self.feed_on and bool(self.buffer) and not self.mouth and not self.lid_open

    def _feed(self) -> Signal:
        card = self.buffer.popleft()
        if self._sticks(card, JamPlace.EXIT, self.buffer):
            return PathChanged()
        card.damaged |= self.faults.strikes(Fault.DAMAGED_CARD)
        self.mouth.append(card)
        if self.buffer and self.faults.strikes(Fault.DOUBLE_FEED):
            self.mouth.append(self.buffer.popleft())
        return CardPassed(Spot.FEED, card.face)

    def _can_count(self) -> bool:
        return self.counting and not self.lid_open and not self._stands_still

    def _is_stuck_in_count(self) -> bool:
        return self.counting and self._stands_still

    def _go_on_counting(self) -> None:
        self._stands_still = False

    def _count(self) -> Signal | None:
        compartment = self.compartments[len(self._counts)]
        if compartment and self._turned_into_jam(compartment):
            return PathChanged()
        self._counts.append(len(compartment))
        if len(self._counts) < len(self.compartments):
            return None
        self.counting = False
        return Counted(len(self.buffer), tuple(self._counts))

    def _can_shuffle(self) -> bool:
        return self.shuffling and not self.lid_open

    def _shuffle(self) -> Signal | None:
        if not self._unshuffled:
            return self._shuffled(done=True)
        card = self._unshuffled.pop()
        place = next(each for each in (self.buffer, *self.compartments) if card in each)
        if place is self.buffer and not any(map(self._has_room, self.compartments)):
            return self._shuffled(done=False)
        place.remove(card)
        if self._sticks(card, JamPlace.CAROUSEL, place):
            return PathChanged()
        self._put_in_carousel(card)
        return None

    def _shuffled(self, done: bool) -> Signal:
        self.shuffling = False
        return Shuffled(done)

    # ---- jams

    def _turned_into_jam(self, compartment: deque[Card]) -> bool:
        card = compartment.popleft()
        if self._sticks(card, JamPlace.CAROUSEL, compartment):
            return True
        compartment.appendleft(card)
        return False

    @staticmethod
    def _has_room(compartment: deque[Card]) -> bool:
        return len(compartment) < COMPARTMENT_ROOM

    # ---- the shoe: its reader, its motor

    def _seen(self, card: Card) -> Face:
        """What the reader sees: of a card that lies face up, a back; and now and then another face (BR-016)."""
        if card.boxed:
            return UNREAD
        return taken_for(card.face) if self.faults.strikes(Fault.MISREAD) else card.face

    def _can_draw_from_tray(self) -> bool:
        return self.shoe_motor_on and bool(self.shoe_tray)

    def _draw_from_tray(self) -> Signal:
        card = self.shoe_tray.popleft()
        self.shoe_output.append(card)
        return CardPassed(Spot.READER, self._seen(card), own_tray=True)
