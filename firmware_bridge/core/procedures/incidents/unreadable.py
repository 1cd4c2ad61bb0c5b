"""A card came of which the reader saw no face: boxed (face up), a cut card, or soiled; never skipped and played on (SB-1).

raised -> turned and through the reader: its face is known -> cleared
       -> supervisor: it is no card of the set, a cut card -> out of the books, the machine is counted -> cleared
       -> supervisor: it cannot be read any more -> a damaged card by a procedure of its own -> cleared
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import effects as do
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.procedures import reading
from firmware_bridge.core.procedures.incidents.simple import CONFIRMED
from firmware_bridge.core.words import Incident, Role, Trigger

LAID = (
    only.by_signed_dealer,
    reading.cards_are_played,
    only.shoe_reads,
    only.deck_is_in_tray,
    only.no_other_replacement,
)
BY_SUPERVISOR = only.by(Role.SUPERVISOR, "SB-1")
NO_CARD = (BY_SUPERVISOR, reading.cards_are_out)
SOILED = (BY_SUPERVISOR, reading.cards_are_out, only.card_is_named)
READ = (only.drawn_to_verify, reading.a_face_was_read)

# fmt: off
ROWS = (
    #   from                    trigger                    to                      clause   guards
    Row(Incident.RAISED,        Trigger.YES,               Incident.READING_AGAIN, "SB-1",  LAID),
    Row(Incident.RAISED,        Trigger.ANSWER_NO,         Incident.CLEARED,       "SB-1",  NO_CARD, reading.take_out_no_card),
    Row(Incident.RAISED,        Trigger.ANSWER_YES,        Incident.CLEARED,       "PT-A1", SOILED, do.raise_damaged_card),
    Row(Incident.READING_AGAIN, Trigger.CARD_DRAWN,        Incident.CLEARED,       "SB-1",  READ, reading.know_face),
    Row(Incident.READING_AGAIN, Trigger.CARD_DRAWN,        Incident.READING_AGAIN, "SB-1",  (only.drawn_to_verify,)),  # unread again
    Row(Incident.READING_AGAIN, Trigger.SHOE_TRAY_EMPTIED, Incident.RAISED,        "SB-1"),  # the card is laid once more
    Row(Incident.RAISED,        Trigger.CONDITION_GONE,    Incident.CLEARED,       "SB-1"),  # every card was read at the verification
    Row(Incident.CLEARED,       Trigger.CONFIRM_INCIDENT,  Incident.CONFIRMED,     "SB-2",  CONFIRMED, do.close_incident),
)
# fmt: on
