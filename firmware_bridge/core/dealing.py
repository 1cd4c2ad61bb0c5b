"""What the deal that is followed wants now: an answer, a burn, and what the dealer's keys mean meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.deal import BURNED
from firmware_bridge.core.state import State
from firmware_bridge.core.words import Dealing, Session, Trigger

MEANS: Mapping[tuple[Session, Dealing, DealerKey], Trigger] = MappingProxyType(
    {
        (Session.READY, Dealing.NOT_FOLLOWED, DealerKey.ROUND_OVER): Trigger.MARK_PLACES,
        (Session.READY, Dealing.MARKING, DealerKey.YES): Trigger.PLACE_IN,
        (Session.READY, Dealing.MARKING, DealerKey.ROUND_OVER): Trigger.PLACE_OUT,
        (Session.IN_ROUND, Dealing.FIRST_CARDS, DealerKey.YES): Trigger.DEAL_LIES,
        (Session.IN_ROUND, Dealing.TURNS, DealerKey.YES): Trigger.PLACE_DONE,
    }
)
"""What a key says to the deal that is followed, by where the session and the deal stand."""


def said_to_the_deal(state: State, key: DealerKey) -> Trigger | None:
    """What a key of the dealer says to the deal now; None: nothing."""
    return said_by_keys(state).get(key)


def said_by_keys(state: State) -> dict[DealerKey, Trigger]:
    """All that the dealer's keys say to the deal now: nothing where no card is told, from a metal box."""
    if state.has_box:
        return {}
    here = (state.session, state.dealing)
    return {key: said for (*where, key), said in MEANS.items() if tuple(where) == here}


def first_cards_wait(state: State) -> bool:
    """Whether all first cards have come, and no more does until the dealer has said that they lie as they are due."""
    all_came = state.dealing is Dealing.FIRST_CARDS and state.deal is not None and not state.deal.due
    return all_came and not state.round_void


def bank_burn_due(state: State) -> bool:
    """Whether the next card is burned before the bank's second (MO-4b)."""
    return state.dealing is Dealing.TURNS and state.deal is not None and state.deal.next == BURNED
