"""The USB keypad's core: which reports are strokes, and under which prompt."""

from __future__ import annotations

import random

import pytest

from drivers.errors import LocalProtocolError
from drivers.protocol.answered import SETTLES
from drivers.protocol.messages import Key, Level
from drivers.protocol.notices import (
    CaughtUp,
    EntryBroken,
    HoldNow,
    LinkLost,
    LinkOpened,
    Order,
    RemoteErrors,
    StrokeTold,
    Want,
)
from drivers.usb_keypad import DEBOUNCE, USB_KEYPAD
from sim_hardware.usb_keypad import USAGES

UP = bytes(8)
NUMLOCK = 0x53


def down(*usages: int, modifiers: int = 0) -> bytes:
    return bytes([modifiers, 0, *usages, *bytes(6 - len(usages))])


class Keypad:
    """The core of one that is plugged in, and the time."""

    def __init__(self) -> None:
        self.core = USB_KEYPAD.core(lambda: 7)
        self.now = 100.0
        self.opening = self.core.connected(self.now).notices

    def hears(self, *reports: bytes, after: float = 0.2, orders: tuple[Order, ...] = ()) -> list[object]:
        self.now += after
        return list(self.core.step(self.now, b"".join(reports), orders).notices)

    def keys(self, *reports: bytes, after: float = 0.2) -> list[int]:
        return [told.key for told in self.hears(*reports, after=after) if isinstance(told, StrokeTold)]


@pytest.fixture
def keypad() -> Keypad:
    return Keypad()


def test_it_is_there_as_soon_as_it_is_open_and_gone_when_it_is_unplugged(keypad: Keypad) -> None:
    opened, caught_up = keypad.opening
    assert isinstance(opened, LinkOpened)
    assert opened.hello.model == "USB keypad"
    assert caught_up == CaughtUp()
    assert keypad.core.disconnected(keypad.now, "unplugged").notices == [LinkLost("unplugged")]


@pytest.mark.parametrize(("key", "usage"), USAGES.items())
def test_each_key_of_the_keypad_is_one_stroke_as_it_goes_down(keypad: Keypad, key: int, usage: int) -> None:
    assert keypad.keys(down(usage)) == [key]
    assert keypad.keys(UP) == []


def test_the_digits_and_enter_of_a_keyboard_are_keys_too(keypad: Keypad) -> None:
    typed = [keypad.keys(down(usage), UP) for usage in [*range(0x1E, 0x28), 0x28, 0x2A, 0x29, 0x4C]]
    assert typed == [[key] for key in [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, Key.ENTER, Key.CLEAR, Key.CLEAR, Key.CLEAR]]


def test_a_key_that_is_held_is_one_stroke_whatever_is_pressed_beside_it(keypad: Keypad) -> None:
    assert keypad.keys(down(0x59)) == [1]
    assert keypad.keys(down(0x59), after=2.0) == []
    assert keypad.keys(down(0x59, 0x5A)) == [2]
    assert keypad.keys(down(0x5A)) == []
    assert keypad.keys(UP) == []


def test_numlock_and_modifiers_change_nothing_and_act_on_nothing(keypad: Keypad) -> None:
    assert keypad.keys(down(NUMLOCK), UP, down(0x59, modifiers=0x02), UP, down(NUMLOCK), UP) == [1]


@pytest.mark.field("BR-044")
def test_a_contact_that_bounces_is_one_stroke_and_two_presses_are_two(keypad: Keypad) -> None:
    assert keypad.keys(down(0x5D), UP, down(0x5D), UP, down(0x5D), UP) == [5]
    assert keypad.keys(down(0x5D), UP, after=DEBOUNCE / 2) == []
    assert keypad.keys(down(0x5D), UP, after=DEBOUNCE) == [5]


def test_two_keys_in_one_report_are_two_strokes_and_too_many_break_the_entry(keypad: Keypad) -> None:
    assert keypad.keys(down(0x59, 0x5A)) == [1, 2]
    assert keypad.hears(down(1, 1, 1, 1, 1, 1)) == [EntryBroken()]
    assert keypad.keys(down(0x59, 0x5A)) == [], "held all the while"


def test_a_report_that_is_cut_off_breaks_the_entry_and_its_fault_names_no_key(keypad: Keypad) -> None:
    broken, fault = keypad.hears(down(0x59)[:5])
    assert broken == EntryBroken()
    assert isinstance(fault, RemoteErrors)
    assert "5 bytes" in fault.latest
    assert keypad.keys(down(0x5A)) == [2]


def test_a_stroke_answers_what_was_shown_when_the_finger_set_out(keypad: Keypad) -> None:
    keypad.hears(orders=(Want(Level.PROMPT, 4),))
    assert keypad.hears(down(0x59), UP, after=SETTLES) == [StrokeTold(1, 4)]
    keypad.hears(orders=(Want(Level.PROMPT, 9),))
    assert keypad.hears(down(0x5A), UP, after=SETTLES / 2) == [StrokeTold(2, 4)]
    assert keypad.hears(down(0x5B), UP, after=SETTLES) == [StrokeTold(3, 9)]


def test_what_came_with_an_order_was_pressed_before_it(keypad: Keypad) -> None:
    keypad.hears(orders=(Want(Level.PROMPT, 4),), after=SETTLES)
    keypad.hears(after=SETTLES)
    assert keypad.hears(down(0x59), UP, orders=(Want(Level.PROMPT, 9),)) == [StrokeTold(1, 4)]
    assert keypad.hears(down(0x5A), orders=(Want(Level.PROMPT, 12),), after=SETTLES / 2) == [StrokeTold(2, 4)]


@pytest.mark.field("BR-043")
def test_a_keypad_that_was_away_for_a_blink_hears_the_next_press_of_a_key_that_was_down(keypad: Keypad) -> None:
    assert keypad.keys(down(0x59)) == [1]
    keypad.core.disconnected(keypad.now, "unplugged")
    keypad.core.connected(keypad.now + 0.01)
    assert keypad.keys(down(0x59), after=0.02) == [1]


def test_it_is_ordered_nothing_but_prompts(keypad: Keypad) -> None:
    assert keypad.hears(orders=(HoldNow(),)) == []  # it holds nothing: the driver keeps that from it
    with pytest.raises(LocalProtocolError):
        keypad.core._core.step(keypad.now, b"", [HoldNow()])  # type: ignore[attr-defined]


def test_no_noise_on_its_line_is_more_than_strokes_and_broken_entries(keypad: Keypad) -> None:
    noise = random.Random(5)
    for _ in range(2000):
        told = keypad.hears(noise.randbytes(noise.randrange(20)), after=0.01)
        assert all(isinstance(one, StrokeTold | EntryBroken | RemoteErrors) for one in told)
