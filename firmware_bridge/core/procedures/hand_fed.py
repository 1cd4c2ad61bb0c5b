"""The shoe that people fill: cut, warning card, last round, and what is left drawn out before the cards are shuffled anew.

mixing -> cutting -> filling the shoe -> ready -> rounds; the warning card comes -> the round is the last
-> emptying the shoe: the rest is drawn out, and so all is counted -> mixing (or, where play stopped, showing)

The preparation is the same for the first shoe of a session and for each later one (PT-S6).
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import effects as do
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.procedures import set_effects as of_set
from firmware_bridge.core.procedures import shoe_effects as of_shoe
from firmware_bridge.core.words import Role, Session, Trigger

CLOSES = (only.fed_by_hand, only.by(Role.SUPERVISOR, "closing.taken_out_only_at_close"), only.no_open_claim)
DEALER = (only.fed_by_hand, only.by_signed_dealer)
FILLED = (only.by_signed_dealer, only.whole_set_goes_in)
FOR_ONE_PLAYER = (only.by(Role.SUPERVISOR, "PT-S4"), only.place_depends_on_players, only.whole_set_goes_in)
LAST_ROUND = (*DEALER, only.last_round_is_played)
OVER = do.both(do.end_round, of_set.gather)
MARK = (only.fed_by_hand, only.it_is_the_warning_card)
MARK_AND_SHUFFLE = (*MARK, only.shuffle_comes_first)
WISHED = (*DEALER, only.dealer_may_wish)
STOPPED = (
    only.fed_by_hand,
    only.from_a_shoe,
    only.by(Role.SUPERVISOR, "PT-S8"),
    only.play_may_stop,
    only.no_open_claim,
)
WANTED = (only.fed_by_hand, only.by(Role.SUPERVISOR, "SB-9"), only.all_cards_are_wanted, only.no_open_claim)
DRAWN_OUT = (only.drawn_to_unload, only.a_card_lies_in_shoe)
ALL_OUT = (only.by_signed_dealer, only.no_open_claim, only.nothing_in_shoe, only.no_card_is_awaited)
WHOLE = (*ALL_OUT, only.all_came_out)
SAID_EMPTY = (only.by(Role.SUPERVISOR, "SB-4"), only.a_card_lies_in_shoe)
LOOKED = (only.fed_by_hand, only.by(Role.SUPERVISOR, "SB-4"), only.trays_are_empty, only.no_pack_in_shoe)

# fmt: off
ROWS = (
    #   from                 trigger                 to                     clause   guards
    Row(Session.CUTTING,       Trigger.YES,            Session.FILLING_SHOE,    "PT-S3",  DEALER, of_shoe.cut_by_player),
    Row(Session.FILLING_SHOE,  Trigger.YES,            Session.READY,           "PT-S4",  FILLED, of_shoe.fill),
    Row(Session.FILLING_SHOE,  Trigger.ONE_PLAYER,     Session.READY,           "PT-S4",  FOR_ONE_PLAYER, of_shoe.fill_for_one_player),
    # the warning card comes: between two rounds one more is played, or none, as the book has it
    Row(Session.READY,         Trigger.SPECIAL_CARD,   Session.EMPTYING_SHOE,   "PT-S7",  MARK_AND_SHUFFLE, of_shoe.note_warning_card),
    Row(Session.READY,         Trigger.SPECIAL_CARD,   Session.READY,           "PT-S7",  MARK, of_shoe.note_warning_card),
    Row(Session.IN_ROUND,      Trigger.SPECIAL_CARD,   Session.IN_ROUND,        "PT-S6",  MARK, of_shoe.note_warning_card),
    Row(Session.ASKING_ROUND,  Trigger.SPECIAL_CARD,   Session.ASKING_ROUND,    "PT-S6",  MARK, of_shoe.note_warning_card),
    Row(Session.IN_ROUND,      Trigger.ROUND_OVER,     Session.EMPTYING_SHOE,   "PT-S6",  LAST_ROUND, OVER),
    Row(Session.ASKING_ROUND,  Trigger.ROUND_OVER,     Session.EMPTYING_SHOE,   "PT-S6",  LAST_ROUND, OVER),
    # before it has come: at the dealer's wish, where nobody plays, or because cards are to be counted or shuffled
    Row(Session.READY,         Trigger.YES,            Session.EMPTYING_SHOE,   "MO-2e",  WISHED),
    Row(Session.READY,         Trigger.STOP_PLAY,      Session.EMPTYING_SHOE,   "PT-S8",  STOPPED, of_shoe.stop_play),
    Row(Session.READY,         Trigger.SHUFFLE_MACHINE, Session.EMPTYING_SHOE,  "SB-9",   WANTED),
    # what was not dealt is drawn out through the reader, and then the whole set was counted
    Row(Session.EMPTYING_SHOE, Trigger.CARD_DRAWN,     Session.EMPTYING_SHOE,   "PT-S6",  DRAWN_OUT, of_set.book_drawn_out),
    Row(Session.EMPTYING_SHOE, Trigger.SPECIAL_CARD,   Session.EMPTYING_SHOE,   "PT-S6",  MARK, of_shoe.note_unplayed_warning_card),
    Row(Session.EMPTYING_SHOE, Trigger.YES,            Session.SHOWING,         "PT-S8",  (*WHOLE, only.play_stopped), of_shoe.count_set),
    Row(Session.EMPTYING_SHOE, Trigger.YES,            Session.MIXING,          "PT-S6",  WHOLE, of_shoe.count_set),
    Row(Session.EMPTYING_SHOE, Trigger.YES,            Session.EMPTYING_SHOE,   "SB-7",   ALL_OUT, of_shoe.set_differs),
    Row(Session.EMPTYING_SHOE, Trigger.CONFIRM_SHOE_EMPTY, Session.EMPTYING_SHOE,   "SB-7",   SAID_EMPTY, of_shoe.set_differs),
    # the table closes
    Row(Session.EMPTYING_SHOE, Trigger.DECLARE_CLOSED, Session.DECLARED_CLOSED, "PT-A6",  CLOSES),
    Row(Session.SHOWING,       Trigger.DECLARE_CLOSED, Session.DECLARED_CLOSED, "PT-A6",  CLOSES),
    Row(Session.CHECKING_BACKS, Trigger.DECLARE_CLOSED, Session.DECLARED_CLOSED, "PT-A6", CLOSES),
    Row(Session.MIXING,        Trigger.DECLARE_CLOSED, Session.DECLARED_CLOSED, "PT-A6",  CLOSES),
    Row(Session.CUTTING,       Trigger.DECLARE_CLOSED, Session.DECLARED_CLOSED, "PT-A6",  CLOSES),
    Row(Session.FILLING_SHOE,  Trigger.DECLARE_CLOSED, Session.NOT_OPENED,      "PT-A6",  (*CLOSES, only.it_did_not_open)),
    Row(Session.FILLING_SHOE,  Trigger.DECLARE_CLOSED, Session.DECLARED_CLOSED, "PT-A6",  CLOSES),
    Row(Session.UNLOADING,     Trigger.SPECIAL_CARD,   Session.UNLOADING,       "PT-A6",  MARK, of_shoe.note_unplayed_warning_card),
    Row(Session.ASKING_UNLOAD_PRESENCE, Trigger.SPECIAL_CARD, Session.ASKING_UNLOAD_PRESENCE, "PT-A6", MARK, of_shoe.note_unplayed_warning_card),
    Row(Session.UNLOADING,     Trigger.CONFIRM_EMPTY,  Session.SORTING,         "SB-4",   LOOKED, do.gather_by_hand),
)
# fmt: on
