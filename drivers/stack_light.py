"""USB stack light: a serial light that does what it is told and says nothing (9600 8N1, ``A0 channel state sum``).

Its maker's sheet (USB Stack Light Serial Communications, 4/27/2024, type SL60USB2) gives on and off for each channel.
For flash it prints ``A0 01 01 B3``, whose sum is that of ``A0 01 12``: so 12 is the state that is sent. No light has
seen it yet; ``sabot check --lamp`` asks a person whether it flashes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from drivers.device import Driver
from drivers.errors import LocalProtocolError
from drivers.protocol.messages import Capability, Hello, Kind, Lamp, Level
from drivers.protocol.notices import (
    AckEvents,
    CaughtUp,
    LinkLost,
    LinkOpened,
    Notice,
    Order,
    Resume,
    Settled,
    Step,
    Want,
)
from drivers.transport.base import SerialFormat

RED = 0x01
STATES = {Lamp.OFF: 0x00, Lamp.STEADY: 0x01, Lamp.FLASHING: 0x12}

GAP = 0.02
"""Seconds between two frames at least: such lights are known to drop what comes back to back."""

REPEAT = 5.0
"""Seconds after which the state is sent again: nobody says whether it arrived."""


def frame(channel: int, state: int) -> bytes:
    """Return the frame that puts a channel into a state."""
    return bytes([0xA0, channel, state, (0xA0 + channel + state) & 0xFF])


class StackLightCore:
    """A device's core that only sends; see ``DeviceCore``. Its USB port sits in the light: one there, both are."""

    def __init__(self, kind: Kind, nonces: Callable[[], int], resume: Resume | None) -> None:
        del resume  # it tells no events
        self._kind = kind
        self._nonces = nonces
        self._wanted = Lamp.OFF
        self._is_open = False
        self._sent: Lamp | None = None
        self._sent_at = 0.0

    def connected(self, now: float) -> Step:
        """See ``DeviceCore``. It shows what it showed before until it is told, so it is told at once."""
        self._is_open, self._sent, self._sent_at = True, None, now - GAP
        return self._finish(now, [LinkOpened(self._hello(), memory_lost=False, behind=False), CaughtUp()])

    def disconnected(self, now: float, reason: str) -> Step:
        """See ``DeviceCore``."""
        self._is_open = False
        return self._finish(now, [LinkLost(reason)])

    def step(self, now: float, received: bytes, orders: Sequence[Order]) -> Step:  # noqa: ARG002 - it never says anything
        """See ``DeviceCore``."""
        for order in orders:
            match order:
                case Want(level=Level.LAMP, value=value):
                    self._wanted = Lamp(value)
                case AckEvents() | Settled():
                    continue  # of what another device told or did
                case _:
                    raise LocalProtocolError(f"{type(order).__name__} cannot be ordered of a light")
        return self._finish(now, [])

    def _finish(self, now: float, notices: Sequence[Notice]) -> Step:
        if not self._is_open:
            return Step(notices, b"", None)
        due = self._sent_at + (REPEAT if self._sent is self._wanted else GAP)
        if now < due:
            return Step(notices, b"", due)
        self._sent, self._sent_at = self._wanted, now
        return Step(notices, frame(RED, STATES[self._wanted]), now + REPEAT)

    def _hello(self) -> Hello:
        """It says nothing of itself, so we say what every light of this type is."""
        run = self._nonces()
        return Hello.of_another_wire(self._kind, STACK_LIGHT.required, run, run, model=STACK_LIGHT.name)


STACK_LIGHT = Driver(
    name="USB stack light",
    kind=Kind.LAMP,
    required=Capability.SHOWS_LAMP | Capability.LISTEN_ONLY,
    bodies=frozenset(),
    levels=frozenset({Level.LAMP}),
    wire=StackLightCore,
    format=SerialFormat.parse("9600 8N1"),
    interface=None,
)
