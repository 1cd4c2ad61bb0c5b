"""Fingers at a table's keys: presses, some of them still to come, and what goes wrong with keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from drivers.protocol.messages import DealerKey
from sim_hardware.cards import Card
from sim_hardware.equipment import KEYPAD, SHOE
from sim_hardware.faults import Fault, Faults
from sim_hardware.keypad import KeypadFirmware
from sim_hardware.line_shoe import LineShoe
from sim_hardware.open_cards import OpenCards
from sim_hardware.shoe import ShoeFirmware
from sim_hardware.usb_keypad import UsbKeypad


class Now(NamedTuple):
    """The time on both clocks, in seconds: leases and heartbeats run on ``link``, parts on ``mechanics``."""

    link: float
    mechanics: float


SECOND_PRESS = 0.08
"""Seconds from one press of a double press to the other; fingers and contacts move on the mechanics' clock."""

BETWEEN_KEYS = 0.1
"""Seconds between keys typed one after another."""

BOUNCES = 4
"""Further edges of a key that bounces."""


class _Press(NamedTuple):
    """A press still to come: when on the mechanics' clock, on which device, which key."""

    at: float
    device: str
    key: int

    def __repr__(self) -> str:
        return f"_Press(at={self.at}, device={self.device!r}, key=hidden)"


class Fingers(OpenCards):
    """The keys on shoe and keypad, as fingers find them. A subclass says which devices they are on."""

    _shoe: ShoeFirmware | LineShoe
    _keypad: KeypadFirmware | UsbKeypad

    def __init__(self, now: Now, cards: list[Card], faults: Faults) -> None:
        super().__init__(cards, faults)
        self.now = now
        self._presses: list[_Press] = []

    def press_dealer_key(self, key: DealerKey, bounces: int = 0) -> None:
        """Press one of the dealer's keys on the shoe; ``bounces`` is how many further edges its contact gives."""
        again = self.faults.strikes(Fault.DEALER_KEY_TWICE)
        self._press(SHOE, key, bounces + BOUNCES * self.faults.strikes(Fault.DEALER_KEY_BOUNCES), again)

    def press_key(self, key: int, bounces: int = 0) -> None:
        """Press a key of the keypad: 0 to 9, ``Key.ENTER`` or ``Key.CLEAR``; ``bounces`` as of a dealer's key."""
        again = self.faults.strikes(Fault.KEYPAD_KEY_TWICE)
        self._press(KEYPAD, key, bounces + BOUNCES * self.faults.strikes(Fault.KEYPAD_KEY_BOUNCES), again)

    def type_keys(self, keys: Sequence[int]) -> None:
        """Press keys of the keypad one after another, each a finger's time after the one before."""
        still_typing = [press.at + BETWEEN_KEYS for press in self._presses if press.device == KEYPAD]
        first = max([self.now.mechanics, *still_typing])
        for place, key in enumerate(keys):
            self._press_later(first + BETWEEN_KEYS * place, KEYPAD, key)

    def free_keys(self) -> None:
        """Let every key that sticks come up again."""
        self._shoe.keys.free()
        self._keypad.keys.free()

    def _press(self, device: str, key: int, bounces: int, again: bool) -> None:
        keyed = self._on(device)
        for _ in range(1 + bounces):
            keyed.press(key, self.now.mechanics)
        if again:
            self._press_later(self.now.mechanics + SECOND_PRESS, device, key)
        if self.faults.strikes(Fault.KEY_STICKS):
            keyed.keys.stick(key)

    def _press_later(self, at: float, device: str, key: int) -> None:
        self._presses.append(_Press(at, device, key))
        self._presses.sort(key=lambda press: press.at)

    def _press_what_is_due(self) -> None:
        while self._presses and self._presses[0].at <= self.now.mechanics:
            press = self._presses.pop(0)
            self._on(press.device).press(press.key, press.at)

    def _on(self, device: str) -> ShoeFirmware | LineShoe | KeypadFirmware | UsbKeypad:
        return self._shoe if device == SHOE else self._keypad
