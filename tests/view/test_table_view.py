"""The view: may cards be dealt and why not, what is next and by whom, and nothing that nobody may see."""

from __future__ import annotations

import re

import msgspec
import pytest

from drivers.cards import ALL_FACES, RANKS, face_name
from drivers.protocol.messages import Capability, Key, Kind, Operation
from firmware_bridge.core import changes as c
from firmware_bridge.core.asked import COUNTS_AGAIN
from firmware_bridge.core.console import Console
from firmware_bridge.core.outputs import why_not_deal
from firmware_bridge.core.state import State
from firmware_bridge.core.words import CardSet, Claim, Incident, IncidentKind, Place, Procedure, Session
from firmware_bridge.readers.follow import Status
from firmware_bridge.rulebooks import RuleBook, load_rulebook
from firmware_bridge.view import DOUBTS, Hand, TableView, table_view
from tests.table.evening import otherwise
from tests.view.states import (
    BEGAN,
    BOOK,
    LOADED,
    SECOND,
    UTC,
    at,
    booked,
    fold,
    hello,
    in_round,
    linked,
    moved,
    state_of,
)

CLAUSE_AT_END = re.compile(r"\[(?:[A-Z]{2}-[A-Z]?\d+|house: \w+)\]$")
ORDER = c.OrderGiven("shuffler", 1, Operation.INVENTORY, "session")
WAITING = {
    Session.COUNTING_LOAD,
    Session.COUNTING_MACHINE,
    Session.SHUFFLING,
    Session.COUNTING_EMPTY,
    Session.READING_DECK,
}


def view_of(state: State, status: Status | None = None, **more: object) -> TableView:
    return table_view(state, BOOK, status, (), **more)  # type: ignore[arg-type]


def asks(view: TableView) -> dict[str, int]:
    """What is asked and due, with what it is about."""
    return {line.trigger: line.about for line in view.asks if line.due}


def texts_of(view: TableView, trigger: str) -> str:
    return next(line.text for line in view.asks if line.trigger == trigger)


TROUBLED = [
    state_of(LOADED, [moved(Session.READY)], [moved(Claim.OPEN, Procedure.CLAIM)]),
    state_of(LOADED, [moved(Session.READY), c.DealerSigned(0)]),
    state_of(LOADED, [moved(Session.READY), c.Raised(IncidentKind.LID_OPENED, "shuffler", "it was opened")]),
    state_of(LOADED, [moved(Session.READY), c.Unlinked("shoe", "unplugged")]),
    state_of(LOADED, [moved(Session.READY), c.Seen("shoe", c.Sight.CAUGHT_UP, False)]),
    state_of(LOADED, [moved(Session.READY), booked(Place.OVER, Place.MACHINE, 1)]),
    fold([]),
]


@pytest.mark.clause("SB-1")
@pytest.mark.parametrize("state", [*(at(session) for session in Session), in_round(), *TROUBLED])
def test_the_headline_is_deal_exactly_where_nothing_speaks_against_it(state: State) -> None:
    view = view_of(state)
    free = not why_not_deal(state)
    assert (view.headline == "DEAL") == view.may_deal == (not view.reasons) == free
    assert all(CLAUSE_AT_END.search(reason) for reason in view.reasons), view.reasons


def test_some_state_lets_deal() -> None:
    assert view_of(at(Session.READY)).headline == view_of(in_round()).headline == "DEAL"


@pytest.mark.clause("SB-1")
def test_a_doubt_never_lets_deal() -> None:
    view = view_of(at(Session.READY), doubt=DOUBTS["silent"].format(seconds=9))
    assert view.headline == "DO NOT DEAL"
    assert view.reasons == ("controller not heard for 9 s [SB-1]",)
    assert "deal" not in asks(view)


@pytest.mark.clause("SB-1")
@pytest.mark.parametrize("state", [*(at(session) for session in Session), in_round(), *TROUBLED])
def test_where_no_controller_is_heard_no_step_is_offered_and_the_keypad_is_said_to_be_dead(state: State) -> None:
    view = view_of(state, doubt=DOUBTS["silent"].format(seconds=9), heard=False)
    lines = (*view.asks, *(view.alarm.asks if view.alarm else ()))
    assert not any(line.number or line.key or line.due for line in lines)
    assert "nothing can be done at the keypad until the controller runs" in view.keypad.message


@pytest.mark.clause("SB-11")
@pytest.mark.field("BR-038")
@pytest.mark.parametrize("state", [*(at(session) for session in Session), in_round(), *TROUBLED])
def test_while_nothing_can_be_recorded_the_table_waits_for_no_step(state: State) -> None:
    why = "the disk is full"
    status = Status("1", state.record, state.utc_ns, "", "", 0, "", journal=why)
    view = view_of(state, status, doubt=DOUBTS["not_recorded"].format(why=why))
    assert asks(view) == {}
    assert view.alarm is None or not any(line.due for line in view.alarm.asks)
    told = {line.text for line in view_of(state).asks if line.trigger not in (Hand.DEAL, Hand.BURN)}
    assert {line.text for line in view.asks} >= told, "what it waits for once it goes on can still be read"


UNDER_WAY: dict[Session, tuple[c.AnyChange, ...]] = {
    **dict.fromkeys(COUNTS_AGAIN, (ORDER,)),
    Session.READING_DECK: (c.Seen("shoe", c.Sight.TRAY_OCCUPIED, True),),
}
"""What a device is at, where it alone can go on."""


def test_a_deck_that_another_shoe_cannot_read_to_its_end_is_read_again() -> None:
    assert "sort_again" in asks(view_of(at(Session.READING_DECK)))


@pytest.mark.parametrize("session", Session)
def test_in_each_state_somebody_can_go_on_or_a_device_alone_can(session: Session) -> None:
    state = at(session, *UNDER_WAY.get(session, ()))
    due = [line for line in view_of(state).asks if line.due]
    if session in WAITING:
        assert [line.trigger for line in due] == ["wait"]
    else:
        assert [line for line in view_of(state).asks if line.role]
        assert all(line.role and line.text for line in due)


@pytest.mark.parametrize("session", sorted(COUNTS_AGAIN))
def test_a_count_that_was_broken_off_is_asked_for_again(session: Session) -> None:
    assert list(asks(view_of(at(session)))) == ["count_machine"]


@pytest.mark.parametrize("state", TROUBLED[:-1])
def test_a_table_in_trouble_waits_for_somebody(state: State) -> None:
    dealing_or_asks = [line for line in view_of(state).asks if line.due]
    assert dealing_or_asks or not all(device.caught_up for device in state.devices.values())


# ---- what is asked


@pytest.mark.clause("PT-A5")
def test_a_first_pack_says_how_many_cards_it_may_still_take() -> None:
    begun: list[c.AnyChange] = [c.SessionBegan(201, 208), c.DealerSigned(101), c.PackBegan(201)]
    loading = state_of(begun, [moved(Session.LOADING_PACK)], [booked(Place.OUTSIDE, Place.MACHINE, 100, "loading")])
    view = view_of(loading)
    limit = 208 - BOOK.house.min_pack - 100
    assert view.pack_limit == asks(view)["put_cards_in"] == limit
    assert view.intake_open
    assert f"at most {limit} cards more" in texts_of(view, "put_cards_in")


@pytest.mark.clause("PT-A5")
def test_the_end_of_a_pack_is_due_when_the_tray_is_empty_and_enough_cards_are_in() -> None:
    begun: list[c.AnyChange] = [c.SessionBegan(201, 208), c.DealerSigned(101), c.PackBegan(201)]
    start = [begun, [moved(Session.LOADING_PACK)]]
    enough = booked(Place.OUTSIDE, Place.MACHINE, BOOK.house.min_pack, "loading")
    too_few = booked(Place.OUTSIDE, Place.MACHINE, BOOK.house.min_pack - 1, "loading")
    in_tray = c.Seen("shuffler", c.Sight.TRAY_OCCUPIED, True)
    assert "end_pack" in asks(view_of(state_of(*start, [enough])))
    assert "end_pack" not in asks(view_of(state_of(*start, [too_few])))
    assert "end_pack" not in asks(view_of(state_of(*start, [enough, in_tray])))


@pytest.mark.clause("PT-A9")
def test_a_round_shows_that_cards_out_of_play_go_to_the_discard_at_once() -> None:
    assert "[PT-A9]" in texts_of(view_of(in_round()), Hand.DISCARD)


def due_of_dealer(state: State, book: RuleBook) -> list[tuple[str, str]]:
    """What the table waits for from the dealer, and how the words end."""
    asked = [line for line in table_view(state, book, None, ()).asks if line.due and line.role == "dealer"]
    return [(line.trigger, line.text.rpartition(" ")[2]) for line in asked]


@pytest.mark.clause("MO-4a")
def test_the_dealer_is_asked_to_burn_what_the_book_has_burned_with_its_clause_before_a_card_is_dealt() -> None:
    macau = load_rulebook("macau")
    both = otherwise(macau, "burn.before_each_later_round", True)
    burn = [booked(Place.MACHINE, Place.SHOE, 2, "fed"), booked(Place.SHOE, Place.DISCARD, 1, "burn")]
    first = at(Session.READY)
    later = state_of(LOADED, [*burn, c.RoundBegan(), c.RoundEnded(4), moved(Session.READY)])
    assert due_of_dealer(first, macau) == due_of_dealer(first, both) == [("burn", "[MO-4a]")]
    assert due_of_dealer(later, both) == [("burn", "[MO-4b]")]
    assert due_of_dealer(at(Session.READY, *burn), both) == [("deal", "deal")]
    assert due_of_dealer(later, macau) == [("deal", "deal")]


@pytest.mark.clause("PT-A10", "PT-A11")
def test_after_a_round_the_cards_that_are_out_go_in_or_may_stay_where_the_machine_takes_none() -> None:
    out: list[c.AnyChange] = [booked(Place.MACHINE, Place.TABLE, 9), moved(Session.RETURNING)]
    assert asks(view_of(state_of(LOADED, out))) == {"put_cards_in": 9}
    shut = view_of(state_of(LOADED, out, [c.Seen("shuffler", c.Sight.INTAKE_READY, False)]))
    assert "put_cards_in" not in asks(shut)
    assert "leave 9 cards in the discard" in texts_of(shut, "yes")
    assert "[PT-A11]" in texts_of(shut, "yes")


def test_the_houses_limit_is_shown_as_the_houses() -> None:
    view = view_of(at(Session.ASKING_ROUND))
    assert "house: round_card_limit" in texts_of(view, "yes")
    assert view.reasons[0].endswith("(house: round_card_limit) [SB-1]")


@pytest.mark.clause("SB-4")
def test_the_look_into_the_machine_is_asked_step_by_step() -> None:
    lid_open = c.Seen("shuffler", c.Sight.LID_OPEN, True)
    assert "release_lid" in asks(view_of(state_of(LOADED, [moved(Session.LOOKING)], [c.FullCount(0, 0)])))
    assert "open_lid" in asks(view_of(at(Session.LID_RELEASED)))
    assert "close_lid" in asks(view_of(at(Session.LID_OPEN, lid_open)))
    assert "confirm_empty" in asks(view_of(state_of(LOADED, [moved(Session.LOOKED)], [c.FullCount(0, 0)])))


@pytest.mark.clause("SB-4")
@pytest.mark.field("BR-001")
def test_a_machine_that_counted_itself_empty_against_the_books_is_to_be_looked_into_again() -> None:
    counted = [moved(Session.LOOKED), c.FullCount(0, 0)]
    doubted = texts_of(view_of(state_of(LOADED, counted)), "confirm_empty")
    assert "LOOK AGAIN: by the books 208 cards should still be inside" in doubted
    all_out = [booked(Place.MACHINE, Place.UNLOADED, 208)]
    assert "LOOK AGAIN" not in texts_of(view_of(state_of(LOADED, all_out, counted)), "confirm_empty")


@pytest.mark.clause("SB-4")
@pytest.mark.parametrize("session", [Session.LOOKING, Session.LOOKED])
def test_a_card_that_went_in_after_the_machine_was_counted_empty_has_it_counted_again(session: Session) -> None:
    state = state_of(LOADED, [c.FullCount(0, 0), moved(session)], [booked(Place.UNLOADED, Place.MACHINE, 1)])
    assert list(asks(view_of(state))) == ["count_machine"]


@pytest.mark.clause("PT-E2")
def test_a_wrong_load_is_told_by_how_many_cards_and_which_were_read_as_they_came_out() -> None:
    read = [face for _ in range(4) for face in ALL_FACES][1:]
    out = [booked(Place.SHOE, Place.UNLOADED, 1, "unloading", face) for face in read]
    loaded: list[c.AnyChange] = [c.SessionBegan(201, 208), booked(Place.OUTSIDE, Place.MACHINE, 207, "loading")]
    fed = booked(Place.MACHINE, Place.SHOE, 207, "fed")
    view = view_of(state_of([*loaded, fed, *out, moved(Session.EMPTIED)]))
    assert view.difference == ("207 of 208 cards were loaded", f"the whole set lacks {face_name(ALL_FACES[0])}")


@pytest.mark.clause("PT-A6")
def test_a_sorted_deck_is_asked_for_by_number_and_backs_then_the_key() -> None:
    unloaded = booked(Place.MACHINE, Place.UNLOADED, 208)
    judged = c.DeckJudged(1, 52, (), (), 0, by_person=False)
    waiting = view_of(at(Session.AWAITING_DECK, unloaded, judged))
    assert asks(waiting) == {"lay_deck": 2}
    assert waiting.deck_due == 2
    assert texts_of(waiting, "lay_deck").endswith("look at its backs, all blue")
    laid = view_of(at(Session.AWAITING_DECK, unloaded, judged, c.Seen("shoe", c.Sight.TRAY_OCCUPIED, True)))
    assert list(asks(laid)) == ["yes"]


@pytest.mark.clause("PT-A6")
def test_with_no_cards_left_and_decks_unread_that_is_what_is_asked() -> None:
    assert list(asks(view_of(at(Session.AWAITING_DECK, booked(Place.MACHINE, Place.VERIFIED, 208))))) == [
        "no_cards_left"
    ]


@pytest.mark.clause("SB-3")
def test_a_dealers_key_is_due_only_with_a_dealer_signed_in() -> None:
    assert list(asks(view_of(at(Session.MIXING, c.DealerSigned(0))))) == ["sign_in"]


def test_a_device_that_is_not_there_is_asked_for() -> None:
    assert "connect shoe: unplugged" in texts_of(view_of(at(Session.READY, c.Unlinked("shoe", "unplugged"))), "connect")


# ---- how old what is known of a device is


def told(state: State, late_s: float, **heard: float) -> TableView:
    """The view by a status of so many seconds after 04:00, with the seconds at which devices were last heard."""
    times = {name: UTC + int(at * SECOND) for name, at in heard.items()}
    return view_of(state, Status("b1", 3, UTC + int(late_s * SECOND), "number", "", 0, "", heard=times))


def device_text(view: TableView, name: str) -> str:
    return next(device.text for device in view.devices if device.name == name)


def one_way(can: Capability) -> State:
    """A table whose shoe only talks, or only listens."""
    linked = c.Linked("shoe", hello(Kind.SHOE, can))
    return at(Session.READY, linked, c.Seen("shoe", c.Sight.CAUGHT_UP, True))


@pytest.mark.clause("SB-1")
def test_a_device_that_is_gone_is_told_with_the_time_of_its_last_word() -> None:
    view = told(at(Session.READY, c.Unlinked("shoe", "unplugged")), 20, shoe=5.4)
    assert device_text(view, "shoe") == "not connected: unplugged, last heard 04:00:05Z, 14 s ago"
    assert view.reasons == ("shoe: unplugged, last heard 04:00:05Z [SB-1]",)


@pytest.mark.clause("SB-1")
def test_whatever_is_said_of_a_device_is_said_with_how_old_it_is() -> None:
    state = at(Session.READY)
    assert device_text(told(state, 20, shoe=16.9), "shoe").endswith(", last heard 04:00:16Z, 3 s ago")
    fresh = told(state, 20, shoe=17.0, shuffler=19.6, keypad=19.6)
    assert all(device.text.endswith(", heard in the last 3 s") for device in fresh.devices)
    assert "last heard" not in str(fresh)


@pytest.mark.clause("SB-1")
def test_of_a_device_that_only_talks_nobody_knows_some_seconds_later_whether_it_is_there() -> None:
    talks = one_way(Capability.SEND_ONLY)
    assert device_text(told(talks, 20, shoe=17.0), "shoe").startswith("connected, ")
    for later in (told(talks, 20, shoe=16.9), view_of(talks)):
        assert device_text(later, "shoe").startswith("port open, whether it is still there is unknown, ")
        assert "cannot hold: its cards are stopped by hand only, only talks" in device_text(later, "shoe")


def test_a_pack_that_stands_at_a_machine_s_door_is_told() -> None:
    full = at(Session.READY, c.Seen("shuffler", c.Sight.OUTPUT_OCCUPIED, True))
    assert device_text(view_of(full), "shuffler").endswith(", a pack in its output")


def test_of_a_device_that_never_says_anything_an_old_word_is_no_news() -> None:
    mute = one_way(Capability.LISTEN_ONLY)
    for at_s in (1.0, 59.9):
        said = device_text(told(mute, 60, shoe=at_s), "shoe")
        assert said.startswith("port open, "), "whether it hears, nobody knows"
        assert "heard" not in said


def test_of_a_device_that_this_run_never_heard_that_is_told() -> None:
    gone = at(Session.READY, c.Unlinked("shoe", "unplugged"))
    assert device_text(told(gone, 20), "shoe") == "not connected: unplugged, not heard since the controller began"
    assert device_text(view_of(gone), "shoe") == "not connected: unplugged", "without a status, who knows?"


# ---- duties


@pytest.mark.clause("SB-8", "PT-A11", "PT-E4", "SB-2")
def test_duties_tell_what_is_owed_by_whom_and_since_when() -> None:
    state = state_of(
        LOADED,
        [
            c.RoundBegan(),
            c.RoundEnded(4),
            moved(Session.READY),
            moved(Claim.OPEN, Procedure.CLAIM),
        ],
        [booked(Place.MACHINE, Place.DISCARD, 4), c.Raised(IncidentKind.DAMAGED_CARD, "", "the dealer showed one")],
        [moved(Incident.CLEARED, "incident/1"), c.SetMarked(2, 0), moved(CardSet.IMPERFECT, Procedure.CARD_SET)],
    )
    view = view_of(state)
    claim, incident, discard, deck = view.duties
    assert claim == "Claim open since 04:00:03Z: the supervisor closes it [SB-8]"
    assert incident == "Incident 1 since 04:00:04Z: damaged card; the supervisor confirms it [SB-2]"
    assert discard.startswith("4 cards in the discard owed to the machine")
    assert discard.endswith("[PT-A11]")
    assert deck.startswith("Deck 2 is imperfect")
    assert deck.endswith("[PT-E4]")


def test_a_duty_that_waits_too_long_goes_to_the_room_manager() -> None:
    state = at(Session.ALL_REGULAR)
    late = UTC + (BOOK.house.escalate_after_s + 60) * 10**9
    status = Status("b1", 3, late, "number", "", 0, "")
    (duty,) = view_of(state, status).duties
    assert "tell the room manager (house: escalate_after_s)" in duty


def test_how_long_a_duty_waits_is_reckoned_in_the_tables_time() -> None:
    """On a table that runs ten times as fast, it is too long after a tenth of the clock's time."""
    seconds = BOOK.house.escalate_after_s // 10
    fast = state_of(LOADED, [msgspec.structs.replace(BEGAN, speed=10.0), moved(Session.ALL_REGULAR)])
    duties = [
        view_of(fast, Status("b1", 3, fast.utc_ns + waited * SECOND, "number", "", 0, "")).duties[0]
        for waited in (seconds, seconds + 1)
    ]
    assert ["tell the room manager" in duty for duty in duties] == [False, True]


# ---- what nobody may see


@pytest.mark.parametrize("state", [*(at(session) for session in Session), in_round(12)])
def test_no_face_of_a_card_in_play_is_shown(state: State) -> None:
    shown = msgspec.json.encode(view_of(state)).decode()
    assert not [rank for rank in RANKS if f"{rank} of " in shown]


def test_of_an_open_entry_only_the_number_of_digits_is_shown() -> None:
    keypad = view_of(at(Session.READY), Status("b1", 3, UTC, "pin", "", 6, "")).keypad
    assert (keypad.asking, keypad.dots, keypad.prompt) == ("pin", 6, "your PIN, then Enter")


def test_a_keypad_that_waits_for_clear_asks_for_nothing_else() -> None:
    console = Console(timeout_ns=60_000_000_000)
    console.broken()
    keypad = view_of(at(Session.READY), Status("b1", 3, UTC, console.asking, "", 0, console.message)).keypad
    assert (keypad.prompt, keypad.message) == ("", "press Clear, then begin with your number")
    console.key(Key.CLEAR, 0, 0)
    keypad = view_of(at(Session.READY), Status("b1", 3, UTC, console.asking, "", 0, console.message)).keypad
    assert (keypad.prompt, keypad.message) == ("your number, then Enter", "")


@pytest.mark.field("BR-048")
def test_what_devices_say_of_themselves_is_repeated() -> None:
    view = view_of(at(Session.READY))
    assert view.simulated
    assert all("simulated" in device.text for device in view.devices)
    assert not view_of(fold([])).simulated
    unlinked = fold([(1, UTC, b"")][:0])
    assert view_of(unlinked).table == ""
    assert view_of(state_of([BEGAN, *linked()])).table == "BJ 7"
