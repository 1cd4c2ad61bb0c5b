"""One decision in the making: the working state, the event, the changes so far, and the way to the procedures."""

from __future__ import annotations

from msgspec.structs import replace

from firmware_bridge.core import changes as c
from firmware_bridge.core.alarms import settled_by_reading
from firmware_bridge.core.events import Acted, AnyEvent
from firmware_bridge.core.fold import apply_change
from firmware_bridge.core.incident_fold import DISTRUSTS_COUNTS
from firmware_bridge.core.machine import Facts, Refusal, Row, TableMachine
from firmware_bridge.core.outputs import NOT_BLOCKING, holds_cards_back, why_not_deal
from firmware_bridge.core.procedures import INCIDENT_TABLES, INITIAL, OUT_OF_PLACE, TABLES
from firmware_bridge.core.procedures.incidents import KINDS
from firmware_bridge.core.state import OpenIncident, State, course_of
from firmware_bridge.core.words import ROUND_RUNS, THE_ONLY, Incident, IncidentKind, Procedure, Session, Trigger
from firmware_bridge.rulebooks.schema import VOID_AND_SHUFFLE, RuleBook
from firmware_bridge.rulebooks.subjects import behind

MACHINES = {procedure: TableMachine(procedure, rows) for procedure, rows in TABLES.items()}
INCIDENT_MACHINES = {kind: TableMachine(kind, rows) for kind, rows in INCIDENT_TABLES.items()}

STEPS_OF_A_SET = frozenset({Trigger.SHUFFLE_SET, Trigger.TAKE_SET_OUT})
"""Steps of people that move a set's course, and nothing else."""

ROUTES: dict[Trigger, tuple[Procedure, ...]] = {
    trigger: tuple(
        procedure
        for procedure, machine in MACHINES.items()
        if trigger in machine.triggers and procedure is not Procedure.COURSE
    )
    for trigger in Trigger
}
"""Which procedures beside incidents and sets a trigger goes to, in order; the first decides whether others hear it."""


EACH_ON_ITS_OWN = DISTRUSTS_COUNTS - {IncidentKind.JAM} | {IncidentKind.DAMAGED_CARD, IncidentKind.FOREIGN_CARD}
"""Kinds of which a second one counts although the first is open, once something was done about that one."""

OF_THE_JOURNAL = frozenset({IncidentKind.JOURNAL_BEHIND, IncidentKind.JOURNAL_FAILED})
"""Kinds that say that records may be missing: a table that is closed by the journal may not have been."""

CANNOT_GO_ON_WITHOUT = {
    Trigger.COUNT_MACHINE: frozenset({Session.COUNTING_LOAD, Session.COUNTING_EMPTY}),
    Trigger.RELEASE_LID: frozenset({Session.LOOKING, Session.LOOKED, Session.DIFFERENCE}),
}
"""Steps that an incident may want too, and the states of the session that only they leave."""


def _stands_for(open_one: OpenIncident, kind: IncidentKind, about: str) -> bool:
    """Whether an open incident covers what happened now as well."""
    same = open_one.kind is kind and open_one.about == about
    return same and (kind not in EACH_ON_ITS_OWN or open_one.state in (Incident.RAISED, Incident.COUNT_DIFFERS))


class Deciding:
    """A decision in the making. Whatever is added is written into the working state at once."""

    def __init__(self, state: State, event: AnyEvent, book: RuleBook) -> None:
        self.state = state
        self.event = event
        self.book = book
        self.changes: list[c.AnyChange] = []

    def add(self, change: c.AnyChange) -> None:
        """Add a change, and write it into the working state. A clause is recorded as the book in force has it.

        What names no set is about the one that is played with.
        """
        if isinstance(change, c.OfASet) and change.set == THE_ONLY != self.state.playing:
            change = replace(change, set=self.state.playing)
        if isinstance(change, c.Moved | c.Refused) and change.clause != (clause := behind(self.book, change.clause)):
            change = replace(change, clause=clause)
        self.changes.append(change)
        apply_change(self.state, change)

    def raise_incident(self, kind: IncidentKind, about: str, detail: str, held_already: bool | None = None) -> None:
        """Open an incident, unless no session is under way, or one open already stands for it too.

        What puts the journal itself in doubt waits for the next session, and opens with it (SB-11).
        """
        if not self.state.under_way:
            waits_already = any((one.kind, one.about) == (kind, about) for one in self.state.postponed)
            if kind in OF_THE_JOURNAL and not waits_already:
                self.add(c.Postponed(kind, about, detail))
            return
        if any(_stands_for(one, kind, about) for one in self.state.incidents.values()):
            return
        self._add_raised(c.Raised(kind, about, detail), held_already)

    def _add_raised(self, raised: c.Raised, held_already: bool | None = None) -> None:
        """Open an incident; where dealing was held already, that is the moment at which it had stopped (BR-011)."""
        if held_already is None:
            held_already = bool(why_not_deal(self.state))
        self.add(raised)
        self._void_round(raised.kind)
        if held_already and raised.kind not in NOT_BLOCKING:
            self.add(c.Stopped(self.state.incidents_raised))

    def _void_round(self, kind: IncidentKind) -> None:
        """An error in a round makes it void, where the book says so; with no round under way nothing is void."""
        after = KINDS[kind].after
        if after and self.state.session in ROUND_RUNS and getattr(self.book.after_error, after) == VOID_AND_SHUFFLE:
            self.add(c.RoundVoided(self.state.incidents_raised, self.book.clause_of(f"after_error.{after}")))

    def fire(self, trigger: Trigger) -> Row | Refusal | None:
        """Send a trigger to its procedures; return the first row that fired, or the refusal, or None for no row."""
        fired: Row | Refusal | None = None
        for procedure in ROUTES[trigger]:
            source = self.state.positions.get(procedure, INITIAL[procedure])
            answer = self._fire_one(MACHINES[procedure], procedure, source, trigger)
            if fired is None and not isinstance(answer, Row):
                return answer  # the first procedure decides whether the others hear of it
            fired = fired or answer
        return fired

    def fire_incident(self, number: int, trigger: Trigger) -> Row | Refusal | None:
        """Send a trigger to one incident's machine; None where no such incident is open, or it has no such row."""
        incident = self.state.incidents.get(number)
        if incident is None:
            return None
        machine = INCIDENT_MACHINES[incident.kind]
        return self._fire_one(machine, f"{Procedure.INCIDENT}/{number}", incident.state, trigger, number)

    def fire_set(self, name: str, trigger: Trigger) -> Row | Refusal | None:
        """Send a trigger to the machine of a set's course; None where it has no such row."""
        return self._fire_one(
            MACHINES[Procedure.COURSE], course_of(name), self.state.course(name), trigger, of_set=name
        )

    def _fire_one(
        self,
        machine: TableMachine,
        name: str,
        source: str,
        trigger: Trigger,
        subject: int = 0,
        of_set: str = THE_ONLY,
    ) -> Row | Refusal | None:
        facts = Facts(self.state, self.event, self.book, self.state.at, subject, of_set or self.state.playing)
        answer = machine.fire(source, trigger, facts)
        if isinstance(answer, Row):
            effects = tuple(answer.effect(facts)) if answer.effect else ()
            for change in effects:
                self._add_raised(change) if isinstance(change, c.Raised) else self.add(change)
            self.add(c.Moved(name, trigger, source, answer.target, answer.clause))
        return answer

    def awaits(self, number: int, trigger: Trigger) -> bool:
        """Whether this incident is open and its table has a row for the trigger where it stands."""
        incident = self.state.incidents.get(number)
        return incident is not None and INCIDENT_MACHINES[incident.kind].knows(incident.state, trigger)

    def person(self, trigger: Trigger, about: int = 0) -> bool:
        """Send a person's trigger: to the incident that it is about, if that awaits it, else to the session.

        Return whether either took it; where none did, the refusal is what is recorded.
        """
        answer: Row | Refusal | None = None
        if trigger in STEPS_OF_A_SET:
            answer = self._fire_named_set(trigger)
        elif self.awaits(about, trigger) and not self._is_the_sessions(trigger, about):
            answer = self.fire_incident(about, trigger)
        if not isinstance(answer, Row):  # what the incident does not want may be an answer to the session
            answer = self._fire_session(trigger, answer)
        if isinstance(answer, Row):
            return True
        refusal = answer or self._out_of_place(trigger, about)  # the guard's that refused, or the standing one
        routes = ROUTES[trigger] or ((Procedure.COURSE,) if trigger in STEPS_OF_A_SET else (Procedure.SESSION,))
        self.refuse(routes[0], trigger, refusal.clause, refusal.reason)
        return False

    def _fire_named_set(self, trigger: Trigger) -> Row | Refusal | None:
        """Send a step to the set that it names; at a table with one set no set is named."""
        names = list(self.state.sets)
        name = str(self.event.value) if len(names) > 1 and isinstance(self.event, Acted) else names[0]
        if name not in names:
            return Refusal("SB-6", f"name the set: {' or '.join(names)}")
        return self.fire_set(name, trigger)

    def _out_of_place(self, trigger: Trigger, about: int) -> Refusal:
        """Why no procedure wants a step now: the alarm that does waits behind the one presented, or none does."""
        clause, reason = OUT_OF_PLACE[trigger]
        awaiting = next((number for number in self.state.incidents if self.awaits(number, trigger)), 0)
        if awaiting not in (0, about) and about in self.state.incidents:
            reason = f"incident {awaiting} waits for this step: its turn comes after incident {about}"
        return Refusal(clause, reason)

    def _fire_session(self, trigger: Trigger, refusal: Refusal | None) -> Row | Refusal | None:
        answer = self.fire(trigger)
        return answer if isinstance(answer, Row) or refusal is None else refusal

    def _is_the_sessions(self, trigger: Trigger, about: int) -> bool:
        """A session that cannot go on without this has it before an incident has, and what a closing table settles.

        An unloading needs the lid only for cards that the machine holds back: else a jam has it.
        """
        if settled_by_reading(self.state, self.state.incidents[about]):
            return True
        if trigger is Trigger.RELEASE_LID and self.state.session is Session.UNLOADING:
            return holds_cards_back(self.state)
        return self.state.session in CANNOT_GO_ON_WITHOUT.get(trigger, ())

    def refuse(self, procedure: str, trigger: Trigger, clause: str, reason: str) -> None:
        """Record a refusal."""
        self.add(c.Refused(procedure, trigger, clause, reason))

    def device(self, trigger: Trigger) -> bool:
        """Send a device's trigger, which is never refused, to every open incident and to the procedures.

        Return whether a row took it.
        """
        taken = [isinstance(self.fire_incident(number, trigger), Row) for number in list(self.state.incidents)]
        taken += [isinstance(self.fire_set(name, trigger), Row) for name in self.state.sets]
        return isinstance(self.fire(trigger), Row) or any(taken)

    def answer(self, asked_by: str, trigger: Trigger) -> None:
        """Send the result of a command to the procedure that ordered it."""
        procedure, _, number = asked_by.partition("/")
        if procedure == Procedure.INCIDENT:
            self.fire_incident(int(number), trigger)
        elif procedure == Procedure.COURSE:
            self.fire_set(number, trigger)
        else:
            self.fire(trigger)
