"""What a decision changes of devices: who they are, what they showed, what was ordered of them."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from drivers.protocol.messages import Hello, Operation
from firmware_bridge.core.events import Identity


class Change(Struct, frozen=True, tag_field="type"):
    """One fact that a decision adds."""


class Linked(Change, frozen=True, tag="linked"):
    """A device's link is open; ``memory_lost``: it numbers from 1 again, whether it shows another memory id or not.

    ``ignores``: what it leaves undone though it hears, in words; until it has done that it has not caught up.
    """

    device: str
    hello: Hello
    memory_lost: bool = False
    ignores: str = ""


class Unlinked(Change, frozen=True, tag="unlinked"):
    """A device's link is gone."""

    device: str
    reason: str


class Taken(Change, frozen=True, tag="taken"):
    """The device's events up to this number are taken."""

    device: str
    number: int


class Sight(StrEnum):
    """What a device's sensors or its link show."""

    CAUGHT_UP = "caught_up"
    LID_OPEN = "lid_open"
    JAMMED = "jammed"
    TRAY_OCCUPIED = "tray_occupied"
    INTAKE_READY = "intake_ready"
    HOLD_CONFIRMED = "hold_confirmed"
    FEED_EMPTY = "feed_empty"
    OUTPUT_OCCUPIED = "output_occupied"
    CARDS_INSIDE = "cards_inside"
    SILENT = "silent"


class Seen(Change, frozen=True, tag="seen"):
    """A sight changed."""

    device: str
    sight: Sight
    value: bool


class Hindered(Change, frozen=True, tag="hindered"):
    """All that keeps a batch shuffler from working now: 0 a card that sticks, else the number of a fault of its own."""

    device: str
    by: tuple[int, ...]


class CommandsBarred(Change, frozen=True, tag="commands_barred"):
    """The device takes no command up to this id, which this journal has not given: an earlier one did (rule 14)."""

    device: str
    highest: int


class OrderDue(Change, frozen=True, tag="order_due"):
    """A command is to be ordered; it has no id, and so no result, until its device has caught up (rule 14)."""

    device: str
    operation: Operation
    asked_by: str


class OrderGiven(Change, frozen=True, tag="order_given"):
    """A command is ordered; its id is the number of this record where ``id`` gives no higher one (rule 14)."""

    device: str
    boot: int
    operation: Operation
    asked_by: str
    id: int = 0


class OrderClosed(Change, frozen=True, tag="order_closed"):
    """A command is settled: ``done``, ``not_done`` or ``unknown``."""

    id: int
    outcome: str


class MachineRetired(Change, frozen=True, tag="machine_retired"):
    """A machine, by model and serial number, was taken out of service: it opens no session (SB-4)."""

    machine: str
    person: int


class MachineReturned(Change, frozen=True, tag="machine_returned"):
    """A technician returned a machine to service."""

    machine: str
    person: int


class DeviceChecked(Change, frozen=True, tag="device_checked"):
    """The technician looked at a device that is not the approved one: this is what it said that it is."""

    incident: int
    identity: Identity
    person: int


class DeviceChangedAgain(Change, frozen=True, tag="device_changed_again"):
    """While the incident stands, a device came that differs from the approved one in this, and not in what was told."""

    incident: int
    how: str


class DeviceApproved(Change, frozen=True, tag="device_approved"):
    """A device is approved from now on, by the technician who checked it and the supervisor, two people (SB-10)."""

    device: str
    identity: Identity
    technician: int
    supervisor: int


OfADevice = (
    Linked
    | Unlinked
    | Taken
    | Seen
    | Hindered
    | CommandsBarred
    | OrderDue
    | OrderGiven
    | OrderClosed
    | MachineRetired
    | MachineReturned
    | DeviceChangedAgain
    | DeviceChecked
    | DeviceApproved
)
"""Any change of a device."""
