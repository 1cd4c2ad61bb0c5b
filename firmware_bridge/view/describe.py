"""A record in one plain line, for the list of last events. Faces of drawn cards are not told: the bank's second card
lies face down (PT-D1), and a screen at the table would turn it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from drivers.cards import face_name
from drivers.protocol.messages import CardDrawn, DealerKeyPressed
from firmware_bridge.core import changes as c
from firmware_bridge.core import deal_changes as d
from firmware_bridge.core import events as e
from firmware_bridge.core.accounts import LEFT
from firmware_bridge.core.records import Logged
from firmware_bridge.core.steps import ACTIONS, STEPS
from firmware_bridge.core.words import Course, Incident, IncidentKind, Procedure, Role, Session, Trigger
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.rulebooks.subjects import source
from firmware_bridge.view import deal_words
from firmware_bridge.view.alarm_texts import JAMS, READ_UNKNOWN, STATES
from firmware_bridge.view.difference import deck_words, doubt_words
from firmware_bridge.view.event_texts import EVENTS, OUTCOMES, TYPED
from firmware_bridge.view.incident_texts import INCIDENT_CLAUSES, INCIDENTS
from firmware_bridge.view.phrases import (
    KEYS,
    SECOND,
    card_typed,
    cards,
    clock,
    counted,
    role_words,
    span,
    stands_on,
    whole_identity_words,
)
from firmware_bridge.view.set_texts import COURSES
from firmware_bridge.view.texts import SESSIONS, TRIGGERS


def describe(logged: Logged, number: int, book: RuleBook | None = None) -> str | None:
    """Return record ``number`` in one plain line; None for what is not worth one.

    ``book`` bound the table then; a reader that has it not is told no clause but those that the record holds.
    """
    del number  # a list shows it, and the time, beside the line
    event, refused = logged.event, logged.decision.refusal
    if refused is not None and isinstance(event, e.Acted | e.Told):
        return f"{_who(event)}: {refusal(refused)}"
    said = [_event(event), _replacement(logged), *(_change(change, book) for change in _not_passed_over(logged))]
    return "; ".join(words for words in said if words is not None) or None


def _not_passed_over(logged: Logged) -> list[c.AnyChange]:
    """The changes, without coming to a step that the rule book does not ask for."""
    moves = [change for change in logged.decision.changes if isinstance(change, c.Moved)]
    passed_over = {move.source for move in moves if move.trigger == Trigger.NOT_ASKED}
    return [change for change in logged.decision.changes if change not in moves or change.target not in passed_over]


def refusal(change: c.Refused) -> str:
    """A refusal, with its clause."""
    return EVENTS["refused"].format(
        step=TRIGGERS[Trigger(change.trigger)], why=change.reason, clause=source(change.clause)
    )


# ---- what happened


def _who(event: e.Acted | e.Told) -> str:
    return f"{role_words(event.role)} {event.person}" if isinstance(event, e.Acted) else role_words(Role.DEALER)


def _event(event: e.AnyEvent) -> str | None:
    words = _EVENTS.get(type(event))
    return words(event) if words else None


def _started(event: e.Started) -> str:
    speed = EVENTS["speed"].format(speed=event.speed) if event.speed != 1.0 else ""
    return EVENTS["started"].format(rulebook=event.rulebook, decks=event.decks) + speed


def _is_typed(event: e.Acted) -> bool:
    """Whether something was typed with the step; a set is named only where there are two."""
    typed = STEPS[event.step].typed
    return typed != "" and (typed != "set" or event.value > 0)


def _acted(event: e.Acted) -> str:
    step = STEPS[event.step]
    typed = TYPED[step.typed].format(value=event.value, card=card_typed(event.value)) if _is_typed(event) else ""
    about = f"incident {event.about}" if step.incident and event.about else ""
    told = ", ".join(words for words in (about, typed) if words)
    return f"{_who(event)}: {TRIGGERS[event.step]}" + (f" ({told})" if told else "")


def _told(event: e.Told) -> str | None:
    if not isinstance(event.body, DealerKeyPressed):
        return None
    return f"{_who(event)}: {TRIGGERS[KEYS[event.body.key]]}"


def _bad_frames(event: e.BadFrames) -> str:
    return EVENTS["bad_frames"].format(device=event.device, count=event.count)


def _rejected(event: e.Rejected) -> str:
    del event  # whose number was tried is for the inspector, not for the table
    return EVENTS["rejected"]


def _dropped(event: e.EntryDropped) -> str:
    return EVENTS["dropped"].format(why=event.reason)


def _timer(event: e.TimerDue) -> str | None:
    timer, _, person = event.timer.partition("/")
    return EVENTS["unlocked"].format(person=person) if timer == "lock_out" else None


def _screen(event: e.ScreenSeen) -> str:
    return EVENTS["screen" if event.shown else "no_screen"]


def _pin_renewed(event: e.PinRenewed) -> str:
    name = "not_renewed" if event.refused else "renewed"
    return EVENTS[name].format(person=event.person, by=event.by, why=event.refused)


def _right_taken(event: e.RightTaken) -> str:
    return EVENTS["right_taken"].format(person=event.person)


def _renewal_began(event: e.RenewalBegan) -> str:
    return EVENTS["renewal_began"].format(person=event.person, by=event.by)


def _replacement(logged: Logged) -> str | None:
    """The face of a replacement that was read: it comes from the reserve, and is no card of the game yet."""
    event = logged.event
    answers = {Incident.ASKING_BACK, Incident.WRONG_REPLACEMENT}
    if not (isinstance(event, e.Told) and isinstance(event.body, CardDrawn)):
        return None
    moves = (change for change in logged.decision.changes if isinstance(change, c.Moved))
    if not any(move.procedure.startswith(Procedure.INCIDENT) and move.target in answers for move in moves):
        return None
    return EVENTS["replacement_read"].format(card=face_name(event.body.face))


def _slow(event: e.FlushWasSlow) -> str:
    return EVENTS["slow"].format(milliseconds=event.milliseconds)


def _resumed(event: e.JournalResumed) -> str:
    return EVENTS["resumed"].format(given_up=counted(event.given_up, "decided record"), why=event.reason)


def _begun_anew(event: e.JournalBegunAnew) -> str:
    return EVENTS["begun_anew"].format(
        folder=event.folder, supervisor=event.supervisor, technician=event.technician, why=event.reason
    )


def _room(event: e.RoomSeen) -> str:
    return EVENTS["room_low" if event.low else "room"].format(free=event.free_mb)


def _clock_jumped(event: e.ClockJumped) -> str:
    seconds = (event.utc_ns - event.expected_utc_ns) // SECOND
    way = "clock_back" if seconds < 0 else "clock_forward"
    return EVENTS[way].format(by=span(abs(seconds)), was=clock(event.expected_utc_ns))


_EVENTS: dict[type[e.Event], Callable[[Any], str | None]] = {
    e.Started: _started,
    e.Acted: _acted,
    e.Told: _told,
    e.BadFrames: _bad_frames,
    e.Rejected: _rejected,
    e.EntryDropped: _dropped,
    e.FlushWasSlow: _slow,
    e.JournalResumed: _resumed,
    e.JournalBegunAnew: _begun_anew,
    e.RoomSeen: _room,
    e.ClockJumped: _clock_jumped,
    e.TimerDue: _timer,
    e.ScreenSeen: _screen,
    e.RightTaken: _right_taken,
    e.RenewalBegan: _renewal_began,
    e.PinRenewed: _pin_renewed,
}


# ---- what was decided


def _change(change: c.AnyChange, book: RuleBook | None) -> str | None:
    words = _CHANGES.get(type(change))
    told = words(change) if words else None
    clause = _CLAUSES.get(type(change))
    return f"{told} [{stands_on(book, clause(change))}]" if told and clause and book else told


def _cut(change: c.CardsCut) -> str:
    return EVENTS["cut_for_nobody" if change.person else "cut"].format(person=change.person)


def _filled(change: c.ShoeFilled) -> str:
    return EVENTS["filled_for_one" if change.one_player else "filled"].format(cards=cards(change.cards))


def _marked(change: c.ShoeMarked) -> str:
    words = "few_are_left" if change.counted else "warning_card" if change.came else "no_warning_card"
    return EVENTS[words].format(behind=cards(change.behind))


def _moved(change: c.Moved) -> str | None:
    procedure, _, number = change.procedure.partition("/")
    if procedure == Procedure.INCIDENT:
        words = STATES[Incident(change.target)].format(card="damaged card", read=READ_UNKNOWN)
        return EVENTS["incident"].format(number=number, words=words) if change.source != change.target else None
    if procedure == Procedure.COURSE and change.source != change.target:
        return EVENTS["course"].format(set=f" {number}" if number else "", words=COURSES[Course(change.target)])
    if procedure == Procedure.SESSION and change.source != change.target:
        return SESSIONS[Session(change.target)]
    return None


def _booked(change: c.Booked) -> str | None:
    left = change.cause == LEFT
    return EVENTS["left"].format(cards=cards(change.count)) if left else None


def _linked(change: c.Linked) -> str:
    hello = change.hello
    words = EVENTS["linked"].format(device=change.device, model=hello.model, serial=hello.serial)
    return words.rstrip() + (f": {change.ignores}" if change.ignores else "")


def _unlinked(change: c.Unlinked) -> str:
    return EVENTS["unlinked"].format(device=change.device, why=change.reason)


def _order_closed(change: c.OrderClosed) -> str | None:
    return None if change.outcome == "done" else EVENTS["count_unknown"]


def _pack_ended(change: c.PackEnded) -> str:
    return EVENTS["pack_ended"].format(cards=cards(change.cards))


def _full_count(change: c.FullCount) -> str:
    agrees = change.found == change.expected
    return EVENTS["count_good" if agrees else "count_bad"].format(cards=cards(change.found), expected=change.expected)


def _opened(change: c.Opened) -> str:
    return EVENTS["opened"].format(cards=cards(change.cards))


def _round_ended(change: c.RoundEnded) -> str:
    return EVENTS["round_over"].format(cards=cards(change.out))


def _round_voided(change: c.RoundVoided) -> str:
    return EVENTS["round_void"].format(incident=change.incident, clause=source(change.clause))


def _claim_closed(change: c.ClaimClosed) -> str:
    return EVENTS["claim_closed"].format(outcome=OUTCOMES.get(change.outcome, f"with outcome {change.outcome}"))


def _set_marked(change: c.SetMarked) -> str:
    return EVENTS["authorised" if change.reference else "marked"].format(deck=change.deck, reference=change.reference)


def _deck_cleared(change: c.DeckCleared) -> str:
    return EVENTS["unmarked"].format(deck=change.deck)


def _postponed(change: c.Postponed) -> str:
    return EVENTS["postponed"].format(incident=INCIDENTS[change.kind], detail=change.detail)


def _raised(change: c.Raised) -> str:
    is_jam = change.kind is IncidentKind.JAM
    return EVENTS["raised"].format(
        incident=JAMS.get(change.detail, INCIDENTS[change.kind]) if is_jam else INCIDENTS[change.kind],
        about=f", {change.about}" if change.about else "",
        detail=f": {change.detail}" if change.detail and not is_jam else "",
    )


def _card_named(change: c.CardNamed) -> str:
    return EVENTS["named"].format(incident=change.incident, card=face_name(change.face), deck=change.deck)


def _incident_closed(change: c.IncidentClosed) -> str:
    action = ACTIONS.get(change.action, f"action {change.action}")
    return EVENTS["closed"].format(incident=change.incident, action=action)


def _escalated(change: c.Escalated) -> str:
    return EVENTS["escalated"].format(incident=change.incident, role=role_words(change.role))


def _wrong_entry(change: c.WrongEntry) -> str | None:
    return EVENTS["locked"].format(person=change.person) if change.locked else None


def _seen(change: c.Seen) -> str | None:
    if change.sight is not c.Sight.JAMMED:
        return None
    return EVENTS["jammed" if change.value else "unjammed"].format(device=change.device)


def _as_it_is(name: str) -> Callable[[Any], str]:
    """The words of a change whose own fields fill them."""

    def words(change: c.AnyChange) -> str:
        return EVENTS[name].format_map(msgspec.structs.asdict(change))

    return words


def _changed_again(change: c.DeviceChangedAgain) -> str:
    return EVENTS["changed_again"].format(number=change.incident, how=change.how)


def _approved(change: c.DeviceApproved) -> str:
    return EVENTS["approved"].format(
        device=change.device,
        identity=whole_identity_words(change.identity),
        technician=change.technician,
        supervisor=change.supervisor,
    )


def _corrected(change: c.Corrected) -> str:
    return EVENTS["corrected"].format(incident=INCIDENTS[change.kind], person=change.person)


def _always(name: str) -> Callable[[Any], str]:
    def words(change: c.AnyChange) -> str:
        del change
        return EVENTS[name]

    return words


_CHANGES: dict[type[c.Change], Callable[[Any], str | None]] = {
    c.Moved: _moved,
    c.Refused: refusal,
    c.Booked: _booked,
    c.Linked: _linked,
    c.Unlinked: _unlinked,
    c.OrderClosed: _order_closed,
    c.PackEnded: _pack_ended,
    c.FullCount: _full_count,
    c.CountDue: _always("count_due"),
    c.Opened: _opened,
    c.RoundEnded: _round_ended,
    c.RoundVoided: _round_voided,
    c.FirstCardBack: _always("first_back"),
    c.RoundLimitRaised: _always("limit"),
    c.ClaimClosed: _claim_closed,
    c.DeckJudged: deck_words,
    c.DeckDoubted: doubt_words,
    c.VerificationRestarted: _always("again"),
    c.SetMarked: _set_marked,
    c.DeckCleared: _deck_cleared,
    d.PlacesMarked: deal_words.places_marked,
    d.DealBegan: deal_words.deal_began,
    d.CardPlaced: deal_words.card_placed,
    d.TurnEnded: deal_words.turn_ended,
    d.SlipNamed: deal_words.slip_named,
    d.RemedyTaken: deal_words.remedy_taken,
    c.Raised: _raised,
    c.Postponed: _postponed,
    c.Seen: _seen,
    c.Acknowledged: _as_it_is("acknowledged"),
    c.CardNamed: _card_named,
    c.Stopped: _as_it_is("stopped"),
    c.RoundTagged: _as_it_is("tagged"),
    c.IncidentClosed: _incident_closed,
    c.Escalated: _escalated,
    c.Sealed: _as_it_is("sealed"),
    c.NoticeSent: _as_it_is("notice_sent"),
    c.Corrected: _corrected,
    c.MachineRetired: _as_it_is("retired"),
    c.MachineReturned: _as_it_is("returned"),
    c.DeviceChangedAgain: _changed_again,
    c.DeviceApproved: _approved,
    c.TookOver: _as_it_is("took_over"),
    c.CardsCut: _cut,
    c.ShoeFilled: _filled,
    c.ShoeMarked: _marked,
    c.PlayStopped: _always("play_stopped"),
    c.WrongEntry: _wrong_entry,
}
"""Changes that are told; the others are the machinery's own."""

_CLAUSES: dict[type[c.Change], Callable[[Any], str]] = {
    c.Raised: lambda raised: INCIDENT_CLAUSES[raised.kind],
    d.RemedyTaken: lambda taken: taken.clause,
    c.Booked: lambda _booked: "rounds.may_leave_in_discard",
}
"""What these are told with, as ``stands_on`` takes it; a booking is told only where cards stay in the discard."""
