"""Invariant 1: the books are true."""

from __future__ import annotations

from collections import Counter

from drivers.cards import ALL_FACES, Face
from drivers.protocol.messages import CardDrawn, CardIn, EventBody, Purpose
from firmware_bridge.service.inspection import IncidentKind, Logged, Place, Procedure, Session, changes, events
from sim_hardware.commands.simulate.invariants.remedies import BY_ANY_COUNT, BY_READING_ALONE
from sim_hardware.commands.simulate.watch import Invariant, Watch, booked_inside
from sim_hardware.commands.simulate.world import World
from sim_hardware.faults import Fault
from sim_hardware.table import PhysicalTable

NOT_BY_A_SENSOR = frozenset(
    {
        "damaged",
        "named wrongly",
        "taken out by hand",
        "verification",
        "unloading",
        "fed, and not told by the shoe",
    }
)
"""Causes of entries inside that rest on a person's word, on a card booked elsewhere, or on the mouth's room."""

UNSEEN = "went in unseen"
"""The cause of an entry for a card that came out, and that the books did not hold inside."""

DOUBTFUL = (BY_READING_ALONE | BY_ANY_COUNT) - {IncidentKind.SEQUENCE}
"""Kinds of incident after which no count is believed until the next full one (SB-7)."""

INSIDE = (Place.MACHINE, Place.SHOE)
BELOW_ZERO = frozenset({*INSIDE, Place.RESERVE})
"""Places that the books may have below zero: one part of the inside, while the word of a feeding is under way; and
where replacements come from."""

NOBODY_INSIDE = frozenset({Session.VERIFIED, Session.CLOSED_WITH_DIFFERENCE, Session.NOT_OPENED})


class TrueAtRest(Invariant):
    """1, at either kind of table: books and cards are compared as soon as nothing is in flight, and at each end."""

    number = 1

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._named = 0
        self._slipped_in = 0
        """Cards inside, past every sensor, as the session began: excused until one is booked, or all are counted."""
        self._unsettled = True

    @property
    def waits(self) -> bool:
        """Something is in flight: compared as soon as nothing is."""
        return self._unsettled

    def happened(self) -> None:
        """Compare whenever nothing is in flight."""
        self._unsettled = not self.world.at_rest
        if not self._unsettled:
            self._compare()

    def _compare(self) -> None:
        raise NotImplementedError

    def _follow(self, change: changes.Change) -> None:
        """Count the cards that were named damaged, and look at the end of a session."""
        if isinstance(change, changes.Booked):
            self._named += change.cause == "damaged"
            self._slipped_in = 0
        elif isinstance(change, changes.FullCount):
            self._slipped_in = 0
        elif isinstance(change, changes.SessionBegan):
            self._named = 0
            self._slipped_in = self.world.physical.inside()
        elif isinstance(change, changes.Moved) and change.procedure == Procedure.SESSION:
            self._look_at_end(change)

    def _look_at_end(self, moved: changes.Moved) -> None:
        if moved.target not in NOBODY_INSIDE or moved.source == moved.target:
            return
        slipped_in = self._slipped_in if moved.target == Session.NOT_OPENED else 0
        if wrong := _wrong_end(self.world.physical, moved.target, self.state.all_decks, self._named, slipped_in):
            raise self.broken(wrong)


class BooksAreTrue(TrueAtRest):
    """1: at rest books = physical truth, except for changes that no sensor saw; the next full count finds those.

    ``_gap`` is by how much the cards inside may differ from the books: what hands did past every sensor, what a
    device told and lost, less what people told the books. An agreed full count leaves no gap.
    """

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._gap = 0
        self._inside = world.physical.inside()
        self._heard = {
            name: (device.store.memory, device.store.last) for name, device in world.physical.devices.items()
        }
        self._untaken: dict[str, dict[int, int]] = {name: {} for name in world.physical.devices}
        self._given_up: dict[tuple[int, int], int] = {}
        """What a memory told before it was lost, by memory and number: on its way, it may be taken all the same."""
        self._agreed = False

    def recorded(self, number: int, logged: Logged) -> None:
        """Follow each entry, and look at each full count and at each end of a session."""
        by_sensor = 0
        if isinstance(logged.event, events.Told):
            self._untaken[logged.event.device].pop(logged.event.number, None)
            memory = self.state.devices[logged.event.device].memory
            self._gap -= self._given_up.pop((memory, logged.event.number), 0)
            by_sensor = _passed(logged.event.body)
        elif isinstance(logged.event, events.LinkUp) and logged.event.behind:
            self._forget(logged.event.device, logged.event.hello.first_kept)
        booked, unseen, causes = 0, 0, set()
        for change in logged.decision.changes:
            self._follow(change)
            if isinstance(change, changes.Booked) and (moved := _booked(change)):
                booked += moved
                unseen += moved if change.cause == UNSEEN else 0
                causes.add(change.cause)
            elif isinstance(change, changes.FullCount):
                self._agreed = change.found == change.expected
                self._look_at_count(change)
            elif isinstance(change, changes.Raised) and change.kind in DOUBTFUL:
                self._look_at_doubt(number, change)
            elif isinstance(change, changes.SessionBegan):
                self._gap = self.world.physical.inside()
        places = self.state.account.places
        below = [place for place, cards in places.items() if cards < 0 and place not in BELOW_ZERO]
        if below or booked_inside(places) < 0:
            raise self.broken(f"record {number}: by the books fewer than no card are in {below or 'machine and shoe'}")
        causes.discard(UNSEEN)
        by_word = bool(causes) and causes <= NOT_BY_A_SENSOR
        if by_sensor not in (0, booked - unseen) and not by_word:
            raise self.broken(f"record {number}: a sensor told {by_sensor:+} card inside, the books took {booked:+}")
        if by_sensor == 0 and booked and not causes <= NOT_BY_A_SENSOR:
            raise self.broken(f"record {number}: the books took {booked:+} cards inside that no sensor told of")
        self._gap += by_sensor - booked

    def happened(self) -> None:
        """Note what the cards did; compare whenever nothing is in flight."""
        self._sense()
        super().happened()

    def _compare(self) -> None:
        booked, found = booked_inside(self.state.account.places), self.world.physical.inside()
        if self.state.under_way and found - booked != self._gap:
            raise self.broken(f"{found} cards are inside, the books say {booked}; unseen changes explain {self._gap}")
        if self._agreed and self.state.under_way and not self._untold() <= self._gap <= self._hidden():
            raise self.broken(f"a full count agreed, and {self._gap} cards more are inside than the books say")
        self._agreed = False

    def _hidden(self) -> int:
        """Cards at the mouth, where no count looks, beyond the books: named damaged, or fed with another as one."""
        table = self.world.physical
        return min(len(table.shoe_mechanism.mouth), self._named + table.faults.struck[Fault.DOUBLE_FEED])

    def _untold(self) -> int:
        """Cards that the books have at the mouth, where no count looks, and that lie there no more, less than none."""
        return min(0, len(self.world.physical.shoe_mechanism.mouth) - self.state.account.at(Place.SHOE))

    def _sense(self) -> None:
        """What the cards did since the last look, and how much of it a sensor saw."""
        now = self.world.physical.inside()
        unseen = self._gap
        self._gap += now - self._inside
        self._inside = now
        for name, device in self.world.physical.devices.items():
            memory, last = self._heard[name]
            if device.store.memory != memory:
                self._gap += sum(self._untaken[name].values())  # told, and lost before anybody took it
                self._given_up |= {(memory, number): cards for number, cards in self._untaken[name].items()}
                self._untaken[name].clear()
                last = 0
            for number, body in device.store.kept_from(last + 1) if device.store.last > last else ():
                self._gap -= _passed(body)
                self._untaken[name][number] = _passed(body)
            self._heard[name] = device.store.memory, device.store.last
        if self._gap != unseen:
            self._agreed = False  # somebody was at the cards since the count

    def _forget(self, device: str, first_kept: int) -> None:
        """What a device told, and forgot before anybody took it, no sensor tells again."""
        untaken = self._untaken[device]
        for number in [number for number in untaken if number < first_kept]:
            self._gap += untaken.pop(number)

    def _look_at_count(self, count: changes.FullCount) -> None:
        differs = count.found != count.expected
        if differs and self.state.counts_trusted:
            raise self.broken(f"a count found {count.found} cards and not {count.expected}, and is believed")

    def _look_at_doubt(self, number: int, raised: changes.Raised) -> None:
        if self.state.counts_trusted:
            raise self.broken(f"record {number}: {raised.kind}, and the counts are believed all the same [SB-7]")


def _wrong_end(table: PhysicalTable, target: str, decks: int, named: int, slipped_in: int) -> str:
    """Say why no session may end so, or nothing: no card is left inside, and of a verified set every face is there.

    ``named``: so many cards were named damaged. One that is not lies there beside its replacement, and perhaps what
    somebody laid there: no sensor's affair. ``slipped_in``: so many may lie inside; the next load's count finds them.
    """
    if (left := table.inside() + len(table.mechanism.intake_tray)) > slipped_in:
        return f"the session ended {target} with {left} cards left in the machine"
    if target != Session.VERIFIED:
        return ""
    lying = [*table.box, *table.on_table, *table.discard, *table.hidden_cards()]
    found = Counter(card.face for card in lying)
    wanted = Counter(dict.fromkeys(ALL_FACES, decks))
    if wanted - found or (found - wanted).total() > named + table.added:
        return f"verified, though {_difference(wanted, found)}"
    return ""


def _booked(change: changes.Booked) -> int:
    """What an entry says of the cards inside."""
    return change.count * ((change.target in INSIDE) - (change.source in INSIDE))


def _passed(body: EventBody) -> int:
    """What an event says of the cards inside: one more, one fewer, or nothing."""
    if isinstance(body, CardIn):
        return 1
    if isinstance(body, CardDrawn) and body.purpose != Purpose.VERIFY:
        return -1
    return 0


def _difference(wanted: Counter[Face], found: Counter[Face]) -> str:
    return f"{(wanted - found).total()} cards of the set are missing and {(found - wanted).total()} are over"
