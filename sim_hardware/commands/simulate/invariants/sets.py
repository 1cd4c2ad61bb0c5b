"""Invariants of a set of cards at a batch shuffler: its books are true, and only a shuffled set is dealt (SB-5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from drivers.cards import ALL_FACES, Face
from drivers.protocol.batch import Mode
from drivers.protocol.messages import Capability, CardDrawn, Purpose
from firmware_bridge.service.inspection import Course, Logged, Place, Session, State, events
from sim_hardware.batch_table import BatchTable
from sim_hardware.cards import Card
from sim_hardware.commands.simulate.fitted import sets_of
from sim_hardware.commands.simulate.invariants.books import TrueAtRest
from sim_hardware.commands.simulate.watch import Invariant, Watch
from sim_hardware.commands.simulate.world import World
from sim_hardware.equipment import SHUFFLER

KNOWN = frozenset({Course.OUT, Course.SHUFFLED, Course.IN_SHOE})
"""Where a set stands when a count of it settled what the books say; in a cycle it is still to be counted."""

LOOKED_INTO = frozenset({Session.UNLOADING, Session.ASKING_UNLOAD_PRESENCE})
"""States in which somebody may empty the shoe by hand."""

Kinds = Counter[tuple[Face, str]]
"""How many cards there are of each face and back."""


def kinds(cards: Iterable[Card]) -> Kinds:
    """Count cards by face and back."""
    return Counter((card.face, card.back) for card in cards)


def whole_set(backs: Sequence[str]) -> Kinds:
    """What a set of decks with these backs is: every face of each of them."""
    return Counter((face, back) for back in backs for face in ALL_FACES)


class AtBatchTable(Invariant):
    """An invariant of a table with a batch shuffler."""

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        assert isinstance(world.physical, BatchTable)  # it is checked at no other one
        self.table = world.physical
        self.sets = sets_of(world.config)
        self.reads = Capability.READS_FACES in world.physical.equipment[SHUFFLER].identity.capabilities
        """Whether the machine tells one card from another; a blind one counts them."""

    def whole(self, name: str) -> Kinds:
        """What the set of this name is: the only one, the first or the second."""
        return whole_set(self.sets[int(name or 1) - 1])

    def are_told_apart(self, wanted: Kinds, found: Kinds) -> bool:
        """Whether the machine tells a pack from the set that it should be: by every card, or by their number."""
        return wanted != found if self.reads else wanted.total() != found.total()

    def others(self, name: str) -> frozenset[str]:
        """The backs of the other sets' cards."""
        return frozenset(back for place, backs in enumerate(self.sets, 1) if place != int(name or 1) for back in backs)

    @property
    def left_behind(self) -> list[Card]:
        """Cards that stick to the wall of a compartment: no sensor sees them before the next pass counts too few."""
        return [card for pile in self.table.mechanism.left_behind for card in pile]


class OnlyShuffledIsDealt(AtBatchTable):
    """11: every card dealt is of a pack that a completed shuffle of the whole set made, and nothing else (SB-5)."""

    number = 11

    def recorded(self, number: int, logged: Logged) -> None:
        """Look at what the shoe was filled with, whenever a card was dealt."""
        event = logged.event
        if not isinstance(event, events.Told) or not isinstance(event.body, CardDrawn):
            return
        if event.body.purpose != Purpose.DEAL:
            return  # held, it opens its incident; else it is drawn out, or read
        if wrong := self._why_not():
            raise self.broken(f"record {number}: a card was dealt of a pack that {wrong} [SB-5]")

    def _why_not(self) -> str:
        made, cards = self.table.handed_over
        if made is not Mode.SHUFFLE:
            return "no cycle made" if made is None else f"a cycle made that was to {made.name.lower()}"
        wanted, own = self.whole(self.state.playing), {card.back for card in cards}
        found = kinds([*cards, *(card for card in self.left_behind if card.back in own)])
        if self.are_told_apart(wanted, found):
            return f"lacked {(wanted - found).total()} cards of the set and had {(found - wanted).total()} others"
        return ""


class SetsAreTrue(AtBatchTable, TrueAtRest):
    """1, of sets: at rest the books of machine and shoe are the cards there; nothing is left in them at the end.

    Compared while the books claim to be true: the set was counted, every count is believed, no incident is open.
    """

    def recorded(self, number: int, logged: Logged) -> None:
        """Look at each place of the books, and at each end of a session."""
        del number
        for change in logged.decision.changes:
            self._follow(change)

    def _claims_to_be_true(self, state: State) -> bool:
        stand = all(state.course(name) in KNOWN for name in state.sets)
        return state.under_way and not state.incidents and state.counts_trusted and stand

    def _compare(self) -> None:
        """What was left behind in a compartment the books have where the pack went."""
        state = self.state
        if not self._claims_to_be_true(state) or self.table.lid_open:
            return
        left = len(self.left_behind)
        machine, shoe = len(self.table.in_machine()), len(self.table.shoe.mouth)
        booked = state.cards_at(Place.MACHINE), state.cards_at(Place.SHOE)
        if state.session in LOOKED_INTO and shoe == 0:
            shoe = booked[1]  # hands took out what was left there, and the step that says so comes next
        if booked not in {(machine, shoe), (machine - left, shoe + left), (machine - left, shoe)}:
            raise self.broken(f"{machine} cards are in the machine and {shoe} in the shoe, the books say {booked}")
