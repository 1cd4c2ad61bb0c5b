"""Rounds with a continuous shuffler: dealt, gathered, put back before the next one (PT-A9 to PT-A11).

ready (dealing released) -> in a round -> returning the cards (intake open) -> ready
                         an error voids the round, where the book says so -> ready -> shuffling -> ready
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import effects as do
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.procedures import set_effects as of_set
from firmware_bridge.core.procedures import shoe_effects as of_shoe
from firmware_bridge.core.words import Role, Session, Trigger

DEALER = (only.by_signed_dealer,)
DEALT = (only.drawn_to_deal,)
BURNED = (only.drawn_to_deal, only.burn_is_due)
BURNED_FROM_SHOE = (only.fed_by_hand, only.drawn_to_deal, only.burn_is_due)
BURNED_LATER = (only.drawn_to_deal, only.later_burn_is_due)
BURNED_BEFORE_BANK = (only.drawn_to_deal, only.bank_card_is_burned)
IS_LONG = (only.drawn_to_deal, only.round_is_long)
OWED = (only.a_card_is_owed,)
LAST_BACK = (only.last_card_is_back,)
WANTED = (only.incident_wants_cards,)
LEAVE = (
    only.by_signed_dealer,
    only.no_open_claim,
    only.round_stands,
    only.book_lets_cards_stay,
    only.intake_cannot_take,
)
WISHED = (only.by_signed_dealer, only.machine_takes_single_cards, only.dealer_may_wish, only.machine_may_work)
GOES_ON = (only.by_signed_dealer, only.round_stands)
SHUFFLE = (
    only.by(Role.SUPERVISOR, "SB-9"),
    only.machine_takes_single_cards,
    only.shuffle_is_due,
    only.machine_may_work,
)
COUNT = (
    only.by(Role.SUPERVISOR, "SB-7"),
    only.machine_takes_single_cards,
    only.machine_may_work,
    only.machine_is_approved,
)
STAYS = (only.cards_stay_in_discard, only.by_signed_dealer)
OVER = do.both(do.end_round, of_set.gather)
DRAWN_OUT = (only.drawn_to_unload, only.a_set_leaves_the_shoe)
DRAWN = do.both(do.book_drawn, of_shoe.watch_shoe, of_shoe.mark_by_count, of_shoe.watch_round)
BURN = do.both(do.book_burned, of_shoe.watch_shoe)
FIRST_CARD = do.both(do.begin_round, DRAWN)

# fmt: off
ROWS = (
    #   from                      trigger                to                        clause     guards
    Row(Session.READY,            Trigger.CARD_DRAWN,    Session.READY,            "PT-S5",   BURNED_FROM_SHOE, BURN),
    Row(Session.READY,            Trigger.CARD_DRAWN,    Session.READY,            "MO-4a",   BURNED, BURN),
    Row(Session.READY,            Trigger.CARD_DRAWN,    Session.READY,            "burn.before_each_later_round", BURNED_LATER, BURN),
    Row(Session.READY,            Trigger.CARD_DRAWN,    Session.IN_ROUND,         "SB-1",    DEALT, FIRST_CARD),
    Row(Session.READY,            Trigger.CARD_DRAWN,    Session.READY,            "SB-5",    DRAWN_OUT, of_set.book_drawn_out),
    Row(Session.IN_ROUND,         Trigger.CARD_DRAWN,    Session.IN_ROUND,         "burn.before_bank_second_card", BURNED_BEFORE_BANK, BURN),
    Row(Session.IN_ROUND,         Trigger.CARD_DRAWN,    Session.ASKING_ROUND,     "SB-1",    IS_LONG, DRAWN),
    Row(Session.IN_ROUND,         Trigger.CARD_DRAWN,    Session.IN_ROUND,         "PT-A9",   DEALT, DRAWN),
    Row(Session.IN_ROUND,         Trigger.ROUND_OVER,    Session.READY,            "SB-5",    STAYS, OVER),  # until the set is shuffled
    Row(Session.IN_ROUND,         Trigger.ROUND_OVER,    Session.RETURNING,        "PT-A10",  DEALER, do.end_round),
    # a round longer than the house's limit: the dealer is asked
    Row(Session.ASKING_ROUND,     Trigger.CARD_DRAWN,    Session.ASKING_ROUND,     "SB-1",    DEALT, DRAWN),  # under way when the gate shut
    Row(Session.ASKING_ROUND,     Trigger.YES,           Session.IN_ROUND,         "SB-1",    GOES_ON, do.raise_round_limit),
    Row(Session.ASKING_ROUND,     Trigger.ROUND_OVER,    Session.READY,            "SB-5",    STAYS, OVER),
    Row(Session.ASKING_ROUND,     Trigger.ROUND_OVER,    Session.RETURNING,        "PT-A10",  DEALER, do.end_round),
    # the cards go back, or what the machine cannot take stays in the discard
    Row(Session.RETURNING,        Trigger.CARD_DRAWN,    Session.RETURNING,        "PT-A10",  DEALT, do.book_drawn),  # under way when the gate shut
    Row(Session.RETURNING,        Trigger.CARD_IN,       Session.READY,            "PT-A10",  LAST_BACK, do.book_returned),
    Row(Session.RETURNING,        Trigger.CARD_IN,       Session.RETURNING,        "PT-A10",  OWED, do.book_returned),
    Row(Session.RETURNING,        Trigger.YES,           Session.READY,            "PT-A11",  LEAVE, do.leave_in_discard),
    Row(Session.READY,            Trigger.CARD_IN,       Session.READY,            "SB-7",    WANTED, do.book_returned),  # left in the discard, and asked for by an incident
    # a full count of the machine between rounds, at the supervisor's word
    Row(Session.READY,            Trigger.COUNT_MACHINE, Session.COUNTING_MACHINE, "SB-7",    COUNT, do.order_count),
    Row(Session.COUNTING_MACHINE, Trigger.COUNTED,       Session.READY,            "SB-7",    (only.count_agrees,), do.full_count),
    Row(Session.COUNTING_MACHINE, Trigger.COUNTED,       Session.READY,            "SB-7",    (), do.count_differs),
    Row(Session.COUNTING_MACHINE, Trigger.COUNT_UNKNOWN, Session.READY,            "SB-7"),  # jammed, or opened: ordered again when it is mended
    # after a void round every card is shuffled anew before play goes on
    Row(Session.READY,            Trigger.SHUFFLE_MACHINE, Session.SHUFFLING,      "SB-9",    SHUFFLE, do.order_shuffle),
    # after any other round at the dealer's wish, where the book leaves it to him
    Row(Session.READY,            Trigger.YES,           Session.SHUFFLING,        "MO-2e",   WISHED, do.order_shuffle),
    Row(Session.SHUFFLING,        Trigger.SHUFFLED,      Session.READY,            "SB-9"),
    Row(Session.SHUFFLING,        Trigger.COUNT_UNKNOWN, Session.READY,            "SB-9"),  # jammed, or opened: ordered again when it is mended
)
# fmt: on
