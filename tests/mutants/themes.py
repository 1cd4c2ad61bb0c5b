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
    """By which book the shift is played; empty: by the one that its number has."""


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
"""What the shifts after the second hundred have more of."""

FIRST, FIRST_OF_PLACES = 100, 200
"""The shifts from these numbers on have a theme each, in turn."""


def theme_of(shift: int) -> Theme:
    """What the shift of this number has more of; nothing in the first hundred."""
    if shift >= FIRST_OF_PLACES:
        return OF_PLACES[shift % len(OF_PLACES)]
    return THEMES[shift % len(THEMES)] if shift >= FIRST else Theme()
