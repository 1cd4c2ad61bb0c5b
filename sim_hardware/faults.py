"""What goes wrong at the table: named faults, drawn from a seed, none unless a plan or a hand asks for it.

The world asks ``strikes(fault)`` each time that the fault could happen (a card takes that path, a key is pressed).
So a plan says at which such opportunity of a session it does, and the world needs no other clock for it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import NamedTuple

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
    DOUBLE_IN = "two cards taken in as one"  # a card leaves the intake tray, and another lies behind it
    DOUBLE_FEED = "two cards fed as one"  # a card leaves the output buffer, and another lies behind it
    DOUBLE_DRAW = "two cards drawn as one"  # a card is pulled that was fed with another
    CARD_KEPT = "card kept back"  # cards of the discard are laid in the intake tray
    CARD_DROPPED = "card dropped on the table"  # cards of the discard are laid in the intake tray
    CARD_SLIPPED_IN = "card put inside by hand"  # the lid is opened
    GATE_LEAKS = "card slips through the shut gate"  # a card is pulled at the shut gate
    FOREIGN_BACK = "card changed for one of another back"  # cards of the boxes are laid in the intake tray
    FOREIGN_FACE = "card changed for one of another face"  # cards of the boxes are laid in the intake tray
    EXTRA_CARD = "one card too many"  # cards of the boxes are laid in the intake tray
    STANDS_STILL = "machine stands still as it counts"  # a count begins
    NOT_SHUFFLED = "machine feeds its cards sorted"  # the carousel turns to a compartment to empty it
    BOXED = "card turned face up"  # cards of the boxes are laid in the intake tray
    MISREAD = "face read as another"  # a card passes a reader, face down
    # Each of these: ten seconds of mechanics' time pass.
    LID_FORCED = "lid forced and left open"
    INTAKE_TRIPS = "intake motor cuts out"
    CABLE_SHUFFLER = "cable of the shuffler out"
    CABLE_SHOE = "cable of the shoe out"
    CABLE_KEYPAD = "cable of the keypad out"
    CABLE_LAMP = "cable of the lamp out"
    REBOOT_SHUFFLER = "shuffler reboots"
    REBOOT_SHOE = "shoe reboots"
    REBOOT_KEYPAD = "keypad reboots"
    REBOOT_LAMP = "lamp reboots"
    MEMORY_SHUFFLER = "shuffler reboots, its memory lost"
    MEMORY_SHOE = "shoe reboots, its memory lost"
    MEMORY_KEYPAD = "keypad reboots, its memory lost"
    MEMORY_LAMP = "lamp reboots, its memory lost"
    # Drawn by the wire itself, by its rates: bytes are carried.
    BYTES_LOST = "bytes lost on a line"
    BYTES_CORRUPTED = "bytes corrupted on a line"
    BYTES_DOUBLED = "bytes doubled on a line"
    BYTES_SPLIT = "bytes split on a line"


DEVICES = ("shuffler", "shoe", "keypad", "lamp")

JAM_AT = {
    JamPlace.INTAKE: Fault.JAM_INTAKE,
    JamPlace.CAROUSEL: Fault.JAM_CAROUSEL,
    JamPlace.EXIT: Fault.JAM_EXIT,
}


@dataclass(frozen=True)
class Planned:
    """One fault of these, so many times a session, each at an opportunity between these two (the first one is 1)."""

    one_of: tuple[StrEnum, ...]
    earliest: int
    latest: int
    times: int = 1


Plan = tuple[Planned, ...]

PLANS: Mapping[str, Plan] = {
    "none": (),
    "typical": (
        Planned((Fault.JAM_EXIT,), 10, 35),
        Planned((Fault.DAMAGED_CARD,), 5, 30),
        # rare: beyond what a demonstration's few rounds come to
        Planned((Fault.DOUBLE_IN, Fault.DOUBLE_FEED), 350, 4000),
        Planned((Fault.DOUBLE_DRAW,), 1, 2),
    ),
    # so wide that more than half of the sessions get past their loading, which is a few hundred cards
    "storm": (
        Planned((Fault.JAM_INTAKE, Fault.JAM_CAROUSEL, Fault.JAM_EXIT), 10, 900, times=2),
        Planned((Fault.JAM_DAMAGES, Fault.JAM_CLEARS_ITSELF, Fault.JAM_RETURNS), 1, 2),
        Planned((Fault.DAMAGED_CARD,), 5, 300),
        Planned((Fault.CARD_LOST, Fault.CARD_KEPT, Fault.CARD_DROPPED), 1, 40),
        Planned((Fault.LID_BLINK, Fault.POWER_CYCLE), 1, 300),
        Planned((Fault.DEALER_KEY_BOUNCES, Fault.DEALER_KEY_TWICE), 1, 60, times=2),
        Planned((Fault.KEYPAD_KEY_BOUNCES, Fault.KEYPAD_KEY_TWICE), 1, 400, times=2),
        Planned((Fault.KEY_STICKS,), 1, 600),
        Planned((Fault.CARD_SLIPPED_IN,), 1, 12),
        Planned((Fault.GATE_LEAKS,), 1, 60),
        Planned((Fault.FOREIGN_BACK, Fault.FOREIGN_FACE, Fault.EXTRA_CARD), 1, 20),
        Planned((Fault.LID_FORCED,), 10, 150),
        Planned((Fault.INTAKE_TRIPS,), 1, 100),
        Planned((Fault.CABLE_SHUFFLER, Fault.CABLE_SHOE, Fault.CABLE_KEYPAD, Fault.CABLE_LAMP), 1, 100, times=2),
        Planned((Fault.REBOOT_SHUFFLER, Fault.REBOOT_SHOE, Fault.REBOOT_KEYPAD, Fault.REBOOT_LAMP), 1, 150),
        Planned((Fault.MEMORY_SHUFFLER, Fault.MEMORY_SHOE, Fault.MEMORY_KEYPAD, Fault.MEMORY_LAMP), 1, 250),
        Planned((Fault.DOUBLE_IN, Fault.DOUBLE_FEED), 1, 1500),
        Planned((Fault.DOUBLE_DRAW,), 1, 2),
        Planned((Fault.NOT_SHUFFLED,), 1, 120),
        Planned((Fault.BOXED,), 1, 3),
        Planned((Fault.MISREAD,), 1, 600, times=2),
        Planned((Fault.STANDS_STILL,), 1, 6),
    ),
}
"""Plans by name. A fault whose opportunity does not come in a session does not strike in it."""


@dataclass(frozen=True)
class Noise:
    """How often something happens to the bytes that a line carries at once: a share of all such pieces, each."""

    lost: float = 0.0
    corrupted: float = 0.0
    doubled: float = 0.0
    split: float = 0.0


QUIET = Noise()
NOISE: Mapping[str, Noise] = {
    "none": QUIET,
    "typical": QUIET,
    "storm": Noise(lost=0.0005, corrupted=0.0005, doubled=0.0003, split=0.003),
}
"""The lines' noise by the name of the plan that it goes with."""


class Seen(NamedTuple):
    """What sees a fault first: a device's sensor (``device`` empty: no device), and whether it does so at once."""

    device: str
    sensor: str
    at_once: bool = True


PATH = Seen("shuffler", "path sensors")
LID = Seen("shuffler", "lid switch")
EYES = Seen("", "whoever looks at the card")
MISSED = Seen("shuffler", "intake gap sensor: it counts too few", at_once=False)
FULL_COUNT = Seen("shuffler", "count sensor, at the next full count", at_once=False)
VERIFICATION = Seen("", "whoever sorts by backs, at the verification", at_once=False)
NOTHING = Seen("", "nothing: it has no bearing on cards", at_once=False)


def _each(sensor: str, faults: str) -> dict[Fault, Seen]:
    return {Fault[f"{faults}_{device.upper()}"]: Seen(device, sensor) for device in DEVICES}


SEEN_BY: Mapping[Fault, Seen] = {
    Fault.JAM_INTAKE: PATH,
    Fault.JAM_CAROUSEL: PATH,
    Fault.JAM_EXIT: PATH,
    Fault.JAM_DAMAGES: EYES,
    Fault.JAM_CLEARS_ITSELF: PATH,
    Fault.JAM_RETURNS: PATH,
    Fault.DAMAGED_CARD: EYES,
    Fault.CARD_LOST: MISSED,
    Fault.CARD_KEPT: MISSED,
    Fault.CARD_DROPPED: MISSED,
    Fault.CARD_SLIPPED_IN: FULL_COUNT,
    Fault.DOUBLE_IN: FULL_COUNT,
    Fault.DOUBLE_FEED: Seen("shoe", "reader: it draws one more than was fed", at_once=False),
    Fault.DOUBLE_DRAW: Seen("shuffler", "intake gap sensor: it counts one too many", at_once=False),
    Fault.GATE_LEAKS: Seen("shoe", "reader: a card under no release"),
    Fault.STANDS_STILL: NOTHING,
    Fault.NOT_SHUFFLED: Seen("shoe", "reader: cards in sequence"),
    Fault.BOXED: Seen("shoe", "reader: no face", at_once=False),
    Fault.MISREAD: Seen("shoe", "reader: its own next reading of the deck", at_once=False),
    Fault.FOREIGN_BACK: VERIFICATION,
    Fault.FOREIGN_FACE: Seen("shoe", "reader, at the verification", at_once=False),
    Fault.EXTRA_CARD: Seen("shuffler", "intake gap sensor: it counts one too many"),
    Fault.LID_BLINK: LID,
    Fault.LID_FORCED: LID,
    Fault.POWER_CYCLE: Seen("shuffler", "boot id"),
    Fault.INTAKE_TRIPS: Seen("shuffler", "intake ready"),
    Fault.DEALER_KEY_BOUNCES: NOTHING,
    Fault.DEALER_KEY_TWICE: Seen("shoe", "key contacts: a second press"),
    Fault.KEYPAD_KEY_BOUNCES: NOTHING,
    Fault.KEYPAD_KEY_TWICE: Seen("keypad", "key contacts: a second press"),
    Fault.KEY_STICKS: NOTHING,
    **_each("link", "CABLE"),
    **_each("boot id", "REBOOT"),
    **_each("memory id", "MEMORY"),
    Fault.BYTES_LOST: Seen("", "frame check of whoever receives it"),
    Fault.BYTES_CORRUPTED: Seen("", "frame check of whoever receives it"),
    Fault.BYTES_DOUBLED: Seen("", "frame check of whoever receives it"),
    Fault.BYTES_SPLIT: NOTHING,
}
"""What sees each fault; where not ``at_once``, books and cards may differ by it until the moment that is named."""


class Faults:
    """Decides when a fault strikes, and counts how often each did. ``rng`` None: only what is armed by hand."""

    def __init__(self, plan: Plan = (), rng: Random | None = None) -> None:
        self.struck: Counter[StrEnum] = Counter()
        self._plan = plan
        self._rng = rng or Random(0)
        self._armed: set[StrEnum] = set()
        self.begin_session()

    def begin_session(self) -> None:
        """Draw anew at which opportunity each planned fault strikes; what was armed by hand stays so."""
        self._asked: Counter[StrEnum] = Counter()
        self._due: defaultdict[StrEnum, set[int]] = defaultdict(set)
        for planned in self._plan:
            for _ in range(planned.times):
                fault = self._rng.choice(planned.one_of)
                self._due[fault].add(self._rng.randint(planned.earliest, planned.latest))

    def plan_also(self, plan: Plan) -> None:
        """Let these strike as well, from this session on; all is drawn anew."""
        self._plan += plan
        self.begin_session()

    def arm(self, fault: StrEnum) -> None:
        """Let a fault strike at its next opportunity."""
        self._armed.add(fault)

    def stop(self) -> None:
        """Let nothing strike any more, neither planned nor armed."""
        self._plan = ()
        self._due.clear()
        self._armed.clear()

    @property
    def planned(self) -> bool:
        """Whether anything is still to strike by the plan."""
        return bool(self._plan)

    def strikes(self, fault: StrEnum) -> bool:
        """Say whether a fault strikes at this opportunity, and count both."""
        self._asked[fault] += 1
        if fault not in self._armed and self._asked[fault] not in self._due.get(fault, ()):
            return False
        self._armed.discard(fault)
        self.struck[fault] += 1
        return True
