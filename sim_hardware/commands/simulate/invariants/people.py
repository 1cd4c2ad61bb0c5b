"""Invariant 3: nothing is done without its person."""

from __future__ import annotations

from drivers.protocol.messages import DealerKeyPressed, LidMoved
from firmware_bridge.service.inspection import IncidentKind, Logged, Procedure, Role, Session, Trigger, changes, events
from sim_hardware.commands.crowd import ROLES
from sim_hardware.commands.simulate.watch import Invariant, Watch, is_open
from sim_hardware.commands.simulate.world import World
from sim_hardware.commands.stepped import SECOND

SUPERVISOR, DEALER, MANAGER, TECHNICIAN = "supervisor", "dealer", "room_manager", "technician"

LOADING = "loading.present"
UNLOADING = "closing.unloading_present"

WHOSE: dict[str, tuple[str, str]] = {
    # what moves a procedure, whose deed it is (by his role, or by the value of the book that names it), and where that
    # stands in Portugal
    Trigger.OPEN_TABLE: (SUPERVISOR, "PT-A5"),
    Trigger.CUT: (SUPERVISOR, "PT-A3"),
    Trigger.SIGN_IN: (DEALER, "SB-3"),
    Trigger.START_PACK: (LOADING, "PT-A5"),
    Trigger.END_PACK: (LOADING, "PT-A5"),
    Trigger.DECLARE_LOADED: (SUPERVISOR, "PT-A5"),
    Trigger.CONFIRM_PRESENCE: (LOADING, "PT-A5"),
    Trigger.ONE_PLAYER: (SUPERVISOR, "PT-S4"),
    Trigger.STOP_PLAY: (SUPERVISOR, "PT-S8"),
    Trigger.CLOSE_CLAIM: (SUPERVISOR, "PT-A12"),
    Trigger.DECIDE_ROUND: (SUPERVISOR, "SB-2"),
    Trigger.NAME_SLIP: (SUPERVISOR, "PT-A2"),
    Trigger.TAKE_REMEDY: (SUPERVISOR, "PT-A2"),
    Trigger.SIGN_DEVIATION: (SUPERVISOR, "PT-A2"),
    Trigger.CONFIRM_INCIDENT: (SUPERVISOR, "SB-2"),
    Trigger.COUNT_MACHINE: (SUPERVISOR, "SB-7"),
    Trigger.ANSWER_NO: (SUPERVISOR, "PT-A1"),
    Trigger.ANSWER_YES: (SUPERVISOR, "PT-A1"),
    Trigger.CALL_TECHNICIAN: (SUPERVISOR, "PT-A2"),
    Trigger.REPAIRED: (TECHNICIAN, "PT-A2"),
    Trigger.TAKE_OUT_OF_SERVICE: (TECHNICIAN, "PT-A2"),
    Trigger.NAME_CARD: (SUPERVISOR, "PT-A1"),
    Trigger.CONFIRM_REPLACEMENT: ("damaged_card.replaced_by", "PT-A1"),
    Trigger.DECLARE_CLOSED: (SUPERVISOR, "PT-A6"),
    Trigger.BEGIN_UNLOADING: (UNLOADING, "PT-A6"),
    Trigger.RELEASE_LID: (SUPERVISOR, "PT-A2"),
    Trigger.CONFIRM_SHOE_EMPTY: (SUPERVISOR, "SB-4"),
    Trigger.CONFIRM_EMPTY: (SUPERVISOR, "PT-A6"),
    Trigger.CONFIRM_DECK: (SUPERVISOR, "PT-A6"),
    Trigger.NO_CARDS_LEFT: (SUPERVISOR, "PT-A6"),
    Trigger.SORT_AGAIN: (SUPERVISOR, "PT-A6"),
    Trigger.SIGN_RESULT: (SUPERVISOR, "PT-A6"),
    Trigger.SIGN_DIFFERENCE: ("house.difference_signed_by", "PT-A6"),
    Trigger.EMPTY_BY_HAND: (SUPERVISOR, "SB-4"),
    Trigger.AUTHORISE_DECK: (MANAGER, "PT-E4"),
    Trigger.SET_REPLACED: (MANAGER, "SB-2"),
    Trigger.SHUFFLE_MACHINE: (SUPERVISOR, "SB-9"),
    Trigger.SHUFFLE_SET: (SUPERVISOR, "SB-5"),
    Trigger.TAKE_SET_OUT: (SUPERVISOR, "SB-5"),
    Trigger.MARK_IMPERFECT: (SUPERVISOR, "PT-E4"),
    Trigger.DECK_REPLACED: (SUPERVISOR, "PT-E4"),
    Trigger.CHECK_DEVICE: (TECHNICIAN, "SB-10"),
    Trigger.APPROVE_DEVICE: (SUPERVISOR, "SB-10"),
    Trigger.YES: (DEALER, "SB-3"),
    Trigger.ROUND_OVER: (DEALER, "PT-A10"),
    Trigger.CLAIM: (DEALER, "PT-A12"),
    Trigger.MARK_PLACES: (DEALER, "PT-D1"),
    Trigger.PLACE_IN: (DEALER, "PT-D1"),
    Trigger.PLACE_OUT: (DEALER, "PT-D1"),
    Trigger.DEAL_LIES: (DEALER, "PT-D1"),
    Trigger.PLACE_DONE: (DEALER, "PT-D3"),
}

FOLLOWS = frozenset(
    {Trigger.ALL_OUT, Trigger.CONDITION_GONE, Trigger.CONDITION_BACK, Trigger.COUNT_UNKNOWN, Trigger.NOT_ASKED}
)
"""What follows from the state, whoever acted last."""

IN_LOADING = frozenset({Session.LOADING_PACK, Session.ASKING_PRESENCE})
"""Where a presence is that at the loading; elsewhere it is that at the unloading."""

UNDER_WAY_S = 2
"""Seconds within which a card that was under way when the time was up is in."""


class NoStepWithoutItsPerson(Invariant):
    """3: no step happens without the persons the rule book names, or its incident opens in the same turn."""

    number = 3

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._identified = 0
        self._interval = world.config.book.house.presence_interval_s

    def recorded(self, number: int, logged: Logged) -> None:
        """Look at who did what."""
        event = logged.event
        if isinstance(event, events.Started | events.EntryDropped | events.Rejected):
            self._identified = 0
        elif isinstance(event, events.Identified):
            if ROLES.get(event.person) != event.role:
                raise self.broken(f"record {number}: {event.person} is taken for a {event.role}")
            self._identified = event.person
        elif isinstance(event, events.Acted):
            if event.person != self._identified:
                raise self.broken(
                    f"record {number}: {event.person} acts, and {self._identified} had identified himself"
                )
            self._identified = 0
        for change in logged.decision.changes:
            if isinstance(change, changes.Moved):
                self._look_at_move(number, logged, change)
            elif isinstance(change, changes.Booked) and change.cause == "loading":
                self._look_at_loading(number, event)
        if isinstance(event, events.Told) and isinstance(event.body, LidMoved) and event.body.open:
            self._look_at_lid(number, logged)

    def _look_at_move(self, number: int, logged: Logged, moved: changes.Moved) -> None:
        whose, clause = self._whose(moved)
        event = logged.event
        if not whose:
            if isinstance(event, events.Acted) and moved.trigger not in FOLLOWS:
                raise self.broken(f"record {number}: the simulator does not know whose step {moved.trigger} is")
        elif isinstance(event, events.Acted):
            if ROLES.get(event.person) != whose:
                raise self.broken(f"record {number}: {moved.trigger} by {event.person}, a {whose}'s step [{clause}]")
        elif not (whose == DEALER and isinstance(event, events.Told) and isinstance(event.body, DealerKeyPressed)):
            raise self.broken(
                f"record {number}: {moved.trigger} is a {whose}'s step, and came by {type(event).__name__}"
            )
        elif ROLES.get(self.state.dealer) != Role.DEALER:
            raise self.broken(f"record {number}: {moved.trigger}, and no dealer is signed in [SB-3]")

    def _whose(self, moved: changes.Moved) -> tuple[str, str]:
        """Whose step it was by the book, and the clause behind it; empty where it is nobody's."""
        whose, clause = WHOSE.get(moved.trigger, ("", ""))
        if moved.trigger == Trigger.CONFIRM_PRESENCE and moved.source not in IN_LOADING:
            whose = UNLOADING
        if moved.trigger == Trigger.RELEASE_LID and moved.procedure != Procedure.SESSION:
            whose = "jam.lid_opened_by"
        if moved.trigger == Trigger.CUT and self.state.fed_by_hand:
            whose = "cut.if_nobody_wants"
        book = self.world.config.book
        if moved.trigger == Trigger.TAKE_OUT_OF_SERVICE and not book.jam.technician_may_be_called:
            return MANAGER, "SB-4"
        return (str(book.value_of(whose)), book.clause_of(whose)) if "." in whose else (whose, clause)

    def _look_at_loading(self, number: int, event: events.AnyEvent) -> None:
        """PT-A5: a supervisor is present throughout the loading: when the card went in, not when it was heard of."""
        if not isinstance(event, events.Told):
            raise self.broken(f"record {number}: a card was loaded by {type(event).__name__}")
        memory = self.state.devices[event.device].memory
        since = (self.watch.told[event.device, memory][event.number - 1][0] - self.state.present_at) / SECOND
        if since > self._interval + UNDER_WAY_S + self.world.blocked_s:
            raise self.broken(
                f"record {number}: a card was loaded {since:.1f} s after the supervisor was there [PT-A5]"
            )

    def _look_at_lid(self, number: int, logged: Logged) -> None:
        """PT-A2, SB-4: a lid opens because a supervisor released it; else its incident opens, or is open."""
        released = any(isinstance(change, changes.Moved) for change in logged.decision.changes)
        raised = any(isinstance(change, changes.Raised) for change in logged.decision.changes)
        stands = is_open(self.state, IncidentKind.LID_OPENED)
        if self.state.under_way and not (released or raised or stands):
            raise self.broken(f"record {number}: the lid was opened, nobody had released it, and no incident opened")
