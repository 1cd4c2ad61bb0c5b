"""What people do: identified or rejected, steps on the keypad, the dealer's keys."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from drivers.protocol.messages import DealerKey, DealerKeyPressed
from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.alarms import presented
from firmware_bridge.core.dealing import said_to_the_deal
from firmware_bridge.core.deciding import Deciding
from firmware_bridge.core.procedures import OUT_OF_PLACE
from firmware_bridge.core.slips import NO_SLIP, typed_slip
from firmware_bridge.core.state import State
from firmware_bridge.core.steps import STEPS
from firmware_bridge.core.words import ROUND_RUNS, IncidentKind, Procedure, Role, Trigger

DEALER_KEYS: dict[DealerKey, Trigger] = {
    DealerKey.YES: Trigger.YES,
    DealerKey.ROUND_OVER: Trigger.ROUND_OVER,
    DealerKey.CLAIM: Trigger.CLAIM,
}

ANSWERS = frozenset({DealerKey.YES, DealerKey.ROUND_OVER})
"""Keys that answer what is asked: under another prompt they act on nothing. A call or a claim answers
nothing and is never lost to a prompt that changed meanwhile."""


NOT_BLINDLY = "no screen shows the alarm: nobody answers it blindly"


def identified(deciding: Deciding, event: e.Identified) -> None:
    """A right PIN: earlier wrong entries are forgiven."""
    if event.person in deciding.state.wrong_entries:
        deciding.add(c.EntriesForgiven(event.person))


def rejected(deciding: Deciding, event: e.Rejected) -> None:
    """A wrong entry; so many in a row lock the number out for the house's time."""
    state, house = deciding.state, deciding.book.house
    if event.person in state.locked_out:
        return  # turned away without a check: the time neither grows nor shrinks
    wrong = state.wrong_entries.get(event.person, 0) + 1
    deciding.add(c.WrongEntry(event.person, locked=wrong >= house.wrong_entries))


def acted(deciding: Deciding, event: e.Acted) -> None:
    """A step on the keypad."""
    step = event.step
    about_an_alarm = STEPS[step].incident or deciding.awaits(event.about, step)
    if about_an_alarm and not deciding.state.screen_shown:
        deciding.refuse(Procedure.SESSION, step, "SB-2", NOT_BLINDLY)
        return
    if step in _BESIDE_THE_TABLES:
        _BESIDE_THE_TABLES[step](deciding, event)
    else:
        if deciding.person(step, event.about) and about_an_alarm:
            _seen(deciding, event)


def _acknowledge(deciding: Deciding, event: e.Acted) -> None:
    incident = deciding.state.incidents.get(event.about)
    if event.role is not Role.SUPERVISOR:
        deciding.refuse(Procedure.INCIDENT, event.step, "SB-2", "an alarm is acknowledged by the supervisor")
    elif incident is None or incident.acknowledged is not None:
        deciding.refuse(Procedure.INCIDENT, event.step, *OUT_OF_PLACE[event.step])
    else:
        deciding.add(c.Acknowledged(event.about, event.person))


def _seen(deciding: Deciding, event: e.Acted) -> None:
    """Whoever of the right role acts on an alarm has seen it."""
    state = deciding.state
    incident = state.incidents.get(event.about) or state.incidents_closed.get(event.about)
    if incident is not None and incident.acknowledged is None and event.role is Role.SUPERVISOR:
        deciding.add(c.Acknowledged(event.about, event.person))


def _take_over(deciding: Deciding, event: e.Acted) -> None:
    if event.role is not Role.SUPERVISOR:
        deciding.refuse(Procedure.SESSION, event.step, "SB-3", "a table is taken over by a supervisor")
    elif not deciding.state.under_way:
        deciding.refuse(Procedure.SESSION, event.step, *OUT_OF_PLACE[event.step])
    else:
        deciding.add(c.TookOver(event.person))


def _declare_spill(deciding: Deciding, event: e.Acted) -> None:
    if event.role is not Role.SUPERVISOR:
        deciding.refuse(Procedure.INCIDENT, event.step, "SB-7", "a spill is declared by the supervisor: call him")
    elif not deciding.state.under_way:
        deciding.refuse(Procedure.INCIDENT, event.step, *OUT_OF_PLACE[event.step])
    else:
        deciding.raise_incident(IncidentKind.SPILL, "", f"declared by supervisor {event.person}")


def _declare_foreign(deciding: Deciding, event: e.Acted) -> None:
    """What no reader sees, the back or a card of another game, a person does (PT-A5, BR-005)."""
    if event.role is not Role.SUPERVISOR:
        reason = "that a card is none of the set is for the supervisor to say: call him"
        deciding.refuse(Procedure.INCIDENT, event.step, "SB-1", reason)
    elif not deciding.state.under_way:
        deciding.refuse(Procedure.INCIDENT, event.step, *OUT_OF_PLACE[event.step])
    else:
        deciding.raise_incident(IncidentKind.FOREIGN_CARD, "", f"declared by supervisor {event.person}")


def _name_slip(deciding: Deciding, event: e.Acted) -> None:
    """A slip that no count shows is named in the round in which it was; the incident opens with its name (MO-5a)."""
    state = deciding.state
    number = next((one for one in state.incidents if deciding.awaits(one, event.step)), 0)
    is_one = typed_slip(event.value, deciding.book.equipment.places) not in (None, NO_SLIP)
    if not number and is_one and event.role is Role.SUPERVISOR and state.session in ROUND_RUNS:
        deciding.raise_incident(IncidentKind.WRONG_DEAL, "", f"named by supervisor {event.person}")
        number = state.incidents_raised
    if deciding.person(event.step, number):
        _seen(deciding, replace(event, about=number))


def _is_known(state: State, incident: int) -> bool:
    """Whether there was such an incident, in this session or an earlier one."""
    return 1 <= incident <= state.incidents_raised


def _notice_sent(deciding: Deciding, event: e.Acted) -> None:
    state, number = deciding.state, event.value
    incident = state.incidents.get(number) or state.incidents_closed.get(number)
    is_owed = any(notice.incident == number for notice in state.notices)
    is_done = incident is not None and incident.reported is not None
    if event.role is not Role.ROOM_MANAGER:
        reason = "the notice to the inspectorate is the room manager's"
        deciding.refuse(Procedure.INCIDENT, event.step, "notices.damaged_card", reason)
    elif not is_owed and (is_done or not _is_known(state, number)):
        deciding.refuse(Procedure.INCIDENT, event.step, *OUT_OF_PLACE[event.step])
    else:
        deciding.add(c.NoticeSent(number, event.person))


def _corrective_action(deciding: Deciding, event: e.Acted) -> None:
    state = deciding.state
    if event.role is not Role.ROOM_MANAGER:
        deciding.refuse(Procedure.INCIDENT, event.step, "SB-2", "a corrective action is the room manager's to enter")
    elif not _is_known(state, event.value):
        deciding.refuse(Procedure.INCIDENT, event.step, *OUT_OF_PLACE[event.step])
    else:
        deciding.add(c.Corrected(state.incident_kinds[event.value - 1], event.person))


def _return_to_service(deciding: Deciding, event: e.Acted) -> None:
    state = deciding.state
    machine = state.machine
    if event.role is not Role.TECHNICIAN:
        deciding.refuse(Procedure.SESSION, event.step, "SB-4", "a machine is returned to service by the technician")
    elif state.under_way or machine is None or not machine.open or not state.machine_is_retired:
        deciding.refuse(Procedure.SESSION, event.step, *OUT_OF_PLACE[event.step])
    else:
        deciding.add(c.MachineReturned(machine.told.name, event.person))


_BESIDE_THE_TABLES: dict[Trigger, Callable[[Deciding, e.Acted], None]] = {
    Trigger.ACKNOWLEDGE: _acknowledge,
    Trigger.TAKE_OVER: _take_over,
    Trigger.DECLARE_SPILL: _declare_spill,
    Trigger.DECLARE_FOREIGN: _declare_foreign,
    Trigger.NAME_SLIP: _name_slip,
    Trigger.NOTICE_SENT: _notice_sent,
    Trigger.CORRECTIVE_ACTION: _corrective_action,
    Trigger.RETURN_TO_SERVICE: _return_to_service,
}
"""Steps that move no procedure, or open the incident that they are about."""


def dealer_key(deciding: Deciding, body: DealerKeyPressed) -> None:
    """One of the dealer's keys on the shoe."""
    state = deciding.state
    if body.key in ANSWERS and body.prompt != state.prompt:
        reason = "pressed before what is asked now was shown: press again"
        deciding.refuse(Procedure.SESSION, DEALER_KEYS[body.key], "SB-1", reason)
    elif body.key is DealerKey.DAMAGED_CARD:
        deciding.raise_incident(IncidentKind.DAMAGED_CARD, "", "the dealer showed a damaged card")
    elif body.key is DealerKey.CALL_SUPERVISOR:
        deciding.raise_incident(IncidentKind.SUPERVISOR_CALLED, "", "the dealer calls the floor supervisor")
    else:
        trigger = DEALER_KEYS[body.key]
        incident = _asks_the_dealer(deciding, trigger)
        if incident and not state.screen_shown:
            deciding.refuse(Procedure.SESSION, trigger, "SB-2", NOT_BLINDLY)
        else:
            said = None if incident else said_to_the_deal(state, body.key)
            deciding.person(said or trigger, incident)


def _asks_the_dealer(deciding: Deciding, trigger: Trigger) -> int:
    """The incident that awaits this key of the dealer: the presented one, or the first that does; 0 for none."""
    first = presented(deciding.state)
    order = sorted(deciding.state.incidents, key=lambda number: (number != first, number))
    return next((number for number in order if deciding.awaits(number, trigger)), 0)
