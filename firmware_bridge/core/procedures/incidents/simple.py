"""Incidents that a person only has to confirm, once their condition is gone (SB-2).

raised -> cleared (by itself: the link is back, the card is back, nothing to wait for) -> confirmed
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import effects as do
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.words import Incident, Role, Trigger

CONFIRMED = (only.by(Role.SUPERVISOR, "SB-2"), only.action_is_named)

# fmt: off
ROWS = (
    #   from              trigger                   to                  clause   guards
    Row(Incident.RAISED,  Trigger.CONDITION_GONE,   Incident.CLEARED,   "SB-2"),
    Row(Incident.CLEARED, Trigger.CONDITION_BACK,   Incident.RAISED,    "SB-2"),
    Row(Incident.CLEARED, Trigger.CONFIRM_INCIDENT, Incident.CONFIRMED, "SB-2",  CONFIRMED, do.close_incident),
)
# fmt: on
