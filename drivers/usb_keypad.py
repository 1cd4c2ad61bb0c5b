"""An ordinary USB numeric keypad: the supervisor's keys, as reports of a boot keyboard.

The numbers are those of the USB HID Usage Tables (1.4, page 07, keyboard) and of the Device Class Definition for HID
(1.11, appendix B, boot keyboard report). They name keys and not what a key types, so NumLock changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from drivers.device import Driver
from drivers.errors import LocalProtocolError
from drivers.protocol.answered import AnsweredPrompt
from drivers.protocol.faults import Faults
from drivers.protocol.messages import Capability, Hello, Key, Kind, Level
from drivers.protocol.notices import (
    AckEvents,
    CaughtUp,
    EntryBroken,
    LinkLost,
    LinkOpened,
    Notice,
    Order,
    Resume,
    Settled,
    Step,
    StrokeTold,
    Want,
)
from drivers.transport.usb_address import BOOT_KEYBOARD

REPORT = 8
"""Bytes of a report: modifiers, one that means nothing, and up to six keys that are down."""

TOO_MANY = 0x01
"""Stands for each key of a report when more are down than it can name."""

KEYS = {
    **{0x58 + digit: digit for digit in range(1, 10)},
    0x62: 0,
    **{0x1D + digit: digit for digit in range(1, 10)},
    0x27: 0,
    0x58: Key.ENTER,
    0x28: Key.ENTER,
    0x63: Key.CLEAR,  # the keypad's point, or Del
    0x4C: Key.CLEAR,  # Delete
    0x2A: Key.CLEAR,  # Backspace
    0x29: Key.CLEAR,  # Escape
}
"""What each key is here, the keypad's and a keyboard's; any other acts on nothing."""

DEBOUNCE = 0.05
"""Seconds after a press in which the same key going down again is the same press: no finger is that quick."""


class UsbKeypadCore:
    """A device's core for a boot keyboard; see ``DeviceCore``. A press is a key that was not down before.

    It repeats nothing by itself and keeps nothing. No word of an error says what was pressed.
    """

    def __init__(self, kind: Kind, nonces: Callable[[], int], resume: Resume | None) -> None:
        del resume  # it tells no events
        self._kind = kind
        self._nonces = nonces
        self._prompt = AnsweredPrompt()
        self._faults = Faults()
        self._begin()

    def _begin(self) -> None:
        self._down: frozenset[int] = frozenset()
        self._pressed_at: dict[int, float] = {}

    def connected(self, now: float) -> Step:
        """See ``DeviceCore``. It says nothing of itself: it is what its interface is, and it is there."""
        del now
        self._begin()
        return Step((LinkOpened(self._hello(), memory_lost=False, behind=False), CaughtUp()), b"", None)

    def disconnected(self, now: float, reason: str) -> Step:
        """See ``DeviceCore``."""
        del now
        self._begin()
        return Step((LinkLost(reason),), b"", None)

    def step(self, now: float, received: bytes, orders: Sequence[Order]) -> Step:
        """See ``DeviceCore``. What was received goes first: it was pressed before what is ordered now was shown."""
        notices: list[Notice] = []
        for at in range(0, len(received), REPORT):
            notices += self._take(now, received[at : at + REPORT])
        for order in orders:
            self._carry_out(now, order)
        notices += self._faults.tell(now)
        return Step(tuple(notices), b"", min(self._faults.deadlines(), default=None))

    def _take(self, now: float, report: bytes) -> list[Notice]:
        down = [usage for usage in report[2:] if usage]
        if len(report) != REPORT:
            self._faults.add(f"a report of {len(report)} bytes, not {REPORT}: what it named is lost")
            return [EntryBroken()]
        if TOO_MANY in down:
            return [EntryBroken()]  # several keys at once: which, it does not say
        fresh = [usage for usage in down if usage not in self._down]
        self._down = frozenset(down)
        return [stroke for usage in fresh if (stroke := self._stroke(now, usage)) is not None]

    def _stroke(self, now: float, usage: int) -> StrokeTold | None:
        before = self._pressed_at.get(usage)
        if usage not in KEYS or (before is not None and now - before < DEBOUNCE):
            return None
        self._pressed_at[usage] = now
        return StrokeTold(KEYS[usage], self._prompt.at(now))

    def _carry_out(self, now: float, order: Order) -> None:
        match order:
            case Want(level=Level.PROMPT, value=value):
                self._prompt.shows(value, now)
            case AckEvents() | Settled():
                return  # of what another device told or did
            case _:
                raise LocalProtocolError(f"{type(order).__name__} cannot be ordered of a keypad that hears nothing")

    def _hello(self) -> Hello:
        run = self._nonces()
        return Hello.of_another_wire(self._kind, USB_KEYPAD.required, run, run, model=USB_KEYPAD.name)


USB_KEYPAD = Driver(
    name="USB keypad",
    kind=Kind.KEYPAD,
    required=Capability.SENDS_STROKES,
    bodies=frozenset(),
    levels=frozenset({Level.PROMPT}),
    strokes=True,
    wire=UsbKeypadCore,
    interface=BOOT_KEYBOARD,
)
