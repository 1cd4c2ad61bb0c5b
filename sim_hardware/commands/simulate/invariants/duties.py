"""Invariants 3 and 4 over time: entries, lock-outs, notices, and what a set or a machine may not do again."""

from __future__ import annotations

from collections import Counter

from firmware_bridge.service.inspection import IncidentKind, Logged, Trigger, changes, events
from sim_hardware.commands.crowd import ROLES
from sim_hardware.commands.simulate.watch import Invariant, Watch
from sim_hardware.commands.simulate.world import World
from sim_hardware.commands.stepped import SECOND

ROOM = 1.0
"""Seconds within which a lock-out that is over is taken off."""


class EntriesAreProven(Invariant):
    """3, of the keypad: who is taken for somebody typed his PIN; no lock-out ends before its time but by a renewal."""

    number = 3

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        house = world.config.book.house
        self._allowed, self._locked_s = house.wrong_entries, house.lock_out_s
        self._identified: Counter[int] = Counter()
        self._wrong: Counter[int] = Counter()
        self._locked: dict[int, int] = {}
        self._renewed: Counter[int] = Counter()

    def recorded(self, number: int, logged: Logged) -> None:
        """Count each person's entries, right and wrong."""
        event, now = logged.event, logged.table_ns
        if isinstance(event, events.Started):
            self._locked = dict.fromkeys(self._locked, now)
        elif isinstance(event, events.Rejected) and event.person not in self._locked:
            self._wrong[event.person] += 1
            if self._wrong[event.person] >= self._allowed:
                self._locked[event.person] = now
        elif isinstance(event, events.TimerDue) and event.timer.startswith("lock_out/"):
            self._ends(number, int(event.timer.partition("/")[2]), now)
        elif isinstance(event, events.Identified):
            self._identified[event.person] += 1
            if self._identified[event.person] > self.world.right_entries[event.person]:
                raise self.broken(f"record {number}: {event.person} is taken for one who typed a right PIN")
            self._ends(number, event.person, now)
        elif isinstance(event, events.RenewalBegan | events.PinRenewed) and ROLES.get(event.by) != "room_manager":
            raise self.broken(f"record {number}: {event.by} has the PIN of {event.person} renewed [SB-3]")
        elif isinstance(event, events.PinRenewed) and not event.refused:
            self._look_at_renewal(number, event.person)
        self._look_at_lock_outs(number, now)

    def _look_at_renewal(self, number: int, person: int) -> None:
        """A new PIN in the people file forgives what was typed wrongly before."""
        self._renewed[person] += 1
        if self._renewed[person] > self.world.renewals[person]:
            raise self.broken(f"record {number}: the PIN of {person} is told as renewed, and is not")
        self._locked.pop(person, None)
        self._wrong.pop(person, None)

    def _look_at_lock_outs(self, number: int, now: int) -> None:
        """Who is locked out, the books say so; and nobody is for ever."""
        if self._locked.keys() != self.state.locked_out.keys():
            told = sorted(self.state.locked_out)
            raise self.broken(f"record {number}: locked out are {sorted(self._locked)}, the books say {told} [SB-3]")
        for person, since in self._locked.items():
            if now - since > (self._locked_s + ROOM + self.world.blocked_s) * SECOND:
                raise self.broken(f"record {number}: {person} is locked out for {(now - since) / SECOND:.0f} s [SB-3]")

    def _ends(self, number: int, person: int, now: int) -> None:
        since = self._locked.pop(person, None)
        self._wrong.pop(person, None)
        if since is not None and now - since < self._locked_s * SECOND:
            raise self.broken(f"record {number}: the lock-out of {person} ended after {(now - since) / SECOND:.0f} s")


class OwedIsKept(Invariant):
    """4, of what outlives an incident: a notice owed, a deck imperfect, a set barred, a machine out of service."""

    number = 4

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._is_noticed = world.config.book.notices.damaged_card != "nobody"
        self._barred = False
        self._retired: set[str] = set()
        self._owed: set[int] = set()
        self._marked: set[int] = set()
        self._named: dict[int, int] = {}

    def recorded(self, number: int, logged: Logged) -> None:
        """Follow each, and look at every table that opens."""
        event = logged.event
        value = event.value if isinstance(event, events.Acted) else 0
        for change in logged.decision.changes:
            if isinstance(change, changes.CardNamed):
                self._name(change)
            elif isinstance(change, changes.MachineReturned):
                self._retired.discard(self._machine)
            elif isinstance(change, changes.NoticeSent):
                self._owed.discard(change.incident)
            elif isinstance(change, changes.Moved):
                self._follow(number, change, value)
        if self._barred and self.state.card_set.value != "barred":
            raise self.broken(f"record {number}: a set was closed with a difference, and is not barred [SB-2]")
        if self._retired and not self.state.retired:
            raise self.broken(f"record {number}: a machine was taken out of service, and is not out of it [SB-4]")
        unmarked = self._marked - set(self.state.imperfect_decks)
        if unmarked:
            raise self.broken(f"record {number}: decks {unmarked} were imperfect, and are not any more [PT-E4]")
        if self.state.card_set.value == "good" and self.state.imperfect_decks:
            raise self.broken(f"record {number}: a deck is imperfect, and its set is told as good [PT-E4]")
        kept = {notice.incident for notice in self.state.notices}
        if kept and not self._is_noticed:
            raise self.broken(f"record {number}: a notice is owed about {kept}, and the book has it sent to nobody")
        if not self._owed <= kept:
            raise self.broken(
                f"record {number}: the notice about incidents {self._owed - kept} is owed, and gone [PT-A1]"
            )

    @property
    def _machine(self) -> str:
        """Which machine stands there: another one may stand in for it."""
        machine = self.state.devices.get("shuffler")
        return machine.serial if machine is not None else ""

    def _name(self, named: changes.CardNamed) -> None:
        self._named[named.incident] = named.deck
        if self._is_noticed:
            self._owed.add(named.incident)
        self._marked = set(self._named.values())

    def _follow(self, number: int, moved: changes.Moved, value: int) -> None:
        trigger = moved.trigger
        if moved.target == "closed_with_difference":
            self._barred = True
        elif trigger == Trigger.SET_REPLACED:
            self._barred, self._named = False, {}
            self._marked.clear()
        elif trigger == Trigger.MARK_IMPERFECT:
            self._marked.add(value)
        elif trigger == Trigger.DECK_REPLACED:
            self._marked.discard(value)
            self._named = {incident: deck for incident, deck in self._named.items() if deck != value}
        elif trigger == Trigger.AUTHORISE_DECK and value:
            self._marked.clear()
        elif trigger == Trigger.TAKE_OUT_OF_SERVICE:
            self._retired.add(self._machine)
        elif trigger == Trigger.OPEN_TABLE and moved.target == "showing":
            self._open(number)

    def _open(self, number: int) -> None:
        if self._barred:
            raise self.broken(f"record {number}: a set closed with a difference opens a table [SB-2]")
        if self._marked and self.world.config.book.decks.imperfect_needs_authorisation:
            raise self.broken(f"record {number}: decks {self._marked} are imperfect, and open a table [PT-E4]")
        if self._machine in self._retired:
            raise self.broken(f"record {number}: a machine out of service opens a table [SB-4]")


DEEDS: dict[type[changes.Change], tuple[str, str]] = {
    # what a person does beside the procedures, whose deed it is, and where that stands
    changes.Acknowledged: ("supervisor", "SB-2"),
    changes.TookOver: ("supervisor", "PT-A5"),
    changes.NoticeSent: ("room_manager", "PT-A1"),
    changes.Corrected: ("room_manager", "SB-2"),
    changes.MachineReturned: ("technician", "SB-4"),
}


DECLARED: dict[IncidentKind, str] = {IncidentKind.SPILL: "SB-7", IncidentKind.FOREIGN_CARD: "SB-1"}
"""What only a supervisor declares at the keypad, and where that stands."""


class DeedsHaveTheirPerson(Invariant):
    """3, beside the procedures: who acknowledges, takes over, reports; none of it without a screen that shows it."""

    number = 3

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._shown = True

    def recorded(self, number: int, logged: Logged) -> None:
        """Look at who did it, and at what the state makes of it."""
        event = logged.event
        if isinstance(event, events.ScreenSeen):
            self._shown = event.shown
        if not isinstance(event, events.Acted):
            return
        role = ROLES.get(event.person, "")
        for change in logged.decision.changes:
            whose, clause = DEEDS.get(type(change), (role, ""))
            if role != whose:
                raise self.broken(f"record {number}: {event.step} by {event.person}, a {whose}'s deed [{clause}]")
            if isinstance(change, changes.Raised) and change.kind in DECLARED and role != "supervisor":
                kind, clause = change.kind, DECLARED[change.kind]
                raise self.broken(f"record {number}: {kind} declared by {event.person}, no supervisor [{clause}]")
            if isinstance(change, changes.IncidentClosed | changes.Acknowledged) and not self._shown:
                raise self.broken(f"record {number}: {event.step} by {event.person}, who saw no screen [SB-2]")
        stands_by = event.step in (Trigger.START_PACK, Trigger.TAKE_OVER) and role == "supervisor"
        refused = any(isinstance(change, changes.Refused) for change in logged.decision.changes)
        if stands_by and not refused and self.state.supervisor != event.person:
            raise self.broken(
                f"record {number}: {event.person} stands by the table, and the books do not say so [PT-A5]"
            )
