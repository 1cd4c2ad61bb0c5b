"""The words and events of batch shufflers: cycles, what they counted and read, the pack that leaves as one.

What is read is told as a set, once, at the end of a done cycle: no event says in which order cards lie.
"""

from __future__ import annotations

from enum import IntEnum

from drivers.protocol.body import Body


class Mode(IntEnum):
    """What a batch shuffler's cycle makes of a pack: only a shuffle makes it dealable (SB-5)."""

    SHUFFLE = 1
    SORT = 2
    INSPECT = 3


class Outcome(IntEnum):
    """How a cycle ended; after all but the first, cards may lie anywhere in the machine."""

    DONE = 1
    STOPPED = 2
    LID_OPENED = 3
    FAILED = 4


class Back(IntEnum):
    """What a reader of backs sees where a card's back should be."""

    UNREAD = 0
    RED = 1
    BLUE = 2
    GREEN = 3
    YELLOW = 4
    OTHER = 5
    """A back of no colour of these, a cut card among them."""
    FACE = 6
    """The card lies face up: a boxed card."""


class FaultClass(IntEnum):
    """Who can end a fault: whoever stands there, a technician at the parts, or nobody but by repair or exchange."""

    OPERATOR = 0
    MECHANICAL = 1
    INTERNAL = 2


class MachineFault(IntEnum):
    """Conditions in a machine other than a jam; 16 numbers a class."""

    TOO_MANY_CARDS = 1
    OUTPUT_NOT_TAKEN = 2
    CARDS_INSIDE = 3
    HOMING = 16
    MOVE = 17
    ALIGNMENT = 18
    DRIVE = 32
    MEMORY = 33
    RANDOM_NUMBERS = 34

    @property
    def fault_class(self) -> FaultClass:
        """Who can end it."""
        return FaultClass(self // 16)


# ---- bodies of events


class OutputChanged(Body, frozen=True, tag="output_changed"):
    """The output, where a batch shuffler lays the pack that it has finished, came to hold cards or to be empty."""

    occupied: bool


class CycleBegan(Body, frozen=True, tag="cycle_began"):
    """A batch shuffler began on the pack in its tray; ``id`` is the command's, 0 where it was begun at the machine."""

    id: int
    mode: Mode
    passes: int


class PassDone(Body, frozen=True, tag="pass_done"):
    """Every card of the pack went past the count sensor once more: ``cards`` of them, by this pass alone."""

    id: int
    number: int
    cards: int


class CycleEnded(Body, frozen=True, tag="cycle_ended"):
    """A cycle is over; ``passes`` were made to their end, and ``cards`` is what the last of these counted."""

    id: int
    mode: Mode
    outcome: Outcome
    passes: int
    cards: int


class Faces(Body, frozen=True, tag="faces"):
    """Which faces a done cycle read: how many of each, by the face's number, 0 those unread; never in which order."""

    id: int
    cards: tuple[int, ...]


class Backs(Body, frozen=True, tag="backs"):
    """Which backs a done cycle saw: how many of each, by ``Back``; never in which order."""

    id: int
    cards: tuple[int, ...]


class PackOut(Body, frozen=True, tag="pack_out"):
    """The pack left the output as one; ``cards`` is the last count of it, 0 where it was never counted whole."""

    purpose: int
    cards: int


class FaultChanged(Body, frozen=True, tag="fault_changed"):
    """A condition in the machine came to be, or is gone; a jam has an event of its own."""

    fault: MachineFault
    present: bool
