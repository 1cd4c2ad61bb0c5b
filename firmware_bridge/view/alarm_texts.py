"""The words of alarms, as data, beside ``texts.py``: what happened, what to do now and by whom, and what comes after.

Whoever reads them may never have seen the program: a jam and a damaged card must be cleared by these words alone.
"""

from __future__ import annotations

from drivers.protocol.batch import MachineFault
from drivers.protocol.messages import JamPlace
from firmware_bridge.core.words import Incident, IncidentKind, Place, Trigger
from firmware_bridge.view.deal_texts import ASKS_OF_A_SLIP
from firmware_bridge.view.texts import Hand

BIG: dict[IncidentKind, str] = {
    IncidentKind.JAM: "JAM",
    IncidentKind.LINK_LOST: "NOT HEARD",
    IncidentKind.KEYPAD_LOST: "NO KEYPAD",
    IncidentKind.SCREEN_LOST: "NO SCREEN",
    IncidentKind.POWER_LOST: "POWER LOST",
    IncidentKind.CARD_LOST: "CARD LOST",
    IncidentKind.SPILL: "SPILL",
    IncidentKind.RELEASE_LAPSED: "NOT HEARD",
    IncidentKind.EVENTS_LOST: "COUNT",
    IncidentKind.MEMORY_LOST: "COUNT",
    IncidentKind.JOURNAL_BEHIND: "COUNT",
    IncidentKind.IDENTITY_CHANGED: "OTHER DEVICE",
    IncidentKind.UNEXPECTED_CARD: "ODD CARD",
    IncidentKind.COUNT_MISMATCH: "COUNT",
    IncidentKind.FOREIGN_CARD: "FOREIGN CARD",
    IncidentKind.DUPLICATE: "FACE TOO OFTEN",
    IncidentKind.UNREADABLE: "UNREAD CARD",
    IncidentKind.ROUND_CUT: "ROUND CUT",
    IncidentKind.WRONG_DEAL: "WRONG DEAL",
    IncidentKind.MISREAD: "MISREAD",
    IncidentKind.SEQUENCE: "IN SEQUENCE",
    IncidentKind.SEQUENCE_WARNING: "WATCH CARDS",
    IncidentKind.SPECIAL_CARD: "WARNING CARD",
    IncidentKind.LID_OPENED: "LID OPENED",
    IncidentKind.SLOW_JOURNAL: "SLOW DISK",
    IncidentKind.JOURNAL_FAILED: "DISK FAILED",
    IncidentKind.HOST_BREAK: "BREAK",
    IncidentKind.DISK_LOW: "DISK FULL SOON",
    IncidentKind.DAMAGED_CARD: "DAMAGED CARD",
    IncidentKind.SUPERVISOR_CALLED: "CALL",
}
"""Each kind in letters that are read across a table."""

JAMS: dict[str, str] = {
    JamPlace.INTAKE.name.lower(): "jam at the intake: a card sticks on its way into the machine",
    JamPlace.CAROUSEL.name.lower(): "jam in the carousel: a card of a compartment sticks",
    JamPlace.EXIT.name.lower(): "jam at the exit: a card sticks on its way to the shoe",
    MachineFault.HOMING.name.lower(): "machine fault: its carousel does not find its first compartment",
    MachineFault.MOVE.name.lower(): "machine fault: its carousel does not move",
    MachineFault.ALIGNMENT.name.lower(): "machine fault: a compartment stands beside its mark",
    MachineFault.DRIVE.name.lower(): "machine fault: a motor drive",
    MachineFault.MEMORY.name.lower(): "machine fault: its memory of what lies where",
    MachineFault.RANDOM_NUMBERS.name.lower(): "machine fault: its random numbers fail their own test",
}
"""A jam by its place, as the incident's detail names it."""

PUT_BACK: dict[str, str] = {
    JamPlace.INTAKE.name.lower(): "lay it back into the intake tray",
    JamPlace.CAROUSEL.name.lower(): "lay it back inside, into any compartment",
    JamPlace.EXIT.name.lower(): "lay it back inside, into any compartment",
}
"""Where a card that stuck goes: where the books hold it."""

STATES: dict[Incident, str] = {
    Incident.RAISED: "not dealt with yet",
    Incident.CLEARED: "mended, to be confirmed by the supervisor",
    Incident.CONFIRMED: "confirmed",
    Incident.LID_RELEASED: "the lid is released",
    Incident.LID_OPEN: "the lid is open",
    Incident.STILL_BLOCKED: "still blocked after the lid was closed",
    Incident.ASKING_DAMAGE: "the path is clear; was a card damaged?",
    Incident.COUNTING: "a count of all cards is awaited",
    Incident.COUNT_DIFFERS: "the count and the books do not agree, or it was broken off",
    Incident.SHUFFLING: "a shuffle of all cards is awaited",
    Incident.WITH_TECHNICIAN: "the technician is called",
    Incident.OUT_OF_SERVICE: "out of service: the table closes, the machine is emptied by hand",
    Incident.AWAITING_REPLACEMENT: "a replacement for the {card} is awaited",
    Incident.READING_REPLACEMENT: "the shoe reads the replacement for the {card}",
    Incident.WRONG_REPLACEMENT: "wrong replacement: the {card} is wanted, {read}",
    Incident.ASKING_BACK: "the replacement is the same card; has it the same back?",
    Incident.AWAITING_ENVELOPE: "no replacement was found; the damaged card is to be sealed",
    Incident.AWAITING_APPROVAL: "the technician checked the device; the supervisor's approval is awaited",
    Incident.READING_AGAIN: "the shoe reads again what lies open",
    Incident.AWAITING_REMEDY: "the slip is named, its remedy is awaited",
    Incident.SEALED: "the card is sealed; the table closes, and every card is read",
    Incident.AWAITING_SEAL: "the replacement is right; the damaged card is to be sealed",
}
"""Where an incident stands."""

READ_UNKNOWN = "another card was read (the last events name it)"

TYPE_CARD = (
    "type deck, suit and rank, four digits: deck 1-{decks} ({backs}), suit 1 clubs 2 diamonds 3 hearts 4 spades, "
    "rank 01 ace to 10, 11 jack, 12 queen, 13 king; for example 2307 = deck 2, 7 of hearts"
)

ASKS: dict[Trigger, str] = {
    **ASKS_OF_A_SLIP,
    Trigger.ACKNOWLEDGE: "acknowledge: say that you have seen this alarm",
    Trigger.RELEASE_LID: "release the lid",
    Trigger.CALL_TECHNICIAN: "if hands cannot clear it: call the technician",
    Trigger.ANSWER_NO: "no, no card is damaged",
    Trigger.ANSWER_YES: "yes, a card is damaged: keep it out; " + TYPE_CARD,
    Trigger.COUNT_MACHINE: "have the machine count its cards",
    Trigger.REPAIRED: "when the path is clear and the lid is shut: say that it is repaired",
    Trigger.TAKE_OUT_OF_SERVICE: "if it cannot be repaired: take it out of service; the table closes then",
    Trigger.NAME_CARD: "take the damaged card aside and name it; " + TYPE_CARD,
    Trigger.CHECK_DEVICE: "look at the {device}: is it meant to stand here, does its label say {told}, "
    "and is it built for what it says of itself ({can})? Then say that you checked it",
    Trigger.APPROVE_DEVICE: "approve {told}, for what it says of itself ({can}), as this table's {device}: "
    "technician {checked_by} checked it",
    Trigger.CONFIRM_REPLACEMENT: "seal the old card, {card}, in an envelope, lay the replacement {where}, "
    "then type the envelope's number",
    Trigger.DECIDE_ROUND: "say what becomes of the round, for no more cards come: 1 settled as the cards lie, 2 void",
    Trigger.CONFIRM_INCIDENT: "confirm that it is dealt with; type the action towards the players: "
    "0 none needed, 1 stakes returned, 2 round void",
}
"""A step where an alarm asks for it."""

CONFIRM_VOID = "confirm that it is dealt with, and that {bets}: the round is void [{void}]; type 2"

BETS: dict[str, str] = {"returned": "the bets were given back", "stand": "the bets stand"}
"""What became of the bets of a void round, by the book's value."""

ASKS_OF_KIND: dict[tuple[IncidentKind, Trigger], str] = {
    (IncidentKind.DUPLICATE, Trigger.YES): "press YES when all {missing} that are out lie in the shoe's tray, "
    "face down",
    (IncidentKind.UNREADABLE, Trigger.YES): "press YES when the card that was not read lies in the shoe's tray, "
    "face down",
    (IncidentKind.UNREADABLE, Trigger.ANSWER_NO): "only if it is no card of the set, a cut card or the like: keep it "
    "out, and say so",
    (IncidentKind.UNREADABLE, Trigger.ANSWER_YES): "only if it cannot be read any more: keep it out; it is replaced; "
    + TYPE_CARD,
    (IncidentKind.FOREIGN_CARD, Trigger.CONFIRM_REPLACEMENT): "take the card that is none of this set out, seal it in "
    "an envelope, then type the envelope's number",
}
"""What a step or key means at an incident of this kind."""

ASKS_AT: dict[tuple[Incident, Trigger], str] = {
    (Incident.AWAITING_REPLACEMENT, Trigger.YES): "press YES when the replacement, {card}, lies in the shoe's tray",
    (Incident.WRONG_REPLACEMENT, Trigger.YES): "press YES when the right replacement, {card}, lies in the shoe's tray",
    (Incident.ASKING_BACK, Trigger.YES): "has the replacement the same back, {back}? Press YES",
    (Incident.ASKING_BACK, Trigger.ANSWER_NO): "no, its back is another: take it away and lay another one",
    (Incident.AWAITING_REPLACEMENT, Trigger.NAME_CARD): "only if another card was meant than the {card} of deck "
    "{deck}: name it again; " + TYPE_CARD,
    (Incident.AWAITING_ENVELOPE, Trigger.CONFIRM_REPLACEMENT): "seal the damaged card, {card}, in an envelope, then "
    "type the envelope's number",
    (Incident.COUNT_DIFFERS, Trigger.COUNT_MACHINE): "{count}if a card was found and laid back, have the machine "
    "count; if none is found, declare the table closed (step 40): the verification finds which card it is",
}
"""What it means where the incident stands so."""

YES_BY_EYE = "look at the replacement: is it the {card}? Press YES"
"""What YES answers where the shoe has no reader."""

HANDS: dict[Hand, str] = {
    Hand.OPEN_LID: "open the lid",
    Hand.CLEAR_JAM: "take the stuck card out; if it is whole, {put_back}, if it is damaged, keep it out; close the lid",
    Hand.CLOSE_LID: "close the lid; the card that was stuck: if it is whole, first {put_back}, "
    "if it is damaged, keep it out",
    Hand.TAKE_ALL_OUT: "take all cards out of the open machine and lay them on the table: {inside} by the books, "
    "one that is stuck and one at the shoe's mouth with them",
    Hand.LAY_REPLACEMENT: "lay the replacement, {card} with the back of deck {deck} ({back}), in the shoe's tray",
    Hand.FIND_CARD: "find {missing} of the round: look on the table, on the floor and in the well under the table, "
    "then lay what you find in the intake tray; found nowhere, it may have gone in with another as one: declare the "
    "table closed then (step 40), and every card is read{candidates}",
    Hand.GATHER_CARDS: "gather every card, look on the floor and in the well; press ROUND OVER if a round is "
    "under way, then put all {missing} that are out into the machine",
    Hand.PUT_ALL_IN: "press ROUND OVER if a round is under way, then put all {missing} that are out into the machine",
    Hand.READ_AGAIN: "lay the card that was not read into the shoe's tray, face down",
    Hand.READ_ALL_AGAIN: "press ROUND OVER if a round is under way, then lay all {missing} that are out into the "
    "shoe's tray, face down; put none into the machine before",
    Hand.CONNECT_APPROVED: "if it is not meant to stand here: have the approved {device} connected again, {approved}",
    Hand.RESTORE_SCREEN: "see to it that a screen shows this table again: until then nobody answers an alarm",
}

FREE_PART = (
    "free the part of the machine that does not move; if hands cannot, leave it to the technician; close the lid"
)
"""What is cleared where no card sticks: the machine found a fault of its own."""

LEFT_IN_THE_OTHER = "by the books {inside} are in the machine that stood here, {approved}: they stay this set's; "
"""Of another machine than the approved one, while cards are inside (SB-4, BR-001)."""

TAKE_WRONG_AWAY = "take the wrong card off the shoe's output and away from the table; "
CANDIDATES = "; the round's cards were: {faces}"
TECHNICIAN_OPENS = "open the lid and "

WAITS: dict[Incident, str] = {
    Incident.COUNTING: "wait: the machine counts its cards",
    Incident.SHUFFLING: "wait: the machine shuffles all its cards",
    Incident.READING_REPLACEMENT: "wait: the shoe reads the replacement",
    Incident.READING_AGAIN: "wait: the shoe reads the cards again",
}
"""States in which only a device can go on."""

AT_WORK = "wait: the machine counts or shuffles"

WHERE: dict[Place, str] = {
    Place.TABLE: "on the table in its place",
    Place.DISCARD: "in the discard",
    Place.OUTSIDE: "to the cards that are not loaded yet",
    Place.UNLOADED: "to the cards that were taken out",
}
"""Where a replacement goes, by where the books want it."""

_COUNTED = (frozenset({Incident.COUNTING, Incident.COUNT_DIFFERS}), "all cards are counted")
_SHUFFLED = (frozenset({Incident.SHUFFLING}), "all cards are shuffled")
_CONFIRMED = (frozenset({Incident.CLEARED}), "supervisor: step 31 - confirm")
_COUNT_FIRST = (frozenset({Incident.RAISED}), "supervisor: step 32 - have all cards counted")

_COUNTED_ONLY = (_COUNT_FIRST, _COUNTED, _CONFIRMED)
_SIMPLE = ((frozenset({Incident.RAISED}), "it is mended"), _CONFIRMED)
_DISTURBED = (_COUNT_FIRST, _COUNTED, _SHUFFLED, _CONFIRMED)

COURSES: dict[IncidentKind, tuple[tuple[frozenset[Incident], str], ...]] = {
    IncidentKind.JAM: (
        (frozenset({Incident.RAISED, Incident.STILL_BLOCKED}), "{opens}: step 42 - release the lid"),
        (
            frozenset({Incident.LID_RELEASED, Incident.LID_OPEN, Incident.WITH_TECHNICIAN}),
            "{opens}: open the lid, take the stuck card out, {put_back}, close the lid",
        ),
        (frozenset({Incident.ASKING_DAMAGE}), "supervisor: was a card damaged? step 33 no, step 34 yes"),
        _COUNTED,
        _SHUFFLED,
        _CONFIRMED,
    ),
    IncidentKind.DAMAGED_CARD: (
        (frozenset({Incident.RAISED}), "supervisor: step 38 - name the damaged card"),
        (
            frozenset({Incident.AWAITING_REPLACEMENT, Incident.WRONG_REPLACEMENT}),
            "dealer: lay the replacement in the shoe's tray, press YES",
        ),
        (frozenset({Incident.READING_REPLACEMENT}), "the shoe reads it"),
        (frozenset({Incident.ASKING_BACK}), "dealer: the same back? YES"),
        (frozenset({Incident.AWAITING_SEAL, Incident.AWAITING_ENVELOPE}), "{replaces}: step 39 - seal the old card"),
        _CONFIRMED,
    ),
    IncidentKind.LID_OPENED: _DISTURBED,
    IncidentKind.POWER_LOST: _DISTURBED,
    IncidentKind.UNEXPECTED_CARD: _COUNTED_ONLY,
    IncidentKind.COUNT_MISMATCH: _COUNTED_ONLY,
    IncidentKind.FOREIGN_CARD: (
        (frozenset({Incident.RAISED}), "{replaces}: step 39 - seal the card that is none of this set"),
        (frozenset({Incident.SEALED}), "supervisor: step 40 - declare the table closed; every card is read"),
        _CONFIRMED,
    ),
    IncidentKind.WRONG_DEAL: (
        (frozenset({Incident.RAISED}), "supervisor: step 71 - name what went wrong in the deal"),
        (frozenset({Incident.AWAITING_REMEDY}), "supervisor: step 72 - the book's remedy; step 73 signs another"),
        _CONFIRMED,
    ),
    IncidentKind.MISREAD: _SIMPLE,
    IncidentKind.ROUND_CUT: (
        (frozenset({Incident.RAISED}), "supervisor: step 67 - say what becomes of the round"),
        _CONFIRMED,
    ),
    IncidentKind.DUPLICATE: (
        (frozenset({Incident.RAISED}), "dealer: ROUND OVER; lay all that is out into the shoe's tray, press YES"),
        (frozenset({Incident.READING_AGAIN}), "the shoe reads them again: one read was wrong, or a card is foreign"),
        _CONFIRMED,
    ),
    IncidentKind.UNREADABLE: (
        (frozenset({Incident.RAISED}), "dealer: turn the card, lay it into the shoe's tray, press YES"),
        (frozenset({Incident.READING_AGAIN}), "the shoe reads it"),
        _CONFIRMED,
    ),
    IncidentKind.SEQUENCE: _DISTURBED,
    IncidentKind.SEQUENCE_WARNING: _SIMPLE,
    IncidentKind.SPECIAL_CARD: _SIMPLE,
    IncidentKind.EVENTS_LOST: _COUNTED_ONLY,
    IncidentKind.MEMORY_LOST: _COUNTED_ONLY,
    IncidentKind.JOURNAL_BEHIND: _COUNTED_ONLY,
    IncidentKind.IDENTITY_CHANGED: (
        (frozenset({Incident.RAISED}), "technician: step 62 - say that the device was checked"),
        (frozenset({Incident.AWAITING_APPROVAL}), "supervisor: step 63 - approve it"),
        _CONFIRMED,
    ),
    IncidentKind.CARD_LOST: _SIMPLE,
    IncidentKind.SPILL: _COUNTED_ONLY,
    IncidentKind.LINK_LOST: _SIMPLE,
    IncidentKind.KEYPAD_LOST: _SIMPLE,
    IncidentKind.SCREEN_LOST: _SIMPLE,
    IncidentKind.RELEASE_LAPSED: _SIMPLE,
    IncidentKind.SLOW_JOURNAL: _SIMPLE,
    IncidentKind.JOURNAL_FAILED: _SIMPLE,
    IncidentKind.HOST_BREAK: _SIMPLE,
    IncidentKind.DISK_LOW: _SIMPLE,
    IncidentKind.SUPERVISOR_CALLED: _SIMPLE,
}
"""The good course of each kind, in order: in which states a stage is under way, and what it is in a few words."""

OUT_OF_SERVICE = (
    "supervisor: step 40 - declare the table closed (after the dealer's ROUND OVER)",
    "supervisor: step 41, then step 49 - empty the machine by hand",
    "supervisor: step 42, open the lid, take all cards out ({inside} by the books), close the lid, step 43",
    "the cards are sorted, and every deck is read",
)
"""What comes when a machine was taken out of service, in place of the good course."""

ALARM: dict[str, str] = {
    "since": "since {at}",
    "seen": "acknowledged by supervisor {person} at {at}",
    "unseen": "not acknowledged yet",
    "dealer_has_it": "the dealer looks to it, for {elapsed}; in {left} the supervisor is called [{house}]",
    "counting_down": "unanswered for {elapsed}; in {left} the room manager is called [{house}]",
    "seen_and_open": "seen and not dealt with yet; in {left} the room manager is called [{house}]",
    "called": "open for {elapsed}: the room manager is called [{house}]",
    "locked_unheard": "number {person} is locked out [{house}]; its time begins anew when the controller runs again",
    "nobody_takes_keys": "nothing can be done at the keypad until the controller runs: start it; or, if it does, "
    "name its status folder to this screen",
    "locked": "number {person} is locked out for {left} more [{house}]; the room manager may renew the PIN: step 55",
    "keypad_gone": "the keypad is not connected: no step can be taken, and nothing is decided meanwhile",
}

HOW_TO = "your number, Enter, your PIN, Enter, the step, Enter, what it asks for, Enter; Clear begins anew"
"""How any step is taken, for whoever has never stood at the keypad."""

CATCHES_UP = "wait: {device} is back and tells what happened before"
