"""The steps on the keypad and the dealer's keys: numbers, whose each is, and what is typed with it.

A step has a fixed number, so that a hand learns it; the table shows only those that are open (``asked.py``).
"""

from __future__ import annotations

from msgspec import Struct

from drivers.cards import RANKS, SUITS, Face, face_of
from drivers.protocol.messages import DealerKey
from firmware_bridge.core.state import State
from firmware_bridge.core.words import (
    Role,
    Trigger,
)


class Step(Struct, frozen=True):
    """A keypad step: its number, whose it is, and what must be typed with it (empty: nothing).

    ``incident``: the step is about the alarm that is presented, not about the session.
    """

    number: int
    role: Role
    typed: str = ""
    incident: bool = False


STEPS: dict[Trigger, Step] = {
    Trigger.CONFIRM_PRESENCE: Step(1, Role.SUPERVISOR),
    Trigger.ACKNOWLEDGE: Step(2, Role.SUPERVISOR, incident=True),
    Trigger.OPEN_TABLE: Step(10, Role.SUPERVISOR),
    Trigger.SIGN_IN: Step(11, Role.DEALER),
    Trigger.TAKE_OVER: Step(12, Role.SUPERVISOR),
    Trigger.START_PACK: Step(20, Role.SUPERVISOR),
    Trigger.END_PACK: Step(21, Role.SUPERVISOR),
    Trigger.DECLARE_LOADED: Step(22, Role.SUPERVISOR),
    Trigger.ONE_PLAYER: Step(23, Role.SUPERVISOR),
    Trigger.STOP_PLAY: Step(24, Role.SUPERVISOR),
    Trigger.CLOSE_CLAIM: Step(30, Role.SUPERVISOR, "outcome"),
    Trigger.CONFIRM_INCIDENT: Step(31, Role.SUPERVISOR, "action", incident=True),
    Trigger.COUNT_MACHINE: Step(32, Role.SUPERVISOR),
    Trigger.ANSWER_NO: Step(33, Role.SUPERVISOR, incident=True),
    Trigger.ANSWER_YES: Step(34, Role.SUPERVISOR, "card", incident=True),
    Trigger.CALL_TECHNICIAN: Step(35, Role.SUPERVISOR, incident=True),
    Trigger.REPAIRED: Step(36, Role.TECHNICIAN, incident=True),
    Trigger.TAKE_OUT_OF_SERVICE: Step(37, Role.TECHNICIAN, incident=True),
    Trigger.NAME_CARD: Step(38, Role.SUPERVISOR, "card", incident=True),
    Trigger.CONFIRM_REPLACEMENT: Step(39, Role.SUPERVISOR, "envelope", incident=True),
    Trigger.DECLARE_CLOSED: Step(40, Role.SUPERVISOR),
    Trigger.BEGIN_UNLOADING: Step(41, Role.SUPERVISOR),
    Trigger.RELEASE_LID: Step(42, Role.SUPERVISOR),
    Trigger.CONFIRM_EMPTY: Step(43, Role.SUPERVISOR),
    Trigger.CONFIRM_DECK: Step(44, Role.SUPERVISOR, "count"),
    Trigger.NO_CARDS_LEFT: Step(45, Role.SUPERVISOR),
    Trigger.SORT_AGAIN: Step(46, Role.SUPERVISOR),
    Trigger.SIGN_RESULT: Step(47, Role.SUPERVISOR),
    Trigger.SIGN_DIFFERENCE: Step(48, Role.ROOM_MANAGER),
    Trigger.EMPTY_BY_HAND: Step(49, Role.SUPERVISOR),
    Trigger.MARK_IMPERFECT: Step(50, Role.SUPERVISOR, "deck"),
    Trigger.DECK_REPLACED: Step(51, Role.SUPERVISOR, "deck"),
    Trigger.AUTHORISE_DECK: Step(52, Role.ROOM_MANAGER, "reference"),
    Trigger.SET_REPLACED: Step(53, Role.ROOM_MANAGER),
    Trigger.NOTICE_SENT: Step(54, Role.ROOM_MANAGER, "incident"),
    Trigger.RENEW_PIN: Step(55, Role.ROOM_MANAGER, "person"),
    Trigger.DECLARE_SPILL: Step(56, Role.SUPERVISOR),
    Trigger.RETURN_TO_SERVICE: Step(57, Role.TECHNICIAN),
    Trigger.CORRECTIVE_ACTION: Step(58, Role.ROOM_MANAGER, "incident"),
    Trigger.CUT: Step(60, Role.SUPERVISOR),
    Trigger.SHUFFLE_MACHINE: Step(61, Role.SUPERVISOR),
    Trigger.SHUFFLE_SET: Step(64, Role.SUPERVISOR, "set"),
    Trigger.TAKE_SET_OUT: Step(65, Role.SUPERVISOR, "set"),
    Trigger.CHECK_DEVICE: Step(62, Role.TECHNICIAN, incident=True),
    Trigger.APPROVE_DEVICE: Step(63, Role.SUPERVISOR, incident=True),
    Trigger.DECLARE_FOREIGN: Step(66, Role.SUPERVISOR),
    Trigger.DECIDE_ROUND: Step(67, Role.SUPERVISOR, "decision", incident=True),
    Trigger.CONFIRM_SHOE_EMPTY: Step(68, Role.SUPERVISOR),
    Trigger.NAME_SLIP: Step(71, Role.SUPERVISOR, "slip"),
    Trigger.TAKE_REMEDY: Step(72, Role.SUPERVISOR, "remedy", incident=True),
    Trigger.SIGN_DEVIATION: Step(73, Role.SUPERVISOR, "remedy", incident=True),
}

BY_THE_BOOK: dict[Trigger, str] = {
    Trigger.START_PACK: "loading.present",
    Trigger.END_PACK: "loading.present",
    Trigger.CONFIRM_REPLACEMENT: "damaged_card.replaced_by",
    Trigger.BEGIN_UNLOADING: "closing.unloading_present",
    Trigger.SIGN_DIFFERENCE: "house.difference_signed_by",
}
"""Steps whose role is the rule book's to say, each with the value that says it."""

BY_NUMBER: dict[int, Trigger] = {step.number: trigger for trigger, step in STEPS.items()}

CLAIM_OUTCOMES: dict[int, str] = {1: "upheld", 2: "rejected", 3: "withdrawn"}

ROUND_VOID = 2
ROUND_ENDS: dict[int, str] = {1: "settled as the cards lie", ROUND_VOID: "void"}
"""What becomes of a round that no more cards come for."""
ACTIONS: dict[int, str] = {0: "none needed", 1: "stakes returned", ROUND_VOID: "round void"}
"""Actions towards the players, which nobody may leave open (BR-011)."""


def typed_with(state: State, trigger: Trigger) -> str:
    """What is to be typed with a step: no set is named where there is one."""
    typed = STEPS[trigger].typed
    return "" if typed == "set" and len(state.sets) == 1 else typed


def named_card(value: int, decks: int) -> tuple[int, Face] | None:
    """Return the deck and the face that were typed (2307: deck 2, hearts, 7), or None where that is no card."""
    deck, suit, rank = value // 1000, value // 100 % 10, value % 100
    if not (1 <= deck <= decks and 1 <= suit <= len(SUITS) and 1 <= rank <= len(RANKS)):
        return None
    return deck, face_of(rank, suit - 1)


class Ask(Struct, frozen=True):
    """Something that a person may, or should, do now. ``due`` true: the table waits for it."""

    role: Role
    trigger: Trigger
    due: bool = True
    key: DealerKey | None = None
    about: int = 0

    @property
    def number(self) -> int:
        """The step's number on the keypad; 0 for a dealer's key."""
        return STEPS[self.trigger].number if self.key is None else 0


def step_ask(trigger: Trigger, due: bool = True, about: int = 0) -> Ask:
    """A step at the keypad, of the role to which it usually is."""
    return Ask(STEPS[trigger].role, trigger, due, None, about)


def key_ask(key: DealerKey, trigger: Trigger, due: bool = True, about: int = 0) -> Ask:
    """A key of the dealer."""
    return Ask(Role.DEALER, trigger, due, key, about)
