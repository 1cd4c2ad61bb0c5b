"""The installed ``sabot`` and the installed ``sim-hardware`` as processes, and the folder of a table between them."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from firmware_bridge.core.events import Identified, LinkDown, Started
from firmware_bridge.core.fold import fold
from firmware_bridge.core.outputs import why_not_deal
from firmware_bridge.core.secrets import Pin
from firmware_bridge.core.state import State
from firmware_bridge.core.words import Role, Session
from firmware_bridge.journal import read_records
from firmware_bridge.service.people import add_person
from tests.service import live

BIN = Path(sys.executable).parent
"""Where the commands lie that were installed beside this interpreter."""

SPEED = 4.0
"""How much faster than at a table cards run and keys are typed; the links keep to real time, and so does the table."""

DEALER, DEALERS_PIN = 31, "648205"
ALL = frozenset(live.DEVICES)


class Devices:
    """``sim-hardware`` as a process; its standard input is somebody's hands."""

    def __init__(self, config: Path) -> None:
        self._process = subprocess.Popen(
            [BIN / "sim-hardware", "--config", config],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=config.parent,
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
        return line.rstrip()


class Table:
    """A table's folder: what its controller wrote, seen from outside."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        live.enrol(folder)
        add_person(folder / "people.json", DEALER, Role.DEALER, Pin(DEALERS_PIN))
        self.config, self.journal = live.write_config(folder), folder / "table.journal"
        self._state = State()

    def devices(self, serial: str = "SC38-0001") -> Devices:
        """Start the table's devices; ``serial`` is the shuffler's."""
        config = self.folder / "sim.toml"
        config.write_text(
            f'folder = "{self.folder / "ports"}"\nseed = 1\nquick = true\nspeed = {SPEED}\n'
            f'[devices.shuffler]\nserial = "{serial}"\n'
        )
        return Devices(config)

    def events(self, kind: type[live.One]) -> list[live.One]:
        """The events of a kind so far."""
        return live.events(self.journal, kind)

    @property
    def state(self) -> State:
        """What the journal says now; what it said before is not folded again."""
        new = read_records(self.journal, self._state.record)
        return fold(((record.number, record.utc_ns, record.body) for record in new), self._state)

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

    def reach(self, session: Session) -> None:
        """Wait until the session is there."""
        live.eventually(lambda: self.state.session is session, f"{session}")


def unplug_each(table: Table, devices: Devices) -> None:
    """Each cable is out for a moment: the table is held, the screen's journal says which, and all is well again."""
    for name in live.DEVICES:
        lost = len(table.events(LinkDown))
        devices.do(f"unplug {name}")
        table.wait_for(ALL - {name})
        downs = table.events(LinkDown)[lost:]
        assert {down.device for down in downs} == {name}, "of it alone, however often it is tried meanwhile"
        assert "unplugged" in downs[0].reason
        devices.do(f"plug {name}")
        table.wait_for(ALL)
