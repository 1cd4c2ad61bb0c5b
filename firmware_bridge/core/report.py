"""A device's event in the table's terms."""

from __future__ import annotations

from msgspec import Struct

from firmware_bridge.core.changes import AnyChange, Hindered, Seen, Sight
from firmware_bridge.core.state import State
from firmware_bridge.core.words import IncidentKind, Trigger

IncidentOf = tuple[IncidentKind, str, str]


A_CARD_STICKS = 0
"""What hinders a machine beside the faults that it finds of itself, which have numbers above it."""


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


def hindered(state: State, device: str, what: int, present: bool, detail: str) -> Report:
    """Something keeps a machine from working, or does no more: its path is clear once nothing does (PT-A2)."""
    before = state.devices[device].hindered_by
    after = tuple(sorted({*before, what} if present else {*before} - {what}))
    incident = (IncidentKind.JAM, device, detail)
    trigger = Trigger.JAMMED if present else Trigger.JAM_CLEARED
    seen = (Hindered(device, after), Seen(device, Sight.JAMMED, bool(after)))
    return Report(seen, trigger if present or not after else None, None, (), incident)
