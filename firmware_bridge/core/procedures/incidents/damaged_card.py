"""A damaged card: replaced at once by the same card of the same back, and sealed (PT-A1, PT-E4).

raised -> named -> awaiting the replacement -> through the reader: the right face -> dealer: the same back
-> supervisor: envelope number -> cleared -> confirmed; the deck is marked imperfect, and a notice is owed
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import effects as do
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.procedures.incidents.simple import CONFIRMED
from firmware_bridge.core.words import Incident, Role, Trigger

BY_SUPERVISOR = only.by(Role.SUPERVISOR, "PT-A1")
NAMED = (BY_SUPERVISOR, only.card_is_named, only.a_card_lies_open, only.it_may_be_the_card)
RENAMED = (BY_SUPERVISOR, only.card_is_named, only.it_may_be_the_card)
LAID = (only.by_signed_dealer, only.shoe_reads, only.deck_is_in_tray, only.no_other_replacement)
BY_EYE = (only.by_signed_dealer, only.shoe_cannot_read, only.no_other_replacement)
RIGHT = (only.drawn_to_verify, only.is_the_named_face)
SEALED = (only.by_whom("damaged_card.replaced_by"), only.envelope_is_named)

# fmt: off
ROWS = (
    #   from                          trigger                      to                             clause    guards
    Row(Incident.RAISED,              Trigger.NAME_CARD,           Incident.AWAITING_REPLACEMENT, "PT-A1",  NAMED, do.name_card),
    Row(Incident.RAISED,              Trigger.ANSWER_NO,           Incident.CLEARED,              "PT-A1",  (BY_SUPERVISOR,)),
    Row(Incident.AWAITING_REPLACEMENT, Trigger.NAME_CARD,          Incident.AWAITING_REPLACEMENT, "PT-A1",  RENAMED, do.rename_card),  # it was named wrongly
    Row(Incident.AWAITING_REPLACEMENT, Trigger.YES,                Incident.READING_REPLACEMENT,  "PT-A1",  LAID),
    Row(Incident.AWAITING_REPLACEMENT, Trigger.YES,                Incident.ASKING_BACK,          "PT-A1",  BY_EYE),
    Row(Incident.READING_REPLACEMENT, Trigger.CARD_DRAWN,          Incident.ASKING_BACK,          "PT-A1",  RIGHT, do.note_replacement),
    Row(Incident.READING_REPLACEMENT, Trigger.CARD_DRAWN,          Incident.WRONG_REPLACEMENT,    "PT-A1",  (only.drawn_to_verify,), do.note_replacement),
    Row(Incident.READING_REPLACEMENT, Trigger.SHOE_TRAY_EMPTIED,   Incident.AWAITING_REPLACEMENT, "PT-A1"),  # taken out again unread
    Row(Incident.WRONG_REPLACEMENT,   Trigger.YES,                 Incident.READING_REPLACEMENT,  "PT-A1",  LAID),
    Row(Incident.ASKING_BACK,         Trigger.CARD_DRAWN,          Incident.WRONG_REPLACEMENT,    "PT-A1",  (only.drawn_to_verify,), do.note_replacement),  # more than one card lay in the tray
    Row(Incident.ASKING_BACK,         Trigger.YES,                 Incident.AWAITING_SEAL,        "PT-A1",  (only.by_signed_dealer,)),
    Row(Incident.ASKING_BACK,         Trigger.ANSWER_NO,           Incident.AWAITING_REPLACEMENT, "PT-A1",  (BY_SUPERVISOR,)),  # another back: another card
    Row(Incident.AWAITING_SEAL,       Trigger.CONFIRM_REPLACEMENT, Incident.CLEARED,              "PT-A1",  SEALED, do.seal_card),
    # the table closed without a replacement: the verification names the card that is set aside
    Row(Incident.AWAITING_REPLACEMENT, Trigger.CONDITION_GONE,     Incident.CLEARED,              "PT-E4",  (only.it_is_read_with_its_deck,)),  # the whole deck is replaced
    Row(Incident.AWAITING_REPLACEMENT, Trigger.CONDITION_GONE,     Incident.AWAITING_ENVELOPE,    "closing.sort_decks"),
    Row(Incident.WRONG_REPLACEMENT,   Trigger.CONDITION_GONE,      Incident.AWAITING_ENVELOPE,    "closing.sort_decks"),
    Row(Incident.AWAITING_ENVELOPE,   Trigger.CONFIRM_REPLACEMENT, Incident.CLEARED,              "PT-A1",  SEALED, do.seal_without_replacement),
    Row(Incident.CLEARED,             Trigger.CONFIRM_INCIDENT,    Incident.CONFIRMED,            "SB-2",   CONFIRMED, do.close_incident),
)
# fmt: on
