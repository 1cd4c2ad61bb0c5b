"""The controller of the demonstration: the same program as at a table, in a process of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

SERVICE = "firmware_bridge.service"
SUMMARY = "firmware_bridge.service.summary"
LONGEST_END = 10.0
"""Seconds that a controller may take to end when asked to; then it is ended."""


class Controller:
    """A running controller, watched."""

    def __init__(self, process: subprocess.Popen[bytes], complaints: Path) -> None:
        self._process = process
        self._complaints = complaints

    def check(self) -> None:
        """Raise ``ClickException`` with the controller's own message if it has ended."""
        status = self._process.poll()
        if status is None:
            return
        said = self._complaints.read_text(errors="replace").strip() or f"it ended with status {status}"
        raise click.ClickException(f"the controller has stopped: {said.removeprefix('Error: ')}")

    def end(self) -> None:
        """Have the controller hold everything and end, if it still runs; wait until it has."""
        self._process.terminate()
        try:
            self._process.wait(LONGEST_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextmanager
def controller(config: Path, log: Path, complaints: Path) -> Iterator[Controller]:
    """Run the controller for as long as the context lasts; its log goes to ``log``. Raises ``ClickException``."""
    command = [*_leash(), sys.executable, "-m", SERVICE, "run", "--config", str(config)]
    try:
        with log.open("wb") as out, complaints.open("wb") as err:
            # a session of its own: Ctrl-C is ours, and the controller is ended in order
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
            )
    except OSError as error:
        raise click.ClickException(f"the controller cannot be started: {error}; choose another --journal") from error
    running = Controller(process, complaints)
    try:
        yield running
    finally:
        running.end()


def _leash() -> list[str]:
    """What ends the controller if we are killed: left alone, it would try its ports until others had their names."""
    setpriv = shutil.which("setpriv")  # of util-linux, which every Debian has
    return [] if setpriv is None else [setpriv, "--pdeathsig", "TERM"]


def summarise(journal: Path) -> str:
    """Have a fresh process verify and fold a journal; return what it says. Raises ``ClickException`` if it cannot."""
    command = [sys.executable, "-m", SUMMARY, str(journal)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, start_new_session=True)
    if not done.stdout.strip():
        said = done.stderr.strip() or f"it ended with status {done.returncode}"
        raise click.ClickException(f"the journal could not be summed up: {said}")
    return done.stdout.strip()
