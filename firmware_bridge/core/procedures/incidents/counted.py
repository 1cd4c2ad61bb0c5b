"""Incidents after which no count is believed until the machine was counted in full and agreed (SB-7).

raised -> counting -> cleared | it differs: count again, or close the table -> confirmed
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import effects as do
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.procedures.incidents.simple import CONFIRMED
from firmware_bridge.core.words import Incident, Role, Trigger

OPEN = (only.by_whom("jam.lid_opened_by"), only.machine_answers)
COUNT = (only.by(Role.SUPERVISOR, "SB-7"), only.machine_may_work, only.machine_is_approved)

# fmt: off
ROWS = (
    #   from                    trigger                   to                      clause   guards
    Row(Incident.RAISED,        Trigger.COUNT_MACHINE,    Incident.COUNTING,      "SB-7",  COUNT, do.order_count),
    Row(Incident.COUNTING,      Trigger.COUNTED,          Incident.CLEARED,       "SB-7",  (only.count_agrees,), do.full_count),
    Row(Incident.COUNTING,      Trigger.COUNTED,          Incident.COUNT_DIFFERS, "SB-7",  (), do.full_count),
    Row(Incident.COUNTING,      Trigger.COUNT_UNKNOWN,    Incident.RAISED,        "SB-7"),
    Row(Incident.COUNT_DIFFERS, Trigger.RELEASE_LID,      Incident.LID_RELEASED,  "PT-A2", OPEN),  # a card that was found is laid back
    Row(Incident.LID_RELEASED,  Trigger.LID_OPENED,       Incident.LID_OPEN,      "PT-A2"),
    Row(Incident.LID_OPEN,      Trigger.LID_CLOSED,       Incident.RAISED,        "PT-A2"),
    Row(Incident.COUNT_DIFFERS, Trigger.COUNT_MACHINE,    Incident.COUNTING,      "SB-7",  COUNT, do.order_count),
    # another count agreed meanwhile, or every card was read at the verification
    Row(Incident.RAISED,        Trigger.CONDITION_GONE,   Incident.CLEARED,       "SB-7"),
    Row(Incident.COUNT_DIFFERS, Trigger.CONDITION_GONE,   Incident.CLEARED,       "SB-7"),
    Row(Incident.LID_RELEASED,  Trigger.CONDITION_GONE,   Incident.CLEARED,       "SB-7"),
    Row(Incident.LID_OPEN,      Trigger.CONDITION_GONE,   Incident.CLEARED,       "SB-7"),
    Row(Incident.CLEARED,       Trigger.CONDITION_BACK,   Incident.RAISED,        "SB-7"),
    Row(Incident.CLEARED,       Trigger.CONFIRM_INCIDENT, Incident.CONFIRMED,     "SB-2",  CONFIRMED, do.close_incident),
)
# fmt: on
