"""By hand, as the front page has it: four people enrolled, three processes, and a session to its good close."""

from __future__ import annotations

import re
import select
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firmware_bridge.journal import verify
from firmware_bridge.readers.summary import summary
from firmware_bridge.service.following import Onlooker
from firmware_bridge.view import AskLine, TableView
from tests.architecture.tree import ROOT
from tests.hostile.two_processes import BIN, SPEED, Devices

PAGE = (ROOT / "README.md").read_text(encoding="utf-8").partition("By hand, you are everybody")[2]
PINS = {"1": "480159", "12": "738291", "21": "905174", "31": "662938"}
LIMIT = 60.0
TRIES, PATIENCE = 5, 10.0
"""How often something is done until it shows, and how many seconds one looks for it each time."""


class AtHand:
    """Whoever plays: looks at the table as a screen does, and types what the page says."""

    def __init__(self, folder: Path, devices: Devices) -> None:
        self._devices = devices
        self._onlooker = Onlooker(folder / "table.journal", folder / "status")

    def seen(self, holds: Callable[[TableView], object], seconds: float) -> TableView | None:
        """Look for so long whether something is so."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            view = self._onlooker.look(time.time_ns())
            if view is not None and holds(view):
                return view
            select.select([], [], [], 0.05)
        return None

    def until(self, holds: Callable[[TableView], object]) -> TableView:
        """Look until something is so."""
        view = self.seen(holds, LIMIT)
        if view is None:
            now = self._onlooker.look(time.time_ns())
            raise AssertionError(f"it never came: {now and (now.session, now.keypad, [ask.text for ask in now.asks])}")
        return view

    def again(self, does: Callable[[], object], holds: Callable[[TableView], object]) -> None:
        """Do something until it shows: what is pressed before the device has the new prompt acts on nothing."""
        for _ in range(TRIES):
            does()
            if self.seen(holds, PATIENCE):
                return
        raise AssertionError(f"done {TRIES} times, and it never showed")

    def asked(self, which: Callable[[AskLine], object]) -> None:
        """Wait until the screen asks for this."""
        self.until(lambda view: any(which(ask) for ask in view.asks))

    def does(self, line: str) -> str:
        """Type a line that the page names; return the answer."""
        assert f"`{line}" in PAGE, "the page does not say so"
        return self._devices.do(line)

    def step(self, person: str, number: int) -> None:
        """Take a step at the keypad once it is asked for: number, PIN, step."""
        assert re.search(rf"\b{number}\b", PAGE), "the page does not name this step"
        self.asked(lambda ask: ask.number == number)
        before = self.until(lambda view: view.keypad.asking == "number").record

        def types() -> None:
            assert self._devices.do(f"press c{person}e") == "pressed"
            self.seen(lambda view: view.keypad.asking == "pin", PATIENCE)
            assert self._devices.do(f"press {PINS[person]}e") == "pressed"
            self.seen(lambda view: view.keypad.asking == "step", PATIENCE)
            assert self._devices.do(f"press {number}e") == "pressed"

        self.again(types, lambda view: view.record > before + 1 and view.keypad.asking == "number")

    def yes(self, times: int = 1) -> None:
        """Press YES when it is asked for, so many times in different states."""
        for _ in range(times):
            self.asked(lambda ask: ask.trigger == "yes" and ask.due)
            before = self.until(lambda _view: True).session_state
            self.again(lambda: self.does("key yes"), lambda view, before=before: view.session_state != before)  # type: ignore[misc]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the page, with its people; they and the machine are quicker than usual."""
    shutil.copytree(ROOT / "sim_hardware" / "by_hand", tmp_path / "by-hand")
    with (tmp_path / "by-hand" / "devices.toml").open("a", encoding="utf-8") as config:
        config.write(f"speed = {SPEED}\n")
    for number, role in re.findall(r"^sabot people add people.json (\d+) (\w+)", PAGE, re.M):
        command = [BIN / "sabot", "people", "add", "people.json", number, role, "--pin-from-stdin"]
        subprocess.run(command, cwd=tmp_path / "by-hand", input=f"{PINS[number]}\n", text=True, check=True)
    return tmp_path / "by-hand"


@pytest.fixture
def hands(folder: Path) -> Iterator[AtHand]:
    """Both processes of the page, and whoever plays."""
    devices = Devices(folder / "devices.toml")
    try:
        with subprocess.Popen(
            [BIN / "sabot", "run", "--config", "table.toml"], cwd=folder, stdout=subprocess.DEVNULL
        ) as run:
            try:
                yield AtHand(folder, devices)
            finally:
                run.terminate()
                run.wait(LIMIT)
    finally:
        devices.end()


@pytest.mark.clause("PT-A6")
@pytest.mark.timeout(240)
def test_the_page_played_to_the_letter_ends_verified(folder: Path, hands: AtHand) -> None:
    hands.step("12", 10)
    hands.step("21", 11)
    hands.yes(3)
    for _ in range(2):
        hands.step("12", 20)
        assert hands.does("tray 104") == "104 cards laid in the intake tray"
        hands.asked(lambda ask: ask.trigger == "end_pack" and ask.due)
        hands.step("12", 21)
    hands.step("12", 22)
    hands.asked(lambda ask: ask.trigger == "deal")
    assert hands.does("pull 6") == "6 cards came; they lie on the table"
    assert hands.does("discard") == "6 cards moved to the discard"
    hands.again(lambda: hands.does("key round-over"), lambda view: view.session_state == "returning")
    hands.asked(lambda ask: ask.trigger == "put_cards_in")
    assert hands.does("return") == "6 cards of the discard laid in the intake tray"
    hands.step("12", 40)
    hands.step("12", 41)
    hands.asked(lambda ask: ask.trigger == "draw_cards")
    assert hands.does("pull 208") == "208 cards came; they lie on the table"
    hands.step("12", 42)
    hands.asked(lambda ask: ask.trigger == "open_lid")
    hands.again(lambda: hands.does("lid open"), lambda view: view.session_state == "lid_open")
    assert hands.does("look") == "0 cards in the buffer, 0 in the compartments"
    assert hands.does("lid close") == "the lid is closed"
    hands.step("12", 43)
    hands.asked(lambda ask: ask.trigger == "sort_decks")
    hands.does("sort")
    hands.yes()
    for deck in range(1, 5):
        hands.asked(lambda ask, deck=deck: ask.trigger == "lay_deck" and ask.about == deck)  # type: ignore[misc]
        assert hands.does("shoe 52") == "52 cards laid in the shoe's tray"
        hands.yes()
    hands.step("12", 47)
    hands.until(lambda view: view.session_state == "verified")
    assert verify(folder / "table.journal").ok
    assert not summary(folder / "table.journal")["incidents"]["open"]
