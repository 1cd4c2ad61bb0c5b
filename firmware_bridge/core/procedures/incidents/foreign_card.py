"""A card that is none of this set: out of the game, sealed as evidence, and then every card of the set is read (SB-1).

raised -> the card is sealed -> the table closes, every card is read -> cleared -> confirmed
       -> every card was read, and all are the set's -> cleared

It has come among the cards in place of another, or beside them: which, only the reading of every card tells. A right
total is not a right set, so that nobody looks at the one card and plays on (BR-005, BR-015).
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.procedures import reading
from firmware_bridge.core.procedures.effects import close_incident
from firmware_bridge.core.procedures.incidents.simple import CONFIRMED
from firmware_bridge.core.words import Incident, Trigger

SEALED = (only.by_whom("damaged_card.replaced_by"), only.envelope_is_named, reading.it_can_be_found)

# fmt: off
ROWS = (
    #   from              trigger                      to                  clause   guards
    Row(Incident.RAISED,  Trigger.CONFIRM_REPLACEMENT, Incident.SEALED,    "SB-1",  SEALED, reading.seal_foreign_card),
    Row(Incident.RAISED,  Trigger.CONDITION_GONE,      Incident.CLEARED,   "SB-1"),  # every card was read, and none is foreign
    Row(Incident.SEALED,  Trigger.CONDITION_GONE,      Incident.CLEARED,   "SB-1"),
    Row(Incident.CLEARED, Trigger.CONFIRM_INCIDENT,    Incident.CONFIRMED, "SB-2",  CONFIRMED, close_incident),
)
# fmt: on
