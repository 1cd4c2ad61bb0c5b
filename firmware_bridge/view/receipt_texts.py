"""The words of receipts, as data, beside ``report_texts.py``: for a paper that leaves the table and is signed."""

from __future__ import annotations

from firmware_bridge.core.words import Session, Trigger
from firmware_bridge.view.report_texts import OPENING

TITLES: dict[str, str] = {
    "load": "LOAD OF TABLE {table}, SESSION {session}",
    "unload": "UNLOADING AND VERIFICATION OF TABLE {table}, SESSION {session}",
    "envelope": "ENVELOPE OF A DAMAGED CARD, TABLE {table}, SESSION {session}, INCIDENT {number}",
    "foreign": "ENVELOPE OF A CARD THAT IS NONE OF THE SET, TABLE {table}, SESSION {session}, INCIDENT {number}",
    "machine": "MACHINE OUT OF SERVICE, TABLE {table}, SESSION {session}, INCIDENT {number}",
    "incident": "INCIDENT {number} OF TABLE {table}, SESSION {session}",
}

OF_SET = ", SET {set}"
"""Behind the title of what is about one of two sets."""

NO_RECEIPT: dict[str, str] = {
    "envelope": "No card was damaged in session {session} of table {table}.",
    "foreign": "No card that is none of the set was found in session {session} of table {table}.",
    "machine": "No machine was taken out of service in session {session} of table {table}.",
    "incident": "No incident was open in session {session} of table {table}.",
}
"""What is said of a session that has no such receipt; every session has one of its load and its unloading."""

LABELS: dict[str, str] = {
    "table": "TABLE",
    "rulebook": "RULE BOOK",
    "set": "SET",
    "machine": "MACHINE",
    "shoe": "SHOE",
    "opened": "OPENED",
    "dealer": "DEALER",
    "prepared": "PREPARED",
    "packs": "PACKS",
    "present": "PRESENT",
    "faces": "FACES",
    "counts": "COUNTS",
    "books": "BOOKS",
    "ledger": "LEDGER",
    "incidents": "INCIDENTS",
    "result": "RESULT",
    "closed": "CLOSED",
    "taken_out": "TAKEN OUT",
    "looked": "LOOKED INTO",
    "sorted": "SORTED",
    "decks": "DECKS",
    "whole_set": "WHOLE SET",
    "envelope": "ENVELOPE",
    "incident": "INCIDENT",
    "found": "FOUND",
    "card": "CARD",
    "named": "NAMED",
    "rounds": "ROUNDS",
    "replacement": "REPLACEMENT",
    "sealed": "SEALED",
    "deck": "DECK",
    "notice": "NOTICE",
    "told": "TOLD",
    "out": "OUT",
    "cards_then": "CARDS THEN",
    "emptied": "EMPTIED",
    "cards_left": "CARDS LEFT",
    "returned": "BACK",
    "what": "WHAT",
    "moments": "MOMENTS",
    "called": "CALLED",
    "steps": "STEPS",
    "action": "ACTION",
    "stands": "STANDS",
}
"""The name of a field as it stands on paper."""

LINES: dict[str, str] = {
    "table": "{table}, session {session}",
    "state": "as of this record: {state}",
    "rulebook": "{title} ({id}), digest {digest}",
    "set": "{decks} decks of 52, {cards}",
    "one_of_two": "set {set}: {decks} decks of 52, {cards}",
    "ages": "sessions served since each was new: {ages}",
    "backs": "backs by the table's configuration: {backs}",
    "device": "{words}",
    "step": "{role} {person}: {did}",
    "by_itself": "{did}",
    "signed_in": "dealer {person} signed in",
    "not_asked": "{did}: this rule book does not ask for it",
    "pack_began": "pack {pack} begins, {role} {person} present",
    "pack_ended": "pack {pack} is in: {cards} counted at the intake, {role} {person} present",
    "pack_open": "pack {pack} was not ended; {cards} of it counted at the intake",
    "cycle_began": "{role} {person} had the set shuffled: the cycle begins",
    "cycle_shuffled": "the set was counted whole in every pass, and shuffled",
    "cycle_failed": "NOT SHUFFLED: sorted, broken off, or not counted whole",
    "set_shuffled": "the load is exactly the set: {cards}; it was shuffled, and may be dealt from here on",
    "at_packs": "proven by PIN at the beginning and end of each pack; nothing else was asked for",
    "at_cycles": "proven by PIN when the set in the tray was named; nothing else was asked for",
    "faces_read": "read by the machine in its cycle, each as the set has it; {unread} unread",
    "agrees": "counted in full: {found} cards, as the books say",
    "differs": "counted in full: {found} cards, NOT {expected} as the books say",
    "place": "{place}: {cards}",
    "moved": "{cause}: {cards} in all, {source} to {target}",
    "nothing_moved": "nothing moved",
    "incident": "incident {number}: {text}",
    "no_incident": "none",
    "shoe_filled": "the shoe was filled by hand: nothing counts what is laid in, it is counted as it comes out",
    "at_shoe": "not asked for while people fill a shoe",
    "opened_on_shoe": "the shoe was filled with {cards} by the books; the table opened on it",
    "opened_on": "the load is exactly the set: {cards}; the table opened on it",
    "not_opened": "the table did not open on this load",
    "not_loaded": "not loaded yet: {inside} of {cards} are in",
    "difference": "{text}",
    "at_door": "{cards} of the {of} came out at the machine's door, as a whole pack",
    "through_shoe": "{cards} of the {of} came out through the shoe",
    "by_hand": "{cards} taken out by hand, by that person's word: no sensor saw it",
    "gathered": "{cards} from the table and the discard, gathered for the sorting",
    "unseen": "{cards} more than the books held: gone in past every sensor",
    "deck": "{text}; back {back}, by people's eyes",
    "deck_by_person": "{text}; back {back}, by people's eyes: BY PERSON, no reader saw these cards",
    "deck_earlier": "an earlier reading: {text}",
    "all_read": "{verified} of {cards} verified: no difference",
    "counted_out": "{text}",
    "signed": "{role} {person} signed by PIN: {state}",
    "not_signed": "NOT SIGNED: {state}",
    "envelope": "number {envelope}",
    "no_envelope": "NOT SEALED YET",
    "card": "{face}, deck {deck}, back {back}",
    "taken_from": "the books held it: {place}",
    "in_round": "in round {round}",
    "no_round": "in no round",
    "no_rounds": "no card came while this was open",
    "round_void": "the round under way was void [{clause}]",
    "no_replacement": "no replacement was laid",
    "sealed_after": "{after} after it was found",
    "deck_marked": "deck {deck} is marked imperfect: all its cards are replaced before another session [{clause}]",
    "deck_replaced": "deck {deck} bears no mark: it was replaced",
    "authorised": "authorisation {reference}",
    "out_of_service": "{role} {person} took it out of service over incident {number}: {text}",
    "inside_then": "the books held {inside} of {cards} in it",
    "elsewhere": "elsewhere: {places}",
    "inside_now": "the books hold {inside} of {cards} in it",
    "missing": "{cards} missing from the set, perhaps in it: {faces}",
    "missing_partly": "{cards} missing from the set, perhaps in it; of the decks that were read: {faces}",
    "none_left": "none: every card of the set was read outside of it",
    "back": "technician {person} returned it to service",
    "still_out": "STILL OUT OF SERVICE: it opens no session",
    "not_emptied": "NOT EMPTIED YET",
    "action": "{action}",
    "no_action": "NOT CONFIRMED: no action towards players is recorded",
    "nobody_called": "nobody",
    "no_steps": "none was taken",
    "stands": "{stands}",
    "next": "next: {ask}",
    "confirmed": "confirmed: nothing is open",
    "not_done": "not done, as of the last record",
    "nothing_loaded": "no card was loaded",
}

UNKNOWN: dict[str, str] = {
    "maker": "maker: not known; a device tells its model and serial number, not who made it",
    "device": "not known: it was never connected",
    "faces": "not known at the load: the intake counts cards and reads no face",
    "faces_of_shoe": "not known at the load: what is laid into a shoe passes no reader",
    "nobody": "not known: nobody was signed in",
    "counts": "not known: no full count was made",
    "deck_unread": "deck {deck}: not known, not read",
    "verification": "not known before every deck is verified",
    "told": "surveillance, security and pit: not known; who was told is not entered at this table",
    "card": "not known: it was not named yet",
    "fact": "not known",
}
"""What nobody recorded; said, and never left blank."""

DID: dict[Trigger, str] = {
    Trigger.OPEN_TABLE: "opened the table",
    Trigger.CUT: "had the cards cut",
    Trigger.CONFIRM_PRESENCE: "proved to be present",
    Trigger.PRESENCE_DUE: "presence was not proven in time: the cards stopped",
    Trigger.DECLARE_LOADED: "declared the load complete",
    Trigger.DECLARE_CLOSED: "declared the table closed",
    Trigger.BEGIN_UNLOADING: "present at the unloading",
    Trigger.EMPTY_BY_HAND: "had the machine emptied by hand",
    Trigger.RELEASE_LID: "released the lid for a look",
    Trigger.LID_OPENED: "the lid was opened",
    Trigger.LID_CLOSED: "the lid was closed",
    Trigger.CONFIRM_SHOE_EMPTY: "looked into the shoe, took out what was left there, and confirmed it empty",
    Trigger.CONFIRM_EMPTY: "looked, and confirmed that nothing is left inside",
    Trigger.NO_CARDS_LEFT: "said that no cards are left to read",
    Trigger.SORT_AGAIN: "had the decks sorted and read again",
}
"""A step of the session, by its trigger."""

SAID: dict[Session, str] = {
    **OPENING,
    Session.CUTTING: "cut",
    Session.SORTING: "sorted deck by deck",
}
"""What a YES answered, or a book does not ask for, by where the session stood."""

SAID_AT_SHOE: dict[tuple[Session, Trigger], str] = {
    (Session.CUTTING, Trigger.YES): "said that the cards were cut",
    (Session.CUTTING, Trigger.CUT): "cut the cards, for no player wanted to",
    (Session.FILLING_SHOE, Trigger.YES): "said that all cards lie in the shoe",
    (Session.FILLING_SHOE, Trigger.ONE_PLAYER): "said so, and that a single player had the warning card in the middle",
}
"""The same where people fill the shoe: what a step said there."""

SIGN: dict[str, str] = {
    "heading": "SIGNED",
    "who": "{who} [{clause}]",
    "line": "signature ______________________________  date, time ____________________",
    "nobody": "{role}, number ________",
}
