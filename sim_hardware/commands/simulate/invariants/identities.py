"""Invariant 3, of devices: what stands at a table is what two people approved, or an alarm says that it is not."""

from __future__ import annotations

from firmware_bridge.service.inspection import Incident, IncidentKind, Logged, Trigger, changes, events
from sim_hardware.commands.crowd import ROLES
from sim_hardware.commands.simulate.watch import Invariant, Watch, incident_of
from sim_hardware.commands.simulate.world import World

Told = tuple[str, str, str, str, int]
"""Model, serial number, firmware and its digest, capabilities."""


class OnlyApprovedDevices(Invariant):
    """3, of devices: another one, other firmware or parts, is an alarm until two people approved it (SB-10, SB-3)."""

    number = 3

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._stands: dict[str, Told] = {}
        self._approved: dict[str, Told] = {}
        self._checked: dict[int, tuple[int, Told]] = {}

    def recorded(self, number: int, logged: Logged) -> None:
        """Follow which device stands where, and who approved it."""
        event = logged.event
        for change in logged.decision.changes:
            if isinstance(change, changes.Linked):
                hello = change.hello
                self._stands[change.device] = (
                    hello.model,
                    hello.serial,
                    hello.firmware,
                    hello.digest.hex(),
                    int(hello.capabilities),
                )
            elif isinstance(change, changes.SessionBegan):
                self._approved = {**self._stands, **self._approved}
            elif isinstance(change, changes.Moved) and change.trigger == Trigger.CHECK_DEVICE:
                self._look_at_check(number, change, event)
            elif isinstance(change, changes.DeviceApproved):
                self._look_at_approval(number, change, event)
        if self.state.under_way:
            self._look_at_alarms(number)

    def _look_at_check(self, number: int, moved: changes.Moved, event: events.AnyEvent) -> None:
        incident = incident_of(moved)
        if incident is not None and isinstance(event, events.Acted):
            about = self.state.incidents[incident].about
            if not self.state.devices[about].is_there:
                raise self.broken(f"record {number}: the {about} is checked, and is not connected [SB-10]")
            self._checked[incident] = event.person, self._stands[about]

    def _look_at_approval(self, number: int, change: changes.DeviceApproved, event: events.AnyEvent) -> None:
        person = event.person if isinstance(event, events.Acted) else 0
        stands = self._stands[change.device]
        if (change.technician, stands) not in self._checked.values() or ROLES.get(change.technician) != "technician":
            raise self.broken(f"record {number}: no technician checked the {change.device} that is approved [SB-10]")
        if person != change.supervisor or ROLES.get(person) != "supervisor":
            raise self.broken(f"record {number}: {person} approves the {change.device}, no supervisor [SB-10]")
        self._approved[change.device] = stands

    def _look_at_alarms(self, number: int) -> None:
        told = {
            one.about
            for one in self.state.incidents.values()
            if one.kind is IncidentKind.IDENTITY_CHANGED and one.state is not Incident.CLEARED
        }
        others = {name for name, stands in self._stands.items() if self._approved.get(name) != stands}
        if others != told:
            raise self.broken(
                f"record {number}: not approved are {sorted(others)}, alarms stand for {sorted(told)} [SB-10]"
            )
