"""The metal box, of one deck and one round: filled by hand, opened to a round, and all its cards counted by hand after it.

mixing -> cutting -> filling the box -> ready -> burned, and in a round -> all out: counted by hand -> mixing

It has no wire: what is not said by the dealer's keys nobody knows. From the round's beginning until the count the books
hold its cards as out, on the table, for nobody can tell which of them lie in the box still. All else is as with a shoe
that people fill (``hand_fed.py``), whose rows come after these.
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import effects as do
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.procedures import set_effects as of_set
from firmware_bridge.core.procedures import shoe_effects as of_shoe
from firmware_bridge.core.words import Role, Session, Trigger

DEALER = (only.from_the_box, only.by_signed_dealer)
FILLED = (*DEALER, only.whole_set_goes_in)
BURNED = (*DEALER, only.cards_may_be_dealt, only.burn_is_due)
BEGINS = (*DEALER, only.cards_may_be_dealt)
COUNTED = (*DEALER, only.no_open_claim, only.no_card_is_awaited, only.all_came_out)
IS_SHORT = (only.from_the_box, only.by(Role.SUPERVISOR, "SB-7"), only.no_open_claim)
WANTED = (only.from_the_box, only.by(Role.SUPERVISOR, "SB-9"), only.all_cards_are_wanted, only.no_open_claim)
OVER = do.both(do.end_round, of_set.gather)
BEGIN = do.both(do.begin_round, of_shoe.open_box)
BURN_AND_BEGIN = do.both(do.begin_round, of_shoe.burn_and_open_box)

# fmt: off
ROWS = (
    #   from                  trigger                  to                     clause   guards
    Row(Session.FILLING_SHOE,  Trigger.YES,             Session.READY,         "MO-1b", FILLED, of_shoe.fill),
    # the dealer's key is the gate: nothing else holds a card
    Row(Session.READY,         Trigger.YES,             Session.IN_ROUND,      "MO-4a", BURNED, BURN_AND_BEGIN),
    Row(Session.READY,         Trigger.YES,             Session.IN_ROUND,      "SB-1",  BEGINS, BEGIN),
    Row(Session.IN_ROUND,      Trigger.ROUND_OVER,      Session.EMPTYING_SHOE, "MO-2f", DEALER, OVER),
    # because cards are to be counted or shuffled before a round begins
    Row(Session.READY,         Trigger.SHUFFLE_MACHINE, Session.EMPTYING_SHOE, "SB-9",  WANTED, of_shoe.open_box),
    # what came out and what was left in the box are counted together
    Row(Session.EMPTYING_SHOE, Trigger.YES,             Session.MIXING,        "MO-2f", COUNTED, of_shoe.count_set),
    Row(Session.EMPTYING_SHOE, Trigger.NO_CARDS_LEFT,   Session.EMPTYING_SHOE, "SB-7",  IS_SHORT, of_shoe.deck_differs),
)
# fmt: on
