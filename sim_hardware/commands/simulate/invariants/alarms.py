"""Invariant 5: an alarm is raised in time. Causes and times are the simulator's own, from the rule book's clauses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from drivers.protocol.messages import Kind
from firmware_bridge.service.inspection import IncidentKind, Logged, Place, Role, Session, State, changes, events
from sim_hardware.commands.simulate.invariants.remedies import (
    EVERY_CARD_WAS_READ,
    TOUCH_THE_ORDER,
    an_open_card_is_in_doubt,
)
from sim_hardware.commands.simulate.watch import Invariant, Watch, is_open
from sim_hardware.commands.simulate.world import World
from sim_hardware.commands.stepped import SECOND
from sim_hardware.hand_fed_table import HandFedTable
from sim_hardware.mechanics import Mechanism
from sim_hardware.table import CarouselTable

AT_ONCE = 1.6
"""Seconds from a sensor to the alarm: two wires, one flush, a heartbeat for each of two messages that a line lost."""
SLOWEST_FLUSH = 6.0
"""Seconds for which a flush may hold up whatever is due."""
SMALLEST_STEP = 3.0
"""Seconds by which the wall's clock is set at least, to be told: a little more than the product's own bound."""
SILENCE = 2.0
"""Seconds without a word after which a link is lost."""


class Cause(NamedTuple):
    """Something that must not go unnoticed: within how many seconds, whose sensor tells it, and which rule wants it.

    ``unnoticed``: it is so, and neither an alarm nor what the journal says of it shows it.
    """

    what: str
    clause: str
    seconds: float
    device: str
    unnoticed: Callable[[World, State], bool]


def _jam(world: World, state: State) -> bool:
    return world.physical.mechanism.jam is not None and not is_open(state, IncidentKind.JAM)


def _lid(world: World, state: State) -> bool:
    return world.physical.lid_open != state.devices["shuffler"].lid_open


def _tray(world: World, state: State) -> bool:
    return bool(world.physical.mechanism.intake_tray) != state.devices["shuffler"].tray_occupied


def _shoe_tray(world: World, state: State) -> bool:
    return bool(world.physical.shoe_mechanism.shoe_tray) != state.devices["shoe"].tray_occupied


def _carousel(world: World) -> Mechanism:
    mechanism = world.physical.mechanism
    assert isinstance(mechanism, Mechanism)  # it is asked at no other table
    return mechanism


def _cut_out(world: World, state: State) -> bool:
    return _carousel(world).intake_ready != state.devices["shuffler"].intake_ready


def _cable(world: World, state: State) -> bool:
    return bool(world.unplugged - {"keypad"}) and not is_open(state, IncidentKind.LINK_LOST)


def _keypad_cable(world: World, state: State) -> bool:
    return "keypad" in world.unplugged and not is_open(state, IncidentKind.KEYPAD_LOST)


def _slow_disk(world: World, state: State) -> bool:
    return world.slow_flush_untold and not is_open(state, IncidentKind.SLOW_JOURNAL)


def _right(world: World, state: State) -> bool:
    return state.dealer in world.barred


def _clock(world: World, state: State) -> bool:
    """Told in the next turn; without any device none comes."""
    del state
    return abs(world.clock_untold_ns) > SMALLEST_STEP * SECOND and not world.unplugged


def _screen(world: World, state: State) -> bool:
    return not world.screen_shown and not is_open(state, IncidentKind.SCREEN_LOST)


def _split(world: World, state: State) -> bool:
    """More cards were drawn than the machine says that it fed: at most for as long as a word takes from it.

    Once every card was read, or the machine is proven empty, what was fed matters no more.
    """
    del world
    differs = state.account.at(Place.SHOE) < 0 and state.session not in EVERY_CARD_WAS_READ
    return differs and not is_open(state, IncidentKind.COUNT_MISMATCH)


def _cards_are_owed(world: World, state: State) -> bool:
    """PT-A10: the round's cards go back to a machine that is there; nothing hinders them, and they do not come."""
    mechanism = _carousel(world)
    hindered = mechanism.intake_tray or mechanism.lid_open or not mechanism.intake_ready or mechanism.jam is not None
    return (
        state.session is Session.RETURNING
        and state.account.out > 0
        and not hindered
        and not state.out_of_service
        and state.claim.value == "none"
        and all(one.kind not in TOUCH_THE_ORDER or one.state.value == "cleared" for one in state.incidents.values())
        and not is_open(state, IncidentKind.CARD_LOST)
        and not an_open_card_is_in_doubt(state)
    )


DEALERS_FIRST = frozenset(
    {
        IncidentKind.CARD_LOST,
        IncidentKind.KEYPAD_LOST,
        IncidentKind.LINK_LOST,
        IncidentKind.SCREEN_LOST,
    }
)
"""Incidents that the dealer may mend before the floor is called."""


def _causes(world: World) -> Iterator[Cause]:
    house = world.config.book.house
    yield Cause("the shoe's tray was filled or emptied", "PT-A6", AT_ONCE, "shoe", _shoe_tray)
    yield Cause("a cable is out", "SB-1", SILENCE + AT_ONCE, "", _cable)
    yield Cause("the keypad's cable is out", "SB-1", SILENCE + AT_ONCE, "", _keypad_cable)
    yield Cause("the dealer's right is taken", "SB-3", AT_ONCE, "", _right)
    yield Cause("the wall's clock was set", "BR-039", AT_ONCE, "", _clock)
    yield Cause("a flush was slow", "SB-11", AT_ONCE, "", _slow_disk)
    yield Cause("no screen shows the table", "SB-2", AT_ONCE, "", _screen)
    if isinstance(world.physical, HandFedTable):
        return  # no machine stands there
    yield Cause("a card sticks", "PT-A2", AT_ONCE, "shuffler", _jam)
    yield Cause("the lid moved", "SB-4", AT_ONCE, "shuffler", _lid)
    yield Cause("the intake tray was filled or emptied", "SB-4", AT_ONCE, "shuffler", _tray)
    split_s = house.split_lag_s + SLOWEST_FLUSH + AT_ONCE
    yield Cause("the shoe gave more cards than it was fed", "SB-1", split_s, "", _split)
    if not isinstance(world.physical, CarouselTable):
        return  # a batch shuffler tells of its intake by a cycle that ends; no card goes back to it after a round
    yield Cause("the intake cannot, or can again", "PT-A11", AT_ONCE, "shuffler", _cut_out)
    return_s = house.return_window_s + AT_ONCE
    yield Cause("cards of the round do not come back", "PT-A10", return_s, "shuffler", _cards_are_owed)


class AlarmInTime(Invariant):
    """5: an alarm is raised within its time after its cause could first be sensed.

    The time runs only while it can be: the controller is there, and so is the device that tells it.
    """

    number = 5

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._causes = tuple(_causes(world))
        self._since: dict[str, int] = {}
        self._known: dict[str, tuple[int, int]] = {}
        self._house = world.config.book.house

    @property
    def waits(self) -> bool:
        """Something is not told yet, and its time runs."""
        return bool(self._since)

    def happened(self) -> None:
        """Look at every cause."""
        state, now = self.state, self.world.ns
        if not self.world.running or not state.under_way:
            self._since.clear()
            return
        for cause in self._causes:
            if not cause.unnoticed(self.world, state) or not self._is_told(cause.device):
                self._since.pop(cause.what, None)
            elif now - self._since.setdefault(cause.what, now) > (cause.seconds + self.world.blocked_s) * SECOND:
                raise self.broken(f"{cause.what}, and {cause.seconds} s later nothing says so [{cause.clause}]")

    def recorded(self, number: int, logged: Logged) -> None:
        """A device that started anew, or lost its memory, has its incident in the record of its opening."""
        event = logged.event
        if isinstance(event, events.FlushWasSlow | events.Started):
            self.world.slow_flush_untold = False
        if isinstance(event, events.ClockJumped | events.Started):
            self.world.clock_untold_ns = 0  # of what was set while nobody was here, only what went back can be told
        if isinstance(event, events.LinkUp):
            before, hello = self._known.get(event.device), event.hello
            taken_on = any(isinstance(change, changes.Linked) for change in logged.decision.changes)
            if before is not None and taken_on and self.state.under_way:
                self._look_at_opening(number, event.device, before, (hello.boot, hello.memory))
            if taken_on:
                self._known[event.device] = hello.boot, hello.memory
        elif isinstance(event, events.Told):
            self._look_at_waiting(number)

    def _look_at_opening(self, number: int, device: str, before: tuple[int, int], after: tuple[int, int]) -> None:
        is_keys = self.state.devices[device].kind is Kind.DEALER_KEYS
        passes_cards = device in ("shuffler", "shoe") and not is_keys  # what keypad, lamp and keys forget is no card
        if passes_cards and after[1] != before[1] and not is_open(self.state, IncidentKind.MEMORY_LOST):
            raise self.broken(f"record {number}: {device} lost its memory, and no incident opened [SB-7]")
        # a batch shuffler that holds no set touched none: its cards lie outside, or in the shoe
        holds = not self.state.takes_whole_sets or any(
            one.account.at(Place.MACHINE) for one in self.state.sets.values()
        )
        started_anew = device == "shuffler" and holds and after[0] != before[0]
        if started_anew and not is_open(self.state, IncidentKind.POWER_LOST):
            raise self.broken(f"record {number}: {device} started anew, and no incident opened [SB-9]")

    def _look_at_waiting(self, number: int) -> None:
        """An alarm that nobody saw in the house's time is the room manager's as well."""
        for incident, one in self.state.incidents.items():
            waited = (self.state.at - max(one.stands_since.at, self.watch.started_at)) / SECOND
            limit = self._house.escalate_after_s + self.world.blocked_s + AT_ONCE
            limit += self._house.call_supervisor_after_s if one.kind in DEALERS_FIRST else 0
            if one.acknowledged is None and waited > limit and Role.ROOM_MANAGER not in one.escalated:
                raise self.broken(f"record {number}: incident {incident} ({one.kind}) waits for {waited:.0f} s, unseen")

    def _is_told(self, device: str) -> bool:
        """Whether the device that senses it is there to tell it."""
        if not device:
            return True
        known = self.state.devices[device]
        return known.open and known.caught_up and device not in self.world.unplugged
