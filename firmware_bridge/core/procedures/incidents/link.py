"""A device's link is lost: back, or, for a machine that stays dead, out of service by the technician (SB-1, SB-4).

raised -> cleared when it is back -> confirmed
       -> out of service: the table closes, the machine is emptied by hand, every card is read
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import effects as do
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.procedures.incidents import simple
from firmware_bridge.core.procedures.incidents.jam import NO_TECHNICIAN
from firmware_bridge.core.words import Incident, Role, Trigger

DEAD = (only.it_is_the_machine, only.supervisor_has_seen_it)
BY_TECHNICIAN = (only.a_technician_may_come, only.by(Role.TECHNICIAN, "PT-A2"), *DEAD)
GIVEN_UP = (*NO_TECHNICIAN, *DEAD)

# fmt: off
ROWS = (
    *simple.ROWS,
    #   from                      trigger                      to                         clause   guards
    Row(Incident.RAISED,          Trigger.TAKE_OUT_OF_SERVICE, Incident.OUT_OF_SERVICE,   "SB-4",  BY_TECHNICIAN, do.retire_machine),
    Row(Incident.RAISED,          Trigger.TAKE_OUT_OF_SERVICE, Incident.OUT_OF_SERVICE,   "SB-4",  GIVEN_UP, do.retire_machine),
    Row(Incident.OUT_OF_SERVICE,  Trigger.CONDITION_GONE,      Incident.CLEARED,          "SB-4"),
)
# fmt: on
