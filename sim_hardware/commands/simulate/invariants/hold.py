"""Invariant 2: held is held."""

from __future__ import annotations

from drivers.protocol.messages import Capability, CardDrawn, CardIn, HoldConfirmed, Purpose
from firmware_bridge.service.assembly import HoldNow, Order, Release
from firmware_bridge.service.inspection import (
    Course,
    Incident,
    IncidentKind,
    Logged,
    Place,
    Session,
    State,
    Trigger,
    changes,
    events,
)
from sim_hardware.commands.simulate.watch import Invariant, Watch, is_open
from sim_hardware.commands.simulate.world import World

LEASE = 3.0
"""Seconds that a device delivers on one permission, at most."""

MAY_DEAL = frozenset({Session.READY, Session.IN_ROUND})
"""States of a session in which cards may come out to be played (SB-1)."""
BESIDE_DEALING = frozenset(
    {
        IncidentKind.SUPERVISOR_CALLED,
        IncidentKind.DISK_LOW,
        IncidentKind.SEQUENCE_WARNING,
        IncidentKind.SPECIAL_CARD,
    }
)
"""Incidents beside which cards may come out (SB-2)."""

MOVES = frozenset({Trigger.CARD_DRAWN, Trigger.CARD_IN, Trigger.SPECIAL_CARD})
"""What a card that moves is to a procedure that awaits it."""


def may_be_dealt(state: State) -> bool:
    """SB-1, in the simulator's own words: the session allows it, no incident is open, no claim, somebody deals."""
    return (
        state.session in MAY_DEAL
        and all(one.kind in BESIDE_DEALING for one in state.incidents.values())
        and state.claim.value == "none"
        and state.dealer != 0
        and state.counts_trusted
        and all(device.open and device.caught_up for device in state.devices.values())
    )


def _is_shuffled(state: State) -> bool:
    """SB-5: a batch shuffler's set goes to the shoe, and is dealt from it, once a shuffle of it was completed."""
    return not state.takes_whole_sets or bool(state.sets_at(Course.SHUFFLED, Course.IN_SHOE))


AT_THE_READER = frozenset({Incident.READING_REPLACEMENT, Incident.READING_AGAIN})
"""States of an incident in which cards of the shoe's own tray pass its reader (PT-A1, SB-1)."""


def _lies_beyond_the_books(state: State) -> bool:
    """SB-4: a batch shuffler says that cards are inside, and by the books none are: they come out at its door."""
    machine = state.machine
    is_beyond = machine is not None and machine.cards_inside and state.cards_at(Place.MACHINE) <= 0
    return is_beyond and state.session in (Session.READY, Session.IN_ROUND)


def may_come_out(state: State, purpose: Purpose) -> bool:
    """Whether cards may come out for this purpose."""
    if purpose is Purpose.DEAL:
        return may_be_dealt(state) and _is_shuffled(state)
    if purpose is Purpose.UNLOAD:
        comes_out = state.session is Session.READY and bool(state.sets_at(Course.COMING_OUT))
        comes_out = comes_out or state.session is Session.EMPTYING_SHOE
        return state.session is Session.UNLOADING or comes_out or _lies_beyond_the_books(state)
    reads = any(one.state in AT_THE_READER for one in state.incidents.values())
    return state.session is Session.READING_DECK or reads


class HeldIsHeld(Invariant):
    """2: a device that can hold delivers no card after it confirmed the hold.

    A card delivered while held opens its incident at that card. And what comes before: nobody permits what the
    journal does not, and what restricts has left before the flush.
    """

    number = 2

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._released: dict[str, bool] = {}
        self._confirmed: dict[str, bool] = {}
        self._might_come = False
        """Whether cards might come out by the record before."""

    def ordered(self, device: str, order: Order) -> None:
        """A release rests on what is safe in the journal."""
        if isinstance(order, HoldNow):
            self._released[device] = False
        elif isinstance(order, Release):
            self.watch.catch_up()
            self._released[device] = True
            self._confirmed[device] = False
            if not may_come_out(self.state, order.purpose):
                raise self.broken(f"{device} was released to {order.purpose.name.lower()} in {self.state.session}")

    def flushes(self) -> None:
        """What was decided, and is not safe yet, restricts already."""
        if not self.world.started:
            return
        state = self.world.state
        may_any_come = self._may_any_come(state) or may_come_out(state, Purpose.VERIFY)
        for device, released in self._released.items():
            reached = state.devices[device].caught_up  # over a link that is gone, or new, nothing is released
            if released and reached and not may_any_come:
                raise self.broken(f"{device} was not told to hold before the flush, in {state.session}")

    def recorded(self, number: int, logged: Logged) -> None:
        """No card after a confirmed hold; one that came all the same has its incident in the same record."""
        might_come, self._might_come = self._might_come, self._may_any_come(self.state)
        event = logged.event
        if isinstance(event, events.Started):
            self._released, self._confirmed = {}, {}
        elif isinstance(event, events.LinkUp):
            self._released[event.device] = False  # a fresh link holds the device by itself (rule 2)
        if not isinstance(event, events.Told):
            return
        if isinstance(event.body, HoldConfirmed) and event.current:
            self._confirmed[event.device] = not self._released.get(event.device, False)
        elif isinstance(event.body, CardDrawn):
            self._look_at_card(number, event.device, event.body, logged, might_come)
        if isinstance(event.body, CardDrawn | CardIn) and self.state.under_way:
            self._look_at_place(number, logged)

    def _may_any_come(self, state: State) -> bool:
        return may_come_out(state, Purpose.DEAL) or may_come_out(state, Purpose.UNLOAD)

    def _look_at_card(self, number: int, device: str, card: CardDrawn, logged: Logged, might_come: bool) -> None:
        """A device that can hold says itself under which release its card came; one that cannot is held in words."""
        can_hold = Capability.CAN_HOLD in self.state.devices[device].capabilities
        held = card.purpose == 0 if can_hold else not might_come
        if self._confirmed.get(device) and not held:
            raise self.broken(f"record {number}: {device} delivered a card after it had confirmed its hold")
        raised = any(isinstance(change, changes.Raised) for change in logged.decision.changes)
        open_one = is_open(self.state, IncidentKind.UNEXPECTED_CARD)
        if held and self.state.under_way and not raised and not open_one:
            raise self.broken(f"record {number}: a card came out while held, and opened no incident")

    def _look_at_place(self, number: int, logged: Logged) -> None:
        """A card that moves is one that a procedure awaits, or opens its incident (SB-1)."""
        awaited = raised = False
        for change in logged.decision.changes:
            awaited = awaited or (isinstance(change, changes.Moved) and change.trigger in MOVES)
            raised = raised or isinstance(change, changes.Raised)
        stands = is_open(self.state, IncidentKind.UNEXPECTED_CARD)
        if not (awaited or raised or stands):
            raise self.broken(f"record {number}: nobody awaited a card that moved, and no incident opened [SB-1]")
