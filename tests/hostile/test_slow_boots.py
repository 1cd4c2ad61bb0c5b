"""Devices that come late, in any order or after others had them, and lines that an idle computer puts to sleep."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from drivers.protocol.messages import JamPlace
from firmware_bridge.core.events import BadFrames
from firmware_bridge.core.outputs import why_not_deal
from firmware_bridge.core.words import Incident, IncidentKind
from sim_hardware.commands.stepped import SECOND
from tests.table.byways import stands
from tests.table.evening import Evening

SLEEPS_AFTER = 2 * SECOND

MODEM_PROBES = b"AT\r\nATE0\r\nAT+GCAP\r\n\x7e\x00\x78\xf0\x7e\x00"
"""What ModemManager says to a new port, to find out whether it is a modem."""


@pytest.mark.field("BR-046")
@pytest.mark.clause("SB-1")
def test_whatever_time_each_device_takes_to_boot_the_table_reaches_service_unaided() -> None:
    draw = Random(46)
    for boot in range(50):
        evening = Evening(seed=boot)
        devices = list(evening.state.devices)
        for name in devices:
            evening.table.unplug(name)
        evening.table.start_controller()
        for name, at in sorted(((name, draw.uniform(0, 60)) for name in devices), key=lambda one: one[1]):
            evening.table.wait(max(0.0, at - (evening.table.seconds - 3)))
            assert any(reason.about == "device" for reason in why_not_deal(evening.state))
            evening.table.replug(name)
        assert evening.table.run(5, lambda: all(one.is_there for one in evening.state.devices.values())), boot  # noqa: B023


def put_to_sleep(evening: Evening, device: str, *, heartbeats_wake: bool) -> None:
    """Let a line carry nothing more to the host once it was idle for two seconds, until the host writes to it.

    Idle is a line on which nothing went either way; of a worse one, one to which the host wrote nothing.
    """
    to_host, to_device = evening.table._to_host[device], evening.table._to_device[device]
    hear, write = to_host.put, to_device.put
    awake_at = evening.table.ns

    def put_to_host(at: int, data: bytes) -> None:
        nonlocal awake_at
        if at - awake_at <= SLEEPS_AFTER:
            awake_at = at if heartbeats_wake else awake_at
            hear(at, data)

    def put_to_device(at: int, data: bytes) -> None:
        nonlocal awake_at
        awake_at = at
        write(at, data)

    to_host.put, to_device.put = put_to_host, put_to_device  # type: ignore[method-assign]


@pytest.mark.field("BR-047")
@pytest.mark.clause("PT-A2")
@pytest.mark.parametrize("heartbeats_wake", [True, False])
def test_a_line_that_sleeps_when_it_is_idle_never_does_and_a_jam_is_heard_at_once(heartbeats_wake: bool) -> None:
    """Each device sends a heartbeat twice a second, and the host answers, if only with a zero: no line is ever idle."""
    evening = Evening()
    evening.open_and_load()
    for device in evening.state.devices:
        put_to_sleep(evening, device, heartbeats_wake=heartbeats_wake)
    evening.deal(2)
    evening.table.wait(120)
    assert all(device.is_there for device in evening.state.devices.values())
    evening.hands.jam(JamPlace.EXIT)
    evening.hands.pull_card()
    evening.table.run(1, lambda: IncidentKind.JAM in evening.kinds())
    evening.hands.pull_card()
    assert stands(evening, IncidentKind.JAM, Incident.RAISED, within=1)


def closed(evening: Evening) -> None:
    """Nobody has opened the table yet."""


def held(evening: Evening) -> None:
    """An alarm holds the table, and nobody sees to it."""
    evening.open_and_load()
    evening.hands.open_lid(force=True)
    assert stands(evening, IncidentKind.LID_OPENED, Incident.RAISED)


@pytest.mark.field("BR-047")
@pytest.mark.parametrize("so", [closed, held])
def test_a_line_that_sleeps_stays_awake_while_nothing_is_asked_of_its_device(
    so: Callable[[Evening], None],
) -> None:
    evening = Evening()
    so(evening)
    for device in evening.state.devices:
        put_to_sleep(evening, device, heartbeats_wake=False)
    before = evening.kinds()
    evening.table.wait(90)
    assert all(device.is_there for device in evening.state.devices.values())
    assert evening.kinds() == before


@pytest.mark.field("BR-047")
def test_a_line_that_fell_asleep_is_woken_and_its_device_found() -> None:
    """The controller was away for a minute, or a suspended port took nothing: a device's heartbeats come no more."""
    evening = Evening()
    for device in evening.state.devices:
        put_to_sleep(evening, device, heartbeats_wake=False)
        lost = evening.table._to_device[device].put
        evening.table._to_device[device].put = lambda at, data: None  # type: ignore[method-assign]  # noqa: ARG005
        evening.table.wait(10)
        assert not evening.state.devices[device].is_there
        evening.table._to_device[device].put = lost  # type: ignore[method-assign]
        assert evening.table.run(3, lambda: evening.state.devices[device].is_there)  # noqa: B023


@pytest.mark.field("BR-047")
@pytest.mark.clause("PT-A2")
def test_a_jam_that_befell_while_the_line_slept_is_told_as_soon_as_the_device_is_woken() -> None:
    evening = Evening()
    evening.open_and_load()
    evening.deal(2)
    put_to_sleep(evening, "shuffler", heartbeats_wake=False)
    wire = evening.table._to_device["shuffler"]
    heard = wire.put
    wire.put = lambda at, data: None  # type: ignore[method-assign]  # noqa: ARG005
    evening.table.run(2.2)  # it sleeps by now, and its last release still stands
    evening.hands.jam(JamPlace.EXIT)
    for _ in range(10):
        evening.hands.pull_card()
        evening.table.run(0.05)
    assert evening.hands.mechanism.jam_place is JamPlace.EXIT
    evening.table.run(5)
    assert IncidentKind.JAM not in evening.kinds()
    assert stands(evening, IncidentKind.LINK_LOST, Incident.RAISED, within=1), "nothing is known of it, and it is said"
    wire.put = heard  # type: ignore[method-assign]
    assert stands(evening, IncidentKind.JAM, Incident.RAISED, within=3)
    assert evening.hands.pull_card() is None


@pytest.mark.field("BR-029")
def test_a_device_to_which_a_modem_manager_spoke_first_is_taken_on_and_nothing_of_that_is_held_against_it() -> None:
    evening = Evening()
    devices = list(evening.state.devices)
    for name in devices:
        evening.table.unplug(name)
    evening.table.wait(10)  # so long it keeps a new port busy
    for name in devices:
        evening.table.replug(name)
        evening.table._to_device[name].put(evening.table.ns, MODEM_PROBES)
    assert evening.table.run(5, lambda: all(one.is_there for one in evening.state.devices.values()))
    assert all(device.dropped["damaged"] for device in evening.hands.devices.values()), "each of them heard it"
    assert not [one for one in evening.logged() if isinstance(one.event, BadFrames)]
    evening.open_and_load()
