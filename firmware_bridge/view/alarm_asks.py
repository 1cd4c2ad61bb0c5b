"""What one alarm asks of whom, in words: by hand, by step, by the dealer's key, or of a device alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from drivers.cards import DECK_SIZE, UNREAD, face_name
from drivers.protocol.batch import MachineFault
from drivers.protocol.messages import Kind, capability_words
from firmware_bridge.core.alarms import READ_IN_PLAY
from firmware_bridge.core.asked import asked, incident_triggers, may_be_read_again
from firmware_bridge.core.outputs import WANTS_EVERY_CARD, why_machine_waits
from firmware_bridge.core.sets import awaits_a_cycle, no_count_is_ordered
from firmware_bridge.core.state import OpenIncident, State
from firmware_bridge.core.steps import Ask
from firmware_bridge.core.words import (
    ABOUT_THE_MACHINE,
    BEING_LOADED,
    IN_PLAY,
    Incident,
    IncidentKind,
    Place,
    Role,
    Session,
    Trigger,
)
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.rulebooks.subjects import source
from firmware_bridge.view.alarm_texts import (
    ASKS,
    ASKS_AT,
    ASKS_OF_KIND,
    AT_WORK,
    BETS,
    CANDIDATES,
    CATCHES_UP,
    CONFIRM_VOID,
    FREE_PART,
    HANDS,
    LEFT_IN_THE_OTHER,
    PUT_BACK,
    TAKE_WRONG_AWAY,
    TECHNICIAN_OPENS,
    WAITS,
    WHERE,
    YES_BY_EYE,
)
from firmware_bridge.view.ask_line import (
    AskLine,
    back_of,
    backs_of,
    by_hand,
    connect,
    jammed,
    lid_open,
    occupied,
    wait,
)
from firmware_bridge.view.deal_words import deal_facts, slip_facts
from firmware_bridge.view.phrases import capital, cards, identity_words, listed, role_words
from firmware_bridge.view.set_asks import look_for
from firmware_bridge.view.set_texts import BY_A_CYCLE
from firmware_bridge.view.shoe_texts import GATHER, OUT_OF_SHOE
from firmware_bridge.view.texts import STEP, Hand

LAST_RESORTS = frozenset({Trigger.CALL_TECHNICIAN, Trigger.ANSWER_YES, Trigger.TAKE_OUT_OF_SERVICE})
"""Steps that are open beside the one that the good course takes."""

AWAITS_CARD = frozenset({Incident.AWAITING_REPLACEMENT, Incident.WRONG_REPLACEMENT})


def alarm_lines(state: State, number: int, book: RuleBook) -> tuple[AskLine, ...]:
    """Return what the alarm ``number`` asks for, by hand first, what the table waits for before what is open beside."""
    incident = state.incidents[number]
    lines = [
        *_hand_lines(state, number, incident, book),
        *(_line(ask, state, incident, book) for ask in _asks(state, number, book)),
    ]
    if incident.state in WAITS:
        counted = how_counted(state)[1] if awaits_a_cycle(state, incident) else WAITS[incident.state]
        lines.append(wait(counted, number))
    elif state.order is not None and any(line.trigger == Trigger.COUNT_MACHINE for line in lines):
        lines.append(wait(AT_WORK, number))  # for another alarm, or for the session
    return tuple(sorted(lines, key=lambda line: not line.due))


def is_about_alarm(ask: Ask, state: State, number: int, book: RuleBook) -> bool:
    """Whether an ask is the alarm's own."""
    incident = state.incidents.get(number)
    return (
        incident is not None
        and ask.about == number
        and ask.trigger in {Trigger.ACKNOWLEDGE, *incident_triggers(state, incident, book)}
    )


def incident_facts(state: State, incident: OpenIncident, book: RuleBook) -> dict[str, Any]:
    """What the texts' braces may name of an incident."""
    return {
        "card": face_name(incident.face) if incident.face != UNREAD else "damaged card",
        "deck": incident.deck,
        "back": back_of(state, incident.deck),
        "decks": state.all_decks,
        "backs": backs_of(state),
        "put_back": PUT_BACK.get(incident.detail, "lay it back where it came from"),
        "where": WHERE.get(incident.place, WHERE[Place.DISCARD]),
        "inside": cards(max(0, state.account.inside)),
        "missing": cards(max(0, state.account.out)),
        "count": _last_count(state),
        "void": source(incident.void),
        "read": f"{face_name(incident.read)} was read",
        "opens": role_words(book.jam.lid_opened_by),
        "replaces": role_words(book.damaged_card.replaced_by),
        **_device_facts(state, incident),
        **deal_facts(state, book),
        **slip_facts(incident.slip, state, book),
    }


def _device_facts(state: State, incident: OpenIncident) -> dict[str, Any]:
    """What a device is and was approved as; of an incident that is about none, nothing."""
    device = state.devices.get(incident.about)
    approved = state.approved.get(device.kind) if device else None
    return {
        "device": incident.about,
        "told": identity_words(device.told) if device else "",
        "can": capability_words(device.capabilities) if device else "",
        "approved": identity_words(approved) if approved else "none yet",
        "checked_by": incident.checked_by,
    }


def how_counted(state: State) -> tuple[str, str]:
    """What is asked, and awaited, where no count is ordered: a set's next cycle, or the shoe's emptying (SB-7)."""
    return OUT_OF_SHOE if state.fed_by_hand else BY_A_CYCLE


def _opener(book: RuleBook) -> Role:
    """Who opens the lid of a machine that holds the table's cards (PT-A2)."""
    return Role(book.jam.lid_opened_by)


def _last_count(state: State) -> str:
    if state.played.last_count is None:
        return ""
    found, expected = state.played.last_count
    if found == expected:  # what was broken off after a good count is no difference
        return ""
    return f"{cards(found)} counted, {cards(expected)} by the books: "


# ---- steps and keys


def _asks(state: State, number: int, book: RuleBook) -> list[Ask]:
    """The alarm's own asks, also where another would be presented: an open entry keeps the one it began with."""
    alone = msgspec.structs.replace(state, incidents={number: state.incidents[number]})
    return [ask for ask in asked(alone, book) if is_about_alarm(ask, state, number, book)]


def _line(ask: Ask, state: State, incident: OpenIncident, book: RuleBook) -> AskLine:
    bets = BETS[book.after_error.bets_of_void_round]
    deed = _deed(ask, state, incident).format_map({**incident_facts(state, incident, book), "bets": bets})
    return AskLine(
        role=ask.role.value,
        trigger=ask.trigger.value,
        number=ask.number,
        key=ask.key.name if ask.key is not None else "",
        about=ask.about,
        due=_is_due(ask, state, incident),
        text=f"{capital(role_words(ask.role))}: {STEP.format(number=ask.number, deed=deed) if ask.number else deed}",
    )


def _deed(ask: Ask, state: State, incident: OpenIncident) -> str:
    if ask.trigger is Trigger.YES and incident.state in AWAITS_CARD and not state.shoe_reads:
        return YES_BY_EYE
    if ask.trigger is Trigger.COUNT_MACHINE and no_count_is_ordered(state):
        return how_counted(state)[0]
    if ask.trigger is Trigger.CONFIRM_INCIDENT and incident.void:
        return CONFIRM_VOID
    by_kind, by_state = (incident.kind, ask.trigger), (incident.state, ask.trigger)
    return ASKS_OF_KIND.get(by_kind) or ASKS_AT.get(by_state) or ASKS[ask.trigger]


def _is_due(ask: Ask, state: State, incident: OpenIncident) -> bool:
    """Whether the table waits for it now: the good course's step, and its turn has come."""
    if ask.trigger in LAST_RESORTS or (incident.state is Incident.ASKING_BACK and ask.key is None):
        return False
    if ask.key is not None and state.dealer == 0:
        return False
    if incident.kind is IncidentKind.UNREADABLE and ask.trigger is Trigger.ANSWER_NO:
        return False
    awaits_card = incident.state in AWAITS_CARD or incident.kind in READ_IN_PLAY
    if ask.trigger is Trigger.YES and awaits_card and state.shoe_reads:
        return occupied(state, Kind.SHOE)
    if incident.kind is IncidentKind.DAMAGED_CARD and incident.state is Incident.RAISED:
        return (ask.trigger is Trigger.NAME_CARD) == state.account.lies_open
    if ask.trigger is Trigger.REPAIRED:
        return state.machine_answers and not (lid_open(state) or jammed(state))
    if ask.trigger in (Trigger.ANSWER_NO, Trigger.COUNT_MACHINE):
        scattered = incident.kind in WANTS_EVERY_CARD and state.account.out > 0 and not state.fed_by_hand
        return why_machine_waits(state) is None and not scattered
    return ask.due


# ---- by hand


def _hand_lines(state: State, number: int, incident: OpenIncident, book: RuleBook) -> list[AskLine]:
    rule = _BY_HAND.get(incident.state) or _BY_KIND.get(incident.kind)
    is_open = incident.state not in (Incident.CLEARED, Incident.OUT_OF_SERVICE)
    if incident.kind in ABOUT_THE_MACHINE and is_open and not state.machine_answers:
        return [connect(state, name, number) for name, device in state.devices.items() if device is state.machine]
    lines = rule(state, number, incident, book) if rule else []
    role = Role.TECHNICIAN if incident.state is Incident.WITH_TECHNICIAN else _opener(book)
    spoken_of = any(line.trigger in (Hand.CLEAR_JAM, Hand.CLOSE_LID) for line in lines)
    if lid_open(state) and not spoken_of and state.session is not Session.LID_OPEN:
        lines.append(_hand(state, incident, book, role, Hand.CLOSE_LID, number))
    return lines


def _hand(
    state: State,
    incident: OpenIncident,
    book: RuleBook,
    role: Role,
    hand: Hand,
    about: int,
    before: str = "",
    **more: str,
) -> AskLine:
    facts = {**incident_facts(state, incident, book), **more}
    return by_hand(role, hand, (before + _hand_text(hand, incident)).format_map(facts), about)


def _hand_text(hand: Hand, incident: OpenIncident) -> str:
    """Of a lid that stands open for another reason than a jam it is said only that it is to be closed."""
    if hand is Hand.CLEAR_JAM and incident.detail.upper() in MachineFault.__members__:
        return FREE_PART
    plain = hand is Hand.CLOSE_LID and incident.kind is not IncidentKind.JAM
    return "close the lid" if plain else HANDS[hand]


def _open_lid(state: State, number: int, incident: OpenIncident, book: RuleBook) -> list[AskLine]:
    return [_hand(state, incident, book, _opener(book), Hand.OPEN_LID, number)]


def _in_open_machine(state: State, number: int, incident: OpenIncident, book: RuleBook) -> list[AskLine]:
    hand = Hand.CLEAR_JAM if jammed(state) else Hand.CLOSE_LID
    return [_hand(state, incident, book, _opener(book), hand, number)]


def _repair(state: State, number: int, incident: OpenIncident, book: RuleBook) -> list[AskLine]:
    if not jammed(state):
        return []
    before = "" if lid_open(state) else TECHNICIAN_OPENS
    return [_hand(state, incident, book, Role.TECHNICIAN, Hand.CLEAR_JAM, number, before)]


def _lay_replacement(state: State, number: int, incident: OpenIncident, book: RuleBook) -> list[AskLine]:
    if not state.shoe_reads or occupied(state, Kind.SHOE):
        return []
    before = TAKE_WRONG_AWAY if incident.state is Incident.WRONG_REPLACEMENT else ""
    return [_hand(state, incident, book, Role.DEALER, Hand.LAY_REPLACEMENT, number, before)]


def _find_card(state: State, number: int, incident: OpenIncident, book: RuleBook) -> list[AskLine]:
    """Where the intake does not read, the round's faces are candidates: all of them lay open (PT-A10)."""
    del number
    if incident.state is not Incident.RAISED or state.session not in IN_PLAY:
        return []  # of a table that closes all cards are sorted
    faces = sorted(face for face in state.account.out_faces if face != UNREAD)
    all_read = UNREAD not in state.account.out_faces
    told = CANDIDATES.format(faces=listed(map(face_name, faces))) if all_read and 0 < len(faces) < DECK_SIZE else ""
    return [_hand(state, incident, book, Role.DEALER, Hand.FIND_CARD, state.account.out, candidates=told)]


def _look_for(state: State, number: int, incident: OpenIncident, book: RuleBook) -> list[AskLine]:
    """A set that is short at a batch shuffler: where its card may be (BR-014)."""
    del number, book
    return look_for(state) if incident.state is not Incident.CLEARED else []


def _put_all_in(state: State, number: int, incident: OpenIncident, book: RuleBook) -> list[AskLine]:
    """While it is played; a table that closes has all cards sorted."""
    is_played = state.session in IN_PLAY | BEING_LOADED
    if incident.state is not Incident.RAISED or state.account.out <= 0 or not is_played:
        return []
    if state.fed_by_hand:
        spilled = incident.kind is IncidentKind.SPILL
        return [by_hand(Role.DEALER, Hand.GATHER_CARDS, GATHER, number)] if spilled else []
    hand = Hand.GATHER_CARDS if incident.kind is IncidentKind.SPILL else Hand.PUT_ALL_IN
    return [_hand(state, incident, book, Role.DEALER, hand, number)]


def _read_again(state: State, number: int, incident: OpenIncident, book: RuleBook) -> list[AskLine]:
    """A single card also within its round; all that is out when the round is over."""
    is_next = incident.state is Incident.RAISED and may_be_read_again(state, incident)
    if not is_next or occupied(state, Kind.SHOE):
        return []
    hand = Hand.READ_AGAIN if incident.kind is IncidentKind.UNREADABLE else Hand.READ_ALL_AGAIN
    return [_hand(state, incident, book, Role.DEALER, hand, number)]


def _find_device(state: State, number: int, incident: OpenIncident, book: RuleBook) -> list[AskLine]:
    """Waits for one that is back and still tells what happened; asks for one that is gone, or does not obey."""
    del book
    device = state.devices.get(incident.about)
    if incident.state not in (Incident.RAISED, Incident.AWAITING_APPROVAL) or device is None:
        return []
    if device.open and not device.reason:
        return [wait(CATCHES_UP.format(device=incident.about), number)]
    return [connect(state, incident.about, number)]


def _connect_approved(state: State, number: int, incident: OpenIncident, book: RuleBook) -> list[AskLine]:
    """The way back, where the other device is not meant to stand here; a device that is gone is connected first."""
    if incident.state is Incident.CLEARED:
        return []
    if not state.devices[incident.about].is_there:
        return _find_device(state, number, incident, book)
    left = LEFT_IN_THE_OTHER if _another_machine(state, incident) and state.account.inside > 0 else ""
    words = (left + HANDS[Hand.CONNECT_APPROVED]).format_map(incident_facts(state, incident, book))
    return [by_hand(Role.SUPERVISOR, Hand.CONNECT_APPROVED, words, number, due=False)]


def _another_machine(state: State, incident: OpenIncident) -> bool:
    """Whether a machine of another model or serial number stands there: the cards are in the one carried away."""
    device = state.devices[incident.about]
    approved = state.approved.get(device.kind)
    return device is state.machine and approved is not None and device.told.name != approved.name


def _find_screen(state: State, number: int, incident: OpenIncident, book: RuleBook) -> list[AskLine]:
    if state.screen_shown:
        return []
    return [_hand(state, incident, book, Role.SUPERVISOR, Hand.RESTORE_SCREEN, number)]


_Rule = Callable[[State, int, OpenIncident, RuleBook], list[AskLine]]

_BY_HAND: dict[Incident, _Rule] = {
    Incident.LID_RELEASED: _open_lid,
    Incident.LID_OPEN: _in_open_machine,
    Incident.WITH_TECHNICIAN: _repair,
    Incident.AWAITING_REPLACEMENT: _lay_replacement,
    Incident.WRONG_REPLACEMENT: _lay_replacement,
}

_BY_KIND: dict[IncidentKind, _Rule] = {
    IncidentKind.CARD_LOST: _find_card,
    IncidentKind.COUNT_MISMATCH: _look_for,
    IncidentKind.SPILL: _put_all_in,
    IncidentKind.SEQUENCE: _put_all_in,
    IncidentKind.DUPLICATE: _read_again,
    IncidentKind.UNREADABLE: _read_again,
    IncidentKind.LINK_LOST: _find_device,
    IncidentKind.KEYPAD_LOST: _find_device,
    IncidentKind.RELEASE_LAPSED: _find_device,
    IncidentKind.SCREEN_LOST: _find_screen,
    IncidentKind.IDENTITY_CHANGED: _connect_approved,
}


def take_all_out(state: State) -> list[AskLine]:
    """The machine is out of service, and its lid is open to empty it by hand (SB-4)."""
    is_silent = state.session is Session.LOOKING and not state.machine_answers
    hands_are_in = state.session is Session.LID_OPEN or is_silent
    if not (state.out_of_service and hands_are_in and state.account.inside > 0):
        return []
    inside = state.account.inside
    return [by_hand(Role.SUPERVISOR, Hand.TAKE_ALL_OUT, HANDS[Hand.TAKE_ALL_OUT].format(inside=cards(inside)), inside)]
