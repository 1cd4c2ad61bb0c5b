"""What the demonstration sets up in a temporary folder: a table's configuration, its people, its devices on ptys."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from drivers.cards import DECK_SIZE
from firmware_bridge.service.inspection import BOOKS, RuleBook, day_of, load_for_table, load_rulebook, not_yet
from firmware_bridge.service.people import Pin, Role, add_person
from sim_hardware.commands.pins import scripted_pin
from sim_hardware.config import Config, DevicesConfig, ShoeConfig, ShufflerConfig
from sim_hardware.mechanics import compartments_for
from sim_hardware.registry import BATCH_SHUFFLERS, SHUFFLERS

ROOM_MANAGER, SUPERVISOR, DEALER, RELIEF, TECHNICIAN, INSPECTOR = 1, 11, 21, 22, 31, 41
"""The numbers under which the people of the demonstration are enrolled."""

ROLES = {
    ROOM_MANAGER: Role.ROOM_MANAGER,
    SUPERVISOR: Role.SUPERVISOR,
    DEALER: Role.DEALER,
    RELIEF: Role.DEALER,
    TECHNICIAN: Role.TECHNICIAN,
    INSPECTOR: Role.TABLE_INSPECTOR,
}
SHUFFLER = "continuous_shuffler"
DRIVERS = {"shuffler": SHUFFLER, "shoe": "shoe", "keypad": "keypad", "lamp": "lamp"}
COLOURS = ("red", "blue", "green", "black", "brown", "violet", "grey", "white")
"""Backs of the decks: one colour each, so that a card tells which deck it is of."""


class Usual(NamedTuple):
    """What is played at a kind of table where nothing else is asked for; the first make is the usual one.

    No make: it has no shuffler, people fill its shoe, or its metal box.
    """

    makes: tuple[str, ...]
    rulebook: str
    faults: str
    sets: int
    """At most so many of cards."""
    rounds: int = 4
    shoe: str = "shoe"
    """The driver of what has the dealer's keys: a shoe, or the keys beside a metal box."""


TABLES: Mapping[str, Usual] = {
    "continuous": Usual(tuple(SHUFFLERS), BOOKS[0], "typical", 1),
    "batch": Usual(tuple(BATCH_SHUFFLERS), "house_with_batch", "none", 2),
    "shoe": Usual((), BOOKS[0], "none", 1, 16),
    "box": Usual((), "house_with_box", "none", 1, 6, "dealer_keys"),
}
"""The kinds of table that can be demonstrated, by the kind of their shuffler."""

TAKES_ONE_DECK: Mapping[str, str] = {"slot_shuffler": "house_with_slots"}
"""Machines that take no more than one deck, and the book of a house that plays with so few."""


def usual_book(kind: str, shuffler: str = "") -> str:
    """Return the book that is played at a kind of table, and with a make of machine, where none is asked for."""
    return TAKES_ONE_DECK.get(shuffler, TABLES[kind].rulebook)


def decks_that_fit(shuffler: str, book: RuleBook) -> list[int]:
    """Return of how many decks a set may be by a book, as far as a make of machine takes it whole."""
    make = BATCH_SHUFFLERS.get(shuffler)
    most = None if make is None else make.built_as.usual.most_cards
    return [decks for decks in book.equipment.decks_allowed if most is None or decks * DECK_SIZE <= most]


class Settings(NamedTuple):
    """What the command was asked to play."""

    seed: int
    speed: float
    decks: int
    rounds: int
    journal: Path | None
    faults: str
    rulebook: str
    shuffler: str = SHUFFLER
    """The name of its driver, and of its simulated make; empty: it has none, people fill its shoe, or metal box."""
    sets: int = 1
    """Of so many decks each."""
    shoe: str = "shoe"
    """The name of the driver, and of the simulated make, of what has the dealer's keys."""

    @property
    def backs(self) -> tuple[str, ...]:
        """The colours of the backs of all decks, set by set."""
        return COLOURS[: self.decks * self.sets]


class Stage(NamedTuple):
    """Where everything of one demonstration lies."""

    folder: Path
    journal: Path

    @property
    def config(self) -> Path:
        """The controller's configuration."""
        return self.folder / "table.toml"

    @property
    def people(self) -> Path:
        """Who may act, with the hashes of their PINs."""
        return self.folder / "people.json"

    @property
    def status(self) -> Path:
        """The folder of the controller's status file."""
        return self.folder / "status"

    @property
    def ports(self) -> Path:
        """The folder of the devices' ports."""
        return self.folder / "devices"

    @property
    def log(self) -> Path:
        """The controller's log, beside the journal."""
        return self.journal.with_name(f"{self.journal.name}.log")

    @property
    def complaints(self) -> Path:
        """What the controller says when it cannot go on."""
        return self.folder / "complaints"


def book_of(name: str) -> str:
    """Return what a table's configuration names for a book, or for the path of a house's own file.

    A book whose choices need permissions binds no table by itself: then a simulated house has them, in a file beside
    this one.
    """
    if "/" in name or name.endswith(".toml"):
        return str(Path(name).absolute())
    own = Path(__file__).with_name(f"{name}.toml")
    if own.exists():
        return str(own)
    if name not in BOOKS:
        return name
    house = own.with_name(f"house_in_{name}.toml")
    return str(house) if house.exists() else name


def book_to_play(name: str) -> RuleBook:
    """Return the book that a simulated table plays; one of its own too, as if its configuration named the digest."""
    name = book_of(name)
    return load_for_table(name, load_rulebook(name).digest)


def why_not_today(book: RuleBook, utc_ns: int) -> str:
    """Return why no table opens by a book on the day of a moment, with what to do instead; empty where one does."""
    return "".join(
        f"no table opens by {book.id} before {one.holds_from}: from then on its permission {one.reference} holds "
        f"({one.clause}); play it then, or with sabot simulate, whose clock begins after that day"
        for one in not_yet(book, day_of(utc_ns))[:1]
    )


def set_up(folder: Path, settings: Settings, chosen: dict[int, Pin]) -> Stage:
    """Write configuration and people. ``chosen`` holds the PINs of people who are no script. Raises ``ConfigError``."""
    journal = folder / "journal.db" if settings.journal is None else settings.journal.absolute()
    stage = Stage(folder, journal)
    stage.config.write_text(_configuration(stage, settings), encoding="utf-8")
    for number, role in ROLES.items():
        pin = chosen[number] if number in chosen else Pin(scripted_pin(settings.seed, number))
        add_person(stage.people, number, role, pin)
    return stage


def devices(stage: Stage, settings: Settings) -> Config:
    """Return how the devices are fitted: a quick machine, so that nobody waits for motors."""
    return Config(
        folder=str(stage.ports),
        seed=settings.seed,
        decks=len(settings.backs),
        compartments=_compartments(settings),
        backs=settings.backs,
        speed=settings.speed,
        quick=True,
        faults=settings.faults,
        fed_by_hand=not settings.shuffler,
        devices=DevicesConfig(
            shuffler=ShufflerConfig(make=settings.shuffler or None), shoe=ShoeConfig(make=settings.shoe)
        ),
    )


def _compartments(settings: Settings) -> int | None:
    """As many as the decks need, or the make has if that is more; a batch shuffler is built as it is."""
    make = SHUFFLERS.get(settings.shuffler)
    return None if make is None else max(make.compartments, compartments_for(settings.decks))


def _configuration(stage: Stage, settings: Settings) -> str:
    lines = [
        "[table]",
        'name = "demonstration"',
        f"decks = {settings.decks}",
        f"backs = {_written(list(settings.backs[: settings.decks]))}",
        f"second_backs = {_written(list(settings.backs[settings.decks :]))}",
        f"rulebook = {_written(book_of(settings.rulebook))}",
        f"rulebook_digest = {_written(book_to_play(settings.rulebook).digest)}",
        f"journal = {_written(str(stage.journal))}",
        f"people = {_written(str(stage.people))}",
        f"status = {_written(str(stage.status))}",
        f"fed_by_hand = {_written(not settings.shuffler)}",
        "allow_simulated = true",
        "[time]",
        f"speed = {float(settings.speed)}",
    ]
    for name, driver in drivers(settings.shuffler, settings.shoe).items():
        port = str(stage.ports / name)
        lines += ["[[device]]", f'name = "{name}"', f'driver = "{driver}"', f"port = {_written(port)}"]
    return "\n".join(lines) + "\n"


def drivers(shuffler: str, shoe: str) -> dict[str, str]:
    """The drivers of a table's devices, by their names; without a shuffler, if none is named."""
    return {name: driver for name, driver in {**DRIVERS, "shuffler": shuffler, "shoe": shoe}.items() if driver}


def _written(value: str | bool | list[str]) -> str:
    """A value as TOML has it; of strings, truths and lists, JSON is TOML."""
    return json.dumps(value, ensure_ascii=False)
