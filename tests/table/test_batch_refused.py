"""What never makes a set dealable at a batch shuffler: anything but a completed shuffle of it, counted whole (SB-5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from drivers.cards import DECK_SIZE
from drivers.protocol.batch import PackOut
from drivers.protocol.messages import DealerKey, JamPlace, Purpose
from firmware_bridge.core.words import Course, Incident, IncidentKind, Place, Trigger
from sim_hardware.batch_faults import BatchFault
from sim_hardware.cards import Card
from sim_hardware.faults import Fault
from tests.table.batch_evening import HOUSE, SLOW, BatchEvening, cut_its_power, force_the_lid
from tests.table.evening import DEALER, SUPERVISOR, TECHNICIAN, Evening, otherwise
from tests.table.test_batch_screen import shown


@pytest.fixture
def opened() -> BatchEvening:
    """A table that is open; its set lies in the box."""
    evening = BatchEvening(build=SLOW)
    evening.open_table()
    return evening


def no_card_comes(evening: BatchEvening) -> bool:
    """Whether the shoe gives no card, however long one pulls."""
    evening.table.run(10)
    return evening.hands.pull_card() is None and "SB-5" in evening.reasons()


def stop_it(evening: BatchEvening) -> None:
    evening.hands.press_stop()


def jam_it(evening: BatchEvening) -> None:
    evening.hands.jam(JamPlace.CAROUSEL)


def break_it(evening: BatchEvening) -> None:
    evening.hands.faults.arm(BatchFault.HOMING)


def sort_it(evening: BatchEvening) -> None:
    evening.hands.faults.arm(BatchFault.WRONG_MODE)


BEFORE = {"sorted": sort_it, "broken": break_it, "jammed": jam_it}
DURING = {"stopped": stop_it, "lid forced": force_the_lid, "power cut": cut_its_power}


@pytest.mark.clause("SB-5")
@pytest.mark.field("BR-006")
def test_a_set_that_was_never_started_is_not_dealt_though_it_was_in_the_machine(opened: BatchEvening) -> None:
    opened.lay_in()
    opened.table.run(60)
    opened.hands.put_in_shoe(opened.hands.take_from_intake_tray())
    assert no_card_comes(opened)
    assert opened.course is Course.OUT
    assert any("not shuffled" in reason for reason in shown(opened).reasons)
    # a card that comes all the same has its alarm at once
    opened.hands.shoe.gate_open = True  # it fails
    assert opened.hands.pull_card() is not None
    opened.table.run(0.5)
    assert opened.kinds() == [IncidentKind.UNEXPECTED_CARD]


@pytest.mark.clause("SB-5")
@pytest.mark.field("BR-006")
def test_a_set_dealt_and_laid_in_again_is_not_dealt_before_it_is_shuffled_anew() -> None:
    evening = BatchEvening()
    evening.open_and_load()
    evening.play_round()
    evening.take_out_of_shoe()
    evening.lay_in()
    evening.hands.put_in_shoe(evening.hands.take_from_intake_tray())
    assert no_card_comes(evening)


@pytest.mark.clause("SB-5")
@pytest.mark.field("BR-007")
def test_a_pack_delivered_as_shuffled_counts_for_nothing_until_the_machine_has_shuffled_it(
    opened: BatchEvening,
) -> None:
    opened.hands.put_in_shoe(list(opened.hands.box))
    assert no_card_comes(opened)


def pairs_a_deck_apart(pack: Iterable[Card]) -> int:
    """How many cards have the face of the one that lies a deck further on."""
    faces = [card.face for card in pack]
    return sum(one == other for one, other in zip(faces, faces[DECK_SIZE:], strict=False))


@pytest.mark.clause("SB-5")
@pytest.mark.field("BR-007")
def test_of_six_decks_each_in_the_same_order_a_cycle_leaves_nothing() -> None:
    evening = BatchEvening(decks=6)
    evening.open_table()
    assert pairs_a_deck_apart(evening.hands.box) == 260
    evening.load()
    assert pairs_a_deck_apart(evening.hands.shoe.mouth) < 20  # by chance 4, give or take 2
    assert len(evening.deal(3)) == 3


@pytest.mark.clause("SB-5")
@pytest.mark.parametrize("how", BEFORE.values(), ids=BEFORE)
def test_a_cycle_that_is_not_a_shuffle_to_its_end_makes_nothing_dealable(
    opened: BatchEvening, how: Callable[[BatchEvening], None]
) -> None:
    how(opened)
    opened.lay_in()
    assert opened.shuffle() is None
    opened.until(Course.UNSHUFFLED)
    assert no_card_comes(opened)
    assert not opened.hands.shoe.mouth


@pytest.mark.clause("SB-5")
@pytest.mark.parametrize("how", DURING.values(), ids=DURING)
def test_a_cycle_that_was_broken_off_makes_nothing_dealable(
    opened: BatchEvening, how: Callable[[BatchEvening], None]
) -> None:
    opened.begin_cycle()
    opened.table.run(1.0)
    how(opened)
    opened.until(Course.UNSHUFFLED)
    assert no_card_comes(opened)
    assert not opened.hands.shoe.mouth


@pytest.mark.clause("SB-5")
@pytest.mark.parametrize("how", [stop_it, sort_it], ids=["stopped", "sorted"])
def test_what_was_not_shuffled_is_taken_out_and_shuffled_anew(
    opened: BatchEvening, how: Callable[[BatchEvening], None]
) -> None:
    how(opened)
    opened.lay_in()
    assert opened.shuffle() is None
    opened.until(Course.IN_CYCLE)
    how(opened)
    opened.until(Course.UNSHUFFLED)
    opened.hands.faults.stop()
    opened.take_out_of_machine()
    assert opened.at(Place.OUTSIDE) == 104
    opened.load()
    assert opened.reasons() == []
    assert len(opened.deal(3)) == 3


@pytest.mark.clause("SB-5")
def test_the_supervisor_stops_a_cycle_and_has_the_set_taken_out(opened: BatchEvening) -> None:
    opened.begin_cycle()
    assert opened.act(SUPERVISOR, Trigger.TAKE_SET_OUT) is None
    assert opened.course is Course.UNSHUFFLED
    opened.table.run(2.0)
    assert opened.hands.mechanism.cycle is None
    opened.take_out_of_machine()
    opened.load()


@pytest.mark.clause("SB-5")
@pytest.mark.clause("SB-7")
@pytest.mark.clause("PT-E2")
def test_half_a_set_is_counted_short_and_not_dealt(opened: BatchEvening) -> None:
    cards = list(opened.hands.box)
    opened.hands.put_in_intake_tray(cards[1:])
    opened.table.run(0.3)
    assert opened.shuffle() is None
    opened.until(Course.UNSHUFFLED)
    assert opened.kinds() == [IncidentKind.COUNT_MISMATCH]
    assert not opened.state.opened
    assert "counted 103 and 103, the books say 104" in opened.state.incidents[1].detail
    opened.take_out_of_machine()
    opened.lay_in()
    assert opened.shuffle() is None
    opened.until(Course.SHUFFLED)
    assert opened.state.incidents[1].state is Incident.CLEARED
    opened.confirm_all()
    opened.until(Course.IN_SHOE)
    assert opened.state.opened


@pytest.mark.clause("SB-7")
@pytest.mark.field("BR-015")
def test_passes_that_disagree_are_both_disbelieved_also_where_the_last_is_right(opened: BatchEvening) -> None:
    opened.hands.faults.arm(Fault.DOUBLE_IN)  # the first pass counts one too few
    opened.lay_in()
    assert opened.shuffle() is None
    opened.until(Course.UNSHUFFLED)
    assert opened.state.played.passes == [103, 104]
    assert "103 and 104" in opened.state.incidents[1].detail
    assert "call the technician" in opened.state.incidents[1].detail
    assert not opened.state.counts_trusted
    assert no_card_comes(opened)


def another(card: Card, evening: BatchEvening, **changes: object) -> Card:
    """A card laid in another one's place."""
    stranger = replace(card, **changes)  # type: ignore[arg-type]
    evening.hands.carry_away([card])
    evening.hands.bring([stranger])
    return stranger


@pytest.mark.clause("SB-7")
@pytest.mark.field("BR-015")
def test_a_right_count_with_a_wrong_card_is_no_whole_set(opened: BatchEvening) -> None:
    first = opened.hands.box[0]
    another(first, opened, face=opened.hands.box[5].face)
    opened.lay_in()
    assert opened.shuffle() is None
    opened.until(Course.UNSHUFFLED)
    assert opened.state.played.passes == [104, 104]
    assert "one read may be wrong" in opened.state.incidents[1].detail


@pytest.mark.clause("SB-7")
@pytest.mark.field("BR-005")
def test_a_card_with_another_back_is_seen_by_a_machine_that_sees_backs(opened: BatchEvening) -> None:
    another(opened.hands.box[0], opened, back="green")
    opened.lay_in()
    assert opened.shuffle() is None
    opened.until(Course.UNSHUFFLED)
    assert "1 with another back than the set's" in opened.state.incidents[1].detail


@pytest.mark.clause("SB-5")
def test_a_set_is_not_shuffled_before_it_lies_in_the_tray_nor_by_anybody_else(opened: BatchEvening) -> None:
    assert opened.shuffle() == "SB-5"
    opened.lay_in()
    assert opened.act(DEALER, Trigger.SHUFFLE_SET) == "SB-5"
    assert opened.act(TECHNICIAN, Trigger.SHUFFLE_SET) == "SB-5"
    assert opened.act(SUPERVISOR, Trigger.TAKE_SET_OUT) == "SB-5"
    assert opened.shuffle() is None
    assert opened.shuffle() == "SB-5"


@pytest.mark.clause("SB-5")
def test_at_a_continuous_shuffler_no_set_is_shuffled_by_a_cycle_nor_taken_out_for_one() -> None:
    evening = Evening()
    evening.open_table()
    evening.show_and_mix()
    assert evening.act(SUPERVISOR, Trigger.START_PACK) is None
    evening.hands.put_in_intake_tray(evening.hands.box[:100])
    evening.table.run(0.1)
    assert evening.act(SUPERVISOR, Trigger.SHUFFLE_SET) == "SB-5"
    assert evening.act(SUPERVISOR, Trigger.TAKE_SET_OUT) == "SB-5"


@pytest.mark.clause("SB-5")
def test_no_cycle_begins_at_the_machine_itself_while_nobody_named_a_set(opened: BatchEvening) -> None:
    opened.lay_in()
    assert not opened.hands.press_start()


@pytest.mark.clause("SB-5")
def test_cards_of_a_round_are_not_shuffled_while_the_set_is_in_the_shoe() -> None:
    evening = BatchEvening()
    evening.open_and_load()
    evening.deal(5)
    assert evening.act(SUPERVISOR, Trigger.TAKE_SET_OUT) == "SB-5"
    assert evening.key(DealerKey.ROUND_OVER) is None
    evening.hands.put_in_intake_tray(list(evening.hands.on_table))
    evening.table.run(0.5)
    assert evening.shuffle() == "SB-5"
    assert not evening.hands.press_start()
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) == "SB-5"
    assert evening.act(SUPERVISOR, Trigger.SHUFFLE_MACHINE) == "SB-5"


def held_in_the_machine() -> BatchEvening:
    """A table whose set is shuffled; an open incident keeps it from the shoe."""
    evening = BatchEvening()
    evening.open_table()
    evening.hands.press_dealer_key(DealerKey.DAMAGED_CARD)
    evening.lay_in()
    assert evening.shuffle() is None
    evening.until(Course.SHUFFLED)
    return evening


@pytest.mark.clause("SB-5")
def test_a_pack_taken_out_of_the_machine_by_hand_is_not_dealt() -> None:
    evening = held_in_the_machine()
    evening.hands.open_lid(force=True)
    evening.table.run(0.5)
    assert evening.course is Course.UNSHUFFLED
    evening.hands.put_in_shoe(evening.hands.take_from_machine())
    evening.hands.close_lid()
    evening.table.run(1.0)
    assert evening.course is Course.OUT
    assert IncidentKind.UNEXPECTED_CARD in evening.kinds()
    assert no_card_comes(evening)


@pytest.mark.clause("SB-9")
def test_a_set_that_waits_shuffled_in_a_machine_whose_power_was_cut_is_shuffled_anew() -> None:
    evening = held_in_the_machine()
    evening.hands.reboot("shuffler")
    evening.table.run(5.0)
    assert evening.course is Course.UNSHUFFLED
    assert no_card_comes(evening)


@pytest.mark.clause("SB-1")
@pytest.mark.parametrize(("purpose", "place"), [(Purpose.DEAL, Place.SHOE), (Purpose.UNLOAD, Place.OUTSIDE)])
def test_a_pack_that_left_under_another_release_than_the_one_in_force_is_told_and_booked_where_it_went(
    opened: BatchEvening, purpose: Purpose, place: Place
) -> None:
    opened.begin_cycle()
    opened.hands.press_stop()
    opened.until(Course.UNSHUFFLED)
    opened.hands.devices["shuffler"].tell(PackOut(Purpose.VERIFY if purpose is Purpose.UNLOAD else purpose, 104))
    opened.table.run(1.0)
    assert opened.kinds() == [IncidentKind.UNEXPECTED_CARD]
    assert opened.at(place) == 104
    assert opened.course is Course.UNSHUFFLED


@pytest.mark.clause("SB-1")
def test_a_shuffled_pack_that_left_under_no_release_known_is_not_dealt() -> None:
    evening = held_in_the_machine()
    evening.hands.devices["shuffler"].tell(PackOut(Purpose.VERIFY, 104))
    evening.table.run(1.0)
    assert IncidentKind.UNEXPECTED_CARD in evening.kinds()
    assert evening.course is Course.SHUFFLED
    assert evening.hands.pull_card() is None


@pytest.mark.clause("SB-5")
def test_a_set_of_which_cards_lie_on_the_table_is_not_shuffled() -> None:
    evening = BatchEvening(book=otherwise(HOUSE, "warning_card.used", False))
    evening.open_and_load()
    evening.play_round(38)
    evening.play_round(38)
    evening.deal(28)
    assert evening.course is Course.OUT
    evening.hands.put_in_intake_tray(list(evening.hands.discard))
    evening.table.run(0.3)
    assert evening.shuffle() == "SB-5"
    assert evening.course is Course.OUT


@pytest.mark.clause("SB-5")
def test_a_finished_pack_that_hands_take_out_of_the_output_is_not_dealt() -> None:
    evening = held_in_the_machine()
    evening.hands.take_from_output()
    evening.table.run(0.5)
    assert evening.course is Course.OUT
    assert IncidentKind.UNEXPECTED_CARD in evening.kinds()
    evening.hands.put_in_shoe(list(evening.hands.on_table))
    assert no_card_comes(evening)


@pytest.mark.clause("SB-5")
def test_a_shuffled_set_that_is_taken_out_is_shuffled_again_before_it_is_dealt() -> None:
    evening = held_in_the_machine()
    evening.take_out_of_machine()
    evening.hands.put_in_shoe(list(evening.hands.discard))
    assert no_card_comes(evening)


@pytest.mark.clause("SB-4")
def test_a_set_that_hands_took_out_under_the_lid_is_out_when_the_machine_says_that_it_is_empty(
    opened: BatchEvening,
) -> None:
    opened.begin_cycle()
    opened.table.run(1.0)
    opened.hands.open_lid(force=True)
    opened.table.run(0.3)
    opened.hands.take_from_machine()
    opened.hands.close_lid()
    opened.table.run(0.5)
    assert opened.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert opened.act(SUPERVISOR, Trigger.TAKE_SET_OUT) is None
    opened.until(Course.OUT)
    assert opened.at(Place.MACHINE) == 0


@pytest.mark.clause("SB-5")
def test_a_machine_that_does_not_begin_leaves_the_set_where_it_is(opened: BatchEvening) -> None:
    opened.lay_in()
    opened.hands.mechanism.output.append(opened.hands.mechanism.intake_tray.pop())  # not taken yet: it begins nothing
    assert opened.shuffle() is None
    opened.table.run(1.0)
    assert opened.course is Course.OUT
    assert no_card_comes(opened)


@pytest.mark.clause("SB-7")
def test_a_machine_that_hands_over_another_number_than_it_counted_is_believed_neither_way() -> None:
    evening = held_in_the_machine()
    evening.hands.devices["shuffler"].tell(PackOut(Purpose.DEAL, 103))
    evening.table.run(1.0)
    assert evening.course is Course.IN_SHOE
    assert IncidentKind.COUNT_MISMATCH in evening.kinds()
    assert "SB-7" in evening.reasons()
    assert evening.hands.pull_card() is None
