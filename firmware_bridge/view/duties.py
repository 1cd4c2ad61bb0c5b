"""What people still owe: derived from the state, with since when and whose, and the room manager after too long."""

from __future__ import annotations

from msgspec import Struct

from firmware_bridge.core.outputs import unapproved
from firmware_bridge.core.state import State
from firmware_bridge.core.words import CardSet, Claim, Place, Procedure, Session
from firmware_bridge.rulebooks.permissions import day_of, not_yet
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.rulebooks.subjects import source
from firmware_bridge.view.incident_texts import INCIDENT_CLAUSES, INCIDENTS, REMEDIES
from firmware_bridge.view.phrases import SECOND, capital, cards, clock, listed, role_words, stands_on
from firmware_bridge.view.texts import DUTIES, SETS

RESULTS = {
    Session.ALL_REGULAR: ("result", "PT-A6"),
    Session.EMPTIED: ("result", "PT-A6"),
    Session.DIFFERENCE: ("difference", "house.difference_signed_by"),
}
"""What a session's end leaves to sign, and on what that stands."""


class _Duty(Struct, frozen=True):
    """``text`` with the place for since when; ``clause`` as ``stands_on`` takes it.

    ``since`` is UTC in nanoseconds, 0 where it is not known.
    """

    text: str
    clause: str
    since: int = 0


def duty_lines(state: State, book: RuleBook, now: int) -> tuple[str, ...]:
    """Return all duties; ``now`` is UTC in nanoseconds."""
    return tuple(
        _line(duty, book, int(max(0, now - duty.since) * state.speed))
        for duty in (
            *_claim(state),
            *_incidents(state),
            *_postponed(state),
            *_notices(state),
            *_discard(state, book),
            *_burned(state),
            *_retired(state),
            *_unapproved(state),
            *_result(state, book),
            *_set(state),
            *_permissions(state, book, now),
        )
    )


def _line(duty: _Duty, book: RuleBook, waited: int) -> str:
    since = f" since {clock(duty.since)}" if duty.since else ""
    line = capital(duty.text.replace("{since}", since)) + f" [{stands_on(book, duty.clause)}]"
    seconds = book.house.escalate_after_s
    if duty.since and waited > seconds * SECOND:
        line += DUTIES["late"].format(seconds=seconds, house=source(book.clause_of("house.escalate_after_s")))
    return line


def _claim(state: State) -> list[_Duty]:
    if state.claim is Claim.NONE:
        return []
    return [_Duty(DUTIES["claim"], "SB-8", _since(state, Procedure.CLAIM))]


def _incidents(state: State) -> list[_Duty]:
    return [
        _Duty(
            DUTIES["cleared" if one.cleared else "raised"].format(
                number=number, incident=INCIDENTS[one.kind], remedy=REMEDIES[one.kind], since="{since}"
            ),
            "SB-2",
            one.raised.utc_ns,
        )
        for number, one in state.incidents.items()
    ]


def _postponed(state: State) -> list[_Duty]:
    """What came to light while the table was closed, and opens as an alarm with the next session."""
    return [_Duty(DUTIES["postponed"].format(detail=one.detail), INCIDENT_CLAUSES[one.kind]) for one in state.postponed]


def _notices(state: State) -> list[_Duty]:
    return [
        _Duty(DUTIES["notice"].format(number=one.incident, since="{since}"), "notices.damaged_card", one.since.utc_ns)
        for one in state.notices
    ]


def _discard(state: State, book: RuleBook) -> list[_Duty]:
    """Owed to a continuous shuffler alone: elsewhere a round's cards stay in the discard until the set is shuffled."""
    owed = state.account.at(Place.DISCARD)
    is_owed = state.takes_single_cards and book.rounds.discards_return_after_each and owed > 0
    if not is_owed or not state.under_way or not state.rounds:
        return []
    ends = [one.ended.utc_ns for one in state.rounds if one.ended]
    text = DUTIES["discard"].format(cards=cards(owed), since="{since}")
    return [_Duty(text, "rounds.may_leave_in_discard", ends[-1] if ends else 0)]


def _burned(state: State) -> list[_Duty]:
    burned = state.account.at(Place.DISCARD)
    if burned <= 0 or state.rounds or not (state.under_way and state.takes_single_cards):
        return []
    text = DUTIES["burned"].format(cards=cards(burned), since="")
    return [_Duty(text, "burn.with_shuffler")]


def _retired(state: State) -> list[_Duty]:
    return [
        _Duty(DUTIES["retired"].format(machine=machine, since="{since}"), "SB-4", since.utc_ns)
        for machine, since in state.retired.items()
    ]


def _unapproved(state: State) -> list[_Duty]:
    """Of a closed table; while a session is under way it is an incident."""
    if state.under_way:
        return []
    return [
        _Duty(DUTIES["unapproved"].format(device=name, how=how), "SB-10") for name, how in unapproved(state).items()
    ]


def _result(state: State, book: RuleBook) -> list[_Duty]:
    if state.session not in RESULTS:
        return []
    name, clause = RESULTS[state.session]
    signs = role_words(book.house.difference_signed_by)
    return [_Duty(DUTIES[name].format(signs=signs, since="{since}"), clause, _since(state, Procedure.SESSION))]


def _set(state: State) -> list[_Duty]:
    text = SETS[state.card_set].format(imperfect=listed(map(str, state.imperfect_decks)), reference=state.authorisation)
    clause = "SB-2" if state.card_set is CardSet.BARRED else "PT-E4"
    return [_Duty(text, clause, _since(state, Procedure.CARD_SET))] if text else []


def _permissions(state: State, book: RuleBook, now: int) -> list[_Duty]:
    """No table opens before the first day of use, and its screen says why."""
    if state.under_way:
        return []
    return [
        _Duty(DUTIES["permission"].format(reference=one.reference, day=one.holds_from), one.clause)
        for one in not_yet(book, day_of(now))
    ]


def _since(state: State, procedure: Procedure) -> int:
    """UTC in nanoseconds at which a procedure came to where it stands."""
    moment = state.moved.get(procedure)
    return moment.utc_ns if moment else 0
