"""A shoe of the older generation, docked to the same machine: no gate, no memory, no ear; it talks ``line``."""

from __future__ import annotations

from math import inf
from random import Random

from drivers.cards import UNREAD
from drivers.line.codec import Card, Identity, KeyPress, Message, Tray, encode
from drivers.protocol.messages import Capability, DealerKey
from sim_hardware.dealing_shoe import ShoeParts
from sim_hardware.equipment import Equipment, Make
from sim_hardware.equipment import Identity as Told
from sim_hardware.keys import Keys
from sim_hardware.shoe import SABOT_SHOE
from sim_hardware.signals import CardPassed


class LineShoe(Equipment):
    """Says each thing once, at once. *Yes* starts the motor of its own tray, for nobody can order it to."""

    def __init__(self, identity: Told, rng: Random, now: float, mechanism: ShoeParts) -> None:  # noqa: ARG002 - it draws nothing
        self.identity = identity
        self._mechanism = mechanism
        self.keys = Keys()
        self.boot(now)

    def boot(self, now: float, memory_lost: bool = False) -> None:  # noqa: ARG002 - it has no memory to lose
        """Say who it is; what was on its way is lost."""
        self._now = now
        self._out = bytearray()
        self._drawing = False
        self._say_who(switched_on=True)
        self.control()

    def plugged_in(self) -> None:
        """It does not notice; what it said meanwhile is lost."""
        self._out.clear()

    @property
    def has_to_send(self) -> bool:
        """Whether bytes wait for the next step."""
        return bool(self._out)

    @property
    def deadline(self) -> float:
        """It does nothing by itself."""
        return self._now if self._out else inf

    def step(self, now: float, received: bytes) -> bytes:  # noqa: ARG002 - it hears nothing
        """Return what it has to say."""
        self.tick(now)
        out = bytes(self._out)
        self._out.clear()
        return out

    def tick(self, now: float) -> None:
        """Let time pass."""
        self._now = max(self._now, now)

    def sense(self, signal: CardPassed) -> None:
        """A card passed the reader: from its own tray while its motor runs, else from the mouth."""
        face = signal.face if self.can(Capability.READS_FACES) else UNREAD
        self._say(Card(face, signal.own_tray))

    def press(self, key: int, at: float) -> None:
        """An edge of one of the dealer's keys."""
        if self.keys.edge(key, at):
            self._say(KeyPress(DealerKey(key)))
            self._drawing = key == DealerKey.YES and bool(self._mechanism.shoe_tray)
            self.control()

    def press_test_key(self) -> None:
        """Press its test key."""
        self._say_who(switched_on=False)

    def control(self) -> None:
        """It has no gate; its motor runs until the tray is empty."""
        occupied = bool(self._mechanism.shoe_tray)
        self._drawing = self._drawing and occupied
        self._mechanism.gate_open = True
        self._mechanism.shoe_motor_on = self._drawing
        self._mechanism.settle()
        if occupied != self._told_occupied:
            self._say_tray(occupied)

    def _say_who(self, switched_on: bool) -> None:
        reads = self.can(Capability.READS_FACES)
        self._say(Identity(self.identity.model, self.identity.serial, True, reads, switched_on))
        self._say_tray(bool(self._mechanism.shoe_tray))

    def _say_tray(self, occupied: bool) -> None:
        self._told_occupied = occupied
        self._say(Tray(occupied))

    def _say(self, message: Message) -> None:
        self._out += encode(message)


LINE_SHOE = Make(SABOT_SHOE.identity, LineShoe)
