"""What is asked of whom now, in words: the steps and keys that are open, and what must be done by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from drivers.protocol.messages import DealerKey, Kind, Purpose
from firmware_bridge.core.asked import COUNTS_AGAIN, asked, incident_triggers
from firmware_bridge.core.dealing import bank_burn_due
from firmware_bridge.core.outputs import (
    burn_due,
    every_card_is_wanted,
    machine_is_sound,
    machine_takes,
    may_be_emptied,
    purpose,
    tray_takes_what_is_out,
    why_machine_waits,
    why_not_deal,
)
from firmware_bridge.core.outputs import intake_open as intake_may_open
from firmware_bridge.core.outputs import pack_limit as pack_stops_at
from firmware_bridge.core.sets import in_shoe, pack_in_shoe
from firmware_bridge.core.state import State
from firmware_bridge.core.steps import Ask
from firmware_bridge.core.words import (
    BEING_LOADED,
    EMPTIES_THE_MACHINE,
    ENDS,
    Claim,
    Incident,
    IncidentKind,
    Place,
    Role,
    Session,
    Trigger,
)
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.rulebooks.subjects import source
from firmware_bridge.view import shoe_texts
from firmware_bridge.view.alarm_asks import alarm_lines, is_about_alarm, take_all_out
from firmware_bridge.view.alarms import shown_alarm
from firmware_bridge.view.ask_line import (
    AskLine,
    ages_of,
    back_of,
    backs_of,
    by_hand,
    connect,
    jammed,
    lid_open,
    occupied,
    wait,
)
from firmware_bridge.view.deal_texts import BURN_BEFORE_BANK
from firmware_bridge.view.deal_words import deal_facts, next_card
from firmware_bridge.view.difference import deck_words
from firmware_bridge.view.phrases import capital, cards, counted, listed, role_words
from firmware_bridge.view.play import play_lines
from firmware_bridge.view.set_asks import set_lines, which_set
from firmware_bridge.view.set_texts import OUT_AT_THE_DOOR
from firmware_bridge.view.shoe_asks import shoe_deed, shoe_lines
from firmware_bridge.view.texts import (
    ASKS,
    BETS,
    CLEAR_BETWEEN_SESSIONS,
    CONFIRM_EMPTY_DOUBTED,
    DRAW_THE_REST,
    HANDS,
    LAY_AGAIN,
    PUT_CARDS_IN,
    STEP,
    TRIGGERS,
    VOID_ROUND_OVER,
    WAITS,
    YES,
    YES_THEY_STAY,
    Hand,
)


def ask_lines(state: State, book: RuleBook, alarm: int | None = None) -> tuple[AskLine, ...]:
    """Return all that is open to anyone: the alarm's own first, then what the table waits for, by hand before by key.

    ``alarm`` is the one that is shown; None: the one that the state presents.
    """
    number = shown_alarm(state, 0) if alarm is None else alarm
    first = alarm_lines(state, number, book) if number else ()
    lines = [*_hand_lines(state, book), *(_line(ask, state, book) for ask in _session_asks(state, book))]
    if _a_device_works(state):
        lines.append(wait(WAITS[state.session]))
    rest = [line for line in lines if not _is_said(line, first)]
    return (*first, *sorted(rest, key=lambda line: not line.due))


def _session_asks(state: State, book: RuleBook) -> list[Ask]:
    """What is asked beside the alarms; a YES that an alarm awaits answers nothing else."""
    presented = shown_alarm(state, 0)
    alarm_takes_yes = any(Trigger.YES in incident_triggers(state, one, book) for one in state.incidents.values())
    return [
        ask
        for ask in asked(state, book)
        if not is_about_alarm(ask, state, presented, book) and not (ask.key is DealerKey.YES and alarm_takes_yes)
    ]


def _is_said(line: AskLine, first: tuple[AskLine, ...]) -> bool:
    """Whether the alarm asks for the same already: the same step, or the same deed of the same thing."""
    if line.trigger == Hand.CLOSE_LID:
        return any(one.trigger in (Hand.CLOSE_LID, Hand.CLEAR_JAM) for one in first)
    if line.number:
        return any(line.trigger == one.trigger for one in first)
    return any((line.trigger, line.text) == (one.trigger, one.text) for one in first)


def _a_device_works(state: State) -> bool:
    return state.session in WAITS and not (state.session in COUNTS_AGAIN and state.order is None)


def pack_limit(state: State, book: RuleBook) -> int | None:
    """How many cards the pack under way may still take before the intake shuts; None while none is loaded (PT-A5)."""
    if state.session is not Session.LOADING_PACK:
        return None
    left = state.account.at(Place.OUTSIDE)
    stops_at = pack_stops_at(state, book)
    return left if stops_at is None else max(0, min(left, stops_at - state.pack_cards))


def intake_open(state: State, book: RuleBook) -> bool:
    """Whether the machine should take cards now."""
    return state.machine is not None and intake_may_open(state, book)


def deck_due(state: State) -> int:
    """Number of the deck that the verification waits for; 0 while it waits for none."""
    return len(state.decks_read) + 1 if state.session is Session.AWAITING_DECK else 0


# ---- steps and keys


def _line(ask: Ask, state: State, book: RuleBook) -> AskLine:
    deed = shoe_deed(ask, state, book) or _deed(ask, state, book).format_map(_facts(state, book, ask.about))
    how = STEP.format(number=ask.number, deed=deed) if ask.number else deed
    return AskLine(
        role=ask.role.value,
        trigger=ask.trigger.value,
        number=ask.number,
        key=ask.key.name if ask.key is not None else "",
        about=ask.about,
        due=_is_due(ask, state, book),
        text=f"{capital(role_words(ask.role))}: {how}",
    )


def _deed(ask: Ask, state: State, book: RuleBook) -> str:
    must_return = book.rounds.discards_return_after_each
    if ask.trigger is Trigger.YES and state.session is Session.RETURNING and not must_return:
        return YES_THEY_STAY
    if ask.trigger is Trigger.YES:
        return YES[state.session]
    if ask.trigger is Trigger.CONFIRM_EMPTY and state.account.inside > 0 and not state.out_of_service:
        return CONFIRM_EMPTY_DOUBTED
    if ask.trigger is Trigger.ROUND_OVER and state.round_void:
        return VOID_ROUND_OVER
    return ASKS.get(ask.trigger, TRIGGERS[ask.trigger])


def _facts(state: State, book: RuleBook, about: int) -> dict[str, Any]:
    """What the texts' braces may name."""
    deck = len(state.decks_read) + 1
    limit = state.round_limit or book.house.round_card_limit
    return {
        "about": about,
        **deal_facts(state, book),
        "deck": deck,
        "sorted": counted(state.all_decks, "deck"),
        "which": which_set(state),
        "back": back_of(state, deck),
        "backs": backs_of(state),
        "ages": ages_of(state),
        "imperfect": listed(map(str, state.imperfect_decks)),
        "table": state.account.at(Place.TABLE),
        "inside": cards(max(0, state.account.inside)),
        "cards": cards(state.account.out),
        "in_shoe": cards(in_shoe(state)),
        "void": source(state.round_void),
        "bets": BETS[book.after_error.bets_of_void_round],
        "limit": f"limit {limit}, {source(book.clause_of('house.round_card_limit'))}",
        "burn": source(book.clause_of(_burns_by(state))),
        "leave": source(book.clause_of("rounds.may_leave_in_discard")),
        "stays": source(book.clause_of("rounds.discards_return_after_each")),
        "wish": source(book.clause_of("shuffle.at_dealers_wish")),
        "cut": source(book.clause_of("cut.with_shuffler")),
        "returned": source(book.clause_of("rounds.discards_return_after_each")),
        "used": source(book.clause_of("rounds.used_cards_to_discard_at_once")),
        "unloading": source(book.clause_of("closing.unloading_present")),
    }


def _burns_by(state: State) -> str:
    """The value by which the next card is burned."""
    if state.round_of_shoe:
        return "burn.before_each_later_round"
    return "burn.with_shoe" if state.fed_by_hand else "burn.with_shuffler"


def _is_due(ask: Ask, state: State, book: RuleBook) -> bool:
    """Whether the table waits for it now: the step is open, and what has to be done by hand before it is done."""
    if ask.key is not None and state.dealer == 0:
        return False
    if ask.trigger is Trigger.YES and state.session is Session.AWAITING_DECK:
        return state.shoe_reads and occupied(state, Kind.SHOE)
    if ask.trigger is Trigger.YES and state.session is Session.RETURNING:
        is_sound = state.machine_answers and machine_is_sound(state)  # what is mended first is mended first
        return state.out_of_service or is_sound
    rule = _DUE.get(ask.trigger)
    return rule(state, book) if rule else ask.due


def _pack_is_in(state: State, book: RuleBook) -> bool:
    smallest = 1 if pack_stops_at(state, book) is None else book.house.min_pack
    return state.pack_cards >= smallest and not occupied(state, Kind.CONTINUOUS_SHUFFLER)


def _deck_is_for_eyes(state: State, book: RuleBook) -> bool:
    del book
    return not state.shoe_reads and state.account.at(Place.UNLOADED) > 0


def _nothing_is_left(state: State, book: RuleBook) -> bool:
    del book
    if state.session is not Session.AWAITING_DECK:
        return False  # a deck counted by hand is whole as a rule
    all_read = state.cards_at(Place.UNLOADED) <= 0 or len(state.decks_read) >= state.all_decks
    return all_read and not occupied(state, Kind.SHOE)


def _must_close(state: State, book: RuleBook) -> bool:
    """Cards over the set, or too many to be read again, are verified; a machine out of service ends the session."""
    del book
    at_rest = state.session in BEING_LOADED or state.session in (Session.READY, Session.EMPTYING_SHOE)
    if any(one.kind is IncidentKind.FOREIGN_CARD for one in state.incidents.values()):
        return at_rest
    kinds = {one.kind for one in state.incidents.values() if one.state is Incident.RAISED}
    if IncidentKind.DUPLICATE in kinds and not tray_takes_what_is_out(state):
        return state.session in (Session.READY, Session.RETURNING, Session.EMPTYING_SHOE)
    if state.session is Session.EMPTYING_SHOE and IncidentKind.COUNT_MISMATCH in kinds:
        return True  # what came out is not the set: every card is read
    wanted_for_good = state.session is Session.READY and every_card_is_wanted(state) and not machine_takes(state)
    differs = state.account.at(Place.OVER) > 0 or state.account.at(Place.MISSING) > 0
    return state.out_of_service or wanted_for_good or (at_rest and differs)


def _count_is_next(state: State, book: RuleBook) -> bool:
    """The session awaits a count, or the counts are doubted; an alarm that concerns the machine comes first."""
    del book
    if state.session is Session.COUNTING_LOAD:
        return machine_is_sound(state)
    if state.session in (Session.COUNTING_EMPTY, Session.LOOKING, Session.LOOKED):
        return may_be_emptied(state)
    is_drawn_empty = state.session is Session.UNLOADING and state.inside <= 0
    return is_drawn_empty or (not state.counts_trusted and not state.incidents)


def _machine_may_shuffle(state: State, book: RuleBook) -> bool:
    del book
    return why_machine_waits(state) is None


def _nothing_is_open(state: State, book: RuleBook) -> bool:
    """The result is signed last (SB-2)."""
    del book
    return not state.incidents


def _reading_broke_off(state: State, book: RuleBook) -> bool:
    """The deck cannot be read to its end: another shoe stands there, or its tray was emptied unseen."""
    del book
    shoe = state.device_of(Kind.SHOE)
    return state.session is Session.READING_DECK and shoe is not None and shoe.caught_up and not shoe.tray_occupied


_DUE: dict[Trigger, Callable[[State, RuleBook], bool]] = {
    Trigger.END_PACK: _pack_is_in,
    Trigger.CONFIRM_DECK: _deck_is_for_eyes,
    Trigger.NO_CARDS_LEFT: _nothing_is_left,
    Trigger.DECLARE_CLOSED: _must_close,
    Trigger.COUNT_MACHINE: _count_is_next,
    Trigger.SHUFFLE_MACHINE: _machine_may_shuffle,
    Trigger.SORT_AGAIN: _reading_broke_off,
    Trigger.SIGN_RESULT: _nothing_is_open,
    Trigger.SIGN_DIFFERENCE: _nothing_is_open,
}
"""Steps that a state leaves open throughout, and that the table waits for only under a further condition."""


# ---- by hand


def _hand_lines(state: State, book: RuleBook) -> list[AskLine]:
    lines = [connect(state, name) for name, device in state.devices.items() if device.reason]
    lines += _lid_lines(state) + _tray_lines(state, book) + set_lines(state) + shoe_lines(state, book)
    rule = _BY_HAND.get(state.session)
    return lines + (rule(state, book) if rule else []) + play_lines(state, book)


def _lid_lines(state: State) -> list[AskLine]:
    if state.session is Session.LID_RELEASED and state.machine_answers:
        return [by_hand(Role.SUPERVISOR, Hand.OPEN_LID, HANDS[Hand.OPEN_LID])]
    close = [by_hand(Role.SUPERVISOR, Hand.CLOSE_LID, HANDS[Hand.CLOSE_LID])] if lid_open(state) else []
    if state.session in ENDS and jammed(state):  # no incident asks for it, and no table opens before
        close = [by_hand(Role.TECHNICIAN, Hand.CLEAR_JAM, CLEAR_BETWEEN_SESSIONS)]
    return [*take_all_out(state), *close]


def _tray_lines(state: State, book: RuleBook) -> list[AskLine]:
    """Cards lie in a tray from which nothing takes them now, and what comes next is refused while they lie there."""
    ends_here = state.session in EMPTIES_THE_MACHINE or state.session in ENDS
    lines = []
    if occupied(state, Kind.SHOE) and (state.session is Session.LOOKED or state.session in ENDS):
        lines.append(by_hand(Role.DEALER, Hand.EMPTY_SHOE_TRAY, HANDS[Hand.EMPTY_SHOE_TRAY]))
    waits = state.session is Session.ASKING_PRESENCE or state.claim is Claim.OPEN
    machine_takes = intake_open(state, book) and _intake_ready(state)
    waits = waits or machine_takes or not (machine_is_sound(state) or ends_here)
    is_to_be_named = state.takes_whole_sets and not ends_here  # a set lies there until a supervisor has it shuffled
    if state.machine is not None and state.machine.tray_occupied and not (waits or is_to_be_named):
        lines.append(by_hand(Role.DEALER, Hand.TAKE_CARDS_OUT, HANDS[Hand.TAKE_CARDS_OUT]))
    return lines


def _load_by_hand(state: State, book: RuleBook) -> list[AskLine]:
    limit = pack_limit(state, book) or 0
    if not limit or not intake_open(state, book):
        return []
    return [_put_in(state, book, limit)]


def _return_by_hand(state: State, book: RuleBook) -> list[AskLine]:
    if not intake_open(state, book) or not _intake_ready(state) or not state.account.out:
        return []
    return [_put_in(state, book, state.account.out)]


def _put_in(state: State, book: RuleBook, count: int) -> AskLine:
    facts = {**_facts(state, book, 0), "cards": cards(count)}
    return by_hand(Role.DEALER, Hand.PUT_CARDS_IN, PUT_CARDS_IN[state.session].format_map(facts), count)


def _deal_by_hand(state: State, book: RuleBook) -> list[AskLine]:
    if why_not_deal(state):
        return []
    if state.session is Session.READY and burn_due(state, book):
        return [_plain(state, book, Hand.BURN)]
    if bank_burn_due(state):
        burn = source(book.clause_of("burn.before_bank_second_card"))
        return [by_hand(Role.DEALER, Hand.BURN, BURN_BEFORE_BANK.format(burn=burn))]
    if words := next_card(state, book):
        return [by_hand(Role.DEALER, Hand.DEAL, words, due=False)]
    return [_plain(state, book, Hand.DEAL, due=state.session is Session.READY)]


def _play_by_hand(state: State, book: RuleBook) -> list[AskLine]:
    used = _plain(state, book, Hand.DISCARD, state.account.at(Place.TABLE), due=False)
    return _deal_by_hand(state, book) + ([used] if book.rounds.used_cards_to_discard_at_once else [])


def _unload_by_hand(state: State, book: RuleBook) -> list[AskLine]:
    """A machine out of service is emptied under its lid; what it handed to the shoe before is drawn all the same."""
    if state.has_box or purpose(state) is not Purpose.UNLOAD or (state.out_of_service and not pack_in_shoe(state)):
        return []
    in_reach = state.account.at(Place.SHOE) if state.takes_whole_sets else state.account.inside
    inside = max(0, in_reach)
    if state.takes_whole_sets and not inside and state.cards_at(Place.MACHINE) > 0:
        return [wait(OUT_AT_THE_DOOR)]
    if not inside:  # drawn empty by the books: what comes all the same comes before the count, or the look
        rest = shoe_texts.DRAW_THE_REST if state.fed_by_hand else DRAW_THE_REST
        return [by_hand(Role.DEALER, Hand.DRAW_CARDS, rest, inside)]
    text = HANDS[Hand.DRAW_CARDS].format_map({**_facts(state, book, 0), "cards": cards(inside)})
    return [by_hand(Role.DEALER, Hand.DRAW_CARDS, text, inside)]


def _sort_by_hand(state: State, book: RuleBook) -> list[AskLine]:
    return [_plain(state, book, Hand.SORT_DECKS, state.account.at(Place.UNLOADED))]


def _lay_by_hand(state: State, book: RuleBook) -> list[AskLine]:
    if not state.shoe_reads or occupied(state, Kind.SHOE) or _nothing_is_left(state, book):
        return []
    if (doubted := state.account.doubted) is not None:
        again = LAY_AGAIN.format(doubted=deck_words(doubted))
        return [by_hand(Role.DEALER, Hand.LAY_DECK, again, deck_due(state))]
    return [_plain(state, book, Hand.LAY_DECK, deck_due(state))]


def _plain(state: State, book: RuleBook, hand: Hand, about: int = 0, due: bool = True) -> AskLine:
    return by_hand(Role.DEALER, hand, HANDS[hand].format_map(_facts(state, book, 0)), about, due)


_BY_HAND: dict[Session, Callable[[State, RuleBook], list[AskLine]]] = {
    Session.LOADING_PACK: _load_by_hand,
    Session.READY: _deal_by_hand,
    Session.IN_ROUND: _play_by_hand,
    Session.ASKING_ROUND: _play_by_hand,
    Session.RETURNING: _return_by_hand,
    Session.UNLOADING: _unload_by_hand,
    Session.SORTING: _sort_by_hand,
    Session.AWAITING_DECK: _lay_by_hand,
}


def _intake_ready(state: State) -> bool:
    machine = state.machine
    return machine is not None and machine.takes_cards
