"""A whole session of the installed programs, with each cable pulled and put back in play, in the return, at the end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from firmware_bridge.core.words import Incident, Place, Session
from firmware_bridge.journal import verify
from tests.hostile.two_processes import ALL, DEALER, DEALERS_PIN, Devices, Table, unplug_each
from tests.service import live

CARDS, ROUND = 208, 6


@pytest.fixture
def devices(table: Table) -> Iterator[Devices]:
    devices = table.devices()
    yield devices
    devices.end()


def supervisor(table: Table, devices: Devices, step: str) -> None:
    """The supervisor takes a step, with what it asks for."""
    table.step(devices, live.SUPERVISOR, live.PIN, step)


def load(table: Table, devices: Devices) -> None:
    """Open the table, and load both packs."""
    supervisor(table, devices, "10")
    table.step(devices, DEALER, DEALERS_PIN, "11")
    live.eventually(lambda: table.state.dealer == DEALER, "the dealer is signed in")
    live.eventually(
        lambda: table.state.session is Session.AWAITING_PACK or not devices.do("key yes"), "shown, checked and mixed"
    )
    for inside in (CARDS // 2, CARDS):
        supervisor(table, devices, "20")
        table.reach(Session.LOADING_PACK)
        devices.do(f"tray {CARDS // 2}")
        live.eventually(lambda inside=inside: table.state.account.inside == inside, "the pack is in")
        supervisor(table, devices, "21")
        table.reach(Session.AWAITING_PACK)
    supervisor(table, devices, "22")
    table.reach(Session.READY)


def pull(table: Table, devices: Devices, out: int) -> None:
    """The dealer pulls until so many cards are out by the books; none of them comes twice or is left out."""
    live.eventually(lambda: table.state.account.out >= out or not devices.do("pull"), f"{out} cards are out")
    assert table.state.account.out == out


def confirm_all(table: Table, devices: Devices) -> None:
    """Each alarm is over by itself once the cable is in; a supervisor confirms one after the other."""
    while table.state.incidents:
        live.eventually(
            lambda: all(one.state is Incident.CLEARED for one in table.state.incidents.values()), "they are over"
        )
        left = len(table.state.incidents)
        supervisor(table, devices, "31e0")
        live.eventually(lambda left=left: len(table.state.incidents) < left, "one is confirmed")


def unload(table: Table, devices: Devices, left: int) -> None:
    """Draw until so many cards are left inside; the supervisor says that he is present whenever he is asked."""

    def drawn() -> bool:
        state = table.state
        if state.session is Session.ASKING_UNLOAD_PRESENCE:
            supervisor(table, devices, "1")
        for _ in range(min(20, state.account.inside - left)):
            devices.do("pull")
        return table.state.account.inside <= left

    live.eventually(drawn, f"{left} cards are left inside")


@pytest.mark.clause("SB-1", "SB-2", "PT-A6")
@pytest.mark.field("BR-046")
@pytest.mark.timeout(400)
def test_each_cable_is_pulled_and_put_back_in_play_in_the_return_and_while_unloading(
    table: Table, devices: Devices
) -> None:
    with table.controller():
        table.wait_for(ALL)
        load(table, devices)
        pull(table, devices, ROUND)
        unplug_each(table, devices)
        assert "no card comes" in devices.do("pull"), "what was seen by nobody is confirmed first"
        confirm_all(table, devices)
        pull(table, devices, ROUND + 1)
        devices.do("key round-over")
        table.reach(Session.RETURNING)
        unplug_each(table, devices)
        devices.do("discard")
        devices.do("return")
        confirm_all(table, devices)
        table.reach(Session.READY)
        assert (table.state.account.inside, table.state.account.out) == (CARDS, 0)
        supervisor(table, devices, "40")
        supervisor(table, devices, "41")
        table.reach(Session.UNLOADING)
        unload(table, devices, CARDS - 50)
        unplug_each(table, devices)
        unload(table, devices, 0)
        table.reach(Session.LOOKING)
        assert table.state.account.at(Place.UNLOADED) == CARDS, "each card once"
        assert table.state.played.last_count is not None
        assert table.state.played.last_count[0] == 0
    assert verify(table.journal).ok
