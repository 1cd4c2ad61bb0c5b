"""The sets of a session's report: each by itself, and the session as it is about one of them alone."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from firmware_bridge.core.state import SetOfCards, State
from firmware_bridge.core.words import THE_ONLY, Place
from firmware_bridge.view.difference import set_difference, since_good_count_of
from firmware_bridge.view.session_parts import SessionReport, SetReport


def sets_of(state: State) -> tuple[SetReport, ...]:
    """Each set of the table."""
    return tuple(
        SetReport(
            name=name,
            first_deck=place * state.decks + 1,
            backs=cards.backs,
            cards=cards.account.cards,
            accounts=accounts([cards]),
            difference=set_difference(state, place),
            since_good_count=since_good_count_of(state, cards),
            ages=tuple(state.deck_ages.get(place * state.decks + deck, 0) for deck in range(1, state.decks + 1)),
        )
        for place, (name, cards) in enumerate(state.sets.items())
    )


def accounts(sets: Collection[SetOfCards]) -> dict[str, int]:
    """Cards of these sets by place, those places that hold any."""
    counts = {place.value: sum(one.account.at(place) for one in sets) for place in Place}
    return {place: count for place, count in counts.items() if count}


def about(session: SessionReport, one: SetReport) -> SessionReport:
    """The session as it is about one set: whatever is another one's is left out. A table's only set is all of it."""
    if len(session.sets) == 1:
        return session
    cycles = tuple(cycle for cycle in session.cycles if cycle.set == one.name)
    return replace(
        session,
        sets=(one,),
        set_cards=one.cards,
        backs=one.backs,
        accounts=one.accounts,
        opened=next((cycle.ended for cycle in cycles if cycle.shuffled), None),
        movements=tuple(entry for entry in session.movements if entry.set == one.name),
        counts=tuple(count for count in session.counts if count.set in (one.name, THE_ONLY)),
        cycles=cycles,
        decks=tuple(deck for deck in session.decks if deck.set == one.name),
        earlier_readings=tuple(deck for deck in session.earlier_readings if deck.set == one.name),
        difference=one.difference,
        since_good_count=one.since_good_count,
    )
