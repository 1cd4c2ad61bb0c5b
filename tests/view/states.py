"""States for tests, made as the product makes them: small lists of changes, folded."""

from __future__ import annotations

from drivers.cards import UNREAD, Face
from drivers.protocol.messages import Capability, Hello, Kind
from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.fold import fold
from firmware_bridge.core.records import Logged
from firmware_bridge.core.state import State
from firmware_bridge.core.words import Place, Procedure, Session, Trigger
from firmware_bridge.rulebooks import load_rulebook

BOOK = load_rulebook("portugal")
UTC = 1_767_240_000 * 10**9
"""04:00:00Z, when the first record was written."""

SECOND = 10**9
SHUFFLER = Capability.CAN_HOLD | Capability.CAN_LOCK_LID | Capability.COUNTS_CARDS | Capability.CAN_SHUT_INTAKE
SHOE = Capability.CAN_HOLD | Capability.READS_FACES | Capability.HAS_DEALER_KEYS
DEVICES = {
    "shuffler": ("continuous_shuffler", Kind.CONTINUOUS_SHUFFLER, SHUFFLER),
    "shoe": ("shoe", Kind.SHOE, SHOE),
    "keypad": ("keypad", Kind.KEYPAD, Capability.SENDS_STROKES),
}

BEGAN = c.Began(
    boot="b1",
    allow_simulated=True,
    rulebook="portugal",
    rulebook_digest=BOOK.digest,
    table="BJ 7",
    speed=1.0,
    devices={name: driver for name, (driver, _, _) in DEVICES.items()},
    decks=4,
    backs=("red", "blue", "green", "black"),
)


def hello(kind: Kind, capabilities: Capability, **told: object) -> Hello:
    """What a device says of itself."""
    words = {"model": "Carousel", "serial": "S1", "firmware": "1", "digest": bytes(32), "simulated": True, **told}
    numbers = {"nonce": 0, "link": 1, "boot": 1, "memory": 1, "first_kept": 1, "last": 0, "version": 1, "window": 8}
    return Hello(kind=kind, capabilities=capabilities, **numbers, **words)  # type: ignore[arg-type]


def linked() -> list[c.AnyChange]:
    """All devices are there."""
    found: list[c.AnyChange] = []
    for name, (_, kind, capabilities) in DEVICES.items():
        found += [c.Linked(name, hello(kind, capabilities)), c.Seen(name, c.Sight.CAUGHT_UP, True)]
    return found


def moved(target: str, procedure: str = Procedure.SESSION) -> c.Moved:
    """A procedure came to stand somewhere."""
    return c.Moved(procedure, Trigger.YES, "somewhere", target, "SB-1")


def booked(source: Place, target: Place, count: int, cause: str = "test", face: Face = UNREAD) -> c.Booked:
    """Cards moved."""
    return c.Booked(source, target, count, cause, face)


LOADED: list[c.AnyChange] = [
    c.SessionBegan(201, 208),
    c.DealerSigned(101),
    booked(Place.OUTSIDE, Place.MACHINE, 208, "loading"),
    c.PackEnded(104),
    c.PackEnded(104),
    c.FullCount(208, 208),
    c.Opened(208),
]
"""A session on a full load."""


def bodies(*records: list[c.AnyChange]) -> list[tuple[int, int, bytes]]:
    """Records of these changes, a second apart, as a journal holds them."""
    event = e.DeviceCaughtUp("shoe")
    return [
        (number, UTC + number * SECOND, Logged(number * SECOND, event, c.Decision(tuple(changes))).to_body())
        for number, changes in enumerate(records, start=1)
    ]


def state_of(*records: list[c.AnyChange]) -> State:
    """The state after a start with all devices there, and these records."""
    return fold(bodies([BEGAN, *linked()], *records))


def at(session: Session, *more: c.AnyChange) -> State:
    """A table on a full load whose session stands here."""
    return state_of(LOADED, [moved(session), *more])


def in_round(cards: int = 3) -> State:
    """A round with so many cards on the table."""
    dealt: list[c.AnyChange] = [booked(Place.SHOE, Place.TABLE, 1, "deal", Face(7)) for _ in range(cards)]
    fed: list[c.AnyChange] = [booked(Place.MACHINE, Place.SHOE, cards + 1, "fed")]
    return state_of(LOADED, [c.RoundBegan(), moved(Session.IN_ROUND)], [*fed, *dealt])
