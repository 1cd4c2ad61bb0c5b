"""Invariant 3, of what books say differently: the steps of the opening, the packs, a round that an error makes void."""

from __future__ import annotations

from drivers.protocol.messages import Operation
from firmware_bridge.service.inspection import IncidentKind, Logged, Place, Procedure, Session, Trigger, changes, events
from sim_hardware.commands.simulate.invariants.remedies import BY_ANY_COUNT, BY_READING_ALONE
from sim_hardware.commands.simulate.watch import Invariant, Watch, is_open
from sim_hardware.commands.simulate.world import World
from sim_hardware.hand_fed_table import HandFedTable

ROUND_RUNS = frozenset({Session.IN_ROUND, Session.ASKING_ROUND})
MAY_GO_ON = frozenset({Session.ASKING_ROUND, Session.RETURNING})
"""States in which a dealer's yes lets a long round go on, or leaves cards that the machine does not take."""
ROUND_VOID = 2
"""The action towards the players that a void round leaves."""

ERRORS: dict[str, frozenset[IncidentKind]] = {
    # LD-7, LD-8 tell a break of the host, other errors of the system, and people's
    "jam": frozenset({IncidentKind.JAM}),
    "host_break": frozenset({IncidentKind.HOST_BREAK, IncidentKind.RELEASE_LAPSED, IncidentKind.JOURNAL_FAILED}),
    "system_error": frozenset(
        {
            IncidentKind.LINK_LOST,
            IncidentKind.KEYPAD_LOST,
            IncidentKind.SCREEN_LOST,
            IncidentKind.POWER_LOST,
            IncidentKind.EVENTS_LOST,
            IncidentKind.MEMORY_LOST,
            IncidentKind.JOURNAL_BEHIND,
            IncidentKind.COUNT_MISMATCH,
            IncidentKind.SEQUENCE,
            IncidentKind.DUPLICATE,
            IncidentKind.SLOW_JOURNAL,
        }
    ),
    "human_error": frozenset(
        {IncidentKind.SPILL, IncidentKind.LID_OPENED, IncidentKind.UNEXPECTED_CARD, IncidentKind.FOREIGN_CARD}
    ),
}
"""What counts as which error in a round."""


class AsTheBookSays(Invariant):
    """3: what the book asks of the opening is done and nothing else; after a void round all is shuffled, or nothing."""

    number = 3

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        book = world.config.book
        self._by_hand = isinstance(world.physical, HandFedTable)
        """People fill the shoe: they mix and cut whatever a book asks of a machine; its next filling is a shuffle."""
        self._opening = {
            Session.SHOWING: book.opening.show_cards,
            Session.CHECKING_BACKS: book.opening.check_backs,
            Session.MIXING: self._by_hand or book.opening.mix_by_hand,
            Session.CUTTING: self._by_hand or book.cut.with_shuffler,
        }
        self._voids = {
            kind
            for error, kinds in ERRORS.items()
            if getattr(book.after_error, error) == "void_round_and_shuffle"
            for kind in kinds
        }
        self._packs = book.loading.min_packs
        self._round_runs = False
        self._void: set[int] = set()
        self._is_void = False
        """The last round is void."""
        self._to_shuffle = False
        self._shuffles: int | None = None
        """The record that ordered a shuffle since which no card went in."""
        self._raised = 0
        self._burned = 0

    def recorded(self, number: int, logged: Logged) -> None:
        """Follow the opening, the rounds and the shuffles."""
        if isinstance(logged.event, events.Started) and self._round_runs:
            self._look_at_break(number)
        for change in logged.decision.changes:
            if isinstance(change, changes.Moved):
                self._moved(number, change)
            elif isinstance(change, changes.Raised):
                self._raise(number, change, logged)
            elif isinstance(change, changes.IncidentClosed) and change.incident in self._void:
                if change.action != ROUND_VOID:
                    raise self.broken(f"record {number}: action {change.action} after a round that is void [LD-8]")
            elif isinstance(change, changes.RoundBegan) and self._to_shuffle:
                raise self.broken(f"record {number}: a round begins, and the void one's cards are not shuffled [LD-8]")
            else:
                self._follow_burn(number, change)
                self._follow_shuffle(number, change)
        self._round_runs = self.state.session in ROUND_RUNS

    def _moved(self, number: int, moved: changes.Moved) -> None:
        if moved.procedure != Procedure.SESSION:
            return
        if moved.source in self._opening and moved.trigger != Trigger.DECLARE_CLOSED:
            asked = self._opening[Session(moved.source)]
            if (moved.trigger != Trigger.NOT_ASKED) != asked:
                wrong = "is asked for, and passed over" if asked else "is not asked for, and was"
                raise self.broken(f"record {number}: {moved.source} {wrong} [PT-A4]")
        if moved.trigger == Trigger.YES and moved.source in MAY_GO_ON and self._to_shuffle:
            raise self.broken(f"record {number}: a void round goes on, or its cards stay out [LD-8]")
        is_wanted = self._is_void or (self._by_hand and self._to_be_counted)
        if moved.trigger == Trigger.SHUFFLE_MACHINE and not is_wanted:
            raise self.broken(f"record {number}: the cards are shuffled, and no round is void [SB-9]")
        wishes = moved.trigger == Trigger.YES and moved.source == Session.READY and moved.target not in ROUND_RUNS
        if wishes and (self._to_shuffle or not self.world.config.book.shuffle.at_dealers_wish):
            raise self.broken(f"record {number}: shuffled at a wish that the book does not leave the dealer [MO-2e]")
        packs, account = self.state.packs, self.state.account
        if moved.trigger == Trigger.DECLARE_LOADED and len(packs) < self._packs:
            raise self.broken(f"record {number}: {len(packs)} packs went in of {self._packs} [PT-A5]")
        is_all = sum(packs) >= account.cards and account.at(Place.OVER) == 0
        if moved.trigger == Trigger.END_PACK and is_all and len(packs) < self._packs:
            raise self.broken(f"record {number}: pack {len(packs)} of {self._packs} is the rest of the set [PT-A5]")

    @property
    def _to_be_counted(self) -> bool:
        """Whether a shoe that people fill is emptied before its last round: for a count, or as it is used up."""
        state, waits = self.state, BY_ANY_COUNT | BY_READING_ALONE
        awaited = any(one.kind in waits and one.state.value != "cleared" for one in state.incidents.values())
        return awaited or not state.counts_trusted or state.account.at(Place.SHOE) <= 0 or state.shoe.marked_at != 0

    def _raise(self, number: int, raised: changes.Raised, logged: Logged) -> None:
        self._raised += 1
        told = [one.incident for one in logged.decision.changes if isinstance(one, changes.RoundVoided)]
        is_void = self._round_runs and raised.kind in self._voids
        if is_void != (self._raised in told):
            words = "leaves its round as it is" if is_void else "voids a round"
            raise self.broken(f"record {number}: {raised.kind} {words} [LD-8]")
        if is_void:
            self._void.add(self._raised)
            self._is_void = self._to_shuffle = True

    def _look_at_break(self, number: int) -> None:
        """A controller that starts within a round was gone in it."""
        if IncidentKind.HOST_BREAK in self._voids and not is_open(self.state, IncidentKind.HOST_BREAK):
            raise self.broken(f"record {number}: a break in a round voids nothing [LD-7]")

    def _follow_burn(self, number: int, change: changes.Change) -> None:
        """So many cards are burned before a round as the book has it (MO-4a, MO-4b); of a shoe: ``LastRoundIsLast``."""
        if self._by_hand:
            return
        burn, rounds = self.world.config.book.burn, len(self.state.rounds)
        if isinstance(change, changes.Booked) and change.cause == "burn" and rounds and not self.state.rounds[-1].ended:
            if not burn.before_bank_second_card:
                raise self.broken(f"record {number}: a card is burned within a round [MO-4b]")
        elif isinstance(change, changes.Booked) and change.cause == "burn":
            self._burned += 1
            wanted = int(burn.before_each_later_round) if rounds else burn.cards_with_shuffler(self.state.decks)
            if self._burned > wanted:
                raise self.broken(f"record {number}: {self._burned} cards are burned, and not {wanted} [MO-4a]")
        elif isinstance(change, changes.RoundBegan):
            wanted = int(burn.before_each_later_round) if rounds > 1 else burn.cards_with_shuffler(self.state.decks)
            if self._burned != wanted:
                raise self.broken(f"record {number}: {self._burned} cards were burned and not {wanted} [MO-4a]")
            self._burned = 0
        elif isinstance(change, changes.SessionBegan):
            self._burned = 0

    def _follow_shuffle(self, number: int, change: changes.Change) -> None:
        if isinstance(change, changes.ShoeFilled) and self._by_hand:
            self._to_shuffle = False
        elif isinstance(change, changes.OrderGiven) and change.operation is Operation.SHUFFLE:
            self._shuffles = change.id or number
        elif isinstance(change, changes.Booked) and change.target is Place.MACHINE:
            self._shuffles = None
        elif isinstance(change, changes.OrderClosed) and change.id == self._shuffles and change.outcome == "done":
            all_are_in = not self._round_runs and self.state.session != Session.RETURNING
            self._to_shuffle = self._to_shuffle and not all_are_in
        elif isinstance(change, changes.RoundBegan):
            self._is_void = False
        elif isinstance(change, changes.SessionBegan):
            self._is_void = self._to_shuffle = False
