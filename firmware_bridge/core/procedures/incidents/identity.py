"""A device is another than the approved one, or has another firmware: two people approve it, or it goes (SB-10, SB-3).

raised -> the technician checked it -> the supervisor approves it -> cleared -> confirmed
       -> the approved device is back -> cleared -> confirmed

A check is of the device in this connection: whatever comes when its link is lost after that is checked itself.
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import effects as do
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.procedures.incidents import simple
from firmware_bridge.core.words import Incident, Role, Trigger

CHECKED = (only.by(Role.TECHNICIAN, "SB-10"), only.its_device_is_there)
APPROVED = (only.by(Role.SUPERVISOR, "SB-10"), only.another_person_checked_it)

# fmt: off
ROWS = (
    *simple.ROWS,
    #   from                        trigger                 to                          clause   guards
    Row(Incident.RAISED,            Trigger.CHECK_DEVICE,   Incident.AWAITING_APPROVAL, "SB-10", CHECKED, do.note_checked),
    Row(Incident.AWAITING_APPROVAL, Trigger.APPROVE_DEVICE, Incident.CLEARED,           "SB-10", APPROVED, do.approve_device),
    Row(Incident.AWAITING_APPROVAL, Trigger.DEVICE_LOST,    Incident.RAISED,            "SB-10"),
)
# fmt: on
