"""What a row of the deal may ask, and of a slip in it."""

from __future__ import annotations

from firmware_bridge.core.deal import BANK, places_dealt_to
from firmware_bridge.core.dealing import bank_burn_due
from firmware_bridge.core.events import Acted
from firmware_bridge.core.machine import Facts, Refusal
from firmware_bridge.core.outputs import why_not_deal
from firmware_bridge.core.slips import SLIPS, NamedSlip, Remedy, Slip, offered, possible, typed_slip
from firmware_bridge.core.words import ROUND_RUNS

SLIP_IS_TYPED = "name the slip and its place, the bank's is 00 (103: the first card of place 3 was left out); 0: none"


def round_runs(facts: Facts) -> Refusal | None:
    """The card is one of a round: it was not burned before it."""
    if facts.state.session in ROUND_RUNS:
        return None
    return Refusal("SB-1", "no round is under way")


def round_begins(facts: Facts) -> Refusal | None:
    """Fires with the first card of a round: a deal that was not followed from its first card is not followed."""
    if facts.state.session in ROUND_RUNS and facts.state.rounds[-1].began.record == facts.state.record:
        return None
    return Refusal("SB-1", "the round has begun already")


def dealing_is_released(facts: Facts) -> Refusal | None:
    """The places are marked at a table that may be dealt at: elsewhere ROUND OVER begins nothing."""
    if not why_not_deal(facts.state):
        return None
    return Refusal("SB-1", "the places are marked when cards may be dealt; no round is under way")


def deal_is_followed(facts: Facts) -> Refusal | None:
    """The places in play are known: the dealer marked them, or all are where he marks none."""
    if places_dealt_to(facts.state.layout, facts.book):
        return None
    return Refusal("house.unmarked_places", "the places in play are not marked")


def last_place_is_asked(facts: Facts) -> Refusal | None:
    """Fires with the answer about the table's last place."""
    if facts.state.layout.asked == facts.book.equipment.places:
        return None
    return Refusal("equipment.places", "another place comes after this one")


def a_first_card_is_due(facts: Facts) -> Refusal | None:
    """Fires while one of the first cards is still to come."""
    if facts.state.deal is not None and facts.state.deal.due:
        return None
    return Refusal("deal.procedure", "all the first cards that were due have come")


def no_first_card_is_due(facts: Facts) -> Refusal | None:
    """All the first cards have come."""
    if facts.state.deal is not None and not facts.state.deal.due:
        return None
    return Refusal("deal.procedure", "fewer cards came than are due first")


def a_player_has_the_turn(facts: Facts) -> Refusal | None:
    """A player's place finishes; the bank's turn ends with the round."""
    if facts.state.deal is not None and facts.state.deal.whose != BANK:
        return None
    return Refusal("deal.procedure", "all places have finished: the bank's turn ends with ROUND OVER")


def bank_card_is_burned(facts: Facts) -> Refusal | None:
    """Fires for the card that is burned before the bank's second (MO-4b)."""
    if bank_burn_due(facts.state):
        return None
    return Refusal("burn.before_bank_second_card", "no burn is due")


def typed_named(facts: Facts) -> NamedSlip | None:
    """The slip that was typed, and its place."""
    if not isinstance(facts.event, Acted):
        return None
    return typed_slip(facts.event.value, facts.book.equipment.places)


def slip_is_named(facts: Facts) -> Refusal | None:
    """What went wrong is named before it is put right."""
    named = typed_named(facts)
    return Refusal("wrong_deal.remedy", SLIP_IS_TYPED) if named is None or named.slip is Slip.NONE else None


def nothing_was_wrong(facts: Facts) -> Refusal | None:
    """Fires where no slip was: a key was pressed too early, or the dealer dealt on in time."""
    named = typed_named(facts)
    return None if named is not None and named.slip is Slip.NONE else Refusal("wrong_deal.remedy", SLIP_IS_TYPED)


def typed_remedy(facts: Facts) -> Remedy | None:
    """The remedy that was typed."""
    if isinstance(facts.event, Acted) and facts.event.value in set(Remedy):
        return Remedy(facts.event.value)
    return None


def remedy_is_the_books(facts: Facts) -> Refusal | None:
    """Only what the book has for this slip is done about it (MO-5b, PT-D2, PT-D4)."""
    named = facts.state.incidents[facts.subject].slip
    if named is None:
        return Refusal("wrong_deal.remedy", SLIP_IS_TYPED)
    key = SLIPS[named.slip].key
    remedies = offered(facts.book, named.slip, round_runs=facts.state.session in ROUND_RUNS)
    if typed_remedy(facts) in remedies:
        return None
    return Refusal(
        facts.book.clause_of(key), f"the remedy here is {in_words(remedies)}; any other is signed as a deviation"
    )


def remedy_can_be_taken(facts: Facts) -> Refusal | None:
    """Nothing is put right, not by a deviation either, once the round is over and its cards are gathered."""
    remedy = typed_remedy(facts)
    if remedy is None or remedy in possible(round_runs=facts.state.session in ROUND_RUNS):
        return None
    return Refusal("wrong_deal.remedy", "the round is over: nothing of its deal can be put right any more")


def remedy_is_another(facts: Facts) -> Refusal | None:
    """A deviation is a remedy that the book does not have for this slip."""
    refusal = remedy_is_the_books(facts)
    if refusal is not None and typed_remedy(facts) is not None:
        return None
    return Refusal(
        "wrong_deal.remedy", "name the remedy that was taken against the book; the book's own is no deviation"
    )


def in_words(remedies: tuple[Remedy, ...]) -> str:
    """Remedies by number and name, as they are typed."""
    return " or ".join(f"{one.value} {one.name.lower().replace('_', ' ')}" for one in remedies)
