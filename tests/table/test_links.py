"""Restarts, cables, identities: unknown is never ready, and nothing is lost from the books (SB-1, SB-11)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey, Kind, Lamp
from drivers.protocol.notices import LinkLost
from firmware_bridge.core.controller import FromDevice
from firmware_bridge.core.events import BadFrames
from firmware_bridge.core.fold import digest, fold
from firmware_bridge.core.words import Incident, IncidentKind, Session, Trigger
from firmware_bridge.errors import JournalError
from sim_hardware.equipment import KEYPAD, LAMP, SHOE
from sim_hardware.mechanics import QUICK
from sim_hardware.registry import default_identities
from sim_hardware.table import Fittings
from tests.table.byways import count, force_lid, reconnect, stands
from tests.table.evening import BACKS, DEALER, SUPERVISOR, Evening
from tests.table.told import screen


def test_a_follower_of_the_journal_reaches_the_controllers_state(ready: Evening) -> None:
    ready.play_round()
    ready.close()
    folded = fold((record.number, record.utc_ns, record.body) for record in ready.table.store.records())
    assert digest(folded) == digest(ready.state)


@pytest.mark.rule(27)
def test_a_restart_in_the_middle_of_a_round_goes_on_where_the_journal_stands(ready: Evening) -> None:
    ready.deal(5)
    ready.table.start_controller()
    assert ready.session is Session.IN_ROUND
    assert ready.state.account.out == 5
    ready.table.run(4)
    ready.confirm_all()
    ready.table.run(1)
    assert ready.key(DealerKey.ROUND_OVER) is None
    ready.put_back()
    assert ready.session is Session.READY
    ready.close()
    assert ready.session is Session.ALL_REGULAR


@pytest.mark.clause("SB-1")
def test_another_cause_of_an_outage_is_shown_and_is_no_second_incident(ready: Evening) -> None:
    ready.table.unplug("shoe")
    ready.table.run(1)
    before = ready.kinds()
    busy = "/dev/sabot/shoe: another program has it; stop that one"
    ready.table.assembly.controller.turn([FromDevice("shoe", [LinkLost(busy)])])
    assert ready.state.devices["shoe"].reason == busy
    assert ready.kinds() == before


@pytest.mark.clause("SB-2")
def test_a_restart_clears_no_incident(ready: Evening) -> None:
    assert ready.key(DealerKey.DAMAGED_CARD) is None
    assert ready.kinds() == [IncidentKind.DAMAGED_CARD]
    ready.table.start_controller()
    ready.table.run(3)
    kinds = ready.kinds()
    assert IncidentKind.DAMAGED_CARD in kinds
    assert ready.hands.pull_card() is None
    assert ready.act(DEALER, Trigger.CONFIRM_INCIDENT, 1) == "SB-2"


@pytest.mark.clause("SB-1")
@pytest.mark.parametrize("name", ["shuffler", "shoe", "keypad", "lamp"])
def test_a_pulled_cable_holds_the_table_and_a_supervisor_ends_it(ready: Evening, name: str) -> None:
    ready.table.unplug(name)
    ready.table.run(5)
    assert ready.hands.pull_card() is None
    assert ready.kinds() == [IncidentKind.KEYPAD_LOST if name == "keypad" else IncidentKind.LINK_LOST]
    ready.table.replug(name)
    ready.table.run(3)
    assert ready.hands.pull_card() is None  # back is not confirmed
    ready.confirm_all()
    ready.table.run(1)
    assert ready.hands.pull_card() is not None


@pytest.mark.clause("SB-2")
def test_a_link_that_is_lost_again_before_anybody_confirmed_it_is_raised_again(ready: Evening) -> None:
    reconnect(ready, "lamp")
    ready.table.unplug("lamp")
    ready.table.run(1)
    (incident,) = ready.state.incidents.values()
    assert incident.state is Incident.RAISED
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 1) == "SB-2"
    ready.table.replug("lamp")
    ready.table.run(3)
    ready.confirm_all()


@pytest.mark.clause("SB-2")
def test_an_incident_whose_condition_is_not_gone_cannot_be_confirmed(ready: Evening) -> None:
    ready.table.unplug("lamp")
    ready.table.run(1)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 1) == "SB-2"


@pytest.mark.clause("PT-A2")
def test_a_lid_forced_open_holds_the_table_until_it_was_counted(ready: Evening) -> None:
    ready.hands.open_lid(force=True)
    ready.table.run(1)
    assert ready.hands.pull_card() is None
    assert ready.hands.lamp_shown is Lamp.FLASHING
    ready.hands.close_lid()
    ready.table.run(1)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 1) == "SB-2"
    assert ready.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert ready.table.run(60, lambda: ready.state.incidents[1].state is Incident.CLEARED)  # counted and shuffled
    ready.confirm_all()
    ready.table.run(1)
    assert ready.hands.pull_card() is not None
    assert ready.hands.lamp_shown is Lamp.OFF


@pytest.mark.clause("SB-7")
@pytest.mark.parametrize("name", ["keypad", "lamp"])
def test_a_device_that_no_card_passes_loses_no_card_with_its_memory(ready: Evening, name: str) -> None:
    memory = ready.state.devices[name].memory
    ready.hands.reboot(name, memory_lost=True)
    ready.table.run(3)
    assert ready.state.devices[name].memory != memory
    assert ready.kinds() == [IncidentKind.KEYPAD_LOST if name == "keypad" else IncidentKind.LINK_LOST]
    assert ready.state.counts_trusted


def test_a_memory_lost_under_the_old_number_is_a_fresh_one_too(ready: Evening) -> None:
    shuffler = ready.hands.devices["shuffler"]
    memory = shuffler.store.memory
    ready.hands.trip_intake()
    ready.table.run(0.5)
    assert not ready.state.devices["shuffler"].intake_ready
    ready.hands.trip_intake(False)
    ready.hands.reboot("shuffler", memory_lost=True)
    shuffler.store.memory = memory  # as after a reset to what its seed draws first: its last number tells, and no more
    ready.table.run(3)
    known = ready.state.devices["shuffler"]
    assert (known.memory, known.intake_ready, known.taken) == (memory, True, shuffler.store.last)
    assert IncidentKind.MEMORY_LOST in ready.kinds()


@pytest.mark.clause("PT-A11")
def test_what_changed_while_a_memory_was_lost_is_known_though_the_fresh_memory_tells_nothing_of_it(
    ready: Evening,
) -> None:
    ready.hands.trip_intake()
    ready.table.run(0.5)
    assert not ready.state.devices["shuffler"].intake_ready
    ready.hands.trip_intake(False)
    ready.hands.reboot("shuffler", memory_lost=True)  # before it could tell
    ready.table.run(3)
    assert ready.state.devices["shuffler"].intake_ready


@pytest.mark.clause("SB-7")
def test_a_device_that_lost_its_memory_is_distrusted_until_counted(ready: Evening) -> None:
    ready.hands.reboot("shoe", memory_lost=True)
    ready.table.run(5)
    kinds = {one.kind for one in ready.state.incidents.values()}
    assert IncidentKind.MEMORY_LOST in kinds
    assert ready.hands.pull_card() is None
    assert "SB-7" in ready.reasons()


@pytest.mark.clause("SB-7")
def test_a_table_that_opens_anew_settles_no_doubt_of_the_session_before() -> None:
    opening = Evening()
    opening.open_table()
    opening.hands.reboot("shoe", memory_lost=True)
    opening.table.run(5)
    assert opening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert opening.session is Session.NOT_OPENED
    opening.open_and_load()
    lost = next(one for one in opening.state.incidents.values() if one.kind is IncidentKind.MEMORY_LOST)
    assert opening.session is Session.READY
    assert opening.state.played.counts_trusted
    assert lost.cleared is not None
    assert lost.cleared.record > opening.state.session_began, "by the count of the load, and not by the opening"


@pytest.mark.clause("SB-11")
def test_what_cannot_be_recorded_permits_nothing_and_is_not_acknowledged(ready: Evening) -> None:
    ready.table.store.fail()
    kept = ready.hands.devices["shoe"].store.first_kept

    def play_on() -> None:
        while True:
            ready.hands.pull_card()
            ready.table.step()

    with pytest.raises(JournalError):
        play_on()
    assert ready.hands.devices["shoe"].store.first_kept == kept
    orders = ready.table.assembly.take_orders("shoe")
    assert any(type(order).__name__ == "HoldNow" for order in orders)


@pytest.mark.field("BR-030")
def test_two_devices_with_one_identity_hold_the_table_and_are_named() -> None:
    identities = default_identities()
    twin = identities[KEYPAD]
    identities[KEYPAD] = type(twin)(twin.kind, twin.capabilities, identities[SHOE].model, identities[SHOE].serial)
    evening = Evening(fittings=Fittings(decks=4, backs=BACKS[:4], rates=QUICK, identities=identities))
    refused = [device.reason for device in evening.state.devices.values() if not device.open]
    assert len(refused) == 1
    assert "two devices with one identity" in refused[0]


@pytest.mark.field("BR-030")
def test_two_devices_that_both_name_nothing_are_told_apart_by_their_ports_and_called_nameless() -> None:
    identities = default_identities()
    for name in (KEYPAD, SHOE):
        one = identities[name]
        identities[name] = type(one)(one.kind, one.capabilities, "", "")
    evening = Evening(fittings=Fittings(decks=4, backs=BACKS[:4], rates=QUICK, identities=identities))
    assert all(device.is_there for device in evening.state.devices.values())
    evening.open_table()
    assert not evening.kinds()
    evening.hands.replace_device("shoe", firmware="simulated 2")
    evening.table.run(3)
    assert stands(evening, IncidentKind.IDENTITY_CHANGED, Incident.RAISED, 1)
    asked = [ask.text for ask in screen(evening).asks if ask.trigger == Trigger.CHECK_DEVICE]
    assert all("a device that names no model and no serial number, firmware simulated 2" in text for text in asked)
    assert asked


def test_a_simulated_device_is_refused_unless_the_configuration_allows_it() -> None:
    evening = Evening(allow_simulated=False)
    assert len(evening.state.devices) == 4
    assert not any(device.open for device in evening.state.devices.values())
    assert all("allow_simulated" in device.reason for device in evening.state.devices.values())


@pytest.mark.rule(23)
def test_a_table_left_alone_stays_released_and_a_dead_controller_lets_no_card_out(ready: Evening) -> None:
    ready.table.wait(20)
    assert not ready.reasons()
    ready.deal(1)
    for name in ready.table.assembly.cores:
        ready.table.unplugged.add(name)  # the process is gone: nobody renews
    hands, table = ready.hands, ready.table
    for _ in range(400):
        table.ns += 10_000_000
        hands.step(type(hands.now)(table.seconds, table.seconds), {})
    assert hands.pull_card() is None


@pytest.mark.field("BR-028")
@pytest.mark.clause("SB-9")
def test_a_shuffler_power_cycled_in_its_shuffle_did_not_shuffle_and_is_read_anew(ready: Evening) -> None:
    force_lid(ready)
    count(ready)
    assert stands(ready, IncidentKind.LID_OPENED, Incident.SHUFFLING)
    boot = ready.state.devices["shuffler"].boot
    ready.table.unplug("shuffler")
    ready.hands.reboot("shuffler")
    ready.hands.open_lid(force=True)
    ready.table.run(2)
    ready.table.replug("shuffler")
    core = ready.table.assembly.cores["shuffler"]
    for noise in (b"\x07boot v1.2\r\n\0", b"\xff" * 40 + b"\0"):  # its first two replies are garbage
        step = core.step(ready.table.seconds, noise, ())
        ready.table.assembly.controller.turn([FromDevice("shuffler", step.notices)])
    ready.table.run(3)
    device = ready.state.devices["shuffler"]
    assert (device.serial, device.is_there, device.lid_open) == ("SC38-0001", True, True), "it is read again"
    assert device.boot != boot
    assert ready.state.order is None, "what it was doing counts as not done"
    assert {IncidentKind.LID_OPENED, IncidentKind.POWER_LOST, IncidentKind.LINK_LOST} <= set(ready.kinds())
    assert IncidentKind.IDENTITY_CHANGED not in ready.kinds()
    assert stands(ready, IncidentKind.LID_OPENED, Incident.RAISED, 1), "counted and shuffled again"
    ready.hands.close_lid()
    ready.table.run(1)
    while any(one.state is Incident.RAISED for one in ready.state.incidents.values()):
        count(ready)
        ready.table.run(60)
    ready.confirm_all()
    ready.table.run(1)
    assert ready.hands.pull_card() is not None


@pytest.mark.clause("SB-7")
def test_a_count_that_disagrees_with_the_books_holds_the_table_and_neither_is_believed(ready: Evening) -> None:
    next(place for place in ready.hands.mechanism.compartments if place).pop()  # no sensor sees this card go
    assert ready.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert ready.table.run(30, lambda: ready.session is Session.READY)
    assert ready.kinds() == [IncidentKind.COUNT_MISMATCH]
    assert "SB-7" in ready.reasons()
    ready.unload()  # the way on: close the table, and the verification names the card
    ready.look()
    for pile in ready.sort().values():
        ready.read_deck(pile)
    assert ready.session is Session.DIFFERENCE
    assert len([face for deck in ready.state.decks_read for face in deck.missing]) == 1


@pytest.mark.clause("PT-A2")
def test_a_table_does_not_open_while_a_lid_stands_open() -> None:
    evening = Evening()
    evening.hands.open_lid(force=True)
    evening.table.run(0.5)
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) == "PT-A2"


def test_garbage_on_a_line_is_on_record_and_loses_nothing(ready: Evening) -> None:
    core = ready.table.assembly.cores["shoe"]
    noise = bytes(ready.rng.randrange(256) for _ in range(5_000)) + b"\x01" * 2_000 + b"\x00"
    ready.deal(2)
    step = core.step(ready.table.seconds, noise, ())
    ready.table.assembly.controller.turn([FromDevice("shoe", step.notices)])
    ready.deal(3)
    assert ready.state.account.out == 5
    bad = [record.event for record in ready.logged() if isinstance(record.event, BadFrames)]
    assert sum(event.count for event in bad) >= 1
    assert all(event.latest for event in bad)


@pytest.mark.clause("SB-1")
def test_a_device_of_another_kind_on_a_port_is_refused_and_named() -> None:
    identities = default_identities()
    lamp = identities[LAMP]
    identities[LAMP] = type(lamp)(Kind.KEYPAD, lamp.capabilities, lamp.model, lamp.serial)
    evening = Evening(fittings=Fittings(decks=4, backs=BACKS[:4], rates=QUICK, identities=identities))
    device = evening.state.devices["lamp"]
    assert not device.open
    assert "keypad" in device.reason.lower()
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) == "SB-1"
