"""Invariant 8, of what is ordered of a machine: given once it has told all, carried, and settled, whatever restarts."""

from __future__ import annotations

from firmware_bridge.service.assembly import Carry, Order
from firmware_bridge.service.inspection import Logged, changes, events
from sim_hardware.commands.simulate.watch import Invariant, Watch
from sim_hardware.commands.simulate.world import World
from sim_hardware.commands.stepped import SECOND

ROOM = 5.0
"""Seconds beyond the house's time within which an order that has no answer is told as unknown."""


class OrdersAreSettled(Invariant):
    """8: one command at a time, given to a machine that has told all it kept; carried again, and ended in its time."""

    number = 8

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._limit = world.config.book.house.inventory_time_s + ROOM
        self._open: tuple[int, str, int] | None = None
        self._since = 0
        self._to_carry = 0
        self._had: dict[str, int] = {}
        """Up to which number each device has had commands, as it said last."""

    @property
    def waits(self) -> bool:
        """A device is back, and what it was ordered has not gone out again yet."""
        return self._to_carry != 0

    def recorded(self, number: int, logged: Logged) -> None:
        """Follow the command from its order to its end."""
        event = logged.event
        if isinstance(event, events.DeviceCaughtUp):
            self._had[event.device] = event.highest_command  # an order that waited is given by this very record
        for change in logged.decision.changes:
            if isinstance(change, changes.OrderGiven):
                if not self.state.devices[change.device].is_there:
                    raise self.broken(f"record {number}: {change.device} is ordered, and has not told all (rule 14)")
                if self._open is not None:
                    raise self.broken(f"record {number}: a second command, and {self._open[0]} is not settled")
                if (change.id or number) <= self._had.get(change.device, 0):
                    raise self.broken(f"record {number}: {change.device} has had a command of this number (rule 14)")
                self._open, self._since = (change.id or number, change.device, change.boot), logged.table_ns
            elif isinstance(change, changes.OrderClosed) and self._open is not None and change.id == self._open[0]:
                self._open = None
        self._look_at_what_waits(number)
        if isinstance(event, events.Started):
            self._to_carry = 0
        if self._open is None:
            return
        command, device, boot = self._open
        if self.state.order is None or self.state.order.id != command:
            raise self.broken(f"record {number}: command {command} is under way at {device}, and forgotten")
        waited = (logged.table_ns - max(self._since, self.watch.started_at)) / SECOND
        if waited > self._limit + self.world.blocked_s:
            raise self.broken(f"record {number}: command {command} has had no end for {waited:.0f} s [SB-7]")
        is_back = isinstance(event, events.DeviceCaughtUp) and event.device == device
        if is_back and self.state.devices[device].boot == boot:
            self._to_carry = command

    def _look_at_what_waits(self, number: int) -> None:
        """An order waits for nothing but its machine."""
        order = self.state.order
        if order is not None and not order.id and self.state.devices[order.device].is_there:
            raise self.broken(f"record {number}: an order waits for {order.device}, which has told all (rule 14)")

    def ordered(self, device: str, order: Order) -> None:
        """It goes out again."""
        del device
        if isinstance(order, Carry):
            self.watch.catch_up()  # what it rests on is safe by now
            self._to_carry = 0 if order.id == self._to_carry else self._to_carry

    def happened(self) -> None:
        """The turn in which a device was taken on again is over."""
        if self._to_carry and self.world.running:
            raise self.broken(f"command {self._to_carry} did not go out again over the new link (rule 18)")
