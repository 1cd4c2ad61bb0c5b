"""A slip in the deal: named by a supervisor, and remedied as the book has it, or otherwise on his signature (MO-5b).

raised -> slip named -> the book's remedy, or a deviation that is signed -> cleared -> confirmed
"""

from __future__ import annotations

from firmware_bridge.core.machine import Row
from firmware_bridge.core.procedures import deal_effects as do
from firmware_bridge.core.procedures import effects
from firmware_bridge.core.procedures import guards as only
from firmware_bridge.core.procedures.incidents.simple import CONFIRMED
from firmware_bridge.core.words import Incident, Role, Trigger

SUPERVISOR = only.by(Role.SUPERVISOR, "wrong_deal.remedy")
NAMED = (SUPERVISOR, only.slip_is_named)
NONE = (SUPERVISOR, only.nothing_was_wrong)
AS_WRITTEN = (SUPERVISOR, only.remedy_can_be_taken, only.remedy_is_the_books)
OTHERWISE = (SUPERVISOR, only.remedy_can_be_taken, only.remedy_is_another)

# fmt: off
ROWS = (
    #   from                      trigger                   to                        clause               guards
    Row(Incident.RAISED,          Trigger.NAME_SLIP,        Incident.CLEARED,         "wrong_deal.remedy", NONE, do.name_slip),
    Row(Incident.RAISED,          Trigger.NAME_SLIP,        Incident.AWAITING_REMEDY, "wrong_deal.remedy", NAMED, do.name_slip),
    Row(Incident.AWAITING_REMEDY, Trigger.NAME_SLIP,        Incident.CLEARED,         "wrong_deal.remedy", NONE, do.name_slip),  # named wrongly
    Row(Incident.AWAITING_REMEDY, Trigger.NAME_SLIP,        Incident.AWAITING_REMEDY, "wrong_deal.remedy", NAMED, do.name_slip),
    Row(Incident.AWAITING_REMEDY, Trigger.TAKE_REMEDY,      Incident.CLEARED,         "wrong_deal.remedy", AS_WRITTEN, do.take_remedy),
    Row(Incident.AWAITING_REMEDY, Trigger.SIGN_DEVIATION,   Incident.CLEARED,         "wrong_deal.remedy", OTHERWISE, do.take_remedy),
    Row(Incident.CLEARED,         Trigger.CONFIRM_INCIDENT, Incident.CONFIRMED,       "SB-2",              CONFIRMED, effects.close_incident),
)
# fmt: on
