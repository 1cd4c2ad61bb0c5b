"""What hands do at the open machine: clear a jam, put its card back, empty it. One deed at a time, as people do it."""

from __future__ import annotations

from collections.abc import Sequence

from drivers.protocol.messages import JamPlace, Lamp
from sim_hardware.batch_table import BatchTable
from sim_hardware.cards import Card
from sim_hardware.commands.evening import Evening, Taken
from sim_hardware.equipment import SHUFFLER
from sim_hardware.table import CannotDoError, PhysicalTable


def take_stuck(table: PhysicalTable, evening: Evening) -> Card:
    """Take the stuck card out and keep it in the hand, where everybody sees it. Raises ``CannotDoError``."""
    place = table.look_inside().stuck
    card = table.take_stuck_card()
    table.move([card], table.set_aside)  # not among the round's cards, which somebody might sweep up
    evening.taken = Taken(card, place)
    return card


def in_hand(table: PhysicalTable, evening: Evening) -> Card | None:
    """The card that was taken out and is still out."""
    taken = evening.taken
    return taken.card if taken is not None and taken.card in table.set_aside else None


def put_back(table: PhysicalTable, evening: Evening) -> None:
    """Lay the card that was taken out where the books hold it. Raises ``CannotDoError``."""
    assert evening.taken is not None  # the caller saw it in the hand
    card, place = evening.taken
    _lay(table, [card], in_tray=place is JamPlace.INTAKE)


def _lay(table: PhysicalTable, cards: Sequence[Card], in_tray: bool) -> None:
    if in_tray:
        table.put_in_intake_tray(cards)
    else:
        table.put_inside(cards)


def take_everything(table: PhysicalTable, evening: Evening) -> int:
    """Take all cards out, the stuck one and the one at the shoe's mouth with them; return how many lie on the table."""
    before = len(table.on_table)
    if table.look_inside().stuck is not None:
        card = take_stuck(table, evening)
        if not card.damaged:
            table.move([card], table.on_table)
    table.take_from_machine()
    table.take_from_mouth()
    return len(table.on_table) - before


def is_broken(table: PhysicalTable) -> bool:
    """Whether a part of the machine does not work: its lamp flashes, and no card sticks. Only under the open lid."""
    return isinstance(table, BatchTable) and table.machine_lamp_shown is Lamp.FLASHING and not table.look_inside().stuck


def free_part(table: PhysicalTable) -> bool:
    """Free a part that does not move, under the open lid; False where it is none that a hand could free."""
    try:
        if isinstance(table, BatchTable):
            table.repair()
    except CannotDoError:
        return False
    return True


def mend(table: PhysicalTable) -> None:
    """As a technician does: free what can be freed; else have its electronics begin anew, with the power cut."""
    if not free_part(table):
        table.reboot(SHUFFLER)
