"""In which order things leave a turn: what restricts, the flush, and only then what permits, acks, leases, commands."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import (
    CardDrawn,
    DealerKey,
    DealerKeyPressed,
    Inventory,
    JamChanged,
    JamPlace,
    Key,
    Lamp,
    Level,
    Operation,
    Purpose,
)
from drivers.protocol.notices import (
    AckEvents,
    Carry,
    CaughtUp,
    HoldNow,
    LinkLost,
    LinkOpened,
    LinkRefused,
    Release,
    StrokeTold,
    Want,
)
from firmware_bridge.core.changes import OrderDue
from firmware_bridge.core.controller import Checked, FromDevice, MayAct
from firmware_bridge.core.decide import LAST_COMMAND
from firmware_bridge.core.fold import apply_change
from firmware_bridge.core.steps import STEPS
from firmware_bridge.core.words import Claim, IncidentKind, Role, Session, Trigger
from firmware_bridge.errors import JournalError
from tests.core.tape import FLUSH, Tape, heartbeat, kinds
from tests.table.evening import Evening


@pytest.mark.rule(11, 28)
@pytest.mark.clause("SB-11")
def test_an_event_is_acknowledged_after_the_flush_that_journals_it(tape: Tape) -> None:
    events = tape.tell("shoe", tape.event("shoe", CardDrawn(Purpose.DEAL, 5)))
    acks = [place for place, one in enumerate(events) if isinstance(one, tuple) and isinstance(one[1], AckEvents)]
    assert acks
    assert min(acks) > kinds(events).index(FLUSH)


@pytest.mark.rule(28)
def test_what_restricts_leaves_before_the_flush(tape: Tape) -> None:
    events = tape.tell("shuffler", tape.event("shuffler", JamChanged(JamPlace.EXIT, True)))
    before = events[: kinds(events).index(FLUSH)]
    assert ("shoe", HoldNow()) in before
    assert ("shuffler", HoldNow()) in before
    assert ("lamp", Want(Level.LAMP, Lamp.FLASHING)) in before


@pytest.mark.rule(28)
def test_what_permits_leaves_after_the_flush_only(tape: Tape) -> None:
    tape.tell("shoe", tape.event("shoe", CardDrawn(Purpose.DEAL, 5)))
    prompt = tape.controller.state.prompt
    events = tape.tell("shoe", tape.event("shoe", DealerKeyPressed(DealerKey.ROUND_OVER, prompt)))
    assert tape.controller.state.session is Session.RETURNING
    opening = events.index(("shuffler", Want(Level.INTAKE, 1)))
    assert kinds(events).index(FLUSH) < kinds(events).index("AckEvents") < opening, "a device waits for its ack"
    assert events.index(("shoe", HoldNow())) < kinds(events).index(FLUSH)


@pytest.mark.rule(25)
def test_a_lease_answers_one_heartbeat_once_and_after_the_flush(tape: Tape) -> None:
    drawn = tape.event("shoe", CardDrawn(Purpose.DEAL, 5))
    events = tape.tell("shoe", heartbeat(), drawn)
    lease = events.index(("shoe", Release(Purpose.DEAL, 7, 1000)))
    assert lease > kinds(events).index(FLUSH)
    assert not any(isinstance(one, tuple) and isinstance(one[1], Release) for one in tape.tell("shoe"))
    tape.tell("shoe", heartbeat(1001))
    assert ("shoe", Release(Purpose.DEAL, 7, 1001)) in tape.events


@pytest.mark.rule(25)
@pytest.mark.clause("SB-11")
def test_a_turn_that_cannot_be_flushed_renews_nothing_acknowledges_nothing_and_holds(tape: Tape) -> None:
    tape.failing = True
    drawn = tape.event("shoe", CardDrawn(Purpose.DEAL, 5))
    with pytest.raises(JournalError):
        tape.tell("shoe", heartbeat(), drawn)
    assert "Release" not in kinds(tape.events)
    assert "AckEvents" not in kinds(tape.events)
    assert ("shoe", HoldNow()) in tape.events
    assert ("shuffler", HoldNow()) in tape.events


@pytest.mark.rule(25)
def test_a_heartbeat_of_the_link_before_is_answered_by_nothing(tape: Tape) -> None:
    tape.tell("shoe", LinkLost("unplugged"))
    tape.tell("shoe", heartbeat(1002), LinkLost("unplugged again"))
    for events in (tape.tell("shoe"), tape.tell("shoe")):
        assert "Release" not in kinds(events)


@pytest.mark.rule(14)
def test_a_commands_id_is_the_record_that_orders_it_and_it_leaves_after_the_flush(tape: Tape) -> None:
    events = tape.act(Trigger.COUNT_MACHINE)
    order = tape.controller.state.order
    assert order is not None
    carried = [place for place, one in enumerate(events) if isinstance(one, tuple) and isinstance(one[1], Carry)]
    assert [events[place][1].id for place in carried] == [order.id]  # type: ignore[index, union-attr]
    assert carried[0] > kinds(events).index(FLUSH)


@pytest.mark.clause("SB-3")
def test_a_dealer_whose_right_is_taken_deals_no_more_and_his_keys_count_no_longer(tape: Tape) -> None:
    tape.controller.turn([MayAct(frozenset({101, 201}))])
    assert tape.controller.state.dealer == 101
    tape.events.clear()
    tape.controller.turn([MayAct(frozenset({201}))])
    assert tape.controller.state.dealer == 0
    assert tape.events.index(("shoe", HoldNow())) < tape.events.index(FLUSH)
    pressed = DealerKeyPressed(DealerKey.CLAIM, tape.controller.state.prompt)
    tape.tell("shoe", tape.event("shoe", CardDrawn(Purpose.DEAL, 5)), tape.event("shoe", pressed))
    assert tape.controller.state.claim is Claim.NONE


@pytest.mark.clause("SB-3", "PT-A6")
def test_keys_typed_while_the_pin_is_checked_are_the_step_that_was_typed(tape: Tape) -> None:
    tape.type("201", "161803", "40")
    tape.controller.turn([Checked(tape.wanted.pop().entry, Role.SUPERVISOR)])
    assert tape.controller.state.session is Session.DECLARED_CLOSED


@pytest.mark.clause("SB-3")
def test_keys_typed_behind_a_wrong_pin_are_nobodys_step_and_nobodys_number(tape: Tape) -> None:
    tape.type("201", "112233", "40")
    tape.controller.turn([Checked(tape.wanted.pop().entry, None)])
    assert tape.controller.state.session is Session.READY
    tape.type("301", "1")  # and so is what comes of it later still
    assert not tape.wanted
    assert tape.controller.console.asking == "number"
    assert tape.controller.console.digits == 0
    tape.tell("keypad", StrokeTold(Key.CLEAR, 0))
    tape.type("201", "161803")
    assert tape.wanted


@pytest.mark.clause("SB-3")
def test_a_key_that_is_stuck_while_a_pin_is_checked_drops_the_entry(tape: Tape) -> None:
    tape.type("201", "161803", "4" * 40)
    tape.controller.turn([Checked(tape.wanted.pop().entry, Role.SUPERVISOR)])
    assert tape.controller.console.role is None


@pytest.mark.clause("SB-3")
def test_a_pin_is_renewed_after_the_flush_that_records_it(tape: Tape) -> None:
    events = tape.act(Trigger.RENEW_PIN, Role.ROOM_MANAGER, "101", "858585", "858585")
    assert events == [FLUSH, "renew 101"]


@pytest.mark.rule(17)
def test_a_command_under_way_is_given_again_when_its_device_has_caught_up_in_the_same_boot(tape: Tape) -> None:
    tape.act(Trigger.COUNT_MACHINE)
    order = tape.controller.state.order
    assert order is not None
    events = tape.tell("shuffler", CaughtUp())
    assert [one[1].id for one in events if isinstance(one, tuple) and isinstance(one[1], Carry)] == [order.id]
    result = tape.event("shuffler", Inventory(order.id, 0, (208,)))
    tape.tell("shuffler", result)
    assert not any(isinstance(one, tuple) and isinstance(one[1], Carry) for one in tape.tell("shuffler", CaughtUp()))


@pytest.mark.rule(14)
@pytest.mark.parametrize(("told", "given"), [(0, None), (7_000, 7_001), (LAST_COMMAND, LAST_COMMAND)])
def test_a_command_is_above_what_its_device_has_accepted_and_below_nothing_there_is(
    tape: Tape, told: int, given: int | None
) -> None:
    tape.tell("shuffler", CaughtUp(told))
    events = tape.act(Trigger.COUNT_MACHINE)
    (sent,) = [one[1].id for one in events if isinstance(one, tuple) and isinstance(one[1], Carry)]
    order = tape.controller.state.order
    assert order is not None
    assert sent == order.id == (given or order.record)


@pytest.mark.rule(14)
@pytest.mark.parametrize("above", [-1, 0, 1])
def test_an_order_that_waited_is_above_what_its_device_tells_with_the_record_that_gives_it(
    tape: Tape, above: int
) -> None:
    state = tape.controller.state
    state.devices["shuffler"].caught_up = False
    apply_change(state, OrderDue("shuffler", Operation.INVENTORY, "session"))
    told = state.record + 1 + above
    events = tape.tell("shuffler", CaughtUp(told))
    assert [one[1].id for one in events if isinstance(one, tuple) and isinstance(one[1], Carry)] == [
        max(told + 1, state.record)
    ]


@pytest.mark.rule(14)
def test_an_old_result_taken_in_the_same_turn_as_an_order_of_its_id_does_not_answer_it(evening: Evening) -> None:
    """An older journal gives an id again, in another boot; the result stands in the journal before the order."""
    given = 1
    for _ in range(2):  # the first time only to see which id the order will have
        tape = Tape(evening)
        tape.type("201", "161803", str(STEPS[Trigger.COUNT_MACHINE].number))
        result = tape.event("shuffler", Inventory(given, 0, (208,)))
        tape.controller.turn([FromDevice("shuffler", [result]), Checked(tape.wanted.pop().entry, Role.SUPERVISOR)])
        order = tape.controller.state.order
        assert order is not None, "answered by the result of another boot"
        given, before = order.id, given
    assert given == before


@pytest.mark.rule(27)
def test_an_event_of_a_device_that_is_not_taken_on_is_not_acknowledged(tape: Tape, evening: Evening) -> None:
    shuffler = next(record.event for record in evening.logged() if getattr(record.event, "device", "") == "shuffler")
    twin = shuffler.hello  # type: ignore[union-attr]
    tape.tell("lamp", LinkLost("unplugged"))
    tape.tell("lamp", LinkOpened(twin, memory_lost=False, behind=False))
    events = tape.tell("lamp", tape.event("lamp", CardDrawn(Purpose.DEAL, 5)))
    assert "AckEvents" not in kinds(events)
    assert FLUSH not in kinds(events)


def test_heads_are_signed_at_a_rounds_end_and_not_within_it() -> None:
    evening = Evening()
    evening.open_and_load()
    before = evening.table.store.head
    signed = [part.number for part in evening.table.store.parts() if type(part).__name__ == "Head"]
    evening.deal(5)
    evening.table.run(1)
    during = [part.number for part in evening.table.store.parts() if type(part).__name__ == "Head"]
    assert during == signed
    evening.key(DealerKey.ROUND_OVER)
    evening.put_back()
    after = [part.number for part in evening.table.store.parts() if type(part).__name__ == "Head"]
    assert len(after) == len(signed) + 1
    assert evening.table.store.head != before


def test_every_session_begins_a_segment() -> None:
    evening = Evening()
    openings = [part for part in evening.table.store.parts() if type(part).__name__ == "Opening"]
    evening.open_table()
    assert len([part for part in evening.table.store.parts() if type(part).__name__ == "Opening"]) == len(openings) + 1


@pytest.mark.clause("SB-7")
def test_more_cards_drawn_than_the_machine_fed_is_a_mismatch_once_the_houses_time_is_over(tape: Tape) -> None:
    for _ in range(2):
        tape.tell("shoe", tape.event("shoe", CardDrawn(Purpose.DEAL, 5)))  # one card lay at the mouth
    lag = tape.controller.book.house.split_lag_s * 10**9
    tape.now_ns += lag - 1
    tape.tell("shoe")
    assert not tape.controller.state.incidents
    tape.now_ns += 1
    tape.tell("shoe")
    assert [one.kind for one in tape.controller.state.incidents.values()] == [IncidentKind.COUNT_MISMATCH]


HELD = {
    (device, order)
    for device in ("shuffler", "shoe", "keypad", "lamp")
    for order in (HoldNow(), Want(Level.INTAKE, 0), Want(Level.LAMP, Lamp.FLASHING))
}
"""What a table is left with whose journal fails."""


@pytest.mark.clause("SB-11")
def test_where_a_turn_cannot_be_flushed_everything_is_held_the_intake_shut_and_the_lamp_flashes(tape: Tape) -> None:
    tape.failing = True
    with pytest.raises(JournalError):
        tape.tell("shoe", tape.event("shoe", CardDrawn(Purpose.DEAL, 5)))
    assert set(tape.events) == HELD


@pytest.mark.clause("SB-11")
def test_where_a_session_cannot_begin_its_segment_everything_is_held() -> None:
    evening = Evening()
    evening.table.run(1)
    tape = Tape(evening)
    tape.no_segment = True
    with pytest.raises(JournalError):
        tape.act(Trigger.OPEN_TABLE)
    assert set(tape.events) >= HELD


@pytest.mark.parametrize("notice", [LinkLost, LinkRefused])
def test_why_a_device_is_away_is_recorded_once_for_each_reason_not_at_each_try(
    tape: Tape, notice: type[LinkLost] | type[LinkRefused]
) -> None:
    assert FLUSH in kinds(tape.tell("lamp", notice("unplugged")))
    assert FLUSH not in kinds(tape.tell("lamp", notice("unplugged")))
    assert FLUSH in kinds(tape.tell("lamp", notice("nothing answers")))
    assert FLUSH not in kinds(tape.tell("lamp", notice("nothing answers"), notice("nothing answers")))


@pytest.mark.clause("SB-3")
def test_where_nobody_is_signed_in_no_right_is_taken(tape: Tape) -> None:
    tape.controller.turn([MayAct(frozenset({201}))])
    tape.events.clear()
    tape.controller.turn([MayAct(frozenset({201}))])
    assert FLUSH not in kinds(tape.events), "the file changed, and nobody is concerned"
