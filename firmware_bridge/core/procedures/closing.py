"""Closing: unloaded with the supervisor present, proven empty, sorted, and every deck read again (PT-A6, PT-A8, SB-4).

declared closed -> unloading -> the machine counts itself: empty -> lid released, opened, looked into, closed
-> sorting -> deck by deck through the reader -> all regular: verified | else closed with a difference
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import effects as do
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.procedures import reading
from firmware_bridge.core.procedures import set_effects as of_set
from firmware_bridge.core.words import Role, Session, Trigger

BY_SUPERVISOR = only.by(Role.SUPERVISOR, "SB-4")
CLOSES = only.by(Role.SUPERVISOR, "closing.taken_out_only_at_close")
SORTS = only.by(Role.SUPERVISOR, "closing.sort_decks")
BY_PRESENT = only.by_whom("closing.unloading_present")
SUPERVISOR = (SORTS,)
PRESENT = (BY_PRESENT,)
OVERDUE = (CLOSES, only.no_open_claim, only.return_is_overdue)
UNLOADED = (only.drawn_to_unload,)
LAST_OUT = (only.a_machine_shuffles, only.drawn_to_unload, only.last_card_is_out, only.path_is_clear)
LAST_CARD = do.both(do.book_unloaded, do.order_count)
SORTED = (only.by_signed_dealer,)
DECK_LAID = (only.by_signed_dealer, only.shoe_reads, only.deck_is_in_tray)
BY_EYE = (SORTS, only.shoe_cannot_read, only.cards_are_counted)
SIGNED = (SORTS, only.no_open_incident, only.machine_tells_of_no_card)
SIGNED_OFF = (only.by_whom("house.difference_signed_by"), only.no_open_incident, only.machine_tells_of_no_card)
COUNT = (BY_SUPERVISOR, only.machine_may_work)
COUNT_FIRST = (BY_SUPERVISOR, only.no_pack_in_shoe, only.machine_may_work)
SHOE = (BY_SUPERVISOR, only.a_card_lies_in_shoe)
FED_EMPTY = (only.nothing_in_shoe, only.nothing_is_held_back, only.path_is_clear, only.lid_is_shut)
HELD_BACK = (BY_SUPERVISOR, only.machine_answers, only.cards_are_held_back)
EMPTY = (only.found_nothing, only.no_pack_in_shoe)
BY_HAND = (BY_SUPERVISOR, only.machine_is_out_of_service)
BY_HAND_LAST = (*BY_HAND, only.no_pack_in_shoe)
GONE = (BY_SUPERVISOR, only.machine_is_gone)
LOOKED_GONE = (*GONE, only.no_pack_in_shoe)
RELEASED = (BY_SUPERVISOR, only.machine_answers)
LEFT_INSIDE = (*RELEASED, only.machine_tells_of_cards)
GONE_RIGHT = (*LOOKED_GONE, only.load_was_right)
LOOKED = (
    BY_SUPERVISOR,
    only.machine_answers,
    only.lid_is_shut,
    only.trays_are_empty,
    only.no_pack_in_shoe,
    only.was_counted_empty,
    only.machine_tells_of_no_card,
)
LOOKED_RIGHT = (*LOOKED, only.load_was_right)
CLAIM_FREE = (CLOSES, only.no_open_claim)
NOTHING_INSIDE = (only.nothing_went_in, only.trays_are_empty, only.machine_tells_of_no_card)
NEVER_LOADED = (*CLAIM_FREE, only.machine_takes_whole_sets, *NOTHING_INSIDE)

# fmt: off
ROWS = (
    #   from                           trigger                    to                              clause    guards
    Row(Session.READY,                 Trigger.DECLARE_CLOSED,    Session.NOT_OPENED,             "PT-A6",  NEVER_LOADED),
    Row(Session.READY,                 Trigger.DECLARE_CLOSED,    Session.DECLARED_CLOSED,        "PT-A6",  CLAIM_FREE, do.give_up_lost),
    Row(Session.RETURNING,             Trigger.DECLARE_CLOSED,    Session.DECLARED_CLOSED,        "PT-A10", OVERDUE, do.give_up_lost),
    Row(Session.DECLARED_CLOSED,       Trigger.CARD_DRAWN,        Session.DECLARED_CLOSED,        "PT-A8",  (only.drawn_to_deal,), do.book_drawn),  # under way when the gate shut
    Row(Session.DECLARED_CLOSED,       Trigger.BEGIN_UNLOADING,   Session.UNLOADING,              "PT-A6",  (BY_PRESENT, only.no_open_claim), do.prove_presence),
    Row(Session.WRONG_LOAD,            Trigger.BEGIN_UNLOADING,   Session.UNLOADING,              "PT-A6",  PRESENT, do.prove_presence),
    Row(Session.UNLOADING,             Trigger.CARD_DRAWN,        Session.COUNTING_EMPTY,         "PT-A6",  LAST_OUT, LAST_CARD),
    Row(Session.UNLOADING,             Trigger.CARD_DRAWN,        Session.UNLOADING,              "PT-A6",  UNLOADED, do.book_unloaded),
    Row(Session.UNLOADING,             Trigger.FEED_EMPTY,        Session.COUNTING_EMPTY,         "SB-4",   FED_EMPTY, do.order_count),
    Row(Session.UNLOADING,             Trigger.COUNT_MACHINE,     Session.COUNTING_EMPTY,         "SB-4",   COUNT_FIRST, do.order_count),
    Row(Session.UNLOADING,             Trigger.EMPTY_BY_HAND,     Session.LOOKING,                "SB-4",   BY_HAND_LAST),  # it cannot empty itself
    Row(Session.UNLOADING,             Trigger.RELEASE_LID,       Session.LID_RELEASED,           "SB-4",   HELD_BACK),  # cards that it counts and does not feed
    # a shoe from which no card comes: somebody looks into it, and takes out what is left
    Row(Session.UNLOADING,             Trigger.CONFIRM_SHOE_EMPTY, Session.UNLOADING,             "SB-4",   SHOE, of_set.empty_shoe),
    Row(Session.LOOKING,               Trigger.CONFIRM_SHOE_EMPTY, Session.LOOKING,               "SB-4",   SHOE, of_set.empty_shoe),
    Row(Session.LOOKED,                Trigger.CONFIRM_SHOE_EMPTY, Session.LOOKED,                "SB-4",   SHOE, of_set.empty_shoe),
    # the supervisor is present throughout: unanswered, the cards stop
    Row(Session.UNLOADING,             Trigger.CONFIRM_PRESENCE,  Session.UNLOADING,              "PT-A6",  PRESENT, do.prove_presence),
    Row(Session.UNLOADING,             Trigger.PRESENCE_DUE,      Session.ASKING_UNLOAD_PRESENCE, "PT-A6"),
    Row(Session.ASKING_UNLOAD_PRESENCE, Trigger.CARD_DRAWN,       Session.ASKING_UNLOAD_PRESENCE, "PT-A6",  UNLOADED, do.book_unloaded),
    Row(Session.ASKING_UNLOAD_PRESENCE, Trigger.CONFIRM_PRESENCE, Session.UNLOADING,              "PT-A6",  PRESENT, do.prove_presence),
    # proven empty: a full count of nothing, and the supervisor looked
    Row(Session.COUNTING_EMPTY,        Trigger.CARD_DRAWN,        Session.COUNTING_EMPTY,         "PT-A6",  UNLOADED, do.book_unloaded),
    Row(Session.COUNTING_EMPTY,        Trigger.COUNTED,           Session.LOOKING,                "SB-4",   EMPTY, do.full_count),
    Row(Session.COUNTING_EMPTY,        Trigger.COUNTED,           Session.UNLOADING,              "SB-4",   (), do.full_count),
    Row(Session.COUNTING_EMPTY,        Trigger.COUNT_UNKNOWN,     Session.COUNTING_EMPTY,         "SB-7",   (only.machine_may_work,), do.order_count),
    Row(Session.COUNTING_EMPTY,        Trigger.COUNT_UNKNOWN,     Session.COUNTING_EMPTY,         "SB-7"),  # jammed, or opened: counted again when it is mended
    Row(Session.COUNTING_EMPTY,        Trigger.COUNT_MACHINE,     Session.COUNTING_EMPTY,         "SB-7",   COUNT, do.order_count),
    Row(Session.COUNTING_EMPTY,        Trigger.EMPTY_BY_HAND,     Session.LOOKING,                "SB-4",   BY_HAND),
    Row(Session.LOOKING,               Trigger.CONFIRM_EMPTY,     Session.SORTING,                "SB-4",   GONE_RIGHT, do.gather_by_hand),  # a dead machine tells nothing
    Row(Session.LOOKING,               Trigger.CONFIRM_EMPTY,     Session.EMPTIED,                "SB-4",   LOOKED_GONE, do.gather_by_hand),
    Row(Session.LOOKING,               Trigger.LID_OPENED,        Session.UNLOADING,              "SB-4",   (), do.raise_lid_opened),  # by force: who knows what was laid in
    Row(Session.LOOKING,               Trigger.COUNT_MACHINE,     Session.COUNTING_EMPTY,         "SB-4",   COUNT, do.order_count),
    Row(Session.LOOKING,               Trigger.RELEASE_LID,       Session.LID_RELEASED,           "SB-4",   RELEASED),
    Row(Session.LID_RELEASED,          Trigger.EMPTY_BY_HAND,     Session.LOOKING,                "SB-4",   GONE),  # it died under the hands
    Row(Session.LID_OPEN,              Trigger.EMPTY_BY_HAND,     Session.LOOKING,                "SB-4",   GONE),
    Row(Session.LOOKED,                Trigger.EMPTY_BY_HAND,     Session.LOOKING,                "SB-4",   GONE),
    Row(Session.LID_RELEASED,          Trigger.LID_OPENED,        Session.LID_OPEN,               "SB-4"),
    Row(Session.LID_OPEN,              Trigger.LID_CLOSED,        Session.LOOKED,                 "SB-4"),
    Row(Session.LOOKED,                Trigger.RELEASE_LID,       Session.LID_RELEASED,           "SB-4",   RELEASED),
    Row(Session.LOOKED,                Trigger.CONFIRM_EMPTY,     Session.SORTING,                "SB-4",   LOOKED_RIGHT, do.gather_by_hand),
    Row(Session.LOOKED,                Trigger.CONFIRM_EMPTY,     Session.EMPTIED,                "SB-4",   LOOKED, do.gather_by_hand),
    Row(Session.LOOKED,                Trigger.LID_OPENED,        Session.UNLOADING,              "SB-4",   (), do.raise_lid_opened),
    Row(Session.LOOKED,                Trigger.COUNT_MACHINE,     Session.COUNTING_EMPTY,         "SB-4",   COUNT, do.order_count),
    Row(Session.EMPTIED,               Trigger.SIGN_RESULT,       Session.NOT_OPENED,             "PT-A5",  SIGNED),
    Row(Session.EMPTIED,               Trigger.RELEASE_LID,       Session.LID_RELEASED,           "SB-4",   LEFT_INSIDE),  # a card got in after the look
    # sorted deck by deck, and each through the reader (or, without one, by eye)
    Row(Session.SORTING,               Trigger.YES,               Session.AWAITING_DECK,          "closing.sort_decks", SORTED),
    Row(Session.AWAITING_DECK,         Trigger.YES,               Session.READING_DECK,           "closing.sort_decks", DECK_LAID),
    Row(Session.READING_DECK,          Trigger.CARD_DRAWN,        Session.READING_DECK,           "closing.sort_decks", (only.drawn_to_verify,), do.book_verified),
    Row(Session.READING_DECK,          Trigger.SHOE_TRAY_EMPTIED, Session.AWAITING_DECK,          "closing.sort_decks", (reading.one_read_may_be_wrong,), reading.doubt_deck),
    Row(Session.READING_DECK,          Trigger.SHOE_TRAY_EMPTIED, Session.AWAITING_DECK,          "closing.sort_decks", (only.more_decks_to_read,), reading.judge_deck),
    Row(Session.READING_DECK,          Trigger.SHOE_TRAY_EMPTIED, Session.ALL_REGULAR,            "closing.sort_decks", (only.all_decks_regular,), reading.judge_deck),
    Row(Session.READING_DECK,          Trigger.SHOE_TRAY_EMPTIED, Session.DIFFERENCE,             "closing.sort_decks", (), reading.judge_set),
    Row(Session.AWAITING_DECK,         Trigger.CONFIRM_DECK,      Session.AWAITING_DECK,          "closing.sort_decks", (*BY_EYE, only.more_decks_to_count), do.confirm_deck_by_person),
    Row(Session.AWAITING_DECK,         Trigger.CONFIRM_DECK,      Session.ALL_REGULAR,            "closing.sort_decks", (*BY_EYE, only.all_confirmed_by_eye), do.confirm_deck_by_person),
    Row(Session.AWAITING_DECK,         Trigger.CONFIRM_DECK,      Session.DIFFERENCE,             "closing.sort_decks", BY_EYE, do.confirm_deck_by_person),
    Row(Session.AWAITING_DECK,         Trigger.NO_CARDS_LEFT,     Session.DIFFERENCE,             "closing.sort_decks", SUPERVISOR),
    Row(Session.READING_DECK,          Trigger.SORT_AGAIN,        Session.AWAITING_DECK,          "closing.sort_decks", SUPERVISOR, do.restart_verification),  # the shoe died over it, or was emptied by hand
    Row(Session.ALL_REGULAR,           Trigger.SIGN_RESULT,       Session.VERIFIED,               "closing.sort_decks", SIGNED),
    Row(Session.ALL_REGULAR,           Trigger.RELEASE_LID,       Session.LID_RELEASED,           "SB-4",   LEFT_INSIDE, do.restart_verification),
    Row(Session.DIFFERENCE,            Trigger.SORT_AGAIN,        Session.AWAITING_DECK,          "closing.sort_decks", SUPERVISOR, do.restart_verification),
    Row(Session.DIFFERENCE,            Trigger.RELEASE_LID,       Session.LID_RELEASED,           "SB-4",   RELEASED, do.restart_verification),  # look once more
    Row(Session.DIFFERENCE,            Trigger.SIGN_DIFFERENCE,   Session.CLOSED_WITH_DIFFERENCE, "closing.sort_decks", SIGNED_OFF),
)
# fmt: on
