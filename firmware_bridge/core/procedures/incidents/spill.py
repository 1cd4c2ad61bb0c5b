"""Cards spilled: a full count of the whole set, never a look around (BR-004, SB-7).

raised -> all cards go into the machine -> counting -> cleared -> confirmed
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import effects as do
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.procedures.incidents.simple import CONFIRMED
from firmware_bridge.core.words import Incident, Role, Trigger

COUNT = (only.by(Role.SUPERVISOR, "SB-7"), only.nothing_is_out, only.machine_may_work, only.machine_is_approved)

# fmt: off
ROWS = (
    #   from                    trigger                   to                      clause   guards
    Row(Incident.RAISED,        Trigger.COUNT_MACHINE,    Incident.COUNTING,      "SB-7",  COUNT, do.order_count),
    Row(Incident.COUNTING,      Trigger.COUNTED,          Incident.CLEARED,       "SB-7",  (only.count_agrees,), do.full_count),
    Row(Incident.COUNTING,      Trigger.COUNTED,          Incident.COUNT_DIFFERS, "SB-7",  (), do.full_count),
    Row(Incident.COUNTING,      Trigger.COUNT_UNKNOWN,    Incident.RAISED,        "SB-7"),
    Row(Incident.COUNT_DIFFERS, Trigger.COUNT_MACHINE,    Incident.COUNTING,      "SB-7",  COUNT, do.order_count),
    # the table closed meanwhile, and every card was read at the verification
    Row(Incident.RAISED,        Trigger.CONDITION_GONE,   Incident.CLEARED,       "SB-7"),
    Row(Incident.COUNT_DIFFERS, Trigger.CONDITION_GONE,   Incident.CLEARED,       "SB-7"),
    Row(Incident.CLEARED,       Trigger.CONFIRM_INCIDENT, Incident.CONFIRMED,     "SB-2",  CONFIRMED, do.close_incident),
)
# fmt: on
