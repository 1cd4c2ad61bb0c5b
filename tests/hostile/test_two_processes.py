"""The installed ``sabot`` against the installed ``sim-hardware``, as a user starts them: cables, orders of starting."""

from __future__ import annotations

import subprocess

import pytest

from drivers.protocol.messages import Kind
from firmware_bridge.core.events import DeviceCaughtUp, LinkUp
from firmware_bridge.core.words import Incident, IncidentKind, Session
from firmware_bridge.journal import verify
from tests.hostile.two_processes import ALL, BIN, DEALER, DEALERS_PIN, Table, unplug_each
from tests.service import live


@pytest.mark.clause("SB-1", "SB-2")
@pytest.mark.field("BR-046")
@pytest.mark.timeout(180)
def test_each_cable_is_pulled_and_put_back_at_each_of_three_stages(table: Table) -> None:
    with table.controller():
        table.wait_for(frozenset())  # the controller is there first
        devices = table.devices()
        try:
            table.wait_for(ALL)
            unplug_each(table, devices)
            assert not table.state.incidents, "no session is under way: nothing to answer"
            table.step(devices, live.SUPERVISOR, live.PIN, 10)
            table.step(devices, DEALER, DEALERS_PIN, 11)
            live.eventually(lambda: table.state.dealer == DEALER, "the dealer is signed in")
            unplug_each(table, devices)
            kinds = [one.kind for one in table.state.incidents.values()]
            assert set(kinds) == {IncidentKind.LINK_LOST, IncidentKind.KEYPAD_LOST}
            assert len(kinds) == len(live.DEVICES), "each of them waits for somebody"
            assert all(one.state is Incident.CLEARED for one in table.state.incidents.values())
            live.eventually(
                lambda: table.state.session is Session.AWAITING_PACK or not devices.do("key yes"),
                "the dealer has said YES to each question",  # a key that was too early for its question answers none
            )
            table.step(devices, live.SUPERVISOR, live.PIN, 20)
            table.reach(Session.LOADING_PACK)
            devices.do("tray 30")
            unplug_each(table, devices)
            assert table.state.account.inside <= 30
            live.eventually(lambda: table.state.account.inside == 30, "each card that went in is told, once")
        finally:
            devices.end()
        table.wait_for(frozenset())
    assert verify(table.journal).ok


@pytest.mark.clause("SB-1", "SB-7")
@pytest.mark.field("BR-046")
@pytest.mark.timeout(120)
def test_devices_that_start_before_it_start_anew_and_are_swapped_for_others(table: Table) -> None:
    devices = table.devices()
    try:
        with table.controller() as process:
            table.wait_for(ALL)
            second = subprocess.run(
                [BIN / "sabot", "run", "--config", table.config], capture_output=True, text=True, timeout=live.LIMIT
            )
            assert second.returncode == 1
            assert f"process {process.pid}" in second.stderr, "a second controller names the first"
            table.step(devices, live.SUPERVISOR, live.PIN, 10)
            table.reach(Session.SHOWING)
            for serial in ("SC38-0001", "SC38-0002"):  # first the same devices without their memory, then another
                devices.end()
                table.wait_for(frozenset())
                devices = table.devices(serial)
                table.wait_for(ALL)
            shuffler = table.state.devices["shuffler"]
            assert (shuffler.kind, shuffler.serial) == (Kind.CONTINUOUS_SHUFFLER, "SC38-0002")
            kinds = {one.kind for one in table.state.incidents.values()}
            assert IncidentKind.MEMORY_LOST in kinds, "what another machine counted is not believed"
            assert not table.state.counts_trusted
            ups = [up for up in table.events(LinkUp) if up.device == "shuffler"]
            assert len(ups) == 3
        caught = [one.device for one in table.events(DeviceCaughtUp)]
        assert all(caught.count(name) == 3 for name in live.DEVICES)
    finally:
        devices.end()
    assert verify(table.journal).ok
