"""Invariant 4, of the remedies: an incident is settled by a count, a shuffle, a reading; by nothing less."""

from __future__ import annotations

from drivers.protocol.messages import CardDrawn
from firmware_bridge.service.inspection import Incident, IncidentKind, Logged, Session, State, Trigger, changes, events
from sim_hardware.commands.simulate.watch import Invariant, Watch, incident_of
from sim_hardware.commands.simulate.world import World

EVERY_CARD_WAS_READ = frozenset({Session.ALL_REGULAR, Session.DIFFERENCE, Session.EMPTIED})
"""States of a session in which every card of the set was read, or the machine was proven empty."""
TO_BE_DEALT = frozenset(
    {
        Session.AWAITING_PACK,
        Session.LOADING_PACK,
        Session.ASKING_PRESENCE,
        Session.COUNTING_LOAD,
        Session.READY,
        Session.IN_ROUND,
        Session.ASKING_ROUND,
        Session.RETURNING,
        Session.COUNTING_MACHINE,
        Session.SHUFFLING,
    }
)
"""States in which the order of the cards matters: they are to be dealt (SB-9)."""
PREPARES_A_SHOE = frozenset(
    {Session.SHOWING, Session.CHECKING_BACKS, Session.MIXING, Session.CUTTING, Session.FILLING_SHOE}
)
"""The same where people fill the shoe, once all cards came out of it: its next filling is their shuffle."""

TOUCH_THE_ORDER = frozenset({IncidentKind.JAM, IncidentKind.LID_OPENED, IncidentKind.POWER_LOST})
"""Faults after which the cards are counted, and shuffled in full before play (SB-9)."""
TO_BE_SHUFFLED = TOUCH_THE_ORDER | {IncidentKind.SEQUENCE}
"""Those, and an order that was seen."""
WANT_EVERY_CARD = frozenset({IncidentKind.SPILL, IncidentKind.SEQUENCE})
"""Kinds whose count is one of the whole set, with nothing out (BR-004)."""
BY_READING_ALONE = TO_BE_SHUFFLED | WANT_EVERY_CARD
"""Kinds whose own count settles them, or else the reading of every card (SB-7)."""
BY_ANY_COUNT = frozenset(
    {
        IncidentKind.UNEXPECTED_CARD,
        IncidentKind.COUNT_MISMATCH,
        IncidentKind.EVENTS_LOST,
        IncidentKind.MEMORY_LOST,
        IncidentKind.JOURNAL_BEHIND,
    }
)
"""Kinds that another count that agreed settles as well (SB-7)."""
BY_READER = frozenset({IncidentKind.FOREIGN_CARD, IncidentKind.DUPLICATE, IncidentKind.UNREADABLE})
"""Kinds that their own reading settles, or that of every card (SB-1)."""
SETTLED = frozenset({Incident.CLEARED, Incident.SHUFFLING})


def an_open_card_is_in_doubt(state: State) -> bool:
    """Nothing that is out goes in before it was read again, or before the foreign card of it is sealed (SB-1)."""
    doubted = (one for one in state.incidents.values() if one.kind in BY_READER)
    return any(one.state in (Incident.RAISED, Incident.READING_AGAIN) for one in doubted)


def settles_itself(state: State, kind: IncidentKind, counted: bool, shown: bool) -> bool:
    """Whether an incident of this kind may be cleared by no step: ``counted`` since, or the screen is ``shown``."""
    if kind in BY_READING_ALONE:
        return state.session in EVERY_CARD_WAS_READ
    if kind in BY_ANY_COUNT:
        return counted or state.session in EVERY_CARD_WAS_READ
    if kind in BY_READER:
        return state.session in EVERY_CARD_WAS_READ
    if kind is IncidentKind.CARD_LOST:
        return state.account.out == 0 or state.session in EVERY_CARD_WAS_READ
    return kind is not IncidentKind.SCREEN_LOST or shown


class RemediesAreReal(Invariant):
    """4, of the remedies."""

    number = 4

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._counted = 0
        self._shown = True

    def recorded(self, number: int, logged: Logged) -> None:
        """Look at each step of an incident."""
        if isinstance(logged.event, events.ScreenSeen):
            self._shown = logged.event.shown
        for change in logged.decision.changes:
            if isinstance(change, changes.FullCount) and change.found == change.expected:
                self._counted = number
            elif isinstance(change, changes.Moved) and (incident := incident_of(change)) is not None:
                kind, since = self.watch.raised[incident - 1]
                if wrong := self._wrong(incident, kind, since, change, logged):
                    raise self.broken(f"record {number}: incident {incident} ({kind}), {wrong}")

    def _wrong(self, incident: int, kind: IncidentKind, since: int, moved: changes.Moved, logged: Logged) -> str:
        state = self.state
        if moved.trigger == Trigger.CONDITION_GONE and moved.target == Incident.CLEARED:
            counted = self._counted > since
            return "" if settles_itself(state, kind, counted, self._shown) else "is settled by itself [SB-2]"
        if moved.trigger == Trigger.COUNTED:
            agreed = [
                one.found == one.expected for one in logged.decision.changes if isinstance(one, changes.FullCount)
            ]
            if moved.target in SETTLED and agreed != [True]:
                return "is settled by a count that differs [SB-7]"
            are_dealt = state.session in (TO_BE_DEALT | PREPARES_A_SHOE if state.fed_by_hand else TO_BE_DEALT)
            if moved.target == Incident.CLEARED and kind in TO_BE_SHUFFLED and are_dealt:
                return "is settled without a shuffle [SB-9]"
            if moved.target == Incident.SHUFFLING and not are_dealt:
                return "shuffles cards that nobody deals any more [SB-9]"
        is_counted_now = moved.trigger == Trigger.COUNT_MACHINE and state.takes_single_cards
        if is_counted_now and kind in WANT_EVERY_CARD and state.account.out:
            return f"is counted with {state.account.out} cards out [SB-7]"
        if moved.trigger == Trigger.TAKE_OUT_OF_SERVICE and kind is IncidentKind.LINK_LOST:
            return self._given_up_wrongly(incident)
        if moved.trigger == Trigger.CARD_DRAWN and moved.target == Incident.ASKING_BACK:
            return "" if self._is_named(incident, logged) else "another card is taken as the replacement [PT-A1]"
        return ""

    def _given_up_wrongly(self, incident: int) -> str:
        one = self.state.incidents.get(incident)
        if one is None or one.about != "shuffler":
            return "takes a machine out of service that is not the shuffler [SB-4]"
        return "" if one.acknowledged is not None else "is given up, and no supervisor has seen it [PT-A2]"

    def _is_named(self, incident: int, logged: Logged) -> bool:
        event, one = logged.event, self.state.incidents.get(incident)
        drawn = isinstance(event, events.Told) and isinstance(event.body, CardDrawn)
        return one is not None and drawn and event.body.face == one.face  # type: ignore[union-attr]
