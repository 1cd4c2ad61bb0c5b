"""The English words of a deal that is followed, and of a slip in it, beside ``texts.py``."""

from __future__ import annotations

from firmware_bridge.core.slips import Remedy, Slip
from firmware_bridge.core.words import Trigger

SLIPS: dict[Slip, str] = {
    Slip.NONE: "nothing was wrong",
    Slip.FIRST_CARD_LEFT_OUT: "first card left out",
    Slip.SECOND_CARD_LEFT_OUT: "second card left out",
    Slip.PLACE_LEFT_OUT: "place left out",
    Slip.CARD_TOO_MANY: "a card too many",
    Slip.BANK_SECOND_EARLY: "the bank's second card too early",
    Slip.EXPOSED: "card exposed",
    Slip.FIRST_CARD_EXPOSED: "first card of the game exposed",
    Slip.BANK_SECOND_TURNED: "the bank's second card turned",
    Slip.UNWANTED_UNSEEN: "card against a player's wish, unseen",
    Slip.UNWANTED_SEEN: "card against a player's wish, seen",
    Slip.BANK_CARD_TOO_MANY: "a card too many for the bank",
}
"""What went wrong in a deal."""

REMEDIES: dict[Remedy, str] = {
    Remedy.PUT_RIGHT: "put right: each gets the card that is due to him",
    Remedy.CARD_VOID: "the card is void: to the discard, another is drawn where one is due",
    Remedy.STANDS: "it stands as it lies",
    Remedy.TO_THE_NEXT: "the card goes to the next who asks, else to the bank",
    Remedy.ROUND_VOID: "the round is void",
}
"""What is done about it."""

NUMBERED = "{number} {words}"

BANK, PLACE, THE_DISCARD, EACH_PLACE = "the bank", "place {place}", "the discard", "each place"
NTH: dict[int, str] = {1: "first", 2: "second", 3: "third"}
LATER = "{nth}th"
OPEN, CLOSED = "open", "face down"
NEXT_CARD = "next card: {place}, {nth}, {lies}"
CARD_WAITS = "a card waits: it is the next one's who asks, else the bank's; after it, "
FIRST_CARDS = "deal {order}, before the players act [{deal}]"
IN_ORDER = "to {place} its {nth} card {lies}"
BURN_BEFORE_BANK = "draw a card and burn it before the bank's second: to the discard, face down [{burn}]"

OF_THE_DEAL: dict[Trigger, str] = {
    Trigger.MARK_PLACES: "mark the places in play",
    Trigger.PLACE_IN: "this place is in play",
    Trigger.PLACE_OUT: "nobody plays at this place",
    Trigger.DEAL_LIES: "the first cards lie",
    Trigger.PLACE_DONE: "this place has finished",
    Trigger.NAME_SLIP: "name what went wrong in the deal",
    Trigger.TAKE_REMEDY: "say that the remedy was taken",
    Trigger.SIGN_DEVIATION: "sign another remedy as a deviation",
}
"""Steps and keys, as ``texts.TRIGGERS``."""

ASKS_OF_THE_DEAL: dict[Trigger, str] = {
    Trigger.MARK_PLACES: "press ROUND OVER to mark the places in play ({in_play})",
    Trigger.PLACE_IN: "press YES if {asked} is in play",
    Trigger.PLACE_OUT: "press ROUND OVER if nobody plays at {asked}",
    Trigger.DEAL_LIES: "press YES when the first cards lie: {lie} [{deal}]",
    Trigger.PLACE_DONE: "press YES when {whose} has finished",
    Trigger.NAME_SLIP: "if something went wrong in the deal: name it, {slips}; {how}",
}
"""What is asked of people, as ``texts.ASKS``."""

IN_PLAY, ALL_IN_PLAY, NOT_MARKED = "now {places}", "now all {count}", "now none is marked: the deal is not followed"
LIE = "two to each place, {bank} to the bank"

ASKS_OF_A_SLIP: dict[Trigger, str] = {
    Trigger.NAME_SLIP: "say what went wrong, {slips}; {how}; 0 if nothing was wrong",
    Trigger.TAKE_REMEDY: "{slip}: {remedies} [{remedy_clause}]; when it is done, type its number",
    Trigger.SIGN_DEVIATION: "only if something else was done: sign it as a deviation; type {others}",
}
"""Where an alarm asks for it, as ``alarm_texts.ASKS``."""

HOW_A_SLIP_IS_TYPED = "type its number and two digits for the place, the bank's 00 (103: the first card of place 3)"

EVENTS_OF_THE_DEAL: dict[str, str] = {
    "marked": "places in play: {places}",
    "not_marked": "no place is marked: the deal is not followed",
    "deal": "the deal is followed, to {places}",
    "card": "a card for {place}, {nth}, {lies}",
    "burned": "a card is burned before the bank's second",
    "turn": "{place} has finished",
    "slip": "incident {incident}: {slip}, says supervisor {person}",
    "remedy": "incident {incident}: {remedy}",
    "deviation": "incident {incident}: {remedy}; DEVIATION, signed by supervisor {person}",
}
"""One line for the last events, as ``event_texts.EVENTS``."""

AT_PLACE = ", {place}"
