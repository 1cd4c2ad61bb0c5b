"""``sabot demo``: one whole session at a simulated table, with the controller as in production and scripted people."""

from __future__ import annotations

import json
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import click

from firmware_bridge.service.following import Onlooker
from firmware_bridge.service.inspection import BOOKS, BridgeError
from firmware_bridge.service.people import SHORTEST_PIN, Pin, weakness
from firmware_bridge.view import TableView
from sim_hardware.commands.controller import SERVICE, Controller, controller, summarise
from sim_hardware.commands.people import (
    Dealer,
    Evening,
    Pace,
    Person,
    RoomManager,
    Supervisor,
    TableInspector,
    Technician,
)
from sim_hardware.commands.pins import scripted_pin
from sim_hardware.commands.screen import Progress, Screen, live, typed_keys
from sim_hardware.commands.stage import (
    COLOURS,
    DEALER,
    INSPECTOR,
    RELIEF,
    ROLES,
    ROOM_MANAGER,
    SUPERVISOR,
    TABLES,
    TECHNICIAN,
    Settings,
    Stage,
    book_of,
    book_to_play,
    decks_that_fit,
    devices,
    set_up,
    usual_book,
    why_not_today,
)
from sim_hardware.commands.terminal_person import TerminalPerson
from sim_hardware.faults import PLANS
from sim_hardware.keys import DEBOUNCE
from sim_hardware.runner import Runner, RunnerError
from sim_hardware.service import ServiceError, offered

NAME = "sabot"

FASTEST = 15.0
"""Above this speed the links' real half-seconds are so long in table time that people's entries run out of it."""

PACE = 0.3
"""Of people's pauses at ease: a session takes about two minutes, and who watches can still follow it."""

LONGEST_STANDSTILL = 120.0
"""Real seconds without a new record after which scripted people count as stuck."""


class Interrupts:
    """Whether Ctrl-C, or another signal to end, has come; the demonstration looks, and ends in order."""

    def __init__(self) -> None:
        self.came = False

    def check(self) -> None:
        """Raise ``KeyboardInterrupt`` if one has come."""
        if self.came:
            raise KeyboardInterrupt

    def note(self, *_: object) -> None:
        """Take a signal."""
        self.came = True


@contextmanager
def interrupts() -> Iterator[Interrupts]:
    """Note signals instead of being torn out of the middle of something, for as long as the context lasts."""
    noted = Interrupts()
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, noted.note) for number in signals]
    try:
        yield noted
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)


@click.command()
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of people and mechanics.")
@click.option(
    "--speed",
    type=click.FloatRange(0, FASTEST, min_open=True),
    default=1.0,
    show_default=True,
    help="Table seconds that pass in a second; the links keep to real time.",
)
@click.option(
    "--table",
    "kind",
    type=click.Choice(list(TABLES)),
    default="continuous",
    show_default=True,
    help="A machine that shuffles all the time, or a whole set; or a shoe, or a metal box, that people fill.",
)
@click.option(
    "--rulebook",
    metavar="NAME|FILE",
    help=f"{', '.join(BOOKS)}; by default the first, and of a house of its own at a batch shuffler and a metal box.",
)
@click.option("--decks", type=click.IntRange(min=1), help="As many as the rule book allows; by default its first.")
@click.option(
    "--sets",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="At a batch shuffler: with two, one is shuffled while the other plays.",
)
@click.option(
    "--shuffler",
    type=click.Choice([make for kind in TABLES.values() for make in kind.makes]),
    help="Of which make the machine is: its driver's name; by default the first of its kind.",
)
@click.option("--rounds", type=click.IntRange(min=1), help="By default as many as show what the table does.")
@click.option(
    "--journal",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep the journal here (with its key and the controller's log beside it).",
)
@click.option(
    "--faults",
    type=click.Choice(list(PLANS)),
    help="What goes wrong; typical, as it is by default at a continuous shuffler: one jam, one damaged card.",
)
@click.option("--headless", is_flag=True, help="A few lines of progress; the last line is one JSON object.")
@click.option("--interactive", is_flag=True, help="You are the floor supervisor: keypad and hands.")
@click.pass_context
def demo(
    ctx: click.Context,
    seed: int,
    speed: float,
    kind: str,
    rulebook: str | None,
    decks: int | None,
    sets: int,
    shuffler: str | None,
    rounds: int | None,
    journal: Path | None,
    faults: str | None,
    headless: bool,
    interactive: bool,
) -> None:
    """Play one session at a table with simulated devices: opened, dealt, closed, every card verified.

    What goes wrong meanwhile is set right by the people whose it is.

    Exit status 0 only if the session ends verified.
    """
    if headless and interactive:
        raise click.UsageError("--headless shows nothing to act upon: leave it or --interactive out")
    if journal is not None and journal.exists():
        raise click.UsageError(
            f"{journal} is there already: name a file that is not; this table has a fresh set of cards"
        )
    if journal is not None and not journal.parent.is_dir():
        raise click.UsageError(f"{journal}: there is no folder {journal.parent}; make it first")
    usual = TABLES[kind]
    faults, rounds = faults or usual.faults, rounds or usual.rounds
    if shuffler is None:
        shuffler = next(iter(usual.makes), "")
    elif shuffler not in usual.makes:
        raise click.UsageError(
            f"--shuffler {shuffler} stands at no table of this kind: {' or '.join(usual.makes) or 'it has none'}"
        )
    rulebook = rulebook or usual_book(kind, shuffler)
    try:
        book = book_to_play(rulebook)
        if why_not := why_not_today(book, time.time_ns()):
            raise click.ClickException(why_not)
        allowed = book.equipment.decks_allowed
        decks = decks or allowed[0]
        if decks not in allowed:
            raise click.UsageError(f"--decks {decks}: {rulebook} allows {' or '.join(map(str, allowed))}")
        if decks not in decks_that_fit(shuffler, book):
            raise click.UsageError(f"--shuffler {shuffler} takes no set of {decks} decks ({rulebook})")
        settings = Settings(seed, speed, decks, rounds, journal, faults, rulebook, shuffler, sets, usual.shoe)
        if sets > usual.sets or len(settings.backs) < settings.decks * sets:
            raise click.UsageError(
                f"--sets {sets}: a {kind} table has at most {usual.sets}, of {len(COLOURS)} decks together"
            )
        chosen = {SUPERVISOR: _asked_pin()} if interactive else {}
        with interrupts() as noted:
            summary = play(settings, chosen, headless, noted)
    except (BridgeError, ServiceError, RunnerError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(summary if headless else _in_words(json.loads(summary), journal, book_of(rulebook)))
    ctx.exit(0 if json.loads(summary)["verified"] else 1)


def play(settings: Settings, chosen: dict[int, Pin], headless: bool, noted: Interrupts) -> str:
    """Play, and return the summary, a JSON object. Nothing stays behind but the journal that was asked for."""
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="sabot-demo-"))
        stage = set_up(Path(folder), settings, chosen)
        runner = stack.enter_context(offered(devices(stage, settings)))
        child = stack.enter_context(controller(stage.config, stage.log, stage.complaints))
        evening = Evening(settings.rounds, backs=settings.backs, sets=settings.sets)
        people = make_people(settings, evening, interactive=bool(chosen))
        with ExitStack() as terminal:
            typed = terminal.enter_context(typed_keys()) if chosen else None
            on_terminal = sys.stdout.isatty() and not headless
            screen: Screen = terminal.enter_context(live()) if on_terminal else Progress(click.echo)
            Play(stage, settings, runner, child, evening, people, screen, typed, noted).run()
        child.end()
        noted.check()
        return summarise(stage.journal)


def make_people(settings: Settings, evening: Evening, interactive: bool = False) -> list[Person]:
    """Return the scripted people, each with a source of randomness of their own, made from the seed."""
    rng = Random(f"people {settings.seed}")
    pace = Pace(factor=PACE, patience=max(8.0, 2 * settings.speed))
    sources = {number: Random(rng.getrandbits(64)) for number in ROLES}

    def who(number: int) -> tuple[int, str, Random, Evening, Pace]:
        return number, scripted_pin(settings.seed, number), sources[number], evening, pace

    return [
        Dealer(*who(DEALER)),
        Dealer(*who(RELIEF), after_round=max(1, settings.rounds // 2)),
        *([] if interactive else [Supervisor(*who(SUPERVISOR))]),
        Technician(*who(TECHNICIAN)),
        RoomManager(*who(ROOM_MANAGER)),
        TableInspector(*who(INSPECTOR)),
    ]


def between_deeds(speed: float) -> float:
    """Real seconds between two steps of people: no finger presses a key again before it can be another press."""
    return max(0.01, min(DEBOUNCE / min(speed, 1.0), 0.1 / speed))


class Play:
    """The evening, step by step in real time, until its session is over."""

    def __init__(
        self,
        stage: Stage,
        settings: Settings,
        runner: Runner,
        child: Controller,
        evening: Evening,
        people: list[Person],
        screen: Screen,
        typed: Callable[[float], list[int | str]] | None,
        noted: Interrupts,
    ) -> None:
        house = Path(book_of(settings.rulebook))
        self._onlooker = Onlooker(stage.journal, stage.status, [house] if house.suffix else [])
        self._runner = runner
        self._child = child
        self._evening = evening
        self._people = people
        self._screen = screen
        self._typed = typed
        self._terminal_person = TerminalPerson(time.monotonic, evening, SUPERVISOR)
        self._noted = noted
        self._tick = between_deeds(settings.speed)
        self._record = 0
        self._moved_at = time.monotonic()

    def run(self) -> None:
        """Play to the end. Raises ``KeyboardInterrupt``, ``ClickException`` or ``BridgeError``."""
        while self._evening.sessions:
            typed = self._wait()
            self._noted.check()
            self._child.check()
            view = self._onlooker.look(time.time_ns())
            if view is None:
                continue
            hint = ""
            with self._runner.hands() as table:
                if self._typed is not None:
                    self._terminal_person.act(typed, view, table)
                    hint = self._terminal_person.hint(view, table)
                for person in self._people:
                    person.step(table.now.mechanics, view, table)
            self._screen.show(view, hint)
            self._check_moving(view)

    def _wait(self) -> list[int | str]:
        if self._typed is not None:
            return self._typed(self._tick)
        time.sleep(self._tick)
        return []

    def _check_moving(self, view: TableView) -> None:
        now = time.monotonic()
        if view.record != self._record:
            self._record, self._moved_at = view.record, now
        if self._typed is None and now - self._moved_at > LONGEST_STANDSTILL:
            asked = "; ".join(ask.text for ask in view.asks if ask.due) or "nothing is asked of anyone"
            raise click.ClickException(f"nothing moves any more at the table ({view.session}): {asked}")


def _asked_pin() -> Pin:
    """Ask the person at the terminal for a PIN: unechoed, twice."""
    if not sys.stdin.isatty():
        raise click.UsageError("--interactive needs a terminal to type on: run it in one, or leave the option out")
    while True:
        pin = Pin(click.prompt(f"Your PIN for this evening ({SHORTEST_PIN} digits or more)", hide_input=True))
        weak = weakness(pin)
        again = "" if weak else click.prompt("Once more", hide_input=True)
        if weak is None and again == pin.digits():
            return pin
        click.echo(f"Not taken: {weak or 'the two are not the same'}.")


def _in_words(summary: dict[str, object], journal: Path | None, rulebook: str) -> str:
    """The summary for people."""
    lines = [f"{name.replace('_', ' ')}: {_plain(value)}" for name, value in summary.items()]
    if journal is not None:
        lines.append(f"The journal is kept: {program()} journal verify {shlex.quote(str(journal))}")
        if rulebook not in BOOKS:  # a journal names its book by digest alone
            read = f"{program()} report session {shlex.quote(str(journal))} --rulebook {shlex.quote(rulebook)}"
            lines.append(f"To read it, as with replay, give its rule book: {read}")
    return "\n".join(lines)


def program() -> str:
    """This program as it is typed again: its name where the shell finds it by that, else its path."""
    started = Path(sys.argv[0])
    if started.name != NAME:  # as a module of Python
        return f"{shlex.quote(sys.executable)} -m {SERVICE}"
    found = shutil.which(NAME)
    return NAME if found is not None and Path(found).samefile(started) else shlex.quote(str(started))


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {_plain(each)}" for name, each in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(_plain(each) for each in value) or "none"
    words = {True: "yes", False: "no", None: "none"}
    return words[value] if value is None or isinstance(value, bool) else str(value)
