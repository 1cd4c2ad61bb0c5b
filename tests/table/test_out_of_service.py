"""A machine out of service, or dead: emptied by hand, every card read, and it opens no session until it is returned."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from drivers.protocol.messages import DealerKey, JamPlace
from firmware_bridge.core.asked import asked
from firmware_bridge.core.words import Incident, IncidentKind, Session, Trigger
from tests.table.byways import (
    begin_to_empty_by_hand,
    count,
    counting_its_load,
    force_lid,
    give_up_the_machine,
    jam_in_a_count,
    lose_a_card,
    power_cycle,
    stands,
    take_all_out_of,
    verify_and_find_no_more,
)
from tests.table.distrust import DOUBTS
from tests.table.evening import ROOM_MANAGER, SUPERVISOR, TECHNICIAN, Evening
from tests.table.test_jam import clear, jam, standing

Disturb = Callable[[Evening], None]


@pytest.mark.clause("SB-4", "PT-A2", "PT-A6")
def test_a_machine_taken_out_of_service_while_it_counts_its_load_lets_the_table_close() -> None:
    evening = counting_its_load()
    evening.hands.jam(JamPlace.CAROUSEL)
    evening.table.run(2)
    assert evening.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) is None
    assert evening.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) is None
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None


@pytest.mark.clause("SB-4")
def test_a_machine_taken_out_of_service_in_its_count_asks_to_be_emptied_by_hand(ready: Evening) -> None:
    jam_in_a_count(ready)
    assert ready.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) is None
    assert ready.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) is None
    assert Trigger.EMPTY_BY_HAND in [ask.trigger for ask in asked(ready.state, ready.table.config.book)]


@pytest.mark.clause("SB-4", "PT-A2")
def test_a_machine_that_stays_dead_is_taken_out_of_service_emptied_by_hand_and_every_card_is_read(
    ready: Evening,
) -> None:
    ready.table.unplug("shuffler")
    ready.table.run(1)
    assert ready.act(SUPERVISOR, Trigger.TAKE_OUT_OF_SERVICE) == "PT-A2"
    assert ready.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) == "PT-A2"  # nobody of the floor has seen it
    assert ready.act(SUPERVISOR, Trigger.ACKNOWLEDGE) is None
    assert ready.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) is None
    begin_to_empty_by_hand(ready)
    ready.hands.open_lid(force=True)
    ready.hands.take_from_machine()
    at_mouth = [card.face for card in ready.hands.mechanism.mouth]
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    for pile in ready.sort().values():
        ready.read_deck(pile)
    if at_mouth:  # one card stayed at the shoe's mouth: it is found missing, and named
        assert ready.act(SUPERVISOR, Trigger.NO_CARDS_LEFT) is None
        assert [face for deck in ready.state.decks_read for face in deck.missing] == at_mouth
    ready.confirm_all()


@pytest.mark.clause("SB-4")
def test_only_the_shuffler_is_taken_out_of_service(ready: Evening) -> None:
    ready.table.unplug("lamp")
    ready.table.run(1)
    assert ready.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) == "SB-4"


@pytest.mark.clause("SB-4", "PT-A5")
def test_a_machine_that_dies_while_it_is_loaded_is_emptied_by_hand_and_the_session_does_not_open() -> None:
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    evening.load_pack(100)
    assert evening.end_pack() is None
    give_up_the_machine(evening)
    begin_to_empty_by_hand(evening)
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    assert evening.session is Session.EMPTIED
    evening.confirm_all()
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert evening.session is Session.NOT_OPENED


@pytest.mark.clause("PT-A2")
def test_a_machine_with_a_stuck_card_opens_no_session_and_its_lid_is_free_between_sessions() -> None:
    evening = Evening()
    evening.hands.jam(JamPlace.INTAKE)
    evening.open_table()
    evening.show_and_mix()
    assert evening.act(SUPERVISOR, Trigger.START_PACK) is None
    evening.hands.put_in_intake_tray(evening.hands.box[:30])
    evening.table.run(2)
    assert evening.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) is None
    assert evening.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) is None
    evening.hands.take_from_intake_tray()
    evening.table.run(0.2)
    begin_to_empty_by_hand(evening)
    evening.look_inside()
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    evening.confirm_all()
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert evening.act(TECHNICIAN, Trigger.RETURN_TO_SERVICE) is None
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) == "PT-A2"
    evening.table.run(1)
    assert evening.hands.open_lid()  # whoever mends it may
    evening.hands.take_stuck_card()
    evening.hands.close_lid()
    evening.table.run(0.5)
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) is None
    assert not evening.hands.open_lid()


def give_up_dead_machine(evening: Evening) -> None:
    """The machine's line is dead: out of service, the table closes, the cards are taken out by hand and read."""
    give_up_the_machine(evening)
    begin_to_empty_by_hand(evening)
    evening.hands.open_lid(force=True)
    evening.hands.take_from_machine()
    evening.hands.take_from_mouth()
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    verify_and_find_no_more(evening)
    assert evening.session is Session.DIFFERENCE
    evening.confirm_all()
    assert evening.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) is None


@pytest.mark.clause("SB-4", "SB-7")
@pytest.mark.parametrize("opened", [False, True], ids=["lid released", "lid open"])
@pytest.mark.parametrize(
    ("disturb", "kind"),
    [
        (power_cycle, IncidentKind.POWER_LOST),
        (force_lid, IncidentKind.LID_OPENED),
        *((raises, kind) for kind, raises in DOUBTS.items()),
    ],
)
def test_a_machine_that_dies_under_the_hands_of_whoever_looks_for_a_card_still_lets_the_table_end(
    ready: Evening, disturb: Disturb, kind: IncidentKind, opened: bool
) -> None:
    lose_a_card(ready)
    disturb(ready)
    count(ready)
    assert stands(ready, kind, Incident.COUNT_DIFFERS)
    assert ready.act(SUPERVISOR, Trigger.RELEASE_LID) is None
    ready.table.run(1)
    if opened:
        assert ready.hands.open_lid()
        ready.table.run(0.2)
    give_up_dead_machine(ready)


@pytest.mark.clause("SB-4", "PT-A2")
def test_a_machine_that_dies_after_its_jam_was_cleared_is_the_technicians(ready: Evening) -> None:
    jam(ready, JamPlace.EXIT)
    clear(ready)
    assert standing(ready) is Incident.ASKING_DAMAGE
    ready.table.unplug("shuffler")
    ready.table.run(1)
    assert ready.act(SUPERVISOR, Trigger.ANSWER_NO) == "SB-1"  # nobody orders a count of a machine that is not there
    assert ready.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) is None
    assert ready.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) is None


@pytest.mark.clause("SB-4")
@pytest.mark.field("BR-001")
def test_a_machine_out_of_service_opens_no_session_until_the_technician_returns_it(ready: Evening) -> None:
    jam(ready, JamPlace.EXIT)
    assert ready.key(DealerKey.ROUND_OVER) is None
    assert ready.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) is None
    assert ready.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) is None
    assert ready.act(TECHNICIAN, Trigger.RETURN_TO_SERVICE) == "SB-4"  # its session is under way
    begin_to_empty_by_hand(ready)
    take_all_out_of(ready)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    ready.verify()
    ready.confirm_all()
    assert ready.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    ready.table.start_controller()  # a restart forgets nothing
    ready.table.run(3)
    assert ready.act(SUPERVISOR, Trigger.OPEN_TABLE) == "SB-4"
    assert ready.act(SUPERVISOR, Trigger.RETURN_TO_SERVICE) == "SB-4"
    assert ready.act(TECHNICIAN, Trigger.RETURN_TO_SERVICE) is None
    assert ready.act(SUPERVISOR, Trigger.OPEN_TABLE) is None


def looked_into(evening: Evening) -> None:
    """Counted empty, opened, looked into, closed."""
    evening.unload()
    evening.look_inside()
    assert evening.session is Session.LOOKED


@pytest.mark.clause("SB-4")
@pytest.mark.parametrize("laid_in", [0, 1])
def test_a_machine_opened_by_force_after_the_look_is_proven_empty_once_more(ready: Evening, laid_in: int) -> None:
    looked_into(ready)
    ready.hands.open_lid(force=True)
    ready.hands.put_inside(ready.hands.on_table[:laid_in])
    ready.table.run(0.2)
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) == "SB-4"
    ready.hands.close_lid()
    ready.table.run(0.5)
    count(ready)
    assert stands(ready, IncidentKind.LID_OPENED, Incident.COUNT_DIFFERS if laid_in else Incident.CLEARED)
    while ready.session is Session.UNLOADING:
        ready.hands.pull_card()
        ready.table.run(0.1)
    assert ready.table.run(60, lambda: ready.session is Session.LOOKING)


@pytest.mark.clause("PT-A6")
def test_a_deck_half_read_by_a_shoe_that_died_is_sorted_and_read_again_by_another(ready: Evening) -> None:
    ready.unload()
    ready.look()
    pile = next(iter(ready.sort().values()))
    ready.hands.put_in_shoe_tray(pile)
    ready.table.run(0.2)
    assert ready.key(DealerKey.YES) is None
    ready.table.unplug("shoe")
    ready.table.run(1)
    assert ready.session is Session.READING_DECK
    assert ready.act(ROOM_MANAGER, Trigger.SORT_AGAIN) == "PT-A6"
    assert ready.act(SUPERVISOR, Trigger.SORT_AGAIN) is None
    assert ready.session is Session.AWAITING_DECK
    assert not ready.state.decks_read


@pytest.mark.clause("SB-4")
@pytest.mark.parametrize("hands", ["released", "opened", "closed again"])
def test_a_machine_that_dies_under_the_hands_that_look_into_it_is_emptied_by_hand(ready: Evening, hands: str) -> None:
    ready.unload()
    assert ready.act(SUPERVISOR, Trigger.RELEASE_LID) is None
    ready.table.run(1)
    if hands != "released":
        ready.hands.open_lid()
        ready.table.run(0.2)
    if hands == "closed again":
        ready.hands.close_lid()
        ready.table.run(1)
    ready.table.unplug("shuffler")
    ready.table.run(1)
    assert ready.act(SUPERVISOR, Trigger.EMPTY_BY_HAND) == "SB-4"  # nobody took it out of service yet
    assert ready.act(SUPERVISOR, Trigger.ACKNOWLEDGE) is None
    assert ready.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) is None
    book = ready.table.config.book
    assert [ask.trigger for ask in asked(ready.state, book) if ask.due][:1] == [Trigger.EMPTY_BY_HAND]
    assert ready.act(SUPERVISOR, Trigger.EMPTY_BY_HAND) is None
    assert ready.act(SUPERVISOR, Trigger.RELEASE_LID) == "SB-4"  # it is not there to release it
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    ready.verify()
    assert ready.session is Session.ALL_REGULAR


@pytest.mark.clause("SB-4", "PT-A6")
def test_a_difference_is_signed_and_not_looked_for_in_a_machine_that_is_gone(ready: Evening) -> None:
    lose_a_card(ready)
    ready.unload()
    ready.look()
    verify_and_find_no_more(ready)
    assert ready.session is Session.DIFFERENCE
    ready.table.unplug("shuffler")
    ready.table.run(1)
    assert Trigger.RELEASE_LID not in [ask.trigger for ask in asked(ready.state, ready.table.config.book)]
    assert ready.act(SUPERVISOR, Trigger.RELEASE_LID) == "SB-4"
    ready.confirm_all()
    assert ready.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) is None
