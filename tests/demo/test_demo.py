"""The demonstration as its users run it: a process with a controller of its own, ended in every way there is."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sim_hardware.commands.demo import FASTEST, between_deeds, program
from sim_hardware.commands.pins import scripted_pin
from sim_hardware.commands.stage import ROLES, SUPERVISOR
from sim_hardware.keys import DEBOUNCE
from tests.architecture.tree import ROOT

COMMAND = """
from firmware_bridge.service.cli import main
from sim_hardware.commands.demo import demo
main.add_command(demo)
main(prog_name="sabot")
"""
"""What ``sabot demo`` does, whether the distribution is installed or not."""

BOOKS_PLAYED = {"macau": 312}
"""Other books than the usual one, and the cards of their decks: here one that needs a house's own values."""
if os.environ.get("SABOT_DEMO_BOOKS") == "all":
    BOOKS_PLAYED |= {"spain": 312, "live": 416, "general": 104}

QUICKLY = ("--seed", "7", "--speed", "10", "--rounds", "1")
LIMIT = 60.0


def arguments(*options: str) -> list[str]:
    return [sys.executable, "-c", COMMAND, "demo", *options]


def environment(folder: Path) -> dict[str, str]:
    """The environment of the demonstration: what it leaves in the temporary folder is found there."""
    return {**os.environ, "TMPDIR": str(folder), "TERM": "xterm", "PYTHONUNBUFFERED": "1"}


@contextmanager
def demonstration(folder: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        arguments(*options),
        cwd=ROOT,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def lines_until(process: subprocess.Popen[str], words: str) -> list[str]:
    """Read progress until a line with these words."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if words in line:
            return lines
    raise AssertionError(f"{words!r} never came: {lines} {process.stderr and process.stderr.read()}")


def processes_with(folder: Path) -> dict[int, bytes]:
    """Command line and environment of each process that was started with this folder in its command line."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes()
                if os.fsencode(str(folder)) in command:
                    found[int(entry.name)] = command + (entry / "environ").read_bytes()
            except OSError:  # it has ended meanwhile
                continue
    return found


def eventually(holds: Callable[[], object]) -> bool:
    until = time.monotonic() + 10.0
    while time.monotonic() < until:
        if holds():
            return True
        select.select([], [], [], 0.05)
    return False


def files_in(*folders: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()}


def writings_of(pin: str) -> dict[str, bytes]:
    """A PIN as it might be written: ASCII, keys of the wire, usages of HID keyboards and keypads, and their hex."""
    plain = {
        "ASCII": pin.encode(),
        "keys": bytes(int(digit) for digit in pin),
        "keyboard usages": bytes(0x27 if digit == "0" else 0x1D + int(digit) for digit in pin),
        "keypad usages": bytes(0x62 if digit == "0" else 0x58 + int(digit) for digit in pin),
    }
    return plain | {f"hex of {name}": text.hex().encode() for name, text in plain.items()}


def told_of_pins(texts: dict[str, bytes]) -> list[str]:
    return [
        f"{where}: PIN of {number} as {how}"
        for number in ROLES
        for how, written in writings_of(scripted_pin(7, number)).items()
        for where, text in texts.items()
        if written in text or written.upper() in text.upper()
    ]


def test_a_session_in_which_things_go_wrong_ends_verified_leaves_its_journal_alone_and_no_pin_anywhere(
    tmp_path: Path,
) -> None:
    temporary, kept = tmp_path / "tmp", tmp_path / "kept"
    temporary.mkdir()
    kept.mkdir()
    journal = kept / "evening.db"
    options = ("--headless", "--faults", "typical", "--journal", str(journal))
    with demonstration(temporary, *QUICKLY, *options) as process:
        said = lines_until(process, "round 1")
        seen = {str(pid): text for pid, text in processes_with(temporary).items()}
        meanwhile = files_in(temporary, kept)
        assert seen, "no controller was running"
        assert str(journal) + "-wal" in meanwhile
        rest, complaints = process.communicate(timeout=LIMIT)
    assert process.returncode == 0, complaints
    assert complaints == ""
    summary = json.loads(rest.splitlines()[-1])
    assert {name: summary[name] for name in ("session", "rounds", "verified")} == {
        "session": "verified",
        "rounds": 1,
        "verified": True,
    }
    assert summary["cards"]["verified"] == 208
    assert summary["incidents"]["raised"] > 0
    assert summary["incidents"]["open"] == {}
    assert "jam" in summary["incidents"]["confirmed"].values()
    assert summary["journal"]["head"].startswith(f"{summary['journal']['signed_to']}:")
    assert list(temporary.iterdir()) == []
    assert processes_with(temporary) == {}
    output = {"output": "".join([*said, rest, complaints]).encode()}
    assert told_of_pins({**seen, **output, **meanwhile, **files_in(kept)}) == []


@pytest.mark.field("BR-044")
@pytest.mark.parametrize("speed", [0.1, 0.5, 1.0, 1.5, 2.0, 10.0, FASTEST])
def test_at_no_speed_are_two_presses_of_a_person_taken_for_one(speed: float) -> None:
    assert speed * between_deeds(speed) >= DEBOUNCE
    assert between_deeds(speed) <= max(DEBOUNCE, DEBOUNCE / speed)


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program ``sabot`` in a folder of its own, as which this process was started."""
    path = tmp_path / "bin" / "sabot"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(path)])
    monkeypatch.setenv("PATH", "/nowhere")
    return path


def test_a_program_that_is_not_on_the_path_is_named_by_its_path(script: Path) -> None:
    assert program() == str(script)


def test_a_program_on_the_path_is_named_as_it_is_typed(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(script.parent))
    assert program() == "sabot"


def test_another_program_of_that_name_on_the_path_is_not_meant(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sabot").write_text("")
    (tmp_path / "sabot").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program() == str(script)


def test_a_module_of_python_is_named_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [str(ROOT / "firmware_bridge" / "service" / "__main__.py")])
    done = subprocess.run([*shlex.split(program()), "--version"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("sabot")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_in_the_middle_leaves_nothing_behind(tmp_path: Path, how: signal.Signals) -> None:
    with demonstration(tmp_path, *QUICKLY, "--headless") as process:
        lines_until(process, "the table is opened")
        assert processes_with(tmp_path)
        process.send_signal(how)
        _, complaints = process.communicate(timeout=LIMIT)
    assert process.returncode == 130
    assert complaints == "Interrupted.\n"
    assert list(tmp_path.iterdir()) == []
    assert processes_with(tmp_path) == {}


def test_ctrl_c_keeps_a_journal_that_was_asked_for(tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    journal = tmp_path / "evening.db"
    with demonstration(temporary, *QUICKLY, "--headless", "--journal", str(journal)) as process:
        lines_until(process, "the table is opened")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=LIMIT)
    assert process.returncode == 130
    assert journal.exists()
    assert list(temporary.iterdir()) == []


def test_a_controller_that_dies_ends_the_demonstration_with_a_message(tmp_path: Path) -> None:
    with demonstration(tmp_path, *QUICKLY, "--headless") as process:
        lines_until(process, "the table is opened")
        for pid in processes_with(tmp_path):
            os.kill(pid, signal.SIGKILL)
        _, complaints = process.communicate(timeout=LIMIT)
    assert process.returncode == 1
    assert "the controller has stopped" in complaints
    assert list(tmp_path.iterdir()) == []


def test_a_demonstration_that_is_killed_takes_its_controller_with_it(tmp_path: Path) -> None:
    with demonstration(tmp_path, *QUICKLY, "--headless") as process:
        lines_until(process, "the table is opened")
        process.kill()
        assert eventually(lambda: not processes_with(tmp_path))
    for link in tmp_path.rglob("devices/*"):
        link.unlink()  # nobody could clean up, and this test's own watch does not like them


@pytest.mark.timeout(180)
@pytest.mark.parametrize(("book", "cards"), BOOKS_PLAYED.items())
def test_a_session_by_another_book_ends_verified_on_the_decks_that_it_allows(
    tmp_path: Path, book: str, cards: int
) -> None:
    with demonstration(tmp_path, *QUICKLY, "--speed", "14", "--headless", "--rulebook", book) as process:
        said, complaints = process.communicate(timeout=2 * LIMIT)
    assert process.returncode == 0, complaints
    summary = json.loads(said.splitlines()[-1])
    assert summary["verified"]
    assert summary["cards"]["verified"] == cards


@pytest.mark.timeout(180)
def test_a_session_by_a_house_s_own_file_in_a_folder_ends_verified(tmp_path: Path) -> None:
    book = tmp_path / "of a house" / "ours.toml"
    book.parent.mkdir()
    book.write_text('id = "ours"\ntitle = "Ours"\nextends = "general"\n[equipment]\ndecks_allowed = { value = [2] }\n')
    with demonstration(tmp_path, *QUICKLY, "--speed", "14", "--headless", "--rulebook", str(book)) as process:
        said, complaints = process.communicate(timeout=2 * LIMIT)
    assert process.returncode == 0, complaints
    assert json.loads(said.splitlines()[-1])["verified"]


@pytest.mark.clause("PT-J1")
def test_a_book_whose_permission_does_not_hold_yet_is_not_played_today_and_says_from_when(tmp_path: Path) -> None:
    book = tmp_path / "ours.toml"
    book.write_text(
        'id = "ours"\ntitle = "Ours"\nextends = "portugal"\n[jackpot]\noffered = { value = true }\n'
        '[[permission]]\nreference = "r 1"\napproved = 2999-01-30\nchoices = ["jackpot.offered"]\n'
    )
    with demonstration(tmp_path, "--headless", "--rulebook", str(book)) as process:
        _, complaints = process.communicate(timeout=LIMIT)
    assert process.returncode == 1
    assert "no table opens by ours before 2999-01-30: from then on its permission r 1 holds (PT-J1)" in complaints


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        (("--headless", "--interactive"), 2, "--headless shows nothing to act upon"),
        (("--interactive",), 2, "--interactive needs a terminal"),
        (("--headless", "--journal", "{folder}"), 2, "is a directory"),
        (("--headless", "--journal", "{folder}/here"), 2, "is there already"),
        (("--headless", "--journal", "{folder}/nowhere/evening.db"), 2, "make it first"),
        (("--headless", "--rulebook", "live", "--decks", "4"), 2, "--decks 4: live allows 8"),
        (("--headless", "--table", "batch", "--shuffler", "continuous_shuffler"), 2, "batch_shuffler or slot_shuffler"),
        (("--headless", "--table", "batch", "--rulebook", "macau"), 1, "has go back after each round (MO-2g)"),
        (("--headless", "--rulebook", "atlantis"), 1, "no rule book is called 'atlantis'"),
    ],
)
def test_what_cannot_be_played_is_named_with_its_remedy(
    tmp_path: Path, options: tuple[str, ...], status: int, words: str
) -> None:
    (tmp_path / "here").touch()
    with demonstration(tmp_path, *(option.format(folder=tmp_path) for option in options)) as process:
        _, complaints = process.communicate(timeout=LIMIT)
    assert process.returncode == status
    assert words in complaints


# ---- at a terminal


class Terminal:
    """A terminal with a demonstration in it."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.master, self._slave = pty.openpty()
        termios.tcsetwinsize(self._slave, (40, 120))
        self.before = termios.tcgetattr(self._slave)
        self.seen = b""
        self._read = 0
        self.process = subprocess.Popen(
            ["setsid", "--ctty", *arguments(*options)],  # a terminal of its own: there Ctrl-C is typed
            cwd=ROOT,
            env=environment(folder),
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
        )

    @property
    def attributes(self) -> list[object]:
        return termios.tcgetattr(self._slave)

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def until(self, words: str) -> None:
        """Read until these words are shown after those waited for before."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            text = re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", self.seen[self._read :])
            if words.encode() in text:
                self._read = len(self.seen) - len(text.split(words.encode(), 1)[1])
                return
            if select.select([self.master], [], [], 0.1)[0]:
                self.seen += os.read(self.master, 65536)
        raise AssertionError(f"{words!r} was not shown: {self.seen[-3000:]!r}")

    def ended(self) -> int:
        """Read on until the process has ended; return its status."""
        end = time.monotonic() + LIMIT
        while self.process.poll() is None and time.monotonic() < end:
            if select.select([self.master], [], [], 0.05)[0]:
                self.seen += os.read(self.master, 65536)
        return self.process.wait(1.0)

    def close(self) -> None:
        self.process.terminate()
        self.ended()
        os.close(self.master)
        os.close(self._slave)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def start(*options: str) -> Terminal:
        opened.append(Terminal(tmp_path, *options))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


def test_the_person_at_the_terminal_is_the_supervisor_and_the_terminal_comes_back(
    tmp_path: Path, terminal: Callable[..., Terminal]
) -> None:
    pin = "739154826"
    shown = terminal("--interactive", "--speed", "2")
    shown.until("Your PIN for this evening")
    shown.type("123456\n")
    shown.until("a run of digits")
    shown.until("Your PIN for this evening")
    shown.type(f"{pin}\n")
    shown.until("Once more")
    shown.type(f"{pin}\n")
    shown.until(f"You are the supervisor, number {SUPERVISOR}")
    shown.until("keypad: connected")  # what is typed on a keypad that nobody hears is lost
    shown.type(f"{SUPERVISOR}\n")
    shown.until("your PIN, then Enter")
    shown.type(f"{pin}\n")
    shown.until("(supervisor):")
    shown.type("10\n")
    shown.until("the cards are shown")
    shown.type("\x03")
    assert shown.ended() == 130
    assert shown.attributes == shown.before
    assert b"\x1b[?1049l" in shown.seen
    assert pin.encode() not in shown.seen
    assert eventually(lambda: list(tmp_path.iterdir()) == [])


def test_the_live_view_says_across_the_table_whether_cards_may_be_dealt(terminal: Callable[..., Terminal]) -> None:
    shown = terminal(*QUICKLY)
    shown.until("LAST EVENTS")
    shown.until("SIMULATED")
    shown.process.send_signal(signal.SIGINT)
    assert shown.ended() == 130
    assert shown.attributes == shown.before
