"""What goes wrong at a batch shuffler beside jams, double feeds and misreads, which ``faults.py`` has."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from drivers.protocol.batch import MachineFault
from sim_hardware.faults import PLANS, Fault, Plan, Planned, Seen


class BatchFault(StrEnum):
    """Each thing that can go wrong; its comment says what counts as an opportunity."""

    UNREADABLE = "face not read"  # a card passes the reader, face down
    STICKY = "card comes only when pushed harder"  # a card is taken in by a machine that waits for it
    CARDS_LEFT = "cards left behind in a compartment"  # a compartment is emptied that holds a card
    WRONG_MODE = "machine sorts what it should shuffle"  # a shuffle is begun
    HOMING = "carousel does not find its first compartment"  # a pass is begun
    MOVE = "carousel does not move"  # a card is taken in
    ALIGNMENT = "compartment stands beside its mark"  # a card is taken in
    DRIVE = "motor drive fails"  # a card is taken in
    MEMORY = "memory of what lies where fails its check"  # the power comes back
    RANDOM_NUMBERS = "random numbers fail their own test"  # a cycle is begun


BREAKS: Mapping[BatchFault, MachineFault] = {
    BatchFault.HOMING: MachineFault.HOMING,
    BatchFault.MOVE: MachineFault.MOVE,
    BatchFault.ALIGNMENT: MachineFault.ALIGNMENT,
    BatchFault.DRIVE: MachineFault.DRIVE,
    BatchFault.MEMORY: MachineFault.MEMORY,
    BatchFault.RANDOM_NUMBERS: MachineFault.RANDOM_NUMBERS,
}
"""What the machine finds of itself when each of these strikes."""

AS_A_PASS_BEGINS = (BatchFault.HOMING,)
AS_A_CARD_GOES_IN = (BatchFault.MOVE, BatchFault.ALIGNMENT, BatchFault.DRIVE)

MOST_LEFT = 16
"""Cards that are left behind at once (BR-001)."""

ITSELF = Seen("shuffler", "the machine itself: a fault")
COMPOSITION = Seen("shuffler", "reader of faces: what it read is no set of whole decks", at_once=False)

SEEN_BY: Mapping[StrEnum, Seen] = {
    Fault.MISREAD: COMPOSITION,
    BatchFault.UNREADABLE: COMPOSITION,
    BatchFault.STICKY: Seen("", "nothing: it has no bearing on cards", at_once=False),
    BatchFault.CARDS_LEFT: Seen("shuffler", "count sensor, in the next pass or at the next inventory", at_once=False),
    BatchFault.WRONG_MODE: Seen("shuffler", "the mode in which it says that it began"),
    **dict.fromkeys(BREAKS, ITSELF),
}
"""What sees each fault first, of a misread here. Of a double feed it is the count of the next pass."""

WHILE_CARDS_PASS = (Fault.JAM_INTAKE, Fault.DOUBLE_IN, Fault.MISREAD)
"""Faults of single cards on their way, of which a cycle has hundreds: planned anew here."""

BATCH_PLANS: Mapping[str, Plan] = {
    "none": (),
    "typical": (
        Planned((Fault.JAM_INTAKE, Fault.JAM_CAROUSEL, Fault.JAM_EXIT), 1, 600),
        Planned((Fault.DOUBLE_IN, Fault.MISREAD, BatchFault.UNREADABLE), 200, 3000),
    ),
    # beside what may befall any table; so wide that more than half of the sessions get past their first cycles
    "storm": (
        *(planned for planned in PLANS["storm"] if not {*planned.one_of} & {*WHILE_CARDS_PASS}),
        Planned((Fault.JAM_INTAKE, Fault.JAM_CAROUSEL, Fault.JAM_EXIT), 10, 6000, times=2),
        Planned((Fault.DOUBLE_IN,), 1, 6000),
        Planned((Fault.MISREAD, BatchFault.UNREADABLE), 1, 6000, times=2),
        Planned((BatchFault.STICKY, BatchFault.MOVE, BatchFault.ALIGNMENT, BatchFault.DRIVE), 1, 6000),
        Planned((BatchFault.CARDS_LEFT,), 1, 400),
        Planned((BatchFault.WRONG_MODE,), 1, 12),
        Planned((BatchFault.HOMING, BatchFault.RANDOM_NUMBERS), 1, 12),
        Planned((BatchFault.MEMORY,), 1, 3),
    ),
}
"""Plans at a table with a batch shuffler, by the names of ``faults.PLANS``."""
