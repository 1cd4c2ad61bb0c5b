"""A session in its good course, walked through the procedures' tables: whoever is asked does it, and devices tell so.

No device and no clock: what hands do is told to ``decide`` as a device would tell it, so that what is asked next, and
on which clause, is what the tables, the book and the screen's own words make of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from datetime import UTC, datetime, time
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from drivers.cards import ALL_FACES, DECK_SIZE, SPECIAL, UNREAD, Face
from drivers.protocol.batch import CycleBegan, CycleEnded, Mode, Outcome, PackOut, PassDone
from drivers.protocol.messages import (
    Capability,
    CardDrawn,
    CardFed,
    CardIn,
    DealerKey,
    DealerKeyPressed,
    EventBody,
    Hello,
    Inventory,
    Kind,
    LidMoved,
    Purpose,
    TrayChanged,
)
from firmware_bridge.core import events as e
from firmware_bridge.core.changes import Decision, Moved
from firmware_bridge.core.decide import decide
from firmware_bridge.core.shoe import span, warning_card_is_used
from firmware_bridge.core.state import State
from firmware_bridge.core.words import ENDS, Course, Place, Role, Session, Trigger
from firmware_bridge.rulebooks import RuleBook
from firmware_bridge.view.ask_line import AskLine
from firmware_bridge.view.asks import ask_lines
from firmware_bridge.view.texts import Hand

CARDS_A_ROUND = 20
ENOUGH_ROUNDS = 2
"""Rounds after which the table closes; where a shoe has a last round, so many of the second shoe."""

NUMBERS = re.compile(r"\d+( cards?)?")
"""What differs in a line from one time to the next, though it asks for the same."""

SECOND = 10**9
PEOPLE = {role.value: number for number, role in enumerate(Role, start=1)}
SHUFFLER = Capability.CAN_HOLD | Capability.CAN_LOCK_LID | Capability.COUNTS_CARDS | Capability.CAN_SHUT_INTAKE
SHOE, MACHINE = "shoe", "shuffler"
AT_A_TABLE: Mapping[str, tuple[Kind, Capability]] = MappingProxyType(
    {
        SHOE: (Kind.SHOE, Capability.CAN_HOLD | Capability.READS_FACES | Capability.HAS_DEALER_KEYS),
        "keypad": (Kind.KEYPAD, Capability.SENDS_STROKES),
        "lamp": (Kind.LAMP, Capability.SHOWS_LAMP),
    }
)
"""What stands at each table, beside its machine; all can do what their kind can."""


class Asked(NamedTuple):
    """A line as the screen shows it, where the session stood, and whether the line was followed.

    ``entered`` is the clause by which the session came to stand there, ``clause`` the one on which the line was taken,
    or would be; empty where no row answers to it.
    """

    session: Session
    entered: str
    line: AskLine
    clause: str
    followed: bool

    @property
    def may_be_taken(self) -> bool:
        """Whether it is a step or key that nobody waits for: what hands do beside the course is a part of it."""
        return bool(self.line.number or self.line.key) and not (self.line.due or self.followed)


Told = Iterator[tuple[str, EventBody]]


class GoodCourse:
    """One table by one book, of so many decks; ``machine`` is its shuffler's kind.

    None: people fill the shoe; the dealer's keys alone: a metal box.
    """

    def __init__(self, book: RuleBook, machine: Kind | None) -> None:
        self.decks = book.equipment.decks_allowed[0]
        self._book = book
        self.state = State()
        self._number = 0
        self._utc = _first_day(book)
        self._dice = Random(1)
        self._order: list[Face] = []
        self._fillings = self._behind = 0
        self._done_in_silence: list[AskLine] = []
        self._stand_up(_devices(machine))

    def walk(self) -> Iterator[Asked]:
        """Yield what is asked, state by state, from the closed table to the table that is closed again.

        A line stands there once a state: when it first shows, and, if ever, when it is first followed.
        """
        entered = ""
        shown: set[tuple[str, ...]] = set()
        while self.state.session not in ENDS or not self.state.session_number:
            session, lines = self.state.session, ask_lines(self.state, self._book)
            next_one = self._next(lines)
            fresh = [line for line in lines if line is not next_one and _is_new(shown, session, line, "shown")]
            beside = [Asked(session, entered, line, self._clause_if(line), followed=False) for line in fresh]
            clause = self._follow(next_one)
            if _is_new(shown, session, next_one, "followed"):
                yield Asked(session, entered, next_one, clause, followed=True)
            yield from beside
            if self.state.session is not session:
                entered = clause

    def _next(self, lines: tuple[AskLine, ...]) -> AskLine:
        """What is done of what is asked: what the table waits for, unless a round goes on, or the table is to close."""
        state = self.state
        open_to = {line.trigger: line for line in reversed(lines)}
        waits = [line for line in lines if line.due and line not in self._done_in_silence]
        is_used_up = any(line.trigger == Trigger.TAKE_SET_OUT for line in waits)
        if state.session is Session.READY and self._is_enough() and not is_used_up:
            return open_to[Trigger.DECLARE_CLOSED]
        if state.session is Session.IN_ROUND and state.account.at(Place.TABLE) < CARDS_A_ROUND and Hand.DEAL in open_to:
            return open_to[Hand.DEAL]
        return waits[0]

    def _is_enough(self) -> bool:
        """Nothing new comes any more: of a shoe that has a last round, one was played and another begun."""
        played = sum(one.ended is not None for one in self.state.rounds)
        by_shoe = not self.state.takes_single_cards and warning_card_is_used(self._book, self.decks)
        return played >= ENOUGH_ROUNDS and (self._fillings > 1 or not by_shoe)

    # ---- what was asked is done

    def _follow(self, line: AskLine) -> str:
        """Do it; return the clause of the first row that it fired, empty where it fired none."""
        before, said = self._number, self._said(line)
        clauses = [] if said is None else [_clause(self._say(said))]
        clauses += [
            _clause(self._tell(device, body)) for device, body in _TOLD_OF.get(line.trigger, _nothing)(self, line)
        ]
        if self._number == before:
            self._done_in_silence.append(line)
        else:
            self._done_in_silence.clear()
        return next(filter(None, clauses), "")

    def _said(self, line: AskLine) -> e.AnyEvent | None:
        """What a step on the keypad, or a dealer's key, is to the table; None where a thing is done by hand."""
        if line.key:
            return self._event(SHOE, DealerKeyPressed(DealerKey[line.key], self.state.prompt))
        if not line.number:
            return None
        role = Role(line.role)
        trigger = Trigger(line.trigger)
        counted = DECK_SIZE if trigger is Trigger.CONFIRM_DECK else 0
        return e.Acted(PEOPLE[role], role, trigger, line.about, counted)

    def _clause_if(self, line: AskLine) -> str:
        """On which clause a line is taken that is not the next: tried on a copy, and forgotten."""
        said = self._said(line)
        if said is None:
            return ""
        return _clause(_decide(deepcopy(self.state), said, self._book, self._number + 1, self._utc))

    def _say(self, event: e.AnyEvent) -> Decision:
        self._number += 1
        return _decide(self.state, event, self._book, self._number, self._utc)

    def _event(self, device: str, body: EventBody) -> e.Told:
        return e.Told(device, self.state.devices[device].taken + 1, body)

    def _tell(self, device: str, body: EventBody) -> Decision:
        return self._say(self._event(device, body))

    # ---- what devices tell of what hands do

    def _stand_up(self, devices: Mapping[str, tuple[Kind, Capability]]) -> None:
        """A controller starts, and each device is there."""
        backs = ("red",) * self.decks
        names = {name: kind.name.lower() for name, (kind, _) in devices.items()}
        book = self._book
        self._say(e.Started("1", "", book.id, book.digest, "", 1.0, names, self.decks, backs, allow_simulated=False))
        for name, (kind, capabilities) in devices.items():
            hello = Hello.of_another_wire(kind, capabilities, 1, 1, model=name)
            self._say(e.LinkUp(name, hello, memory_lost=False, behind=False))
            self._say(e.DeviceCaughtUp(name))

    def _laid_in(self, line: AskLine) -> Told:
        """Cards of a pack, or of a round, go in one by one; a whole set lies in the tray until it is named."""
        yield MACHINE, TrayChanged(True)
        if self.state.takes_single_cards:
            yield from ((MACHINE, CardIn(UNREAD)) for _ in range(line.about))
            yield MACHINE, TrayChanged(False)

    def _one_drawn(self, line: AskLine) -> Told:
        """A card comes from the shoe; of one from a metal box nothing tells."""
        del line
        if not self.state.has_box:
            yield from self._drawn(Purpose.DEAL, 1)

    def _dealt(self, line: AskLine) -> Told:
        """The next card; before it the warning card, where its turn has come."""
        if self.state.fed_by_hand and self.state.account.at(Place.SHOE) == self._behind:
            self._behind = 0
            yield SHOE, CardDrawn(Purpose.DEAL, SPECIAL)
        else:
            yield from self._one_drawn(line)

    def _taken_out(self, line: AskLine) -> Told:
        yield from self._drawn(Purpose.UNLOAD, line.about)

    def _drawn(self, purpose: Purpose, cards: int) -> Told:
        account = self.state.account
        if account.inside == account.cards:
            self._shuffled()
        for _ in range(cards):
            if self.state.takes_single_cards:
                yield MACHINE, CardFed(purpose)
            yield SHOE, CardDrawn(purpose, self._order.pop())

    def _shuffled(self) -> None:
        """All cards are inside, in another order than before."""
        self._order = list(ALL_FACES * self.decks)
        self._dice.shuffle(self._order)
        self._fillings += 1
        used = warning_card_is_used(self._book, self.decks)
        self._behind = span(self.state.shoe, self._book).least if used else 0

    def _lid_opened(self, line: AskLine) -> Told:
        del line
        yield MACHINE, LidMoved(True)
        yield MACHINE, LidMoved(False)

    def _deck_laid(self, line: AskLine) -> Told:
        del line
        yield SHOE, TrayChanged(True)

    def _cycle_began(self, line: AskLine) -> Told:
        """A named set leaves the tray."""
        del line
        assert self.state.order is not None
        yield MACHINE, TrayChanged(False)
        yield MACHINE, CycleBegan(self.state.order.id, Mode.SHUFFLE, 1)

    def _device_worked(self, line: AskLine) -> Told:
        """What is waited for: a deck is read, a cycle ends and its pack goes to the shoe, or a count is done."""
        del line
        state = self.state
        if state.session is Session.READING_DECK:
            yield from ((SHOE, CardDrawn(Purpose.VERIFY, face)) for face in ALL_FACES)
            yield SHOE, TrayChanged(False)
        elif state.sets_at(Course.IN_CYCLE):
            cards = state.account.cards
            yield MACHINE, PassDone(0, 1, cards)
            yield MACHINE, CycleEnded(0, Mode.SHUFFLE, Outcome.DONE, 1, cards)
            yield MACHINE, PackOut(Purpose.DEAL, cards)
        else:
            assert state.order is not None
            yield MACHINE, Inventory(state.order.id, 0, (state.countable,))


def _devices(machine: Kind | None) -> Mapping[str, tuple[Kind, Capability]]:
    """What stands at a table with this machine, with none, or beside a metal box."""
    if machine is Kind.DEALER_KEYS:
        return {**AT_A_TABLE, SHOE: (machine, Capability.HAS_DEALER_KEYS)}
    return AT_A_TABLE if machine is None else {MACHINE: (machine, SHUFFLER), **AT_A_TABLE}


def _nothing(course: GoodCourse, line: AskLine) -> Told:
    """Of what else hands do no device tells."""
    del course, line
    yield from ()


_TOLD_OF: Mapping[str, Callable[[GoodCourse, AskLine], Told]] = MappingProxyType(
    {
        Hand.PUT_CARDS_IN: GoodCourse._laid_in,
        Hand.BURN: GoodCourse._one_drawn,
        Hand.DEAL: GoodCourse._dealt,
        Hand.DRAW_CARDS: GoodCourse._taken_out,
        Hand.OPEN_LID: GoodCourse._lid_opened,
        Hand.LAY_DECK: GoodCourse._deck_laid,
        Hand.WAIT: GoodCourse._device_worked,
        Trigger.SHUFFLE_SET: GoodCourse._cycle_began,
    }
)
"""What devices tell when a line's deed was done."""


def words_of(line: AskLine) -> str:
    """A line's words without the numbers that differ from one time to the next."""
    return NUMBERS.sub("", line.text)


def _is_new(shown: set[tuple[str, ...]], session: Session, line: AskLine, how: str) -> bool:
    """Whether a line, whatever numbers it names, was not yet shown, or followed, in this state; note that it is."""
    key = (how, session, words_of(line))
    is_new = key not in shown
    shown.add(key)
    return is_new


def _decide(state: State, event: e.AnyEvent, book: RuleBook, number: int, utc_ns: int) -> Decision:
    """A record a second."""
    return decide(state, event, number=number, table_ns=number * SECOND, utc_ns=utc_ns, book=book)


def _clause(decision: Decision) -> str:
    """On which clause the first row fired; empty where none did."""
    return next((change.clause for change in decision.changes if isinstance(change, Moved)), "")


def _first_day(book: RuleBook) -> int:
    """A moment at which all that the regulator permitted holds, in nanoseconds of UTC."""
    days = [one.holds_from for one in book.permissions]
    return int(datetime.combine(max(days), time(12), UTC).timestamp()) * SECOND if days else 0
