"""Invariants 4, 5, of what readers tell: a deck in doubt is read again; a face too often has its alarm, and is read."""

from __future__ import annotations

from collections import Counter

from drivers.cards import ALL_FACES, DECK_SIZE, UNREAD, Face
from drivers.protocol.messages import Capability, CardDrawn
from firmware_bridge.service.inspection import (
    Incident,
    IncidentKind,
    Logged,
    Place,
    Procedure,
    Session,
    Trigger,
    changes,
    events,
)
from sim_hardware.commands.simulate.watch import Invariant, Watch, incident_of, is_open
from sim_hardware.commands.simulate.world import World

OUT = frozenset({Place.TABLE, Place.DISCARD})
ONE_DECK = Counter(ALL_FACES)
ROUND_RUNS = frozenset({Session.IN_ROUND, Session.ASKING_ROUND})
PLAYED = ROUND_RUNS | {Session.READY, Session.RETURNING, Session.COUNTING_MACHINE, Session.SHUFFLING}
"""States of a session in which cards that lie open are read again; once it closes, every card is read anyway."""


class ReadingsAreDoubted(Invariant):
    """5, of readings: what they come to is worked out from the entries, a card each."""

    number = 5

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._out: Counter[Face] = Counter()
        """Faces dealt since a card last went anywhere else."""
        self._begin()

    def _begin(self) -> None:
        self._deck: Counter[Face] = Counter()
        self._set: Counter[Face] = Counter()
        self._doubted = False

    def recorded(self, number: int, logged: Logged) -> None:
        """Follow each deck that is read, and look at how it and the whole set are judged; and what lies open."""
        self._look_at_card(number, logged)
        for change in logged.decision.changes:
            self._follow_out(change)
            if isinstance(change, changes.Booked) and change.cause == "verification":
                self._deck[change.face] += 1
            elif isinstance(change, changes.DeckDoubted):
                self._look_at_doubt(number)
            elif isinstance(change, changes.DeckJudged) and not change.by_person:
                self._look_at_judgement(number)
            elif isinstance(change, changes.VerificationRestarted | changes.SessionBegan):
                self._begin()
            elif isinstance(change, changes.Moved) and change.procedure == Procedure.SESSION:
                self._look_at_end(number, change)

    def _look_at_card(self, number: int, logged: Logged) -> None:
        """An unread card holds the table, and so does a face of which more are out than the set has (SB-1)."""
        told = logged.event
        if not (isinstance(told, events.Told) and isinstance(told.body, CardDrawn) and self.state.under_way):
            return
        reads = Capability.READS_FACES in self.state.devices[told.device].capabilities
        dealt = any(
            isinstance(one, changes.Booked) and one.source is Place.SHOE and one.target in OUT
            for one in logged.decision.changes
        )
        if not (reads and dealt):
            return
        if told.body.face == UNREAD and not is_open(self.state, IncidentKind.UNREADABLE):
            raise self.broken(f"record {number}: a card came unread, and play goes on [SB-1]")
        self._out[told.body.face] += 1
        often = told.body.face != UNREAD and self._out[told.body.face] > self.state.decks
        if often and not is_open(self.state, IncidentKind.DUPLICATE):
            raise self.broken(f"record {number}: a face is out too often, and play goes on [SB-1]")

    def _follow_out(self, change: changes.Change) -> None:
        """What went back may come again: only of what was dealt since then it is known that it lies open."""
        went = isinstance(change, changes.Booked) and change.target not in OUT
        if went or isinstance(change, changes.SessionBegan | changes.ReadingEnded):
            self._out.clear()

    def _is_in_doubt(self) -> bool:
        """Full, and a single face of it was not read (BR-016)."""
        return self._deck.total() == DECK_SIZE and (ONE_DECK - self._deck).total() == 1

    def _look_at_doubt(self, number: int) -> None:
        if self._doubted or not self._is_in_doubt():
            raise self.broken(f"record {number}: a deck is read again in which no single read can be wrong [PT-A6]")
        self._doubted = True
        self._deck.clear()

    def _look_at_judgement(self, number: int) -> None:
        if self._is_in_doubt() and not self._doubted:
            raise self.broken(f"record {number}: a deck is judged in which one read may be wrong [PT-A6]")
        if self._doubted and self._deck == ONE_DECK and not is_open(self.state, IncidentKind.MISREAD):
            raise self.broken(f"record {number}: the reader was wrong, and nobody is told [PT-A6]")
        self._set += self._deck
        self._doubted = False
        self._deck.clear()

    def _look_at_end(self, number: int, moved: changes.Moved) -> None:
        """A face that the whole set has too often is a foreign card (SB-1)."""
        if moved.target != Session.DIFFERENCE or moved.trigger != Trigger.SHOE_TRAY_EMPTIED:
            return
        over = any(face and cards > self.state.all_decks for face, cards in self._set.items())
        if over and not is_open(self.state, IncidentKind.FOREIGN_CARD):
            raise self.broken(f"record {number}: a card too many of a face was read, and no alarm says so [SB-1]")


class ReadAgainInFull(Invariant):
    """4, of the reader: what lies open is read again between rounds, all of it at once, and by its faces (SB-1)."""

    number = 4

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._read: Counter[Face] = Counter()
        """Faces that passed the reader since the cards at it were laid there."""

    def recorded(self, number: int, logged: Logged) -> None:
        """Follow each reading, from the cards that are laid to what they settle."""
        for change in logged.decision.changes:
            incident = incident_of(change) if isinstance(change, changes.Moved) else None
            if isinstance(change, changes.Moved) and incident is not None:
                kind = self.watch.raised[incident - 1][0]
                if kind in (IncidentKind.DUPLICATE, IncidentKind.UNREADABLE) and (
                    wrong := self._wrong(kind, change, logged)
                ):
                    raise self.broken(f"record {number}: incident {incident} ({kind}), {wrong} [SB-1]")

    def _wrong(self, kind: IncidentKind, moved: changes.Moved, logged: Logged) -> str:
        state, out = self.state, self.state.account.out
        told = logged.event
        if moved.trigger == Trigger.YES:
            self._read.clear()
            if state.session not in PLAYED:
                return f"cards are read again in {state.session}"
            if kind is IncidentKind.DUPLICATE and (state.session in ROUND_RUNS or out > DECK_SIZE):
                return f"{out} cards are read again in {state.session}, at once"
        elif moved.trigger == Trigger.CARD_DRAWN and isinstance(told, events.Told) and isinstance(told.body, CardDrawn):
            self._read[told.body.face] += 1
            if moved.target == Incident.CLEARED and told.body.face == UNREAD:
                return "is settled by a card that was not read"
        elif moved.trigger == Trigger.SHOE_TRAY_EMPTIED and moved.target == Incident.CLEARED:
            if self._read.total() != out:
                return f"is settled by {self._read.total()} cards, and {out} are out"
            often = any(face != UNREAD and cards > state.decks for face, cards in self._read.items())
            if often and not is_open(state, IncidentKind.FOREIGN_CARD):
                return "a face was read too often again, and nobody is told"
        return ""
