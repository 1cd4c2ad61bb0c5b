"""The invariants of a shift, each in its own place; ``ALL`` is all that are checked after every event.

The ninth, that someone can always do something, is tried on copies of the world: ``way_out.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sim_hardware.commands.simulate.invariants.alarms import AlarmInTime
from sim_hardware.commands.simulate.invariants.books import BooksAreTrue
from sim_hardware.commands.simulate.invariants.box import BoxIsTrue, OneRoundABox
from sim_hardware.commands.simulate.invariants.by_book import AsTheBookSays
from sim_hardware.commands.simulate.invariants.deal import DealtAsDue
from sim_hardware.commands.simulate.invariants.duties import DeedsHaveTheirPerson, EntriesAreProven, OwedIsKept
from sim_hardware.commands.simulate.invariants.hold import HeldIsHeld
from sim_hardware.commands.simulate.invariants.identities import OnlyApprovedDevices
from sim_hardware.commands.simulate.invariants.incidents import EndsBySteps
from sim_hardware.commands.simulate.invariants.journal import (
    FollowerAgrees,
    NothingLostNothingTwice,
    OnceOnly,
    WaitsOnce,
)
from sim_hardware.commands.simulate.invariants.levels import LampShowsIt, OpensOnlyWhatMayBe
from sim_hardware.commands.simulate.invariants.orders import OrdersAreSettled
from sim_hardware.commands.simulate.invariants.people import NoStepWithoutItsPerson
from sim_hardware.commands.simulate.invariants.readings import ReadAgainInFull, ReadingsAreDoubted
from sim_hardware.commands.simulate.invariants.remedies import RemediesAreReal
from sim_hardware.commands.simulate.invariants.secrets import NothingSecretLeaves
from sim_hardware.commands.simulate.invariants.sequences import SequenceIsSeen
from sim_hardware.commands.simulate.invariants.set_steps import StepsOfSets
from sim_hardware.commands.simulate.invariants.sets import OnlyShuffledIsDealt, SetsAreTrue
from sim_hardware.commands.simulate.invariants.shoe import LastRoundIsLast, ShoeIsTrue
from sim_hardware.commands.simulate.invariants.shoe_steps import StepsOfShoe
from sim_hardware.commands.simulate.invariants.steps import StepsInTheirPlace
from sim_hardware.commands.simulate.invariants.two_sets import SetsAreApart
from sim_hardware.commands.simulate.watch import Invariant

ALL: tuple[type[Invariant], ...] = (
    BooksAreTrue,
    HeldIsHeld,
    NoStepWithoutItsPerson,
    EndsBySteps,
    AlarmInTime,
    FollowerAgrees,
    NothingLostNothingTwice,
    OnceOnly,
    OrdersAreSettled,
    NothingSecretLeaves,
    OpensOnlyWhatMayBe,
    LampShowsIt,
    StepsInTheirPlace,
    AsTheBookSays,
    DealtAsDue,
    DeedsHaveTheirPerson,
    EntriesAreProven,
    OnlyApprovedDevices,
    OwedIsKept,
    ReadAgainInFull,
    ReadingsAreDoubted,
    RemediesAreReal,
    SequenceIsSeen,
    WaitsOnce,
)
"""All that are checked after every event at a table with a continuous shuffler."""

NEED_A_MACHINE = frozenset({BooksAreTrue, OrdersAreSettled})
"""Those that have no meaning without one: cards that a machine counts in, and what is ordered of it."""

CHECKED: Mapping[str, Sequence[type[Invariant]]] = {
    "continuous": ALL,
    "batch": (
        OnlyShuffledIsDealt,
        SetsAreTrue,
        SetsAreApart,
        StepsOfSets,
        *(each for each in ALL if each is not BooksAreTrue),
    ),
    "box": (BoxIsTrue, OneRoundABox, *(each for each in ALL if each not in NEED_A_MACHINE)),
    "shoe": (ShoeIsTrue, LastRoundIsLast, StepsOfShoe, *(each for each in ALL if each not in NEED_A_MACHINE)),
}
"""What is checked at each kind of table. The first one's books are of cards one by one, a batch shuffler's of sets."""
