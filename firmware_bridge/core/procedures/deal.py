"""The deal, followed place by place: the dealer marks the places, deals the first cards, says that they lie, and whose
turn is over (PT-D1, MO-5a, LD-2, GN-3).

not followed <-> marking the places, between rounds
not followed -> first cards (dealing stops when all that are due have come) -> each place's turn, then the bank's -> not followed
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import deal_effects as do
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.words import Dealing, Trigger

DEALER = (only.by_signed_dealer,)
RELEASED = (only.by_signed_dealer, only.dealing_is_released)
LAST = (only.by_signed_dealer, only.last_place_is_asked)
FOLLOWED = (only.round_runs, only.deal_is_followed)
DUE = (only.a_first_card_is_due,)
ALL_LIE = (only.by_signed_dealer, only.no_first_card_is_due)
A_PLAYER = (only.by_signed_dealer, only.a_player_has_the_turn)

# fmt: off
ROWS = (
    #   from                  trigger              to                    clause                   guards
    Row(Dealing.NOT_FOLLOWED, Trigger.MARK_PLACES, Dealing.MARKING,      "house.unmarked_places", RELEASED, do.begin_marking),
    Row(Dealing.MARKING,      Trigger.PLACE_IN,    Dealing.NOT_FOLLOWED, "house.unmarked_places", LAST, do.mark_in),
    Row(Dealing.MARKING,      Trigger.PLACE_IN,    Dealing.MARKING,      "house.unmarked_places", DEALER, do.mark_in),
    Row(Dealing.MARKING,      Trigger.PLACE_OUT,   Dealing.NOT_FOLLOWED, "house.unmarked_places", LAST, do.mark_out),
    Row(Dealing.MARKING,      Trigger.PLACE_OUT,   Dealing.MARKING,      "house.unmarked_places", DEALER, do.mark_out),
    # a round's first card begins its deal; marks that are not made to the end are none
    Row(Dealing.MARKING,      Trigger.CARD_DRAWN,  Dealing.FIRST_CARDS,  "PT-D1",                 FOLLOWED, do.begin_deal),
    Row(Dealing.MARKING,      Trigger.CARD_DRAWN,  Dealing.NOT_FOLLOWED, "house.unmarked_places", (only.round_runs,)),
    Row(Dealing.NOT_FOLLOWED, Trigger.CARD_DRAWN,  Dealing.FIRST_CARDS,  "PT-D1",                 (only.round_begins, only.deal_is_followed), do.begin_deal),
    # one card to each place in order, as the book has it
    Row(Dealing.FIRST_CARDS,  Trigger.CARD_DRAWN,  Dealing.FIRST_CARDS,  "PT-D1",                 DUE, do.place_card),
    Row(Dealing.FIRST_CARDS,  Trigger.CARD_DRAWN,  Dealing.FIRST_CARDS,  "PT-D1",                 (), do.place_card_too_many),
    Row(Dealing.FIRST_CARDS,  Trigger.DEAL_LIES,   Dealing.TURNS,        "PT-D1",                 ALL_LIE),
    Row(Dealing.FIRST_CARDS,  Trigger.DEAL_LIES,   Dealing.FIRST_CARDS,  "PT-D1",                 DEALER, do.too_few_came),
    Row(Dealing.FIRST_CARDS,  Trigger.ROUND_OVER,  Dealing.NOT_FOLLOWED, "PT-D1",                 DUE, do.end_deal_too_early),
    Row(Dealing.FIRST_CARDS,  Trigger.ROUND_OVER,  Dealing.NOT_FOLLOWED, "PT-D1",                 (), do.end_deal),
    # each place takes what its player asks for, until it has finished; the bank is last
    Row(Dealing.TURNS,        Trigger.CARD_DRAWN,  Dealing.TURNS,        "PT-D1",                 (), do.place_card),
    Row(Dealing.TURNS,        Trigger.PLACE_DONE,  Dealing.TURNS,        "PT-D1",                 A_PLAYER, do.end_turn),
    Row(Dealing.TURNS,        Trigger.ROUND_OVER,  Dealing.NOT_FOLLOWED, "PT-D1",                 (), do.end_deal),
)
# fmt: on
