"""A table to run a controller at: its configuration, its people, simulated devices on ptys, a controller's process."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from firmware_bridge.core.events import Event
from firmware_bridge.core.fold import fold
from firmware_bridge.core.records import Logged
from firmware_bridge.core.secrets import Pin
from firmware_bridge.core.state import State
from firmware_bridge.core.words import Role
from firmware_bridge.errors import JournalError
from firmware_bridge.journal import read_records
from firmware_bridge.service.people import add_person
from sim_hardware.config import Config as SimConfig
from sim_hardware.runner import Runner
from sim_hardware.service import offered
from tests.architecture.tree import ROOT

One = TypeVar("One", bound=Event)

LIMIT = 30.0
"""Seconds after which a test gives up waiting for another process."""

SUPERVISOR, PIN = 12, "739154"

DEVICES = {"shuffler": "continuous_shuffler", "shoe": "shoe", "keypad": "keypad", "lamp": "lamp"}


def write_config(folder: Path, *, journal: str = "table.journal", extra: str = "") -> Path:
    """Write a table's configuration whose files all lie in a folder."""
    devices = "".join(
        f'[[device]]\nname = "{name}"\ndriver = "{driver}"\nport = "{folder / "ports" / name}"\n'
        for name, driver in DEVICES.items()
    )
    path = folder / "table.toml"
    path.write_text(
        f"""
[table]
name = "BJ-07"
decks = 4
backs = ["red", "red", "blue", "blue"]
rulebook = "portugal"
journal = "{journal}"
people = "people.json"
status = "status"
allow_simulated = true
{extra}
{devices}
[log]
level = "debug"
""",
        encoding="utf-8",
    )
    return path


def enrol(folder: Path) -> None:
    """Enrol the supervisor."""
    add_person(folder / "people.json", SUPERVISOR, Role.SUPERVISOR, Pin(PIN))


@contextmanager
def devices(folder: Path) -> Iterator[Runner]:
    """Offer the table's devices, simulated, where the configuration expects them."""
    with offered(SimConfig(folder=str(folder / "ports"), seed=1, quick=True)) as runner:
        yield runner


def eventually(what: Callable[[], object], why: str) -> None:
    """Wait until something in another process has come about."""
    pause = threading.Event()
    for _ in range(int(LIMIT / 0.05)):
        if what():
            return
        pause.wait(0.05)
    raise AssertionError(f"{why}: not within {LIMIT:g} s")


def logged(journal: Path) -> list[Logged]:
    """Return what a journal holds so far; nothing before it was begun."""
    try:
        return [Logged.from_body(record.body) for record in read_records(journal)]
    except JournalError:
        return []


def events(journal: Path, kind: type[One]) -> list[One]:
    """Return the events of a kind that a journal holds so far."""
    return [one.event for one in logged(journal) if isinstance(one.event, kind)]


def state(journal: Path) -> State:
    """Return the state that a journal leads to."""
    return fold((record.number, record.utc_ns, record.body) for record in read_records(journal))


def sabot(*arguments: str | Path, typed: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command of ``sabot`` to its end, away from any terminal."""
    return subprocess.run(
        command(*arguments),
        input=typed,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
        cwd=ROOT,
        start_new_session=True,
    )


def command(*arguments: str | Path) -> list[str]:
    """Return the argument list of a command of ``sabot``."""
    return [sys.executable, "-m", "firmware_bridge.service", *map(str, arguments)]


@contextmanager
def process(*arguments: str | Path) -> Iterator[subprocess.Popen[str]]:
    """Run a command of ``sabot`` that does not end by itself; it ends with the context, whatever a test found."""
    with subprocess.Popen(command(*arguments), stdout=subprocess.PIPE, text=True, cwd=ROOT) as running:
        try:
            yield running
        finally:
            running.kill()


class Running:
    """A controller in a process of its own. ``output`` and ``errors`` are whole once it has ended."""

    def __init__(self, config: Path) -> None:
        self._folder = config.parent
        self._files = [open(self._folder / name, "w+b") for name in ("output", "errors")]  # noqa: SIM115 - in __exit__
        self.process = subprocess.Popen(
            command("run", "--config", config), stdout=self._files[0], stderr=self._files[1], cwd=ROOT
        )

    @property
    def output(self) -> str:
        """What it has written to standard output so far."""
        return (self._folder / "output").read_text(encoding="utf-8")

    @property
    def errors(self) -> str:
        """What it has written to standard error so far."""
        return (self._folder / "errors").read_text(encoding="utf-8")

    @property
    def arguments(self) -> bytes:
        """Its argument list and environment as every user of the machine may see them."""
        proc = Path("/proc", str(self.process.pid))
        return (proc / "cmdline").read_bytes() + (proc / "environ").read_bytes()

    def wait_for(self, text: str) -> None:
        """Wait until its log holds a text."""
        eventually(lambda: text in self.output or self.process.poll() is not None, f"{text!r} in the log")
        assert text in self.output, self.errors

    def end(self, with_signal: signal.Signals) -> int:
        """Send it a signal and return its exit status."""
        self.process.send_signal(with_signal)
        return self.process.wait(LIMIT)

    def __enter__(self) -> Running:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(LIMIT)
        for file in self._files:
            file.close()


def processor_seconds(pid: int) -> float:
    """What all threads of a process have worked so far; Linux has a clock for each process, and numbers it so."""
    return time.clock_gettime(~pid << 3 | 2)


def files_with(folder: Path, secrets: Sequence[bytes]) -> list[str]:
    """Return which files under a folder hold one of some byte strings, the journal's log among them."""
    return [
        str(path)
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink() and any(secret in path.read_bytes() for secret in secrets)
    ]


def traces_of(pin: str) -> list[bytes]:
    """Return the forms in which a PIN might be found: ASCII, its hexadecimal, the keys' values and theirs."""
    keys = bytes(map(int, pin))
    usages = bytes(0x27 if digit == "0" else 0x1D + int(digit) for digit in pin)
    forms = [pin.encode(), keys, usages]
    return forms + [form.hex().encode() for form in forms] + [form.hex().upper().encode() for form in forms]
