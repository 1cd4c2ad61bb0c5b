"""A session as an inspector asks for it, gathered from the journal's records: people, load, rounds, claims, incidents.

Pure: records come in by ``SessionReader.add``, one after the other, and ``report`` tells the one session asked for.
"""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from drivers.cards import UNREAD, Face, face_name
from drivers.protocol.messages import CardDrawn
from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.fold import apply, apply_change
from firmware_bridge.core.records import Logged
from firmware_bridge.core.state import Device, Moment, OpenIncident, State
from firmware_bridge.core.steps import ACTIONS, CLAIM_OUTCOMES
from firmware_bridge.core.words import ENDS, Claim, Incident, IncidentKind, Place, Procedure, Role, Trigger
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.view.alarms import incident_words
from firmware_bridge.view.difference import deck_words, difference, since_good_count
from firmware_bridge.view.duties import duty_lines
from firmware_bridge.view.report_texts import SEATS
from firmware_bridge.view.texts import INCIDENT_CLAUSES, INCIDENTS, SESSIONS


class When(Struct, frozen=True):
    """When something was recorded: the record, and UTC in nanoseconds."""

    record: int
    utc_ns: int


class SeatLine(Struct, frozen=True):
    """Somebody took a seat at the table: signed in, opened it, or took it over."""

    when: When
    person: int
    role: str
    what: str


class PersonLine(Struct, frozen=True):
    """Somebody who acted, and how many steps he took, refused ones among them."""

    person: int
    role: str
    first: When
    steps: int


class DeviceReport(Struct, frozen=True):
    """One device, by what it says of itself."""

    name: str
    driver: str
    model: str
    serial: str
    firmware: str
    digest: str
    simulated: bool


class CountLine(Struct, frozen=True):
    """A full count of the machine."""

    when: When
    found: int
    expected: int
    agrees: bool


class RoundLine(Struct, frozen=True):
    """A round: how many cards were dealt in it, and how many were out at its end."""

    number: int
    began: When
    ended: When | None
    cards: int
    out: int


class ClaimLine(Struct, frozen=True):
    """A claim; ``outcome`` is empty while it is open."""

    opened: When
    closed: When | None = None
    outcome: str = ""
    person: int = 0


class NoticeLine(Struct, frozen=True):
    """A notice to the inspectorate: owed since, and sent when and by whom, if it was."""

    incident: int
    owed: When
    sent: When | None = None
    person: int = 0


class IncidentReport(Struct, frozen=True):
    """An incident with its four moments, and all that was done about it."""

    number: int
    kind: str
    text: str
    clause: str
    state: str
    discovered: When
    stopped: When | None
    acknowledged: When | None
    acknowledged_by: int
    called: tuple[str, ...]
    cleared: When | None
    confirmed: When | None
    confirmed_by: int
    rounds_meanwhile: tuple[int, ...]
    action: str
    damaged: str
    replacements: tuple[str, ...]
    envelope: int
    sealed_by: int


class DeckReport(Struct, frozen=True):
    """What the verification found of one deck; ``by_person``: no reader saw it."""

    deck: int
    text: str
    regular: bool
    by_person: bool


class Repeat(Struct, frozen=True):
    """A kind of incident: how often in this session, and in how many earlier sessions how often (BR-013)."""

    kind: str
    text: str
    here: int
    earlier: int
    earlier_sessions: int


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
    software: tuple[str, ...]
    devices: tuple[DeviceReport, ...]
    seats: tuple[SeatLine, ...]
    people: tuple[PersonLine, ...]
    packs: tuple[int, ...]
    counts: tuple[CountLine, ...]
    rounds: tuple[RoundLine, ...]
    set_cards: int
    accounts: dict[str, int]
    claims: tuple[ClaimLine, ...]
    refusals: dict[str, int]
    incidents: tuple[IncidentReport, ...]
    repeats: tuple[Repeat, ...]
    notices: tuple[NoticeLine, ...]
    duties: tuple[str, ...]
    decks: tuple[DeckReport, ...]
    earlier_readings: tuple[str, ...]
    difference: tuple[str, ...]
    since_good_count: str


class _Course:
    """What the state does not keep of a session: gathered change by change."""

    def __init__(self, software: list[str]) -> None:
        self.software = software
        self.began: When | None = None
        self.ended: When | None = None
        self.seats: list[SeatLine] = []
        self.people: dict[tuple[int, Role], PersonLine] = {}
        self.counts: list[CountLine] = []
        self.cards: Counter[int] = Counter()
        self.claims: list[ClaimLine] = []
        self.refusals: Counter[str] = Counter()
        self.replacements: dict[int, list[str]] = {}
        self.sealed_by: dict[int, int] = {}
        self.notices: dict[int, NoticeLine] = {}

    def add(self, logged: Logged, state: State) -> None:
        """Take a record that is folded into the state already."""
        when = When(state.record, state.utc_ns)
        if isinstance(logged.event, e.Acted):
            self._acted(logged.event, when)
        for change in logged.decision.changes:
            self.change(change, logged.event, state, when)
        if state.session in ENDS and self.ended is None and self.began is not None:
            self.ended = when

    def change(self, change: c.AnyChange, event: e.AnyEvent, state: State, when: When) -> None:
        """Take one change."""
        if isinstance(change, c.SessionBegan):
            self.began = when
            self.seats.append(SeatLine(when, change.supervisor, Role.SUPERVISOR, SEATS["opened"]))
        elif isinstance(change, c.DealerSigned):
            self.seats.append(SeatLine(when, change.person, Role.DEALER, SEATS["signed_in"]))
        elif isinstance(change, c.TookOver):
            self.seats.append(SeatLine(when, change.person, Role.SUPERVISOR, SEATS["took_over"]))
        elif isinstance(change, c.FullCount):
            agrees = change.found == change.expected
            self.counts.append(CountLine(when, change.found, change.expected, agrees))
        elif isinstance(change, c.Booked) and change.target is Place.TABLE and change.source is Place.SHOE:
            self.cards[len(state.rounds)] += change.count
        elif isinstance(change, c.Refused):
            self.refusals[change.clause] += 1
        elif isinstance(change, c.Sealed):
            self.sealed_by[change.incident] = change.person
            self.notices[change.incident] = NoticeLine(change.incident, when)
        elif isinstance(change, c.NoticeSent) and change.incident in self.notices:
            owed = self.notices[change.incident].owed
            self.notices[change.incident] = NoticeLine(change.incident, owed, when, change.person)
        else:
            self._moved_or_closed(change, event, when)

    def _moved_or_closed(self, change: c.AnyChange, event: e.AnyEvent, when: When) -> None:
        if isinstance(change, c.Moved) and change.procedure == Procedure.CLAIM and change.target == Claim.OPEN:
            self.claims.append(ClaimLine(when))
        elif isinstance(change, c.ClaimClosed) and self.claims:
            outcome = CLAIM_OUTCOMES.get(change.outcome, str(change.outcome))
            self.claims[-1] = ClaimLine(self.claims[-1].opened, when, outcome, change.person)
        elif isinstance(change, c.Moved) and change.procedure.startswith(Procedure.INCIDENT):
            self._replacement(change, event)

    def _acted(self, event: e.Acted, when: When) -> None:
        before = self.people.get((event.person, event.role))
        first, steps = (before.first, before.steps) if before else (when, 0)
        self.people[event.person, event.role] = PersonLine(event.person, event.role, first, steps + 1)

    def _replacement(self, change: c.Moved, event: e.AnyEvent) -> None:
        """A replacement as the reader saw it, or as a person did where there is none."""
        answers = {Incident.ASKING_BACK: SEATS["right"], Incident.WRONG_REPLACEMENT: SEATS["wrong"]}
        judged = answers.get(Incident(change.target))
        if judged is None:
            return
        number = int(change.procedure.partition("/")[2])
        read = SEATS["by_person"]
        if isinstance(event, e.Told) and isinstance(event.body, CardDrawn):
            read = face_name(event.body.face)
        elif change.trigger != Trigger.YES:
            return
        self.replacements.setdefault(number, []).append(f"{read}: {judged}")


class SessionReader:
    """Reads a journal's records in order, up to the end of the session ``wanted``; None: of the last one."""

    def __init__(self, wanted: int | None) -> None:
        self.state = State()
        self._wanted = wanted
        self._course = _Course([])
        self._raised: dict[IncidentKind, Counter[int]] = {}
        self._is_over = False

    @property
    def found(self) -> bool:
        """Whether the session that is wanted was met."""
        number = self.state.session_number
        return number > 0 and (self._wanted is None or number == self._wanted)

    def add(self, number: int, utc_ns: int, logged: Logged) -> None:
        """Take the next record. Once the session is over, only notices that it owed are still of interest."""
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
        if isinstance(logged.event, e.Started) and logged.event.software not in self._course.software:
            self._course.software.append(logged.event.software)
        for change in changes:
            if isinstance(change, c.Raised):
                self._raised.setdefault(change.kind, Counter())[self.state.session_number] += 1
        self._course.add(logged, self.state)

    def _add_later(self, number: int, utc_ns: int, logged: Logged) -> None:
        for change in logged.decision.changes:
            if isinstance(change, c.NoticeSent) and change.incident in self._course.notices:
                apply_change(self.state, change)
                self._course.change(change, logged.event, self.state, When(number, utc_ns))

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
            devices=tuple(_device(name, device) for name, device in state.devices.items()),
            seats=tuple(course.seats),
            people=tuple(sorted(course.people.values(), key=lambda line: (line.person, line.role))),
            packs=tuple(state.packs),
            counts=tuple(course.counts),
            rounds=_rounds(state, course),
            set_cards=state.account.cards,
            accounts={place.value: state.account.at(place) for place in Place if state.account.at(place)},
            claims=tuple(course.claims),
            refusals=dict(sorted(course.refusals.items())),
            incidents=_incidents(state, course),
            repeats=self._repeats(),
            notices=tuple(course.notices.values()),
            duties=duty_lines(state, book, state.utc_ns),
            decks=tuple(DeckReport(one.deck, deck_words(one), one.regular, one.by_person) for one in state.decks_read),
            earlier_readings=tuple(deck_words(one) for one in state.earlier_decks if not one.regular),
            difference=difference(state),
            since_good_count=since_good_count(state),
        )

    def _repeats(self) -> tuple[Repeat, ...]:
        """Kinds of this session, with what earlier sessions saw of them: no restart and no new version resets that."""
        here = self.state.session_number
        found = []
        for kind, sessions in self._raised.items():
            if sessions[here]:
                earlier = [count for session, count in sessions.items() if session < here and count]
                found.append(Repeat(kind.value, INCIDENTS[kind], sessions[here], sum(earlier), len(earlier)))
        return tuple(found)


def _when(moment: Moment | None) -> When | None:
    return When(moment.record, moment.utc_ns) if moment else None


def _device(name: str, device: Device) -> DeviceReport:
    return DeviceReport(
        name, device.driver, device.model, device.serial, device.firmware, device.digest, device.simulated
    )


def _rounds(state: State, course: _Course) -> tuple[RoundLine, ...]:
    return tuple(
        RoundLine(
            number=one.number,
            began=When(one.began.record, one.began.utc_ns),
            ended=_when(one.ended),
            cards=course.cards[one.number],
            out=one.out,
        )
        for one in state.rounds
    )


def _incidents(state: State, course: _Course) -> tuple[IncidentReport, ...]:
    return tuple(
        _incident(number, one, course) for number, one in sorted({**state.incidents_closed, **state.incidents}.items())
    )


def _incident(number: int, one: OpenIncident, course: _Course) -> IncidentReport:
    return IncidentReport(
        number=number,
        kind=one.kind.value,
        text=incident_words(one),
        clause=INCIDENT_CLAUSES[one.kind],
        state=one.state.value,
        discovered=When(one.raised.record, one.raised.utc_ns),
        stopped=_when(one.stopped),
        acknowledged=_when(one.acknowledged),
        acknowledged_by=one.acknowledged_by,
        called=tuple(role.value for role in one.escalated),
        cleared=_when(one.cleared),
        confirmed=_when(one.confirmed),
        confirmed_by=one.confirmed_by,
        rounds_meanwhile=tuple(one.rounds),
        action=ACTIONS.get(one.action, str(one.action)) if one.confirmed else "",
        damaged=f"{face_name(Face(one.face))}, deck {one.deck}" if one.face != UNREAD else "",
        replacements=tuple(course.replacements.get(number, ())),
        envelope=one.envelope,
        sealed_by=course.sealed_by.get(number, 0),
    )
