"""``sabot run`` as a process of its own, killed with SIGKILL at five points of one session, and started again."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from drivers.protocol.messages import DealerKey, Lamp
from firmware_bridge.core.events import Acted, DeviceCaughtUp, Identified, Started, Told
from firmware_bridge.core.state import State
from firmware_bridge.core.words import IncidentKind, Session
from firmware_bridge.journal import read_records, verify
from sim_hardware.runner import Runner
from tests.service import live

PERSON = f"c{live.SUPERVISOR}e"
KEYS = {"e": 10, "c": 11}


class Killed:
    """One table of simulated devices, and one controller's process after the other on the same journal."""

    def __init__(self, folder: Path, runner: Runner) -> None:
        self.folder, self.runner = folder, runner
        live.enrol(folder)
        self.config, self.journal = live.write_config(folder), folder / "table.journal"
        self.kills = 0

    def events(self, kind: type[live.One]) -> list[live.One]:
        """The events of one kind that the journal holds."""
        return live.events(self.journal, kind)

    def state(self) -> State:
        """What the journal says."""
        return live.state(self.journal)

    def type(self, keys: str) -> None:
        """Press keys of the keypad."""
        with self.runner.hands() as table:
            table.type_keys([KEYS[key] if key in KEYS else int(key) for key in keys])

    @contextmanager
    def killed_once(self, what: Callable[[], object], why: str) -> Iterator[None]:
        """A controller that has heard all its devices; it is killed once ``what`` is so, and nothing is lost by it."""
        links = len(self.events(DeviceCaughtUp))
        with live.Running(self.config) as running:
            live.eventually(lambda: len(self.events(DeviceCaughtUp)) == links + 4, "all devices have told everything")
            yield
            live.eventually(what, why)
            before = [record.body for record in read_records(self.journal)]
            assert running.end(signal.SIGKILL) == -signal.SIGKILL
        self.kills += 1
        after = [record.body for record in read_records(self.journal)]
        assert after[: len(before)] == before, "what was there is there"
        assert verify(self.journal).ok


@pytest.mark.clause("SB-2", "SB-11", "SB-3")
@pytest.mark.timeout(180)
def test_killed_at_five_points_of_a_session_it_goes_on_each_time(tmp_path: Path) -> None:
    with live.devices(tmp_path) as runner:
        table = Killed(tmp_path, runner)
        with table.killed_once(lambda: True, "the devices are heard"):
            pass
        with table.killed_once(lambda: '"digits":4' in status(tmp_path), "four digits of a PIN are typed"):
            table.type(f"{PERSON}{live.PIN[:4]}")
        with table.killed_once(lambda: table.events(Acted), "the table is opened"):
            assert '"digits":0' in status(tmp_path), "an entry ends with its controller"
            table.type(f"{live.PIN[4:]}e")
            table.type(f"{PERSON}{live.PIN}e")
            live.eventually(lambda: table.events(Identified), "the supervisor is known")
            table.type("10e")
        assert table.state().session is Session.SHOWING
        with runner.hands() as hands:
            hands.press_dealer_key(DealerKey.CALL_SUPERVISOR)  # nobody is there to hear it
        with table.killed_once(lambda: IncidentKind.LID_OPENED in kinds(table), "the lid was forced"):
            assert len(table.events(Told)) >= 1, "the key that was pressed meanwhile is told now"
            with runner.hands() as hands:
                hands.open_lid(force=True)
        raised = {number: one.raised for number, one in table.state().incidents.items()}
        with table.killed_once(lambda: lamp(runner) is Lamp.FLASHING, "the lamp"):
            assert {number: one.raised for number, one in table.state().incidents.items()} == raised
        with runner.hands() as hands:
            assert hands.lamp_shown is Lamp.FLASHING, "the lamp stays lit while no controller is there"
            assert hands.devices["shoe"].released_for is None
        ends_in_order(table)


def ends_in_order(table: Killed) -> None:
    """A last controller is told to end: the journal is whole, and every decision in it is decided again alike."""
    with live.Running(table.config) as running:
        running.wait_for("controller_started")
        assert running.end(signal.SIGTERM) == 0
    assert len(table.events(Started)) == table.kills + 1 == 6
    for device in live.DEVICES:
        numbers = [event.number for event in table.events(Told) if event.device == device]
        assert numbers == list(range(1, 1 + len(numbers))), f"{device}: each of its events once"
    assert live.sabot("replay", table.journal).returncode == 0


def status(folder: Path) -> str:
    """The status file as it is."""
    path = folder / "status/status.json"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def kinds(table: Killed) -> list[IncidentKind]:
    """The kinds of the incidents that are open by the journal."""
    return [incident.kind for incident in table.state().incidents.values()]


def lamp(runner: Runner) -> Lamp:
    """What the lamp does."""
    with runner.hands() as hands:
        return hands.lamp_shown
