"""What a scripted dealer does with a shoe that is filled by hand: places the warning card, fills it, draws it out."""

from __future__ import annotations

import re
from random import Random

from drivers.cards import DECK_SIZE, SPECIAL
from firmware_bridge.view import TableView
from sim_hardware.cards import Card
from sim_hardware.commands.evening import Evening
from sim_hardware.commands.lying import gather
from sim_hardware.hand_fed_table import HandFedTable
from sim_hardware.table import PhysicalTable

BEHIND = re.compile(r"(\d+)(?: to (\d+))? cards behind it")
"""Where the screen says that the warning card belongs."""

BEGINS = "round begins"
"""Where the screen says that a key begins the round."""

COUNTS = "count all cards by hand"
"""Where it says that the dealer counts them."""

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


def begins_by_key(view: TableView) -> bool:
    """Whether a round begins with the dealer's YES: from a metal box, which tells of no card."""
    return view.session_state == "ready" and any(ask.trigger == "yes" and BEGINS in ask.text for ask in view.asks)


def counts_by_hand(view: TableView) -> bool:
    """Whether all cards are taken out of a metal box, and counted by hand."""
    return any(ask.trigger == "yes" and COUNTS in ask.text for ask in view.asks)


def take_out(table: PhysicalTable) -> None:
    """Lay what is left in a metal box to the cards in the discard."""
    table.move(table.take_from_mouth(), table.discard)


def lies_short(table: PhysicalTable, decks: int) -> bool:
    """Whether all cards were taken out of shoe or box, and fewer lie open than there are."""
    lying = [*table.box, *table.discard, *table.on_table]
    return not table.inside() and sum(not is_special(card) for card in lying) < decks * DECK_SIZE


def says_full_and_is_not(view: TableView, table: PhysicalTable) -> bool:
    """Whether somebody said that the shoe is filled, and the cards lie about: then they are laid in."""
    return not has_machine(table) and view.accounts["shoe"] > 0 and table.inside() == 0
