"""Who sits at a table this shift: drawn from a seed, each careful, hasty, absent or dishonest, each with a pace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random

from firmware_bridge.view import TableView
from sim_hardware.commands.people import (
    Dealer,
    Evening,
    Habit,
    Pace,
    Person,
    RoomManager,
    Supervisor,
    TableInspector,
    Technician,
)
from sim_hardware.table import PhysicalTable


class Kind(StrEnum):
    """What sort of person somebody is."""

    CAREFUL = "careful"
    HASTY = "hasty"
    ABSENT = "absent"
    DISHONEST = "dishonest"


ROLES: Mapping[int, str] = {
    101: "dealer",
    102: "dealer",
    201: "supervisor",
    202: "supervisor",
    301: "room_manager",
    401: "technician",
    501: "table_inspector",
}
"""The people of a shift: their numbers and roles. The second of a kind relieves the first, once in the shift.

The table inspector is drawn from no seed: he is asked for nothing but what a rule book leaves to him.
"""

KINDS: Mapping[str, tuple[Kind, ...]] = {
    "none": (Kind.CAREFUL,),
    "typical": (Kind.CAREFUL, Kind.CAREFUL, Kind.CAREFUL, Kind.HASTY, Kind.ABSENT, Kind.DISHONEST),
    "storm": tuple(Kind),
}
"""From which kinds each person is drawn, by the plan of faults."""

PACES: Mapping[Kind, tuple[float, float, float]] = {
    # least and greatest factor of all moments; patience in seconds
    Kind.CAREFUL: (0.7, 1.2, 8.0),
    Kind.HASTY: (0.1, 0.4, 1.5),
    Kind.ABSENT: (0.7, 1.5, 10.0),
    Kind.DISHONEST: (0.4, 1.0, 5.0),
}

BAD_HABITS: Mapping[tuple[Kind, str], tuple[Habit, ...]] = {
    (Kind.HASTY, "dealer"): (Habit.ONE_PACK_ONLY, Habit.FORGETS_PIN, Habit.DEALS_ON, Habit.PRESSES_TWICE),
    (Kind.HASTY, "supervisor"): (Habit.CLOSE_ON_JAM, Habit.PUT_BACK_WRONGLY, Habit.NO_ACKNOWLEDGING),
    (Kind.HASTY, "technician"): (Habit.CLOSE_ON_JAM, Habit.FORGETS_PIN),
    (Kind.ABSENT, "dealer"): (Habit.GOES_AWAY, Habit.FORGETS_PIN),
    (Kind.ABSENT, "supervisor"): (Habit.GOES_AWAY, Habit.FORGETS_PIN, Habit.ABSENT_AT_LOADING),
    (Kind.ABSENT, "room_manager"): (Habit.GOES_AWAY,),
    (Kind.ABSENT, "technician"): (Habit.GOES_AWAY, Habit.FORGETS_PIN),
    (Kind.DISHONEST, "dealer"): (
        Habit.CONFIRM_ALARM,
        Habit.GUESS_PIN,
        Habit.OTHERS_STEP,
        Habit.SWAP_A_CARD,
        Habit.KEEP_A_CARD,
        Habit.LOSE_A_CARD,
        Habit.ADDS_A_CARD,
        Habit.PULL_WHILE_HELD,
        Habit.WRONG_REPLACEMENT,
        Habit.CLAIM_LATE,
        Habit.CLAIM_IN_TIME,
        Habit.TRIES_ANYTHING,
    ),
    (Kind.DISHONEST, "supervisor"): (
        Habit.ONE_PACK_ONLY,
        Habit.SECOND_LOADING,
        Habit.CUT_ASKED,
        Habit.UNLOAD_BEFORE_CLOSE,
        Habit.CLOSE_ON_JAM,
        Habit.PUT_BACK_WRONGLY,
        Habit.CALL_TECHNICIAN,
        Habit.SIGN_BLINDLY,
        Habit.SPILL_CLEANED,
        Habit.OTHERS_STEP,
        Habit.TRIES_ANYTHING,
    ),
    (Kind.DISHONEST, "technician"): (Habit.GIVE_UP_REPAIR, Habit.OTHERS_STEP, Habit.TRIES_ANYTHING),
    (Kind.DISHONEST, "room_manager"): (Habit.SIGN_BLINDLY, Habit.OTHERS_STEP, Habit.TRIES_ANYTHING),
}
"""Habits that a person of this kind and role may have; a few of them are drawn."""

MOST_HABITS = 3

AT_TWO_SETS: Mapping[str, Habit] = {"dealer": Habit.OTHER_SETS_CARD, "supervisor": Habit.WRONG_SET}
"""What people may confuse where two sets are at a table, by their roles."""
CONFUSED = 0.3
"""Share of those who do."""


@dataclass(frozen=True)
class Member:
    """One of a crowd: who it is and what is to be expected of him."""

    number: int
    role: str
    kind: Kind
    pace: Pace
    habits: frozenset[Habit]


class Crowd:
    """The people of one shift. They are at the table once ``sit_down`` has given them their PINs."""

    def __init__(self, members: tuple[Member, ...], seed: int, relief_after: int = 3) -> None:
        self.members = members
        self._seed = seed
        self._relief_after = relief_after
        self._pins: Mapping[int, str] = {}
        self.people: tuple[Person, ...] = ()

    def sit_down(self, evening: Evening, pins: Mapping[int, str]) -> None:
        """Everybody comes to the table. ``pins``: everybody's own, by number."""
        self._pins = pins
        for member in reversed(self.members):
            if evening.on_duty.get(member.role) not in self._numbers(member.role):
                evening.on_duty[member.role] = min(self._numbers(member.role))
        self.people = tuple(self._person(member, evening) for member in self.members)

    def step(self, now: float, view: TableView, table: PhysicalTable) -> None:
        """Everybody looks and, when the moment has come, acts. ``now`` is table time in seconds."""
        for person in self.people:
            person.step(now, view, table)

    def slipping(self, rng: Random) -> Crowd:
        """The same people, some of whom deal wrongly where the deal is followed, or have it put right their own way."""
        members = tuple(replace(one, habits=one.habits | _slips(rng, one.role)) for one in self.members)
        return Crowd(members, self._seed, self._relief_after)

    def confuse(self, rng: Random) -> None:
        """Let some of them confuse the two sets of this table."""
        for person in self.people:
            if person.role in AT_TWO_SETS and rng.random() < CONFUSED:
                person.habits |= {AT_TWO_SETS[person.role]}

    def careful(self, evening: Evening) -> Crowd:
        """The same people without a bad habit, at the table as they find it: they remember nothing of before."""
        pace = Pace(*PACES[Kind.CAREFUL][1:])
        members = tuple(Member(one.number, one.role, Kind.CAREFUL, pace, frozenset()) for one in self.members)
        crowd = Crowd(members, self._seed, relief_after=0)
        evening.at_keypad = None
        crowd.sit_down(evening, self._pins)
        return crowd

    def _numbers(self, role: str) -> list[int]:
        return [one.number for one in self.members if one.role == role]

    def _person(self, member: Member, evening: Evening) -> Person:
        rng = Random(f"{self._seed} {member.number}")
        who = (member.number, self._pins[member.number], rng, evening, member.pace, member.habits)
        is_second = any(one.role == member.role and one.number < member.number for one in self.members)
        return _MAKERS[member.role](who, self._relief_after if is_second else 0)


SLIPS: Mapping[str, tuple[Habit, ...]] = {
    "dealer": (Habit.LEAVES_OUT_A_PLACE, Habit.TURNS_BANKS_CARD),
    "supervisor": (Habit.DEVIATES,),
}
"""Habits about a deal that is followed."""


def _slips(rng: Random, role: str) -> frozenset[Habit]:
    return frozenset(habit for habit in SLIPS.get(role, ()) if rng.random() < 0.5)


_Who = tuple[int, str, Random, Evening, Pace, frozenset[Habit]]

_MAKERS: Mapping[str, Callable[[_Who, int], Person]] = {
    "dealer": lambda who, after: Dealer(*who, after),
    "supervisor": lambda who, after: Supervisor(*who, after),
    "room_manager": lambda who, _: RoomManager(*who),
    "technician": lambda who, _: Technician(*who),
    "table_inspector": lambda who, _: TableInspector(*who),
}


def draw_crowd(rng: Random, faults: str, rounds: int = 6) -> Crowd:
    """Draw the people of a shift of so many rounds in which such faults strike (a name of ``faults.PLANS``)."""
    members = tuple(_draw(rng, number, role, KINDS[faults]) for number, role in ROLES.items())
    return Crowd(members, rng.getrandbits(64), relief_after=rng.randint(1, max(1, rounds - 1)))


def _draw(rng: Random, number: int, role: str, kinds: tuple[Kind, ...]) -> Member:
    if role == TableInspector.role:
        _, slowest, patience = PACES[Kind.CAREFUL]
        return Member(number, role, Kind.CAREFUL, Pace(slowest, patience), frozenset())
    kind = rng.choice(kinds)
    least, greatest, patience = PACES[kind]
    may_have = BAD_HABITS.get((kind, role), ())
    habits = rng.sample(may_have, min(len(may_have), rng.randint(1, MOST_HABITS)))
    return Member(number, role, kind, Pace(rng.uniform(least, greatest), patience), frozenset(habits))
