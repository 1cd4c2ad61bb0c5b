"""More cards of a face lie open than the set has: one read is wrong, or one card is none of the set (BR-005, BR-016).

raised -> the round is ended, and all that is out goes through the reader again -> no face too often: cleared
                                                                             -> still too often: a foreign card
       -> the table closed over it, and every card was read -> cleared; so it does with more out than a tray takes

No card of it goes back into the machine before: inside nobody would find it again. Which face it is no text says while the
round runs, for one of them may lie face down.
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.procedures import reading
from firmware_bridge.core.procedures.effects import close_incident
from firmware_bridge.core.procedures.incidents.simple import CONFIRMED
from firmware_bridge.core.words import Incident, Trigger

LAID = (
    only.by_signed_dealer,
    reading.cards_are_played,
    reading.round_is_over,
    reading.tray_takes_all,
    only.shoe_reads,
    only.deck_is_in_tray,
    only.no_other_replacement,
)

# fmt: off
ROWS = (
    #   from                    trigger                    to                      clause   guards
    Row(Incident.RAISED,        Trigger.YES,               Incident.READING_AGAIN, "SB-1",  LAID),
    Row(Incident.READING_AGAIN, Trigger.CARD_DRAWN,        Incident.READING_AGAIN, "SB-1",  (only.drawn_to_verify,), reading.note_read_again),
    Row(Incident.READING_AGAIN, Trigger.SHOE_TRAY_EMPTIED, Incident.CLEARED,       "SB-1",  (reading.all_were_read, reading.none_too_often), reading.know_faces),
    Row(Incident.READING_AGAIN, Trigger.SHOE_TRAY_EMPTIED, Incident.CLEARED,       "SB-1",  (reading.all_were_read,), reading.find_foreign_card),
    Row(Incident.READING_AGAIN, Trigger.SHOE_TRAY_EMPTIED, Incident.RAISED,        "SB-1",  (), reading.forget_readings),  # not all that is out, or more
    Row(Incident.RAISED,        Trigger.CONDITION_GONE,    Incident.CLEARED,       "SB-1"),  # every card was read at the verification
    Row(Incident.CLEARED,       Trigger.CONFIRM_INCIDENT,  Incident.CONFIRMED,     "SB-2",  CONFIRMED, close_incident),
)
# fmt: on
