"""One evening of scripted people on a stepped clock, played until its session is over."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

import msgspec

from firmware_bridge.core import changes as c
from firmware_bridge.core.records import Logged
from firmware_bridge.core.state import OpenIncident
from firmware_bridge.core.words import IncidentKind, Session
from firmware_bridge.service.config import Config
from firmware_bridge.view import TableView, table_view
from sim_hardware.commands.misdeeds import Habit
from sim_hardware.commands.people import Dealer, Evening, Pace, Person, RoomManager, Supervisor, Technician
from sim_hardware.commands.stepped import TICK_NS, SteppedTable
from sim_hardware.faults import Fault, Plan, Planned
from sim_hardware.mechanics import QUICK
from sim_hardware.table import Fittings, PhysicalTable
from tests.table.evening import BACKS, DEALER, PEOPLE, ROOM_MANAGER, SUPERVISOR, config, credentials

RELIEF, TECHNICIAN = 102, 401
LATEST = 900.0
LOOK_NS = 10 * TICK_NS
"""How often people look, and the grain of these evenings."""
ESCALATES_AFTER = 60
"""Seconds, in place of the house's five minutes: nobody waits for them here."""


def at(fault: Fault, opportunity: int) -> Plan:
    """A fault that strikes once, at exactly this opportunity."""
    return (Planned((fault,), opportunity, opportunity),)


class Played:
    """One evening, played until its session is over or nothing moves any more."""

    def __init__(
        self,
        *habits: Habit,
        decks: int = 4,
        seed: int = 5,
        rounds: int = 1,
        faults: Plan = (),
        before: Callable[[PhysicalTable], object] = lambda _: None,
        supervisor: type[Supervisor] = Supervisor,
    ) -> None:
        fittings = Fittings(decks=decks, backs=BACKS[:decks], rates=QUICK, faults=faults)
        self.table = SteppedTable(_config(decks), credentials, seed, fittings)
        self.evening = Evening(rounds=rounds, backs=BACKS[:decks])
        self.dealer, *others = people(self.evening, seed, frozenset(habits), supervisor)
        before(self.table.physical)
        self.view = play(self.table, self.evening, (self.dealer, *others))

    @property
    def session(self) -> Session:
        return self.table.state.session

    @property
    def struck(self) -> int:
        """How often a fault struck."""
        return self.table.physical.faults.struck.total()

    @property
    def incidents(self) -> list[OpenIncident]:
        """All that were confirmed."""
        return list(self.table.state.incidents_closed.values())

    def one(self, kind: IncidentKind) -> OpenIncident:
        """The only incident of its kind."""
        [incident] = [one for one in self.incidents if one.kind is kind]
        return incident

    @property
    def changes(self) -> list[c.AnyChange]:
        bodies = (Logged.from_body(record.body) for record in self.table.store.records())
        return [change for body in bodies for change in body.decision.changes]

    @property
    def refusals(self) -> set[tuple[str, str]]:
        return {(change.trigger, change.clause) for change in self.changes if isinstance(change, c.Refused)}

    @property
    def moves(self) -> set[str]:
        return {change.target for change in self.changes if isinstance(change, c.Moved)}


def play(
    table: SteppedTable,
    evening: Evening,
    everybody: Iterable[Person],
    latest: float = LATEST,
    after: Callable[[], object] = lambda: None,
) -> TableView:
    """Have everybody look and act until the evening is over, or it is too late; return the last screen.

    ``after`` is called each time that they have looked.
    """
    while evening.sessions and table.seconds < latest:
        table.step(LOOK_NS)
        view = table_view(table.state, table.config.book, table.assembly.controller.status(), ())
        for person in everybody:
            person.step(table.seconds, view, table.physical)
        after()
    return view


def _config(decks: int) -> Config:
    usual = config(decks)
    house = msgspec.structs.replace(usual.book.house, escalate_after_s=ESCALATES_AFTER)
    return msgspec.structs.replace(usual, book=msgspec.structs.replace(usual.book, house=house))


def people(
    evening: Evening, seed: int, habits: frozenset[Habit] = frozenset(), supervisor: type[Supervisor] = Supervisor
) -> tuple[Dealer, *tuple[Person, ...]]:
    """The scripted people of an evening."""
    pace = Pace(factor=0.2)

    def who(number: int) -> tuple[int, str, Random, Evening, Pace, frozenset[Habit]]:
        return number, PEOPLE[number][0], Random(f"{seed} {number}"), evening, pace, habits

    return (
        Dealer(*who(DEALER)),
        supervisor(*who(SUPERVISOR)),
        Technician(*who(TECHNICIAN)),
        RoomManager(*who(ROOM_MANAGER)),
        Dealer(*who(RELIEF), after_round=1),
    )
