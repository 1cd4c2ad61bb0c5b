"""What the shifts of the second hundred have more of than a storm brings: what seldom comes together by chance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sim_hardware.faults import Fault, Plan, Planned


class Theme(NamedTuple):
    """What comes beside what the seed draws: faults, habits by role, what befalls the controller and how often."""

    faults: Plan = ()
    habits: Mapping[str, tuple[str, ...]] = {}
    set_on: Mapping[str, tuple[int, ...]] = {}
    """Steps that people of a role try whenever they try anything, by their numbers: whoever has some does so."""
    befalls: tuple[str, ...] = ()
    """Empty: whatever the plan of faults has."""
    every: tuple[float, float] = (60.0, 300.0)
    """Seconds from one of these to the next, at least and at most."""
    places: bool = False
    """Whether the dealers mark the places, so that each deal is followed."""
    book: str = ""
    """By which book the shift is played; empty: by the one that its number has; usual: by that of such a table."""
    table: str = "continuous"
    """The kind of table."""
    sets: int = 0
    """How many sets of cards a table with a batch shuffler has; 0: drawn."""
    by_eye: bool = False
    """Whether the shoe reads no face."""


THEMES: tuple[Theme, ...] = (
    # a reader that is wrong again and again, and rounds in which most of the set comes out: a face comes too often
    Theme(
        faults=(
            Planned((Fault.MISREAD,), 1, 120, times=6),
            Planned((Fault.MISREAD,), 50, 72, times=6),
            Planned((Fault.BOXED,), 1, 3, times=2),
            Planned((Fault.FOREIGN_FACE,), 1, 3),
        ),
        habits={"dealer": ("deals_on",)},
        set_on={"supervisor": (33, 34), "room_manager": (33, 34), "technician": (33, 34)},
    ),
    # a machine that feeds its cards sorted, and a technician who says that it is mended whenever he is asked
    Theme(
        faults=(Planned((Fault.NOT_SHUFFLED,), 1, 25, times=3), Planned((Fault.JAM_EXIT,), 20, 120, times=2)),
        habits={"supervisor": ("call_technician",)},
        set_on={"supervisor": (32,), "technician": (36,)},
    ),
    # a machine that is given up, and restarts after it
    Theme(
        faults=(Planned((Fault.JAM_EXIT,), 5, 60, times=2),),
        habits={"supervisor": ("call_technician",), "technician": ("give_up_repair",)},
        set_on={"supervisor": (35, 57), "room_manager": (37, 57)},
        befalls=("controller killed between two turns", "controller restarted in order"),
        every=(60.0, 240.0),
    ),
    # a long round that an error makes void, a dealer who does not believe it, a supervisor who ends all and counts none
    Theme(
        faults=(Planned((Fault.GATE_LEAKS,), 1, 40, times=6), Planned((Fault.STANDS_STILL,), 1, 2)),
        habits={"dealer": ("deals_on", "pull_while_held")},
        set_on={"supervisor": (35, 40, 44, 67), "room_manager": (37,)},
        book="void",
    ),
    # a machine that is slow to count, goes away as it counts, or has had commands of another table
    Theme(
        faults=(
            Planned((Fault.STANDS_STILL,), 1, 3),
            Planned((Fault.JAM_EXIT,), 5, 200, times=2),
            Planned((Fault.CABLE_SHUFFLER,), 5, 60, times=3),
        ),
        befalls=(
            "controller killed as it orders a count",
            "machine lent to another table for a while",
            "slow flush",
        ),
        every=(40.0, 200.0),
    ),
    # cables and devices that come and go, an intake that takes no cards, where they must all go back
    Theme(
        faults=(
            Planned((Fault.INTAKE_TRIPS,), 1, 90, times=6),
            Planned((Fault.JAM_EXIT,), 5, 60),
            Planned((Fault.CABLE_SHUFFLER, Fault.CABLE_SHOE, Fault.CABLE_KEYPAD, Fault.CABLE_LAMP), 3, 90, times=12),
            Planned((Fault.LID_FORCED,), 10, 90),
        ),
        set_on={"supervisor": (42,), "technician": (37, 62), "room_manager": (37,)},
        befalls=("another device in the place of one",),
        every=(300.0, 900.0),
        book="strict",
    ),
    # dealers and supervisors who may act no more
    Theme(befalls=("right of somebody taken for a while", "wall clock set"), every=(100.0, 300.0)),
)
"""As many as have no divisor with the numbers of plans, books and habits: each theme meets each of these."""

_SLIPS = {"dealer": ("leaves_out_a_place", "turns_banks_card"), "supervisor": ("deviates",)}

OF_PLACES: tuple[Theme, ...] = (
    # a deal that is followed, and people who slip in it
    Theme(habits=_SLIPS, places=True),
    # the bank's second card after the players, with a burn before it; a shoe whose gate leaks
    Theme(faults=(Planned((Fault.GATE_LEAKS,), 1, 40, times=6),), habits=_SLIPS, places=True, book="late"),
    Theme(habits={"dealer": ("pull_while_held",)}, places=True),
)

_SHUFFLES, _TAKES_OUT = 64, 65
"""The steps of a set's course."""

OF_BATCH: tuple[Theme, ...] = (
    # one set, two sets; and a supervisor who shuffles and takes out whichever set he likes, whenever he likes
    Theme(table="batch", book="batch", sets=1),
    Theme(table="batch", book="batch", sets=2, habits={"dealer": ("other_sets_card",), "supervisor": ("wrong_set",)}),
    Theme(table="batch", book="batch", set_on={"supervisor": (_SHUFFLES, _TAKES_OUT, 68)}),
    # in which he closes again and again, and counts and looks before anybody else has
    Theme(table="batch", book="batch", set_on={"supervisor": (40, 32, 41, 43, 49, 61, 68)}),
)

OF_SHOE: tuple[Theme, ...] = (
    # a shoe that people fill, played to its warning card; one that is given up before it
    Theme(table="shoe", book="mild"),
    Theme(table="shoe", book="mild", set_on={"supervisor": (24, 40, 61), "dealer": (23,)}),
    # a card that comes between two rounds has them shuffled; no play stops, and no player is ever alone
    Theme(table="shoe", book="shoe", set_on={"supervisor": (23, 24, 60, 68), "table_inspector": (60,)}),
    Theme(table="shoe", book="shoe", habits={"dealer": ("keep_a_card", "pull_while_held", "adds_a_card")}),
)

SELDOM: tuple[Theme, ...] = (
    # no technician comes by the book, and one is called again and again
    Theme(
        faults=(
            Planned((Fault.JAM_EXIT,), 5, 100, times=3),
            Planned((Fault.CABLE_SHUFFLER, Fault.CABLE_SHOE, Fault.CABLE_LAMP), 3, 60, times=6),
        ),
        habits={"dealer": ("presses_twice",)},
        set_on={"supervisor": (35, 33), "technician": (37, 36), "room_manager": (37, 36)},
        book="void",
    ),
    # cards that spill and are damaged, so it is said; and a count as soon as it is
    Theme(
        faults=(Planned((Fault.BOXED,), 1, 60, times=3), Planned((Fault.MISREAD,), 1, 60, times=3)),
        set_on={"supervisor": (56, 32, 38), "room_manager": (33, 34)},
    ),
    # a machine that is given up in a round, of which nobody says what becomes
    Theme(
        faults=(Planned((Fault.JAM_EXIT,), 5, 60, times=2), Planned((Fault.CABLE_SHUFFLER,), 20, 90, times=2)),
        habits={"supervisor": ("call_technician",), "technician": ("give_up_repair",)},
        set_on={"supervisor": (67, 42), "room_manager": (67, 57), "table_inspector": (67, 57)},
    ),
    # an intake that takes no cards, where they must all go back; a machine that goes away as it is opened
    Theme(
        faults=(
            Planned((Fault.INTAKE_TRIPS,), 1, 60, times=8),
            Planned((Fault.CABLE_SHUFFLER,), 5, 60, times=4),
            Planned((Fault.JAM_EXIT, Fault.LID_FORCED), 5, 60, times=3),
        ),
        habits={"dealer": ("presses_twice",)},
        set_on={"supervisor": (42, 43), "technician": (36,), "room_manager": (42,)},
        book="strict",
    ),
    # a shoe that reads no face
    Theme(set_on={"supervisor": (44, 33), "room_manager": (44, 34)}, by_eye=True),
)

OF_BOX: tuple[Theme, ...] = (
    # one deck in a metal box; and a supervisor who says of it what is said of a shoe
    Theme(table="box", book="usual"),
    Theme(table="box", book="usual", set_on={"supervisor": (23, 24, 60, 61, 68)}),
)


class Series(NamedTuple):
    """Shifts that belong together, each with one of the themes in turn, and one of the plans of faults."""

    name: str
    first: int
    themes: tuple[Theme, ...]
    plans: tuple[str, ...] = ("none",)
    """A theme has its own faults alone, and where it brings none a plan's."""


PLANS = ("typical", "storm", "none", "storm")

PLACES, BATCH, SHOE = "places", "batch", "shoe"

SERIES: tuple[Series, ...] = (
    Series("plain", 0, (Theme(),), PLANS),
    Series("themes", 100, THEMES),
    Series(PLACES, 200, OF_PLACES, PLANS),
    Series(BATCH, 224, OF_BATCH, PLANS[:3]),
    Series(SHOE, 248, OF_SHOE, PLANS[:3]),
    Series("seldom", 272, SELDOM),
    Series(SHOE, 292, OF_BOX, PLANS[:3]),
)
"""By the number of their first shift."""

SHIFTS = 304
"""How many there are."""


def series_of(shift: int) -> Series:
    """To which series the shift of this number belongs."""
    return next(series for series in reversed(SERIES) if shift >= series.first)


def theme_of(shift: int) -> Theme:
    """What the shift of this number has more of; nothing in the first series."""
    themes = series_of(shift).themes
    return themes[shift % len(themes)]


def plan_of(shift: int) -> str:
    """The plan of faults of the shift of this number."""
    plans = series_of(shift).plans
    return plans[shift % len(plans)]
