"""A machine is given up within a round: no card comes any more, and a supervisor says what becomes of the round (SB-2).

raised -> settled as the cards lie | void: the bets as the book has it -> cleared -> confirmed

Where the book voids the round after such an error, it is void already, and nothing is left to say. Another machine cannot go
on with the round: the cards of the set are in the one that failed (SB-4).
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import effects as do
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.procedures.incidents.simple import CONFIRMED
from firmware_bridge.core.words import Incident, Role, Trigger

DECIDED = (only.by(Role.SUPERVISOR, "SB-2"), only.decision_is_named)

# fmt: off
ROWS = (
    #   from              trigger                   to                  clause   guards
    Row(Incident.RAISED,  Trigger.DECIDE_ROUND,     Incident.CLEARED,   "SB-2",  DECIDED, do.decide_round),
    Row(Incident.CLEARED, Trigger.CONFIRM_INCIDENT, Incident.CONFIRMED, "SB-2",  CONFIRMED, do.close_incident),
)
# fmt: on
