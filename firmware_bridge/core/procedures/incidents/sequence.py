"""Dealt cards came in an order that no shuffled set has: all cards in, a full count, a full shuffle (SB-5, SB-9).

raised -> all cards go into the machine -> counting -> shuffling -> cleared -> confirmed
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import effects as do
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.procedures.incidents.disturbed import COUNT_THEN_SHUFFLE, SHUFFLED_NEXT
from firmware_bridge.core.procedures.incidents.simple import CONFIRMED
from firmware_bridge.core.procedures.incidents.spill import COUNT
from firmware_bridge.core.words import Incident, Trigger

# fmt: off
ROWS = (
    #   from                    trigger                   to                      clause   guards
    Row(Incident.RAISED,        Trigger.COUNT_MACHINE,    Incident.COUNTING,      "SB-9",  COUNT, do.order_count),
    Row(Incident.COUNTING,      Trigger.COUNTED,          Incident.SHUFFLING,     "SB-9",  SHUFFLED_NEXT, COUNT_THEN_SHUFFLE),
    Row(Incident.COUNTING,      Trigger.COUNTED,          Incident.CLEARED,       "SB-7",  (only.count_agrees,), do.full_count),
    Row(Incident.COUNTING,      Trigger.COUNTED,          Incident.COUNT_DIFFERS, "SB-7",  (), do.full_count),
    Row(Incident.COUNTING,      Trigger.COUNT_UNKNOWN,    Incident.RAISED,        "SB-7"),
    Row(Incident.COUNT_DIFFERS, Trigger.COUNT_MACHINE,    Incident.COUNTING,      "SB-7",  COUNT, do.order_count),
    Row(Incident.SHUFFLING,     Trigger.SHUFFLED,         Incident.CLEARED,       "SB-9"),
    Row(Incident.SHUFFLING,     Trigger.COUNT_UNKNOWN,    Incident.RAISED,        "SB-9"),
    # the table closed meanwhile, and every card was read at the verification
    Row(Incident.RAISED,        Trigger.CONDITION_GONE,   Incident.CLEARED,       "SB-7"),
    Row(Incident.COUNT_DIFFERS, Trigger.CONDITION_GONE,   Incident.CLEARED,       "SB-7"),
    Row(Incident.CLEARED,       Trigger.CONFIRM_INCIDENT, Incident.CONFIRMED,     "SB-2",  CONFIRMED, do.close_incident),
)
# fmt: on
