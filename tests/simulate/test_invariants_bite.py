"""Each invariant of the simulated shifts bites: in a world where it does not hold, it says so."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from drivers.cards import UNREAD, Face, face_name
from drivers.protocol.messages import Capability, CardDrawn, CardIn, Operation, Purpose, TrayChanged
from drivers.protocol.notices import AckEvents, Release
from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.records import Entry, Logged
from firmware_bridge.core.words import Incident, IncidentKind, Place, Role, Session, Trigger
from sim_hardware.commands.simulate.invariants.by_book import AsTheBookSays
from sim_hardware.commands.simulate.invariants.hold import HeldIsHeld
from sim_hardware.commands.simulate.invariants.sequences import SequenceIsSeen
from sim_hardware.commands.simulate.shift import Settings, Shift
from sim_hardware.commands.simulate.watch import ViolationError
from sim_hardware.commands.simulate.world import seconds
from sim_hardware.commands.stage import book_of


def play_to(state: Session, rulebook: str = "portugal") -> Shift:
    """Return a shift without faults, played until its session stands there."""
    shift = Shift(Settings(seed=3, rounds=3, faults="none", rulebook=rulebook, ways_out=0))
    while shift.watch.state.session is not state:
        shift.world.play_until(shift.world.ns + seconds(0.5))
        assert shift.world.seconds < 3600
    return shift


def record(shift: Shift, event: e.AnyEvent, *changes: c.AnyChange) -> None:
    """Write a record of our own making into the journal, as a broken controller might."""
    world = shift.world
    number = world.disk.flushed[-1].number + 1
    body = Logged(world.ns, event, c.Decision(changes)).to_body()
    world.disk.flushed.append(Entry(number, world.ns, world.ns, body))
    shift.watch.catch_up()


def run_on(shift: Shift, for_s: float) -> None:
    shift.world.play_until(shift.world.ns + seconds(for_s))


# ---- a broken world for each invariant


def books_hold_a_card_that_is_not_there(shift: Shift) -> None:
    booked = c.Booked(Place.OUTSIDE, Place.MACHINE, 1, "loading")
    record(shift, e.Told("shuffler", 1, CardIn(UNREAD)), booked, booked)


def a_count_that_differs_is_believed(shift: Shift) -> None:
    record(shift, e.BadFrames("shoe", 1, ""), c.FullCount(3, 4), c.FullCount(4, 4))


def verified_with_cards_missing(shift: Shift) -> None:
    del shift.world.physical.box[:2]
    record(shift, e.BadFrames("shoe", 1, ""), moved(Session.ALL_REGULAR, Session.VERIFIED))


def not_opened_with_a_card_left_inside(shift: Shift) -> None:
    shift.world.physical.mechanism.lay_inside([shift.world.physical.box.pop()])
    record(shift, e.BadFrames("shoe", 1, ""), moved(Session.SHOWING, Session.NOT_OPENED))


def released_though_the_session_is_not_ready(shift: Shift) -> None:
    shift.world.ordered("shoe", Release(Purpose.DEAL, 1, 1))


def a_dealer_declares_the_table_closed(shift: Shift) -> None:
    record(shift, e.Identified(101, Role.DEALER))
    acted = e.Acted(101, Role.DEALER, Trigger.DECLARE_CLOSED)
    record(shift, acted, moved(Session.SHOWING, Session.NOT_OPENED, Trigger.DECLARE_CLOSED))


def a_dealer_is_taken_for_a_supervisor(shift: Shift) -> None:
    record(shift, e.Identified(101, Role.SUPERVISOR))


def somebody_acts_who_did_not_identify_himself(shift: Shift) -> None:
    record(shift, e.Acted(201, Role.SUPERVISOR, Trigger.ACKNOWLEDGE))


def an_incident_ends_by_time(shift: Shift) -> None:
    record(shift, e.BadFrames("shoe", 1, ""), c.Raised(IncidentKind.JAM, "shuffler", "exit"))
    number = shift.watch.state.incidents_raised
    ends = c.Moved(f"incident/{number}", Trigger.CONDITION_GONE, Incident.RAISED, Incident.CONFIRMED, "PT-A2")
    record(shift, e.TimerDue("return"), ends)


def an_alarm_that_never_comes(shift: Shift) -> None:
    shift.world.physical.pull_cable("lamp")
    run_on(shift, 0.5)
    for state in (shift.watch.state, shift.world.state):
        state.incidents.clear()
    run_on(shift, 10)


def a_state_that_the_journal_does_not_make(shift: Shift) -> None:
    shift.world.state.round_limit += 1
    shift.world.show_screen(False)
    run_on(shift, 2)


def an_event_is_journalled_twice(shift: Shift) -> None:
    told = e.Told("shuffler", shift.watch.state.devices["shuffler"].taken, TrayChanged(occupied=False))
    record(shift, told, c.Taken("shuffler", told.number))


def an_event_is_acknowledged_before_it_is_safe(shift: Shift) -> None:
    device = shift.watch.state.devices["shuffler"]
    shift.world.ordered("shuffler", AckEvents(device.taken + 1, device.memory))


def a_command_is_carried_out_twice(shift: Shift) -> None:
    shift.world.physical.devices["shuffler"].begun[7] = 2
    run_on(shift, 1)


def a_command_is_given_before_the_last_one_ended(shift: Shift) -> None:
    order = c.OrderGiven("shuffler", shift.watch.state.devices["shuffler"].boot, Operation.INVENTORY, "session")
    record(shift, e.BadFrames("shoe", 1, ""), order)
    record(shift, e.BadFrames("shoe", 2, ""), order)


def a_command_is_given_to_a_machine_that_still_tells_what_it_kept(shift: Shift) -> None:
    machine = shift.watch.state.devices["shuffler"]
    machine.caught_up = False
    record(shift, e.BadFrames("shoe", 1, ""), c.OrderGiven("shuffler", machine.boot, Operation.INVENTORY, "session"))


def a_command_waits_for_a_machine_that_has_told_all(shift: Shift) -> None:
    record(shift, e.BadFrames("shoe", 1, ""), c.OrderDue("shuffler", Operation.INVENTORY, "session"))


def a_command_is_given_of_a_number_that_its_device_has_had(shift: Shift) -> None:
    record(shift, e.DeviceCaughtUp("shuffler", 10**6))
    order = c.OrderGiven("shuffler", shift.watch.state.devices["shuffler"].boot, Operation.INVENTORY, "session")
    record(shift, e.BadFrames("shoe", 1, ""), order)


def the_journal_is_said_to_be_behind(shift: Shift) -> None:
    record(shift, e.BadFrames("shoe", 1, ""), c.Raised(IncidentKind.JOURNAL_BEHIND, "shoe", ""))


def wrong_entries_lock_nobody_out(shift: Shift) -> None:
    for _ in range(shift.world.config.book.house.wrong_entries):
        record(shift, e.Rejected(201))


def a_renewal_is_told_that_the_people_file_never_saw(shift: Shift) -> None:
    record(shift, e.PinRenewed(201, 301))


def a_dealer_has_a_pin_renewed(shift: Shift) -> None:
    record(shift, e.RenewalBegan(201, 101))


def a_dealer_whose_right_is_taken_goes_on(shift: Shift) -> None:
    run_on(shift, 20)
    shift.world.barred.add(shift.watch.state.dealer)
    run_on(shift, 3)


def the_walls_clock_is_set_and_no_record_says_so(shift: Shift) -> None:
    shift.world.clock_untold_ns = seconds(60)
    run_on(shift, 3)


def a_shoe_that_cannot_hold_deals_before_it_may_and_no_incident_opens(shift: Shift) -> None:
    shoe, places = shift.watch.state.devices["shoe"], shift.watch.state.account.places
    shoe.capabilities &= ~Capability.CAN_HOLD
    places[Place.MACHINE] = 1
    booked = c.Booked(Place.SHOE, Place.UNLOADED, 1, "out of turn")
    told = e.Told("shoe", shoe.taken + 1, CardDrawn(Purpose.DEAL, UNREAD))
    record(shift, told, booked, moved(Session.SHOWING, Session.SHOWING, Trigger.CARD_DRAWN))


def a_card_that_nobody_awaited_opens_no_incident(shift: Shift) -> None:
    taken = shift.watch.state.devices["shuffler"].taken
    booked = c.Booked(Place.OUTSIDE, Place.MACHINE, 1, "loading")
    record(shift, e.Told("shuffler", taken + 1, CardIn(UNREAD)), booked)


def a_pin_gets_into_the_journal(shift: Shift) -> None:
    record(shift, e.EntryDropped(shift.pins[201]))


def a_pin_gets_on_a_screen(shift: Shift) -> None:
    keypad = msgspec.structs.replace(shift.view().keypad, message=shift.pins[201])
    shift.watch.shown(msgspec.structs.replace(shift.view(), keypad=keypad))


def a_face_is_told_of_a_card_that_nobody_saw(shift: Shift) -> None:
    booked = c.Booked(Place.OUTSIDE, Place.DISCARD, 1, "deal", shift.world.physical.box[0].face)
    record(shift, e.TimerDue("return"), booked)


def a_screen_names_a_card_that_nobody_has_seen(shift: Shift) -> None:
    keypad = msgspec.structs.replace(shift.view().keypad, message=face_name(shift.world.physical.box[0].face))
    shift.watch.shown(msgspec.structs.replace(shift.view(), keypad=keypad))


def the_log_names_a_card_that_nobody_has_seen(shift: Shift) -> None:
    raised = c.Raised(IncidentKind.LINK_LOST, "shoe", face_name(shift.world.physical.box[0].face))
    record(shift, e.LinkDown("shoe", "gone"), raised)


def another_lamp_stands_there_and_no_alarm_says_so(shift: Shift) -> None:
    opened = (one.event for one in map(read, shift.world.disk.flushed) if isinstance(one.event, e.LinkUp))
    other = msgspec.structs.replace(next(one.hello for one in opened if one.device == "lamp"), serial="another")
    record(shift, e.LinkUp("lamp", other, False, False), c.Linked("lamp", other))


def a_supervisor_approves_what_no_technician_checked(shift: Shift) -> None:
    told = shift.watch.state.devices["lamp"].told
    record(shift, e.Identified(201, Role.SUPERVISOR))
    approved = c.DeviceApproved("lamp", told, technician=401, supervisor=201)
    record(shift, e.Acted(201, Role.SUPERVISOR, Trigger.APPROVE_DEVICE), approved)


def a_step_of_the_opening_is_passed_over(shift: Shift) -> None:
    record(shift, e.BadFrames("shoe", 1, ""), moved(Session.SHOWING, Session.CHECKING_BACKS, Trigger.NOT_ASKED))


def the_set_goes_in_in_one_pack(shift: Shift) -> None:
    record(shift, e.BadFrames("shoe", 1, ""), c.PackEnded(208))
    record(shift, e.BadFrames("shoe", 2, ""), moved(Session.AWAITING_PACK, Session.WRONG_LOAD, Trigger.DECLARE_LOADED))


def raise_slow_journal(shift: Shift, *more: c.AnyChange) -> None:
    record(shift, e.FlushWasSlow(9000), c.Raised(IncidentKind.SLOW_JOURNAL, "", ""), *more)


def an_error_leaves_its_round_as_it_is(shift: Shift) -> None:
    raise_slow_journal(shift)


def a_round_is_void_and_the_action_is_another(shift: Shift) -> None:
    number = shift.watch.state.incidents_raised + 1
    raise_slow_journal(shift, c.RoundVoided(number, "LD-8"))
    record(shift, e.BadFrames("shoe", 1, ""), c.IncidentClosed(number, 201, 0))


def a_round_begins_before_the_void_one_is_shuffled(shift: Shift) -> None:
    raise_slow_journal(shift, c.RoundVoided(shift.watch.state.incidents_raised + 1, "LD-8"))
    record(shift, e.BadFrames("shoe", 1, ""), c.RoundBegan())


def a_controller_comes_back_into_a_round_that_goes_on(shift: Shift) -> None:
    began = next(one.event for one in map(read, shift.world.disk.flushed) if isinstance(one.event, e.Started))
    record(shift, began)


def a_round_begins_with_too_few_cards_burned(shift: Shift) -> None:
    record(shift, e.BadFrames("shoe", 1, ""), c.RoundBegan())


def the_last_pack_ends_before_the_packs_that_must_be(shift: Shift) -> None:
    record(shift, e.BadFrames("shoe", 1, ""), c.PackEnded(208))
    record(shift, e.BadFrames("shoe", 2, ""), moved(Session.LOADING_PACK, Session.AWAITING_PACK, Trigger.END_PACK))


def read(entry: Entry) -> Logged:
    return Logged.from_body(entry.body)


def moved(source: Session, target: Session, trigger: Trigger = Trigger.SIGN_RESULT) -> c.Moved:
    return c.Moved("session", trigger, source, target, "PT-A6")


BROKEN: tuple[tuple[int, Callable[[Shift], None]], ...] = (
    (1, books_hold_a_card_that_is_not_there),
    (1, a_count_that_differs_is_believed),
    (1, verified_with_cards_missing),
    (1, not_opened_with_a_card_left_inside),
    (2, released_though_the_session_is_not_ready),
    (3, a_dealer_declares_the_table_closed),
    (3, a_dealer_is_taken_for_a_supervisor),
    (2, a_card_that_nobody_awaited_opens_no_incident),
    (2, a_shoe_that_cannot_hold_deals_before_it_may_and_no_incident_opens),
    (3, wrong_entries_lock_nobody_out),
    (3, a_renewal_is_told_that_the_people_file_never_saw),
    (3, a_dealer_has_a_pin_renewed),
    (5, a_dealer_whose_right_is_taken_goes_on),
    (5, the_walls_clock_is_set_and_no_record_says_so),
    (3, somebody_acts_who_did_not_identify_himself),
    (3, another_lamp_stands_there_and_no_alarm_says_so),
    (3, a_supervisor_approves_what_no_technician_checked),
    (3, a_step_of_the_opening_is_passed_over),
    (3, the_set_goes_in_in_one_pack),
    (3, the_last_pack_ends_before_the_packs_that_must_be),
    (4, an_incident_ends_by_time),
    (5, an_alarm_that_never_comes),
    (6, a_state_that_the_journal_does_not_make),
    (7, an_event_is_journalled_twice),
    (7, an_event_is_acknowledged_before_it_is_safe),
    (7, the_journal_is_said_to_be_behind),
    (8, a_command_is_carried_out_twice),
    (8, a_command_is_given_before_the_last_one_ended),
    (8, a_command_is_given_to_a_machine_that_still_tells_what_it_kept),
    (8, a_command_waits_for_a_machine_that_has_told_all),
    (8, a_command_is_given_of_a_number_that_its_device_has_had),
    (10, a_pin_gets_into_the_journal),
    (10, a_pin_gets_on_a_screen),
    (10, a_face_is_told_of_a_card_that_nobody_saw),
    (10, a_screen_names_a_card_that_nobody_has_seen),
    (10, the_log_names_a_card_that_nobody_has_seen),
)


@pytest.mark.parametrize(("number", "breaks"), BROKEN, ids=lambda value: getattr(value, "__name__", str(value)))
def test_an_invariant_that_does_not_hold_is_named(number: int, breaks: Callable[[Shift], None]) -> None:
    shift = play_to(Session.SHOWING)
    with pytest.raises(ViolationError) as broken:
        breaks(shift)
    assert broken.value.invariant == number


@pytest.mark.parametrize(
    "breaks",
    [
        an_error_leaves_its_round_as_it_is,
        a_round_is_void_and_the_action_is_another,
        a_round_begins_before_the_void_one_is_shuffled,
        a_controller_comes_back_into_a_round_that_goes_on,
    ],
)
def test_a_round_that_an_error_has_to_void_is_watched(breaks: Callable[[Shift], None]) -> None:
    shift = play_to(Session.IN_ROUND, "live")
    with pytest.raises(ViolationError, match=r"\[LD-[78]\]") as broken:
        breaks(shift)
    assert broken.value.invariant == 3


def test_a_round_before_which_too_few_cards_are_burned_is_named() -> None:
    shift = play_to(Session.READY, book_of("macau"))
    with pytest.raises(ViolationError, match=r"0 cards were burned and not \d+ \[MO-4a\]") as broken:
        a_round_begins_with_too_few_cards_burned(shift)
    assert broken.value.invariant == 3


def test_a_shuffle_after_which_a_card_went_in_is_not_all_cards() -> None:
    shift = play_to(Session.IN_ROUND, "live")
    raise_slow_journal(shift, c.RoundVoided(shift.watch.state.incidents_raised + 1, "LD-8"))
    invariant = next(one for one in shift.watch.invariants if isinstance(one, AsTheBookSays))
    invariant._round_runs = False
    shift.watch.state.positions["session"] = Session.READY
    ordered = c.OrderGiven("shuffler", 1, Operation.SHUFFLE, "session")
    for change in (ordered, c.Booked(Place.TABLE, Place.MACHINE, 1, "return"), c.OrderClosed(7, "done")):
        invariant._follow_shuffle(7, change)
    with pytest.raises(ViolationError, match="the void one's cards are not shuffled"):
        invariant.recorded(8, Logged(0, e.BadFrames("shoe", 1, ""), c.Decision((c.RoundBegan(),))))


SHUFFLED = (c.OrderGiven("shuffler", 1, Operation.SHUFFLE, "session"), c.OrderClosed(7, "done"))
PLAY_GOES_ON = "6 cards came in order, and play goes on"
HELD_FOR_NONE = "an order of cards that there was not"


@pytest.mark.parametrize(
    ("faces", "raised", "broken"),
    [
        ((30, 9, 8, 7, 6, 5, 4), False, PLAY_GOES_ON),
        ((9, 4, 51, 30, 30, 17, 2, 9, 4, 51, 30, 30, 17), False, PLAY_GOES_ON),
        ((30, 9, 8, 7, 6, 5, 3), True, HELD_FOR_NONE),
        ((15, 14, 13, 12, 11, 10), True, HELD_FOR_NONE),  # from one suit into the next
        ((9, 8, 7, None, 6, 5, 4), True, HELD_FOR_NONE),  # shuffled between
    ],
)
def test_six_dealt_cards_in_order_hold_the_table_and_nothing_less_does(
    faces: tuple[int | None, ...], raised: bool, broken: str
) -> None:
    shift = play_to(Session.IN_ROUND)
    invariant = SequenceIsSeen(shift.world, shift.watch)

    def recorded(*changes: c.AnyChange) -> None:
        invariant.recorded(7, Logged(0, e.BadFrames("shoe", 1, ""), c.Decision(changes)))

    for face in faces[:-1]:
        recorded(*(SHUFFLED if face is None else (c.Booked(Place.SHOE, Place.TABLE, 1, "deal", Face(face)),)))
    last = c.Booked(Place.SHOE, Place.TABLE, 1, "deal", Face(faces[-1] or 0))
    with pytest.raises(ViolationError, match=broken):
        recorded(last, *([c.Raised(IncidentKind.SEQUENCE, "", "")] if raised else []))


@pytest.mark.clause("PT-A10")
def test_the_time_for_cards_to_come_back_begins_anew_with_a_machine_that_was_gone() -> None:
    shift = play_to(Session.RETURNING)
    shift.crowd.people = ()
    window = shift.world.config.book.house.return_window_s
    run_on(shift, window - 10)
    shift.world.physical.pull_cable("shuffler")
    run_on(shift, 5)
    shift.world.physical.plug_in("shuffler")
    run_on(shift, window - 5)
    kinds = [one.kind for one in shift.watch.state.incidents.values()]
    assert kinds == [IncidentKind.LINK_LOST]
    run_on(shift, 10)
    assert IncidentKind.CARD_LOST in [one.kind for one in shift.watch.state.incidents.values()]


def test_whoever_is_released_is_told_to_hold_before_the_flush_unless_its_link_is_a_fresh_one() -> None:
    shift = play_to(Session.SHOWING)
    invariant = next(one for one in shift.watch.invariants if isinstance(one, HeldIsHeld))
    opened = next(
        logged
        for logged in (Logged.from_body(entry.body) for entry in shift.world.disk.flushed)
        if isinstance(logged.event, e.LinkUp) and logged.event.device == "shuffler"
    )
    invariant._released["shuffler"] = True
    with pytest.raises(ViolationError, match="shuffler was not told to hold before the flush, in showing"):
        invariant.flushes()
    invariant.recorded(1, opened)
    invariant.flushes()
