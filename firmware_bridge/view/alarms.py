"""The alarm that is presented, the others in one line each, and the numbers that are locked out."""

from __future__ import annotations

from msgspec import Struct

from firmware_bridge.core.alarms import URGENCY, next_call, presented
from firmware_bridge.core.sets import awaits_a_cycle
from firmware_bridge.core.state import Moment, OpenIncident, State
from firmware_bridge.core.words import Incident, IncidentKind, Role
from firmware_bridge.rulebooks.schema import RuleBook
from firmware_bridge.rulebooks.subjects import source
from firmware_bridge.view.alarm_asks import alarm_lines, how_counted, incident_facts
from firmware_bridge.view.alarm_texts import ALARM, BIG, COURSES, JAMS, OUT_OF_SERVICE, STATES
from firmware_bridge.view.ask_line import AskLine
from firmware_bridge.view.incident_texts import INCIDENT_CLAUSES, INCIDENTS
from firmware_bridge.view.phrases import SECOND, capital, clock, length, stands_on


class AlarmLine(Struct, frozen=True):
    """The alarm that is presented, for the top of the screen.

    ``urgency`` orders the kinds, 0 the most urgent. ``place`` is where a jam is (``intake``, ``carousel``, ``exit``),
    else empty; ``state`` the incident's state. ``asks`` stand in the view's asks too, before all others; ``later`` is
    what comes after them in the good course.
    """

    number: int
    kind: str
    urgency: int
    state: str
    place: str
    big: str
    text: str
    stands: str
    since: str
    acknowledged: str
    escalation: str
    asks: tuple[AskLine, ...]
    later: tuple[str, ...]


class IncidentLine(Struct, frozen=True):
    """One incident that is not confirmed yet. ``cleared``: its condition is gone. ``presented``: it is the alarm."""

    number: int
    kind: str
    state: str
    about: str
    cleared: bool
    presented: bool
    text: str


def shown_alarm(state: State, told: int) -> int:
    """The alarm to show: the one that the controller says it presents, or by the state; 0 for none."""
    return told if told in state.incidents else presented(state)


def alarm_line(state: State, book: RuleBook, number: int, now: int) -> AlarmLine | None:
    """Return the alarm ``number`` in words; None for 0. ``now`` is UTC in nanoseconds."""
    if number == 0:
        return None
    one = state.incidents[number]
    return AlarmLine(
        number=number,
        kind=one.kind.value,
        urgency=URGENCY.index(one.kind),
        state=one.state.value,
        place=one.detail if one.kind is IncidentKind.JAM else "",
        big=BIG[one.kind],
        text=f"{incident_words(one)} [{stands_on(book, INCIDENT_CLAUSES[one.kind])}]",
        stands=_stands(state, one, book),
        since=ALARM["since"].format(at=clock(one.raised.utc_ns)),
        acknowledged=_acknowledged(one.acknowledged, one.acknowledged_by),
        escalation=_escalation(state, book, one, now),
        asks=alarm_lines(state, number, book),
        later=_later(state, one, book),
    )


def incident_words(one: OpenIncident) -> str:
    """What happened: ``jam at the exit: a card sticks on its way to the shoe, shuffler``."""
    about = f", {one.about}" if one.about else ""
    if one.kind is IncidentKind.JAM:
        return JAMS.get(one.detail, INCIDENTS[one.kind]) + about
    detail = f" ({one.detail})" if one.detail else ""
    return INCIDENTS[one.kind] + about + detail


def incident_line(state: State, book: RuleBook, number: int, alarm: int) -> IncidentLine:
    """Return an incident in one line, with where it stands."""
    one = state.incidents[number]
    stands = _stands(state, one, book)
    return IncidentLine(
        number=number,
        kind=one.kind.value,
        state=one.state.value,
        about=one.about,
        cleared=one.state is Incident.CLEARED,
        presented=number == alarm,
        text=f"incident {number}: {incident_words(one)} [{stands_on(book, INCIDENT_CLAUSES[one.kind])}], "
        f"since {clock(one.raised.utc_ns)}: {stands}",
    )


def _stands(state: State, one: OpenIncident, book: RuleBook) -> str:
    """Where it stands; of one whose count or shuffle nobody orders, what is awaited (SB-7)."""
    if awaits_a_cycle(state, one):
        return how_counted(state)[1]
    return STATES[one.state].format_map(incident_facts(state, one, book))


def locked_out_lines(state: State, book: RuleBook, now: int, *, heard: bool = True) -> tuple[str, ...]:
    """The numbers that are locked out, and for how long still (house.lock_out_s, of table time).

    While no controller is ``heard`` no time runs off: at its next start a lock-out begins anew.
    """
    table_now = _table_now(state, now)
    told = ALARM["locked" if heard else "locked_unheard"]
    house = source(book.clause_of("house.lock_out_s"))
    lines = []
    for person, since in state.locked_out.items():
        left = max(0, since + book.house.lock_out_s * SECOND - table_now) // SECOND
        lines.append(told.format(person=person, left=length(left), house=house))
    return tuple(lines)


def table_seconds(state: State, since: Moment, now: int) -> int:
    """Seconds of table time since a moment, whatever the wall's clock did; ``now`` is UTC in nanoseconds."""
    return max(0, _table_now(state, now) - since.at) // SECOND


def _acknowledged(moment: Moment | None, person: int) -> str:
    if moment is None:
        return ALARM["unseen"]
    return ALARM["seen"].format(person=person, at=clock(moment.utc_ns))


def _escalation(state: State, book: RuleBook, one: OpenIncident, now: int) -> str:
    """Who has the alarm, who is called next, and when: dealer, floor, room manager; empty once it is dealt with."""
    call = next_call(one, book.house)
    if call is None and Role.ROOM_MANAGER not in one.escalated:
        return ""
    role, at = call or (None, state.at)
    name = _RUNGS.get(role, "called")
    if name == "counting_down" and one.acknowledged is not None:
        name = "seen_and_open"
    value = "call_supervisor_after_s" if role is Role.SUPERVISOR else "escalate_after_s"
    return ALARM[name].format(
        elapsed=length(table_seconds(state, one.stands_since, now)),
        left=length(max(0, at - _table_now(state, now)) // SECOND),
        house=source(book.clause_of(f"house.{value}")),
    )


_RUNGS: dict[Role | None, str] = {Role.SUPERVISOR: "dealer_has_it", Role.ROOM_MANAGER: "counting_down"}
"""How the ladder is told, by who is called next."""


def _table_now(state: State, now: int) -> int:
    return state.at + int(max(0, now - state.utc_ns) * state.speed)


def _later(state: State, one: OpenIncident, book: RuleBook) -> tuple[str, ...]:
    facts = incident_facts(state, one, book)
    if one.state is Incident.OUT_OF_SERVICE:
        return tuple(capital(stage.format_map(facts)) for stage in OUT_OF_SERVICE)
    course = COURSES[one.kind]
    here = max((place for place, (states, _) in enumerate(course) if one.state in states), default=-1)
    return tuple(capital(stage.format_map(facts)) for _, stage in course[here + 1 :])
