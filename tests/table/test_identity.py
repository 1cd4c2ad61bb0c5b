"""Another device than the approved one, or other firmware in it, holds the table until two people approve it."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy

import pytest
from msgspec.structs import replace

from drivers.protocol.messages import Capability, Kind, Lamp, capability_words
from firmware_bridge.core.alarms import presented
from firmware_bridge.core.changes import (
    Began,
    DeviceApproved,
    DeviceChangedAgain,
    Linked,
    Raised,
    Refused,
    Seen,
    SessionBegan,
    Sight,
)
from firmware_bridge.core.decide import decide
from firmware_bridge.core.events import Identity, LinkUp
from firmware_bridge.core.fold import apply_change, fold
from firmware_bridge.core.outputs import unapproved
from firmware_bridge.core.steps import STEPS
from firmware_bridge.core.words import Incident, IncidentKind, Role, Session, Trigger
from firmware_bridge.view import approval_lines, describe
from tests.table.byways import approve, count, force_lid, reconnect, stands, update
from tests.table.evening import DEALER, ROOM_MANAGER, SUPERVISOR, TECHNICIAN, Evening
from tests.table.told import due, screen, session_told

pytestmark = pytest.mark.clause("SB-10")

IDENTITY = IncidentKind.IDENTITY_CHANGED
APPROVED, OTHER, THIRD = "simulated 1", "simulated 2", "simulated 3"
"""Versions of firmware."""


def asked(evening: Evening, trigger: Trigger) -> list[str]:
    """What the screen asks of people, by trigger."""
    return [ask.text for ask in screen(evening).asks if ask.trigger == trigger]


@pytest.mark.parametrize("name", ["shuffler", "shoe", "keypad", "lamp"])
def test_a_device_of_another_serial_number_holds_the_table_and_two_people_approve_it(ready: Evening, name: str) -> None:
    ready.hands.replace_device(name, "X-0002")
    ready.table.run(3)
    assert stands(ready, IDENTITY, Incident.RAISED, 1)
    assert ready.hands.pull_card() is None
    assert ready.hands.lamp_shown is Lamp.FLASHING or name == "lamp"
    approve(ready)
    assert stands(ready, IDENTITY, Incident.CLEARED, 1)
    if IncidentKind.MEMORY_LOST in ready.kinds() or IncidentKind.POWER_LOST in ready.kinds():
        count(ready)
        ready.table.run(60)
        if stands(ready, IncidentKind.MEMORY_LOST, Incident.RAISED, 1):
            count(ready)
            ready.table.run(60)
    assert ready.hands.pull_card() is None, "approved is not confirmed"
    ready.confirm_all()
    ready.table.run(2)
    assert not ready.reasons()
    assert ready.hands.pull_card() is not None


@pytest.mark.clause("SB-7")
def test_nobody_counts_a_machine_before_it_is_settled_whether_it_belongs_there(ready: Evening) -> None:
    """Shuffler and shoe are exchanged in play: what the others hold says nothing of the table's cards."""
    ready.play_round()
    for name in ("shuffler", "shoe"):
        ready.hands.replace_device(name, "X-0002")
    ready.table.run(3)
    assert {IDENTITY, IncidentKind.MEMORY_LOST} < set(ready.kinds())
    checks, approvals = [(TECHNICIAN, Trigger.CHECK_DEVICE)] * 2, [(SUPERVISOR, Trigger.APPROVE_DEVICE)] * 2
    for person, step in (*checks, *approvals):
        assert ready.state.incidents[presented(ready.state)].kind is IDENTITY
        assert Trigger.COUNT_MACHINE not in due(ready)
        assert ready.act(person, step) is None
    assert Trigger.COUNT_MACHINE in due(ready)


@pytest.mark.clause("SB-7")
def test_a_count_by_a_machine_that_is_not_approved_is_refused_and_settles_nothing(ready: Evening) -> None:
    ready.play_round()
    ready.hands.replace_device("shuffler", "X-0002")
    ready.table.run(3)
    before = ready.state.account
    for person, step in ((TECHNICIAN, Trigger.CHECK_DEVICE), (SUPERVISOR, Trigger.APPROVE_DEVICE)):
        assert ready.act(SUPERVISOR, Trigger.COUNT_MACHINE) == "SB-10"
        ready.table.run(60)
        assert stands(ready, IncidentKind.MEMORY_LOST, Incident.RAISED, 1)
        assert ready.state.account == before
        assert ready.act(person, step) is None
    assert ready.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None


def test_another_lamp_waits_for_the_alarms_that_are_about_cards(ready: Evening) -> None:
    force_lid(ready)
    update(ready, "lamp", OTHER)
    assert ready.state.incidents[presented(ready.state)].kind is IncidentKind.LID_OPENED


def test_other_firmware_in_the_same_device_is_another_device(ready: Evening) -> None:
    before = ready.state.devices["lamp"].told
    update(ready, "lamp", OTHER)
    assert stands(ready, IDENTITY, Incident.RAISED, 1)
    told = ready.state.devices["lamp"].told
    assert (told.serial, told.firmware) == (before.serial, "simulated 2")
    assert told.digest != before.digest
    [incident] = [one for one in ready.state.incidents.values() if one.kind is IDENTITY]
    assert "firmware simulated 2 instead of simulated 1" in incident.detail
    assert "digest" in incident.detail
    assert "SB-2" in ready.reasons()


@pytest.mark.parametrize(
    ("name", "part", "how"),
    [
        ("shuffler", Capability.CAN_LOCK_LID, "no longer: can lock lid"),
        ("shoe", Capability.READS_FACES, "no longer: reads faces"),
        ("lamp", Capability.READS_BACKS, "new: reads backs"),
    ],
)
def test_the_same_device_that_can_do_less_or_more_than_approved_is_another_one(
    ready: Evening, name: str, part: Capability, how: str
) -> None:
    """Its labels all say the same: a lid that was locked and no longer is would be seen by nobody."""
    before = ready.state.devices[name].told
    ready.hands.replace_device(name, parts=part)
    ready.table.run(3)
    assert stands(ready, IDENTITY, Incident.RAISED, 1)
    [incident] = [one for one in ready.state.incidents.values() if one.kind is IDENTITY]
    assert incident.detail == how
    assert "SB-2" in ready.reasons()
    words = capability_words(before.capabilities ^ part)
    assert all(words in ask for ask in asked(ready, Trigger.CHECK_DEVICE))
    approve(ready)
    assert stands(ready, IDENTITY, Incident.CLEARED, 1)
    if IncidentKind.POWER_LOST in ready.kinds():
        count(ready)
        ready.table.run(60)
    assert ready.state.approved[ready.state.devices[name].kind].capabilities == before.capabilities ^ part
    assert any(f"({words}) is approved by technician" in (describe(one, 0) or "") for one in ready.logged())
    ready.hands.replace_device(name, parts=part)
    ready.table.run(3)
    assert stands(ready, IDENTITY, Incident.RAISED, 1), "now the one as before is another than approved"


def test_an_approval_written_before_capabilities_were_noted_is_of_those_that_the_device_told_then(
    ready: Evening,
) -> None:
    without = [_without_capabilities(logged.to_body()) for logged in ready.logged()]
    assert any(one != logged.to_body() for one, logged in zip(without, ready.logged(), strict=True))
    state = fold((number, 0, body) for number, body in enumerate(without, 1))
    assert state.approved == ready.state.approved


def _without_capabilities(body: bytes) -> bytes:
    """The same record as software wrote it that noted no capabilities with an identity."""
    record = json.loads(body)
    for change in record["decision"]["changes"]:
        for identity in [*change.get("devices", {}).values(), change.get("identity")]:
            if isinstance(identity, dict):
                del identity["capabilities"]
    return json.dumps(record).encode()


def test_the_screen_says_what_stands_there_what_was_approved_and_what_each_does(ready: Evening) -> None:
    update(ready, "lamp", OTHER)
    [check] = asked(ready, Trigger.CHECK_DEVICE)
    assert check.startswith("Technician: step 62")
    assert f"Sabot Lamp SL-0001, firmware {OTHER}" in check
    assert not asked(ready, Trigger.APPROVE_DEVICE)
    assert any(f"firmware {APPROVED}" in ask.text for ask in screen(ready).asks if ask.trigger == "connect_approved")
    assert ready.act(TECHNICIAN, Trigger.CHECK_DEVICE) is None
    [approval] = asked(ready, Trigger.APPROVE_DEVICE)
    assert approval.startswith("Supervisor: step 63")
    assert f"technician {TECHNICIAN} checked it" in approval
    assert not asked(ready, Trigger.CHECK_DEVICE)


def test_the_approved_device_put_back_ends_it_too(ready: Evening) -> None:
    update(ready, "lamp", OTHER)
    update(ready, "lamp", APPROVED)
    assert stands(ready, IDENTITY, Incident.CLEARED, 1)
    update(ready, "lamp", OTHER)
    assert stands(ready, IDENTITY, Incident.RAISED, 1), "it came back, and nobody has seen that"
    assert ready.act(TECHNICIAN, Trigger.CHECK_DEVICE) is None
    update(ready, "lamp", APPROVED)
    assert stands(ready, IDENTITY, Incident.CLEARED, 1)
    ready.confirm_all()
    assert ready.state.approved[Kind.LAMP].firmware == APPROVED


def test_a_device_that_was_checked_taken_away_and_put_back_is_checked_again(ready: Evening) -> None:
    update(ready, "lamp", OTHER)
    assert ready.act(TECHNICIAN, Trigger.CHECK_DEVICE) is None
    update(ready, "lamp", APPROVED)
    assert stands(ready, IDENTITY, Incident.CLEARED, 1)
    update(ready, "lamp", OTHER)
    assert stands(ready, IDENTITY, Incident.RAISED, 1)
    assert asked(ready, Trigger.CHECK_DEVICE)
    assert not asked(ready, Trigger.APPROVE_DEVICE)
    approve(ready)
    assert stands(ready, IDENTITY, Incident.CLEARED, 1)


def test_a_step_of_an_alarm_that_waits_behind_another_is_refused_with_its_turn(ready: Evening) -> None:
    force_lid(ready)
    update(ready, "lamp", OTHER)
    first = presented(ready.state)
    [waiting] = [number for number, one in ready.state.incidents.items() if one.kind is IDENTITY]
    assert waiting != first
    assert ready.act(TECHNICIAN, Trigger.CHECK_DEVICE) == "SB-10"
    refused = [one for logged in ready.logged() for one in logged.decision.changes if isinstance(one, Refused)]
    assert refused[-1].reason == f"incident {waiting} waits for this step: its turn comes after incident {first}"


@pytest.mark.clause("SB-3")
def test_one_person_alone_approves_nothing(ready: Evening) -> None:
    update(ready, "lamp", OTHER)
    for person in (DEALER, SUPERVISOR, ROOM_MANAGER):
        assert ready.act(person, Trigger.CHECK_DEVICE) == "SB-10"
        assert ready.act(person, Trigger.APPROVE_DEVICE) == "SB-10"
    assert ready.act(TECHNICIAN, Trigger.APPROVE_DEVICE) == "SB-10"
    assert ready.act(TECHNICIAN, Trigger.CHECK_DEVICE) is None
    assert ready.act(TECHNICIAN, Trigger.APPROVE_DEVICE) == "SB-10"
    ready.people[TECHNICIAN] = ready.people[TECHNICIAN][0], Role.SUPERVISOR  # as no people file does within an alarm
    assert ready.act(TECHNICIAN, Trigger.APPROVE_DEVICE) == "SB-3"
    assert ready.state.approved[Kind.LAMP].firmware == APPROVED
    assert ready.act(SUPERVISOR, Trigger.APPROVE_DEVICE) is None
    assert ready.state.approved[Kind.LAMP].firmware == OTHER


def test_what_is_approved_is_what_the_technician_saw(ready: Evening) -> None:
    update(ready, "lamp", OTHER)
    assert ready.act(TECHNICIAN, Trigger.CHECK_DEVICE) is None
    update(ready, "lamp", THIRD)
    assert ready.act(SUPERVISOR, Trigger.APPROVE_DEVICE) == "SB-10"
    assert asked(ready, Trigger.CHECK_DEVICE)
    approve(ready)
    assert ready.state.approved[Kind.LAMP].firmware == THIRD
    [approved] = [
        one for logged in ready.logged() for one in logged.decision.changes if isinstance(one, DeviceApproved)
    ]
    assert (approved.technician, approved.supervisor) == (TECHNICIAN, SUPERVISOR)
    assert approved.identity == ready.state.devices["lamp"].told


def test_a_device_that_changed_again_is_named_as_it_is_now_on_the_screen_and_in_the_report(ready: Evening) -> None:
    first, second = f"firmware {OTHER} instead of {APPROVED}", f"firmware {THIRD} instead of {APPROVED}"

    def headline() -> str:
        alarm = screen(ready).alarm
        assert alarm is not None
        return alarm.text

    update(ready, "lamp", OTHER)
    assert first in headline()
    assert "by now" not in headline()
    for version, named in ((THIRD, True), (THIRD, True), (OTHER, False), (THIRD, True)):
        update(ready, "lamp", version)
        assert first in headline(), "what was told first was told"
        assert (f"; by now {second}" in headline()) is named
    assert f"; by now {second}" in "\n".join(approval_lines(ready.state, ready.table.config.book))
    approve(ready)
    ready.confirm_all()
    [told] = [one for one in session_told(ready).incidents if one.kind == IDENTITY.value]
    assert f"; by now {second}" in told.text, "and which one was approved is told for good"
    assert [line.text for line in told.course].count(f"by now it is yet another device: {_whole(ready, THIRD)}") == 2


def _whole(evening: Evening, version: str) -> str:
    """All that differs in the lamp with this version, as it was told."""
    changes = [one for logged in evening.logged() for one in logged.decision.changes]
    return next(one.how for one in changes if isinstance(one, DeviceChangedAgain) and version in one.how)


def test_nobody_checks_or_approves_a_device_that_is_not_connected(ready: Evening) -> None:
    update(ready, "lamp", OTHER)
    assert ready.act(SUPERVISOR, Trigger.ACKNOWLEDGE) is None
    number = next(number for number, one in ready.state.incidents.items() if one.kind is IDENTITY)
    ready.table.unplug("lamp")
    ready.table.run(1)
    for person, step in ((TECHNICIAN, Trigger.CHECK_DEVICE), (SUPERVISOR, Trigger.APPROVE_DEVICE)):
        assert not ready.state.devices["lamp"].is_there
        ready.identify(person)
        ready.table.assembly.controller.console._about = number  # as if this alarm had been presented
        ready.enter(STEPS[step].number)
        ready.table.run(0.1)
        assert ready.refusals()[-1] == (step, "SB-10")
    ready.table.replug("lamp")
    ready.table.run(3)
    approve(ready)


def _unplugged(evening: Evening) -> None:
    reconnect(evening, "lamp")


def _restarted(evening: Evening) -> None:
    evening.table.start_controller()
    evening.table.run(3)


def _begins_anew(evening: Evening) -> None:
    evening.hands.replace_device("lamp", firmware=OTHER)
    evening.table.run(3)


@pytest.mark.parametrize("lose", [_unplugged, _restarted, _begins_anew])
def test_a_check_is_of_the_device_in_this_connection(ready: Evening, lose: Callable[[Evening], None]) -> None:
    """What comes back says that it is the same, and nobody has looked whether it is."""
    update(ready, "lamp", OTHER)
    assert ready.act(TECHNICIAN, Trigger.CHECK_DEVICE) is None
    assert stands(ready, IDENTITY, Incident.AWAITING_APPROVAL, 1)
    lose(ready)
    assert ready.state.devices["lamp"].is_there
    assert stands(ready, IDENTITY, Incident.RAISED, 1)
    assert not asked(ready, Trigger.APPROVE_DEVICE)
    assert ready.act(SUPERVISOR, Trigger.APPROVE_DEVICE) == "SB-10"
    assert ready.state.approved[Kind.LAMP].firmware == APPROVED
    approve(ready)
    assert ready.state.approved[Kind.LAMP].firmware == OTHER


def test_a_table_opens_with_the_alarm_where_a_device_was_changed_while_it_was_closed() -> None:
    evening = Evening()
    update(evening, "lamp", OTHER)
    evening.open_table()
    assert not evening.kinds(), "the first session takes the devices as they stand there: nothing was known of any"
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.session is Session.NOT_OPENED
    update(evening, "lamp", THIRD)
    assert any(f"{THIRD} instead of {OTHER}" in duty for duty in screen(evening).duties)
    evening.open_table()
    assert evening.kinds() == [IDENTITY]
    evening.table.start_controller()
    evening.table.run(3)
    assert IDENTITY in evening.kinds(), "a restart ends nothing (SB-2)"
    approve(evening)
    evening.confirm_all()
    assert not any(THIRD in duty for duty in screen(evening).duties)
    reconnect(evening, "lamp")
    assert IDENTITY not in evening.kinds(), "it is the approved one from now on"


def test_an_alarm_that_a_session_left_which_did_not_open_is_not_raised_again_at_the_next() -> None:
    evening = Evening()
    evening.open_table()
    evening.hands.replace_device("lamp", "X-0002")
    evening.table.run(3)
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.session is Session.NOT_OPENED
    evening.open_table()
    assert evening.kinds().count(IDENTITY) == 1, "one approval answers it"
    approve(evening)
    assert stands(evening, IDENTITY, Incident.CLEARED, 1)


@pytest.mark.parametrize(("serial", "alarms"), [("SL-0001", []), ("X-0002", ["light"])])
def test_another_name_in_the_configuration_approves_nothing_and_takes_no_approval(
    ready: Evening, serial: str, alarms: list[str]
) -> None:
    changes = [one for logged in ready.logged() for one in logged.decision.changes]
    began = next(one for one in changes if isinstance(one, Began))
    lamp = next(one for one in changes if isinstance(one, Linked) and one.device == "lamp")
    state = deepcopy(ready.state)
    kinds = {{"lamp": "light"}.get(name, name): kind for name, kind in began.devices.items()}
    apply_change(state, replace(began, devices=kinds))
    told = replace(lamp.hello, serial=serial)
    decision = decide(
        state,
        LinkUp("light", told, memory_lost=False, behind=False),
        number=state.record + 1,
        table_ns=state.at,
        utc_ns=state.utc_ns,
        book=ready.table.config.book,
    )
    apply_change(state, SessionBegan(SUPERVISOR, 208, devices={"light": state.devices["light"].told}))
    apply_change(state, Seen("light", Sight.CAUGHT_UP, True))
    assert [one.about for one in decision.changes if isinstance(one, Raised) and one.kind is IDENTITY] == alarms
    assert list(unapproved(state)) == alarms, "nor does the next session approve it"


def test_what_an_identity_differs_in_is_said_in_words() -> None:
    one = Identity("Lamp", "1", "1.0", "aa", simulated=False)
    assert one.unlike(one) == ""
    assert one.unlike(Identity("Light", "", "1.0", "aa", simulated=False)) == (
        "model Lamp instead of Light, serial number 1 instead of none"
    )
    assert one.unlike(Identity("Lamp", "1", "1.0", "bb", simulated=True)) == (
        "firmware digest aa instead of bb, simulated False instead of True"
    )
    counts, holds, reads = Capability.COUNTS_CARDS, Capability.CAN_HOLD, Capability.READS_FACES
    can = replace(one, capabilities=counts | holds)
    assert can.unlike(can) == ""
    assert can.unlike(replace(one, capabilities=counts | reads)) == "no longer: reads faces, new: can hold"
