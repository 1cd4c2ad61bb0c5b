"""What is asked of whom now: what an alarm, the session, the set ask for, what the table waits for first.

The procedures' tables decide whether a step may be taken; a test holds this list against them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.alarms import READ_IN_PLAY, may_be_counted, presented, settled_by_reading
from firmware_bridge.core.deal import BANK
from firmware_bridge.core.dealing import first_cards_wait, said_by_keys
from firmware_bridge.core.device_state import MACHINES
from firmware_bridge.core.incident_asks import INCIDENT_ASKED, OPENED_BY_HAND, RAISED_ASKS
from firmware_bridge.core.outputs import (
    WANTS_EVERY_CARD,
    cards_lie_open,
    cards_may_stay,
    counted_empty,
    holds_cards_back,
    mark_goes_unseen,
    may_close_over_round,
    may_wish_a_shuffle,
    needs_a_new_shoe,
    set_may_open,
    tray_takes_what_is_out,
    why_machine_waits,
    why_not_deal,
)
from firmware_bridge.core.sets import in_shoe, machine_says_cards_are_inside, pack_in_shoe, set_triggers
from firmware_bridge.core.shoe import middle_is_asked
from firmware_bridge.core.state import OpenIncident, State
from firmware_bridge.core.steps import BY_THE_BOOK, Ask, key_ask, step_ask
from firmware_bridge.core.words import (
    ABOUT_THE_MACHINE,
    BEING_LOADED,
    ENDS,
    IN_PLAY,
    ROUND_RUNS,
    CardSet,
    Claim,
    Dealing,
    Incident,
    IncidentKind,
    Place,
    Role,
    Session,
    Trigger,
)
from firmware_bridge.rulebooks.schema import RuleBook

_YES = key_ask(DealerKey.YES, Trigger.YES)
_CLOSE = step_ask(Trigger.DECLARE_CLOSED, due=False)
_OVER = key_ask(DealerKey.ROUND_OVER, Trigger.ROUND_OVER)
_COUNT = step_ask(Trigger.COUNT_MACHINE, due=False)
_PRESENT = step_ask(Trigger.CONFIRM_PRESENCE, due=False)

ASKED: dict[Session, tuple[Ask, ...]] = {
    Session.SHOWING: (_YES, _CLOSE),
    Session.CHECKING_BACKS: (_YES, _CLOSE),
    Session.MIXING: (_YES, _CLOSE),
    Session.LOADING_PACK: (step_ask(Trigger.END_PACK), _PRESENT, _CLOSE),
    Session.ASKING_PRESENCE: (step_ask(Trigger.CONFIRM_PRESENCE), _CLOSE),
    Session.IN_ROUND: (_OVER,),
    Session.DECLARED_CLOSED: (step_ask(Trigger.BEGIN_UNLOADING),),
    Session.WRONG_LOAD: (step_ask(Trigger.BEGIN_UNLOADING),),
    Session.ASKING_UNLOAD_PRESENCE: (step_ask(Trigger.CONFIRM_PRESENCE),),
    Session.SORTING: (_YES,),
    Session.READING_DECK: (step_ask(Trigger.SORT_AGAIN, due=False),),
}
"""What a session's state asks for, where that does not depend on anything else."""

COUNTS_AGAIN = frozenset({Session.COUNTING_LOAD, Session.COUNTING_EMPTY})
"""States that await a count and stay where one is broken off: the supervisor orders it again."""


def asked(state: State, book: RuleBook) -> tuple[Ask, ...]:
    """Return what is asked of whom now, what the table waits for first."""
    asks = _alarm_asks(state, book)
    if state.claim is Claim.OPEN:
        asks.append(step_ask(Trigger.CLOSE_CLAIM))
    if state.under_way and state.dealer == 0:
        asks.append(step_ask(Trigger.SIGN_IN))
    said = said_by_keys(state)
    asks += [ask for ask in _session_asks(state, book) if ask.key not in said] + _deal_asks(state)
    if state.under_way and state.dealer:
        asks.append(step_ask(Trigger.SIGN_IN, due=False))
    asks += [step_ask(Trigger.NOTICE_SENT, about=notice.incident) for notice in state.notices]
    asks += _shoe_asks(state) + _service_asks(state) + _set_asks(state)
    return tuple(replace(ask, role=_whose(ask, state, book)) for ask in asks)


def _whose(ask: Ask, state: State, book: RuleBook) -> Role:
    """Whose the step is: as the rule book says, or, of the others, as it stands above."""
    key = BY_THE_BOOK.get(ask.trigger)
    if ask.trigger is Trigger.CONFIRM_PRESENCE:
        key = "loading.present" if state.session in BEING_LOADED else "closing.unloading_present"
    elif ask.trigger is Trigger.CUT and state.fed_by_hand:
        key = "cut.if_nobody_wants"
    elif ask.trigger is Trigger.RELEASE_LID and ask.about:
        key = "jam.lid_opened_by"
    elif ask.trigger is Trigger.TAKE_OUT_OF_SERVICE and not book.jam.technician_may_be_called:
        return Role.ROOM_MANAGER
    return Role(book.value_of(key)) if key else ask.role


def incident_triggers(state: State, incident: OpenIncident, book: RuleBook) -> tuple[Trigger, ...]:
    """Return what an incident asks for where it stands: nothing of a machine that does not answer."""
    triggers = _triggers(state, incident)
    if not book.jam.technician_may_be_called:
        triggers = tuple(Trigger.TAKE_OUT_OF_SERVICE if one is Trigger.CALL_TECHNICIAN else one for one in triggers)
    if state.fed_by_hand and not may_be_counted(state):
        return tuple(trigger for trigger in triggers if trigger is not Trigger.COUNT_MACHINE)
    if state.session is Session.LOOKED:  # its own look has the lid: confirmed, it settles what the alarm is about
        return tuple(trigger for trigger in triggers if trigger is not Trigger.RELEASE_LID)
    if incident.kind not in ABOUT_THE_MACHINE or state.machine_answers:
        return triggers
    return tuple(trigger for trigger in triggers if trigger not in OF_THE_MACHINE)


OF_THE_MACHINE = frozenset(
    {Trigger.RELEASE_LID, Trigger.COUNT_MACHINE, Trigger.REPAIRED, Trigger.ANSWER_NO, Trigger.ANSWER_YES}
)
"""Steps that are refused while the machine does not answer."""


def _triggers(state: State, incident: OpenIncident) -> tuple[Trigger, ...]:
    if incident.state is Incident.RAISED and incident.kind is IncidentKind.LINK_LOST:
        device = state.devices.get(incident.about)
        is_machine = device is not None and device.kind in MACHINES
        return (Trigger.TAKE_OUT_OF_SERVICE,) if is_machine and incident.acknowledged is not None else ()
    if incident.kind is IncidentKind.IDENTITY_CHANGED and incident.state is not Incident.CLEARED:
        return _approval_triggers(state, incident)
    if incident.state is Incident.RAISED and incident.kind in READ_IN_PLAY and not may_be_read_again(state, incident):
        return ()
    if incident.state is Incident.RAISED and incident.kind is IncidentKind.FOREIGN_CARD and not cards_lie_open(state):
        return ()  # it is taken out where cards lie, not out of the machine: the table closes first
    if incident.state is Incident.RAISED:
        return RAISED_ASKS.get(incident.kind, ())
    if settled_by_reading(state, incident):
        return ()
    if incident.state is Incident.COUNT_DIFFERS and incident.kind not in WANTS_EVERY_CARD:
        return (Trigger.COUNT_MACHINE, Trigger.RELEASE_LID)
    if incident.state in OPENED_BY_HAND and incident.kind is not IncidentKind.JAM:
        return ()
    return INCIDENT_ASKED.get(incident.state, ())


def may_be_read_again(state: State, incident: OpenIncident) -> bool:
    """Whether what lies open may pass the reader again: in play, a single card, or all of it if a tray takes that."""
    is_all = incident.kind is IncidentKind.DUPLICATE
    return state.session in IN_PLAY and (tray_takes_what_is_out(state) or not is_all)


def _approval_triggers(state: State, incident: OpenIncident) -> tuple[Trigger, ...]:
    """Of a device that is there: check it, and approve what was checked; again where it was away since."""
    device = state.devices.get(incident.about)
    if device is None or not device.is_there:
        return ()
    return (Trigger.APPROVE_DEVICE,) if incident.state is Incident.AWAITING_APPROVAL else (Trigger.CHECK_DEVICE,)


def _alarm_asks(state: State, book: RuleBook) -> list[Ask]:
    """The presented alarm's steps; the other alarms wait their turn."""
    number = presented(state)
    if number == 0:
        return []
    incident = state.incidents[number]
    triggers = incident_triggers(state, incident, book)
    asks = [
        key_ask(DealerKey.YES, Trigger.YES, about=number)
        if trigger is Trigger.YES
        else step_ask(trigger, due=place == 0, about=number)
        for place, trigger in enumerate(triggers)
    ]
    if incident.acknowledged is None:
        asks.append(step_ask(Trigger.ACKNOWLEDGE, due=not asks, about=number))
    return asks


def _session_asks(state: State, book: RuleBook) -> list[Ask]:
    if state.session in BY_FACTS:
        return list(BY_FACTS[state.session](state, book))
    return list(ASKED.get(state.session, ()))


Asks = Iterable[Ask]


def _open_asks(state: State, book: RuleBook) -> Asks:
    """What the devices themselves say against opening is said as what is to do about them."""
    devices = state.devices.values()
    at_rest = not any(one.lid_open or one.tray_occupied or one.jammed for one in devices)
    are_there = not state.machine_is_retired and all(one.is_there for one in devices)
    if set_may_open(state, book) and at_rest and are_there and not mark_goes_unseen(state, book):
        yield step_ask(Trigger.OPEN_TABLE)


def _pack_asks(state: State, book: RuleBook) -> Asks:
    more = state.account.at(Place.OUTSIDE) > 0 and state.account.at(Place.OVER) == 0
    if more:
        yield step_ask(Trigger.START_PACK)
    if len(state.packs) >= book.loading.min_packs:
        yield step_ask(Trigger.DECLARE_LOADED, due=not more)
    yield _CLOSE


def _cut_asks(state: State, book: RuleBook) -> Asks:
    """The player whose right it is cuts; where none wants to, another whom the book names (PT-S3)."""
    if state.fed_by_hand:
        yield _YES
    if not state.fed_by_hand or not book.cut.dealer_may:
        yield step_ask(Trigger.CUT, due=not state.fed_by_hand)
    yield _CLOSE


def _filling_asks(state: State, book: RuleBook) -> Asks:
    yield _YES
    if middle_is_asked(book, state.decks):
        yield step_ask(Trigger.ONE_PLAYER, due=False)
    yield _CLOSE


def _emptying_asks(state: State, book: RuleBook) -> Asks:
    """All is drawn out, and said to be."""
    del book
    if state.account.at(Place.SHOE) <= 0:
        yield _YES
    if state.has_box:
        yield step_ask(Trigger.NO_CARDS_LEFT, due=False)
    yield _CLOSE


def _hand_fed_asks(state: State, book: RuleBook) -> Asks:
    """Between two rounds of a shoe that is filled by hand: why it may be emptied before its last round."""
    if needs_a_new_shoe(state):
        yield step_ask(Trigger.SHUFFLE_MACHINE)
    if may_wish_a_shuffle(state, book):
        yield key_ask(DealerKey.YES, Trigger.YES, due=False)
    if state.has_box and not why_not_deal(state):
        yield _YES
    if book.shuffle.when_play_stops and not state.has_box:
        yield step_ask(Trigger.STOP_PLAY, due=False)
    yield _CLOSE


def _ready_asks(state: State, book: RuleBook) -> Asks:
    if state.fed_by_hand:
        yield from _hand_fed_asks(state, book)
        return
    if state.takes_whole_sets:
        yield from (step_ask(trigger, due) for trigger, due in set_triggers(state).items())
        yield _CLOSE
        return
    if state.shuffle_due:
        yield step_ask(Trigger.SHUFFLE_MACHINE)
    if may_wish_a_shuffle(state, book) and why_machine_waits(state) is None:
        yield key_ask(DealerKey.YES, Trigger.YES, due=False)
    yield from (_COUNT, _CLOSE)


def _long_round_asks(state: State, book: RuleBook) -> Asks:
    del book
    if not state.round_void:
        yield _YES
    yield _OVER


def _returning_asks(state: State, book: RuleBook) -> Asks:
    """Cards that do not come back: left in the discard where the machine takes none, or the table closes over them."""
    if state.claim is not Claim.NONE:
        return
    if cards_may_stay(state, book):
        yield _YES
    if may_close_over_round(state):
        yield _CLOSE


def _count_asks(state: State, book: RuleBook) -> Asks:
    """A count is awaited: ordered again where it was broken off, or given up."""
    del book
    if state.session is Session.COUNTING_EMPTY and state.out_of_service:
        yield step_ask(Trigger.EMPTY_BY_HAND)
        return
    if state.order is None:
        yield step_ask(Trigger.COUNT_MACHINE)
    if state.session is Session.COUNTING_LOAD:
        yield _CLOSE


def _unload_asks(state: State, book: RuleBook) -> Asks:
    del book
    if not pack_in_shoe(state):
        if state.out_of_service:
            yield step_ask(Trigger.EMPTY_BY_HAND)
        if holds_cards_back(state) and state.machine_answers:
            yield step_ask(Trigger.RELEASE_LID)
        yield step_ask(Trigger.CONFIRM_EMPTY) if state.fed_by_hand else _COUNT
    yield _PRESENT


def _look_asks(state: State, book: RuleBook) -> Asks:
    """The look into an emptied machine: one that answers, or one that died and was given up."""
    del book
    if pack_in_shoe(state):
        return
    if not state.machine_answers:
        if state.out_of_service:  # until then its lost link is the alarm
            yield step_ask(Trigger.CONFIRM_EMPTY if state.session is Session.LOOKING else Trigger.EMPTY_BY_HAND)
    elif state.session in (Session.LOOKING, Session.LOOKED):
        if not (counted_empty(state) or state.out_of_service):
            yield step_ask(Trigger.COUNT_MACHINE)
            return
        looked = state.session is Session.LOOKED and not machine_says_cards_are_inside(state)
        if looked:
            yield step_ask(Trigger.CONFIRM_EMPTY)
        yield step_ask(Trigger.RELEASE_LID, due=not looked)


def _deck_asks(state: State, book: RuleBook) -> Asks:
    del book
    yield _YES if state.shoe_reads else step_ask(Trigger.CONFIRM_DECK)
    yield step_ask(Trigger.NO_CARDS_LEFT, due=False)


def _difference_asks(state: State, book: RuleBook) -> Asks:
    del book
    yield step_ask(Trigger.SORT_AGAIN, due=False)
    is_left = machine_says_cards_are_inside(state)
    if state.machine_answers:
        yield step_ask(Trigger.RELEASE_LID, due=is_left)
    if not is_left:
        yield step_ask(Trigger.SIGN_DIFFERENCE)


def _result_asks(state: State, book: RuleBook) -> Asks:
    """The result is signed, or a card that got into the machine after the look is taken out (SB-4)."""
    del book
    yield step_ask(Trigger.RELEASE_LID if machine_says_cards_are_inside(state) else Trigger.SIGN_RESULT)


BY_FACTS: dict[Session, Callable[[State, RuleBook], Asks]] = {
    **dict.fromkeys(ENDS, _open_asks),
    Session.CUTTING: _cut_asks,
    Session.FILLING_SHOE: _filling_asks,
    Session.EMPTYING_SHOE: _emptying_asks,
    Session.AWAITING_PACK: _pack_asks,
    Session.READY: _ready_asks,
    Session.ASKING_ROUND: _long_round_asks,
    Session.RETURNING: _returning_asks,
    **dict.fromkeys(COUNTS_AGAIN, _count_asks),
    Session.UNLOADING: _unload_asks,
    Session.LOOKING: _look_asks,
    Session.LID_RELEASED: _look_asks,
    Session.LID_OPEN: _look_asks,
    Session.LOOKED: _look_asks,
    Session.AWAITING_DECK: _deck_asks,
    Session.DIFFERENCE: _difference_asks,
    **dict.fromkeys((Session.EMPTIED, Session.ALL_REGULAR), _result_asks),
}
"""What a session's state asks for where that depends on facts beside it."""


LOOKS_INTO_SHOE = frozenset({Session.EMPTYING_SHOE, Session.UNLOADING, Session.LOOKING, Session.LOOKED})
"""States in which a shoe from which no card comes is looked into."""

DRAWS = frozenset({Session.EMPTYING_SHOE, Session.UNLOADING})
"""Of these, those in which it is drawn as long as cards come."""


def _shoe_asks(state: State) -> list[Ask]:
    """Not of a shoe that a machine still feeds: what lies there is on its way."""
    lies = in_shoe(state)
    is_fed = state.takes_single_cards and state.inside > lies
    may = state.session in LOOKS_INTO_SHOE and lies > 0 and not is_fed
    return [step_ask(Trigger.CONFIRM_SHOE_EMPTY, due=state.has_box or state.session not in DRAWS)] if may else []


def _deal_asks(state: State) -> list[Ask]:
    """What the dealer says to the deal by his keys: due where dealing waits for it; and a slip in it, to be named."""
    keys = said_by_keys(state)
    if state.dealing is Dealing.TURNS and state.deal is not None and state.deal.whose == BANK:
        keys = {}
    if Trigger.MARK_PLACES in keys.values() and why_not_deal(state):
        keys = {}
    asks = [key_ask(key, said, due=first_cards_wait(state)) for key, said in keys.items()]
    kinds = {one.kind for one in state.incidents.values()}
    may_have_slipped = state.deal is not None or IncidentKind.SUPERVISOR_CALLED in kinds
    if state.session in ROUND_RUNS and may_have_slipped and IncidentKind.WRONG_DEAL not in kinds:
        asks.append(step_ask(Trigger.NAME_SLIP, due=False))
    return asks


def _service_asks(state: State) -> list[Ask]:
    owed = state.machine_is_retired and not state.under_way
    return [step_ask(Trigger.RETURN_TO_SERVICE)] if owed else []


def _set_asks(state: State) -> list[Ask]:
    if state.session not in ENDS:
        return [step_ask(Trigger.MARK_IMPERFECT, due=False)] if state.session in IN_PLAY else []
    if state.card_set is CardSet.BARRED:
        return [step_ask(Trigger.SET_REPLACED)]
    if state.card_set is CardSet.IMPERFECT:
        return [step_ask(Trigger.DECK_REPLACED), step_ask(Trigger.AUTHORISE_DECK, due=False)]
    return [step_ask(Trigger.MARK_IMPERFECT, due=False)]
