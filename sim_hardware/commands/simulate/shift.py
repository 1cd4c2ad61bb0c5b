"""One shift, all of it drawn from a seed: decks, rounds, people, faults, cables, and what befalls the controller."""

from __future__ import annotations

import hashlib
import json
import traceback
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from random import Random

from msgspec.structs import replace as with_fields

from firmware_bridge.service.assembly import Role
from firmware_bridge.service.config import Config, Device, Log, Table, Time
from firmware_bridge.view import TableView, keypad_line, table_view
from sim_hardware.commands.crowd import ROLES, draw_crowd
from sim_hardware.commands.evening import Evening
from sim_hardware.commands.pins import scripted_pin
from sim_hardware.commands.simulate.fate import Fate
from sim_hardware.commands.simulate.fitted import FITTED, draw_cards, sets_of
from sim_hardware.commands.simulate.invariants import CHECKED
from sim_hardware.commands.simulate.watch import ViolationError, Watch
from sim_hardware.commands.simulate.way_out import WayOut
from sim_hardware.commands.simulate.world import World, seconds
from sim_hardware.commands.stage import COLOURS, TABLES, book_to_play, decks_that_fit, drivers, usual_book
from sim_hardware.table import CannotDoError

KINDS = tuple(FITTED)
"""The kinds of table that can be simulated; the first is the usual one."""
SHORT = 40
"""Rounds of a short shift."""
ROUNDS_A_SESSION = 20
"""A shift opens its table once more for each so many of its rounds, where sessions end before they were played."""
WHOLE = 400
"""Rounds of a shift of about eight hours."""

GLANCE = 0.5
"""Seconds from a change to the look that sees it, and between two looks of somebody who is busy."""
IDLE = 1.0
"""Seconds between two looks of people who have nothing to do."""
GONE = "the controller is not there"
NEW = 1000
"""Tells the PIN that somebody chooses when his own is forgotten from the first one, where they are drawn."""


FEW = 0.3
"""Share of the shifts at a shoe that people fill in which a single player sits there, and of those where none cuts."""
STOPS_AFTER = (0, 0, 2, 5)
"""Rounds after which nobody plays for a while, drawn; 0: somebody always does."""


@dataclass(frozen=True)
class Settings:
    """What to play; the seed draws the rest."""

    seed: int
    rounds: int = SHORT
    faults: str = "typical"
    rulebook: str = ""
    """The book of the house; empty: the usual one of this kind of table."""
    table: str = "continuous"
    """Of which kind it is."""
    shuffler: str = ""
    """Of which make its shuffler is: its driver's name; empty: the first of its kind."""
    sets: int = 0
    """How many sets of cards the table has; 0: drawn, where its kind may have more than one."""
    places: bool = False
    """Whether the dealers mark the places in play, so that each round's deal is followed."""
    ways_out: int | None = None
    """From how many situations at most a way out is tried; None: one, and one more each hundred rounds."""

    @property
    def command(self) -> str:
        """The command that repeats this shift."""
        words = f"sabot simulate --shifts 1 --seed {self.seed} --rounds {self.rounds} --faults {self.faults}"
        words += "" if self.table == KINDS[0] else f" --table {self.table}"
        words += f" --shuffler {self.shuffler}" if self.shuffler else ""
        words += f" --sets {self.sets}" if self.sets else ""
        words += " --places" if self.places else ""
        usual = usual_book(self.table, self.shuffler)
        return words if self.book == usual else f"{words} --rulebook {self.rulebook}"

    @property
    def book(self) -> str:
        """The name of the rule book that binds the table."""
        return self.rulebook or usual_book(self.table, self.shuffler)


@dataclass
class Result:
    """What became of a shift."""

    settings: Settings
    events: int = 0
    seconds: float = 0.0
    digest: str = ""
    violation: str = ""
    last_events: list[str] = field(default_factory=list)
    ends: Counter[str] = field(default_factory=Counter)
    struck: Counter[str] = field(default_factory=Counter)
    people: Counter[str] = field(default_factory=Counter)
    """How many of each kind sat at the table."""
    misdeeds: Counter[str] = field(default_factory=Counter)
    """How many people gave in to each bad habit."""
    rows: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    ways_out: int = 0


class Shift:
    """A shift in the making. ``play`` plays it to its end, or to the first violation."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        rng = Random(f"shift {settings.seed} {settings.faults}" + settings.table.removeprefix(KINDS[0]))
        config = _config(settings, rng)
        sessions = rng.randint(1, 3) if settings.rounds > 3 else 1
        sets = sets_of(config)
        rounds = max(1, settings.rounds // sessions)
        self.evening = Evening(rounds, sessions, backs=tuple(chain.from_iterable(sets)), sets=len(sets))
        self.pins = {number: scripted_pin(settings.seed, number) for number in ROLES}
        self.evening.new_pins = {number: scripted_pin(settings.seed, NEW + number) for number in ROLES}
        self.crowd = draw_crowd(Random(f"crowd {settings.seed}"), settings.faults, self.evening.rounds)
        if settings.table == "shoe":
            self._draw_players()
        if settings.places:
            self._draw_places(config.book.equipment.places)
        self.crowd.sit_down(self.evening, self.pins)
        if len(sets) > 1 and settings.faults != "none":
            self.crowd.confuse(Random(f"confused {settings.seed}"))
        fittings = FITTED[settings.table](config, settings.seed, settings.faults, rng)
        self.world = World(config, self._credentials, rng.getrandbits(63), fittings, self._renew, self._happened)
        self.evening.barred = self.world.barred
        self.watch = Watch(self.world, CHECKED[settings.table], (*self.pins.values(), *self.evening.new_pins.values()))
        self.world.looks = self._look
        self.world.look_due = seconds(GLANCE)
        self.fate = Fate(self.world, Random(f"fate {settings.seed}"), settings.faults)
        self.way_out = WayOut(self)
        self._view: TableView | None = None
        self._view_of: tuple[object, ...] = ()
        self._seen: tuple[object, ...] = ()
        self._turns = 0
        self._more = settings.rounds // ROUNDS_A_SESSION
        self.longest = seconds(settings.rounds * 180 + sessions * 5400 + 7200)

    def _draw_players(self) -> None:
        """Who sits at a shoe that people fill, and plays: from a stream of its own."""
        rng, evening = Random(f"players {self.settings.seed}"), self.evening
        evening.is_alone, evening.nobody_cuts = rng.random() < FEW, rng.random() < FEW
        evening.stops_after = rng.choice(STOPS_AFTER)

    def _draw_places(self, places: int) -> None:
        """Who is dealt to, and who slips: from a stream of its own, so that the shift else is drawn as ever."""
        rng = Random(f"places {self.settings.seed}")
        self.evening.places = tuple(sorted(rng.sample(range(1, places + 1), rng.randint(1, places))))
        if self.settings.faults != "none":
            self.crowd = self.crowd.slipping(rng)

    def play(self) -> Result:
        """Play to the end."""
        result = Result(self.settings)
        try:
            self.run_until_over(self.longest)
            if not self.is_over:
                raise ViolationError(9, f"the shift did not end: {self.watch.state.session}")
        except ViolationError as violation:
            result.violation = str(violation)
            result.last_events = self.watch.last_events()
        except Exception:  # noqa: BLE001 - whatever breaks, product or simulator, is told with its seed
            result.violation = f"the program broke:\n{traceback.format_exc()}"
            result.last_events = self.watch.last_events()
        self._fill(result)
        return result

    def run_until_over(self, end: int) -> None:
        """Play until the last session is over, at most until this moment."""
        world = self.world
        while world.ns < end:
            if self.is_over and not self._opens_again():
                return
            world.play_until(world.ns + seconds(IDLE))

    def _opens_again(self) -> bool:
        """A session that ended early leaves rounds to play: the table opens once more, but not for ever."""
        left = self.settings.rounds - self.watch.rounds
        if left <= 0 or not self._more:
            return False
        self._more -= 1
        self.evening.sessions, self.evening.rounds = 1, min(left, self.evening.rounds)
        return True

    @property
    def is_over(self) -> bool:
        """Whether the last session of the shift has ended."""
        return self.evening.sessions <= 0 and self.world.running

    def _fill(self, result: Result) -> None:
        world = self.world
        bodies = hashlib.sha256()
        for entry in world.disk.flushed:
            bodies.update(entry.body)
        result.events, result.seconds, result.digest = len(world.disk.flushed), world.seconds, bodies.hexdigest()
        result.rows, result.ends, result.ways_out = self.watch.rows, self.watch.ends, self.way_out.tried
        result.people = Counter(str(member.kind) for member in self.crowd.members)
        result.misdeeds = Counter(str(habit) for person in self.crowd.people for habit in person.misdeeds)
        result.struck = Counter({str(fault): times for fault, times in world.physical.faults.struck.items()})
        result.struck.update(self.fate.struck)

    def _credentials(self, number: int, pin: str) -> Role | None:
        return Role(ROLES[number]) if self.pins.get(number) == pin else None

    def _renew(self, number: int, digits: str) -> str:
        """The people file takes a new PIN; who chose it knows it from now on."""
        if number not in self.pins:
            return f"there is no number {number}"
        self.pins[number] = digits
        for person in self.crowd.people:
            if person.number == number:
                person.learn(digits)
        return ""

    # ---- what people see, and when they look

    def _happened(self) -> None:
        world = self.world
        is_new = self.watch.happened()
        if is_new:
            self.way_out.consider()
        if (is_new or world.turns != self._turns) and self._outward() != self._seen:
            world.look_due = min(world.look_due, world.ns + seconds(GLANCE))
        self._turns = world.turns

    def _outward(self) -> tuple[object, ...]:
        """What can be seen to change: the screen's record, the keypad's line, what lies about."""
        console, table = self.world.assembly.controller.console, self.world.physical
        mechanism, shoe = table.mechanism, table.shoe_mechanism
        screen = (self.world.running, self.watch.state.record, console.asking, console.digits, console.message)
        trays = (len(mechanism.intake_tray), len(shoe.shoe_tray), len(shoe.shoe_output))
        return (*screen, *trays, len(shoe.mouth), mechanism.lid_open, mechanism.jam is None)

    def _look(self) -> None:
        world = self.world
        now = world.seconds
        self._seen = self._outward()
        view = self.view()
        for person in self.crowd.people:
            with suppress(CannotDoError):  # nothing has moved: whoever tried sees it, and thinks of something else
                person.step(now, view, world.physical)
        coming = [person.acts_at for person in self.crowd.people if person.acts_at > now]
        world.look_due = seconds(max(now + GLANCE, min([now + IDLE, *coming])))

    def view(self) -> TableView:
        """What everybody sees on the screen."""
        world = self.world
        status = world.assembly.controller.status() if world.running else None
        of = (world.running, self.watch.state.record, status and status.presented)
        if self._view is None or of != self._view_of:
            doubt = "" if world.running else GONE
            self._view, self._view_of = table_view(self.watch.state, world.config.book, status, (), doubt=doubt), of
            self.watch.shown(self._view)
        elif (keypad := keypad_line(self.watch.state, status)) != self._view.keypad:
            self._view = with_fields(self._view, keypad=keypad)  # a key changes nothing else
            self.watch.shown(keypad)
        return self._view

    def calm(self) -> None:
        """From now on nothing goes wrong any more and people are careful."""
        self.fate.stop()
        for number in sorted(self.world.barred):
            self.world.take_right(number, False)
        self.evening.forgot.clear()
        self.world.physical.calm()
        self.world.calm()
        self.crowd = self.crowd.careful(self.evening)
        self.world.look_due = self.world.ns


def _config(settings: Settings, rng: Random) -> Config:
    book = book_to_play(settings.book)
    usual = TABLES[settings.table]
    machine = settings.shuffler or next(iter(usual.makes), "")
    named = drivers(machine, usual.shoe)
    decks, sets = draw_cards(settings.table, decks_that_fit(machine, book), settings.seed, settings.sets, rng)
    return Config(
        table=Table(
            name="simulated",
            decks=decks,
            backs=COLOURS[:decks],
            second_backs=COLOURS[decks : decks * sets],
            rulebook=book.id,
            fed_by_hand=not machine,
            journal="none",
            people="none",
            allow_simulated=True,
        ),
        time=Time(),
        devices=tuple(Device(name=name, driver=driver, port=name) for name, driver in named.items()),
        log=Log(),
        book=book,
    )


def as_line(result: Result) -> str:
    """A result as one line, for comparing two processes."""
    return json.dumps([result.settings.seed, result.events, result.digest, result.violation])
