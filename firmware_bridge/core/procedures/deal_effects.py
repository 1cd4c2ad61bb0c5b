"""What a row of the deal, or of a slip in it, writes down when it fires: places marked, cards placed, remedies."""

from __future__ import annotations

from firmware_bridge.core import changes as c
from firmware_bridge.core import deal_changes as d
from firmware_bridge.core.accounts import VOID
from firmware_bridge.core.deal import Deal, expected, places_dealt_to
from firmware_bridge.core.machine import Facts
from firmware_bridge.core.procedures.effects import Changes, is_open, person_of
from firmware_bridge.core.procedures.guards.deal import typed_named, typed_remedy
from firmware_bridge.core.slips import SLIPS, Remedy, offered
from firmware_bridge.core.words import ROUND_RUNS, IncidentKind, Place


def begin_marking(facts: Facts) -> Changes:
    """The dealer goes through the places from the first one on."""
    del facts
    yield d.MarkingBegan()


def mark_in(facts: Facts) -> Changes:
    """The place that is asked about is in play."""
    return _mark(facts, in_play=True)


def mark_out(facts: Facts) -> Changes:
    """Nobody plays at the place that is asked about."""
    return _mark(facts, in_play=False)


def _mark(facts: Facts, in_play: bool) -> Changes:
    layout = facts.state.layout
    if layout.asked == facts.book.equipment.places:
        yield d.PlacesMarked(layout.marked(in_play))
    yield d.PlaceMarked(in_play)


def begin_deal(facts: Facts) -> Changes:
    """The first card of a round goes where the book's deal begins."""
    places = places_dealt_to(facts.state.layout, facts.book)
    order = expected(facts.book, places)
    yield d.DealBegan(places, order.first, order.late)
    yield d.CardPlaced(order.first[0])


def _deal(facts: Facts) -> Deal:
    deal = facts.state.deal
    if deal is None:
        raise AssertionError("a deal that is followed has begun: only the row that begins it leads here")
    return deal


def place_card(facts: Facts) -> Changes:
    """The card is the one that was due."""
    yield d.CardPlaced(_deal(facts).next)


def place_card_too_many(facts: Facts) -> Changes:
    """A card came though all that were due had come and the dealer had not said that they lie."""
    yield d.CardPlaced(_deal(facts).next)
    yield from _raise(facts, f"a card came beyond the {_first_cards(facts)} that were due")


def too_few_came(facts: Facts) -> Changes:
    """The dealer says that the first cards lie, and fewer came than were due."""
    yield from _raise(facts, f"the first cards lie, and {_came(facts)}")


def end_deal_too_early(facts: Facts) -> Changes:
    """The round is over before its first cards were dealt."""
    yield from _raise(facts, f"the round is over, and {_came(facts)}")
    yield d.DealEnded()


def end_deal(facts: Facts) -> Changes:
    """The round is over."""
    del facts
    yield d.DealEnded()


def end_turn(facts: Facts) -> Changes:
    """The place whose turn it is has finished."""
    yield d.TurnEnded(_deal(facts).whose)


def _first_cards(facts: Facts) -> int:
    return len(expected(facts.book, _deal(facts).places).first)


def _came(facts: Facts) -> str:
    due = len(_deal(facts).due)
    return f"{_first_cards(facts) - due} of {_first_cards(facts)} that were due came"


def _raise(facts: Facts, detail: str) -> Changes:
    if not facts.state.round_void and not is_open(facts, IncidentKind.WRONG_DEAL):
        yield c.Raised(IncidentKind.WRONG_DEAL, "", detail)


def name_slip(facts: Facts) -> Changes:
    """A supervisor says what went wrong, and where."""
    named = typed_named(facts)
    if named is not None:
        yield d.SlipNamed(facts.subject, named.slip, named.place, person_of(facts))


def take_remedy(facts: Facts) -> Changes:
    """What was done: the card goes to the discard, or the round is void; of the deal, what follows from it."""
    named, remedy = facts.state.incidents[facts.subject].slip, typed_remedy(facts)
    if named is None or remedy is None:
        return
    clause = facts.book.clause_of(SLIPS[named.slip].key)
    is_deviation = remedy not in offered(facts.book, named.slip, round_runs=facts.state.session in ROUND_RUNS)
    yield d.RemedyTaken(facts.subject, remedy, is_deviation, clause, person_of(facts))
    if remedy is Remedy.CARD_VOID and facts.state.account.at(Place.TABLE) > 0:
        yield c.Booked(Place.TABLE, Place.DISCARD, 1, VOID)
    if remedy is Remedy.ROUND_VOID and facts.state.rounds:
        yield c.RoundVoided(facts.subject, clause, facts.book.wrong_deal.void_round_shuffled)
