"""What is known of a table's devices, and the command that is under way at one; ``fold.py`` alone moves it."""

from __future__ import annotations

from msgspec import Struct, field

from drivers.protocol.messages import Capability, Kind, Operation
from firmware_bridge.core.events import Identity

MACHINES = frozenset({Kind.CONTINUOUS_SHUFFLER, Kind.BATCH_SHUFFLER})
"""Kinds of shuffler: a table has one of one of them."""


class Device(Struct):
    """What is known of one device. Unknown is never OK: all sights are false until the device tells."""

    kind: Kind
    open: bool = False
    caught_up: bool = False
    reason: str = "not connected yet"
    model: str = ""
    serial: str = ""
    firmware: str = ""
    digest: str = ""
    simulated: bool = False
    capabilities: Capability = Capability(0)
    boot: int = 0
    memory: int = 0
    taken: int = 0
    lid_open: bool = False
    tray_occupied: bool = False
    jammed: bool = False
    intake_ready: bool = True
    feed_empty: bool = False
    output_occupied: bool = False
    cards_inside: bool = False
    hindered_by: list[int] = field(default_factory=list)
    """What keeps a batch shuffler from working: 0 a card that sticks, else the number of a fault of its own."""
    hold_confirmed: bool = False
    heard_at: int = 0
    silent: bool = False
    barred: int = 0
    """The highest command id of its boot, where that is above this journal's records; 0: none is."""

    @property
    def told(self) -> Identity:
        """All that it says that it is and can do."""
        return Identity(self.model, self.serial, self.firmware, self.digest, self.simulated, self.capabilities)

    @property
    def is_there(self) -> bool:
        """Its link is open and it has told all that it kept: only then is anything known of it (SB-1)."""
        return self.open and self.caught_up

    @property
    def is_heard(self) -> bool:
        """It is there, and not one that says nothing by itself and was not heard for too long (SB-1)."""
        return self.is_there and not self.silent

    @property
    def takes_cards(self) -> bool:
        """Whether its intake takes cards now: it says so itself, and none is stuck (PT-A11)."""
        return self.intake_ready and not self.jammed

    def begin_memory(self) -> None:
        """It numbers from 1 again, and tells only what it finds other than shut, empty, ready and clear."""
        self.taken = 0
        self.lid_open = self.tray_occupied = self.jammed = self.feed_empty = self.output_occupied = False
        self.cards_inside = False
        self.hindered_by = []
        self.intake_ready = True

    def can(self, capability: Capability) -> bool:
        """Whether the device says that it can do this."""
        return capability in self.capabilities


class OpenOrder(Struct):
    """The command that is under way at a device; or, without an id, the one that waits for it to catch up."""

    id: int
    device: str
    boot: int
    operation: Operation
    asked_by: str
    since: int
    record: int = 0

    @property
    def is_given(self) -> bool:
        """Whether it has an id, so that it may be carried and a result may answer it (rule 14)."""
        return self.id != 0

    def is_answered_by(self, command: int) -> bool:
        """Whether the result of this command is its own: one that waits for its device has none."""
        return self.is_given and self.id == command
