"""What every simulated device is, whatever it speaks: what the table steps, boots and plugs in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from hashlib import sha256

from drivers.protocol import codec
from drivers.protocol.messages import Capability, Kind
from sim_hardware.faults import DEVICES
from sim_hardware.mechanics import COMPARTMENTS

SHUFFLER, SHOE, KEYPAD, LAMP = DEVICES

MACHINE = Capability.CAN_LOCK_LID | Capability.COUNTS_CARDS | Capability.SHOWS_LAMP | Capability.CAN_SHUT_INTAKE
"""What every simulated machine can do."""


@dataclass(frozen=True)
class Identity:
    """What a device says of itself in its hello."""

    kind: Kind
    capabilities: Capability
    model: str
    serial: str
    firmware: str = "simulated 1"
    window: int = 8

    def __post_init__(self) -> None:
        for text in (self.model, self.serial, self.firmware):
            if not (text.isascii() and text.isprintable() and len(text) <= codec.TEXT_MAX):
                raise ValueError(
                    f"{text!r} does not fit a hello: give up to {codec.TEXT_MAX} printable ASCII characters"
                )

    @property
    def digest(self) -> bytes:
        """A simulated device has no firmware image; its digest is that of its model and version."""
        return sha256(f"{self.model} {self.firmware}".encode("ascii")).digest()


def default_identities(
    reads_faces: bool = True,
    shoe_holds: bool = True,
    compartments: int = COMPARTMENTS,
    machine_holds: bool = True,
) -> dict[str, Identity]:
    """Return what the four devices say of themselves, by device name."""
    can = Capability
    shuffler = MACHINE | (can.CAN_HOLD if machine_holds else can(0))
    shoe = can.COUNTS_CARDS | can.HAS_DEALER_KEYS
    shoe |= (can.CAN_HOLD if shoe_holds else can(0)) | (can.READS_FACES if reads_faces else can(0))
    return {
        SHUFFLER: Identity(Kind.CONTINUOUS_SHUFFLER, shuffler, f"Sabot Carousel {compartments}", "SC38-0001"),
        SHOE: Identity(Kind.SHOE, shoe, "Sabot Shoe", "SS-0001"),
        KEYPAD: Identity(Kind.KEYPAD, can.SENDS_STROKES, "Sabot Keypad", "SK-0001"),
        LAMP: Identity(Kind.LAMP, can.SHOWS_LAMP, "Sabot Lamp", "SL-0001"),
    }


class Equipment(ABC):
    """A device at the table. ``now`` is seconds of the link clock."""

    identity: Identity

    def can(self, capability: Capability) -> bool:
        """Whether it is fitted with this."""
        return capability in self.identity.capabilities

    @abstractmethod
    def boot(self, now: float, memory_lost: bool = False) -> None:
        """Start anew, as after a power cut."""

    @abstractmethod
    def plugged_in(self) -> None:
        """The line was connected anew."""

    @property
    @abstractmethod
    def has_to_send(self) -> bool:
        """Whether bytes wait for the next step."""

    @property
    @abstractmethod
    def deadline(self) -> float:
        """When to step again at the latest."""

    @abstractmethod
    def step(self, now: float, received: bytes) -> bytes:
        """Let time pass, take bytes received in any pieces, return bytes to send."""

    def tick(self, now: float) -> None:  # noqa: B027 - most devices have nothing to do then
        """Let time pass."""

    def control(self) -> None:  # noqa: B027 - as above
        """Set actuators as they should be, tell what sensors show; called after every change."""
