"""What every simulated device is, whatever it speaks: what the table steps, boots and plugs in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Generic, TypeVar

from drivers.protocol import codec
from drivers.protocol.messages import Capability, Kind
from sim_hardware.faults import DEVICES
from sim_hardware.signals import Signal

SHUFFLER, SHOE, KEYPAD, LAMP = DEVICES

MACHINE = Capability.CAN_LOCK_LID | Capability.COUNTS_CARDS | Capability.SHOWS_LAMP | Capability.CAN_SHUT_INTAKE
"""What every simulated machine can do."""

ALIKE = Capability(0)
"""No part in which one device differs from another of its make."""


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

    def fitted(self, parts: Mapping[Capability, bool]) -> Identity:
        """Return the identity of one that has these capabilities, or has them not."""
        can = self.capabilities
        for capability, has in parts.items():
            can = can | capability if has else can & ~capability
        return replace(self, capabilities=can)

    def altered(self, serial: str, firmware: str, parts: Capability) -> Identity:
        """Return the identity of another of this make; empty texts stay, of ``parts`` it has what this one lacks."""
        return replace(
            self,
            serial=serial or self.serial,
            firmware=firmware or self.firmware,
            capabilities=self.capabilities ^ parts,
        )

    @property
    def digest(self) -> bytes:
        """A simulated device has no firmware image; its digest is that of its model and version."""
        return sha256(f"{self.model} {self.firmware}".encode("ascii")).digest()


Built_co = TypeVar("Built_co", covariant=True)


@dataclass(frozen=True)
class Make(Generic[Built_co]):
    """A make of device: what one of it says of itself, and what it is built as."""

    identity: Identity
    built_as: Built_co


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


class Machine(Equipment):
    """A machine that moves cards, whatever it speaks: its mechanism's sensors signal to it."""

    @abstractmethod
    def sense(self, signal: Signal) -> None:
        """A sensor of the machine signals."""

    @abstractmethod
    def served_elsewhere(self, highest: int) -> None:
        """Another host ordered commands up to this number in this boot, and all of them are done."""
