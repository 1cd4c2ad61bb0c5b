"""Hunting a mutant: short shifts, one after another, until an invariant does not hold."""

from __future__ import annotations

import re
import tempfile
import time
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.mutants.themes import Theme, plan_of, theme_of

if TYPE_CHECKING:
    from sim_hardware.commands.simulate.shift import Shift

SEED = 1
USUAL = "usual"
LEAST_ROUNDS, MOST_ROUNDS = 4, 10
OTHER_VALUES = (
    (r"decks_allowed = { value = \[4, 6\], allowed = \[4, 6\]", "decks_allowed = { value = [2]"),
    (r"(\[house\.rounds_between_counts\].*\nvalue =) 100", r"\1 1"),
    (r"(\[house\.presence_interval_s\].*\nvalue =) 60", r"\1 45"),
    (r"(\[house\.escalate_after_s\].*\nvalue =) 300", r"\1 60"),
)
"""The shifts are played by Portugal's book, but with a smaller set, which is loaded, emptied and read in less time,
with more full counts, and less patience: what stands in the book, and what is put in its place."""
STRICT_VALUES = (
    *OTHER_VALUES,
    (r"(may_leave_in_discard = \{ value = )true", r"\1false"),
    (r"(with_shuffler = \{ value = )false", r"\1true"),
    (r"(before_each_later_round = \{ value = )false", r"\1true"),
    (r"(at_dealers_wish = \{ value = )false", r"\1true"),
)
"""No card stays out (MO-2g), the cards are cut (PT-A3), one is burned before each later round (MO-4b), and all are
shuffled at the dealer's wish (MO-2e)."""
VOID_VALUES = (
    *OTHER_VALUES,
    (r'((?:jam|host_break|system_error|human_error) = \{ value = )"go_on"', r'\1"void_round_and_shuffle"'),
    (r"(technician_may_be_called = \{ value = )true", r"\1false"),
    (r"(\[house\.round_card_limit\].*\nvalue =) 60", r"\1 20"),
)
"""An error voids its round (LD-7, LD-8), no technician comes, and the dealer is asked about a round of more than twenty
cards."""
LATE_VALUES = (
    *OTHER_VALUES,
    (r'(procedure = \{ value = )"hole_card"', r'\1"bank_second_late"'),
    (r"(before_bank_second_card = \{ value = )false", r"\1true"),
    (r"(before_each_later_round = \{ value = )false", r"\1true"),
    (r'(\[house\.unmarked_places\].*\nvalue =) "deal_not_followed"', r'\1 "all_in_play"'),
)
"""The bank has its second card after the players, a card is burned before it and before each later round (MO-5d,
MO-4b), and each deal is followed."""
SHOE_VALUES = (
    *OTHER_VALUES,
    (r'(warning_card_between_rounds = \{ value = )"round_is_played"', r'\1"shuffle_first"'),
    (r"(middle_for_one_player = \{ value = )true", r"\1false"),
    (r"(when_play_stops = \{ value = )true", r"\1false"),
)
"""A warning card that comes between two rounds has the cards shuffled; it lies for one player where it does for more;
and play never stops."""
BATCH_VALUES = (
    (r"decks_allowed = \{ value = \[2, 4, 6\]", "decks_allowed = { value = [2]"),
    (r"(discards_return_after_each = \{ value = )true", r"\1false"),
    (r"(may_leave_in_discard = \{ value = )true", r"\1false"),
    (r'(\nuntil = \{ value = )"[a-z_]+"', r'\1"round_over"'),
    *OTHER_VALUES[2:],
)
"""The general game as a house with a batch shuffler plays it (``sim_hardware/commands/house_with_batch.toml``)."""

BOOKS = {
    "mild": ("portugal", OTHER_VALUES),
    "strict": ("portugal", STRICT_VALUES),
    "void": ("portugal", VOID_VALUES),
    "late": ("portugal", LATE_VALUES),
    "shoe": ("portugal", SHOE_VALUES),
    "batch": ("general", BATCH_VALUES),
}
"""The books by name, each with the one that it comes from; which shift is by which, ``book_of`` says."""

HABITS: tuple[Mapping[str, tuple[str, ...]], ...] = (
    {},
    {"supervisor": ("call_technician",), "technician": ("give_up_repair",)},
    {"dealer": ("wrong_replacement", "adds_a_card", "deals_on")},
    {"dealer": ("presses_twice",), "supervisor": ("absent_at_loading",)},
    {"dealer": ("pull_while_held",)},
)
"""What people do wrong, by their roles, in five shifts each, beside what was drawn: what seldom comes together."""

SLOW = (6.0, 20.0)
"""The pace of the dealers in half of the shifts: long enough between two rounds for a step to be taken there."""

SLOW_DISK, FLUSH_NS = 5, 300_000_000
"""Five shifts in so many times five have a disk that takes so long for each flush, less than the house allows."""

OWN_CODE = "<locals>"
"""Named in what a mutant broke by its own fault: a function that it put in the product's place is called otherwise."""


@dataclass(frozen=True)
class Hunted:
    """What became of a mutant: the shift in which it was caught and by what, or none; and how many were played."""

    name: str
    shift: int | None = None
    violation: str = ""
    seconds: float = 0.0
    played: int = 0
    misfit: str = ""

    @property
    def caught_by(self) -> str:
        """The number of the invariant; or that the program broke."""
        numbers = re.findall(r"invariant (\d+)", self.violation)
        return f"invariant {numbers[-1]}" if numbers else "the program broke"


@contextmanager
def short_books() -> Iterator[str]:
    """Yield the folder of the rule books of the shifts; it is there while the context is."""
    with tempfile.TemporaryDirectory() as folder:
        for name, (of, values) in BOOKS.items():
            (Path(folder) / f"{name}.toml").write_text(_book_with(name, of, values), encoding="utf-8")
        yield folder


def _book_with(name: str, of: str, values: Iterable[tuple[str, str]]) -> str:
    from firmware_bridge.rulebooks import loader

    text = Path(loader.__file__).with_name(f"{of}.toml").read_text(encoding="utf-8")
    for old, new in ((f'\nid = "{of}"', f'\nid = "{name}"'), *values):
        text, found = re.subn(old, new, text)
        if not found:
            raise ValueError(f"{of}.toml does not say {old!r} any more: say here what a short shift's book says")
    return text


def book_of(shift: int, books: str) -> str:
    """Return the path of the rule book of the shift of this number; empty: such a table's usual one."""
    if theme_of(shift).book == USUAL:
        return ""
    name = theme_of(shift).book or {3: "strict", 4: "void"}.get(shift % 5, "mild")
    return str(Path(books) / f"{name}.toml")


def seed_and_plan(shift: int) -> tuple[int, str]:
    """The seed of the shift of this number, and its plan of faults."""
    return SEED + shift, plan_of(shift)


def play(shift: int, books: str) -> str:
    """Play the shift of this number; return its violation, or nothing."""
    from firmware_bridge.rulebooks import loader
    from sim_hardware.commands.misdeeds import Habit
    from sim_hardware.commands.person import Pace
    from sim_hardware.commands.simulate.shift import Settings, Shift

    # two decks are no choice of that law: let the loader take the shifts' books for some that come with the product
    loader._comes_with_the_product = lambda *_file: True
    seed, faults = seed_and_plan(shift)
    rounds = LEAST_ROUNDS + shift % (MOST_ROUNDS - LEAST_ROUNDS + 1)
    theme = theme_of(shift)
    book = book_of(shift, books)
    played = Shift(Settings(seed, rounds, faults, book, theme.table, theme.sets, theme.places, ways_out=1))
    _give(theme, played)
    for person in played.crowd.people:
        for habits in (HABITS[shift // 5 % len(HABITS)], theme.habits):
            person.habits |= {Habit(name) for name in habits.get(person.role, ())}
        person.set_on = theme.set_on.get(person.role, ())
        person.habits |= {Habit.TRIES_ANYTHING} if shift % 3 or person.set_on else set()
        if shift // 5 % 2 == 0 and person.role == "dealer":
            person.pace = Pace(*SLOW)
    if shift // 5 % SLOW_DISK == SLOW_DISK - 2:
        played.world.flush_takes_ns = played.world.usual_flush_ns = FLUSH_NS
    return played.play().violation


def _give(theme: Theme, played: Shift) -> None:
    """Let the theme's faults strike, and befall the controller what it has; where so much does, all takes longer."""
    from drivers.protocol.messages import Capability
    from sim_hardware.equipment import SHOE

    if theme != Theme():
        played.longest *= 2
    if theme.faults:
        played.world.physical.faults.plan_also(theme.faults)
    if theme.by_eye:
        played.world.physical.replace_device(SHOE, "", "", Capability.READS_FACES)
    if theme.befalls:
        played.fate.befall(theme.befalls, theme.every)


def hunt(name: str, shifts: Iterable[int], books: str) -> Hunted:
    """Apply a mutant to this process and play these shifts until one breaks."""
    from tests.mutants.all_mutants import BY_NAME

    began = time.monotonic()
    try:
        BY_NAME[name].apply()
    except Exception:  # noqa: BLE001 - told as what it is: a mutant that fits the product no more
        return Hunted(name, misfit=traceback.format_exc())
    played = 0
    for shift in shifts:
        violation = play(shift, books)
        played += 1
        if OWN_CODE in violation:
            return Hunted(name, misfit=violation)
        if violation:
            return Hunted(name, shift, violation, time.monotonic() - began, played)
    return Hunted(name, seconds=time.monotonic() - began, played=played)
