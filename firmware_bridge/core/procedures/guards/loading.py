"""What a row may ask while packs are loaded and the machine is counted."""

from __future__ import annotations

from drivers.protocol.batch import CycleEnded
from drivers.protocol.messages import Inventory
from firmware_bridge.core.events import Told
from firmware_bridge.core.machine import Facts, Refusal
from firmware_bridge.core.outputs import pack_limit
from firmware_bridge.core.sets import why_not_whole
from firmware_bridge.core.words import Course, Place


def cards_are_left(facts: Facts) -> Refusal | None:
    """A pack begins only while cards of the set are outside, and none over it went in."""
    account = facts.state.account
    if account.at(Place.OVER) > 0:
        return Refusal("PT-E2", "a card over the set is in: declare the loading complete, or the table closed")
    if account.at(Place.OUTSIDE) > 0:
        return None
    return Refusal(
        "loading.loadings_per_session",
        "the whole set is in the machine: declare the loading complete, or the table closed",
    )


def tray_is_empty(facts: Facts) -> Refusal | None:
    """A pack ends with the intake tray empty."""
    machine = facts.state.machine
    if machine is not None and not machine.tray_occupied:
        return None
    return Refusal(
        "loading.min_packs",
        "cards lie in the intake tray: a pack ends when they are in, or taken out for the next pack",
    )


def pack_is_big_enough(facts: Facts) -> Refusal | None:
    """A pack that others follow, by the book or because cards are left, is the house's smallest; a later one a card."""
    begins = not facts.state.packs and facts.state.account.at(Place.OUTSIDE) > 0
    smallest = facts.book.house.min_pack if begins or pack_limit(facts.state, facts.book) is not None else 1
    if facts.state.pack_cards >= smallest:
        return None
    return Refusal(
        facts.book.clause_of("house.min_pack"),
        f"{facts.state.pack_cards} cards are in: a pack is at least {smallest}",
    )


def enough_packs(facts: Facts) -> Refusal | None:
    """The cards are loaded in at least so many packs (PT-A5)."""
    needed = facts.book.loading.min_packs
    if len(facts.state.packs) >= needed:
        return None
    return Refusal(
        facts.book.clause_of("loading.min_packs"),
        f"{len(facts.state.packs)} packs are in: at least {needed} are needed",
    )


def load_is_right(facts: Facts) -> Refusal | None:
    """The whole set is in (a machine that cannot hold has fed its shoe by then), and nothing over it (PT-E2)."""
    account = facts.state.account
    if account.inside == account.cards and account.at(Place.OVER) == 0:
        return None
    return Refusal("PT-E2", f"{account.inside} cards are in: the set is {account.cards}")


def load_awaits_cards(facts: Facts) -> Refusal | None:
    """Fires where a card of the load was found damaged: its replacement is a pack of its own."""
    account = facts.state.account
    if account.at(Place.OVER) == 0 and (account.at(Place.OUTSIDE) > 0 or account.at(Place.SET_ASIDE) > 0):
        return None
    return Refusal("PT-E2", "no card of the load is awaited")


def load_is_wrong(facts: Facts) -> Refusal | None:
    """Fires where the packs together are not exactly the set."""
    account = facts.state.account
    if account.inside != account.cards or account.at(Place.OVER):
        return None
    return Refusal("PT-E2", "the load is exactly the set")


def nothing_is_loaded(facts: Facts) -> Refusal | None:
    """Fires where no card went into the machine yet."""
    if facts.state.account.inside == 0:
        return None
    return Refusal("SB-4", "cards are in the machine: it is unloaded before the session ends")


def _found(facts: Facts) -> int | None:
    event = facts.event
    if isinstance(event, Told) and isinstance(event.body, Inventory):
        return event.body.buffer + sum(event.body.compartments)
    return None


def count_agrees(facts: Facts) -> Refusal | None:
    """The full count is what the books say; a batch shuffler's is that of each pass, and of what it read."""
    if isinstance(facts.event, Told) and isinstance(facts.event.body, CycleEnded):
        why = "; ".join(why_not_whole(facts.state.sets[name]) for name in facts.state.sets_at(Course.IN_CYCLE))
        return Refusal("SB-7", why) if why else None
    if facts.state.fed_by_hand and facts.state.counts_trusted:
        return None  # what came out of the shoe was just found to be the set
    if _found(facts) == facts.state.countable:
        return None
    return Refusal("SB-7", f"{_found(facts)} cards were counted, the books say {facts.state.countable}")


def found_nothing(facts: Facts) -> Refusal | None:
    """The full count found the machine empty everywhere (SB-4)."""
    if _found(facts) == 0:
        return None
    return Refusal("SB-4", f"{_found(facts)} cards are still in the machine")
