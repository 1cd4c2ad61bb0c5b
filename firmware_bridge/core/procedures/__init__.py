"""The procedures of a table, each a file with its states, triggers and rows; together they are the tables below."""

from __future__ import annotations

from itertools import chain

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import (
    card_set,
    claim,
    closing,
    course,
    deal,
    hand_fed,
    loading,
    metal_box,
    opening,
    rounds,
)
from firmware_bridge.core.procedures.incidents import KINDS
from firmware_bridge.core.words import (
    CardSet,
    Claim,
    Course,
    DealerSeat,
    Dealing,
    IncidentKind,
    Procedure,
    Session,
    Trigger,
)

SESSION_PARTS: dict[str, tuple[Row, ...]] = {
    "opening": opening.ROWS,
    "loading": loading.ROWS,
    "a metal box": metal_box.ROWS,
    "a shoe filled by hand": hand_fed.ROWS,
    "rounds": rounds.ROWS,
    "closing": closing.ROWS,
}
"""The session's table in parts, each of which can be read; of rows that may both fire, the earlier one does."""

TABLES: dict[Procedure, tuple[Row, ...]] = {
    Procedure.SESSION: tuple(chain.from_iterable(SESSION_PARTS.values())),
    Procedure.CLAIM: claim.ROWS,
    Procedure.CARD_SET: card_set.ROWS,
    Procedure.COURSE: course.ROWS,
    Procedure.DEALER: opening.DEALER_ROWS,
    Procedure.DEAL: deal.ROWS,
}

INCIDENT_TABLES: dict[IncidentKind, tuple[Row, ...]] = {kind: one.rows for kind, one in KINDS.items()}

INITIAL: dict[Procedure, str] = {
    Procedure.SESSION: Session.CLOSED,
    Procedure.CLAIM: Claim.NONE,
    Procedure.CARD_SET: CardSet.GOOD,
    Procedure.COURSE: Course.OUT,
    Procedure.DEALER: DealerSeat.SEAT,
    Procedure.DEAL: Dealing.NOT_FOLLOWED,
}

OUT_OF_PLACE: dict[Trigger, tuple[str, str]] = {
    # a person's step that has no row where the procedure stands: the clause, or the value by its key, that refuses it,
    # and why
    Trigger.OPEN_TABLE: ("SB-4", "a session is under way: it is closed and verified before another opens"),
    Trigger.START_PACK: (
        "loading.loadings_per_session",
        "the cards are loaded once only in each session, after they were shown and mixed",
    ),
    Trigger.END_PACK: ("loading.min_packs", "no pack is being loaded"),
    Trigger.CONFIRM_PRESENCE: ("PT-A5", "nothing asks for presence now: only loading and unloading do"),
    Trigger.DECLARE_LOADED: ("loading.min_packs", "no loading is under way, or a pack of it is not ended yet"),
    Trigger.CLOSE_CLAIM: ("PT-A12", "no claim is open"),
    Trigger.CONFIRM_INCIDENT: ("SB-2", "no incident waits to be confirmed: its steps, or its condition, come first"),
    Trigger.ACKNOWLEDGE: ("SB-2", "no alarm is presented, or it is acknowledged already"),
    Trigger.ANSWER_NO: ("PT-A1", "nothing asks whether a card is damaged"),
    Trigger.ANSWER_YES: ("PT-A1", "nothing asks whether a card is damaged"),
    Trigger.CALL_TECHNICIAN: ("jam.technician_may_be_called", "there is no jam that the supervisor could not clear"),
    Trigger.REPAIRED: ("jam.technician_may_be_called", "no technician was called"),
    Trigger.TAKE_OUT_OF_SERVICE: ("jam.technician_may_be_called", "no technician was called"),
    Trigger.NAME_CARD: ("PT-A1", "no damaged card waits to be named"),
    Trigger.CONFIRM_REPLACEMENT: ("PT-A1", "no replacement was read and confirmed by the dealer"),
    Trigger.EMPTY_BY_HAND: ("SB-4", "only a machine out of service is emptied by hand, after the table is closed"),
    Trigger.NOTICE_SENT: ("notices.damaged_card", "there is no such incident, or it is reported already"),
    Trigger.CORRECTIVE_ACTION: ("SB-2", "there is no such incident"),
    Trigger.RETURN_TO_SERVICE: ("SB-4", "the machine connected here is not out of service"),
    Trigger.RENEW_PIN: ("SB-3", "a PIN is renewed at the keypad, by the room manager and the person together"),
    Trigger.CHECK_DEVICE: ("SB-10", "no device waits to be checked: each is the approved one"),
    Trigger.APPROVE_DEVICE: ("SB-10", "no device waits to be approved: the technician checks it first"),
    Trigger.TAKE_OVER: ("SB-3", "no session is under way"),
    Trigger.DECLARE_SPILL: ("SB-7", "cards spill while a session is under way"),
    Trigger.DECIDE_ROUND: ("SB-2", "no round was cut short: its machine works, or it is decided already"),
    Trigger.NAME_SLIP: ("wrong_deal.remedy", "no round is under way, or the slip in its deal is named and remedied"),
    Trigger.TAKE_REMEDY: ("wrong_deal.remedy", "no slip in a deal waits for its remedy: name it first"),
    Trigger.SIGN_DEVIATION: ("wrong_deal.remedy", "no slip in a deal waits for its remedy: name it first"),
    Trigger.DECLARE_FOREIGN: ("SB-1", "no session is under way: a card that is none of the set is laid aside"),
    Trigger.COUNT_MACHINE: ("SB-7", "all cards are counted between rounds, after an incident, or while unloading"),
    Trigger.DECLARE_CLOSED: ("PT-A8", "the table closes between rounds, not within one or twice"),
    Trigger.BEGIN_UNLOADING: ("PT-A8", "the cards are taken out only after the table is declared closed"),
    Trigger.RELEASE_LID: ("SB-4", "the lid is released when the machine was counted empty"),
    Trigger.CONFIRM_SHOE_EMPTY: ("SB-4", "the shoe is looked into while the cards are taken out"),
    Trigger.CONFIRM_EMPTY: ("SB-4", "that nothing is left inside is confirmed at the closing, after a look"),
    Trigger.CONFIRM_DECK: ("closing.sort_decks", "no sorted deck is awaited"),
    Trigger.SORT_AGAIN: ("closing.sort_decks", "there is no difference to sort again"),
    Trigger.NO_CARDS_LEFT: ("closing.sort_decks", "no sorted deck is awaited, and no deck counted by hand"),
    Trigger.SIGN_RESULT: ("closing.sort_decks", "there is no result to sign: every deck is verified first"),
    Trigger.SIGN_DIFFERENCE: ("house.difference_signed_by", "there is no difference to sign"),
    Trigger.SHUFFLE_MACHINE: ("SB-9", "all cards are shuffled between rounds, after one that is void"),
    Trigger.SHUFFLE_SET: ("SB-5", "a set is shuffled that is in nobody's hands and in no shoe; this one is"),
    Trigger.TAKE_SET_OUT: ("SB-5", "the set is in people's hands already"),
    Trigger.ONE_PLAYER: (
        "PT-S4",
        "no warning card is placed now: it is when the cards are cut, before they go into the shoe",
    ),
    Trigger.STOP_PLAY: ("PT-S8", "play stops between rounds, at a table whose shoe is filled by hand"),
    Trigger.CUT: ("PT-A3", "the cards are not cut now; with an automatic shuffler only where the rule book has it"),
    Trigger.MARK_IMPERFECT: ("SB-2", "this set is barred"),
    Trigger.DECK_REPLACED: ("PT-E4", "no deck is marked imperfect"),
    Trigger.AUTHORISE_DECK: ("PT-E4", "no deck is marked imperfect, or it is authorised already"),
    Trigger.SET_REPLACED: ("SB-2", "this set is not barred"),
    Trigger.YES: ("SB-1", "nothing is asked of the dealer now"),
    Trigger.ROUND_OVER: ("PT-A10", "no round is under way"),
    Trigger.MARK_PLACES: ("house.unmarked_places", "the places are marked between rounds"),
    Trigger.PLACE_IN: ("house.unmarked_places", "no place is asked about"),
    Trigger.PLACE_OUT: ("house.unmarked_places", "no place is asked about"),
    Trigger.DEAL_LIES: ("deal.procedure", "no first cards are dealt"),
    Trigger.PLACE_DONE: ("deal.procedure", "no place has the turn"),
}

NO_BEARING = frozenset(
    {
        # device triggers that move nothing where a table has no row for them; their sights and entries stand anyway
        Trigger.CARD_FED,
        Trigger.TRAY_FILLED,
        Trigger.TRAY_EMPTIED,
        Trigger.SHOE_TRAY_EMPTIED,
        Trigger.INTAKE_READY,
        Trigger.INTAKE_NOT_READY,
        Trigger.LID_CLOSED,
        Trigger.FEED_EMPTY,
        Trigger.COUNTED,
        Trigger.COUNT_UNKNOWN,
        Trigger.SHUFFLED,
        Trigger.JAM_CLEARED,
        Trigger.NOT_SHUFFLED,
        Trigger.OUTPUT_TAKEN,
        Trigger.ALL_OUT,
        Trigger.DEVICE_LOST,
        Trigger.PRESENCE_DUE,
        Trigger.NOT_ASKED,
        Trigger.CONDITION_GONE,
        Trigger.CONDITION_BACK,
    }
)

RAISE_AN_INCIDENT = frozenset(
    {
        Trigger.CARD_IN,
        Trigger.CARD_DRAWN,
        Trigger.SPECIAL_CARD,
        Trigger.LID_OPENED,
        Trigger.JAMMED,
        Trigger.CYCLE_BEGAN,
        Trigger.PACK_OUT,
    }
)
"""Device triggers that, where no row takes them, open an incident: a card or a lid moved, or stuck, that should not have."""
