"""A table with a batch shuffler closes: no machine is empty while a pack of its cards lies in the shoe (SB-4)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from drivers.protocol.batch import PackOut
from drivers.protocol.messages import Purpose
from firmware_bridge.core.words import SECOND, Course, IncidentKind, Place, Session, Trigger
from tests.table.batch_evening import SLOW, BatchEvening, TwoSets
from tests.table.byways import give_up_the_machine, pull_until
from tests.table.evening import DEALER, SUPERVISOR
from tests.table.test_batch_refused import held_in_the_machine
from tests.table.test_batch_screen import due, shown


@pytest.fixture
def batch() -> BatchEvening:
    """A table whose round is over and that is closed: 95 cards are in the shoe, 9 in the discard."""
    evening = BatchEvening()
    evening.open_and_load()
    evening.play_round(9)
    close(evening)
    return evening


def close(evening: BatchEvening) -> None:
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    evening.table.run(1)


def empty_the_shoe_by_hand(evening: BatchEvening) -> None:
    evening.hands.take_from_mouth()
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_SHOE_EMPTY) is None


def count_and_look(evening: BatchEvening) -> None:
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert evening.table.run(30, lambda: evening.session is Session.LOOKING), evening.session
    evening.look()


def steps(evening: BatchEvening) -> set[int]:
    return {ask.number for ask in shown(evening).asks if ask.number}


@pytest.mark.clause("SB-4", "PT-A6")
@pytest.mark.field("BR-001")
def test_a_machine_is_not_counted_empty_while_a_pack_lies_in_the_shoe(batch: BatchEvening) -> None:
    assert batch.hands.mechanism.look_inside().cards == 0
    assert batch.act(SUPERVISOR, Trigger.COUNT_MACHINE) == "SB-4"
    pull_until(batch, lambda: batch.at(Place.SHOE) == 1)
    assert batch.act(SUPERVISOR, Trigger.COUNT_MACHINE) == "SB-4"
    assert batch.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) == "SB-4"
    assert batch.session is Session.UNLOADING
    pull_until(batch, lambda: batch.session is not Session.UNLOADING)  # its last card, and the machine counts itself
    assert batch.session is Session.COUNTING_EMPTY


@pytest.mark.clause("SB-4", "PT-A6")
def test_a_shoe_that_gives_no_card_is_looked_into_and_every_card_of_it_is_read(batch: BatchEvening) -> None:
    batch.table.unplug("shoe")
    batch.table.run(5)  # its release lapses
    assert batch.hands.pull_card() is None
    assert 68 in steps(batch)
    assert batch.act(DEALER, Trigger.CONFIRM_SHOE_EMPTY) == "SB-4"
    empty_the_shoe_by_hand(batch)
    assert (batch.at(Place.SHOE), batch.at(Place.UNLOADED)) == (0, 95)
    assert batch.course is Course.OUT
    batch.table.replug("shoe")
    batch.table.run(3)
    count_and_look(batch)
    batch.verify()
    assert batch.session is Session.ALL_REGULAR
    batch.confirm_all()
    assert batch.act(SUPERVISOR, Trigger.SIGN_RESULT) is None


@pytest.mark.clause("SB-4", "SB-1")
@pytest.mark.field("BR-001")
def test_a_shoe_that_held_fewer_cards_than_the_books_say_ends_in_a_difference_that_names_them(
    batch: BatchEvening,
) -> None:
    lost = [batch.hands.shoe.mouth.pop() for _ in range(3)]
    pull_until(batch, lambda: not batch.hands.shoe.mouth)
    batch.table.run(1)
    assert (batch.session, batch.at(Place.SHOE)) == (Session.UNLOADING, 3)
    empty_the_shoe_by_hand(batch)
    count_and_look(batch)
    batch.verify()
    assert batch.act(SUPERVISOR, Trigger.NO_CARDS_LEFT) is None
    assert batch.session is Session.DIFFERENCE
    missing = [face for deck in batch.state.decks_read for face in deck.missing]
    assert sorted(missing) == sorted(card.face for card in lost)


@pytest.mark.clause("SB-4")
def test_a_shoe_that_is_empty_by_the_books_is_not_confirmed(batch: BatchEvening) -> None:
    empty_the_shoe_by_hand(batch)
    assert batch.act(SUPERVISOR, Trigger.CONFIRM_SHOE_EMPTY) == "SB-4"
    assert 68 not in steps(batch)
    assert 32 in steps(batch)


@pytest.mark.clause("SB-4", "SB-6")
def test_with_one_set_in_the_machine_and_the_other_in_the_shoe_neither_is_left_behind() -> None:
    two = TwoSets()
    two.open_and_load()
    two.shuffle_set(SECOND)
    two.until_at(SECOND, Course.SHUFFLED)
    close(two)
    assert two.table.run(60, lambda: two.state.course(SECOND) is Course.OUT)  # at the machine's door
    assert two.act(SUPERVISOR, Trigger.COUNT_MACHINE) == "SB-4"
    empty_the_shoe_by_hand(two)
    assert two.state.cards_at(Place.UNLOADED) == 208
    count_and_look(two)
    for pile in two.sort().values():
        two.read_deck(pile)
    assert two.session is Session.ALL_REGULAR


@pytest.mark.clause("SB-4")
@pytest.mark.field("BR-001")
def test_a_machine_out_of_service_is_not_emptied_by_hand_before_the_shoe_is() -> None:
    evening = BatchEvening()
    evening.open_and_load()
    give_up_the_machine(evening)
    close(evening)
    assert evening.act(SUPERVISOR, Trigger.EMPTY_BY_HAND) == "SB-4"
    assert "Dealer: draw all cards from the shoe: 104 cards inside" in due(evening)
    pull_until(evening, lambda: evening.at(Place.SHOE) == 0)  # each is read on its way
    assert evening.act(SUPERVISOR, Trigger.EMPTY_BY_HAND) is None
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    evening.verify()
    assert evening.session is Session.ALL_REGULAR


def looking(evening: BatchEvening) -> None:
    assert evening.table.run(30, lambda: evening.session is Session.LOOKING)


def looked(evening: BatchEvening) -> None:
    looking(evening)
    evening.look_inside()
    assert evening.session is Session.LOOKED


@pytest.mark.clause("SB-4", "SB-1")
@pytest.mark.parametrize("comes_to", [looking, looked])
def test_a_pack_that_the_machine_tells_of_late_is_looked_for_in_the_shoe_before_the_machine_is_empty(
    comes_to: Callable[[BatchEvening], None],
) -> None:
    evening = BatchEvening(build=SLOW)
    evening.open_table()
    evening.begin_cycle()
    evening.hands.open_lid(force=True)
    evening.table.run(0.3)
    evening.hands.take_from_machine()
    evening.hands.close_lid()
    evening.table.run(0.5)
    close(evening)
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    comes_to(evening)
    evening.hands.devices["shuffler"].tell(PackOut(Purpose.DEAL, 104))
    evening.table.run(0.5)
    assert IncidentKind.UNEXPECTED_CARD in evening.kinds()
    assert evening.at(Place.SHOE) == 104
    session = evening.session
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) == "SB-4"
    assert 68 in steps(evening)
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_SHOE_EMPTY) is None
    assert evening.session is session
    assert evening.at(Place.SHOE) == 0


@pytest.mark.clause("PT-A6")
def test_while_a_set_comes_out_at_the_machines_door_nobody_is_told_to_draw_it_from_the_shoe() -> None:
    evening = held_in_the_machine()
    for motor in evening.hands.mechanism.motors:
        motor.period = 60.0  # it takes its time
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    assert evening.at(Place.MACHINE) == 104
    texts = [ask.text for ask in shown(evening).asks]
    assert "Wait: the machine lets out at its door what is in it" in texts
    assert not any("from the shoe" in text for text in texts)
