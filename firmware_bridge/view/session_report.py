"""A session as an inspector asks for it, gathered from the journal's records: people, load, rounds, claims, incidents.

Pure: records come in by ``SessionReader.add``, one after the other, and ``report`` tells the one session asked for.
"""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from drivers.cards import UNREAD, Face, face_name
from drivers.protocol.messages import DealerKeyPressed
from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.fold import apply, apply_change
from firmware_bridge.core.records import Logged
from firmware_bridge.core.state import Moment, OpenIncident, State
from firmware_bridge.core.steps import ACTIONS, CLAIM_OUTCOMES
from firmware_bridge.core.words import ENDS, Claim, Place, Procedure, Role, Session
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.rulebooks.subjects import behind
from firmware_bridge.view.alarm_asks import alarm_lines, incident_facts
from firmware_bridge.view.alarm_texts import STATES
from firmware_bridge.view.alarms import incident_words
from firmware_bridge.view.describe import describe
from firmware_bridge.view.difference import deck_words, difference, machine_counted_out, since_good_count
from firmware_bridge.view.duties import duty_lines
from firmware_bridge.view.incident_course import CourseLine, Entry, IncidentCourses, When, actor
from firmware_bridge.view.repeats import Repeat, Repeats
from firmware_bridge.view.report_texts import OPENING, SEATS
from firmware_bridge.view.texts import INCIDENT_CLAUSES, KEYS, SESSIONS, TRIGGERS


class SeatLine(Struct, frozen=True):
    """Somebody took a seat at the table: signed in, opened it, or took it over."""

    when: When
    person: int
    role: str
    what: str


class PersonLine(Struct, frozen=True):
    """Somebody who acted at the keypad, and how many steps he took, refused ones among them."""

    person: int
    role: str
    first: When
    steps: int


class KeyLine(Struct, frozen=True):
    """A dealer's key that counted, and who was signed in. ``answered``: what was asked at the opening, in words."""

    when: When
    person: int
    key: str
    answered: str = ""


class ClockLine(Struct, frozen=True):
    """The wall's clock was set, in words; from here on ``when`` is by the new one."""

    when: When
    text: str


class DeviceReport(Struct, frozen=True):
    """A device, by what it says of itself, and since when it stood there: from the session's beginning on, or later."""

    name: str
    kind: str
    since: When
    model: str
    serial: str
    firmware: str
    digest: str
    simulated: bool

    @property
    def identity(self) -> e.Identity:
        """What it says that it is."""
        return e.Identity(self.model, self.serial, self.firmware, self.digest, self.simulated)


class SoftwareLine(Struct, frozen=True):
    """A program that ran the table; the digest is over its own files, and empty where it told none."""

    name: str
    digest: str


class CountLine(Struct, frozen=True):
    """A full count of the machine."""

    when: When
    found: int
    expected: int
    agrees: bool


class RoundLine(Struct, frozen=True):
    """A round: how many cards were dealt in it, how many were out at its end, and whose it was then.

    ``void`` is the clause by which an error made it void; empty where it stands.
    """

    number: int
    began: When
    ended: When | None
    cards: int
    out: int
    dealer: int
    void: str = ""


class ClaimLine(Struct, frozen=True):
    """A claim, and the dealer who raised it; ``outcome`` is empty while it is open."""

    opened: When
    dealer: int
    closed: When | None = None
    outcome: str = ""
    person: int = 0


class IncidentReport(Struct, frozen=True):
    """An incident: its four moments, and its whole course with them among the entries.

    ``stands`` and ``next`` say where it stands and what is to be done, and are empty once it is confirmed.
    """

    number: int
    kind: str
    text: str
    clause: str
    state: str
    stands: str
    next: tuple[str, ...]
    discovered: When
    discovered_by: int
    stopped: When | None
    acknowledged: When | None
    acknowledged_by: int
    reported: When | None
    reported_by: int
    confirmed: When | None
    confirmed_by: int
    rounds_meanwhile: tuple[int, ...]
    action: str
    damaged: str
    envelope: int
    course: tuple[CourseLine, ...]


class DeckReport(Struct, frozen=True):
    """What the verification found of one deck; ``by_person``: no reader saw it."""

    deck: int
    text: str
    regular: bool
    by_person: bool


class SessionReport(Struct, frozen=True):
    """One session, as far as the journal tells it."""

    table: str
    session: int
    state: str
    state_text: str
    began: When
    ended: When | None
    last_record: When
    simulated: bool
    speed: float
    rulebook: str
    rulebook_title: str
    rulebook_digest: str
    software: tuple[SoftwareLine, ...]
    devices: tuple[DeviceReport, ...]
    seats: tuple[SeatLine, ...]
    people: tuple[PersonLine, ...]
    keys: tuple[KeyLine, ...]
    packs: tuple[int, ...]
    counts: tuple[CountLine, ...]
    rounds: tuple[RoundLine, ...]
    set_cards: int
    accounts: dict[str, int]
    claims: tuple[ClaimLine, ...]
    refusals: dict[str, int]
    incidents: tuple[IncidentReport, ...]
    repeats: tuple[Repeat, ...]
    clock: tuple[ClockLine, ...]
    duties: tuple[str, ...]
    decks: tuple[DeckReport, ...]
    earlier_readings: tuple[str, ...]
    counted_out: str
    difference: tuple[str, ...]
    since_good_count: str


class _Course:
    """What the state does not keep of a session: gathered change by change."""

    def __init__(self, software: list[SoftwareLine]) -> None:
        self.software = software
        self.devices: list[DeviceReport] = []
        self.began: When | None = None
        self.ended: When | None = None
        self.seats: list[SeatLine] = []
        self.people: dict[tuple[int, Role], PersonLine] = {}
        self.keys: list[KeyLine] = []
        self.counts: list[CountLine] = []
        self.cards: Counter[int] = Counter()
        self.ended_by: dict[int, int] = {}
        self.claims: list[ClaimLine] = []
        self.refusals: Counter[str] = Counter()
        self.clock: list[ClockLine] = []

    def add(self, logged: Logged, state: State, when: When) -> None:
        """Take a record that is folded into the state already."""
        if isinstance(logged.event, e.Acted):
            self._acted(logged.event, when)
        elif isinstance(logged.event, e.ClockJumped):
            self.clock.append(ClockLine(when, describe(logged, when.record) or ""))
        self._pressed(logged, state, when)
        for change in logged.decision.changes:
            self._change(change, state, when)
        if state.session in ENDS and self.ended is None and self.began is not None:
            self.ended = when

    def _change(self, change: c.AnyChange, state: State, when: When) -> None:
        match change:
            case c.SessionBegan(supervisor=person):
                self.began = when
                self.devices = [_device(name, state, when) for name in state.devices]
                self.seats.append(SeatLine(when, person, Role.SUPERVISOR, SEATS["opened"]))
            case c.Linked(device=name) if self._is_another(state, name):
                self.devices.append(_device(name, state, when))
            case c.DealerSigned(person=person) if person:
                self.seats.append(SeatLine(when, person, Role.DEALER, SEATS["signed_in"]))
            case c.TookOver(person=person):
                self.seats.append(SeatLine(when, person, Role.SUPERVISOR, SEATS["took_over"]))
            case c.FullCount(found=found, expected=expected):
                self.counts.append(CountLine(when, found, expected, found == expected))
            case c.Booked(source=Place.SHOE, target=Place.TABLE, count=count):
                self.cards[len(state.rounds)] += count
            case c.RoundEnded():
                self.ended_by[len(state.rounds)] = state.dealer
            case c.Refused(clause=clause):
                self.refusals[clause] += 1
            case c.Moved(procedure=Procedure.CLAIM, target=Claim.OPEN):
                self.claims.append(ClaimLine(when, state.dealer))
            case c.ClaimClosed(outcome=outcome, person=person) if self.claims:
                opened = self.claims[-1]
                words = CLAIM_OUTCOMES.get(outcome, str(outcome))
                self.claims[-1] = ClaimLine(opened.opened, opened.dealer, when, words, person)

    def _is_another(self, state: State, name: str) -> bool:
        """Whether another device stands in a place now, within the session."""
        known = [one.identity for one in self.devices if one.name == name]
        return self.began is not None and self.ended is None and state.devices[name].told not in known[-1:]

    def _acted(self, event: e.Acted, when: When) -> None:
        before = self.people.get((event.person, event.role))
        first, steps = (before.first, before.steps) if before else (when, 0)
        self.people[event.person, event.role] = PersonLine(event.person, event.role, first, steps + 1)

    def _pressed(self, logged: Logged, state: State, when: When) -> None:
        """A key that did something; one that was refused stands among the refusals."""
        event, changes = logged.event, logged.decision.changes
        if not isinstance(event, e.Told) or not isinstance(event.body, DealerKeyPressed):
            return
        moved = [change for change in changes if isinstance(change, c.Moved)]
        if moved or any(isinstance(change, c.Raised) for change in changes):
            asked = [Session(one.source) for one in moved if one.procedure == Procedure.SESSION]
            answered = next((OPENING[one] for one in asked if one in OPENING), "")
            self.keys.append(KeyLine(when, actor(event, state)[1], TRIGGERS[KEYS[event.body.key]], answered))


class SessionReader:
    """Reads a journal's records in order, up to the end of the session ``wanted``; None: of the last one."""

    def __init__(self, wanted: int | None) -> None:
        self.state = State()
        self._wanted = wanted
        self._course = _Course([])
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
                self._course = _Course(self._course.software[-1:])
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
            rulebook=state.rulebook,
            rulebook_title=book.title,
            rulebook_digest=state.rulebook_digest,
            software=tuple(course.software),
            devices=tuple(course.devices),
            seats=tuple(course.seats),
            people=tuple(sorted(course.people.values(), key=lambda line: (line.person, line.role))),
            keys=tuple(course.keys),
            packs=tuple(state.packs),
            counts=tuple(course.counts),
            rounds=_rounds(state, course),
            set_cards=state.account.cards,
            accounts={place.value: state.account.at(place) for place in Place if state.account.at(place)},
            claims=tuple(course.claims),
            refusals=dict(sorted(course.refusals.items())),
            incidents=_incidents(state, book, self._incidents),
            clock=tuple(course.clock),
            repeats=tuple(one for one in self._repeats.found(state) if one.here),
            duties=duty_lines(state, book, state.utc_ns),
            decks=tuple(DeckReport(one.deck, deck_words(one), one.regular, one.by_person) for one in state.decks_read),
            earlier_readings=tuple(deck_words(one) for one in state.earlier_decks if not one.regular),
            counted_out=machine_counted_out(state),
            difference=difference(state),
            since_good_count=since_good_count(state),
        )


def _when(moment: Moment | None) -> When | None:
    return When(moment.record, moment.utc_ns) if moment else None


def _device(name: str, state: State, when: When) -> DeviceReport:
    device = state.devices[name]
    told = device.told
    return DeviceReport(
        name, device.kind.name.lower(), when, told.model, told.serial, told.firmware, told.digest, told.simulated
    )


def _rounds(state: State, course: _Course) -> tuple[RoundLine, ...]:
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
        envelope=one.envelope,
        course=courses.of(number, book),
    )
