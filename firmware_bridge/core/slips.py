"""Slips in a deal, and their remedies: which of them the book has for which, and what each does to the deal.

A slip and a remedy are typed by their numbers. What a book does not offer is a deviation, which a supervisor signs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum
from types import MappingProxyType

from msgspec import Struct

from firmware_bridge.core.deal import BANK, Deal
from firmware_bridge.rulebooks.schema import RuleBook


class Remedy(IntEnum):
    """What is done about a slip. *void*: the card goes to the discard, and another is drawn where one is due."""

    PUT_RIGHT = 1
    CARD_VOID = 2
    STANDS = 3
    TO_THE_NEXT = 4
    ROUND_VOID = 5


class Slip(IntEnum):
    """What went wrong in a deal; none: nothing did."""

    NONE = 0
    FIRST_CARD_LEFT_OUT = 1
    SECOND_CARD_LEFT_OUT = 2
    PLACE_LEFT_OUT = 3
    CARD_TOO_MANY = 4
    BANK_SECOND_EARLY = 5
    EXPOSED = 6
    FIRST_CARD_EXPOSED = 7
    BANK_SECOND_TURNED = 8
    UNWANTED_UNSEEN = 9
    UNWANTED_SEEN = 10
    BANK_CARD_TOO_MANY = 11


OFFERED: Mapping[str, tuple[Remedy, ...]] = MappingProxyType(
    {
        "put_right_else_void": (Remedy.PUT_RIGHT, Remedy.ROUND_VOID),
        "void_round": (Remedy.ROUND_VOID,),
        "round_void": (Remedy.ROUND_VOID,),
        "void": (Remedy.CARD_VOID,),
        "played": (Remedy.STANDS,),
        "valid_while_closed": (Remedy.STANDS, Remedy.CARD_VOID),
        "next_who_asks_then_bank": (Remedy.TO_THE_NEXT,),
        "supervisor_decides": tuple(Remedy),
    }
)
"""The remedies that a book's value (``[wrong_deal]``) offers; where the supervisor decides, each is the book's."""

Repair = Callable[[Deal, int], None]


class Course(Struct, frozen=True):
    """Of one slip: the book's value about it, and what each remedy does to the deal, at a place.

    ``where``: the one place at which there is such a slip; None: any.
    """

    key: str
    repairs: Mapping[Remedy, Repair] = MappingProxyType({})
    where: int | None = None


def _left_out(*nths: int) -> Mapping[Remedy, Repair]:
    return {Remedy.PUT_RIGHT: lambda deal, place: deal.left_out(place, nths)}


def _one_fewer(deal: Deal, place: int) -> None:
    """The card over goes to the discard; by count it was taken for the last one, which is due still."""
    del place
    if deal.given:
        deal.taken_back(deal.given[-1].place)


def _keeps_it(deal: Deal, place: int) -> None:
    """The card over stays where it lies; whoever was thought to have it is due one still."""
    _one_fewer(deal, place)
    deal.one_more_for(place)


TAKEN: Mapping[Remedy, Repair] = MappingProxyType(
    {Remedy.CARD_VOID: Deal.taken_back, Remedy.TO_THE_NEXT: Deal.goes_to_the_next}
)
OVER: Mapping[Remedy, Repair] = MappingProxyType({Remedy.CARD_VOID: _one_fewer, Remedy.STANDS: _keeps_it})
EARLY: Mapping[Remedy, Repair] = MappingProxyType({Remedy.CARD_VOID: _one_fewer, Remedy.STANDS: Deal.came_early})

SLIPS: Mapping[Slip, Course] = MappingProxyType(
    {
        Slip.FIRST_CARD_LEFT_OUT: Course("wrong_deal.remedy", _left_out(1)),
        Slip.SECOND_CARD_LEFT_OUT: Course("wrong_deal.remedy", _left_out(2)),
        Slip.PLACE_LEFT_OUT: Course("wrong_deal.remedy", _left_out(1, 2)),
        Slip.CARD_TOO_MANY: Course("wrong_deal.remedy", OVER),
        Slip.BANK_SECOND_EARLY: Course("wrong_deal.remedy", EARLY, BANK),
        Slip.EXPOSED: Course("wrong_deal.exposed_card", TAKEN),
        Slip.FIRST_CARD_EXPOSED: Course("wrong_deal.first_card_exposed", TAKEN),
        Slip.BANK_SECOND_TURNED: Course("wrong_deal.bank_second_card_turned", TAKEN, BANK),
        Slip.UNWANTED_UNSEEN: Course("wrong_deal.unwanted_card_unseen", TAKEN),
        Slip.UNWANTED_SEEN: Course("wrong_deal.unwanted_card_seen", TAKEN),
        Slip.BANK_CARD_TOO_MANY: Course("wrong_deal.bank_card_too_many", TAKEN, BANK),
    }
)
"""Every slip, with the book's value about it."""


class NamedSlip(Struct, frozen=True):
    """A slip, and the place at which it was (the bank's: 0)."""

    slip: Slip
    place: int


NO_SLIP = NamedSlip(Slip.NONE, BANK)
"""Nothing was wrong."""

PLACES = 100
"""What is typed: the slip's number, then two digits for the place (103: the first card of place 3; bank 00)."""


def typed_slip(value: int, places: int) -> NamedSlip | None:
    """Return the slip that was typed, and its place; None where there is none such at a table of so many places."""
    number, place = divmod(value, PLACES)
    if value == Slip.NONE:
        return NO_SLIP
    if number not in set(SLIPS) or not 0 <= place <= places:
        return None
    where = SLIPS[Slip(number)].where
    return NamedSlip(Slip(number), place) if where in (None, place) else None


def possible(*, round_runs: bool) -> tuple[Remedy, ...]:
    """Return the remedies that there can be: once the round is over no card lies where it could be put right."""
    return tuple(one for one in Remedy if round_runs or one is not Remedy.PUT_RIGHT)


def offered(book: RuleBook, slip: Slip, *, round_runs: bool) -> tuple[Remedy, ...]:
    """Return the remedies that the book has for a slip, of those that there still can be."""
    can_be = possible(round_runs=round_runs)
    return tuple(one for one in OFFERED[book.value_of(SLIPS[slip].key)] if one in can_be)


def repair(deal: Deal, named: NamedSlip, remedy: Remedy) -> None:
    """Do to the deal what the remedy does; most leave it as it is counted. Of a void round nothing more is due."""
    if remedy is Remedy.ROUND_VOID:
        deal.over()
    elif (do := SLIPS[named.slip].repairs.get(remedy)) is not None:
        do(deal, named.place)
