"""The keypad's open entry: what keys lead to, and what becomes of an entry that is broken."""

from __future__ import annotations

from random import Random

import pytest

from drivers.protocol.messages import Key
from firmware_bridge.core.console import LONGEST, MOST_AHEAD, Asking, CheckWanted, Console, Outcome, RenewWanted
from firmware_bridge.core.events import Acted, EntryDropped, Identified, Rejected
from firmware_bridge.core.secrets import Pin
from firmware_bridge.core.steps import BY_NUMBER
from firmware_bridge.core.words import Role, Trigger

SECOND = 10**9
TIMEOUT = 30 * SECOND
MANAGER, SUPERVISOR, DEALER = 301, 201, 101
KEYS = {"e": Key.ENTER, "c": Key.CLEAR}


class Keypad:
    """A console and what its keys led to; keys come a second apart. Every PIN is right."""

    def __init__(self) -> None:
        self.console = Console(TIMEOUT)
        self.now = 0
        self.presented = 0
        self.events: list[object] = []
        self.checks: list[CheckWanted] = []
        self.renewals: list[RenewWanted] = []

    def type(self, keys: str) -> None:
        for key in keys:
            self.now += SECOND
            self.take(self.console.key(KEYS.get(key) or int(key), self.now, self.presented))

    def take(self, outcome: Outcome) -> None:
        self.events += outcome.events
        self.checks += [outcome.check] if outcome.check else []
        self.renewals += [outcome.renew] if outcome.renew else []

    def identify(self, person: int, role: Role | None) -> None:
        self.type(f"{person}e739154e")
        self.take(self.console.checked(self.checks[-1].entry, role, self.now))

    def acts(self) -> list[Acted]:
        return [event for event in self.events if isinstance(event, Acted)]


@pytest.fixture
def keypad() -> Keypad:
    return Keypad()


# ---- one entry, one act


def test_an_entry_is_number_pin_step_and_what_the_step_asks_for(keypad: Keypad) -> None:
    keypad.identify(SUPERVISOR, Role.SUPERVISOR)
    assert keypad.console.asking is Asking.STEP
    keypad.type("31e")
    assert keypad.console.asking is Asking.VALUE
    keypad.type("2e")
    assert keypad.events == [
        Identified(SUPERVISOR, Role.SUPERVISOR),
        Acted(SUPERVISOR, Role.SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0, 2),
    ]
    assert keypad.console.asking is Asking.NUMBER


def test_the_answer_of_an_entry_that_is_gone_opens_nothing(keypad: Keypad) -> None:
    keypad.type(f"{SUPERVISOR}e739154ec")
    keypad.type(f"{DEALER}e000000e")
    old, new = keypad.checks
    assert keypad.console.checked(old.entry, Role.SUPERVISOR, keypad.now) == Outcome()
    assert keypad.console.role is None
    keypad.take(keypad.console.checked(new.entry, None, keypad.now))
    assert keypad.events == [Rejected(DEALER)]


@pytest.mark.clause("SB-3")
@pytest.mark.parametrize("ends", ["c", "broken", "pause"])
def test_a_wrong_pin_counts_though_its_entry_is_gone_and_counts_once(keypad: Keypad, ends: str) -> None:
    """Else whoever types Clear upon his Enter guesses as often as he likes."""
    keypad.type(f"{SUPERVISOR}e770041e")
    if ends == "c":
        keypad.type("c")
    else:
        gone = keypad.console.broken if ends == "broken" else lambda: keypad.console.timed_out(keypad.now + TIMEOUT)
        keypad.take(gone())
    for _ in range(2):
        keypad.take(keypad.console.checked(keypad.checks[-1].entry, None, keypad.now))
    assert [event for event in keypad.events if isinstance(event, Rejected)] == [Rejected(SUPERVISOR)]
    assert keypad.console.message == "number or PIN is not right"


@pytest.mark.clause("SB-3")
def test_a_check_that_could_not_be_made_is_no_wrong_pin_though_its_entry_is_gone(keypad: Keypad) -> None:
    keypad.type(f"{SUPERVISOR}e770041ec")
    keypad.take(keypad.console.checked(keypad.checks[-1].entry, None, keypad.now, "the people file cannot be read"))
    assert keypad.events == []
    assert keypad.console.message == ""


def test_a_wrong_pin_of_an_entry_that_is_gone_does_not_talk_over_the_next_one(keypad: Keypad) -> None:
    keypad.type(f"{SUPERVISOR}e770041ec{DEALER}")
    keypad.take(keypad.console.checked(keypad.checks[-1].entry, None, keypad.now))
    assert keypad.console.digits == 3
    assert keypad.console.message == ""


# ---- the alarm that an entry is about


@pytest.mark.field("BR-044")
@pytest.mark.parametrize("when", range(len(f"{SUPERVISOR}e739154e2e")))
def test_an_entry_is_about_the_alarm_presented_at_its_first_key_whatever_is_raised_meanwhile(
    keypad: Keypad, when: int
) -> None:
    keypad.presented = 4
    for place, key in enumerate(f"{SUPERVISOR}e739154e2e"):
        keypad.presented = 4 if place <= when else 9
        if keypad.console.asking is Asking.WAIT:
            keypad.take(keypad.console.checked(keypad.checks[-1].entry, Role.SUPERVISOR, keypad.now))
        assert keypad.console.about in (0, 4)
        keypad.type(key)
    assert keypad.acts() == [Acted(SUPERVISOR, Role.SUPERVISOR, Trigger.ACKNOWLEDGE, 4)]


@pytest.mark.field("BR-044")
def test_an_entry_begun_anew_is_about_the_alarm_presented_then(keypad: Keypad) -> None:
    keypad.presented = 4
    keypad.type("20")
    keypad.presented = 9
    keypad.type("c")
    keypad.identify(SUPERVISOR, Role.SUPERVISOR)
    keypad.type("2e")
    assert [act.about for act in keypad.acts()] == [9]


@pytest.mark.field("BR-044")
def test_of_ten_thousand_rhythms_with_double_presses_each_entry_acts_once_and_on_its_own_alarm() -> None:
    rhythm = Random(44)
    keypad = Keypad()
    meant = []
    for _ in range(10_000):
        keypad.presented = rhythm.randrange(1, 4)
        meant.append(keypad.presented)
        for part in (str(SUPERVISOR), "739154", "2"):
            for key in part:
                keypad.type(key)
                keypad.presented = rhythm.randrange(4)
            keypad.type("e" * rhythm.choice((1, 1, 1, 2, 3)))
            if part == "739154":
                keypad.take(keypad.console.checked(keypad.checks[-1].entry, Role.SUPERVISOR, keypad.now))
    assert [act.about for act in keypad.acts()] == meant


# ---- broken entries


@pytest.mark.field("BR-043")
@pytest.mark.rule(31)
@pytest.mark.parametrize("typed", ["2", "201e", "201e73", "201e739154"])
def test_what_was_typed_before_the_keypad_was_gone_is_no_part_of_anything(keypad: Keypad, typed: str) -> None:
    keypad.type(typed)
    keypad.take(keypad.console.drop("the keypad is gone"))
    keypad.take(keypad.console.broken())
    assert keypad.console.digits == 0
    assert "press Clear" in keypad.console.message
    keypad.type("c9154e")
    assert keypad.console.asking is Asking.PIN, "this is the beginning of a number"
    assert not keypad.checks
    assert keypad.events == [EntryDropped("the keypad is gone")], "said once"


def test_where_no_entry_is_open_nothing_is_dropped_and_nothing_said(keypad: Keypad) -> None:
    keypad.take(keypad.console.drop("the keypad is gone"))
    keypad.take(keypad.console.timed_out(10**18))
    assert keypad.events == []


@pytest.mark.parametrize("typed", ["2", "201e", "201e739154", "201e739154e"])
def test_an_entry_is_dropped_after_too_long_a_pause_and_not_before(keypad: Keypad, typed: str) -> None:
    keypad.type(typed)
    keypad.take(keypad.console.timed_out(keypad.now + TIMEOUT - 1))
    assert keypad.events == []
    keypad.take(keypad.console.timed_out(keypad.now + TIMEOUT))
    assert keypad.events == [EntryDropped("too long a pause")]
    assert keypad.console.deadline is None


@pytest.mark.field("BR-043")
@pytest.mark.parametrize("begun", ["", "201e", "201e739154e"])
def test_a_key_that_repeats_for_ever_is_said_once_and_heard_again_after_enter_or_clear(
    keypad: Keypad, begun: str
) -> None:
    keypad.type(begun)
    if begun.endswith("154e"):
        keypad.take(keypad.console.checked(keypad.checks[-1].entry, Role.SUPERVISOR, keypad.now))
    before = len(keypad.events)
    keypad.type("5" * 1000)
    assert keypad.events[before:] == [EntryDropped("too many digits")]
    keypad.type("e")
    keypad.identify(SUPERVISOR, Role.SUPERVISOR)
    assert keypad.console.asking is Asking.STEP


@pytest.mark.clause("SB-3")
@pytest.mark.parametrize("chosen", ["", "31e", "38e"])
def test_a_pin_typed_where_none_is_asked_for_is_told_nobody(keypad: Keypad, chosen: str) -> None:
    keypad.identify(SUPERVISOR, Role.SUPERVISOR)
    keypad.type(f"{chosen}418860")
    assert keypad.events[-1] == EntryDropped("too many digits")
    assert "418" not in keypad.console.message
    keypad.type("e")
    assert not keypad.acts()


@pytest.mark.clause("SB-3")
def test_a_pin_typed_where_an_envelopes_number_is_asked_gets_into_no_act(keypad: Keypad) -> None:
    keypad.identify(SUPERVISOR, Role.SUPERVISOR)
    keypad.type("39e123456e")
    assert not keypad.acts()
    keypad.type("c")
    keypad.identify(SUPERVISOR, Role.SUPERVISOR)
    keypad.type("39e12345e")
    assert [act.value for act in keypad.acts()] == [12345]


# ---- a PIN is renewed


def renewing(keypad: Keypad, role: Role = Role.ROOM_MANAGER) -> None:
    keypad.identify(MANAGER, role)
    keypad.type("55e101e")


@pytest.mark.clause("SB-3")
def test_the_new_pin_is_asked_for_twice_and_then_wanted(keypad: Keypad) -> None:
    renewing(keypad)
    assert keypad.console.asking is Asking.NEW_PIN
    keypad.type("418860e")
    assert keypad.console.asking is Asking.AGAIN
    assert not keypad.renewals
    keypad.type("418860e")
    (wanted,) = keypad.renewals
    assert (wanted.person, wanted.by, wanted.pin.digits()) == (DEALER, MANAGER, "418860")
    assert keypad.console.asking is Asking.WAIT
    assert not keypad.acts(), "what is recorded is that it was renewed"
    keypad.console.renewed(wanted.entry, "")
    assert keypad.console.message == "the PIN of 101 is renewed"
    assert keypad.console.asking is Asking.NUMBER


@pytest.mark.clause("SB-3")
def test_two_pins_that_differ_are_said_and_both_asked_for_again(keypad: Keypad) -> None:
    renewing(keypad)
    keypad.type("418860e418861e")
    assert keypad.console.asking is Asking.NEW_PIN
    assert "not alike" in keypad.console.message
    keypad.type("418861e418861e")
    assert [wanted.pin.digits() for wanted in keypad.renewals] == ["418861"]


@pytest.mark.clause("SB-3")
@pytest.mark.parametrize("weak", ["41886", "111111", "123456", "987654"])
def test_a_weak_pin_is_said_and_another_asked_for(keypad: Keypad, weak: str) -> None:
    renewing(keypad)
    keypad.type(f"{weak}e")
    assert keypad.console.asking is Asking.NEW_PIN
    assert "choose another" in keypad.console.message
    assert weak not in keypad.console.message
    keypad.type("418860e418860e")
    assert len(keypad.renewals) == 1


@pytest.mark.clause("SB-3")
@pytest.mark.parametrize("role", [role for role in Role if role is not Role.ROOM_MANAGER])
def test_nobody_else_is_asked_for_a_new_pin(keypad: Keypad, role: Role) -> None:
    renewing(keypad, role)
    assert keypad.console.asking is Asking.NUMBER
    assert keypad.acts() == [Acted(MANAGER, role, Trigger.RENEW_PIN, 0, DEALER)]
    keypad.type("418860e418860e")
    assert not keypad.renewals


@pytest.mark.parametrize("typed", ["4188", "418860e", "418860e41"])
def test_a_renewal_broken_off_renews_nothing(keypad: Keypad, typed: str) -> None:
    renewing(keypad)
    keypad.type(typed)
    keypad.take(keypad.console.timed_out(keypad.now + TIMEOUT))
    assert keypad.events[-1] == EntryDropped("too long a pause")
    assert keypad.console.role is None
    keypad.type("418860e418860e")
    assert not keypad.renewals


def test_the_answer_of_a_renewal_whose_entry_is_gone_says_nothing_to_the_next_one(keypad: Keypad) -> None:
    renewing(keypad)
    keypad.type("418860e418860ec20")
    keypad.console.renewed(keypad.renewals[0].entry, "")
    assert keypad.console.digits == 2
    assert keypad.console.message == ""


@pytest.mark.clause("SB-3")
def test_no_pin_is_shown_by_anything_that_the_console_gives(keypad: Keypad) -> None:
    renewing(keypad)
    keypad.type("418860e418860e")
    for shown in (repr(keypad.checks), repr(keypad.renewals), repr(keypad.events), repr(keypad.console)):
        assert "739154" not in shown
        assert "418860" not in shown


def test_pins_typed_alike_are_told_without_an_equality() -> None:
    assert Pin("418860").typed_alike(Pin("418860"))
    assert not Pin("418860").typed_alike(Pin("41886"))
    with pytest.raises(TypeError):
        bool(Pin("418860") == Pin("418860"))


# ---- what is typed ahead of a check, and behind a wrong PIN


def answered(keypad: Keypad, role: Role | None) -> None:
    """The answer of the check under way, and the keys that were typed ahead of it, as the controller takes them."""
    keypad.take(keypad.console.checked(keypad.checks[-1].entry, role, keypad.now))
    for key in keypad.console.take_ahead():
        keypad.take(keypad.console.key(key, keypad.now, keypad.presented))


@pytest.mark.clause("SB-3")
def test_a_step_typed_ahead_of_the_check_counts_after_it_in_order(keypad: Keypad) -> None:
    keypad.type(f"{SUPERVISOR}e739154e39e12345e")
    assert not keypad.acts(), "nothing counts before the answer"
    answered(keypad, Role.SUPERVISOR)
    assert [(act.step, act.value) for act in keypad.acts()] == [(BY_NUMBER[39], 12345)]
    assert keypad.console.take_ahead() == (), "once"


@pytest.mark.clause("SB-3")
def test_more_keys_than_any_step_takes_are_not_kept_ahead_of_a_check(keypad: Keypad) -> None:
    keypad.type(f"{SUPERVISOR}e739154e" + "7" * MOST_AHEAD)
    assert keypad.events == []
    keypad.type("7")
    assert keypad.events == [EntryDropped("too many digits")]
    answered(keypad, Role.SUPERVISOR)
    assert keypad.console.role is None
    assert len("39e") + LONGEST + len("e") <= MOST_AHEAD, "each step with what it asks for"


@pytest.mark.clause("SB-3")
@pytest.mark.parametrize("ahead", ["", "10e", "201e739154e"])
def test_behind_a_wrong_pin_nothing_begins_before_clear(keypad: Keypad, ahead: str) -> None:
    keypad.type(f"{SUPERVISOR}e739155e{ahead}")
    answered(keypad, None)
    told = keypad.console.message
    assert "press Clear" in told
    keypad.type("10e739154e2e")  # the rest of that entry, which would be a number and a PIN
    assert (keypad.console.asking, keypad.console.digits) == (Asking.NUMBER, 0)
    assert len(keypad.checks) == 1
    keypad.console.refused("refused: no alarm is open [SB-2]")
    assert keypad.console.message == told, "what to press stays where the person looks"
    keypad.type("c")
    keypad.identify(SUPERVISOR, Role.SUPERVISOR)
    assert keypad.events == [Rejected(SUPERVISOR), Identified(SUPERVISOR, Role.SUPERVISOR)]


# ---- a check that could not be made


@pytest.mark.clause("SB-3")
def test_a_check_that_could_not_be_made_rejects_nobody_and_what_is_typed_on_begins_no_entry(keypad: Keypad) -> None:
    keypad.type(f"{SUPERVISOR}e739154e10e")
    keypad.take(keypad.console.checked(keypad.checks[-1].entry, None, keypad.now, "the people file fails"))
    assert keypad.console.take_ahead() == ()
    assert keypad.events == [EntryDropped("the people file fails")]
    assert keypad.console.message.startswith("the people file fails")
    keypad.type(f"{SUPERVISOR}e739154e")
    assert len(keypad.checks) == 1, "nothing counts before Clear"
    assert keypad.console.message.startswith("the people file fails")
    keypad.type(f"c{SUPERVISOR}e739154e")
    assert len(keypad.checks) == 2
