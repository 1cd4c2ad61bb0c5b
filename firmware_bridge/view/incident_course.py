"""An incident from its discovery to its report: each of its moments as an entry of its own, with record and person.

Gathered change by change over a whole journal, for an incident may outlive the session that it was raised in. The
entries only repeat what the records hold; nothing here decides.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from drivers.cards import face_name
from drivers.protocol.messages import CardDrawn, DealerKeyPressed
from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.alarms import DEALERS_FIRST
from firmware_bridge.core.records import Logged
from firmware_bridge.core.state import State
from firmware_bridge.core.steps import ACTIONS, ROUND_ENDS
from firmware_bridge.core.words import COMES_BACK, Incident, IncidentKind, Procedure, Role, Trigger
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.view.deal_words import remedy_typed, slip_typed
from firmware_bridge.view.phrases import card_typed, role_words, stands_on
from firmware_bridge.view.report_texts import COURSE, JUDGED, NOT_OWED, SAID_YES, TAKEN, WITHOUT
from firmware_bridge.view.texts import TRIGGERS


class When(Struct, frozen=True):
    """When something was recorded: the record, and UTC in nanoseconds."""

    record: int
    utc_ns: int


class Entry(StrEnum):
    """What an entry of a course is; the first four are the moments that an inspector asks for (BR-011)."""

    DISCOVERY = "discovery"
    STOP = "stop"
    ACKNOWLEDGEMENT = "acknowledgement"
    REPORT = "report"
    CALLED = "called"
    ROUND = "round"
    STEP = "step"
    OWED = "owed"
    CONFIRMATION = "confirmation"


FOUR_MOMENTS = (Entry.DISCOVERY, Entry.STOP, Entry.ACKNOWLEDGEMENT, Entry.REPORT)


class CourseLine(Struct, frozen=True):
    """One entry: what happened, in words, and whose doing it was (0 and empty: no person's).

    ``when`` is None for one of the four moments that did not come; ``trigger`` is the one of a step.
    """

    when: When | None
    entry: Entry
    text: str
    role: str = ""
    person: int = 0
    trigger: str = ""


class IncidentCourses:
    """The courses of all incidents of a journal, by number."""

    def __init__(self) -> None:
        self._lines: dict[int, list[CourseLine]] = {}
        self._owed: set[int] = set()
        self._again: dict[int, int] = {}

    def of(self, number: int, book: RuleBook) -> tuple[CourseLine, ...]:
        """Return the entries of an incident in the order of their records, those of the four that did not come last."""
        owed = COURSE["owed"].format(clause=stands_on(book, "notices.damaged_card"))
        found = self._lines.get(number, [])
        lines = [replace(line, text=owed) if line.entry is Entry.OWED else line for line in found]
        again = self._again.get(number, 0)  # whoever saw it before it came back has not seen that
        told = {line.entry for at, line in enumerate(lines) if at >= again or line.entry is not Entry.ACKNOWLEDGEMENT}
        missing = [entry for entry in FOUR_MOMENTS if entry not in told]
        return (*lines, *(CourseLine(None, entry, self._without(entry, number)) for entry in missing))

    def _without(self, entry: Entry, number: int) -> str:
        """What is said of a moment that did not come; a report that nobody owes is no omission."""
        return NOT_OWED if entry is Entry.REPORT and number not in self._owed else WITHOUT[entry]

    def first(self, number: int, entry: Entry) -> CourseLine | None:
        """Return an incident's first entry of this kind; None where there is none."""
        return next((line for line in self._lines.get(number, []) if line.entry is entry), None)

    def add(self, logged: Logged, state: State, when: When) -> None:
        """Take a record that is folded into the state already."""
        changes = logged.decision.changes
        raised = state.incidents_raised - sum(isinstance(change, c.Raised) for change in changes)
        for change in sorted(changes, key=lambda change: isinstance(change, c.NoticeOwed)):  # owed by what was done
            if isinstance(change, c.Raised):
                raised += 1
                self._raised(raised, change, logged.event, state, when)
            elif isinstance(change, c.Moved) and change.procedure.startswith(f"{Procedure.INCIDENT}/"):
                self._moved(int(change.procedure.partition("/")[2]), change, logged, state, when)
            else:
                self.change(change, when)

    def change(self, change: c.AnyChange, when: When) -> None:
        """Take a change that names its incident and its person itself."""
        match change:
            case c.Stopped(incident=number):
                found = self.first(number, Entry.DISCOVERY)
                held_already = found is not None and found.when == when
                self._put(number, CourseLine(when, Entry.STOP, COURSE["held_already" if held_already else "stop"]))
            case c.Acknowledged(incident=number, person=person):
                self._by(number, when, Entry.ACKNOWLEDGEMENT, Role.SUPERVISOR, person)
            case c.RoundTagged(incident=number):
                self._put(number, CourseLine(when, Entry.ROUND, COURSE["round"].format(round=change.round)))
            case c.DeviceChangedAgain(incident=number, how=how):
                self._put(number, CourseLine(when, Entry.STEP, COURSE["changed_again"].format(how=how)))
            case c.Escalated(incident=number, role=role):
                text = COURSE["called"].format(role=role_words(role))
                self._put(number, CourseLine(when, Entry.CALLED, text, role.value))
            case c.IncidentClosed(incident=number, person=person, action=action):
                words = ACTIONS.get(action, str(action))
                self._by(number, when, Entry.CONFIRMATION, Role.SUPERVISOR, person, action=words)
            case c.NoticeOwed(incident=number):
                self._owed.add(number)
                self._put(number, CourseLine(when, Entry.OWED, ""))
            case c.NoticeSent(incident=number, person=person):
                self._by(number, when, Entry.REPORT, Role.ROOM_MANAGER, person)

    def _raised(self, number: int, change: c.Raised, event: e.AnyEvent, state: State, when: When) -> None:
        role, person = actor(event, state)
        found = COURSE["discovery"].format(who=_who(event, role, person))
        self._put(number, CourseLine(when, Entry.DISCOVERY, found, role, person))
        self._called_first(number, change.kind, when)

    def _called_first(self, number: int, kind: IncidentKind, when: When) -> None:
        first = Role.DEALER if kind in DEALERS_FIRST else Role.SUPERVISOR
        text = COURSE["called"].format(role=role_words(first))
        self._put(number, CourseLine(when, Entry.CALLED, text, first.value))

    def _moved(self, number: int, change: c.Moved, logged: Logged, state: State, when: When) -> None:
        if change.trigger == Trigger.CONFIRM_INCIDENT:
            return  # told with its action by ``IncidentClosed``
        role, person = actor(logged.event, state)
        who = _who(logged.event, role, person)
        judged = JUDGED.get(Incident(change.target))
        text = judged.format(who=who, read=_read(logged.event)) if judged else _step(change, logged, who)
        self._put(number, CourseLine(when, Entry.STEP, text, role, person, change.trigger))
        if change.trigger in COMES_BACK and change.target == Incident.RAISED:
            self._again[number] = len(self._lines[number])
            self._called_first(number, state.incident_kinds[number - 1], when)

    def _by(self, number: int, when: When, entry: Entry, role: Role, person: int, **facts: str) -> None:
        text = COURSE[entry].format(who=f"{role_words(role)} {person}", **facts)
        self._put(number, CourseLine(when, entry, text, role.value, person))

    def _put(self, number: int, line: CourseLine) -> None:
        self._lines.setdefault(number, []).append(line)


def actor(event: e.AnyEvent, state: State) -> tuple[str, int]:
    """Return the role and number of the person whose doing an event was: at a dealer's key, of whoever is signed in.

    Empty and 0 where it was no person's.
    """
    if isinstance(event, e.Acted):
        return event.role.value, event.person
    if isinstance(event, e.Told) and isinstance(event.body, DealerKeyPressed):
        return Role.DEALER.value, state.dealer
    return "", 0


def _who(event: e.AnyEvent, role: str, person: int) -> str:
    if person:
        return f"{role_words(role)} {person}"
    if role:
        return COURSE["nobody_signed_in"]
    return COURSE["device"].format(device=event.device) if isinstance(event, e.Told) else COURSE["controller"]


def _read(event: e.AnyEvent) -> str:
    if isinstance(event, e.Told) and isinstance(event.body, CardDrawn):
        return COURSE["read"].format(face=face_name(event.body.face))
    return COURSE["by_eye"]


def _step(change: c.Moved, logged: Logged, who: str) -> str:
    """A step in words; the trigger's own where no more is to be said."""
    trigger, source = Trigger(change.trigger), Incident(change.source)
    if trigger is Trigger.COUNTED:
        found = [COURSE["counted"].format(found=one.found, expected=one.expected) for one in _counts(logged)]
        return found[0] if found else TRIGGERS[trigger]
    if trigger is Trigger.YES:
        return SAID_YES.get(source, SAID_YES[Incident.RAISED]).format(who=who)
    if trigger is Trigger.ANSWER_NO and source is Incident.ASKING_BACK:
        return COURSE["other_back"].format(who=who)
    value = logged.event.value if isinstance(logged.event, e.Acted) else 0
    told = {"who": who, "value": value, "card": card_typed(value), "ends": ROUND_ENDS.get(value, "")}
    told |= {"slip": slip_typed(value), "remedy": remedy_typed(value)}
    return TAKEN.get(trigger, TRIGGERS[trigger]).format_map(told)


def _counts(logged: Logged) -> list[c.FullCount]:
    return [change for change in logged.decision.changes if isinstance(change, c.FullCount)]
