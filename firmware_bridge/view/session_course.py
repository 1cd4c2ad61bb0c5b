"""What the state does not keep of a session, gathered change by change from the records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec.structs import asdict, replace

from drivers.cards import Face, face_name
from drivers.protocol.messages import DealerKeyPressed
from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.accounts import LOADING
from firmware_bridge.core.records import Logged
from firmware_bridge.core.state import State, course_of
from firmware_bridge.core.steps import CLAIM_OUTCOMES
from firmware_bridge.core.words import ENDS, IN_PLAY, THE_ONLY, Claim, Course, Place, Procedure, Role, Session, Trigger
from firmware_bridge.view.describe import describe
from firmware_bridge.view.difference import deck_words
from firmware_bridge.view.incident_course import When, actor
from firmware_bridge.view.phrases import KEYS
from firmware_bridge.view.report_texts import OPENING, SEATS
from firmware_bridge.view.session_parts import (
    ClaimLine,
    ClockLine,
    CountLine,
    CycleLine,
    DeckReport,
    DeviceReport,
    KeyLine,
    Movement,
    PackLine,
    PersonLine,
    RetiredMachine,
    SeatLine,
    ShoeLine,
    SoftwareLine,
    StepLine,
)
from firmware_bridge.view.session_sets import accounts
from firmware_bridge.view.texts import TRIGGERS

INSIDE = (Place.MACHINE, Place.SHOE)


class SessionCourse:
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
        self.cycles: list[CycleLine] = []
        self.shoes: list[ShoeLine] = []
        self._cut_by = 0
        self.cards: Counter[int] = Counter()
        self.ended_by: dict[int, int] = {}
        self.claims: list[ClaimLine] = []
        self.refusals: Counter[str] = Counter()
        self.clock: list[ClockLine] = []
        self.steps: list[StepLine] = []
        self.packs: list[PackLine] = []
        self.opened: When | None = None
        self.movements: list[Movement] = []
        self.decks: list[DeckReport] = []
        self.earlier_decks: list[DeckReport] = []
        self.machines: list[RetiredMachine] = []
        self._had_shuffled = 0

    def add(self, logged: Logged, state: State, when: When) -> None:
        """Take a record that is folded into the state already."""
        if isinstance(logged.event, e.Acted):
            self._acted(logged.event, when)
        elif isinstance(logged.event, e.ClockJumped):
            self.clock.append(ClockLine(when, describe(logged, when.record) or ""))
        self._pressed(logged, state, when)
        for change in logged.decision.changes:
            self._change(change, state, when)
            self._cards(change, logged.event, state, when)
            self._stepped(change, logged.event, state, when)
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
            case c.FullCount(found=found, expected=expected, set=name):
                self.counts.append(CountLine(when, found, expected, found == expected, name if expected else THE_ONLY))
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

    def _cards(self, change: c.AnyChange, event: e.AnyEvent, state: State, when: When) -> None:
        """What became of the cards: packs, movements, decks that were judged."""
        role, person = actor(event, state)
        match change:
            case c.PackBegan():
                self.packs.append(PackLine(when, role, person))
            case c.PackEnded(cards=cards) if self.packs:
                self.packs[-1] = replace(self.packs[-1], ended=when, ended_by=person, cards=cards)
            case c.Opened():
                self.opened = when
            case c.Booked():
                self._booked(change, when)
            case c.CardsCut(person=cut_by):
                self._cut_by = cut_by
            case c.ShoeFilled(one_player=one_player) if state.fed_by_hand:  # a machine's is told by its cycle
                self.shoes.append(ShoeLine(when, state.shoe.number, self._cut_by, one_player))
            case c.ShoeMarked(behind=behind, came=came) if self.shoes:
                self.shoes[-1] = replace(self.shoes[-1], marked=when, behind=behind, came=came)
            case c.DeckJudged():
                self.decks.append(_deck(change, person, state, when))
            case c.VerificationRestarted():
                self.earlier_decks += self.decks
                self.decks = []

    def _booked(self, change: c.Booked, when: When) -> None:
        if change.source in INSIDE and change.target in INSIDE:
            return
        if change.cause == LOADING and self.packs and self.packs[-1].ended is None:
            self.packs[-1] = replace(self.packs[-1], cards=self.packs[-1].cards + change.count)
        entry = Movement(when, when, change.source.value, change.target.value, change.cause, change.count, change.set)
        last = self.movements[-1] if self.movements else None
        if last and _way(last) == _way(entry):
            self.movements[-1] = replace(last, last=when, count=last.count + entry.count)
        else:
            self.movements.append(entry)

    def _stepped(self, change: c.AnyChange, event: e.AnyEvent, state: State, when: When) -> None:
        """The session's own steps, and a machine that leaves service or is back."""
        role, person = actor(event, state)
        match change:
            case c.Moved(procedure=Procedure.SESSION):
                in_play = change.source in IN_PLAY and change.target in IN_PLAY
                if not in_play and (change.source != change.target or isinstance(event, e.Acted)):
                    line = StepLine(when, change.trigger, change.source, change.target, role, person)
                    self.steps.append(line)
            case c.Moved(procedure=procedure) if procedure.startswith(Procedure.COURSE):
                self._cycled(change, person, state, when)
            case c.FacesRead() if self.cycles:
                missing, over = _named(change.missing), _named(change.over)
                self.cycles[-1] = replace(self.cycles[-1], unread=change.unread, missing=missing, over=over)
            case c.MachineRetired(machine=machine):
                device = next((one for one in reversed(self.devices) if one.identity.name == machine), None)
                about = event.about if isinstance(event, e.Acted) else 0
                self.machines.append(
                    RetiredMachine(when, machine, role, person, about, accounts(state.sets.values()), device)
                )
            case c.MachineReturned():
                self.returned(change, when)

    def _cycled(self, change: c.Moved, person: int, state: State, when: When) -> None:
        """A batch shuffler's cycle on a set: ordered by somebody, begun, and over."""
        name = next(one for one in state.sets if course_of(one) == change.procedure)
        if change.trigger == Trigger.SHUFFLE_SET:
            self._had_shuffled = person
        elif change.target == Course.IN_CYCLE:
            self.cycles.append(CycleLine(when, self._had_shuffled, name))
        elif change.source == Course.IN_CYCLE:
            self.cycles[-1] = replace(self.cycles[-1], ended=when, shuffled=change.target == Course.SHUFFLED)

    def returned(self, change: c.MachineReturned, when: When) -> None:
        """A machine is back in service; it may be so in a later session."""
        self.machines = [
            replace(one, returned=when, returned_by=change.person)
            if one.machine == change.machine and one.returned is None
            else one
            for one in self.machines
        ]

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


def _way(one: Movement) -> tuple[str, ...]:
    return one.set, one.source, one.target, one.cause


def _named(faces: Iterable[int]) -> tuple[str, ...]:
    return tuple(face_name(Face(face)) for face in faces)


def _deck(judged: c.DeckJudged, person: int, state: State, when: When) -> DeckReport:
    missing, over = _named(judged.missing), _named(judged.over)
    back = state.backs[judged.deck - 1] if judged.deck <= len(state.backs) else ""
    regular = state.decks_read[-1].regular
    text = deck_words(judged)
    return DeckReport(
        deck=judged.deck,
        text=text,
        regular=regular,
        by_person=judged.by_person,
        when=when,
        back=back,
        cards=judged.cards,
        missing=missing,
        over=over,
        unread=judged.unread,
        person=person if judged.by_person else 0,
        set=list(state.sets)[min((judged.deck - 1) // state.decks, len(state.sets) - 1)],
    )


def _device(name: str, state: State, when: When) -> DeviceReport:
    device = state.devices[name]
    return DeviceReport(name, device.kind.name.lower(), when, **asdict(device.told))
