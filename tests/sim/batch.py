"""A table with a batch shuffler, and the host's end of its wires, for tests of both makes."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from drivers.protocol import messages as m
from drivers.protocol.batch import CycleEnded, Mode
from sim_hardware.batch_makes import SLOT_IDENTITY
from sim_hardware.batch_mechanics import QUICK_SHELVES
from sim_hardware.batch_shuffler import MODES
from sim_hardware.batch_table import BatchFittings, BatchTable, with_machine
from sim_hardware.cards import Card
from sim_hardware.slot_mechanics import SlotMechanism
from sim_hardware.table import Now
from tests.sim.host import BEGAN, Host

OPERATIONS = {mode: operation for operation, mode in MODES.items()}
LONGEST = 600.0
"""Seconds in which every cycle here ends."""

SHELVES = BatchFittings(decks=1, build=QUICK_SHELVES)
SLOTS = BatchFittings(decks=1, machine=SlotMechanism, identities=with_machine(SLOT_IDENTITY))

both_makes = pytest.mark.parametrize("fittings", [SHELVES, SLOTS], ids=["shelves", "slots"])


class BatchRig(Host[BatchTable]):
    """The machine's link is open, its intake open, every event of it acked at once."""

    def __init__(self, fittings: BatchFittings = SHELVES, seed: int = 1, acking: bool = True) -> None:
        super().__init__(BatchTable(Random(seed), Now(BEGAN, BEGAN), fittings))
        self.last_id = 0
        self.open("shuffler", "shoe")
        self.begin_events("shuffler")
        self.begin_events("shoe")
        if acking:
            self.acking |= {"shuffler", "shoe"}
            self.ack("shuffler")
            self.ack("shoe")
        self.level("shuffler", m.Level.INTAKE, 1)

    def begin(self, operation: m.Operation, argument: int = 0) -> int:
        """Order a command, and return its id."""
        self.last_id += 1
        self.say("shuffler", m.Command(self.links["shuffler"], self.last_id, operation, argument))
        return self.last_id

    def cycle(self, mode: Mode = Mode.SHUFFLE, argument: int = 0) -> CycleEnded:
        """Order a cycle and wait for its end."""
        before = len(self.bodies("shuffler", CycleEnded))
        asked = self.begin(OPERATIONS[mode], argument)
        return self.ended(before, asked)

    def ended(self, before: int, asked: int) -> CycleEnded:
        """Wait for the end of the cycle of this id."""
        for _ in range(int(LONGEST)):
            if len(told := self.bodies("shuffler", CycleEnded)) > before:
                assert told[-1].id == asked
                return told[-1]
            self.run(1.0)
        raise AssertionError("the cycle does not end")

    def load(self) -> list[Card]:
        """Lay all cards of the box in the tray, and return them in the order in which they lie."""
        cards = list(self.table.box)
        self.table.put_in_intake_tray(cards)
        self.run()
        return cards

    def told(self, *kinds: type[m.Body]) -> list[m.Body]:
        """What the machine told, of these kinds or of all, in order."""
        return [e.body for e in self.events("shuffler") if not kinds or isinstance(e.body, kinds)]


def with_decks(decks: int, fittings: BatchFittings = SHELVES) -> BatchFittings:
    """The same table with so many decks."""
    return replace(fittings, decks=decks)


def told_of_itself(fittings: BatchFittings, **changes: Any) -> BatchFittings:
    """The same table whose machine says something else of itself."""
    return replace(fittings, identities=with_machine(replace(fittings.identities["shuffler"], **changes)))
