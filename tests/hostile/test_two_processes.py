"""The installed ``sabot`` against the installed ``sim-hardware``, as a user starts them: cables, orders of starting."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from drivers.protocol.messages import Kind
from firmware_bridge.core.events import DeviceCaughtUp, Identified, LinkDown, LinkUp, Started
from firmware_bridge.core.outputs import why_not_deal
from firmware_bridge.core.secrets import Pin
from firmware_bridge.core.state import State
from firmware_bridge.core.words import Incident, IncidentKind, Role, Session
from firmware_bridge.journal import verify
from firmware_bridge.service.people import add_person
from tests.service import live

BIN = Path(sys.executable).parent
"""Where the commands lie that were installed beside this interpreter."""

DEALER, DEALERS_PIN = 31, "648205"
ALL = frozenset(live.DEVICES)


class Devices:
    """``sim-hardware`` as a process; its standard input is somebody's hands."""

    def __init__(self, folder: Path, serial: str = "SC38-0001") -> None:
        config = folder / "sim.toml"
        config.write_text(
            f'folder = "{folder / "ports"}"\nseed = 1\nquick = true\n[devices.shuffler]\nserial = "{serial}"\n'
        )
        self._process = subprocess.Popen(
            [BIN / "sim-hardware", "--config", config], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        while "ready" not in self._line():
            pass

    def do(self, line: str) -> str:
        """Let hands do something; return what is said."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self._line()

    def end(self) -> None:
        """Take the devices away."""
        self._process.terminate()
        self._process.communicate(timeout=live.LIMIT)

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "sim-hardware has ended"
        return line


class Table:
    """A table's folder: what its controller wrote, seen from outside."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        live.enrol(folder)
        add_person(folder / "people.json", DEALER, Role.DEALER, Pin(DEALERS_PIN))
        self.config, self.journal = live.write_config(folder), folder / "table.journal"

    def events(self, kind: type[live.One]) -> list[live.One]:
        """The events of a kind so far."""
        return live.events(self.journal, kind)

    @property
    def state(self) -> State:
        """What the journal says now."""
        return live.state(self.journal)

    def heard(self) -> frozenset[str]:
        """The devices whose links are open and whose events are all taken."""
        return frozenset(name for name, one in self.state.devices.items() if one.open and one.caught_up)

    def wait_for(self, devices: frozenset[str]) -> None:
        """Wait until exactly these devices are heard; with one missing, no card may be dealt."""
        live.eventually(
            lambda: self.journal.exists() and self.events(Started) and self.heard() == devices, f"{devices}"
        )
        missing = ALL - devices
        assert {reason.detail for reason in why_not_deal(self.state) if reason.about == "device"} == missing

    @contextmanager
    def controller(self) -> Iterator[subprocess.Popen[bytes]]:
        """The installed controller; it is told to end, and ends in order."""
        with open(self.folder / "errors", "w+b") as errors, open(self.folder / "log", "ab") as log:
            process = subprocess.Popen([BIN / "sabot", "run", "--config", self.config], stdout=log, stderr=errors)
            try:
                yield process
                process.send_signal(signal.SIGTERM)
                assert process.wait(live.LIMIT) == 0
            finally:
                if process.poll() is None:
                    process.kill()
                    process.wait(live.LIMIT)
            errors.seek(0)
            assert errors.read() == b""

    def step(self, devices: Devices, person: int, pin: str, step: int | str) -> None:
        """Somebody takes a step at the keypad."""
        known = len(self.events(Identified))
        devices.do(f"press c{person}e{pin}e")
        live.eventually(lambda: len(self.events(Identified)) > known, f"{person} is known")
        devices.do(f"press {step}e")


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def unplug_each(table: Table, devices: Devices) -> None:
    """Each cable is out for a moment: the table is held, the screen's journal says which, and all is well again."""
    for name in live.DEVICES:
        lost = len(table.events(LinkDown))
        devices.do(f"unplug {name}")
        table.wait_for(ALL - {name})
        downs = table.events(LinkDown)[lost:]
        assert [down.device for down in downs] == [name]
        assert "unplugged" in downs[0].reason
        devices.do(f"plug {name}")
        table.wait_for(ALL)


@pytest.mark.clause("SB-1", "SB-2")
@pytest.mark.field("BR-046")
@pytest.mark.timeout(180)
def test_each_cable_is_pulled_and_put_back_at_each_of_three_stages(table: Table) -> None:
    with table.controller():
        table.wait_for(frozenset())  # the controller is there first
        devices = Devices(table.folder)
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
            live.eventually(lambda: table.state.session is Session.LOADING_PACK, "a pack is being loaded")
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
    devices = Devices(table.folder)
    try:
        with table.controller() as process:
            table.wait_for(ALL)
            second = subprocess.run(
                [BIN / "sabot", "run", "--config", table.config], capture_output=True, text=True, timeout=live.LIMIT
            )
            assert second.returncode == 1
            assert f"process {process.pid}" in second.stderr, "a second controller names the first"
            table.step(devices, live.SUPERVISOR, live.PIN, 10)
            live.eventually(lambda: table.state.session is Session.SHOWING, "a session is under way")
            for serial in ("SC38-0001", "SC38-0002"):  # first the same devices without their memory, then another
                devices.end()
                table.wait_for(frozenset())
                devices = Devices(table.folder, serial)
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
