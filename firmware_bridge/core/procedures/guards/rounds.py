"""What a row may ask in rounds and of claims."""

from __future__ import annotations

from drivers.protocol.messages import CardDrawn, Purpose
from firmware_bridge.core.events import Acted, Told
from firmware_bridge.core.machine import Facts, Refusal
from firmware_bridge.core.outputs import (
    burn_due,
    every_card_is_wanted,
    machine_refuses,
    may_close_over_round,
    may_wish_a_shuffle,
)
from firmware_bridge.core.steps import CLAIM_OUTCOMES
from firmware_bridge.core.words import IN_PLAY, Claim, Place, Session
from firmware_bridge.rulebooks.schema import ROUND_OVER

CLAIMS_ARE_HEARD = IN_PLAY | {Session.DECLARED_CLOSED}
"""Until the unloading begins, a round may be the last one and its cards still out (PT-A12)."""


def drawn_to_deal(facts: Facts) -> Refusal | None:
    """The card came under a lease to deal."""
    event = facts.event
    if isinstance(event, Told) and isinstance(event.body, CardDrawn) and event.body.purpose == Purpose.DEAL:
        return None
    return Refusal("SB-1", "a card came out that no release to deal covers")


def drawn_to_unload(facts: Facts) -> Refusal | None:
    """The card came under a lease to unload."""
    event = facts.event
    if isinstance(event, Told) and isinstance(event.body, CardDrawn) and event.body.purpose == Purpose.UNLOAD:
        return None
    return Refusal("PT-A6", "a card came out that no release to unload covers")


def drawn_to_verify(facts: Facts) -> Refusal | None:
    """The card came under a lease to verify."""
    event = facts.event
    if isinstance(event, Told) and isinstance(event.body, CardDrawn) and event.body.purpose == Purpose.VERIFY:
        return None
    return Refusal("closing.sort_decks", "a card came out that no release to verify covers")


def burn_is_due(facts: Facts) -> Refusal | None:
    """Fires for the cards that are burned before the first round."""
    if not facts.state.round_of_shoe and burn_due(facts.state, facts.book):
        return None
    return Refusal(facts.book.clause_of("burn.with_shuffler"), "no burn is due")


def later_burn_is_due(facts: Facts) -> Refusal | None:
    """Fires for the card that is burned before each later round."""
    if facts.state.round_of_shoe and burn_due(facts.state, facts.book):
        return None
    return Refusal(facts.book.clause_of("burn.before_each_later_round"), "no burn is due")


def round_is_long(facts: Facts) -> Refusal | None:
    """Fires where this card is one over the house's limit for a round."""
    limit = facts.state.round_limit or facts.book.house.round_card_limit
    if facts.state.account.at(Place.TABLE) >= limit:
        return None
    return Refusal(facts.book.clause_of("house.round_card_limit"), "the round is not over the limit")


def round_stands(facts: Facts) -> Refusal | None:
    """A void round does not go on, and each of its cards goes back and is shuffled."""
    if not facts.state.round_void:
        return None
    return Refusal(facts.state.round_void, "the round is void: all its cards go into the machine, and are shuffled")


def shuffle_is_due(facts: Facts) -> Refusal | None:
    """After a void round all cards are shuffled before play goes on."""
    if facts.state.shuffle_due:
        return None
    return Refusal("SB-9", "no round is void, or all cards were shuffled since")


def dealer_may_wish(facts: Facts) -> Refusal | None:
    """After any round but a void one the cards are shuffled at the dealer's wish, where the book says so (MO-2e)."""
    if may_wish_a_shuffle(facts.state, facts.book):
        return None
    return Refusal("SB-1", "nothing is asked of the dealer now")


def incident_wants_cards(facts: Facts) -> Refusal | None:
    """After a spill, or dealt cards in sequence, all cards that are out go into the machine (BR-004, SB-9)."""
    if every_card_is_wanted(facts.state):
        return None
    return Refusal("SB-7", "no incident asks for cards")


def last_card_is_back(facts: Facts) -> Refusal | None:
    """Fires with the card after which nothing is out any more."""
    if facts.state.account.out == 1:
        return None
    return Refusal("PT-A10", f"{facts.state.account.out} cards are out")


def a_card_is_owed(facts: Facts) -> Refusal | None:
    """A card that comes in is one that was out."""
    if facts.state.account.out > 0:
        return None
    return Refusal("SB-1", "a card came in that was not out")


def book_lets_cards_stay(facts: Facts) -> Refusal | None:
    """Whether the rule book knows cards that stay in the discard at all (PT-A11)."""
    rounds = facts.book.rounds
    if rounds.may_leave_in_discard or not rounds.discards_return_after_each:
        return None
    return Refusal(facts.book.clause_of("rounds.may_leave_in_discard"), "the cards of a round all go back")


def intake_cannot_take(facts: Facts) -> Refusal | None:
    """Where the cards go back, they are left in the discard only while the machine says that it takes none (PT-A11)."""
    if machine_refuses(facts.state) or not facts.book.rounds.discards_return_after_each:
        return None
    return Refusal(
        facts.book.clause_of("rounds.may_leave_in_discard"),
        f"the machine does not say that it takes none: put the {facts.state.account.out} cards that are out into it",
    )


def return_is_overdue(facts: Facts) -> Refusal | None:
    """A table may be closed over its round's cards once they are missed, or while the machine takes none."""
    if may_close_over_round(facts.state):
        return None
    window = facts.book.house.return_window_s
    return Refusal(
        "PT-A10",
        f"{facts.state.account.out} cards of the round are out: they go into the machine first ({window} s)",
    )


def claim_is_admissible(facts: Facts) -> Refusal | None:
    """A claim is heard until the round's first card was counted at the intake (PT-A12), or in the round alone."""
    if not facts.state.rounds or facts.state.session not in CLAIMS_ARE_HEARD:
        return Refusal("PT-A12", "no round is under way or just over")
    if facts.book.claims.until == ROUND_OVER and facts.state.rounds[-1].ended is not None:
        return Refusal(facts.book.clause_of("claims.until"), "too late: the round is over")
    back = facts.state.first_back_at
    if back is None:
        return None
    return Refusal(
        facts.book.clause_of("claims.until"),
        f"too late: the round's cards went into the machine {(facts.now - back) // 10**9} s before the claim",
    )


def outcome_is_named(facts: Facts) -> Refusal | None:
    """A claim is closed with its outcome (SB-8)."""
    if isinstance(facts.event, Acted) and facts.event.value in CLAIM_OUTCOMES:
        return None
    named = ", ".join(f"{number} {words}" for number, words in CLAIM_OUTCOMES.items())
    return Refusal("SB-8", f"name the claim's outcome: {named}")


def no_open_claim(facts: Facts) -> Refusal | None:
    """An open claim holds everything that would mix the round's cards (SB-8)."""
    if facts.state.claim is Claim.NONE:
        return None
    return Refusal("SB-8", "a claim is open: the supervisor closes it with its outcome first")
