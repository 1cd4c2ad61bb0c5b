"""Invariant 12: a deal that is followed goes to the places that the dealer marked, in the order of the book.

The orders and remedies here are the simulator's own, from the clauses; of the product's record only the places are
believed that the dealer's keys have marked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from drivers.protocol.messages import CardDrawn, Purpose
from firmware_bridge.service.assembly import Order, Release
from firmware_bridge.service.inspection import (
    IncidentKind,
    Logged,
    Place,
    Procedure,
    RuleBook,
    Trigger,
    changes,
    deal_changes,
    events,
)
from sim_hardware.commands.simulate.watch import Invariant, Watch, is_open
from sim_hardware.commands.simulate.world import World

BANK, DISCARD = 0, -1
UP, DOWN = True, False

FIRST: Mapping[str, tuple[tuple[bool, bool | None], tuple[bool, bool | None]]] = {
    # how the players' cards and the bank's lie, in the first pass and the second; None: the bank has none in it
    "players_closed": ((DOWN, UP), (DOWN, None)),  # MO-5c
    "bank_second_late": ((UP, UP), (UP, None)),  # MO-5d, LD-2
    "hole_card": ((UP, UP), (UP, DOWN)),  # PT-D1, MO-5e, GN-3
}
CLOSED_PASS = {"first": 1, "second": 2}

PUT_RIGHT, VOID, STANDS, TO_THE_NEXT, ROUND_VOID = range(1, 6)
BOOKS_OWN: Mapping[str, frozenset[int]] = {
    # what may be done without a signature, by the book's word about the slip
    "put_right_else_void": frozenset({PUT_RIGHT, ROUND_VOID}),
    "void_round": frozenset({ROUND_VOID}),
    "round_void": frozenset({ROUND_VOID}),
    "void": frozenset({VOID}),
    "played": frozenset({STANDS}),
    "valid_while_closed": frozenset({STANDS, VOID}),
    "next_who_asks_then_bank": frozenset({TO_THE_NEXT}),
    "supervisor_decides": frozenset({PUT_RIGHT, VOID, STANDS, TO_THE_NEXT, ROUND_VOID}),
}
SAYS_ABOUT = (
    *("", "remedy", "remedy", "remedy", "remedy", "remedy", "exposed_card", "first_card_exposed"),
    *("bank_second_card_turned", "unwanted_card_unseen", "unwanted_card_seen", "bank_card_too_many"),
)
"""By the number of a slip, the value of ``wrong_deal`` that speaks of it."""

Card = tuple[int, int, bool]


def order_of(book: RuleBook, places: Iterable[int]) -> list[Card]:
    """The first cards to these places, by the book."""
    cards: list[Card] = []
    for nth, (players, bank) in enumerate(FIRST[book.deal.procedure], start=1):
        is_open = players and CLOSED_PASS.get(book.deal.player_card_closed) != nth
        cards += [(place, nth, is_open) for place in sorted(places)]
        cards += [] if bank is None else [(BANK, nth, bank)]
    return cards


class DealtAsDue(Invariant):
    """12: each card of a deal that is followed is placed, where it is due, and what is not so has its alarm."""

    number = 12

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._book = world.config.book
        self._marks: list[bool] | None = None
        self._places: tuple[int, ...] = ()
        self._end()

    def _end(self) -> None:
        self._due: list[Card] | None = None
        self._finished = 0
        self._lie = self._repaired = False

    def recorded(self, number: int, logged: Logged) -> None:
        """Follow the marks, and the cards of each round."""
        placed, drawn = Counter[bool](), Counter[bool]()
        due_before = self._due
        for change in logged.decision.changes:
            match change:
                case changes.SessionBegan():
                    self._marks, self._places = None, ()
                    self._end()
                case changes.Moved(procedure=Procedure.DEAL):
                    self._moved(number, change)
                case deal_changes.PlacesMarked(places=places):
                    self._marked(number, places)
                case deal_changes.DealBegan(places=places):
                    self._begins(number, places)
                case deal_changes.CardPlaced(card=card):
                    placed[card.place == DISCARD] += 1
                    self._look_at_card(number, change)
                case changes.Booked(source=Place.SHOE, target=target, cause="deal" | "burn"):
                    drawn[target is Place.DISCARD] += self._round_runs
                case deal_changes.RemedyTaken():
                    self._repaired = True
                    self._look_at_remedy(number, change, logged)
                case changes.Moved(trigger=Trigger.NAME_SLIP):
                    self._look_at_slip(number, change, logged)
                case changes.Raised(kind=IncidentKind.WRONG_DEAL):
                    self._look_at_alarm(number, logged, due_before)
        if self._due is not None and drawn != placed:
            raise self.broken(f"record {number}: of a followed deal came {drawn}, placed were {placed} (burned or not)")

    @property
    def _round_runs(self) -> bool:
        rounds = self.state.rounds
        return bool(rounds) and rounds[-1].ended is None

    def ordered(self, device: str, order: Order) -> None:
        """No card is let out before the dealer has said that the first ones lie."""
        waits = self._due == [] and not self._lie and not self._repaired and not self.state.round_void
        if waits and isinstance(order, Release) and order.purpose is Purpose.DEAL:
            raise self.broken(f"{device} is released, and nobody said that the first cards lie [{self._clause}]")

    def _moved(self, number: int, moved: changes.Moved) -> None:
        if moved.trigger == Trigger.MARK_PLACES:
            self._marks = []
        elif moved.trigger in (Trigger.PLACE_IN, Trigger.PLACE_OUT) and self._marks is not None:
            self._marks.append(moved.trigger == Trigger.PLACE_IN)
            if moved.target != "marking" and len(self._marks) != self._book.equipment.places:
                raise self.broken(f"record {number}: the places were marked as far as {len(self._marks)}")
        elif moved.trigger == Trigger.PLACE_DONE:
            self._finished += 1
            if self.state.deal is None or self._finished > len(self.state.deal.places):
                raise self.broken(f"record {number}: {self._finished} places have finished, more than are dealt to")
        elif moved.trigger in (Trigger.DEAL_LIES, Trigger.ROUND_OVER):
            self._ends(number, moved)

    def _ends(self, number: int, moved: changes.Moved) -> None:
        """The first cards lie, or the round is over: what is due still has its alarm."""
        lacks = bool(self._due) and not self._repaired and not self.state.round_void
        if lacks and not is_open(self.state, IncidentKind.WRONG_DEAL):
            raise self.broken(f"record {number}: {moved.trigger}, and {len(self._due or ())} cards are due still")
        if moved.trigger == Trigger.ROUND_OVER:
            self._end()
        elif moved.target == "turns":
            self._lie = True

    def _marked(self, number: int, places: tuple[int, ...]) -> None:
        keyed = [*(self._marks or [])]
        said = tuple(place for place, is_in in enumerate(keyed, start=1) if is_in)
        last = self._book.equipment.places
        if len(keyed) != last - 1 or places not in (said, (*said, last)):  # the last key moves after this
            raise self.broken(f"record {number}: the places {places} are in play, and the keys said {keyed}")
        self._places = places

    def _begins(self, number: int, places: tuple[int, ...]) -> None:
        everywhere = tuple(range(1, self._book.equipment.places + 1))
        unmarked = everywhere if self._book.house.unmarked_places == "all_in_play" else ()
        if not self._round_runs:
            raise self.broken(f"record {number}: a deal begins, and no round does")
        if not places or places != (self._places or unmarked):
            raise self.broken(f"record {number}: dealt to the places {places}, marked are {self._places}")
        self._end()
        self._due = order_of(self._book, places)

    def _look_at_card(self, number: int, change: deal_changes.CardPlaced) -> None:
        card = (change.card.place, change.card.nth, change.card.is_open)
        if self._due is None:
            raise self.broken(f"record {number}: a card is placed, and no deal is followed")
        if self._repaired:
            return  # what is due now is what the remedy left; that is tested place by place
        if self._due:
            due = self._due.pop(0)
            if card != due:
                raise self.broken(f"record {number}: a card for {card}, due was {due} [{self._clause}]")
            return
        if not self._lie and not is_open(self.state, IncidentKind.WRONG_DEAL) and not self.state.round_void:
            raise self.broken(f"record {number}: a card beyond the first ones, and nobody said that they lie")
        if self._lie:
            self._look_at_turn(number, card)

    def _look_at_turn(self, number: int, card: Card) -> None:
        places = self.state.deal.places if self.state.deal is not None else ()
        players_turn = self._finished < len(places)
        if (card[0] > BANK) != players_turn or (players_turn and card[0] != places[self._finished]):
            raise self.broken(f"record {number}: a card for {card}, and {self._finished} of {places} have finished")

    @property
    def _clause(self) -> str:
        return self._book.clause_of("deal.procedure")

    def _look_at_alarm(self, number: int, logged: Logged, due_before: list[Card] | None) -> None:
        """One that nobody named: fewer or more cards came than were due."""
        if isinstance(logged.event, events.Acted) or self._repaired:
            return
        is_a_card = isinstance(logged.event, events.Told) and isinstance(logged.event.body, CardDrawn)
        if is_a_card == bool(due_before):
            raise self.broken(f"record {number}: a wrong deal is told, and {len(due_before or ())} cards were due")

    def _look_at_slip(self, number: int, moved: changes.Moved, logged: Logged) -> None:
        """A slip is named before it is remedied; and nothing else than none is settled by its name."""
        named = [one for one in logged.decision.changes if isinstance(one, deal_changes.SlipNamed)]
        is_none = isinstance(logged.event, events.Acted) and logged.event.value == 0
        if not named or (moved.target == "cleared") != is_none:
            raise self.broken(f"record {number}: a slip leads to {moved.target}, named is {named}")

    def _look_at_remedy(self, number: int, taken: deal_changes.RemedyTaken, logged: Logged) -> None:
        named = self.state.incidents[taken.incident].slip
        says = SAYS_ABOUT[named.slip] if named is not None else ""
        if not says:
            raise self.broken(f"record {number}: a remedy, and no slip is named")
        is_own = taken.remedy in BOOKS_OWN[self._book.value_of(f"wrong_deal.{says}")]
        is_signed = isinstance(logged.event, events.Acted) and logged.event.step is Trigger.SIGN_DEVIATION
        if taken.deviation == is_own or taken.deviation != is_signed:
            raise self.broken(f"record {number}: remedy {taken.remedy} told as deviation {taken.deviation} [{says}]")
