"""Invariants 2 and 5 at the devices: what lets cards or hands pass rests on the journal, and the lamp says so."""

from __future__ import annotations

from drivers.protocol.messages import Lamp, Level
from firmware_bridge.service.assembly import Order, Release
from firmware_bridge.service.inspection import Course, Incident, Logged, Session, State, events
from sim_hardware.commands.simulate.invariants.remedies import WANT_EVERY_CARD, an_open_card_is_in_doubt
from sim_hardware.commands.simulate.watch import Invariant, Watch
from sim_hardware.commands.simulate.world import World
from sim_hardware.commands.stepped import SECOND

TAKES_CARDS = frozenset({Session.LOADING_PACK, Session.RETURNING})
"""States of a session in which cards go into the machine (PT-A5, PT-A10)."""
LID_STATES = frozenset({Session.LID_RELEASED, Session.LID_OPEN})
"""States of a session in which a supervisor has released the lid (SB-4)."""
LID_INCIDENTS = frozenset({Incident.LID_RELEASED, Incident.LID_OPEN, Incident.WITH_TECHNICIAN})
"""States of an incident in which he has (PT-A2)."""

LAMP_S = 4.0
"""Seconds from what it shows to the lamp, at most: one that starts anew is missed after two, and told after another."""


def intake_may_open(state: State) -> bool:
    """PT-A5, PT-A12, SB-8: while a pack is loaded, or a round's cards go back and no claim is open.

    SB-1: nothing while a card that lies open is to be read again, or sealed.
    BR-004, SB-9: where an incident wants every card, also what was left in the discard.
    """
    raised = {one.kind for one in state.incidents.values() if one.state is Incident.RAISED}
    left = state.session is Session.READY and not raised.isdisjoint(WANT_EVERY_CARD) and state.account.out > 0
    if state.takes_whole_sets:  # SB-5: a set that a supervisor has had shuffled, and no other card
        return bool(state.sets_at(Course.IN_TRAY, Course.IN_CYCLE)) and state.claim.value == "none"
    may = (state.session in TAKES_CARDS or left) and state.claim.value == "none"
    return may and not (state.account.out > 0 and an_open_card_is_in_doubt(state))


def lid_may_open(state: State) -> bool:
    """PT-A2, SB-4: where a supervisor released it; or no session is under way, and no cards are to be guarded."""
    by_incident = any(one.state in LID_INCIDENTS for one in state.incidents.values())
    return not state.under_way or state.session in LID_STATES or by_incident


MAY_OPEN = {Level.INTAKE: intake_may_open, Level.LID: lid_may_open}


class OpensOnlyWhatMayBe(Invariant):
    """2, of intake, lid and lease: they open on what is safe in the journal, and are shut before the flush."""

    number = 2

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._open: set[tuple[str, Level]] = set()
        self._answered: dict[str, tuple[int, int]] = {}

    def ordered(self, device: str, order: Order) -> None:
        """Look at what opens; and each lease answers a heartbeat of its own."""
        if isinstance(order, Release):
            beat = order.link, order.heartbeat
            if self._answered.get(device) == beat:
                raise self.broken(f"{device} was released twice on one heartbeat")
            self._answered[device] = beat
            return
        level = getattr(order, "level", None)
        if level not in MAY_OPEN:
            return
        if not getattr(order, "value", 0):
            self._open.discard((device, level))
            return
        self.watch.catch_up()
        self._open.add((device, level))
        if not MAY_OPEN[level](self.state):
            raise self.broken(f"the {level.name.lower()} of {device} was opened in {self.state.session}")

    def flushes(self) -> None:
        """What was decided, and is not safe yet, shuts already."""
        if not self.world.started:
            return
        self.watch.catch_up()  # a controller that has just started has opened nothing
        for device, level in self._open:
            if not MAY_OPEN[level](self.world.state):
                told = f"the {level.name.lower()} of {device} was not shut before the flush"
                raise self.broken(f"{told}, in {self.world.state.session}")

    def recorded(self, number: int, logged: Logged) -> None:
        """A controller that starts begins with everything shut."""
        del number
        if isinstance(logged.event, events.Started):
            self._open.clear()
            self._answered.clear()


class LampShowsIt(Invariant):
    """5, of the lamp: it is lit in time while an incident or a claim is open (PT-A2)."""

    number = 5

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._dark_since: int | None = None

    @property
    def waits(self) -> bool:
        """The lamp is dark, and its time runs."""
        return self._dark_since is not None

    def happened(self) -> None:
        """Look at the lamp."""
        world, lamp = self.world, self.state.devices.get("lamp")
        can_be_lit = world.running and lamp is not None and lamp.open and lamp.caught_up and not world.unplugged
        calls = any(one.state is not Incident.CLEARED for one in self.state.incidents.values())
        if not calls or not can_be_lit or world.physical.lamp_shown is Lamp.FLASHING:
            self._dark_since = None
            return
        if self._dark_since is None:
            self._dark_since = world.ns
        elif world.ns - self._dark_since > LAMP_S * SECOND:
            raise self.broken(f"an incident is open, and the lamp does not flash: {self.state.incidents.keys()}")
