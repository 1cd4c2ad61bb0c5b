"""A jam: the supervisor alone opens the lid and clears it, or calls the technician (PT-A2); then count and shuffle (SB-9).

raised -> lid released -> lid open -> closed: asking about damage -> counting -> shuffling -> cleared -> confirmed
                                   -> closed: still blocked -> once more, or the technician
                                                               -> repaired | out of service: the table closes
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import effects as do
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.procedures.incidents.simple import CONFIRMED
from firmware_bridge.core.words import Incident, Role, Trigger

BY_SUPERVISOR = only.by(Role.SUPERVISOR, "PT-A2")
BY_TECHNICIAN = only.by(Role.TECHNICIAN, "PT-A2")
CALLED = (BY_SUPERVISOR, only.a_technician_may_come)
NO_TECHNICIAN = (only.no_technician_comes, only.by(Role.ROOM_MANAGER, "SB-4"))
RELEASED = (only.by_whom("jam.lid_opened_by"), only.machine_answers)
TECHNICIAN = (BY_TECHNICIAN,)
REPAIRED = (BY_TECHNICIAN, only.machine_answers, only.path_is_clear, only.lid_is_shut)
UNDAMAGED = (BY_SUPERVISOR, only.machine_may_work)
DAMAGED = (BY_SUPERVISOR, only.machine_may_work, only.card_is_named)
COUNT = (BY_SUPERVISOR, only.machine_may_work)
SHUFFLED_NEXT = (only.count_agrees, only.cards_are_dealt)
COUNT_THEN_SHUFFLE = do.both(do.full_count, do.order_shuffle)
SET_ASIDE_AND_COUNT = do.both(do.raise_damaged_card, do.order_count)

# fmt: off
ROWS = (
    #   from                      trigger                      to                         clause   guards
    Row(Incident.RAISED,          Trigger.RELEASE_LID,         Incident.LID_RELEASED,     "PT-A2", RELEASED),
    Row(Incident.RAISED,          Trigger.CALL_TECHNICIAN,     Incident.WITH_TECHNICIAN,  "PT-A2", CALLED),
    Row(Incident.RAISED,          Trigger.JAM_CLEARED,         Incident.ASKING_DAMAGE,    "PT-A2"),  # by itself: it is asked all the same
    Row(Incident.LID_RELEASED,    Trigger.LID_OPENED,          Incident.LID_OPEN,         "PT-A2"),
    Row(Incident.LID_RELEASED,    Trigger.JAM_CLEARED,         Incident.LID_RELEASED,     "PT-A2"),
    Row(Incident.LID_RELEASED,    Trigger.CALL_TECHNICIAN,     Incident.WITH_TECHNICIAN,  "PT-A2", CALLED),
    Row(Incident.LID_OPEN,        Trigger.LID_CLOSED,          Incident.ASKING_DAMAGE,    "PT-A2", (only.path_is_clear,)),
    Row(Incident.LID_OPEN,        Trigger.LID_CLOSED,          Incident.STILL_BLOCKED,    "PT-A2"),
    Row(Incident.LID_OPEN,        Trigger.CALL_TECHNICIAN,     Incident.WITH_TECHNICIAN,  "PT-A2", CALLED),
    Row(Incident.STILL_BLOCKED,   Trigger.RELEASE_LID,         Incident.LID_RELEASED,     "PT-A2", RELEASED),
    Row(Incident.STILL_BLOCKED,   Trigger.CALL_TECHNICIAN,     Incident.WITH_TECHNICIAN,  "PT-A2", CALLED),
    Row(Incident.STILL_BLOCKED,   Trigger.JAM_CLEARED,         Incident.ASKING_DAMAGE,    "PT-A2"),
    # the technician, whom only the supervisor calls
    Row(Incident.WITH_TECHNICIAN, Trigger.LID_OPENED,          Incident.WITH_TECHNICIAN,  "PT-A2"),
    Row(Incident.WITH_TECHNICIAN, Trigger.REPAIRED,            Incident.ASKING_DAMAGE,    "PT-A2", REPAIRED),
    Row(Incident.WITH_TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE, Incident.OUT_OF_SERVICE,   "SB-4",  TECHNICIAN, do.retire_machine),
    Row(Incident.WITH_TECHNICIAN, Trigger.ANSWER_NO,           Incident.COUNTING,         "PT-A1", UNDAMAGED, do.order_count),  # cleared while he was awaited
    Row(Incident.WITH_TECHNICIAN, Trigger.ANSWER_YES,          Incident.COUNTING,         "PT-A1", DAMAGED, SET_ASIDE_AND_COUNT),
    Row(Incident.OUT_OF_SERVICE,  Trigger.CONDITION_GONE,      Incident.CLEARED,          "SB-4"),  # emptied, and every card was read
    # where the rule book has no technician called, the room manager gives the machine up
    *(
        Row(stuck, Trigger.TAKE_OUT_OF_SERVICE, Incident.OUT_OF_SERVICE, "SB-4", NO_TECHNICIAN, do.retire_machine)
        for stuck in (Incident.RAISED, Incident.LID_RELEASED, Incident.LID_OPEN, Incident.STILL_BLOCKED, Incident.ASKING_DAMAGE)
    ),
    # was a card damaged? then it is replaced by a procedure of its own
    Row(Incident.ASKING_DAMAGE,   Trigger.ANSWER_NO,           Incident.COUNTING,         "PT-A1", UNDAMAGED, do.order_count),
    Row(Incident.ASKING_DAMAGE,   Trigger.ANSWER_YES,          Incident.COUNTING,         "PT-A1", DAMAGED, SET_ASIDE_AND_COUNT),
    Row(Incident.ASKING_DAMAGE,   Trigger.JAMMED,              Incident.RAISED,           "PT-A2"),
    Row(Incident.ASKING_DAMAGE,   Trigger.CALL_TECHNICIAN,     Incident.WITH_TECHNICIAN,  "PT-A2", CALLED),  # it died meanwhile
    # counted, and shuffled in full before play
    Row(Incident.COUNTING,        Trigger.COUNTED,             Incident.SHUFFLING,        "SB-9",  SHUFFLED_NEXT, COUNT_THEN_SHUFFLE),
    Row(Incident.COUNTING,        Trigger.COUNTED,             Incident.CLEARED,          "SB-7",  (only.count_agrees,), do.full_count),
    Row(Incident.COUNTING,        Trigger.COUNTED,             Incident.COUNT_DIFFERS,    "SB-7",  (), do.full_count),
    Row(Incident.COUNTING,        Trigger.COUNT_UNKNOWN,       Incident.COUNT_DIFFERS,    "SB-7"),
    Row(Incident.COUNTING,        Trigger.JAMMED,              Incident.RAISED,           "PT-A2"),
    Row(Incident.COUNT_DIFFERS,   Trigger.COUNT_MACHINE,       Incident.COUNTING,         "SB-7",  COUNT, do.order_count),
    Row(Incident.COUNT_DIFFERS,   Trigger.RELEASE_LID,         Incident.LID_RELEASED,     "PT-A2", RELEASED),
    Row(Incident.COUNT_DIFFERS,   Trigger.JAMMED,              Incident.RAISED,           "PT-A2"),
    Row(Incident.SHUFFLING,       Trigger.SHUFFLED,            Incident.CLEARED,          "SB-9"),
    Row(Incident.SHUFFLING,       Trigger.COUNT_UNKNOWN,       Incident.COUNT_DIFFERS,    "SB-9"),
    Row(Incident.SHUFFLING,       Trigger.JAMMED,              Incident.RAISED,           "PT-A2"),
    Row(Incident.CLEARED,         Trigger.JAMMED,              Incident.RAISED,           "PT-A2"),  # it returned
    Row(Incident.CLEARED,         Trigger.CONFIRM_INCIDENT,    Incident.CONFIRMED,        "SB-2",  CONFIRMED, do.close_incident),
    # the table closed over a count that differed, and every card was read at the verification
    Row(Incident.COUNT_DIFFERS,   Trigger.CONDITION_GONE,      Incident.CLEARED,          "SB-7"),
)
# fmt: on
