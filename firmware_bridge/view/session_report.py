"""A session as an inspector asks for it, gathered from the journal's records: people, load, rounds, claims, incidents.

Pure: records come in by ``SessionReader.add``, one after the other, and ``report`` tells the one session asked for.
"""

from __future__ import annotations

from drivers.cards import UNREAD, Face, face_name
from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.fold import apply, apply_change
from firmware_bridge.core.records import Logged
from firmware_bridge.core.state import Moment, OpenIncident, State
from firmware_bridge.core.steps import ACTIONS
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.rulebooks.subjects import behind
from firmware_bridge.view.alarm_asks import alarm_lines, incident_facts
from firmware_bridge.view.alarm_texts import STATES
from firmware_bridge.view.alarms import incident_words
from firmware_bridge.view.difference import difference, machine_counted_out, since_good_count
from firmware_bridge.view.duties import duty_lines
from firmware_bridge.view.incident_course import Entry, IncidentCourses, When
from firmware_bridge.view.incident_texts import INCIDENT_CLAUSES
from firmware_bridge.view.repeats import Repeats
from firmware_bridge.view.session_course import SessionCourse
from firmware_bridge.view.session_parts import IncidentReport, RoundLine, SessionReport, SoftwareLine
from firmware_bridge.view.session_sets import accounts, sets_of
from firmware_bridge.view.texts import SESSIONS


class SessionReader:
    """Reads a journal's records in order, up to the end of the session ``wanted``; None: of the last one."""

    def __init__(self, wanted: int | None) -> None:
        self.state = State()
        self._wanted = wanted
        self._course = SessionCourse([])
        self._incidents = IncidentCourses()
        self._repeats = Repeats()
        self._is_over = False

    @property
    def found(self) -> bool:
        """Whether the session that is wanted was met."""
        number = self.state.session_number
        return number > 0 and (self._wanted is None or number == self._wanted)

    def add(self, number: int, utc_ns: int, logged: Logged) -> None:
        """Take the next record. Once the session is over, only what is reported of it is still of interest."""
        changes = logged.decision.changes
        if any(isinstance(change, c.SessionBegan) for change in changes):
            if self.state.session_number == self._wanted:
                self._is_over = True
            else:
                self._course = SessionCourse(self._course.software[-1:])
        if self._is_over:
            self._add_later(number, utc_ns, logged)
            return
        apply(self.state, logged, number, utc_ns)
        if isinstance(logged.event, e.Started):
            running = SoftwareLine(logged.event.software, logged.event.software_digest)
            self._course.software += [running] if running not in self._course.software else []
        when = When(number, utc_ns)
        self._course.add(logged, self.state, when)
        self._incidents.add(logged, self.state, when)
        self._repeats.add(logged, self.state, when)

    def _add_later(self, number: int, utc_ns: int, logged: Logged) -> None:
        for change in logged.decision.changes:
            if isinstance(change, c.NoticeSent) and change.incident <= self.state.incidents_raised:
                apply_change(self.state, change)
                self._incidents.change(change, When(number, utc_ns))
            elif isinstance(change, c.MachineReturned):
                self._course.returned(change, When(number, utc_ns))

    def report(self, book: RuleBook) -> SessionReport:
        """Return the session that was found; ``book`` is the one that bound it."""
        state, course = self.state, self._course
        last = When(state.record, state.utc_ns)
        return SessionReport(
            table=state.table,
            session=state.session_number,
            state=state.session.value,
            state_text=SESSIONS[state.session],
            began=course.began or last,
            ended=course.ended,
            last_record=last,
            simulated=any(device.simulated for device in state.devices.values()),
            speed=state.speed,
            fed_by_hand=state.fed_by_hand,
            rulebook=state.rulebook,
            rulebook_title=book.title,
            rulebook_digest=state.rulebook_digest,
            software=tuple(course.software),
            devices=tuple(course.devices),
            seats=tuple(course.seats),
            people=tuple(sorted(course.people.values(), key=lambda line: (line.person, line.role))),
            keys=tuple(course.keys),
            steps=tuple(course.steps),
            packs=tuple(course.packs),
            opened=course.opened,
            movements=tuple(course.movements),
            counts=tuple(course.counts),
            cycles=tuple(course.cycles),
            shoes=tuple(course.shoes),
            rounds=_rounds(state, course),
            sets=sets_of(state),
            set_cards=sum(cards.account.cards for cards in state.sets.values()),
            backs=state.backs,
            imperfect_decks=tuple(state.imperfect_decks),
            authorisation=state.authorisation,
            accounts=accounts(state.sets.values()),
            claims=tuple(course.claims),
            refusals=dict(sorted(course.refusals.items())),
            incidents=_incidents(state, book, self._incidents),
            clock=tuple(course.clock),
            repeats=tuple(one for one in self._repeats.found(state) if one.here),
            duties=duty_lines(state, book, state.utc_ns),
            decks=tuple(course.decks),
            earlier_readings=tuple(one for one in course.earlier_decks if not one.regular),
            machines=tuple(course.machines),
            counted_out=machine_counted_out(state),
            difference=difference(state),
            since_good_count=since_good_count(state),
        )


def _when(moment: Moment | None) -> When | None:
    return When(moment.record, moment.utc_ns) if moment else None


def _rounds(state: State, course: SessionCourse) -> tuple[RoundLine, ...]:
    return tuple(
        RoundLine(
            number=one.number,
            began=When(one.began.record, one.began.utc_ns),
            ended=_when(one.ended),
            cards=course.cards[one.number],
            out=one.out,
            dealer=course.ended_by.get(one.number, state.dealer),
            void=one.void,
        )
        for one in state.rounds
    )


def _incidents(state: State, book: RuleBook, courses: IncidentCourses) -> tuple[IncidentReport, ...]:
    found = sorted({**state.incidents_closed, **state.incidents}.items())
    return tuple(_incident(number, one, state, book, courses) for number, one in found)


def _incident(number: int, one: OpenIncident, state: State, book: RuleBook, courses: IncidentCourses) -> IncidentReport:
    discovery, report = courses.first(number, Entry.DISCOVERY), courses.first(number, Entry.REPORT)
    is_open = number in state.incidents
    return IncidentReport(
        number=number,
        kind=one.kind.value,
        text=incident_words(one),
        clause=behind(book, INCIDENT_CLAUSES[one.kind]),
        state=one.state.value,
        stands=STATES[one.state].format_map(incident_facts(state, one, book)) if is_open else "",
        next=tuple(ask.text for ask in alarm_lines(state, number, book) if ask.due) if is_open else (),
        discovered=When(one.raised.record, one.raised.utc_ns),
        discovered_by=discovery.person if discovery else 0,
        stopped=_when(one.stopped),
        acknowledged=_when(one.acknowledged),
        acknowledged_by=one.acknowledged_by,
        reported=report.when if report else None,
        reported_by=report.person if report else 0,
        confirmed=_when(one.confirmed),
        confirmed_by=one.confirmed_by,
        rounds_meanwhile=tuple(one.rounds),
        action=ACTIONS.get(one.action, str(one.action)) if one.confirmed else "",
        damaged=f"{face_name(Face(one.face))}, deck {one.deck}" if one.face != UNREAD else "",
        face=face_name(Face(one.face)) if one.face != UNREAD else "",
        deck=one.deck,
        taken_from=one.place.value if one.face != UNREAD else "",
        envelope=one.envelope,
        void=one.void,
        course=courses.of(number, book),
    )
