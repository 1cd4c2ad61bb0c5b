"""What people at the simulated table do wrong: their bad habits, and steps that tempt them though they are not due."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from firmware_bridge.view import TableView
from sim_hardware.commands.trying import FLOOR


class Habit(StrEnum):
    """What a person does wrong, once an evening; a few all evening, as the README's table says."""

    ONE_PACK_ONLY = "one_pack_only"
    SECOND_LOADING = "second_loading"
    CUT_ASKED = "cut_asked"
    UNLOAD_BEFORE_CLOSE = "unload_before_close"
    ABSENT_AT_LOADING = "absent_at_loading"
    LEAVES_OUT_A_PLACE = "leaves_out_a_place"
    TURNS_BANKS_CARD = "turns_banks_card"
    DEVIATES = "deviates"
    KEEP_A_CARD = "keep_a_card"
    LOSE_A_CARD = "lose_a_card"
    CLAIM_IN_TIME = "claim_in_time"
    CLAIM_LATE = "claim_late"
    DEALS_ON = "deals_on"
    PRESSES_TWICE = "presses_twice"
    ADDS_A_CARD = "adds_a_card"
    PULL_WHILE_HELD = "pull_while_held"
    SWAP_A_CARD = "swap_a_card"
    CONFIRM_ALARM = "confirm_alarm"
    ABSENT_AT_ALARM = "absent_at_alarm"
    NO_ACKNOWLEDGING = "no_acknowledging"
    CLOSE_ON_JAM = "close_on_jam"
    PUT_BACK_WRONGLY = "put_back_wrongly"
    CALL_TECHNICIAN = "call_technician"
    GIVE_UP_REPAIR = "give_up_repair"
    WRONG_REPLACEMENT = "wrong_replacement"
    GOES_AWAY = "goes_away"
    FORGETS_PIN = "forgets_pin"
    GUESS_PIN = "guess_pin"
    OTHERS_STEP = "others_step"
    SIGN_BLINDLY = "sign_blindly"
    SPILL_CLEANED = "spill_cleaned"
    TRIES_ANYTHING = "tries_anything"
    OTHER_SETS_CARD = "other_sets_card"
    WRONG_SET = "wrong_set"


@dataclass(frozen=True)
class Misdeed:
    """A step that somebody types though it is not due, or not his: when it tempts, and what is typed."""

    habit: Habit
    role: str
    step: int
    value: int | None = None
    states: frozenset[str] = frozenset()
    """Session states in which it tempts; empty: whenever an alarm is presented."""
    alarm: str = ""
    """The state of the presented alarm in which it tempts; empty: any."""
    poses_as: int = 0
    """Whose number is typed, with a guessed PIN; 0: one's own."""

    def tempts(self, view: TableView) -> bool:
        """Whether the moment has come."""
        if self.states:
            return view.session_state in self.states and view.accounts.get("machine", 0) > 0
        return view.alarm is not None and self.alarm in ("", view.alarm.state)


PLAY = frozenset({"ready", "in_round", "returning"})

MISDEEDS = (
    Misdeed(Habit.ONE_PACK_ONLY, "supervisor", 22, states=frozenset({"awaiting_pack"})),
    Misdeed(Habit.CUT_ASKED, "supervisor", 60, states=frozenset({"ready"})),
    Misdeed(Habit.SECOND_LOADING, "supervisor", 20, states=frozenset({"ready"})),
    Misdeed(Habit.UNLOAD_BEFORE_CLOSE, "supervisor", 41, states=frozenset({"ready"})),
    Misdeed(Habit.SPILL_CLEANED, "supervisor", 56, states=PLAY),
    Misdeed(Habit.SIGN_BLINDLY, "supervisor", 31, 0),
    Misdeed(Habit.SIGN_BLINDLY, "room_manager", 48, states=frozenset({"sorting", "awaiting_deck", "difference"})),
    Misdeed(Habit.DEVIATES, "supervisor", 73, 3, alarm="awaiting_remedy"),
    Misdeed(Habit.CONFIRM_ALARM, "dealer", 31, 0),
    Misdeed(Habit.GUESS_PIN, "dealer", 31, 0, poses_as=FLOOR),
    Misdeed(Habit.OTHERS_STEP, "dealer", 40, states=PLAY),
    Misdeed(Habit.OTHERS_STEP, "supervisor", 11, states=PLAY),
    Misdeed(Habit.OTHERS_STEP, "technician", 42),
    Misdeed(Habit.OTHERS_STEP, "room_manager", 43, states=frozenset({"looking", "looked"})),
)
"""What tempts whom; a step number is the keypad's. Each is given in to once an evening, in this order."""
