"""Deliberate faults in the deal that is followed: its order, its alarms, what is done about a slip."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace as with_fields

from firmware_bridge.core.machine import Effect, Row
from firmware_bridge.core.procedures import deal_effects as do
from tests.mutants.mutant import Mutant, change_rows, replace
from tests.mutants.themes import PLACES

DEAL, DEALING, SLIPS = (f"firmware_bridge.core.{name}" for name in ("deal", "dealing", "slips"))


def _instead(old: Effect, new: Effect | None) -> Callable[[], None]:
    def other(row: Row) -> Row:
        return with_fields(row, effect=new) if row.effect is old else row

    return lambda: change_rows(other)


def _never(where: str, name: str) -> Callable[[], None]:
    return lambda: replace(where, name, lambda _old: lambda *_any: False)


def _bank_first(old: Any) -> Any:
    """The bank has its card before the players in each pass."""

    def expected(book: Any, places: Any) -> Any:
        order = old(book, places)
        return with_fields(order, first=tuple(sorted(order.first, key=lambda card: (card.nth, card.place))))

    return expected


def _all_open(old: Any) -> Any:
    def expected(book: Any, places: Any) -> Any:
        order = old(book, places)
        return with_fields(order, first=tuple(with_fields(card, is_open=True) for card in order.first))

    return expected


def _any_remedy(_old: Any) -> Any:
    from firmware_bridge.core.slips import Remedy

    return lambda *_any, **_named: tuple(Remedy)


_FAULTS: tuple[Mutant, ...] = (
    Mutant(
        "first_cards_not_awaited", "play goes on unasked after the first cards", _never(DEALING, "first_cards_wait")
    ),
    Mutant("bank_burn_forgotten", "no card is burned before the bank's second", _never(DEALING, "bank_burn_due")),
    Mutant(
        "bank_dealt_first", "the bank has its card before the players", lambda: replace(DEAL, "expected", _bank_first)
    ),
    Mutant("hole_card_open", "the bank's second card is due open", lambda: replace(DEAL, "expected", _all_open)),
    Mutant("too_few_is_enough", "first cards that lack one raise nothing", _instead(do.too_few_came, None)),
    Mutant(
        "too_many_is_well",
        "a card beyond the first ones raises nothing",
        _instead(do.place_card_too_many, do.place_card),
    ),
    Mutant(
        "round_over_early",
        "a round over before its first cards raises nothing",
        _instead(do.end_deal_too_early, do.end_deal),
    ),
    Mutant("turn_never_ends", "a place that has finished has the turn still", _instead(do.end_turn, None)),
    Mutant("marks_the_other_way", "a place in play is marked empty", _instead(do.mark_in, do.mark_out)),
    Mutant("card_not_placed", "a card of a followed deal is placed nowhere", _instead(do.place_card, None)),
    Mutant("any_remedy", "each remedy is the book's", lambda: replace(SLIPS, "offered", _any_remedy)),
    Mutant("slip_not_kept", "a slip that is named is not kept", _instead(do.name_slip, None)),
)

MUTANTS: tuple[Mutant, ...] = tuple(one._replace(series=PLACES) for one in _FAULTS)
"""A deal is followed in those shifts alone."""
