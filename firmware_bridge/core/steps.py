"""What is asked of whom: steps on the keypad, and the dealer's keys that would count.

A step has a fixed number, so that a hand learns it; the table shows only those that are open. The procedures' tables
decide whether a step may be taken; a test holds this list against them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct
from msgspec.structs import replace

from drivers.cards import RANKS, SUITS, Face, face_of
from drivers.protocol.messages import DealerKey
from firmware_bridge.core.alarms import READ_IN_PLAY, presented, settled_by_reading
from firmware_bridge.core.device_state import MACHINES
from firmware_bridge.core.incident_asks import INCIDENT_ASKED, OPENED_BY_HAND, RAISED_ASKS
from firmware_bridge.core.outputs import (
    WANTS_EVERY_CARD,
    cards_may_stay,
    counted_empty,
    may_close_over_round,
    may_wish_a_shuffle,
    set_may_open,
    tray_takes_what_is_out,
    why_machine_waits,
)
from firmware_bridge.core.sets import in_shoe, pack_in_shoe, set_triggers
from firmware_bridge.core.state import OpenIncident, State
from firmware_bridge.core.words import (
    ABOUT_THE_MACHINE,
    BEING_LOADED,
    ENDS,
    IN_PLAY,
    CardSet,
    Claim,
    Incident,
    IncidentKind,
    Place,
    Role,
    Session,
    Trigger,
)
from firmware_bridge.rulebooks.schema import RuleBook


class Step(Struct, frozen=True):
    """A keypad step: its number, whose it is, and what must be typed with it (empty: nothing).

    ``incident``: the step is about the alarm that is presented, not about the session.
    """

    number: int
    role: Role
    typed: str = ""
    incident: bool = False


STEPS: dict[Trigger, Step] = {
    Trigger.CONFIRM_PRESENCE: Step(1, Role.SUPERVISOR),
    Trigger.ACKNOWLEDGE: Step(2, Role.SUPERVISOR, incident=True),
    Trigger.OPEN_TABLE: Step(10, Role.SUPERVISOR),
    Trigger.SIGN_IN: Step(11, Role.DEALER),
    Trigger.TAKE_OVER: Step(12, Role.SUPERVISOR),
    Trigger.START_PACK: Step(20, Role.SUPERVISOR),
    Trigger.END_PACK: Step(21, Role.SUPERVISOR),
    Trigger.DECLARE_LOADED: Step(22, Role.SUPERVISOR),
    Trigger.CLOSE_CLAIM: Step(30, Role.SUPERVISOR, "outcome"),
    Trigger.CONFIRM_INCIDENT: Step(31, Role.SUPERVISOR, "action", incident=True),
    Trigger.COUNT_MACHINE: Step(32, Role.SUPERVISOR),
    Trigger.ANSWER_NO: Step(33, Role.SUPERVISOR, incident=True),
    Trigger.ANSWER_YES: Step(34, Role.SUPERVISOR, "card", incident=True),
    Trigger.CALL_TECHNICIAN: Step(35, Role.SUPERVISOR, incident=True),
    Trigger.REPAIRED: Step(36, Role.TECHNICIAN, incident=True),
    Trigger.TAKE_OUT_OF_SERVICE: Step(37, Role.TECHNICIAN, incident=True),
    Trigger.NAME_CARD: Step(38, Role.SUPERVISOR, "card", incident=True),
    Trigger.CONFIRM_REPLACEMENT: Step(39, Role.SUPERVISOR, "envelope", incident=True),
    Trigger.DECLARE_CLOSED: Step(40, Role.SUPERVISOR),
    Trigger.BEGIN_UNLOADING: Step(41, Role.SUPERVISOR),
    Trigger.RELEASE_LID: Step(42, Role.SUPERVISOR),
    Trigger.CONFIRM_EMPTY: Step(43, Role.SUPERVISOR),
    Trigger.CONFIRM_DECK: Step(44, Role.SUPERVISOR, "count"),
    Trigger.NO_CARDS_LEFT: Step(45, Role.SUPERVISOR),
    Trigger.SORT_AGAIN: Step(46, Role.SUPERVISOR),
    Trigger.SIGN_RESULT: Step(47, Role.SUPERVISOR),
    Trigger.SIGN_DIFFERENCE: Step(48, Role.ROOM_MANAGER),
    Trigger.EMPTY_BY_HAND: Step(49, Role.SUPERVISOR),
    Trigger.MARK_IMPERFECT: Step(50, Role.SUPERVISOR, "deck"),
    Trigger.DECK_REPLACED: Step(51, Role.SUPERVISOR, "deck"),
    Trigger.AUTHORISE_DECK: Step(52, Role.ROOM_MANAGER, "reference"),
    Trigger.SET_REPLACED: Step(53, Role.ROOM_MANAGER),
    Trigger.NOTICE_SENT: Step(54, Role.ROOM_MANAGER, "incident"),
    Trigger.RENEW_PIN: Step(55, Role.ROOM_MANAGER, "person"),
    Trigger.DECLARE_SPILL: Step(56, Role.SUPERVISOR),
    Trigger.RETURN_TO_SERVICE: Step(57, Role.TECHNICIAN),
    Trigger.CORRECTIVE_ACTION: Step(58, Role.ROOM_MANAGER, "incident"),
    Trigger.CUT: Step(60, Role.SUPERVISOR),
    Trigger.SHUFFLE_MACHINE: Step(61, Role.SUPERVISOR),
    Trigger.SHUFFLE_SET: Step(64, Role.SUPERVISOR, "set"),
    Trigger.TAKE_SET_OUT: Step(65, Role.SUPERVISOR, "set"),
    Trigger.CHECK_DEVICE: Step(62, Role.TECHNICIAN, incident=True),
    Trigger.APPROVE_DEVICE: Step(63, Role.SUPERVISOR, incident=True),
    Trigger.DECLARE_FOREIGN: Step(66, Role.SUPERVISOR),
    Trigger.DECIDE_ROUND: Step(67, Role.SUPERVISOR, "decision", incident=True),
    Trigger.CONFIRM_SHOE_EMPTY: Step(68, Role.SUPERVISOR),
}

BY_THE_BOOK: dict[Trigger, str] = {
    Trigger.START_PACK: "loading.present",
    Trigger.END_PACK: "loading.present",
    Trigger.CONFIRM_REPLACEMENT: "damaged_card.replaced_by",
    Trigger.BEGIN_UNLOADING: "closing.unloading_present",
    Trigger.SIGN_DIFFERENCE: "house.difference_signed_by",
}
"""Steps whose role is the rule book's to say, each with the value that says it."""

BY_NUMBER: dict[int, Trigger] = {step.number: trigger for trigger, step in STEPS.items()}

CLAIM_OUTCOMES: dict[int, str] = {1: "upheld", 2: "rejected", 3: "withdrawn"}

ROUND_VOID = 2
ROUND_ENDS: dict[int, str] = {1: "settled as the cards lie", ROUND_VOID: "void"}
"""What becomes of a round that no more cards come for."""
ACTIONS: dict[int, str] = {0: "none needed", 1: "stakes returned", ROUND_VOID: "round void"}
"""Actions towards the players, which nobody may leave open (BR-011)."""


def typed_with(state: State, trigger: Trigger) -> str:
    """What is to be typed with a step: no set is named where there is one."""
    typed = STEPS[trigger].typed
    return "" if typed == "set" and len(state.sets) == 1 else typed


def named_card(value: int, decks: int) -> tuple[int, Face] | None:
    """Return the deck and the face that were typed (2307: deck 2, hearts, 7), or None where that is no card."""
    deck, suit, rank = value // 1000, value // 100 % 10, value % 100
    if not (1 <= deck <= decks and 1 <= suit <= len(SUITS) and 1 <= rank <= len(RANKS)):
        return None
    return deck, face_of(rank, suit - 1)


class Ask(Struct, frozen=True):
    """Something that a person may, or should, do now. ``due`` true: the table waits for it."""

    role: Role
    trigger: Trigger
    due: bool = True
    key: DealerKey | None = None
    about: int = 0

    @property
    def number(self) -> int:
        """The step's number on the keypad; 0 for a dealer's key."""
        return STEPS[self.trigger].number if self.key is None else 0


def _step(trigger: Trigger, due: bool = True, about: int = 0) -> Ask:
    return Ask(STEPS[trigger].role, trigger, due, None, about)


def _key(key: DealerKey, trigger: Trigger, due: bool = True, about: int = 0) -> Ask:
    return Ask(Role.DEALER, trigger, due, key, about)


_YES = _key(DealerKey.YES, Trigger.YES)
_CLOSE = _step(Trigger.DECLARE_CLOSED, due=False)
_OVER = _key(DealerKey.ROUND_OVER, Trigger.ROUND_OVER)
_COUNT = _step(Trigger.COUNT_MACHINE, due=False)
_PRESENT = _step(Trigger.CONFIRM_PRESENCE, due=False)

ASKED: dict[Session, tuple[Ask, ...]] = {
    Session.SHOWING: (_YES, _CLOSE),
    Session.CHECKING_BACKS: (_YES, _CLOSE),
    Session.MIXING: (_YES, _CLOSE),
    Session.CUTTING: (_step(Trigger.CUT), _CLOSE),
    Session.LOADING_PACK: (_step(Trigger.END_PACK), _PRESENT, _CLOSE),
    Session.ASKING_PRESENCE: (_step(Trigger.CONFIRM_PRESENCE), _CLOSE),
    Session.IN_ROUND: (_OVER,),
    Session.DECLARED_CLOSED: (_step(Trigger.BEGIN_UNLOADING),),
    Session.WRONG_LOAD: (_step(Trigger.BEGIN_UNLOADING),),
    Session.ASKING_UNLOAD_PRESENCE: (_step(Trigger.CONFIRM_PRESENCE),),
    Session.EMPTIED: (_step(Trigger.SIGN_RESULT),),
    Session.SORTING: (_YES,),
    Session.READING_DECK: (_step(Trigger.SORT_AGAIN, due=False),),
    Session.ALL_REGULAR: (_step(Trigger.SIGN_RESULT),),
}
"""What a session's state asks for, where that does not depend on anything else."""

COUNTS_AGAIN = frozenset({Session.COUNTING_LOAD, Session.COUNTING_EMPTY})
"""States that await a count and stay where one is broken off: the supervisor orders it again."""


def asked(state: State, book: RuleBook) -> tuple[Ask, ...]:
    """Return what is asked of whom now, what the table waits for first."""
    asks = _alarm_asks(state, book)
    if state.claim is Claim.OPEN:
        asks.append(_step(Trigger.CLOSE_CLAIM))
    if state.under_way and state.dealer == 0:
        asks.append(_step(Trigger.SIGN_IN))
    asks += _session_asks(state, book)
    if state.under_way and state.dealer:
        asks.append(_step(Trigger.SIGN_IN, due=False))
    asks += [_step(Trigger.NOTICE_SENT, about=notice.incident) for notice in state.notices]
    asks += _shoe_asks(state) + _service_asks(state) + _set_asks(state)
    return tuple(replace(ask, role=_whose(ask, state, book)) for ask in asks)


def _whose(ask: Ask, state: State, book: RuleBook) -> Role:
    """Whose the step is: as the rule book says, or, of the others, as it stands above."""
    key = BY_THE_BOOK.get(ask.trigger)
    if ask.trigger is Trigger.CONFIRM_PRESENCE:
        key = "loading.present" if state.session in BEING_LOADED else "closing.unloading_present"
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
    """Of a device that is there: check it, and approve what was checked; again where it was away, or another came."""
    device = state.devices.get(incident.about)
    if device is None or not device.is_there:
        return ()
    is_checked = incident.state is Incident.AWAITING_APPROVAL and incident.checked == device.told
    return (Trigger.APPROVE_DEVICE,) if is_checked else (Trigger.CHECK_DEVICE,)


def _alarm_asks(state: State, book: RuleBook) -> list[Ask]:
    """The presented alarm's steps; the other alarms wait their turn."""
    number = presented(state)
    if number == 0:
        return []
    incident = state.incidents[number]
    triggers = incident_triggers(state, incident, book)
    asks = [
        _key(DealerKey.YES, Trigger.YES, about=number)
        if trigger is Trigger.YES
        else _step(trigger, due=place == 0, about=number)
        for place, trigger in enumerate(triggers)
    ]
    if incident.acknowledged is None:
        asks.append(_step(Trigger.ACKNOWLEDGE, due=not asks, about=number))
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
    if set_may_open(state, book) and at_rest and are_there:
        yield _step(Trigger.OPEN_TABLE)


def _pack_asks(state: State, book: RuleBook) -> Asks:
    more = state.account.at(Place.OUTSIDE) > 0 and state.account.at(Place.OVER) == 0
    if more:
        yield _step(Trigger.START_PACK)
    if len(state.packs) >= book.loading.min_packs:
        yield _step(Trigger.DECLARE_LOADED, due=not more)
    yield _CLOSE


def _ready_asks(state: State, book: RuleBook) -> Asks:
    if state.takes_whole_sets:
        yield from (_step(trigger, due) for trigger, due in set_triggers(state).items())
        yield _CLOSE
        return
    if state.shuffle_due:
        yield _step(Trigger.SHUFFLE_MACHINE)
    if may_wish_a_shuffle(state, book) and why_machine_waits(state) is None:
        yield _key(DealerKey.YES, Trigger.YES, due=False)
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
        yield _step(Trigger.EMPTY_BY_HAND)
        return
    if state.order is None:
        yield _step(Trigger.COUNT_MACHINE)
    if state.session is Session.COUNTING_LOAD:
        yield _CLOSE


def _unload_asks(state: State, book: RuleBook) -> Asks:
    del book
    if not pack_in_shoe(state):
        if state.out_of_service:
            yield _step(Trigger.EMPTY_BY_HAND)
        yield _COUNT
    yield _PRESENT


def _look_asks(state: State, book: RuleBook) -> Asks:
    """The look into an emptied machine: one that answers, or one that died and was given up."""
    del book
    if pack_in_shoe(state):
        return
    if not state.machine_answers:
        if state.out_of_service:  # until then its lost link is the alarm
            yield _step(Trigger.CONFIRM_EMPTY if state.session is Session.LOOKING else Trigger.EMPTY_BY_HAND)
    elif state.session in (Session.LOOKING, Session.LOOKED):
        looked = state.session is Session.LOOKED
        if not (counted_empty(state) or state.out_of_service):
            yield _step(Trigger.COUNT_MACHINE)
            return
        if looked:
            yield _step(Trigger.CONFIRM_EMPTY)
        yield _step(Trigger.RELEASE_LID, due=not looked)


def _deck_asks(state: State, book: RuleBook) -> Asks:
    del book
    yield _YES if state.shoe_reads else _step(Trigger.CONFIRM_DECK)
    yield _step(Trigger.NO_CARDS_LEFT, due=False)


def _difference_asks(state: State, book: RuleBook) -> Asks:
    del book
    yield _step(Trigger.SORT_AGAIN, due=False)
    if state.machine_answers:
        yield _step(Trigger.RELEASE_LID, due=False)
    yield _step(Trigger.SIGN_DIFFERENCE)


BY_FACTS: dict[Session, Callable[[State, RuleBook], Asks]] = {
    **dict.fromkeys(ENDS, _open_asks),
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
}
"""What a session's state asks for where that depends on facts beside it."""


LOOKS_INTO_SHOE = frozenset({Session.UNLOADING, Session.LOOKING, Session.LOOKED})
"""States in which a shoe from which no card comes is looked into."""


def _shoe_asks(state: State) -> list[Ask]:
    """Not of a shoe that a machine still feeds: what lies there is on its way."""
    lies = in_shoe(state)
    is_fed = not state.takes_whole_sets and state.inside > lies
    may = state.session in LOOKS_INTO_SHOE and lies > 0 and not is_fed
    is_due = state.session is not Session.UNLOADING  # there it is drawn, as long as cards come
    return [_step(Trigger.CONFIRM_SHOE_EMPTY, due=is_due)] if may else []


def _service_asks(state: State) -> list[Ask]:
    owed = state.machine_is_retired and not state.under_way
    return [_step(Trigger.RETURN_TO_SERVICE)] if owed else []


def _set_asks(state: State) -> list[Ask]:
    if state.session not in ENDS:
        return [_step(Trigger.MARK_IMPERFECT, due=False)] if state.session in IN_PLAY else []
    if state.card_set is CardSet.BARRED:
        return [_step(Trigger.SET_REPLACED)]
    if state.card_set is CardSet.IMPERFECT:
        return [_step(Trigger.DECK_REPLACED), _step(Trigger.AUTHORISE_DECK, due=False)]
    return [_step(Trigger.MARK_IMPERFECT, due=False)]
