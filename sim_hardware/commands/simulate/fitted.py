"""How the table of a shift is fitted, by its kind: machine, shoe, and what goes wrong there; drawn from the seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from random import Random
from typing import Any

from firmware_bridge.service.config import Config
from sim_hardware.batch_faults import BATCH_PLANS
from sim_hardware.batch_table import BatchFittings
from sim_hardware.commands.stage import COLOURS, TABLES
from sim_hardware.dealer_keys import SABOT_DEALER_KEYS
from sim_hardware.equipment import SHOE, SHUFFLER
from sim_hardware.faults import NOISE, PLANS
from sim_hardware.hand_fed_faults import HAND_FED_PLANS
from sim_hardware.hand_fed_table import HandFedFittings
from sim_hardware.mechanics import NORMAL, QUICK, compartments_for
from sim_hardware.registry import BATCH_SHUFFLERS, default_identities
from sim_hardware.rig import Fitted
from sim_hardware.table import Fittings

WITHOUT_READER = 6
"""One storm in so many has a shoe that reads no face: decks and replacements are then judged by eye."""
WITHOUT_GATE = 2
"""Of these shoes, one in so many cannot hold: whatever is pulled comes, and people must be told."""
FEEDS_ALWAYS = 8
"""One storm in so many has a machine that cannot hold: it feeds its shoe whenever the mouth is free."""


def continuous(config: Config, seed: int, faults: str, rng: Random) -> Fitted:
    """Draw a table with a continuous shuffler."""
    by_eye = faults == "storm" and rng.randrange(WITHOUT_READER) == 0
    holds = not by_eye or rng.randrange(WITHOUT_GATE) != 0
    feeds_always = FEEDS_ALWAYS if holds else WITHOUT_GATE  # makes that hold nothing are of one age
    machine_holds = faults != "storm" or Random(f"machine {seed}").randrange(feeds_always) != 0
    return Fittings(
        compartments=compartments_for(config.table.decks),
        rates=rng.choice((NORMAL, QUICK)),
        faults=PLANS[faults],
        identities=default_identities(not by_eye, holds, machine_holds),
        **_cards(config, faults),
    )


def batch(config: Config, _seed: int, faults: str, rng: Random) -> Fitted:
    """Draw a table with a batch shuffler: of shelves, which reads faces and backs, or of slots, which is blind."""
    by_eye = faults == "storm" and rng.randrange(WITHOUT_READER) == 0
    make = next(BATCH_SHUFFLERS[one.driver] for one in config.devices if one.driver in BATCH_SHUFFLERS)
    usual = make.built_as.usual
    return BatchFittings(
        machine=make.built_as,
        build=rng.choice((usual, make.quick or usual)),
        faults=BATCH_PLANS[faults],
        identities={**default_identities(not by_eye), SHUFFLER: make.identity},
        **_cards(config, faults),
    )


def hand_fed(config: Config, _seed: int, faults: str, _rng: Random) -> Fitted:
    """Draw a table whose shoe people fill, and which reads faces."""
    return HandFedFittings(faults=HAND_FED_PLANS[faults], **_cards(config, faults))


def metal_box(config: Config, _seed: int, faults: str, _rng: Random) -> Fitted:
    """Draw a table that deals from a metal box: beside it stand the dealer's keys, and no reader."""
    keys = SABOT_DEALER_KEYS
    identities = {**default_identities(), SHOE: keys.identity}
    return HandFedFittings(
        faults=HAND_FED_PLANS[faults], identities=identities, shoe=keys.built_as, **_cards(config, faults)
    )


def _cards(config: Config, faults: str) -> dict[str, Any]:
    """What every table is fitted with: the cards of its sets, and the noise on its lines."""
    backs = tuple(chain.from_iterable(sets_of(config)))
    return {"decks": len(backs), "backs": backs, "noise": NOISE[faults]}


def sets_of(config: Config) -> tuple[tuple[str, ...], ...]:
    """Return the colours of each set's decks: of one set, or of two."""
    first, second = tuple(config.table.backs), tuple(config.table.second_backs)
    return (first, second) if second else (first,)


def most_sets(kind: str, allowed: Sequence[int]) -> int:
    """Return how many sets a table of this kind may have of so many decks, each of them with a colour of its own."""
    return min(TABLES[kind].sets, len(COLOURS) // min(allowed))


def draw_cards(kind: str, allowed: Sequence[int], seed: int, sets: int, rng: Random) -> tuple[int, int]:
    """Draw of how many decks a set is, of those that are ``allowed``, and how many sets there are where that is 0."""
    decks = rng.choice(allowed)
    rest = Random(f"sets {seed}")
    sets = sets or rest.randint(1, most_sets(kind, allowed))
    if decks * sets > len(COLOURS):
        decks = rest.choice([few for few in allowed if few * sets <= len(COLOURS)])
    return decks, sets


FITTED: Mapping[str, Callable[[Config, int, str, Random], Fitted]] = {
    "continuous": continuous,
    "batch": batch,
    "shoe": hand_fed,
    "box": metal_box,
}
"""What draws a table of each kind: from its configuration, the seed, the plan of faults and the shift's own source."""
