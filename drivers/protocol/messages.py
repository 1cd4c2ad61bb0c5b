"""The messages of sabot/1 as typed objects: what each means; ``codec.py`` lays them out in bytes."""

from __future__ import annotations

from enum import IntEnum, IntFlag

from msgspec import Struct

from drivers.cards import Face
from drivers.protocol.batch import (
    Backs,
    CycleBegan,
    CycleEnded,
    Faces,
    FaultChanged,
    OutputChanged,
    PackOut,
    PassDone,
)
from drivers.protocol.body import Body as Body  # noqa: PLC0414 - others know it as a part of this module

PROTOCOL_VERSION = 1


class Kind(IntEnum):
    """What a device is."""

    CONTINUOUS_SHUFFLER = 1
    SHOE = 2
    KEYPAD = 3
    LAMP = 4
    BATCH_SHUFFLER = 5
    DEALER_KEYS = 6
    """Keys for the dealer where no shoe has them: a metal box has neither reader nor wire."""


class Capability(IntFlag):
    """What a device says that it can do."""

    CAN_HOLD = 1 << 0
    CAN_LOCK_LID = 1 << 1
    READS_FACES = 1 << 2
    COUNTS_CARDS = 1 << 3
    SHOWS_LAMP = 1 << 4
    CAN_SHUT_INTAKE = 1 << 5
    HAS_DEALER_KEYS = 1 << 6
    SENDS_STROKES = 1 << 7
    SEND_ONLY = 1 << 8
    """Tells what happens and no more: it keeps nothing, hears nothing, and its silence says nothing."""
    LISTEN_ONLY = 1 << 9
    """Does what it is told and says nothing: that it did, nobody knows."""
    READS_BACKS = 1 << 10
    CAN_SORT = 1 << 11


OF_SABOT_1 = ~(Capability.SEND_ONLY | Capability.LISTEN_ONLY)
"""What a device can say in a hello; the others follow from the wire that a make speaks, and stand on none."""


def capability_words(capabilities: Capability) -> str:
    """Name capabilities for people: ``can hold, reads faces``; empty where there is none."""
    return ", ".join(str(one.name).lower().replace("_", " ") for one in capabilities)


class Level(IntEnum):
    """Outputs that have a standing value; each has its own revision (rule 21)."""

    HOLD = 1
    LAMP = 2
    LID = 3
    INTAKE = 4
    PROMPT = 5


class Lamp(IntEnum):
    """Values of the lamp level."""

    OFF = 0
    STEADY = 1
    FLASHING = 2


class Purpose(IntEnum):
    """What a release is for."""

    DEAL = 1
    UNLOAD = 2
    VERIFY = 3


class Operation(IntEnum):
    """Commands that a device carries out."""

    INVENTORY = 1
    SHUFFLE = 2
    SORT = 3
    INSPECT = 4


class DealerKey(IntEnum):
    """The dealer's keys on the shoe."""

    ROUND_OVER = 1
    CALL_SUPERVISOR = 2
    DAMAGED_CARD = 3
    CLAIM = 4
    YES = 5


class JamPlace(IntEnum):
    """Paths of a machine on which a card can stick; *carousel* is whatever its compartments are, shelves too."""

    INTAKE = 1
    CAROUSEL = 2
    EXIT = 3


class Key(IntEnum):
    """Keys of a keypad; digits are their own value."""

    ENTER = 10
    CLEAR = 11


class Message(Struct, frozen=True, gc=False):
    """Any message of sabot/1."""


# ---- host to device


class Open(Message, frozen=True):
    """The host opens a link (rule 1)."""

    version: int
    nonce: int


class Ask(Message, frozen=True):
    """The host asks for the events from ``number`` on (rule 8)."""

    link: int
    number: int


class Ack(Message, frozen=True):
    """Everything up to event ``number`` is journalled (rule 11)."""

    link: int
    number: int


class SetLevel(Message, frozen=True):
    """A level gets a value under a new revision (rule 21). A hold's value is 1; it is lifted by a lease only."""

    link: int
    level: Level
    revision: int
    value: int


class Lease(Message, frozen=True):
    """A release or its renewal: hold revision, purpose, and the heartbeat that it answers (rules 23 to 26)."""

    link: int
    revision: int
    purpose: Purpose
    heartbeat: int


class Command(Message, frozen=True):
    """An order to do something once; ``id`` is the number of the journal record that orders it (rule 14)."""

    link: int
    id: int
    operation: Operation
    argument: int


# ---- device to host


class Hello(Message, frozen=True):
    """A device says who it is, in answer to an open (rule 2)."""

    nonce: int
    link: int
    boot: int
    memory: int
    first_kept: int
    last: int
    version: int
    kind: Kind
    capabilities: Capability
    window: int
    simulated: bool
    model: str
    serial: str
    firmware: str
    digest: bytes

    @classmethod
    def of_another_wire(
        cls,
        kind: Kind,
        capabilities: Capability,
        memory: int,
        link: int,
        *,
        model: str,
        serial: str = "",
        simulated: bool = False,
        last: int = 0,
    ) -> Hello:
        """Return what a device whose wire has no hello would say, with none of its events kept for us."""
        return cls(
            nonce=0,
            link=link & 0xFFFFFFFF,
            boot=memory,
            memory=memory,
            first_kept=last + 1,
            last=last,
            version=PROTOCOL_VERSION,
            kind=kind,
            capabilities=capabilities,
            window=1,
            simulated=simulated,
            model=model,
            serial=serial,
            firmware="",
            digest=bytes(32),
        )


class ForeignHello(Message, frozen=True):
    """A hello of another version: what of it means the same in every version. Only ever read."""

    nonce: int
    link: int
    version: int
    model: str
    serial: str


class Heartbeat(Message, frozen=True):
    """What drives everything, each half second (rule 9)."""

    link: int
    number: int
    first_kept: int
    last: int
    hold_revision: int
    lamp_revision: int
    lid_revision: int
    intake_revision: int
    prompt_revision: int
    held: bool
    lapsed: bool
    busy: bool
    highest_command: int
    strokes: int


class Event(Message, frozen=True):
    """A numbered event, kept by the device until acked (rules 6 to 8)."""

    link: int
    number: int
    body: EventBody


class Stroke(Message, frozen=True):
    """A key of a keypad, sent at most once, never kept (rules 30, 31). ``counter`` counts the strokes of this link."""

    link: int
    counter: int
    prompt: int
    key: int

    def __repr__(self) -> str:
        return f"Stroke(link={self.link}, counter={self.counter}, prompt={self.prompt}, key=hidden)"


# ---- bodies of events


class CardDrawn(Body, frozen=True, tag="card_drawn"):
    """A card left the shoe's mouth past the reader; it repeats the purpose of the lease (0: held, none in force)."""

    purpose: int
    face: Face


class CardIn(Body, frozen=True, tag="card_in"):
    """A card passed the intake's gap sensor into the machine; the face is 0 where the intake does not read."""

    face: Face


class CardFed(Body, frozen=True, tag="card_fed"):
    """A card left the machine's output buffer towards the shoe."""

    purpose: int


class HoldConfirmed(Body, frozen=True, tag="hold_confirmed"):
    """The hold of this link and revision is in force; numbered after the last card that passed (rule 22)."""

    link: int
    revision: int


class Lapsed(Body, frozen=True, tag="lapsed"):
    """A release ran out for want of renewal; its revision is spent (rule 26)."""

    link: int
    revision: int


class LidMoved(Body, frozen=True, tag="lid_moved"):
    """The lid was opened or closed."""

    open: bool


class TrayChanged(Body, frozen=True, tag="tray_changed"):
    """The device's tray (the machine's intake tray, the shoe's own tray) came to hold cards or to be empty."""

    occupied: bool


class IntakeChanged(Body, frozen=True, tag="intake_changed"):
    """The machine can, or for now cannot, take cards in (PT-A11); not the intake level, which is the host's."""

    ready: bool


class FeedEmpty(Body, frozen=True, tag="feed_empty"):
    """The machine has fed the last card that it knows of."""


class DealerKeyPressed(Body, frozen=True, tag="dealer_key"):
    """A dealer's key went down under the prompt then in force."""

    key: DealerKey
    prompt: int


class CommandResult(Body, frozen=True, tag="command_result"):
    """A command was done and has no report of its own; or (not ``done``) was not, and no card came in or went out."""

    id: int
    done: bool


class Inventory(Body, frozen=True, tag="inventory"):
    """Result of an inventory: cards by place, from a count sensor and no running counter."""

    id: int
    buffer: int
    compartments: tuple[int, ...]


class JamChanged(Body, frozen=True, tag="jam_changed"):
    """A card sticks on this path and the machine moves nothing, or the path is clear again."""

    place: JamPlace
    jammed: bool


class EventsLost(Body, frozen=True, tag="events_lost"):
    """The device dropped this many events for want of places (rule 7)."""

    dropped: int


EventBody = (
    CardDrawn
    | CardIn
    | CardFed
    | HoldConfirmed
    | Lapsed
    | LidMoved
    | TrayChanged
    | IntakeChanged
    | FeedEmpty
    | DealerKeyPressed
    | CommandResult
    | Inventory
    | EventsLost
    | JamChanged
    | OutputChanged
    | CycleBegan
    | PassDone
    | CycleEnded
    | Faces
    | Backs
    | PackOut
    | FaultChanged
)

CARD_BODIES = (CardDrawn, CardIn, CardFed, PackOut)
"""Events that take a card's place in the device's window (rule 6); all others have places of their own."""
