"""What goes wrong at the table: named faults, drawn from a seed, none unless a plan or a hand asks for it.

The world asks ``strikes(fault)`` each time that the fault could happen (a card takes that path, a key is pressed).
So a plan says at which such opportunity of a session it does, and the world needs no other clock for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from drivers.protocol.messages import JamPlace


class Fault(StrEnum):
    """Each thing that can go wrong; its comment says what counts as an opportunity."""

    JAM_INTAKE = "jam at the intake"  # a card leaves the intake tray
    JAM_CAROUSEL = "jam in the carousel"  # a compartment is emptied, counted or shuffled, by one card
    JAM_EXIT = "jam at the exit"  # a card leaves the output buffer
    JAM_DAMAGES = "jam damages its card"  # a card sticks
    JAM_CLEARS_ITSELF = "jam clears itself"  # a card sticks
    JAM_RETURNS = "jam returns"  # a stuck card is taken out by hand
    DAMAGED_CARD = "damaged card"  # a card comes to the shoe's mouth
    CARD_LOST = "card lost on the way back"  # cards of the discard are laid in the intake tray
    LID_BLINK = "lid opened and closed in a blink"  # a card is pulled
    POWER_CYCLE = "power of the machine gone for a moment"  # a card is pulled
    DEALER_KEY_BOUNCES = "dealer's key bounces"  # a dealer's key is pressed
    DEALER_KEY_TWICE = "dealer's key pressed twice"  # a dealer's key is pressed
    KEYPAD_KEY_BOUNCES = "keypad's key bounces"  # a key of the keypad is pressed
    KEYPAD_KEY_TWICE = "keypad's key pressed twice"  # a key of the keypad is pressed
    KEY_STICKS = "key sticks"  # any key is pressed


JAM_AT = {
    JamPlace.INTAKE: Fault.JAM_INTAKE,
    JamPlace.CAROUSEL: Fault.JAM_CAROUSEL,
    JamPlace.EXIT: Fault.JAM_EXIT,
}


@dataclass(frozen=True)
class Planned:
    """One fault of these, once a session, at an opportunity between these two (the first one is 1)."""

    one_of: tuple[Fault, ...]
    earliest: int
    latest: int


Plan = tuple[Planned, ...]

PLANS: Mapping[str, Plan] = {
    "none": (),
    "typical": (
        Planned((Fault.JAM_EXIT,), 10, 35),
        Planned((Fault.DAMAGED_CARD,), 5, 30),
    ),
}
"""Plans by name."""


class Faults:
    """Decides when a fault strikes, and counts how often each did. ``rng`` None: only what is armed by hand."""

    def __init__(self, plan: Plan = (), rng: Random | None = None) -> None:
        self.struck: Counter[Fault] = Counter()
        self._plan = plan
        self._rng = rng or Random(0)
        self._armed: set[Fault] = set()
        self.begin_session()

    def begin_session(self) -> None:
        """Draw anew at which opportunity each planned fault strikes; what was armed by hand stays so."""
        self._asked: Counter[Fault] = Counter()
        self._due: dict[Fault, int] = {}
        for planned in self._plan:
            self._due[self._rng.choice(planned.one_of)] = self._rng.randint(planned.earliest, planned.latest)

    def arm(self, fault: Fault) -> None:
        """Let a fault strike at its next opportunity."""
        self._armed.add(fault)

    def strikes(self, fault: Fault) -> bool:
        """Say whether a fault strikes at this opportunity, and count both."""
        self._asked[fault] += 1
        if fault not in self._armed and self._due.get(fault) != self._asked[fault]:
            return False
        self._armed.discard(fault)
        self.struck[fault] += 1
        return True
