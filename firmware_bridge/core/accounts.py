"""The books of one set of cards: how many lie where, and which faces as far as a reader saw them.

Loaded = machine + shoe + table + discard + missing + unloaded + verified - over, at all times. What the intake cannot
read comes back faceless: then the faces of the round are candidates only, and a shortage is named at the verification.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from drivers.cards import ALL_FACES, DECK_SIZE, Face
from firmware_bridge.core.changes import Booked, DeckJudged
from firmware_bridge.core.words import Place

OUT = (Place.TABLE, Place.DISCARD)
"""Places from which cards owe their way back into the machine."""

LYING = (*OUT, Place.OUTSIDE, Place.UNLOADED, Place.VERIFIED)
"""Where a card can be taken out by hand: on the table, in the discard, before loading, and once all came out."""

LOADING, UNLOADING, GATHERED = "loading", "unloading", "gathered for sorting"
"""Causes of entries, as the journal has them, that others look for: a pack's cards, and how cards came out for good."""

LEFT = "left in the discard"
"""The cause of an entry of cards that a machine could not take, and that wait for the next round's (PT-A11)."""

AT_THE_DOOR = "taken out"
"""The cause of an entry of a whole pack that a batch shuffler let out into hands."""

BY_HAND = "taken out by hand"
"""The cause of an entry that rests on a person's word: no sensor saw these cards come out."""

IN_HAND = "in the dealer's hand"
"""The cause of an entry of all cards of a metal box, from which he deals: which of them are out no sensor sees."""

VOID = "void"
"""The cause of an entry of a card that is void: it lies in the discard, and its round goes on."""

UNSEEN = "went in unseen"
"""The cause of an entry of cards that came out beyond those inside: they had gone in past every sensor."""


def is_dealt(entry: Booked) -> bool:
    """Whether an entry is of cards that left the shoe in play, burned ones with them."""
    return entry.source is Place.SHOE and entry.target in OUT and entry.cause != IN_HAND


class Account(Struct):
    """Cards by place. The split of machine and shoe may lag: a shoe below zero awaits the machine's word.

    ``over_at_reading``: how many of those over came to light at the verification under way. ``doubted``: what the deck
    that is read once more was read to be.
    """

    cards: int = 0
    places: dict[Place, int] = field(default_factory=dict)
    out_faces: dict[Face, int] = field(default_factory=dict)
    deck_faces: dict[Face, int] = field(default_factory=dict)
    unloaded_faces: dict[Face, int] = field(default_factory=dict)
    over_at_reading: int = 0
    doubted: DeckJudged | None = None

    def first_of(self, *places: Place, otherwise: Place = Place.OVER) -> Place:
        """The first of these places at which cards are."""
        return next((place for place in places if self.at(place) > 0), otherwise)

    def at(self, place: Place) -> int:
        """Cards at a place."""
        return self.places.get(place, 0)

    @property
    def shown(self) -> dict[Place, int]:
        """Cards by place as people count them: what came out of the reserve counts up."""
        counts = {place: self.at(place) for place in Place if self.at(place)}
        return {place: -count if place is Place.RESERVE else count for place, count in counts.items()}

    @property
    def out(self) -> int:
        """Cards that owe their way back: on the table and in the discard."""
        return sum(self.at(place) for place in OUT)

    def too_often(self, face: Face, decks: int) -> bool:
        """Whether more cards of a face are out than the set has; one that went back meanwhile may have come again."""
        went_back = max(0, sum(self.out_faces.values()) - self.out)
        return self.out_faces.get(face, 0) > decks + went_back

    @property
    def lies_open(self) -> bool:
        """Whether a card lies where a dealer can see it: on the table, before loading, or at the sorting."""
        return self.out > 0 or self.at(Place.OUTSIDE) > 0 or self.at(Place.UNLOADED) > 0

    @property
    def countable(self) -> int:
        """Cards that a full count of the machine should find: one that the shoe drew and nobody fed is none of them."""
        return self.at(Place.MACHINE) + min(self.at(Place.SHOE), 0)

    @property
    def inside(self) -> int:
        """Cards in machine and shoe together."""
        return self.at(Place.MACHINE) + self.at(Place.SHOE)

    def open_set(self, cards: int) -> None:
        """Begin a session's books with all cards outside the machine."""
        self.cards = cards
        self.places = {Place.OUTSIDE: cards}
        self.out_faces, self.unloaded_faces = {}, {}
        self.over_at_reading = 0
        self.begin_deck()

    def begin_deck(self, doubted: DeckJudged | None = None) -> None:
        """The next card that is read is the first of its deck; of one that is ``doubted`` for the second time."""
        self.deck_faces, self.doubted = {}, doubted

    def book(self, entry: Booked) -> None:
        """Write a movement down."""
        if (entry.source, entry.target) == (Place.OVER, Place.VERIFIED):
            self.over_at_reading += entry.count
        elif (entry.source, entry.target) == (Place.VERIFIED, Place.OVER):
            self.over_at_reading -= entry.count
        self._shift(entry.source, -entry.count)
        self._shift(entry.target, entry.count)
        if entry.target in OUT and entry.source is not Place.TABLE:
            _count(self.out_faces, entry.face)
        elif entry.target is Place.UNLOADED and entry.source is Place.SHOE and entry.cause != BY_HAND:
            _count(self.unloaded_faces, entry.face)
        elif entry.target is Place.VERIFIED:
            _count(self.deck_faces, entry.face)
        if entry.target in (Place.MACHINE, Place.SHOE) and self.out == 0:
            self.out_faces = {}

    def _shift(self, place: Place, count: int) -> None:
        if place is Place.OVER:  # what is over counts up when a card comes from nowhere
            count = -count
        self.places[place] = self.at(place) + count


def _count(faces: dict[Face, int], face: Face) -> None:
    faces[face] = faces.get(face, 0) + 1


def compare(read: dict[Face, int], decks: int) -> tuple[tuple[Face, ...], tuple[Face, ...]]:
    """Return the faces missing from, and over in, cards that should make so many full decks."""
    missing = [face for face in ALL_FACES for _ in range(decks - read.get(face, 0))]
    over = [face for face in ALL_FACES for _ in range(read.get(face, 0) - decks)]
    return tuple(missing), tuple(over)


def deck_cards(decks: int) -> int:
    """Cards in so many decks."""
    return decks * DECK_SIZE


def net(missing: Iterable[Sequence[Face]], over: Iterable[Sequence[Face]]) -> tuple[Counter[Face], Counter[Face]]:
    """Set off decks against each other: what the whole set lacks, and what it has too many of."""
    lacking = Counter(face for faces in missing for face in faces)
    extra = Counter(face for faces in over for face in faces)
    return lacking - extra, extra - lacking
