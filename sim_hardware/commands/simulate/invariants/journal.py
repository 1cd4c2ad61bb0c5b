"""Invariants 6, 7 and 8: what the journal holds is what happened, once."""

from __future__ import annotations

from firmware_bridge.service.assembly import AckEvents, Order, digest
from firmware_bridge.service.inspection import IncidentKind, Logged, changes, events
from sim_hardware.commands.evening import ENDS
from sim_hardware.commands.simulate.watch import Invariant, Watch
from sim_hardware.commands.simulate.world import World


class FollowerAgrees(Invariant):
    """6: a follower that applies each record reaches the live state; a truly fresh fold does at restarts and ends."""

    number = 6

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._compared = 0
        self._fresh_due = False

    def recorded(self, number: int, logged: Logged) -> None:
        """A restart and the end of a session ask for a fresh fold."""
        del number
        ended = any(isinstance(change, changes.Moved) and change.target in ENDS for change in logged.decision.changes)
        self._fresh_due = self._fresh_due or ended or isinstance(logged.event, events.Started)

    def happened(self) -> None:
        """Compare the whole state whenever a record was added."""
        if not self.world.running or self._compared == self.state.record:
            return
        self._compared = self.state.record
        live = self.world.state
        if live != self.state:
            raise self.broken(f"after record {self.state.record} the follower and the controller differ")
        if self._fresh_due:
            self._fresh_due = False
            if self.watch.fresh_digest() != digest(live):
                raise self.broken(f"after record {self.state.record} a fresh fold has another digest")


class NothingLostNothingTwice(Invariant):
    """7: no event that a device still holds is lost, none is journalled twice."""

    number = 7

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._safe: dict[tuple[str, int], int] = {}

    def happened(self) -> None:
        """What a device numbered and nobody has acknowledged, it keeps."""
        for name, device in self.world.physical.devices.items():
            if len(self.watch.told[name, device.store.memory]) != device.store.last:
                raise self.broken(f"{name} has forgotten events that nobody acknowledged")

    def recorded(self, number: int, logged: Logged) -> None:
        """An event is journalled as the device told it, in order, once; and what is safe is known to be."""
        event = logged.event
        for change in logged.decision.changes:
            if isinstance(change, changes.Raised) and change.kind is IncidentKind.JOURNAL_BEHIND:
                self._look_whether_behind(number, change.about)
        if isinstance(event, events.LinkUp) and event.behind:
            self._safe[event.device, event.hello.memory] = event.hello.first_kept - 1
        if not isinstance(event, events.Told):
            return
        memory = self.state.devices[event.device].memory
        expected = self._safe.get((event.device, memory), 0) + 1
        if event.number != expected:
            raise self.broken(f"record {number}: {event.device} told event {event.number}, due was {expected}")
        self._safe[event.device, memory] = event.number
        told = self.watch.told[event.device, memory]
        if event.number > len(told) or told[event.number - 1][1] != event.body:
            raise self.broken(f"record {number}: event {event.number} of {event.device} is not what it told")

    def _look_whether_behind(self, number: int, device: str) -> None:
        if device not in self.world.forgot:
            raise self.broken(f"record {number}: the journal is said to be behind {device}, and is not")

    def ordered(self, device: str, order: Order) -> None:
        """Only what is safe in the journal is acknowledged."""
        if isinstance(order, AckEvents):
            self.watch.catch_up()
            if order.number > self._safe.get((device, order.memory), 0):
                raise self.broken(f"{device} was acknowledged event {order.number}, which is not safe yet")


class OnceOnly(Invariant):
    """8: every command takes effect at most once."""

    number = 8

    def happened(self) -> None:
        """A device counts how often it began each command, over all its boots."""
        for name, device in self.world.physical.devices.items():
            for command, times in device.begun.items():
                if times > 1:
                    raise self.broken(f"{name} carried out command {command} {times} times")


class WaitsOnce(Invariant):
    """2: while the disk is no slower than the house allows, a turn waits for it once, or leases lapse for nothing.

    A session begins a segment after what came before it, and a flush over the limit is an alarm in its own turn.
    """

    number = 2

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._waited_in = 0

    def flushes(self) -> None:
        """One more flush begins."""
        world = self.world
        if not world.started:
            return
        begins = world.state.session_number != self.state.session_number
        if world.turns == self._waited_in and not begins and not world.slow_flush_untold:
            raise self.broken("a turn waits for its disk twice, though no flush was over the house's limit [SB-11]")
        self._waited_in = world.turns
