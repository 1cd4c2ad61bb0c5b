"""A device's event in the table's terms."""

from __future__ import annotations

from msgspec import Struct

from firmware_bridge.core.changes import AnyChange
from firmware_bridge.core.words import IncidentKind, Trigger

IncidentOf = tuple[IncidentKind, str, str]


class Report(Struct, frozen=True):
    """What an event means. ``out_of_place`` holds where no procedure's row takes the trigger.

    ``heard_by_all``: results that nobody ordered by themselves; every incident and every set hears them, in this order.
    """

    changes: tuple[AnyChange, ...] = ()
    trigger: Trigger | None = None
    incident: IncidentOf | None = None
    out_of_place: tuple[AnyChange, ...] = ()
    out_of_place_incident: IncidentOf = (IncidentKind.UNEXPECTED_CARD, "", "")
    heard_by_all: tuple[Trigger, ...] = ()
