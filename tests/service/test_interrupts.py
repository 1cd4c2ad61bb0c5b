"""Ctrl-C, at any moment of any command: one line, the status that is due, and never a traceback."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from firmware_bridge.service import interrupts
from firmware_bridge.service.people import SHORTEST_PIN, Credentials, read_people
from tests.architecture.tree import ROOT
from tests.service import live, recorded

INTERRUPTED_AT = """
import atexit, contextlib, os, runpy, signal, sys

class Interruption:
    def find_spec(self, name, path=None, target=None):
        with contextlib.suppress(DROPPED):
            if name == MOMENT:
                os.kill(os.getpid(), signal.SIGINT)

DROPPED = ()

MOMENT = sys.argv.pop(1)
sys.meta_path.insert(0, Interruption())
atexit.register(os.kill, os.getpid(), signal.SIGINT)
sys.argv[0] = "sabot"
runpy.run_module("firmware_bridge.service", run_name="__main__", alter_sys=True)
"""
"""Runs a command that is interrupted when it is about to import the module MOMENT, and again at its very end."""

DROPPED_ONCE = """
import os, signal, sys, weakref
from firmware_bridge.service import interrupts

class Gone:
    pass

interrupts.stand_guard()
try:
    with interrupts.interruptible():
        gone = Gone()
        told = weakref.ref(gone, lambda _: os.kill(os.getpid(), signal.SIGINT))
        del gone
        print("dropped", flush=True)
        os.kill(os.getpid(), signal.SIGINT)
        print("dropped again", flush=True)
except KeyboardInterrupt:
    print("heard")
"""
"""A first Ctrl-C in a weak reference's callback, out of which Python lets nothing through, and a second one."""

PIN_ASKED = f"PIN ({SHORTEST_PIN} digits or more): "
PEOPLE = ("people", "list", "people.json")
RUN = ("run", "--config", "table.toml")
DEMO = ("demo", "--headless")
MOMENTS = [
    ("firmware_bridge.service.cli", PEOPLE),
    ("click", PEOPLE),
    ("firmware_bridge.core.words", PEOPLE),
    ("firmware_bridge.service.plugins", PEOPLE),
    ("firmware_bridge.service.people", PEOPLE),
    ("argon2", PEOPLE),
    ("firmware_bridge.service.run", RUN),
    ("serial", RUN),
    ("firmware_bridge.rulebooks.loader", RUN),
    ("sim_hardware.commands.demo", DEMO),
    ("sim_hardware.mechanics", DEMO),
]


def interrupted_at(
    moment: str, folder: Path, *arguments: str, script: str = INTERRUPTED_AT
) -> subprocess.CompletedProcess[str]:
    """Run a command that is interrupted at a moment."""
    return subprocess.run(
        [sys.executable, "-c", script, moment, *arguments],
        capture_output=True,
        text=True,
        timeout=live.LIMIT,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.parametrize(("moment", "command"), MOMENTS, ids=[f"{command[0]}-{name}" for name, command in MOMENTS])
def test_ctrl_c_while_a_command_starts_is_one_line_and_status_130(
    tmp_path: Path, moment: str, command: tuple[str, ...]
) -> None:
    live.enrol(tmp_path)
    live.write_config(tmp_path)
    done = interrupted_at(moment, tmp_path, *command)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")


def test_ctrl_c_in_an_import_is_obeyed_though_python_drops_what_is_raised_there(tmp_path: Path) -> None:
    """In a callback of importlib's own, for one; here in one that stands in an import's way."""
    live.enrol(tmp_path)
    script = INTERRUPTED_AT.replace("DROPPED = ()", "DROPPED = BaseException")
    assert script != INTERRUPTED_AT
    done = interrupted_at("argon2", tmp_path, *PEOPLE, script=script)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")


def test_where_python_drops_a_ctrl_c_the_next_one_is_heard() -> None:
    done = subprocess.run(
        [sys.executable, "-c", DROPPED_ONCE], capture_output=True, text=True, timeout=live.LIMIT, check=False, cwd=ROOT
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "dropped\nheard\n", "")


def test_ctrl_c_after_a_command_did_its_work_changes_nothing(tmp_path: Path) -> None:
    live.enrol(tmp_path)
    done = interrupted_at("no such module", tmp_path, *PEOPLE)
    assert (done.returncode, done.stderr) == (0, "")
    assert str(live.SUPERVISOR) in done.stdout


def test_a_table_is_watched_until_ctrl_c(tmp_path: Path) -> None:
    with live.process("watch", recorded.journal_in(tmp_path)) as watching:
        assert watching.stdout is not None
        assert "BJ-07" in watching.stdout.readline()
        watching.send_signal(signal.SIGINT)
        assert watching.wait(live.LIMIT) == 130


@pytest.mark.parametrize("with_signal", [signal.SIGINT, signal.SIGTERM])
def test_a_controller_that_is_told_to_end_again_and_again_ends_in_order(
    tmp_path: Path, with_signal: signal.Signals
) -> None:
    live.enrol(tmp_path)
    with live.Running(live.write_config(tmp_path)) as running:
        running.wait_for("controller_started")
        while running.process.poll() is None:
            running.process.send_signal(with_signal)
            with suppress(subprocess.TimeoutExpired):
                running.process.wait(0.002)
        assert running.process.returncode == 0
        assert running.errors == ""
        assert "controller_stopped" in running.output


def test_a_command_in_the_background_ignores_ctrl_c_as_it_was_started_to(tmp_path: Path) -> None:
    live.enrol(tmp_path)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        done = interrupted_at("click", tmp_path, *PEOPLE)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (done.returncode, done.stderr) == (0, "")


# ---- a PIN at a terminal


class Terminal:
    """The terminal of a command: what it shows, and fingers to type."""

    def __init__(self, end: int) -> None:
        self._end = end
        self._read_to = 0
        self.shown = ""

    def wait_for(self, text: str) -> None:
        """Read on until a text is shown."""
        while (found := self.shown.find(text, self._read_to)) < 0:
            self.shown += os.read(self._end, 1000).decode()
        self._read_to = found + len(text)

    def answer(self, question: str, typed: str) -> None:
        """Type an answer once the question stands there."""
        self.wait_for(question)
        os.write(self._end, typed.encode())


@contextmanager
def at_a_terminal(*arguments: str | Path) -> Iterator[tuple[Terminal, subprocess.Popen[bytes]]]:
    """Run a command of ``sabot`` at a terminal of its own."""
    ours, theirs = pty.openpty()
    try:
        with subprocess.Popen(
            live.command(*arguments), stdin=theirs, stdout=theirs, stderr=theirs, cwd=ROOT, start_new_session=True
        ) as running:
            try:
                yield Terminal(ours), running
            finally:
                running.kill()
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize("command", ["add", "renew"])
def test_a_pin_is_typed_twice_at_a_terminal_and_not_shown(tmp_path: Path, command: str) -> None:
    file, other, new = tmp_path / "people.json", "418861", "418860"
    live.enrol(tmp_path)
    who = ("12",) if command == "renew" else ("13", "dealer")
    with at_a_terminal("people", command, file, *who) as (terminal, running):
        terminal.answer(PIN_ASKED, f"{other}\n")
        terminal.answer("PIN again: ", f"{new}\n")
        terminal.wait_for("Not taken: the two are not the same")
        terminal.answer(PIN_ASKED, f"{new}\n")
        terminal.answer("PIN again: ", f"{new}\n")
        assert running.wait(live.LIMIT) == 0
        terminal.wait_for("person ")
    assert Credentials(read_people(file)).check(int(who[0]), new) is not None
    assert new not in terminal.shown
    assert other not in terminal.shown


def test_ctrl_c_at_the_question_for_a_pin_ends_it_and_nobody_is_enrolled(tmp_path: Path) -> None:
    with at_a_terminal("people", "add", tmp_path / "people.json", "12", "supervisor") as (terminal, running):
        terminal.wait_for(PIN_ASKED)
        running.send_signal(signal.SIGINT)
        assert running.wait(live.LIMIT) == 130
        terminal.wait_for("Interrupted.")
    assert "Traceback" not in terminal.shown
    assert not (tmp_path / "people.json").exists()


class Untidy:
    """Something that takes its time to close, and is interrupted at it."""

    def __init__(self, tidied: list[bool]) -> None:
        self._tidied = tidied

    def close(self) -> None:
        """Tidy up."""
        signal.raise_signal(signal.SIGINT)
        self._tidied.append(True)


def test_a_second_ctrl_c_does_not_break_off_the_tidying_up_after_the_first() -> None:
    before = signal.signal(signal.SIGINT, interrupts._leave)
    tidied: list[bool] = []
    try:
        with pytest.raises(KeyboardInterrupt), interrupts.interruptible(), closing(Untidy(tidied)):
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN, "what is left is to end"
    finally:
        signal.signal(signal.SIGINT, before)
    assert tidied == [True]
