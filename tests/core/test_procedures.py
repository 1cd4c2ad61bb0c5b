"""The procedures' tables, held against what every table must be."""

from __future__ import annotations

import inspect
import logging
from itertools import product

import pytest

from drivers.protocol.messages import Kind
from firmware_bridge.core.alarms import URGENCY
from firmware_bridge.core.asked import ASKED, BY_FACTS
from firmware_bridge.core.dealing import MEANS
from firmware_bridge.core.deciding import INCIDENT_MACHINES, MACHINES, ROUTES
from firmware_bridge.core.device_state import Device
from firmware_bridge.core.incident_asks import INCIDENT_ASKED, OPENED_BY_HAND, RAISED_ASKS
from firmware_bridge.core.machine import TableMachine
from firmware_bridge.core.procedures import (
    INCIDENT_TABLES,
    INITIAL,
    NO_BEARING,
    OUT_OF_PLACE,
    RAISE_AN_INCIDENT,
    TABLES,
)
from firmware_bridge.core.procedures.incidents import JUDGED, KINDS
from firmware_bridge.core.state import Moment, OpenIncident, SetOfCards, State
from firmware_bridge.core.steps import BY_NUMBER, BY_THE_BOOK, STEPS
from firmware_bridge.core.words import (
    BEING_LOADED,
    ENDS,
    IN_PLAY,
    THE_ONLY,
    Incident,
    IncidentKind,
    Place,
    Procedure,
    Role,
    Session,
    Trigger,
)
from firmware_bridge.rulebooks import load_rulebook

BOOK = load_rulebook("portugal")
DEALERS = {Trigger.YES, Trigger.ROUND_OVER, Trigger.CLAIM, *MEANS.values()}
RAISED_ONLY = {Trigger.DAMAGED_CARD, Trigger.CALL_SUPERVISOR}
PEOPLES = set(STEPS) | DEALERS
DEVICES = set(Trigger) - PEOPLES - RAISED_ONLY
SESSION = MACHINES[Procedure.SESSION]

ONLY_WHERE_ITS_GUARD_SAYS = {Trigger.FEED_EMPTY, Trigger.NOT_ASKED}
"""The machine's last card may still stand in the shoe; what a book asks for is not passed over."""

AWAITING_A_DEVICE = {
    # nothing is asked of anybody: the device's answer, or its deadline, moves these on
    Session.COUNTING_LOAD,
    Session.COUNTING_MACHINE,
    Session.SHUFFLING,
    Session.COUNTING_EMPTY,
    Session.READING_DECK,
    Session.LID_RELEASED,
    Session.LID_OPEN,
}


def test_a_persons_step_out_of_place_is_refused_with_a_clause() -> None:
    for trigger in PEOPLES:
        states = {state for procedure in ROUTES[trigger] for state, one in _known(procedure) if one is trigger}
        everywhere = any(states >= _states(procedure) for procedure in ROUTES[trigger])
        assert everywhere or trigger in OUT_OF_PLACE, trigger


def test_no_devices_trigger_is_ever_refused() -> None:
    for trigger in DEVICES:
        assert trigger in NO_BEARING | RAISE_AN_INCIDENT, f"{trigger}: what is it where no row takes it?"


@pytest.mark.parametrize("trigger", sorted(NO_BEARING - RAISE_AN_INCIDENT))
def test_a_devices_trigger_of_no_bearing_has_an_unguarded_last_row_wherever_it_has_a_row(trigger: Trigger) -> None:
    for rows in (*TABLES.values(), *INCIDENT_TABLES.values()):
        for state in {row.source for row in rows if row.trigger is trigger}:
            last = [row for row in rows if (row.source, row.trigger) == (state, trigger)][-1]
            assert not last.guards or trigger in ONLY_WHERE_ITS_GUARD_SAYS, (state, trigger)


def test_every_row_can_fire_no_unguarded_row_stands_before_another_of_its_state_and_trigger() -> None:
    for rows in (*TABLES.values(), *INCIDENT_TABLES.values()):
        closed: set[tuple[str, str]] = set()
        for row in rows:
            assert (row.source, row.trigger) not in closed, row
            if not row.guards:
                closed.add((row.source, row.trigger))


def test_every_state_can_be_reached_and_reaches_an_end() -> None:
    for procedure, rows in TABLES.items():
        arrows = {(row.source, row.target) for row in rows}
        assert _reach({INITIAL[procedure]}, arrows) >= _states(procedure), procedure
    back = {(row.target, row.source) for row in TABLES[Procedure.SESSION]}
    assert _reach(set(ENDS), back) >= _states(Procedure.SESSION)


def test_somebody_can_do_something_in_every_state_that_does_not_await_a_device() -> None:
    for state in set(Session) - ENDS - AWAITING_A_DEVICE - set(BY_FACTS):
        assert ASKED[state], state


def test_what_is_asked_has_a_row() -> None:
    for state, asks in ASKED.items():
        for ask in asks:
            assert SESSION.knows(state, ask.trigger), (state, ask.trigger)


@pytest.mark.parametrize("session", sorted(BY_FACTS))
@pytest.mark.parametrize("there", [False, True], ids=["machine gone", "machine there"])
@pytest.mark.parametrize("given_up", [False, True], ids=["in service", "out of service"])
def test_what_is_asked_by_facts_has_a_row_too(session: Session, there: bool, given_up: bool) -> None:
    jam = OpenIncident(IncidentKind.JAM, "shuffler", "exit", Moment(1, 1, 1))
    jam.state = Incident.OUT_OF_SERVICE if given_up else Incident.CLEARED
    machine = Device(Kind.CONTINUOUS_SHUFFLER, open=there, caught_up=there)
    for counted, outside, machine.cards_inside in product([None, (0, 0), (1, 0)], [0, 52], [False, True]):
        state = State(positions={Procedure.SESSION: session}, devices={"shuffler": machine}, incidents={1: jam})
        state.played.last_count, state.played.counted_at, state.packs = counted, 1, [52, 52]
        state.account.places[Place.OUTSIDE] = outside
        for ask in BY_FACTS[session](state, BOOK):
            assert SESSION.knows(session, ask.trigger), ask.trigger


def test_steps_have_numbers_of_their_own_and_a_role_that_the_tables_ask_for() -> None:
    assert len(BY_NUMBER) == len(STEPS)
    assert {step.role for step in STEPS.values()} <= set(Role)


BY_WHERE_IT_STANDS = {Trigger.CONFIRM_PRESENCE, Trigger.RELEASE_LID}
"""Steps of loading and of unloading, of an incident and of the closing: whose they are depends on that too."""


def test_whose_a_step_is_by_the_book_stands_alike_in_the_tables_and_in_what_is_asked() -> None:
    asked_by = {trigger: {key} for trigger, key in BY_THE_BOOK.items()}
    found: dict[Trigger, set[str]] = {}
    for rows in (*TABLES.values(), *INCIDENT_TABLES.values()):
        for row in rows:
            keys = {inspect.getclosurevars(one).nonlocals["key"] for one in row.guards if "by_whom" in one.__qualname__}
            assert keys or row.trigger not in asked_by, row
            if keys:
                found.setdefault(row.trigger, set()).update(keys)
    assert {trigger: keys for trigger, keys in found.items() if trigger not in BY_WHERE_IT_STANDS} == asked_by


def test_the_dealer_has_no_step_but_to_sign_in() -> None:
    assert {trigger for trigger, step in STEPS.items() if step.role is Role.DEALER} == {Trigger.SIGN_IN}


@pytest.mark.clause("SB-2")
def test_every_incident_has_a_condition_and_is_ended_by_a_supervisor_only() -> None:
    assert set(KINDS) == set(IncidentKind) == set(URGENCY)
    for rows in INCIDENT_TABLES.values():
        ending = [row for row in rows if row.target == "confirmed"]
        assert [row.trigger for row in ending] == [Trigger.CONFIRM_INCIDENT]
        assert ending[0].guards


def test_every_incident_can_be_brought_to_its_end_from_each_of_its_states() -> None:
    for kind, rows in INCIDENT_TABLES.items():
        states = {row.source for row in rows} | {row.target for row in rows}
        arrows = {(row.source, row.target) for row in rows}
        assert _reach({"raised", "awaiting_replacement"} & states, arrows) >= states, kind
        assert _reach({"confirmed"}, {(target, source) for source, target in arrows}) >= states, kind


def test_what_an_incident_asks_for_has_a_row() -> None:
    for kind, rows in INCIDENT_TABLES.items():
        for state in {Incident(row.source) for row in rows}:
            asks = RAISED_ASKS.get(kind, ()) if state is Incident.RAISED else INCIDENT_ASKED.get(state, ())
            if state in OPENED_BY_HAND and kind is not IncidentKind.JAM:
                continue
            for trigger in asks:
                assert INCIDENT_MACHINES[kind].knows(state, trigger), (kind, state, trigger)


def test_the_library_says_nothing_while_tables_are_built(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="transitions"):
        logging.getLogger("transitions").setLevel(logging.WARNING)
        for procedure, rows in TABLES.items():
            TableMachine(procedure, rows)
    assert not caplog.records


def _states(procedure: Procedure) -> set[str]:
    return {row.source for row in TABLES[procedure]} | {row.target for row in TABLES[procedure]}


def _known(procedure: Procedure) -> set[tuple[str, Trigger]]:
    return {(row.source, row.trigger) for row in TABLES[procedure]}


def _reach(start: set[str], arrows: set[tuple[str, str]]) -> set[str]:
    reached = set(start)
    while more := {target for source, target in arrows if source in reached} - reached:
        reached |= more
    return reached


@pytest.mark.clause("SB-7")
@pytest.mark.parametrize("kind", [IncidentKind.EVENTS_LOST, IncidentKind.COUNT_MISMATCH, IncidentKind.CARD_LOST])
def test_what_was_settled_stays_so_while_the_table_closes_and_only_then(kind: IncidentKind) -> None:
    for session in Session:
        state = State(positions={Procedure.SESSION: session}, sets={THE_ONLY: SetOfCards(counts_trusted=False)})
        state.account.places = {Place.TABLE: 1}
        cleared, raised = (
            OpenIncident(kind, "", "", Moment(1, 0, 0), state=one) for one in (Incident.CLEARED, Incident.RAISED)
        )
        judged = session in JUDGED
        assert KINDS[kind].gone(state, cleared) is (judged or session not in IN_PLAY | BEING_LOADED), session
        assert KINDS[kind].gone(state, raised) is judged, session
