"""PINs at the table: five wrong ones lock a number out, and the room manager renews them (SB-3)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import Key
from drivers.protocol.notices import StrokeTold
from firmware_bridge.core.controller import Checked
from firmware_bridge.core.events import EntryDropped, Identified, PinRenewed, Rejected
from firmware_bridge.core.words import Role, Session, Trigger
from tests.core.tape import Tape
from tests.table.evening import DEALER, ROOM_MANAGER, SUPERVISOR, Evening

WRONG, NEW = "770041", "418860"
LOCK_OUT = 600
OTHER_SUPERVISOR = 202

pytestmark = pytest.mark.clause("SB-3")


def events(evening: Evening, kind: type) -> list[object]:
    return [record.event for record in evening.logged() if isinstance(record.event, kind)]


def message(evening: Evening) -> str:
    return evening.table.assembly.controller.status().message


def is_known(evening: Evening, person: int) -> bool:
    """Whether a person is let in with the right PIN; the entry is left again."""
    before = len(events(evening, Identified))
    evening.identify(person)
    evening.press(Key.CLEAR)
    return len(events(evening, Identified)) > before


def lock_out(evening: Evening, person: int = SUPERVISOR) -> None:
    for _ in range(5):
        evening.identify(person, WRONG)
    assert person in evening.state.locked_out


def renew(evening: Evening, by: int, person: int, *pins: str) -> None:
    evening.identify(by)
    evening.enter(55)
    evening.enter(person)
    for pin in pins:
        evening.press(*map(int, pin), Key.ENTER)
    evening.table.run(0.1)


# ---- lock-out


def test_after_five_wrong_entries_a_right_pin_is_turned_away_without_a_check() -> None:
    evening = Evening()
    lock_out(evening)
    checks = evening.checks
    assert not is_known(evening, SUPERVISOR)
    assert evening.checks == checks
    assert len(events(evening, Rejected)) == 6


def guess(tape: Tape, pins: int) -> None:
    """Type wrong PINs, and Clear upon each Enter, before anybody has looked at them."""
    for _ in range(pins):
        tape.type(str(SUPERVISOR), WRONG)
        tape.tell("keypad", StrokeTold(Key.CLEAR, 0))


def test_whoever_types_clear_upon_a_wrong_pin_has_guessed_all_the_same() -> None:
    tape = Tape(Evening())
    guess(tape, 5)
    tape.controller.turn([Checked(wanted.entry, None) for wanted in tape.wanted])
    assert tape.recorded == [Rejected(SUPERVISOR)] * 5
    assert SUPERVISOR in tape.controller.state.locked_out


def test_a_right_pin_that_is_looked_at_after_the_fifth_wrong_one_opens_nothing() -> None:
    tape = Tape(Evening())
    guess(tape, 5)
    tape.type(str(SUPERVISOR), "161803")
    answers: list[Role | None] = [None] * 5 + [Role.SUPERVISOR]
    for wanted, role in zip(tape.wanted, answers, strict=True):
        tape.controller.turn([Checked(wanted.entry, role)])
    assert tape.recorded == [Rejected(SUPERVISOR)] * 6


def test_four_wrong_entries_are_forgiven_by_a_right_one() -> None:
    evening = Evening()
    for _ in range(2):
        for _ in range(4):
            evening.identify(SUPERVISOR, WRONG)
        assert is_known(evening, SUPERVISOR)


def test_wrong_entries_are_counted_over_a_restart() -> None:
    evening = Evening()
    for _ in range(4):
        evening.identify(SUPERVISOR, WRONG)
    evening.table.start_controller()
    evening.table.run(3)
    evening.identify(SUPERVISOR, WRONG)
    assert SUPERVISOR in evening.state.locked_out


def test_the_other_numbers_are_free() -> None:
    evening = Evening()
    lock_out(evening)
    assert is_known(evening, OTHER_SUPERVISOR)
    assert evening.act(OTHER_SUPERVISOR, Trigger.OPEN_TABLE) is None


def test_a_number_that_nobody_has_is_locked_out_like_any_other() -> None:
    evening = Evening()
    lock_out(evening, 999)
    checks = evening.checks
    evening.identify(999, WRONG)
    assert evening.checks == checks
    assert "locked out" in message(evening)


def test_a_lock_out_lasts_the_houses_time_and_trying_on_neither_shortens_nor_lengthens_it() -> None:
    evening = Evening()
    lock_out(evening)
    since = evening.state.locked_out[SUPERVISOR]
    evening.table.wait(LOCK_OUT / 2)
    evening.identify(SUPERVISOR, WRONG)
    assert evening.state.locked_out == {SUPERVISOR: since}
    evening.table.wait(LOCK_OUT / 2 - 5)
    assert not is_known(evening, SUPERVISOR)
    evening.table.wait(5)
    assert is_known(evening, SUPERVISOR)


@pytest.mark.parametrize("clock_set_forward", [0, 86_400])
def test_after_a_restart_a_lock_out_begins_again_in_full_whatever_the_clock_says(clock_set_forward: int) -> None:
    """At a start, the table's time goes on by what the wall's clock says has passed."""
    evening = Evening()
    lock_out(evening)
    evening.table.wait(30)
    evening.table.ns += clock_set_forward * 10**9
    evening.table.start_controller()
    assert evening.state.locked_out == {SUPERVISOR: evening.table.ns}
    evening.table.run(3)
    assert not is_known(evening, SUPERVISOR)


# ---- renewal


def test_the_room_manager_renews_a_pin_which_the_person_types_twice() -> None:
    evening = Evening()
    renew(evening, ROOM_MANAGER, SUPERVISOR, NEW, NEW)
    assert evening.people[SUPERVISOR][0] == NEW
    assert events(evening, PinRenewed) == [PinRenewed(SUPERVISOR, ROOM_MANAGER)]
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) is None
    assert evening.session is Session.SHOWING


def test_a_renewal_ends_a_lock_out() -> None:
    evening = Evening()
    lock_out(evening)
    renew(evening, ROOM_MANAGER, SUPERVISOR, NEW, NEW)
    assert not evening.state.locked_out
    assert is_known(evening, SUPERVISOR)


@pytest.mark.parametrize("person", [DEALER, SUPERVISOR, 401])
def test_nobody_else_renews_a_pin_not_even_his_own(person: int) -> None:
    evening = Evening()
    before = dict(evening.people)
    assert evening.act(person, Trigger.RENEW_PIN, person) == "SB-3"
    evening.press(*map(int, NEW), Key.ENTER)
    evening.table.run(0.1)
    assert evening.people == before
    assert not events(evening, PinRenewed)


def test_the_pin_of_an_unknown_person_is_not_renewed_and_that_is_recorded() -> None:
    evening = Evening()
    renew(evening, ROOM_MANAGER, 999, NEW, NEW)
    assert events(evening, PinRenewed) == [PinRenewed(999, ROOM_MANAGER, "nobody has the number 999")]
    assert "nobody has the number 999" in message(evening)


def test_a_renewal_refused_ends_no_lock_out() -> None:
    evening = Evening()
    lock_out(evening, 999)
    renew(evening, ROOM_MANAGER, 999, NEW, NEW)
    assert 999 in evening.state.locked_out


def test_a_renewal_that_was_asked_for_is_recorded_though_its_entry_is_gone() -> None:
    evening = Evening()
    renew(evening, ROOM_MANAGER, SUPERVISOR, NEW)
    for key in (*map(int, NEW), Key.ENTER):
        evening.hands.press_key(key)
        evening.table.step()
    evening.table.unplug("keypad")
    evening.table.run(0.2)
    assert events(evening, PinRenewed) in ([], [PinRenewed(SUPERVISOR, ROOM_MANAGER)])
    assert bool(events(evening, PinRenewed)) == (evening.people[SUPERVISOR][0] == NEW)


def test_a_keypad_pulled_out_within_a_new_pin_renews_nothing() -> None:
    evening = Evening()
    renew(evening, ROOM_MANAGER, SUPERVISOR, NEW, NEW[:3])
    evening.press(Key.CLEAR)
    renew(evening, ROOM_MANAGER, SUPERVISOR, NEW)
    evening.press(*map(int, NEW[:3]))
    evening.table.unplug("keypad")
    evening.table.replug("keypad")
    evening.table.run(2)
    evening.press(*map(int, NEW[3:]), Key.ENTER)
    assert not events(evening, PinRenewed)
    assert len(events(evening, EntryDropped)) == 1


def test_no_pin_old_new_or_wrong_stands_in_the_journal() -> None:
    evening = Evening()
    old = evening.people[SUPERVISOR][0]
    lock_out(evening)
    renew(evening, ROOM_MANAGER, SUPERVISOR, "111111", NEW, WRONG, NEW, NEW)
    assert is_known(evening, SUPERVISOR)
    text = b"".join(record.body for record in evening.table.store.records())
    for pin in (old, NEW, WRONG, "111111"):
        assert pin.encode() not in text
        assert pin.encode().hex().encode() not in text
