"""What somebody tries who tries anything: steps that are not his or not due, values that are none, keys nobody awaits.

Half of the tries are what the screen asks of somebody else just now: those come nearest to a way past the procedure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from random import Random
from typing import NamedTuple

from drivers.protocol.messages import DealerKey
from firmware_bridge.view import TableView
from sim_hardware.commands.evening import ENDS
from sim_hardware.table import PhysicalTable

STEPS = (1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49)
SET_STEPS = (50, 51, 52, 53, 54, 55, 56, 57, 58, 60, 61, 62, 63, 64, 65, 66, 67, 68)
"""Steps on the keypad, by their numbers."""
SHOE_STEPS = (23, 24)
"""Those about a shoe that people fill: tried where they are asked, for a machine's table has none."""
DEAL_STEPS = (71, 72, 73)
"""Those about a deal: tried where they are asked, for elsewhere there is none that is followed."""
OWN: Mapping[str, tuple[int, ...]] = {
    "dealer": (11,),
    "supervisor": (
        *(2, 10, 12, 20, 22, 30, 31, 32, 33, 34, 35, 38, 39),
        *(41, 42, 43, 44, 45, 46, 47, 49, 50, 51, 61, 63, 64, 65, 66, 67),
    ),
    "room_manager": (48, 52, 53, 54, 55, 58),
    "technician": (36, 37, 57, 62),
    "table_inspector": (1, 20, 21, 39, 41, 42, 48),
}
"""Whose steps they are: one's own are refused for what they are about, not for who one is. Those of the table inspector
are what a rule book may leave to him."""

BESIDE: Mapping[str, tuple[int, ...]] = {
    # steps that a state of the session knows, though the screen may not ask for them just now
    **dict.fromkeys(ENDS, (10, 50, 51, 52, 53, 57)),
    "awaiting_pack": (20, 22),
    "loading_pack": (1, 21),
    "asking_presence": (1, 21),
    "counting_load": (32,),
    "ready": (32, 56, 61, 66),
    "in_round": (56, 66),
    "returning": (32, 56, 66),
    "declared_closed": (41,),
    "unloading": (1, 32, 49, 68),
    "counting_empty": (32, 49),
    "looking": (32, 42, 43, 49),
    "lid_released": (43, 49),
    "lid_open": (43, 49),
    "looked": (32, 42, 43, 49),
    "awaiting_deck": (44, 45, 46, 48),
    "reading_deck": (45, 46),
    "all_regular": (46, 47, 48),
    "difference": (42, 46, 47, 48),
}
BESIDE_AN_ALARM = (2, 31, 32, 33, 34, 35, 36, 37, 38, 39, 42, 62, 63, 66, 67)
"""And steps that some state of some alarm knows."""

VALUES: Mapping[int, tuple[int, ...]] = {
    # what is typed with a step that asks for it: right, or out of range
    30: (0, 1, 2, 3, 4),
    31: (0, 1, 2, 3, 7),
    34: (1101, 1213, 2407, 9101, 1),
    38: (1101, 1213, 2407, 9101, 1),
    39: (0, 77),
    44: (0, 51, 52),
    50: (0, 1, 2, 9),
    51: (0, 1, 2, 9),
    52: (0, 4711),
    54: (1, 2, 3, 99),
    55: (101, 201, 301, 999),
    58: (1, 2, 3, 99),
    67: (0, 1, 2, 3),
    71: (0, 100, 303, 608, 800, 1201),
    72: (0, 1, 2, 3, 5, 6),
    73: (0, 1, 2, 3, 5, 6),
}
ABOUT_A_SET = (64, 65)
"""Steps with which one of two sets is typed."""
KEYS = (DealerKey.YES, DealerKey.ROUND_OVER, DealerKey.CLAIM, DealerKey.DAMAGED_CARD)

ANSWERS = {"yes": DealerKey.YES, "round_over": DealerKey.ROUND_OVER}
"""Keys that the screen asks for."""

SELDOM, OFTEN = 100.0, 3.0
"""Seconds from one try to the next, at most and at least: his tries last until the table closes."""
MOST_TRIES = 50
"""Tries of one person, at most: somebody who never tires keeps every shift from its end."""
GUESSES = 0.015
"""Share of tries in which somebody's PIN is guessed, again and again."""
IN_A_ROW = 6
"""How often: more than the house allows."""
SECOND_STEPS = 0.1
"""Share of tries in which another step is typed after the first, with no PIN of its own."""
HURRIED = 0.05
"""Share of tries in which another number is typed before the PIN's answer is there."""
OF_ONE_MIND = 0.7
"""Share of the steps that somebody tries who has set his mind on some, that are one of these."""
TEMPTED = 0.3
"""Share of the steps that somebody tries as soon as he sees them asked of anybody for the first time."""
OPENS, OPENS_AT_ONCE = 10, 0.5
"""The step that opens a table, and the share of a supervisor's tries that are it while none is open."""
CLOSES, ENDS_IT = 40, 0.1
"""The step that ends a session, which is often open to the supervisor: tried each time, no shift would get far."""
SWAPS, SWAPS_AGAIN = 0.03, 0.3
"""Share of a technician's tries in which he puts another device in the place of one; while the alarm of such a one is
presented, the second."""
HANDS, HANDS_OFTEN = 0.2, 0.7
"""Shares of a dealer's tries, other than at the keypad, that are by hand; the second for the short times between."""
FLOOR = 201
"""Whose: everybody has seen his number typed."""
NUMBERS = (201, 301, 401)
"""Whose number is typed then: of those in which no digit comes twice, for they are typed at once."""


NOTHING_IS_LOADED = ENDS | {"looking", "looked", "sorting", "awaiting_deck"}


class Hand(StrEnum):
    """What a hand can do that no key can."""

    LAYS_IN_INTAKE = "a card is laid in the intake tray"
    LAYS_IN_SHOE = "a card is laid in the shoe's tray"
    PULLS = "a card is pulled at the mouth"
    UNPLUGS = "a cable is pulled out"
    SWAPS = "another device is put in the place of one"


class Try(NamedTuple):
    """One try: a step with what is typed, or a key of the dealer's."""

    step: int = 0
    value: int | None = None
    key: DealerKey | None = None
    poses_as: int = 0
    then: int = 0
    """A step that is typed after the first, with neither number nor PIN."""
    by_hand: Hand | None = None
    number: int = 0
    """Which device a hand is at, and which other one it brings, as far as it matters."""
    hurries: int = 0
    """A number that is typed while the first one's PIN is still being checked; its step is never typed."""


def draw_try(rng: Random, role: str, view: TableView, tried: Counter[int], set_on: Sequence[int] = ()) -> Try:
    """Draw what is tried next; a dealer has keys as well. ``tried``: how often which step was, this one included.

    ``set_on``: steps that somebody has set his mind on: most of his tries are one of them.
    """
    number = rng.randrange(10**4)
    if role == "dealer" and rng.random() < 0.5:
        by_hand = HANDS_OFTEN if view.session_state in NOTHING_IS_LOADED else HANDS
        return Try(by_hand=_draw_hand(rng, view), number=number) if rng.random() < by_hand else _draw_key(rng, view)
    if role == "technician" and rng.random() < (SWAPS_AGAIN if _another_stands_here(view) else SWAPS):
        return Try(by_hand=Hand.SWAPS, number=number)
    ends_it = 1.0 if view.session_state == "returning" else ENDS_IT
    asked = [number for number in steps_asked(view) if number != CLOSES or rng.random() < ends_it]
    kind = rng.random()
    if kind < GUESSES:
        return Try(1, poses_as=FLOOR)
    if kind < GUESSES + HURRIED:
        return Try(1, hurries=rng.choice(NUMBERS))
    is_set = bool(set_on) and rng.random() < OF_ONE_MIND
    step = rng.choice(set_on) if is_set else _draw_step(rng, role, view, asked, tried)
    tried[step] += 1
    value = rng.choice(VALUES[step]) if step in VALUES else _set_of(step, view, number)
    return Try(step, value, then=rng.choice(asked or STEPS) if rng.random() < SECOND_STEPS else 0)


def _set_of(step: int, view: TableView, number: int) -> int | None:
    """Which set is meant, right or wrong, where the step is about one of two: ``number`` was drawn for it."""
    return number % len(view.sets) + 1 if step in ABOUT_A_SET and len(view.sets) > 1 else None


def steps_asked(view: TableView) -> list[int]:
    """The numbers of the steps that the screen asks of anybody."""
    return [ask.number for ask in view.asks if ask.number]


def _draw_step(rng: Random, role: str, view: TableView, asked: list[int], tried: Counter[int]) -> int:
    """Half of the steps are asked of somebody, and of these what was tried least: what is asked seldom, at once."""
    if role == "supervisor" and view.session_state in ENDS and rng.random() < OPENS_AT_ONCE:
        return OPENS
    if asked and rng.random() < 0.5:
        least = min(tried[number] for number in asked)
        return rng.choice([number for number in asked if tried[number] == least])
    beside = BESIDE.get(view.session_state, ()) if view.alarm is None or rng.random() < 0.5 else BESIDE_AN_ALARM
    if beside and rng.random() < 0.6:
        return rng.choice(beside)
    return rng.choice(OWN[role] if rng.random() < 0.5 else STEPS + SET_STEPS)


def _another_stands_here(view: TableView) -> bool:
    return any(one.kind == "identity_changed" for one in view.incidents)


def _draw_hand(rng: Random, view: TableView) -> Hand:
    """A card in a tray is somebody's mischief where nothing is loaded, or owed: else it is a load like any other."""
    if view.session_state in NOTHING_IS_LOADED:
        return rng.choice((Hand.LAYS_IN_INTAKE, Hand.LAYS_IN_SHOE, Hand.PULLS, Hand.UNPLUGS))
    nothing_is_owed = view.session_state == "returning" and view.accounts["table"] + view.accounts["discard"] <= 0
    return Hand.LAYS_IN_INTAKE if nothing_is_owed else Hand.PULLS


def _draw_key(rng: Random, view: TableView) -> Try:
    """Any key; or the one that is asked for, whether or not somebody has pressed it already."""
    asked = [ANSWERS[ask.trigger] for ask in view.asks if ask.trigger in ANSWERS]
    if asked and rng.random() < 0.5:
        return Try(key=rng.choice(asked))
    return Try(key=rng.choice(KEYS))


def do_by_hand(hand: Hand, number: int, table: PhysicalTable) -> None:
    """Do it. Raises ``CannotDoError`` where the hand finds no room."""
    if hand is Hand.PULLS:
        table.pull_card()
    elif hand is Hand.UNPLUGS:
        table.pull_cable(_one_of(table, number))
    elif hand is Hand.SWAPS:
        table.replace_device(_one_of(table, number), f"S-{number:04}")
    elif lying := table.box or table.on_table or table.discard:
        lay = table.put_in_intake_tray if hand is Hand.LAYS_IN_INTAKE else table.put_in_shoe_tray
        lay(lying[-1:])


def _one_of(table: PhysicalTable, number: int) -> str:
    """One of the table's devices."""
    names = tuple(table.equipment)
    return names[number % len(names)]
