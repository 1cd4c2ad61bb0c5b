"""What somebody at the table makes of the cards that lie open: which went astray, which belong in the machine."""

from __future__ import annotations

from drivers.cards import ALL_FACES
from firmware_bridge.view import TableView
from sim_hardware.cards import Card
from sim_hardware.commands.evening import Evening
from sim_hardware.table import PhysicalTable

LOADS = frozenset({"awaiting_pack", "loading_pack", "asking_presence", "counting_load"})
PLAYS = frozenset({"ready", "in_round", "asking_round", "returning", "counting_machine", "shuffling", "emptying_shoe"})


def strays(table: PhysicalTable, evening: Evening) -> list[Card]:
    """Cards set aside though nobody named them damaged: kept back, or taken out at a jam and still out."""
    return [card for card in table.set_aside if not any(card is named for named in evening.named)]


def whole_strays(table: PhysicalTable, evening: Evening) -> list[Card]:
    """Of these, what may go back into the machine."""
    return [card for card in strays(table, evening) if not card.damaged]


def left_out(table: PhysicalTable, evening: Evening) -> list[Card]:
    """Whole cards that lie open beside their boxes: in a loading they belong in the next pack."""
    lying = [*table.on_table, *table.discard]
    return [*(card for card in lying if not card.damaged), *whole_strays(table, evening)]


def belong_inside(view: TableView, table: PhysicalTable, evening: Evening) -> list[Card]:
    """Cards that lie open though the books, as the screen shows them, have them in the machine."""
    if view.sets:
        return []  # a set goes through a batch shuffler's tray, whole
    in_tray = len(table.mechanism.intake_tray)
    astray = whole_strays(table, evening)
    if view.session_state in LOADS:
        lying, booked = [*table.on_table, *table.discard], view.accounts["outside"] - len(table.box)
    elif view.session_state in PLAYS:
        lying, booked = [*table.discard, *table.on_table], view.accounts["table"] + view.accounts["discard"]
    else:
        return []
    over = len(lying) + len(astray) + in_tray - booked
    whole = [card for card in lying if not card.damaged]
    return [*reversed(astray), *reversed(whole)][: max(0, over)]


def is_whole_deck(table: PhysicalTable, evening: Evening, number: int) -> bool:
    """Whether the cards of a deck, sorted by backs and looked at one by one, are all there, once each."""
    lying = [*table.on_table, *table.discard, *strays(table, evening)]
    back = evening.backs[number - 1] if 1 <= number <= len(evening.backs) else ""
    return sorted(card.face for card in lying if card.back == back) == sorted(ALL_FACES)


def gather(table: PhysicalTable, evening: Evening, to: list[Card]) -> None:
    """Bring together all cards of the set that lie anywhere within reach, the boxes apart."""
    table.take_from_door()
    table.take_from_intake_tray()
    table.take_from_shoe_tray()
    table.take_shoe_output()
    if evening.lent is not None and evening.lent in table.on_table:
        evening.take_back(table)
    table.move([*table.on_table, *table.discard, *strays(table, evening)], to)
