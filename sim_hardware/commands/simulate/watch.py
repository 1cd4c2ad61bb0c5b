"""What watches a shift: records, orders and moments, handed to every invariant as they come."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence

import msgspec

from drivers.protocol.messages import EventBody
from firmware_bridge.service.assembly import Order, digest
from firmware_bridge.service.inspection import (
    IncidentKind,
    Logged,
    Place,
    Procedure,
    State,
    apply,
    changes,
    events,
    fold,
)
from firmware_bridge.view import KeypadLine, TableView, describe
from sim_hardware.commands.evening import ENDS
from sim_hardware.commands.simulate.world import World

LAST_EVENTS = 50


class ViolationError(Exception):
    """An invariant does not hold; its number and what was seen."""

    def __init__(self, invariant: int, text: str) -> None:
        super().__init__(f"invariant {invariant}: {text}")
        self.invariant = invariant


class Invariant:
    """Something that must hold. It is told all that happens, and raises ``ViolationError`` where it does not."""

    number = 0

    def __init__(self, world: World, watch: Watch) -> None:
        self.world = world
        self.watch = watch

    @property
    def state(self) -> State:
        """The state that the journal's records make, and nothing else."""
        return self.watch.state

    def recorded(self, number: int, logged: Logged) -> None:
        """A record is safe in the journal; ``state`` holds it already."""

    def ordered(self, device: str, order: Order) -> None:
        """The controller gave an order to a device."""

    def flushes(self) -> None:
        """The controller is about to flush: whatever restricts has left."""

    def shown(self, screen: bytes) -> None:
        """A screen shows this."""

    @property
    def waits(self) -> bool:
        """Whether it is asked though nothing new is to be seen: a time runs, or bytes are under way."""
        return False

    def happened(self) -> None:
        """An event is over (a turn, a step of the devices, a deed) that left something new to see."""

    def broken(self, text: str) -> ViolationError:
        """What to raise where it does not hold."""
        return ViolationError(self.number, text)


class Watch:
    """Follows the journal with the product's fold, and asks every invariant after each event."""

    def __init__(self, world: World, invariants: Sequence[type[Invariant]], pins: tuple[str, ...]) -> None:
        self.world = world
        self.pins = pins
        self.state = State()
        self.rows: Counter[tuple[str, str, str, str]] = Counter()
        self.ends: Counter[str] = Counter()
        self.rounds = 0
        """Rounds that were played to their end."""
        self.told: dict[tuple[str, int], list[tuple[int, EventBody]]] = {}
        """What each memory of each device numbered, in order, and when, in nanoseconds."""
        self.started_at = 0
        """When the controller that runs began, in nanoseconds of table time."""
        self.last: deque[tuple[int, Logged]] = deque(maxlen=LAST_EVENTS)
        self.raised: list[tuple[IncidentKind, int]] = []
        """What each incident is, and the record that raised it, in the order of their numbers."""
        self._taken = 0
        self.invariants = [invariant(world, self) for invariant in invariants]
        # of what happens each hears only what it listens to: most of the time goes by here
        self._moments = [each for each in self.invariants if type(each).happened is not Invariant.happened]
        self._seen: tuple[object, ...] = ()
        self._orders = [each.ordered for each in self.invariants if type(each).ordered is not Invariant.ordered]
        world.ordered = self._ordered
        world.flushes = self._flushes

    def happened(self) -> bool:
        """Take what is new, and ask the invariants; return whether anything is: most moments only carry bytes."""
        world = self.world
        lasts = [device.store.last for device in world.physical.devices.values()]
        seen = world.physical.stirs, world.looked, len(world.disk.flushed), world.running, lasts
        is_new = seen != self._seen
        if is_new:
            self._seen = seen
            self.listen()
            self.catch_up()
        for each in self._moments:
            if is_new or each.waits:
                each.happened()
        return is_new

    def listen(self) -> None:
        """Note what each device numbered, and when, before it may be acknowledged and forgotten."""
        for name, device in self.world.physical.devices.items():
            told = self.told.setdefault((name, device.store.memory), [])
            if device.store.last > len(told):
                told += [(self.world.ns, body) for _, body in device.store.kept_from(len(told) + 1)]

    def catch_up(self) -> None:
        """Take what is new in the journal."""
        entries = self.world.disk.flushed
        if self._taken < len(entries):
            self.listen()  # what came in during a slow flush may stand in the journal before its turn is over
        while self._taken < len(entries):
            entry = entries[self._taken]
            logged = Logged.from_body(entry.body)
            self._note_rows(entry.number, logged)
            if isinstance(logged.event, events.Started):
                self.started_at = logged.table_ns
            apply(self.state, logged, entry.number, entry.utc_ns)
            self._taken += 1
            self.last.append((entry.number, logged))
            for invariant in self.invariants:
                invariant.recorded(entry.number, logged)

    def shown(self, view: TableView | KeypadLine) -> None:
        """Hand what a screen shows anew to whoever looks at it."""
        screen = msgspec.json.encode(view)
        for invariant in self.invariants:
            invariant.shown(screen)

    def fresh_digest(self) -> str:
        """The digest of a fold from the very first record."""
        return digest(fold((entry.number, entry.utc_ns, entry.body) for entry in self.world.disk.flushed))

    def last_events(self) -> list[str]:
        """The last events in words."""
        return [f"{number:>7}  {_words(number, logged)}" for number, logged in self.last]

    def _note_rows(self, number: int, logged: Logged) -> None:
        for change in logged.decision.changes:
            if isinstance(change, changes.RoundEnded):
                self.rounds += 1
            elif isinstance(change, changes.Raised):
                self.raised.append((change.kind, number))
            elif isinstance(change, changes.Moved):
                incident = incident_of(change)
                machine = change.procedure if incident is None else str(self.raised[incident - 1][0])
                self.rows[machine, str(change.source), str(change.trigger), str(change.target)] += 1
                if change.procedure == Procedure.SESSION and change.source != change.target and change.target in ENDS:
                    self.ends[str(change.target)] += 1

    def _ordered(self, device: str, order: Order) -> None:
        for ordered in self._orders:
            ordered(device, order)

    def _flushes(self) -> None:
        for invariant in self.invariants:
            invariant.flushes()


def _words(number: int, logged: Logged) -> str:
    """A record in words; what people are not told of is told by its name, and what it books with it."""
    event = logged.event
    who = f"{event.device}: {type(event.body).__name__}" if isinstance(event, events.Told) else type(event).__name__
    booked = [
        f"{change.count} {change.source} -> {change.target} ({change.cause})"
        for change in logged.decision.changes
        if isinstance(change, changes.Booked)
    ]
    return "; ".join([describe(logged, number) or who, *booked])


def incident_of(moved: changes.Moved) -> int | None:
    """The number of the incident whose procedure moved; None: it is another procedure."""
    procedure, _, number = moved.procedure.partition("/")
    return int(number) if procedure == Procedure.INCIDENT else None


def is_open(state: State, *kinds: IncidentKind) -> bool:
    """Whether an incident of these kinds is open."""
    return any(one.kind in kinds for one in state.incidents.values())


def booked_inside(places: Mapping[Place, int]) -> int:
    """Cards in machine and shoe by the books."""
    return places.get(Place.MACHINE, 0) + places.get(Place.SHOE, 0)
