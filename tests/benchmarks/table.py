"""A table that is open and loaded, for a controller to go on with: its files, and its devices in the same state."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from drivers.cards import ALL_FACES
from drivers.protocol.messages import CardDrawn, CardFed, CardIn, DealerKey, DealerKeyPressed, EventBody, Level, Purpose
from drivers.protocol.notices import EventTold, Want
from firmware_bridge.core.controller import FromDevice
from firmware_bridge.core.fold import fold
from firmware_bridge.core.records import Entry
from firmware_bridge.core.secrets import Pin
from firmware_bridge.core.state import State
from firmware_bridge.core.words import IncidentKind, Role
from firmware_bridge.journal import SqliteStore, read_records
from firmware_bridge.service.clocks import boot_seconds
from firmware_bridge.service.people import add_person
from firmware_bridge.service.run import key_of
from sim_hardware.table import Now
from tests.benchmarks.lines import Lane, Lines
from tests.benchmarks.process import running
from tests.table.evening import BACKS, DEALER, DRIVERS, PEOPLE, SUPERVISOR, Evening

DECKS = 4
CARDS = 20
"""Cards of a round here; with the machine's feeding each, the dealer's key and each card's way back: 61 events."""

EVENTS_A_ROUND = 3 * CARDS + 1


OF_A_BUSY_MACHINE = frozenset({IncidentKind.RELEASE_LAPSED, IncidentKind.LINK_LOST, IncidentKind.KEYPAD_LOST})
"""What comes of devices that are not stepped in time."""


class Playing(NamedTuple):
    """A controller at work: the lines to it, and its process."""

    lines: Lines
    process: int
    falls: Random
    """How the cards fall."""

    def play(self, rounds: int) -> list[float]:
        """Play rounds; return the seconds of each of their events, from its sending to its ack."""
        took = []
        for _ in range(rounds):
            took += self.lines.burst([a_round(self.falls)])
            self.lines.live(lambda: True)  # heartbeats, if they are due
        return took


class Furniture:
    """The devices of a played evening, as a rig in real time: their clock goes on from where it stood."""

    def __init__(self, evening: Evening) -> None:
        self._rig = evening.hands
        self._ahead = evening.table.seconds - boot_seconds()
        self.devices = evening.hands.devices

    def step(self, now: float, received: Mapping[str, bytes]) -> Mapping[str, bytes]:
        """See ``Rig``."""
        moment = now + self._ahead
        return self._rig.step(Now(moment, moment), received)

    def due(self) -> float:
        """See ``Rig``."""
        return min(self._rig.deadline) - self._ahead

    def beside_a_burst(self, now: float) -> Mapping[str, bytes]:  # noqa: ARG002 - nothing, whenever
        """See ``Rig``. Nothing: its mechanism would cost more than the controller, and its lane goes on by itself."""
        return {}

    def links(self) -> list[int]:
        """The devices' links: other ones once a controller has opened them anew."""
        return [device.link for device in self.devices.values()]


class Prepared:
    """The files of a table that is open, loaded and between two rounds, and its devices."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.config = write_config(folder)
        self.journal = folder / "journal"
        self.evening = Evening()
        self.evening.open_and_load()
        self.falls = Random(1)
        self.furniture = Furniture(self.evening)
        self.entries = self.recorded()
        with self.store() as store:
            store.append(self.entries, sign=True)

    def recorded(self) -> list[Entry]:
        """What the evening has recorded so far, as if its last record were a second old."""
        return until_now([Entry(r.number, r.utc_ns, r.link_ns, r.body) for r in self.evening.table.store.records()])

    def store(self) -> SqliteStore:
        """Open the journal to write it oneself."""
        return SqliteStore.open(self.journal, table="BJ 7", key_path=key_of(self.journal))

    def state(self) -> State:
        """Fold what the journal holds."""
        return fold((record.number, record.utc_ns, record.body) for record in read_records(self.journal))

    @contextmanager
    def controller(self, *command: str) -> Iterator[Playing]:
        """Run a controller and the devices' lines; the context begins when cards may be dealt."""
        with self.lines() as lines, running(*command, log=self.folder / "log") as process:
            before = self.furniture.links()
            lines.live(lambda: not set(before) & set(self.furniture.links()))
            lines.live(lambda: self.furniture.devices["shoe"].released_for is Purpose.DEAL)
            yield Playing(lines, process.pid, self.falls)
            process.terminate()
            lines.live(lambda: process.poll() is not None)  # so that its last orders reach the devices: all is held
        self.judge_play()

    def judge_play(self) -> None:
        """Say that the machine was too busy for the links. Raises ``RuntimeError`` if anything else held the table."""
        kinds = set(self.state().incident_kinds)
        if kinds & OF_A_BUSY_MACHINE:
            print("too much else ran: the table's links could not keep their time", file=sys.stderr)
        if held := kinds - OF_A_BUSY_MACHINE:
            raise RuntimeError(f"the table stood still: what was measured is no play, but {sorted(held)}")

    @contextmanager
    def lines(self) -> Iterator[Lines]:
        """Offer the devices where the configuration expects them."""
        with closing(Lines(self.furniture, self.folder / "ports")) as lines:
            yield lines


def until_now(entries: list[Entry]) -> list[Entry]:
    """The same records, as if nobody had been away for long."""
    later = time.time_ns() - 10**9 - entries[-1].utc_ns
    return [replace(entry, utc_ns=entry.utc_ns + later) for entry in entries]


def played_on(evening: Evening, rounds: int, falls: Random) -> None:
    """Play rounds on in the evening's own controller, its devices' counters with it, without moving a card."""
    assembly, prompt = evening.table.assembly, 0
    for name, told in (one for _ in range(rounds) for one in a_round(falls)):
        body = DealerKeyPressed(told.key, prompt) if isinstance(told, DealerKeyPressed) else told
        store = evening.hands.devices[name].store
        store.add(body)
        store.ack(store.last)
        assembly.controller.turn([FromDevice(name, [EventTold(store.last, body)])])
        for order in assembly.take_orders("shoe"):
            if isinstance(order, Want) and order.level is Level.PROMPT:
                prompt = order.value


def write_config(folder: Path, drivers: Mapping[str, str] = DRIVERS) -> Path:
    """Write the configuration and the people of the evening's table, or of one with other devices."""
    for number in (SUPERVISOR, DEALER):
        pin, role = PEOPLE[number]
        add_person(folder / "people.json", number, Role(role), Pin(pin))
    devices = "".join(
        f'[[device]]\nname = "{name}"\ndriver = "{driver}"\nport = "{folder / "ports" / name}"\n'
        for name, driver in drivers.items()
    )
    path = folder / "table.toml"
    backs = ", ".join(f'"{back}"' for back in BACKS[:4])
    path.write_text(
        f'[table]\nname = "BJ 7"\ndecks = 4\nbacks = [{backs}]\nrulebook = "portugal"\njournal = "journal"\n'
        f'people = "people.json"\nstatus = "status"\nallow_simulated = true\n{devices}',
        encoding="utf-8",
    )
    return path


def a_round(falls: Random) -> Lane:
    """Every event of one round: each card fed and drawn, *round over*, each card back.

    They come in another order each time, as from a shuffler: dealt in sequence they would hold the table (SB-9).
    """
    dealt: list[tuple[str, EventBody]] = []
    for face in falls.sample(DECKS * ALL_FACES, CARDS):
        dealt += [("shuffler", CardFed(Purpose.DEAL)), ("shoe", CardDrawn(Purpose.DEAL, face))]
    return [*dealt, ("shoe", DealerKeyPressed(DealerKey.ROUND_OVER, 0)), *[("shuffler", CardIn(0))] * CARDS]
