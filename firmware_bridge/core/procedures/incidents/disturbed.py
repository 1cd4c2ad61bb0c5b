"""Incidents that may have touched the order of the cards: a full count, then a full shuffle, before play (SB-7, SB-9).

the lid opened though it was not released; the shuffler's power lost
raised -> counting -> shuffling -> cleared -> confirmed
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import effects as do
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.procedures.incidents.counted import COUNT, OPEN
from firmware_bridge.core.procedures.incidents.simple import CONFIRMED
from firmware_bridge.core.words import Incident, Trigger

SHUFFLED_NEXT = (only.count_agrees, only.cards_are_dealt)
COUNT_THEN_SHUFFLE = do.both(do.full_count, do.order_shuffle)

# fmt: off
ROWS = (
    #   from                    trigger                   to                      clause   guards
    Row(Incident.RAISED,        Trigger.COUNT_MACHINE,    Incident.COUNTING,      "SB-7",  COUNT, do.order_count),
    Row(Incident.COUNTING,      Trigger.COUNTED,          Incident.SHUFFLING,     "SB-9",  SHUFFLED_NEXT, COUNT_THEN_SHUFFLE),
    Row(Incident.COUNTING,      Trigger.COUNTED,          Incident.CLEARED,       "SB-7",  (only.count_agrees,), do.full_count),
    Row(Incident.COUNTING,      Trigger.COUNTED,          Incident.COUNT_DIFFERS, "SB-7",  (), do.full_count),
    Row(Incident.COUNTING,      Trigger.COUNT_UNKNOWN,    Incident.RAISED,        "SB-7"),
    Row(Incident.COUNT_DIFFERS, Trigger.RELEASE_LID,      Incident.LID_RELEASED,  "PT-A2", OPEN),  # a card that was found is laid back
    Row(Incident.LID_RELEASED,  Trigger.LID_OPENED,       Incident.LID_OPEN,      "PT-A2"),
    Row(Incident.LID_OPEN,      Trigger.LID_CLOSED,       Incident.RAISED,        "PT-A2"),
    Row(Incident.COUNT_DIFFERS, Trigger.COUNT_MACHINE,    Incident.COUNTING,      "SB-7",  COUNT, do.order_count),
    Row(Incident.SHUFFLING,     Trigger.SHUFFLED,         Incident.CLEARED,       "SB-9"),
    Row(Incident.SHUFFLING,     Trigger.COUNT_UNKNOWN,    Incident.RAISED,        "SB-9"),
    # the table closed meanwhile, and every card was read at the verification
    Row(Incident.RAISED,        Trigger.CONDITION_GONE,   Incident.CLEARED,       "SB-7"),
    Row(Incident.COUNT_DIFFERS, Trigger.CONDITION_GONE,   Incident.CLEARED,       "SB-7"),
    Row(Incident.LID_RELEASED,  Trigger.CONDITION_GONE,   Incident.CLEARED,       "SB-7"),
    Row(Incident.LID_OPEN,      Trigger.CONDITION_GONE,   Incident.CLEARED,       "SB-7"),
    Row(Incident.CLEARED,       Trigger.CONFIRM_INCIDENT, Incident.CONFIRMED,     "SB-2",  CONFIRMED, do.close_incident),
)
# fmt: on
