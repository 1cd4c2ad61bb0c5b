"""The field's words as values: roles, places of cards, states of the procedures, steps and triggers."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """Who a person at the table is; the rule book says what each must do or be present for."""

    DEALER = "dealer"
    TABLE_INSPECTOR = "table_inspector"
    SUPERVISOR = "supervisor"
    ROOM_MANAGER = "room_manager"
    TECHNICIAN = "technician"


THE_ONLY = ""
"""The name of a table's set where there is one."""

FIRST, SECOND = "1", "2"
"""The names of a table's sets where there are two: as they are typed at the keypad."""


class Place(StrEnum):
    """Where the books hold a card of the set."""

    OUTSIDE = "outside"
    MACHINE = "machine"
    SHOE = "shoe"
    TABLE = "table"
    DISCARD = "discard"
    MISSING = "missing"
    UNLOADED = "unloaded"
    VERIFIED = "verified"
    SET_ASIDE = "set_aside"
    RESERVE = "reserve"
    OVER = "over"


class Procedure(StrEnum):
    """The machines of a table; incidents have one each, named ``incident/N``."""

    SESSION = "session"
    CLAIM = "claim"
    CARD_SET = "card_set"
    COURSE = "course"
    DEALER = "dealer"
    DEAL = "deal"
    INCIDENT = "incident"


class Session(StrEnum):
    """States of a session, from opening a table to its closing (partida)."""

    CLOSED = "closed"
    SHOWING = "showing"
    CHECKING_BACKS = "checking_backs"
    MIXING = "mixing"
    CUTTING = "cutting"
    FILLING_SHOE = "filling_shoe"
    AWAITING_PACK = "awaiting_pack"
    LOADING_PACK = "loading_pack"
    ASKING_PRESENCE = "asking_presence"
    COUNTING_LOAD = "counting_load"
    READY = "ready"
    IN_ROUND = "in_round"
    ASKING_ROUND = "asking_round"
    RETURNING = "returning"
    COUNTING_MACHINE = "counting_machine"
    SHUFFLING = "shuffling"
    EMPTYING_SHOE = "emptying_shoe"
    DECLARED_CLOSED = "declared_closed"
    WRONG_LOAD = "wrong_load"
    UNLOADING = "unloading"
    ASKING_UNLOAD_PRESENCE = "asking_unload_presence"
    COUNTING_EMPTY = "counting_empty"
    LOOKING = "looking"
    LID_RELEASED = "lid_released"
    LID_OPEN = "lid_open"
    LOOKED = "looked"
    SORTING = "sorting"
    AWAITING_DECK = "awaiting_deck"
    READING_DECK = "reading_deck"
    ALL_REGULAR = "all_regular"
    DIFFERENCE = "difference"
    EMPTIED = "emptied"
    VERIFIED = "verified"
    CLOSED_WITH_DIFFERENCE = "closed_with_difference"
    NOT_OPENED = "not_opened"


ENDS = frozenset({Session.CLOSED, Session.VERIFIED, Session.CLOSED_WITH_DIFFERENCE, Session.NOT_OPENED})
"""States in which no session is under way and a table may be opened."""


OPENS = frozenset({Session.SHOWING, Session.CHECKING_BACKS, Session.MIXING, Session.CUTTING, Session.FILLING_SHOE})
"""States in which the dealer has the cards in hand before they are loaded, or filled into a shoe by hand."""

BEING_LOADED = frozenset({Session.AWAITING_PACK, Session.LOADING_PACK, Session.ASKING_PRESENCE, Session.COUNTING_LOAD})
"""States in which the cards go into the machine."""

IN_PLAY = frozenset(
    {
        Session.READY,
        Session.IN_ROUND,
        Session.ASKING_ROUND,
        Session.RETURNING,
        Session.COUNTING_MACHINE,
        Session.SHUFFLING,
        Session.EMPTYING_SHOE,
    }
)
"""States in which rounds are played."""

ROUND_RUNS = frozenset({Session.IN_ROUND, Session.ASKING_ROUND})
"""States of a round from its first card to the dealer's ROUND OVER."""


EMPTIES_THE_MACHINE = frozenset(
    {
        Session.DECLARED_CLOSED,
        Session.WRONG_LOAD,
        Session.UNLOADING,
        Session.ASKING_UNLOAD_PRESENCE,
        Session.COUNTING_EMPTY,
        Session.LOOKING,
        Session.LID_RELEASED,
        Session.LID_OPEN,
        Session.LOOKED,
    }
)
"""States from the table's closing to the proof that its machine is empty."""


class Claim(StrEnum):
    """States of a claim."""

    NONE = "none"
    OPEN = "open"


class CardSet(StrEnum):
    """States of the set of cards bound to the table."""

    GOOD = "good"
    IMPERFECT = "imperfect"
    AUTHORISED = "authorised"
    BARRED = "barred"


class Course(StrEnum):
    """Where a set stands at a table with a batch shuffler, and whether it may be dealt (SB-5)."""

    OUT = "out"
    IN_TRAY = "in_tray"
    IN_CYCLE = "in_cycle"
    SHUFFLED = "shuffled"
    UNSHUFFLED = "unshuffled"
    COMING_OUT = "coming_out"
    IN_SHOE = "in_shoe"


class Dealing(StrEnum):
    """How far the deal of a round is followed, place by place; between rounds, whether the dealer marks the places."""

    NOT_FOLLOWED = "not_followed"
    MARKING = "marking"
    FIRST_CARDS = "first_cards"
    TURNS = "turns"


class DealerSeat(StrEnum):
    """The dealer's place at the table, in which one relieves the other; who sits there is the state's ``dealer``."""

    SEAT = "seat"


class Incident(StrEnum):
    """States of an incident. All begin raised and end confirmed; which lie between is its kind's table's to say."""

    RAISED = "raised"
    CLEARED = "cleared"
    CONFIRMED = "confirmed"
    # the machine is opened, counted, shuffled
    LID_RELEASED = "lid_released"
    LID_OPEN = "lid_open"
    STILL_BLOCKED = "still_blocked"
    ASKING_DAMAGE = "asking_damage"
    COUNTING = "counting"
    COUNT_DIFFERS = "count_differs"
    SHUFFLING = "shuffling"
    WITH_TECHNICIAN = "with_technician"
    OUT_OF_SERVICE = "out_of_service"
    # a card is replaced
    AWAITING_REPLACEMENT = "awaiting_replacement"
    READING_REPLACEMENT = "reading_replacement"
    WRONG_REPLACEMENT = "wrong_replacement"
    ASKING_BACK = "asking_back"
    AWAITING_SEAL = "awaiting_seal"
    AWAITING_ENVELOPE = "awaiting_envelope"
    # a card is read again, or is none of the set
    READING_AGAIN = "reading_again"
    SEALED = "sealed"
    # a slip in the deal is remedied
    AWAITING_REMEDY = "awaiting_remedy"
    # a device is approved
    AWAITING_APPROVAL = "awaiting_approval"


class Trigger(StrEnum):
    """What can move a procedure. The first group comes from people, the second from devices, the third from time."""

    # keypad steps
    OPEN_TABLE = "open_table"
    SIGN_IN = "sign_in"
    START_PACK = "start_pack"
    END_PACK = "end_pack"
    TAKE_OVER = "take_over"
    ACKNOWLEDGE = "acknowledge"
    CONFIRM_PRESENCE = "confirm_presence"
    DECLARE_LOADED = "declare_loaded"
    CLOSE_CLAIM = "close_claim"
    CONFIRM_INCIDENT = "confirm_incident"
    COUNT_MACHINE = "count_machine"
    DECLARE_SPILL = "declare_spill"
    DECLARE_FOREIGN = "declare_foreign"
    DECIDE_ROUND = "decide_round"
    NAME_SLIP = "name_slip"
    TAKE_REMEDY = "take_remedy"
    SIGN_DEVIATION = "sign_deviation"
    ANSWER_NO = "answer_no"
    ANSWER_YES = "answer_yes"
    CALL_TECHNICIAN = "call_technician"
    REPAIRED = "repaired"
    TAKE_OUT_OF_SERVICE = "take_out_of_service"
    NAME_CARD = "name_card"
    CONFIRM_REPLACEMENT = "confirm_replacement"
    DECLARE_CLOSED = "declare_closed"
    BEGIN_UNLOADING = "begin_unloading"
    RELEASE_LID = "release_lid"
    EMPTY_BY_HAND = "empty_by_hand"
    CONFIRM_SHOE_EMPTY = "confirm_shoe_empty"
    CONFIRM_EMPTY = "confirm_empty"
    CONFIRM_DECK = "confirm_deck"
    SORT_AGAIN = "sort_again"
    NO_CARDS_LEFT = "no_cards_left"
    SIGN_RESULT = "sign_result"
    SIGN_DIFFERENCE = "sign_difference"
    CUT = "cut"
    ONE_PLAYER = "one_player"
    STOP_PLAY = "stop_play"
    MARK_IMPERFECT = "mark_imperfect"
    DECK_REPLACED = "deck_replaced"
    AUTHORISE_DECK = "authorise_deck"
    SET_REPLACED = "set_replaced"
    SHUFFLE_MACHINE = "shuffle_machine"
    SHUFFLE_SET = "shuffle_set"
    TAKE_SET_OUT = "take_set_out"
    NOTICE_SENT = "notice_sent"
    CORRECTIVE_ACTION = "corrective_action"
    RETURN_TO_SERVICE = "return_to_service"
    RENEW_PIN = "renew_pin"
    CHECK_DEVICE = "check_device"
    APPROVE_DEVICE = "approve_device"
    # the dealer's keys
    YES = "yes"
    ROUND_OVER = "round_over"
    CLAIM = "claim"
    DAMAGED_CARD = "damaged_card"
    CALL_SUPERVISOR = "call_supervisor"
    # what YES and ROUND OVER mean while the deal is followed
    MARK_PLACES = "mark_places"
    PLACE_IN = "place_in"
    PLACE_OUT = "place_out"
    DEAL_LIES = "deal_lies"
    PLACE_DONE = "place_done"
    # devices
    CARD_IN = "card_in"
    CARD_FED = "card_fed"
    CARD_DRAWN = "card_drawn"
    SPECIAL_CARD = "special_card"
    TRAY_FILLED = "tray_filled"
    TRAY_EMPTIED = "tray_emptied"
    SHOE_TRAY_EMPTIED = "shoe_tray_emptied"
    INTAKE_READY = "intake_ready"
    INTAKE_NOT_READY = "intake_not_ready"
    LID_OPENED = "lid_opened"
    LID_CLOSED = "lid_closed"
    FEED_EMPTY = "feed_empty"
    COUNTED = "counted"
    COUNT_UNKNOWN = "count_unknown"
    SHUFFLED = "shuffled"
    JAMMED = "jammed"
    JAM_CLEARED = "jam_cleared"
    CYCLE_BEGAN = "cycle_began"
    NOT_SHUFFLED = "not_shuffled"
    PACK_OUT = "pack_out"
    OUTPUT_TAKEN = "output_taken"
    # time, and what follows from the state
    PRESENCE_DUE = "presence_due"
    NOT_ASKED = "not_asked"
    ALL_OUT = "all_out"
    DEVICE_LOST = "device_lost"
    CONDITION_GONE = "condition_gone"
    CONDITION_BACK = "condition_back"


class IncidentKind(StrEnum):
    """What an incident is about."""

    JAM = "jam"
    LINK_LOST = "link_lost"
    KEYPAD_LOST = "keypad_lost"
    SCREEN_LOST = "screen_lost"
    POWER_LOST = "power_lost"
    CARD_LOST = "card_lost"
    SPILL = "spill"
    RELEASE_LAPSED = "release_lapsed"
    EVENTS_LOST = "events_lost"
    MEMORY_LOST = "memory_lost"
    JOURNAL_BEHIND = "journal_behind"
    IDENTITY_CHANGED = "identity_changed"
    UNEXPECTED_CARD = "unexpected_card"
    COUNT_MISMATCH = "count_mismatch"
    FOREIGN_CARD = "foreign_card"
    MISREAD = "misread"
    ROUND_CUT = "round_cut"
    DUPLICATE = "duplicate"
    UNREADABLE = "unreadable"
    SEQUENCE = "sequence"
    SEQUENCE_WARNING = "sequence_warning"
    SPECIAL_CARD = "special_card"
    LID_OPENED = "lid_opened"
    SLOW_JOURNAL = "slow_journal"
    JOURNAL_FAILED = "journal_failed"
    HOST_BREAK = "host_break"
    DISK_LOW = "disk_low"
    DAMAGED_CARD = "damaged_card"
    SUPERVISOR_CALLED = "supervisor_called"
    WRONG_DEAL = "wrong_deal"


COMES_BACK = frozenset({Trigger.CONDITION_BACK, Trigger.JAMMED})
"""Triggers by which an alarm is raised anew: whoever saw it, or was called about it, has not seen this."""

CLEAR_FIRST = "press Clear, then begin with your number"
"""The one order at a keypad that takes nothing else: no prompt stands beside it."""


ABOUT_THE_MACHINE = frozenset({IncidentKind.JAM, IncidentKind.LID_OPENED, IncidentKind.POWER_LOST})
"""Incidents that touch what lies in the machine alone; during them it moves no card."""
