"""A deal that is followed, in words: the next card, whose turn it is, what a slip is and what may be done about it."""

from __future__ import annotations

from collections.abc import Iterable

from firmware_bridge.core import deal_changes as d
from firmware_bridge.core.deal import BANK, DISCARD, Due, expected, places_dealt_to
from firmware_bridge.core.slips import PLACES, SLIPS, NamedSlip, Remedy, Slip, offered, possible, typed_slip
from firmware_bridge.core.state import State
from firmware_bridge.core.words import ROUND_RUNS
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.rulebooks.subjects import behind, source
from firmware_bridge.view import deal_texts as texts
from firmware_bridge.view.phrases import listed

LAST_PLACE = PLACES - 1

ANY_PLACE = PLACES
"""Stands for each place in play, where none is marked."""

PLAYERS_CLOSED = "MO-5c"
"""The clause that has the players' cards dealt closed, and says what is otherwise from a metal box."""


def _place_words(place: int) -> str:
    """A place, as one says it."""
    names = {BANK: texts.BANK, DISCARD: texts.THE_DISCARD, ANY_PLACE: texts.EACH_PLACE}
    return names.get(place, texts.PLACE.format(place=place))


def _card_facts(card: Due) -> dict[str, str]:
    """A card of the deal: where, its how many-th, open or closed."""
    return {
        "place": _place_words(card.place),
        "nth": texts.NTH.get(card.nth, texts.LATER.format(nth=card.nth)),
        "lies": texts.OPEN if card.is_open else texts.CLOSED,
    }


def next_card(state: State, book: RuleBook) -> str:
    """The card that is due next, in words, or the order of all first cards from a box; empty where none is followed."""
    if state.has_box:
        first = expected(book, (ANY_PLACE,), from_box=True).first
        order = listed([texts.IN_ORDER.format_map(_card_facts(card)) for card in first])
        clause = PLAYERS_CLOSED if book.deal.procedure == "players_closed" else book.clause_of("deal.procedure")
        return texts.FIRST_CARDS.format(order=order, deal=source(behind(book, clause)))
    if state.deal is None:
        return ""
    waits = texts.CARD_WAITS if state.deal.waits and not state.deal.due else ""
    return waits + texts.NEXT_CARD.format_map(_card_facts(state.deal.next))


def deal_facts(state: State, book: RuleBook) -> dict[str, str]:
    """What the texts' braces may name of the deal."""
    bank = sum(card.place == BANK for card in state.deal.given) if state.deal is not None else 0
    return {
        "in_play": _in_play(state, book),
        "asked": _place_words(state.layout.asked),
        "whose": _place_words(state.deal.whose) if state.deal is not None else "",
        "lie": texts.LIE.format(bank=bank),
        "deal": source(book.clause_of("deal.procedure")),
        "slips": _numbered({slip.value: texts.SLIPS[slip] for slip in SLIPS}),
        "how": texts.HOW_A_SLIP_IS_TYPED,
    }


def _in_play(state: State, book: RuleBook) -> str:
    places = places_dealt_to(state.layout, book)
    if not places:
        return texts.NOT_MARKED
    if not state.layout.in_play:
        return texts.ALL_IN_PLAY.format(count=len(places))
    return texts.IN_PLAY.format(places=listed(map(str, places)))


def slip_facts(named: NamedSlip | None, state: State, book: RuleBook) -> dict[str, str]:
    """What the texts' braces may name of a slip: what it is, the book's remedies for it and the others."""
    if named is None or named.slip is Slip.NONE:
        return {"slip": "", "remedies": "", "others": "", "remedy_clause": ""}
    runs = state.session in ROUND_RUNS
    here, can_be = offered(book, named.slip, round_runs=runs), possible(round_runs=runs)
    return {
        "slip": _slip_words(named.slip, named.place),
        "remedies": _numbered({one.value: texts.REMEDIES[one] for one in here}),
        "others": _numbered({one.value: texts.REMEDIES[one] for one in can_be if one not in here}),
        "remedy_clause": source(book.clause_of(SLIPS[named.slip].key)),
    }


def slip_typed(value: int) -> str:
    """A slip as it was typed, in words."""
    named = typed_slip(value, LAST_PLACE)
    if named is None:
        return str(value)
    return _slip_words(named.slip, named.place)


def remedy_typed(value: int) -> str:
    """A remedy as it was typed, in words."""
    return texts.REMEDIES[Remedy(value)] if value in set(Remedy) else str(value)


def _slip_words(slip: Slip, place: int) -> str:
    """A slip, and where it was, if there was one."""
    return texts.SLIPS[slip] + (texts.AT_PLACE.format(place=_place_words(place)) if slip is not Slip.NONE else "")


def _numbered(words: dict[int, str]) -> str:
    """What may be typed, each number with its words."""
    return ", ".join(texts.NUMBERED.format(number=number, words=said) for number, said in words.items())


# ---- what was decided


def places_marked(change: d.PlacesMarked) -> str:
    """The places that the dealer marked."""
    name = "marked" if change.places else "not_marked"
    return texts.EVENTS_OF_THE_DEAL[name].format(places=_places(change.places))


def deal_began(change: d.DealBegan) -> str:
    """To which places a round is dealt."""
    return texts.EVENTS_OF_THE_DEAL["deal"].format(places=_places(change.places))


def card_placed(change: d.CardPlaced) -> str:
    """Whose card came."""
    name = "burned" if change.card.place == DISCARD else "card"
    return texts.EVENTS_OF_THE_DEAL[name].format_map(_card_facts(change.card))


def turn_ended(change: d.TurnEnded) -> str:
    """Who has finished."""
    return texts.EVENTS_OF_THE_DEAL["turn"].format(place=_place_words(change.place))


def slip_named(change: d.SlipNamed) -> str:
    """What went wrong, and by whose word."""
    words = _slip_words(change.slip, change.place)
    return texts.EVENTS_OF_THE_DEAL["slip"].format(incident=change.incident, slip=words, person=change.person)


def remedy_taken(change: d.RemedyTaken) -> str:
    """What was done about it, and whether that was the book's."""
    name = "deviation" if change.deviation else "remedy"
    return texts.EVENTS_OF_THE_DEAL[name].format(
        incident=change.incident, remedy=texts.REMEDIES[change.remedy], person=change.person
    )


def _places(places: Iterable[int]) -> str:
    return "places " + listed(map(str, places))
