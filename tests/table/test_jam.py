"""A jam: held at once, opened by the supervisor alone, counted and shuffled before play (PT-A2, SB-2, SB-4, SB-9)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey, JamPlace, Key, Lamp
from firmware_bridge.core.words import Incident, IncidentKind, Place, Session, Trigger
from tests.table.evening import DEALER, ROOM_MANAGER, SUPERVISOR, TECHNICIAN, Evening


def jam(evening: Evening, place: JamPlace) -> None:
    """A card sticks on this path, as soon as one passes it."""
    evening.hands.jam(place)
    for _ in range(60):
        if IncidentKind.JAM in evening.kinds():
            break
        evening.hands.pull_card()
        evening.table.run(0.05)
    evening.table.run(0.2)
    assert IncidentKind.JAM in evening.kinds()


def leave_the_round(evening: Evening) -> None:
    """The round is over, and the machine takes no card: they stay in the discard (PT-A11)."""
    if evening.session is Session.IN_ROUND:
        assert evening.key(DealerKey.ROUND_OVER) is None
        evening.hands.move(evening.hands.on_table, evening.hands.discard)
        assert evening.key(DealerKey.YES) is None


def number(evening: Evening, kind: IncidentKind = IncidentKind.JAM) -> int:
    return next(number for number, one in evening.state.incidents.items() if one.kind is kind)


def standing(evening: Evening) -> Incident:
    return evening.state.incidents[number(evening)].state


def clear(evening: Evening, put_back: bool = True) -> None:
    """The supervisor opens the lid, takes the stuck card out, puts it back where it belongs, and closes the lid."""

    def free_the_path() -> None:
        place = evening.hands.mechanism.jam_place
        card = evening.hands.take_stuck_card()
        if put_back and place is not JamPlace.INTAKE:
            evening.hands.put_inside([card])

    evening.look_inside(free_the_path)


def settle(evening: Evening) -> None:
    """No card is damaged: the machine counts and shuffles, and the supervisor confirms."""
    assert evening.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    assert evening.table.run(60, lambda: standing(evening) is Incident.CLEARED), standing(evening)
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) is None


@pytest.mark.clause("PT-A2")
@pytest.mark.parametrize("place", [JamPlace.CAROUSEL, JamPlace.EXIT])
def test_a_jam_holds_the_table_lights_the_lamps_and_ends_by_its_steps(ready: Evening, place: JamPlace) -> None:
    jam(ready, place)
    assert ready.hands.lamp_shown is Lamp.FLASHING
    assert ready.hands.machine_lamp_shown is not Lamp.OFF
    ready.table.run(3)
    assert ready.hands.pull_card() is None
    assert not ready.hands.open_lid()
    assert ready.act(DEALER, Trigger.RELEASE_LID) in ("PT-A2", "PT-A6", "SB-4")
    clear(ready)
    assert ready.state.incidents[number(ready)].acknowledged_by == SUPERVISOR  # who releases the lid has seen it
    assert standing(ready) is Incident.ASKING_DAMAGE
    assert ready.hands.pull_card() is None
    settle(ready)
    ready.table.run(1)
    if ready.session is Session.IN_ROUND:
        assert ready.key(DealerKey.ROUND_OVER) is None
        ready.put_back()
    ready.play_round()
    ready.close()
    assert ready.session is Session.ALL_REGULAR


@pytest.mark.clause("SB-9")
def test_after_a_jam_the_cards_are_shuffled_in_full_before_play(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    clear(ready)
    assert ready.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    assert ready.table.run(60, lambda: standing(ready) is Incident.SHUFFLING)
    assert ready.hands.pull_card() is None
    assert ready.table.run(60, lambda: standing(ready) is Incident.CLEARED)


@pytest.mark.clause("PT-A2")
def test_a_lid_closed_over_the_stuck_card_asks_once_more_or_for_the_technician(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    ready.look_inside()
    assert standing(ready) is Incident.STILL_BLOCKED
    assert ready.act(SUPERVISOR, Trigger.ANSWER_NO) == "PT-A1"
    clear(ready)
    settle(ready)


@pytest.mark.clause("PT-A2", "SB-4")
@pytest.mark.field("BR-001")
def test_a_machine_taken_out_of_service_is_emptied_by_hand_and_what_stayed_inside_is_named(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    assert ready.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) is None
    assert ready.act(SUPERVISOR, Trigger.TAKE_OUT_OF_SERVICE) == "PT-A2"
    assert ready.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) is None
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
    leave_the_round(ready)
    assert ready.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert ready.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    ready.table.run(1)
    assert ready.hands.pull_card() is not None  # what lies at the shoe's mouth still comes out
    assert ready.hands.pull_card() is None
    ready.table.run(0.2)
    assert ready.act(SUPERVISOR, Trigger.EMPTY_BY_HAND) is None
    assert ready.act(SUPERVISOR, Trigger.RELEASE_LID) is None
    ready.table.run(1)
    ready.hands.open_lid()
    ready.table.run(0.2)
    ready.hands.take_stuck_card()
    inside = sum(map(len, ready.hands.mechanism.compartments)) + len(ready.hands.mechanism.buffer)
    ready.hands.take_from_machine(inside - 16)  # sixteen cards stay behind
    ready.hands.close_lid()
    ready.table.run(0.5)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    left = list(ready.hands.mechanism.cards())
    for pile in ready.sort().values():
        ready.read_deck(pile)
    assert ready.session is Session.AWAITING_DECK
    assert ready.act(SUPERVISOR, Trigger.NO_CARDS_LEFT) is None
    assert ready.session is Session.DIFFERENCE
    missing = sorted(face for deck in ready.state.decks_read for face in deck.missing)
    assert missing == sorted(card.face for card in left)
    assert ready.act(SUPERVISOR, Trigger.SIGN_RESULT) == "PT-A6"


@pytest.mark.clause("PT-A2")
def test_a_machine_that_the_technician_repaired_goes_on_after_count_and_shuffle(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    assert ready.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) is None
    assert ready.act(TECHNICIAN, Trigger.REPAIRED) == "PT-A2"  # a card is still stuck
    ready.hands.open_lid()
    ready.table.run(0.2)
    ready.hands.put_inside([ready.hands.take_stuck_card()])
    ready.table.run(0.2)
    assert ready.act(TECHNICIAN, Trigger.REPAIRED) == "PT-A2"  # the lid stands open
    ready.hands.close_lid()
    ready.table.run(0.5)
    assert ready.act(TECHNICIAN, Trigger.REPAIRED) is None
    settle(ready)


@pytest.mark.clause("PT-A2")
def test_a_jam_while_a_pack_is_loaded_is_cleared_and_the_loading_goes_on() -> None:
    evening = Evening(seed=4)
    evening.open_table()
    evening.show_and_mix()
    assert evening.act(SUPERVISOR, Trigger.START_PACK) is None
    evening.hands.jam(JamPlace.INTAKE)
    evening.hands.put_in_intake_tray(evening.hands.box[:104])
    evening.table.run(1)
    assert evening.kinds() == [IncidentKind.JAM]
    clear(evening)
    settle(evening)
    evening.hands.put_in_intake_tray(evening.hands.on_table)
    evening.table.run(10)
    if evening.session is Session.ASKING_PRESENCE:
        assert evening.act(SUPERVISOR, Trigger.CONFIRM_PRESENCE) is None
        evening.table.run(10)
    assert evening.end_pack() is None
    evening.load_pack(len(evening.hands.box))
    assert evening.end_pack() is None
    assert evening.act(SUPERVISOR, Trigger.DECLARE_LOADED) is None
    assert evening.table.run(60, lambda: evening.session is Session.READY)


@pytest.mark.clause("PT-A2")
@pytest.mark.field("BR-050")
def test_a_jam_while_unloading_resumes_at_that_point(ready: Evening) -> None:
    assert ready.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert ready.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    ready.table.run(1)
    while ready.state.account.at(Place.UNLOADED) < 37:
        ready.hands.pull_card()
        ready.table.run(0.03)
    jam(ready, JamPlace.EXIT)
    unloaded = ready.state.account.at(Place.UNLOADED)
    assert unloaded >= 37
    assert unloaded + ready.state.account.inside == 208
    ready.table.start_controller()  # and a restart in between
    ready.table.run(3)
    assert (ready.state.account.at(Place.UNLOADED), ready.state.account.inside) == (unloaded, 208 - unloaded)
    clear(ready)
    settle(ready)
    while ready.session in (Session.UNLOADING, Session.ASKING_UNLOAD_PRESENCE):
        if ready.session is Session.ASKING_UNLOAD_PRESENCE:
            assert ready.act(SUPERVISOR, Trigger.CONFIRM_PRESENCE) is None
        ready.hands.pull_card()
        ready.table.run(0.03)
    ready.table.run(30, lambda: ready.session is Session.LOOKING)
    ready.look()
    ready.verify()
    assert ready.session is Session.ALL_REGULAR
    assert [one.kind for one in ready.state.incidents_closed.values()].count(IncidentKind.JAM) == 1


@pytest.mark.clause("PT-A2")
def test_a_jam_that_clears_itself_before_anybody_came_is_asked_about_all_the_same(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    ready.hands.clear_by_itself()
    ready.table.run(1)
    assert standing(ready) is Incident.ASKING_DAMAGE
    assert ready.hands.pull_card() is None
    settle(ready)


@pytest.mark.clause("PT-A2")
def test_a_jam_that_returns_while_the_machine_shuffles_begins_again(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    clear(ready)
    assert ready.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    assert ready.table.run(60, lambda: standing(ready) is Incident.SHUFFLING)
    ready.hands.jam(JamPlace.CAROUSEL)
    ready.table.run(2)
    assert standing(ready) is Incident.RAISED
    clear(ready)
    settle(ready)


@pytest.mark.clause("SB-2")
@pytest.mark.field("BR-009")
def test_the_alarm_survives_clear_key_power_cycle_lid_restart_and_waiting(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    ready.press(Key.CLEAR)
    ready.hands.reboot("shuffler")
    ready.table.run(3)
    ready.hands.open_lid(force=True)
    ready.table.run(0.2)
    ready.hands.close_lid()
    ready.table.start_controller()
    ready.table.wait(400)
    assert IncidentKind.JAM in ready.kinds()
    assert ready.hands.pull_card() is None
    assert ready.state.incidents[number(ready)].escalated  # unanswered, it is the room manager's too
    assert ready.act(ROOM_MANAGER, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"


@pytest.mark.clause("SB-7", "PT-A2")
def test_a_stuck_card_that_is_not_put_back_shows_at_the_count(ready: Evening) -> None:
    jam(ready, JamPlace.CAROUSEL)
    clear(ready, put_back=False)
    assert ready.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    assert ready.table.run(60, lambda: standing(ready) is Incident.COUNT_DIFFERS)
    assert ready.hands.pull_card() is None
    ready.look_inside(lambda: ready.hands.put_inside(ready.hands.on_table[-1:]))
    settle(ready)
