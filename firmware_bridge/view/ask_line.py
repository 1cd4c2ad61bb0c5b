"""One line of what is asked of whom, and the few things that every maker of such lines looks at."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from drivers.protocol.messages import Kind
from firmware_bridge.core.state import State
from firmware_bridge.core.words import Role
from firmware_bridge.view.device_texts import DEVICES
from firmware_bridge.view.phrases import capital, counted, listed, role_words
from firmware_bridge.view.texts import AGE_OF_ALL, AGES, HANDS, Hand


class AskLine(Struct, frozen=True):
    """Something that a person may do now. ``due``: the table waits for it. ``number`` 0: a dealer's key, or by hand.

    ``trigger`` is a ``Trigger``, or a ``Hand`` for what is done by hand; ``about`` is what it concerns: an incident,
    a deck, or how many cards. ``role`` is empty where only a device can go on.
    """

    role: str
    trigger: str
    number: int
    key: str
    about: int
    due: bool
    text: str


def by_hand(role: Role, hand: Hand, text: str, about: int = 0, due: bool = True) -> AskLine:
    """A line for hands."""
    return AskLine(role.value, hand.value, 0, "", about, due, f"{capital(role_words(role))}: {text}")


def none_due(lines: Iterable[AskLine]) -> tuple[AskLine, ...]:
    """The same lines, none of which the table waits for."""
    return tuple(replace(line, due=False) for line in lines)


def by_hand_alone(lines: Iterable[AskLine]) -> tuple[AskLine, ...]:
    """The lines that need no key, none of them due: what is left to do while nobody takes a key."""
    return none_due(line for line in lines if not (line.number or line.key))


def wait(text: str, about: int = 0) -> AskLine:
    """A line for nobody: a device alone can go on."""
    return AskLine("", Hand.WAIT.value, 0, "", about, True, capital(text))


def connect(state: State, device: str, about: int = 0) -> AskLine:
    """The line that asks for a device that is not there, or that is and does not obey."""
    one = state.devices[device]
    words = HANDS[Hand.CONNECT].format(device=device, why=one.reason or "not heard")
    if one.open and one.reason:
        words = DEVICES["see_to"].format(device=device, why=one.reason)
    return by_hand(Role.SUPERVISOR, Hand.CONNECT, words, about)


def occupied(state: State, kind: Kind) -> bool:
    """Whether cards lie in the tray of the device of this kind."""
    device = state.device_of(kind)
    return device is not None and device.tray_occupied


def lid_open(state: State) -> bool:
    """Whether a lid stands open."""
    return any(device.lid_open for device in state.devices.values())


def jammed(state: State) -> bool:
    """Whether a card sticks somewhere."""
    return any(device.jammed for device in state.devices.values())


def back_of(state: State, deck: int) -> str:
    """Colour of a deck's backs, as the set's file declares it."""
    return state.backs[deck - 1] if 0 < deck <= len(state.backs) else "of one colour"


def ages_of(state: State) -> str:
    """For how many sessions its decks were loaded since each was new; nothing before any was (PT-E4)."""
    ages = [state.deck_ages.get(deck, 0) for deck in range(1, state.all_decks + 1)]
    if not any(ages):
        return ""
    if len(set(ages)) == 1:
        return AGE_OF_ALL.format(sessions=counted(ages[0], "session"))
    return AGES.format(ages=listed(f"deck {deck}: {age}" for deck, age in enumerate(ages, start=1)))


def backs_of(state: State) -> str:
    """All decks with the colours of their backs."""
    return listed(f"deck {number} {back}" for number, back in enumerate(state.backs, start=1))
