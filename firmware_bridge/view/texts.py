"""The English words of a table, as data: the one place that another language would replace.

Written to be read across a table at three in the morning: short, imperative, in the field's words. Braces are filled
by the module that uses the text. Clauses stand where the words alone would not carry them.
"""

from __future__ import annotations

from enum import StrEnum

from firmware_bridge.core.words import CardSet, Place, Role, Session, Trigger
from firmware_bridge.view.deal_texts import ASKS_OF_THE_DEAL, OF_THE_DEAL
from firmware_bridge.view.set_texts import ASKS_OF_SETS, OF_SETS
from firmware_bridge.view.shoe_texts import OF_SHOES


class Hand(StrEnum):
    """What is done by hand, beside the keypad's steps and the dealer's keys; ``wait`` is for a device alone."""

    CONNECT = "connect"
    PUT_CARDS_IN = "put_cards_in"
    TAKE_CARDS_OUT = "take_cards_out"
    EMPTY_SHOE_TRAY = "empty_shoe_tray"
    DEAL = "deal"
    BURN = "burn"
    DISCARD = "discard"
    MIND = "mind"
    DRAW_CARDS = "draw_cards"
    OPEN_LID = "open_lid"
    CLOSE_LID = "close_lid"
    SORT_DECKS = "sort_decks"
    LAY_DECK = "lay_deck"
    CLEAR_JAM = "clear_jam"
    TAKE_ALL_OUT = "take_all_out"
    LAY_REPLACEMENT = "lay_replacement"
    FIND_CARD = "find_card"
    LOOK_FOR = "look_for"
    GATHER_CARDS = "gather_cards"
    PUT_ALL_IN = "put_all_in"
    READ_AGAIN = "read_again"
    READ_ALL_AGAIN = "read_all_again"
    RESTORE_SCREEN = "restore_screen"
    CONNECT_APPROVED = "connect_approved"
    WAIT = "wait"


DEAL = "DEAL"
DO_NOT_DEAL = "DO NOT DEAL"

ROLES: dict[Role, str] = {
    Role.DEALER: "dealer",
    Role.TABLE_INSPECTOR: "table inspector",
    Role.SUPERVISOR: "supervisor",
    Role.ROOM_MANAGER: "room manager",
    Role.TECHNICIAN: "technician",
}

PLACES: dict[Place, str] = {
    Place.OUTSIDE: "not loaded yet",
    Place.MACHINE: "machine",
    Place.SHOE: "shoe",
    Place.TABLE: "table",
    Place.DISCARD: "discard",
    Place.MISSING: "missing",
    Place.UNLOADED: "taken out",
    Place.VERIFIED: "verified",
    Place.SET_ASIDE: "set aside, sealed",
    Place.RESERVE: "replaced",
    Place.OVER: "over the set",
}

SESSIONS: dict[Session, str] = {
    Session.CLOSED: "the table is closed",
    Session.SHOWING: "the cards are shown",
    Session.CHECKING_BACKS: "the backs are checked",
    Session.MIXING: "the cards are mixed by hand",
    Session.CUTTING: "the cards are cut",
    Session.FILLING_SHOE: "the cards are laid in, to be dealt",
    Session.AWAITING_PACK: "loading: between packs",
    Session.LOADING_PACK: "loading: a pack goes in",
    Session.ASKING_PRESENCE: "loading: stopped until the one who must be present answers",
    Session.COUNTING_LOAD: "loading: the machine counts the load",
    Session.READY: "between rounds",
    Session.IN_ROUND: "a round is under way",
    Session.ASKING_ROUND: "a long round: the dealer is asked whether it goes on",
    Session.RETURNING: "the round's cards go back",
    Session.COUNTING_MACHINE: "the machine counts its cards",
    Session.SHUFFLING: "the machine shuffles all its cards",
    Session.EMPTYING_SHOE: "all cards are taken out, and counted",
    Session.DECLARED_CLOSED: "declared closed",
    Session.WRONG_LOAD: "wrong load: the table does not open on it",
    Session.UNLOADING: "the cards are taken out",
    Session.ASKING_UNLOAD_PRESENCE: "taking out: stopped until the one who must be present answers",
    Session.COUNTING_EMPTY: "the machine counts itself empty",
    Session.LOOKING: "counted empty, not looked into yet",
    Session.LID_RELEASED: "the lid is released for a look",
    Session.LID_OPEN: "the lid is open for a look",
    Session.LOOKED: "looked into, not confirmed empty yet",
    Session.SORTING: "the cards are sorted deck by deck",
    Session.AWAITING_DECK: "the next sorted deck is awaited",
    Session.READING_DECK: "a deck goes through the reader",
    Session.ALL_REGULAR: "all decks are regular, not signed yet",
    Session.DIFFERENCE: "there is a difference, not signed yet",
    Session.EMPTIED: "emptied without having opened, not signed yet",
    Session.VERIFIED: "closed: all decks verified",
    Session.CLOSED_WITH_DIFFERENCE: "closed with a difference",
    Session.NOT_OPENED: "closed: it was not opened",
}

HOUSE_BEHIND: dict[Session, str] = {
    Session.ASKING_PRESENCE: "house.presence_interval_s",
    Session.ASKING_ROUND: "house.round_card_limit",
    Session.ASKING_UNLOAD_PRESENCE: "house.presence_interval_s",
}
"""States into which a value of the house brought the table, not the law."""

REASONS: dict[str, str] = {
    "session": "{session}",
    "device": "{device}: {why}",
    "claim": "a claim is open",
    "dealer": "no dealer is signed in",
    "incident": "incident {number}: {incident}",
    "counts": "the counts are not trusted until all cards were counted",
    "books": "{over} over the set",
    "empty": "the shoe is empty",
    "last_round": "the last round of this shoe was played: have the set taken out, and shuffled anew",
    "set": "the set is {set}",
    "deal": "the first cards have come: the dealer says whether they lie as they are due",
    "discard": "set {set} lies in the discard: lay it into the machine, or put it away",
    "void": "round {round} is void: its cards are gathered, then all cards are shuffled",
}
"""Why cards may not be dealt, by what a reason is about."""

TRIGGERS: dict[Trigger, str] = {
    **OF_SETS,
    **OF_SHOES,
    **OF_THE_DEAL,
    Trigger.OPEN_TABLE: "open the table",
    Trigger.SIGN_IN: "sign in",
    Trigger.START_PACK: "start the next pack",
    Trigger.END_PACK: "end the pack",
    Trigger.TAKE_OVER: "take the table over",
    Trigger.ACKNOWLEDGE: "acknowledge the alarm",
    Trigger.CONFIRM_PRESENCE: "say that you are present",
    Trigger.DECLARE_LOADED: "declare the loading complete",
    Trigger.CLOSE_CLAIM: "close the claim",
    Trigger.CONFIRM_INCIDENT: "confirm the incident",
    Trigger.COUNT_MACHINE: "have all cards counted",
    Trigger.DECLARE_SPILL: "declare that cards were spilled",
    Trigger.DECLARE_FOREIGN: "declare that a card is none of this set",
    Trigger.DECIDE_ROUND: "say what becomes of the round",
    Trigger.ANSWER_NO: "say that no card is damaged",
    Trigger.ANSWER_YES: "name a damaged card",
    Trigger.CALL_TECHNICIAN: "call the technician",
    Trigger.REPAIRED: "say that the machine is repaired",
    Trigger.TAKE_OUT_OF_SERVICE: "take the machine out of service",
    Trigger.NAME_CARD: "name the damaged card",
    Trigger.CONFIRM_REPLACEMENT: "seal the damaged card",
    Trigger.DECLARE_CLOSED: "declare the table closed",
    Trigger.BEGIN_UNLOADING: "begin to take the cards out",
    Trigger.RELEASE_LID: "release the lid",
    Trigger.EMPTY_BY_HAND: "empty the machine by hand",
    Trigger.CONFIRM_SHOE_EMPTY: "confirm the shoe empty",
    Trigger.CONFIRM_EMPTY: "confirm that nothing is left inside",
    Trigger.CONFIRM_DECK: "confirm the deck by eye",
    Trigger.SORT_AGAIN: "have the decks sorted again",
    Trigger.NO_CARDS_LEFT: "say that no cards are left",
    Trigger.SIGN_RESULT: "sign the result",
    Trigger.SIGN_DIFFERENCE: "sign the difference",
    Trigger.CUT: "say that the cards were cut",
    Trigger.SHUFFLE_MACHINE: "have all cards shuffled",
    Trigger.MARK_IMPERFECT: "mark a deck imperfect",
    Trigger.DECK_REPLACED: "say that a deck was replaced: type its number",
    Trigger.AUTHORISE_DECK: "name the authorisation",
    Trigger.SET_REPLACED: "say that the set was replaced",
    Trigger.NOTICE_SENT: "say that an incident was reported",
    Trigger.CORRECTIVE_ACTION: "enter a corrective action",
    Trigger.RETURN_TO_SERVICE: "return the machine to service",
    Trigger.RENEW_PIN: "renew a PIN",
    Trigger.CHECK_DEVICE: "say that the device was checked",
    Trigger.APPROVE_DEVICE: "approve the device",
    Trigger.YES: "YES",
    Trigger.ROUND_OVER: "ROUND OVER",
    Trigger.CLAIM: "CLAIM",
    Trigger.DAMAGED_CARD: "DAMAGED CARD",
    Trigger.CALL_SUPERVISOR: "CALL SUPERVISOR",
    Trigger.CARD_DRAWN: "a card was drawn",
    Trigger.SHOE_TRAY_EMPTIED: "the shoe's tray is empty",
    Trigger.LID_OPENED: "the lid was opened",
    Trigger.LID_CLOSED: "the lid was closed",
    Trigger.COUNTED: "all cards were counted",
    Trigger.COUNT_UNKNOWN: "the count did not come: it is asked for again",
    Trigger.SHUFFLED: "all cards were shuffled",
    Trigger.JAMMED: "a card sticks",
    Trigger.JAM_CLEARED: "the path is clear",
    Trigger.DEVICE_LOST: "the device was disconnected",
    Trigger.CONDITION_GONE: "the condition is gone",
    Trigger.CONDITION_BACK: "the condition is back",
}
"""Each step and key, and what moves an incident, in a few words: where it is asked, told or refused."""

CONFIRM_EMPTY_DOUBTED = (
    "LOOK AGAIN: by the books {inside} should still be inside; confirm it empty only if you saw it so"
)
"""The last step of the look where the machine counted itself empty and the books do not agree (BR-001)."""

ASKS: dict[Trigger, str] = {
    **ASKS_OF_SETS,
    Trigger.OPEN_TABLE: "open the table{ages}",
    **ASKS_OF_THE_DEAL,
    Trigger.END_PACK: "end the pack when the intake tray is empty",
    Trigger.CUT: "say that the cards were cut [{cut}]",
    Trigger.CLOSE_CLAIM: "close the claim: 1 upheld, 2 rejected, 3 withdrawn",
    Trigger.BEGIN_UNLOADING: "begin to take the cards out, and stay by the table [{unloading}]",
    Trigger.RELEASE_LID: "release the lid, to look into the machine",
    Trigger.EMPTY_BY_HAND: "begin to empty the machine by hand: it cannot empty itself",
    Trigger.CONFIRM_SHOE_EMPTY: "if no card comes from the shoe: look into it, take out what is left there, and "
    "confirm it empty (by the books {in_shoe} in it)",
    Trigger.CONFIRM_EMPTY: "confirm that you looked and the machine is empty",
    Trigger.CONFIRM_DECK: "confirm deck {deck} by eye, for no reader sees it: type how many cards you counted",
    Trigger.SORT_AGAIN: "have the decks sorted and read again",
    Trigger.NO_CARDS_LEFT: "say that no cards are left to read",
    Trigger.SIGN_DIFFERENCE: "sign the difference; the set is barred then",
    Trigger.MARK_IMPERFECT: "mark a deck imperfect: type its number",
    Trigger.DECK_REPLACED: "say that all cards of a deck were replaced: type its number; marked is deck {imperfect}",
    Trigger.AUTHORISE_DECK: "type the reference of the authorisation for deck {imperfect}",
    Trigger.SET_REPLACED: "say that the whole set was replaced",
    Trigger.NOTICE_SENT: "when the notice to the inspectorate is sent: type the incident's number, {about}",
    Trigger.RETURN_TO_SERVICE: "when the machine is repaired and tested: return it to service",
    Trigger.ROUND_OVER: "press ROUND OVER when the round is over",
    Trigger.SHUFFLE_MACHINE: "have the machine shuffle all its cards, for the last round was void [{void}]",
}
"""What is asked of a person where a trigger's own words say too little."""

AGE_OF_ALL = " (each deck has served {sessions})"
AGES = " (sessions that its decks have served: {ages})"
"""How old the decks are on which a table opens (PT-E4)."""

VOID_ROUND_OVER = "the round is void [{void}]: gather its cards, {bets}, and press ROUND OVER"

BETS: dict[str, str] = {"returned": "give the bets back", "stand": "leave the bets where they are"}
"""What becomes of the bets of a void round, by the book's value."""

YES: dict[Session, str] = {
    Session.SHOWING: "press YES when the cards lie face up and were shown",
    Session.CHECKING_BACKS: "press YES when the backs were checked: {backs}",
    Session.MIXING: "press YES when the cards were mixed and shuffled by hand",
    Session.CUTTING: "press YES when the cards are cut",
    Session.FILLING_SHOE: "press YES when all cards lie in the shoe",
    Session.EMPTYING_SHOE: "press YES when the shoe is empty and all cards lie in the discard",
    Session.ASKING_ROUND: "press YES if the round still goes on ({table} cards; {limit})",
    Session.RETURNING: "press YES to leave {cards} in the discard: the machine takes none now [{leave}]",
    Session.READY: "press YES to have all cards shuffled first [{wish}]",
    Session.SORTING: "press YES when the cards are sorted deck by deck",
    Session.AWAITING_DECK: "press YES when deck {deck} lies in the shoe's tray",
}
"""What YES answers, where the session asks for it."""

LAY_AGAIN = "{doubted}: lay the same deck into the shoe's tray again, each card face down"
"""A deck of which one read may be wrong (BR-016)."""

YES_THEY_STAY = "press YES to leave {cards} in the discard [{stays}]"
"""What YES answers after a round where the book does not have its cards go back."""

HANDS: dict[Hand, str] = {
    Hand.CONNECT: "connect {device}: {why}",
    Hand.TAKE_CARDS_OUT: "take the cards out of the intake tray: the machine takes no more of them now",
    Hand.EMPTY_SHOE_TRAY: "take the cards out of the shoe's tray",
    Hand.DEAL: "deal",
    Hand.BURN: "draw a card and burn it: to the discard, face down [{burn}]",
    Hand.DISCARD: "cards out of play go to the discard at once [{used}]",
    Hand.DRAW_CARDS: "draw all cards from the shoe: {cards} inside",
    Hand.OPEN_LID: "open the lid and look into the machine",
    Hand.CLOSE_LID: "take out what you find and close the lid",
    Hand.SORT_DECKS: "sort the cards into {sorted}, by their backs",
    Hand.LAY_DECK: "lay deck {deck} into the shoe's tray: look at its backs, all {back}",
}

CLEAR_BETWEEN_SESSIONS = "clear what keeps the machine from working, or have it exchanged; close the lid"
"""Of a machine in which a card sticks, or a part does not move, while no session is under way."""

SINCE_COUNT = "{passed} of {limit} rounds since the last full count"

DRAW_THE_REST = "draw what still comes from the shoe; when none comes, the supervisor has the machine counted"

STEP = "step {number} - {deed}"

PUT_CARDS_IN: dict[Session, str] = {
    Session.LOADING_PACK: "lay the pack into the intake tray: at most {cards} more",
    Session.RETURNING: "put {cards} into the machine: all from table and discard [{returned}]",
}

WAITS: dict[Session, str] = {
    Session.COUNTING_LOAD: "wait: the machine counts the load",
    Session.COUNTING_MACHINE: "wait: the machine counts its cards",
    Session.SHUFFLING: "wait: the machine shuffles all its cards",
    Session.COUNTING_EMPTY: "wait: the machine counts itself empty",
    Session.READING_DECK: "wait: the shoe reads the deck",
}
"""States in which only a device can go on."""

KEYPAD: dict[str, str] = {
    "number": "your number, then Enter",
    "pin": "your PIN, then Enter",
    "wait": "one moment",
    "step": "the step's number, then Enter",
    "value": "the number that the step asks for, then Enter",
    "new_pin": "the person's new PIN, typed by that person, then Enter",
    "again": "the new PIN again, then Enter",
}

SETS: dict[CardSet, str] = {
    CardSet.GOOD: "",
    CardSet.IMPERFECT: "deck {imperfect} is imperfect: the supervisor has all its cards replaced before the next "
    "session, or the room manager names the authorisation",
    CardSet.AUTHORISED: "deck {imperfect} is imperfect, authorised by reference {reference}: the supervisor has it "
    "replaced in time",
    CardSet.BARRED: "the set is barred: the room manager has the whole set replaced",
}
"""What is owed for the set of cards."""

DUTIES: dict[str, str] = {
    "claim": "claim open{since}: the supervisor closes it",
    "discard": "{cards} in the discard owed to the machine{since}: the dealer puts them in with the next round's",
    "result": "result to sign{since}: the supervisor",
    "difference": "difference to sign{since}: the {signs}",
    "notice": "notice to the inspectorate about incident {number} owed{since}: the room manager sends it, then step 54",
    "raised": "incident {number}{since}: {incident}; {remedy}",
    "postponed": "records may be missing, an alarm opens with the next session: {detail}",
    "cleared": "incident {number}{since}: {incident}; the supervisor confirms it",
    "burned": "{cards} in the discard, burned{since}: the dealer puts them in with the next round's",
    "retired": "{machine} is out of service{since}: the technician returns it (step 57), or another is connected",
    "permission": "permission {reference} holds from {day}: the table does not open before",
    "unapproved": "the {device} is another than the approved one ({how}): an alarm opens with the next session",
    "late": " - waiting over {seconds} s, tell the room manager ({house})",
}

DOUBTS: dict[str, str] = {
    "silent": "controller not heard for {seconds} s",
    "no_status": "controller not heard: its status cannot be read",
    "behind": "this screen is behind: it shows record {shown}, the controller is at {told}",
    "journal": "the journal cannot be read: {why}",
    "not_recorded": "nothing can be recorded, everything is held: {why}",
}
"""Why a reader does not trust what it shows."""
