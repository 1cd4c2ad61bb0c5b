"""The order of a deal: to which place each card is due, by the book's way of dealing and the places in play.

It knows places, not hands: the first cards are due in the book's order; then each place takes as many as its player
asks for, until the dealer says that it has finished; then come the bank's. Nothing here sees where a card is laid. It
follows from how many came, and from what people say; a book's deal is data (``PASSES``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

from msgspec import Struct

from firmware_bridge.rulebooks.schema import ALL_IN_PLAY, HOLE_CARD, Dealt, RuleBook

BANK = 0
"""The bank's place; the players' are numbered from 1, from the dealer's left."""

DISCARD = -1
"""Where a card that is burned goes."""


class Due(Struct, frozen=True):
    """A card of the deal: whose it is, its how many-th card that is, and whether it is dealt open."""

    place: int
    nth: int
    is_open: bool


BURNED = Due(DISCARD, 1, False)
"""A card that goes to the discard between others."""


class Pass(Struct, frozen=True):
    """One round of cards to the places, and one to the bank after them: dealt open (true), closed, or none."""

    players_open: bool
    bank_open: bool | None


OPEN_TO_ALL = Pass(players_open=True, bank_open=True)

PASSES: Mapping[Dealt, tuple[Pass, ...]] = MappingProxyType(
    {
        "players_closed": (Pass(players_open=False, bank_open=True), Pass(players_open=False, bank_open=None)),
        "bank_second_late": (OPEN_TO_ALL, Pass(players_open=True, bank_open=None)),
        HOLE_CARD: (OPEN_TO_ALL, Pass(players_open=True, bank_open=False)),
    }
)
"""How the first cards are dealt (MO-5c, MO-5d, MO-5e; PT-D1, LD-2, GN-3). A bank that has none in the second pass has
its second card, open, after the players."""

FROM_THE_BOX: Mapping[Dealt, tuple[Pass, ...]] = MappingProxyType(
    {**PASSES, "players_closed": (Pass(players_open=False, bank_open=True), Pass(players_open=False, bank_open=False))}
)
"""From a metal box the bank has both its cards before the players act, one open and one closed (MO-5c). How another
deal goes from it the order does not say: as from a shoe."""

CLOSED_IN = {"none": 0, "first": 1, "second": 2}
"""In which pass a player's card lies closed though the deal has it open (MO-5f); in none: 0."""


CARDS_DUE = 2
"""So many cards are due to each place, and to the bank; what comes after is asked for."""


class Order(Struct, frozen=True):
    """The cards that are due before the players act, and the bank's when they have."""

    first: tuple[Due, ...]
    late: tuple[Due, ...]


def expected(book: RuleBook, places: Collection[int], from_box: bool = False) -> Order:
    """Return the order in which this book deals to these places, by their numbers, from shoe or metal box."""
    first: list[Due] = []
    closed_in = CLOSED_IN[book.deal.player_card_closed]
    passes = (FROM_THE_BOX if from_box else PASSES)[book.deal.procedure]
    is_late = passes[-1].bank_open is None
    for nth, one in enumerate(passes, start=1):
        first += [Due(place, nth, one.players_open and nth != closed_in) for place in sorted(places)]
        if one.bank_open is not None:
            first.append(Due(BANK, nth, one.bank_open))
    late = (Due(BANK, CARDS_DUE, True),) if is_late else ()
    return Order(tuple(first), (BURNED, *late) if late and book.burn.before_bank_second_card else late)


class Layout(Struct):
    """The table's places: those in play by the dealer's last marks (none: not marked), and what he marks just now."""

    in_play: tuple[int, ...] = ()
    marks: tuple[bool, ...] = ()

    @property
    def asked(self) -> int:
        """The place that is asked about while the dealer marks them."""
        return len(self.marks) + 1

    def marked(self, last: bool) -> tuple[int, ...]:
        """The places in play, with what the dealer says of the last one."""
        return tuple(place for place, in_play in enumerate((*self.marks, last), start=1) if in_play)


def places_dealt_to(layout: Layout, book: RuleBook) -> tuple[int, ...]:
    """Return the places that a deal is followed to: those marked, else all or none, as the house has it."""
    if layout.in_play or book.house.unmarked_places != ALL_IN_PLAY:
        return layout.in_play
    return tuple(range(1, book.equipment.places + 1))


class Deal(Struct):
    """A round's deal as far as it has come. ``given``: the cards in the order in which they came.

    ``due``: the first cards still to come; ``late``: the bank's after the players. ``turn``: how many places have
    finished. ``waits``: cards drawn against a wish, which the next who asks has before another is drawn (PT-D4).
    """

    places: tuple[int, ...]
    due: tuple[Due, ...]
    late: tuple[Due, ...]
    given: tuple[Due, ...] = ()
    turn: int = 0
    waits: int = 0

    @property
    def whose(self) -> int:
        """Whose turn it is, once the first cards lie: the first place that has not finished, then the bank's."""
        return self.places[self.turn] if self.turn < len(self.places) else BANK

    @property
    def next(self) -> Due:
        """The card that is due next. What a player asks for, or the bank draws, is dealt open."""
        if self.due:
            return self.due[0]
        if self.whose == BANK and self.late:
            return self.late[0]
        return Due(self.whose, self.cards_of(self.whose) + self.waits + 1, True)

    def cards_of(self, place: int) -> int:
        """How many cards a place has, by what came."""
        return sum(card.place == place for card in self.given)

    def came(self) -> None:
        """A card came: it is the one that was due. Whoever drew it asked, and has what waited before it."""
        card = self.next
        if not self.due and card.nth > CARDS_DUE:
            self._asked(card.place)
        self.given = (*self.given, card)
        if self.due:
            self.due = self.due[1:]
        elif card.place in (BANK, DISCARD):
            self.late = self.late[1:]

    def _asked(self, place: int) -> None:
        for _ in range(self.waits):
            self.one_more_for(place)
        self.waits = 0

    def goes_to_the_next(self, place: int) -> None:
        """The last card of a place is not its own: it waits for the next who asks, or the bank."""
        came = len(self.given)
        self.taken_back(place)
        self.waits += came - len(self.given)

    def over(self) -> None:
        """No more of it is dealt."""
        self.due, self.late = (), ()

    def finished(self) -> None:
        """The place whose turn it was has finished."""
        self.turn += 1

    def left_out(self, place: int, nths: Collection[int]) -> None:
        """A place was left out: its cards lie with those after it, and what it lacks is due now.

        Cards beyond those that are due the first player asked for: the dealer took the first cards for dealt.
        """
        order, came = (*self.given, *self.due), len(self.given)
        given: list[Due] = []
        missed: list[Due] = []
        while len(given) < came and (passed := len(given) + len(missed)) < len(order):
            (missed if order[passed].place == place and order[passed].nth in nths else given).append(order[passed])
        self.due = (*missed, *order[len(given) + len(missed) :])
        self.given = tuple(given)
        for _ in range(came - len(given)):
            self.one_more_for(self.whose)

    def one_more_for(self, place: int) -> None:
        """A card lies with a place that none was due to."""
        self.given = (*self.given, Due(place, self.cards_of(place) + 1, True))

    def came_early(self, place: int) -> None:
        """The last card that came lies with a place that is due one later; the one before whom it came is due now."""
        *given, last = self.given
        waiting = (*self.due, *self.late)
        card = next((one for one in waiting if one.place == place), None)
        if card is None or last.place == place:
            return
        self.given = (*given, card)
        self.due = (last, *(one for one in self.due if one != card))
        self.late = tuple(one for one in self.late if one not in (card, BURNED))

    def taken_back(self, place: int) -> None:
        """The last card of a place is void, or went elsewhere; where it was one that is due to it, another is drawn."""
        last = next((number for number, one in reversed([*enumerate(self.given)]) if one.place == place), None)
        if last is None:
            return
        card = self.given[last]
        self.due = (card, *self.due) if card.nth <= CARDS_DUE else self.due
        self.given = self.given[:last] + self.given[last + 1 :]
