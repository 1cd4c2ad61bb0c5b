"""What a scripted dealer does with a shoe that is filled by hand: places the warning card, fills it, draws it out."""

from __future__ import annotations

import re
from random import Random

from drivers.cards import SPECIAL
from firmware_bridge.view import TableView
from sim_hardware.cards import Card
from sim_hardware.commands.evening import Evening
from sim_hardware.commands.lying import gather
from sim_hardware.hand_fed_table import HandFedTable
from sim_hardware.table import PhysicalTable

BEHIND = re.compile(r"(\d+)(?: to (\d+))? cards behind it")
"""Where the screen says that the warning card belongs."""

ERRS_BY = 2
"""By so many cards a hand places it too high or too low."""


def has_machine(table: PhysicalTable) -> bool:
    """Whether a machine stands at the table, rather than a shoe that people fill."""
    return not isinstance(table, HandFedTable)


def is_special(card: Card) -> bool:
    """Whether it is none of the set: whoever pulled it has laid it aside."""
    return card.face == SPECIAL


def mix(table: PhysicalTable, evening: Evening, rng: Random) -> None:
    """Between two shoes the cards lie about: gathered on the table, and shuffled there."""
    if not has_machine(table) and not table.box:
        gather(table, evening, table.on_table)
        rng.shuffle(table.on_table)


def says_one_player(view: TableView, evening: Evening) -> bool:
    """Whether the supervisor says that the shoe is filled, for a single player: not the dealer."""
    return evening.is_alone and any(ask.trigger == "one_player" for ask in view.asks)


def is_filled(table: PhysicalTable) -> bool:
    """Whether cards lie in a shoe that people fill."""
    return isinstance(table, HandFedTable) and table.inside() > 0


def fill(view: TableView, table: PhysicalTable, evening: Evening, rng: Random) -> None:
    """Lay all cards into the shoe, the warning card as near to its place as a hand can; not what lies there already."""
    if not isinstance(table, HandFedTable) or table.inside():
        return
    table.take_from_mouth()
    cards = [*table.box, *table.discard, *table.on_table]
    asked = next((found for ask in view.asks if (found := BEHIND.search(ask.text))), None)
    if asked is not None and table.warning_card in table.special_cards:
        least, most = int(asked[1]), int(asked[2] or asked[1])
        if says_one_player(view, evening):
            least = most = len(cards) // 2
        behind = rng.randint(least, most) + rng.randint(-ERRS_BY, ERRS_BY)
        cards.insert(max(0, len(cards) - behind), table.warning_card)
    table.fill_shoe(cards)


def awaits_emptying(view: TableView, table: PhysicalTable) -> bool:
    """Whether an incident has its count as all cards come out of the shoe: nothing is dealt before."""
    return not has_machine(table) and any(one.state == "counting" for one in view.incidents)


def says_full_and_is_not(view: TableView, table: PhysicalTable) -> bool:
    """Whether somebody said that the shoe is filled, and the cards lie about: then they are laid in."""
    return not has_machine(table) and view.accounts["shoe"] > 0 and table.inside() == 0
