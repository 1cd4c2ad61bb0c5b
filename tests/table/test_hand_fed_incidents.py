"""Incidents at a table without a machine: all that comes out of the shoe is the count, its next filling the shuffle."""

from __future__ import annotations

import pytest

from drivers.cards import Face
from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import Incident, IncidentKind, Place, Session, Trigger
from firmware_bridge.rulebooks import load_rulebook
from sim_hardware.cards import Card
from tests.table.evening import PORTUGAL, ROOM_MANAGER, SUPERVISOR, otherwise
from tests.table.hand_fed_evening import HandFedEvening
from tests.table.test_damaged_card import replace, typed
from tests.table.test_hand_fed_session import asked_of

LIVE = load_rulebook("live")


@pytest.fixture
def dealt() -> HandFedEvening:
    """A table of which two rounds were played, and a third is under way."""
    evening = HandFedEvening()
    evening.open_and_load()
    evening.play_round()
    evening.play_round()
    evening.draw(5)
    return evening


def memory_lost(evening: HandFedEvening) -> None:
    evening.hands.reboot("shoe", memory_lost=True)
    evening.table.run(3.0)
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) is None  # that it was gone for a moment


def spilled(evening: HandFedEvening) -> None:
    assert evening.act(SUPERVISOR, Trigger.DECLARE_SPILL) is None


def slipped_out(evening: HandFedEvening) -> None:
    """A card comes though dealing is held: its gate leaks."""
    assert evening.key(DealerKey.CLAIM) is None
    evening.table.run(1.0)
    evening.hands.shoe.gate_open = True
    assert evening.hands.pull_card() is not None
    evening.table.run(0.5)
    assert evening.act(SUPERVISOR, Trigger.CLOSE_CLAIM, 2) is None


HAPPENINGS = {
    IncidentKind.MEMORY_LOST: memory_lost,
    IncidentKind.SPILL: spilled,
    IncidentKind.UNEXPECTED_CARD: slipped_out,
}


@pytest.mark.clause("SB-7")
@pytest.mark.parametrize("kind", HAPPENINGS)
def test_a_count_that_is_doubted_is_made_as_all_cards_come_out_of_the_shoe(
    dealt: HandFedEvening, kind: IncidentKind
) -> None:
    HAPPENINGS[kind](dealt)
    assert dealt.kinds() == [kind]
    if [one.state for one in dealt.state.incidents.values()] == [Incident.RAISED]:
        assert dealt.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert any("step 61 between rounds" in line for line in asked_of(dealt, ""))
    dealt.over()
    assert dealt.hands.pull_card() is None
    assert dealt.act(SUPERVISOR, Trigger.SHUFFLE_MACHINE) is None
    dealt.end_shoe()
    assert dealt.session is Session.MIXING
    assert [one.state for one in dealt.state.incidents.values()] == [Incident.CLEARED]
    dealt.confirm_all()
    dealt.prepare()
    assert dealt.reasons() == []


@pytest.mark.clause("SB-7", "SB-9")
def test_the_shoe_may_be_emptied_for_a_doubted_count_that_nobody_has_ordered_yet(dealt: HandFedEvening) -> None:
    dealt.hands.reboot("shoe", memory_lost=True)
    dealt.table.run(3.0)
    dealt.over()
    assert not dealt.state.counts_trusted
    assert dealt.act(SUPERVISOR, Trigger.SHUFFLE_MACHINE) is None
    assert dealt.session is Session.EMPTYING_SHOE


@pytest.mark.clause("SB-5", "SB-9")
def test_cards_in_order_are_counted_as_they_come_out_and_shuffled_before_they_are_dealt_again() -> None:
    evening = HandFedEvening()
    evening.open_table()
    evening.until_cut()
    evening.cut()
    evening.hands.fill_shoe(list(evening.hands.box))  # sorted, and no warning card
    evening.yes()
    for _ in range(9):
        evening.hands.pull_card()
        evening.table.run(0.2)
    assert evening.kinds() == [IncidentKind.SEQUENCE]
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    evening.over()
    assert evening.act(SUPERVISOR, Trigger.SHUFFLE_MACHINE) is None
    evening.end_shoe()
    assert [one.state for one in evening.state.incidents.values()] == [Incident.SHUFFLING]
    evening.prepare()
    assert [one.state for one in evening.state.incidents.values()] == [Incident.CLEARED]
    evening.confirm_all()
    assert evening.reasons() == []


@pytest.mark.clause("SB-7", "SB-4")
def test_a_card_that_is_not_in_the_shoe_is_missed_as_it_is_emptied_and_the_table_closes_with_a_difference(
    dealt: HandFedEvening,
) -> None:
    taken = next(card for card in dealt.hands.shoe.mouth if card is not dealt.hands.warning_card)
    dealt.hands.shoe.mouth.remove(taken)  # up a sleeve
    dealt.over()
    assert dealt.act(SUPERVISOR, Trigger.STOP_PLAY) is None
    dealt.table.run(0.5)
    while dealt.hands.shoe.mouth:
        if (card := dealt.pull()) is not dealt.hands.warning_card:
            dealt.hands.move([card], dealt.hands.discard)
    assert dealt.at(Place.SHOE) == 1
    assert dealt.key(DealerKey.YES) == "SB-4"
    assert dealt.act(SUPERVISOR, Trigger.CONFIRM_SHOE_EMPTY) is None
    assert dealt.kinds() == [IncidentKind.COUNT_MISMATCH]
    assert dealt.session is Session.EMPTYING_SHOE
    assert any("declare the table closed" in line for line in asked_of(dealt, "supervisor"))
    assert dealt.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert dealt.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    assert dealt.act(SUPERVISOR, Trigger.CONFIRM_SHOE_EMPTY) is None
    assert dealt.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    dealt.verify()
    assert dealt.act(SUPERVISOR, Trigger.NO_CARDS_LEFT) is None
    assert dealt.session is Session.DIFFERENCE
    dealt.confirm_all()
    assert dealt.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) is None


@pytest.mark.clause("SB-7")
@pytest.mark.field("BR-015")
def test_a_right_number_with_a_wrong_card_goes_into_no_other_shoe() -> None:
    evening = HandFedEvening()
    evening.open_table()
    evening.until_cut()
    evening.cut()
    evening.hands.box[0].face = evening.hands.box[1].face
    evening.lay_in()
    evening.yes()
    evening.play_round(20)
    assert evening.act(SUPERVISOR, Trigger.STOP_PLAY) is None
    evening.draw_what_comes()
    assert evening.kinds() == [IncidentKind.DUPLICATE]  # one of its face too many; more are out than the tray takes
    assert evening.key(DealerKey.YES) == "SB-1"
    assert any("declare the table closed" in line for line in asked_of(evening, "supervisor"))
    evening.close()
    assert evening.session is Session.DIFFERENCE


@pytest.mark.clause("SB-7")
@pytest.mark.field("BR-015")
def test_a_wrong_card_that_is_the_shoes_last_is_no_count_of_the_set_though_the_number_is_right() -> None:
    evening = HandFedEvening()
    evening.open_table()
    evening.until_cut()
    evening.cut()
    wrong, *others = evening.hands.box
    wrong.face = others[0].face
    evening.rng.shuffle(others)
    evening.hands.fill_shoe([*others, evening.hands.warning_card, wrong])
    evening.yes()
    evening.play_round(20)
    assert evening.act(SUPERVISOR, Trigger.STOP_PLAY) is None
    evening.draw_out()
    assert (evening.at(Place.DISCARD), evening.kinds()) == (208, [IncidentKind.DUPLICATE])
    evening.yes()
    assert evening.session is Session.EMPTYING_SHOE
    assert evening.kinds() == [IncidentKind.DUPLICATE, IncidentKind.COUNT_MISMATCH]


@pytest.mark.clause("SB-8", "PT-A12")
def test_an_open_claim_keeps_the_shoe_from_being_emptied_and_the_cards_from_being_mixed(dealt: HandFedEvening) -> None:
    dealt.over()
    dealt.play_until(60)
    dealt.draw(11)
    dealt.over()
    assert dealt.session is Session.EMPTYING_SHOE
    assert dealt.key(DealerKey.CLAIM) is None
    dealt.table.run(1.0)
    assert dealt.hands.pull_card() is None
    assert dealt.act(SUPERVISOR, Trigger.CLOSE_CLAIM, 2) is None
    dealt.end_shoe()
    assert dealt.session is Session.MIXING
    assert dealt.key(DealerKey.CLAIM) == "PT-A12"  # they are being mixed


@pytest.mark.clause("LD-7", "LD-8")
def test_a_void_round_is_the_last_of_its_shoe() -> None:
    evening = HandFedEvening(decks=8, book=LIVE)
    evening.open_and_load(60)
    evening.hands.move(evening.draw(evening.to_burn), evening.hands.discard)
    evening.draw(4)
    evening.table.start_controller()
    evening.table.run(5.0)
    assert evening.state.round_void
    evening.over()
    assert evening.session is Session.EMPTYING_SHOE
    while kinds := evening.kinds():
        action = 2 if kinds[0] is IncidentKind.HOST_BREAK else 0
        assert evening.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, action) is None
    evening.end_shoe()
    evening.prepare(60)
    assert evening.reasons() == []


@pytest.mark.clause("PT-A1")
def test_a_damaged_card_is_replaced_and_the_shoe_is_played_on_and_counted_whole(dealt: HandFedEvening) -> None:
    card = dealt.hands.on_table[-1]
    assert dealt.key(DealerKey.DAMAGED_CARD) is None
    assert dealt.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    dealt.hands.move([card], dealt.hands.set_aside)
    replace(dealt, card)
    dealt.hands.move(dealt.hands.take_shoe_output(), dealt.hands.on_table)
    assert dealt.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) is None
    dealt.over()
    assert dealt.act(SUPERVISOR, Trigger.STOP_PLAY) is None
    dealt.end_shoe()
    assert dealt.session is Session.SHOWING
    assert dealt.kinds() == []


@pytest.mark.clause("PT-E2")
def test_a_shoe_is_filled_with_the_whole_set_or_not_at_all() -> None:
    evening = HandFedEvening()
    evening.open_table()
    card = evening.hands.box[0]
    assert evening.key(DealerKey.DAMAGED_CARD) is None
    assert evening.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    while evening.session is not Session.FILLING_SHOE:
        evening.key(DealerKey.YES)
    evening.hands.move([card], evening.hands.set_aside)
    evening.lay_in()
    assert evening.act(SUPERVISOR, Trigger.ONE_PLAYER) == "PT-E2"
    assert evening.session is Session.FILLING_SHOE


@pytest.mark.clause("SB-1")
def test_a_link_that_is_back_by_itself_holds_until_it_is_confirmed(dealt: HandFedEvening) -> None:
    dealt.table.unplug("shoe")
    dealt.table.run(3.0)
    dealt.table.replug("shoe")
    dealt.table.run(5.0)
    assert dealt.kinds() == [IncidentKind.LINK_LOST, IncidentKind.RELEASE_LAPSED]
    assert dealt.reasons() == ["SB-2", "SB-2"]
    dealt.confirm_all()
    assert dealt.reasons() == []


@pytest.mark.clause("PT-A2")
def test_nobody_is_asked_for_a_lid_or_a_machine_at_a_table_without_one(dealt: HandFedEvening) -> None:
    for happens in HAPPENINGS.values():
        happens(dealt)
        dealt.table.run(1.0)
        lines = [*asked_of(dealt, "dealer"), *asked_of(dealt, "supervisor")]
        assert lines
        assert not [line for line in lines if "lid" in line or "machine" in line]


@pytest.mark.clause("PT-A1")
def test_the_cards_are_not_mixed_while_a_replacement_is_awaited(dealt: HandFedEvening) -> None:
    card = dealt.hands.on_table[-1]
    dealt.over()
    assert dealt.act(SUPERVISOR, Trigger.STOP_PLAY) is None
    assert dealt.key(DealerKey.DAMAGED_CARD) is None
    assert dealt.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    dealt.hands.move([card], dealt.hands.set_aside)
    dealt.draw_out()
    assert dealt.key(DealerKey.YES) == "PT-A6"  # it asks for the replacement
    assert (dealt.session, dealt.kinds()) == (Session.EMPTYING_SHOE, [IncidentKind.DAMAGED_CARD])
    replace(dealt, card)
    dealt.hands.move(dealt.hands.take_shoe_output(), dealt.hands.discard)
    assert dealt.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) is None
    dealt.yes()
    assert dealt.session is Session.SHOWING


@pytest.mark.clause("PT-A1", "SB-1")
def test_a_set_of_which_a_foreign_card_was_sealed_is_mixed_no_more(dealt: HandFedEvening) -> None:
    dealt.over()
    assert dealt.act(SUPERVISOR, Trigger.DECLARE_FOREIGN) is None
    assert dealt.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 5) is None
    assert dealt.act(SUPERVISOR, Trigger.STOP_PLAY) is None
    dealt.draw_out()
    assert dealt.key(DealerKey.YES) == "PT-A1"
    assert dealt.session is Session.EMPTYING_SHOE


@pytest.mark.clause("SB-7", "SB-1")
def test_a_card_more_than_the_set_has_is_told_as_it_comes_and_the_set_goes_into_no_other_shoe() -> None:
    evening = HandFedEvening()
    evening.open_table()
    evening.until_cut()
    evening.cut()
    extra = Card(Face(7), "red", 1)
    evening.hands.add(extra)
    evening.lay_in()
    evening.yes()
    evening.play_round()
    assert evening.act(SUPERVISOR, Trigger.STOP_PLAY) is None
    evening.draw_what_comes()
    assert evening.kinds() == [IncidentKind.DUPLICATE]
    assert evening.key(DealerKey.YES) == "SB-1"
    evening.unload()
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    piles = evening.sort().values()
    for cards in [*(pile[:52] for pile in piles), *(pile[52:] for pile in piles)]:
        if cards and evening.session is Session.AWAITING_DECK:
            evening.read_deck(cards)
    assert evening.session is Session.DIFFERENCE


@pytest.mark.clause("SB-7")
def test_a_card_more_than_the_set_has_that_comes_at_the_closing_had_lain_in_the_shoe_and_in_no_machine() -> None:
    evening = HandFedEvening()
    evening.open_table()
    evening.until_cut()
    evening.cut()
    evening.hands.add(Card(Face(7), "red", 1))
    evening.lay_in()
    evening.yes()
    evening.unload()
    assert [evening.at(one) for one in (Place.UNLOADED, Place.SHOE, Place.MACHINE)] == [209, 0, 0]


@pytest.mark.clause("SB-1")
def test_a_special_card_in_a_sorted_deck_is_a_card_whose_face_nobody_knows() -> None:
    evening = HandFedEvening()
    evening.open_and_load()
    evening.unload()
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    deck = next(iter(evening.sort().values()))
    deck[5] = evening.hands.warning_card
    evening.read_deck(deck)
    (judged,) = evening.state.decks_read
    assert (judged.cards, judged.unread, evening.kinds()) == (52, 1, [])


@pytest.mark.clause("PT-S6")
def test_the_warning_card_that_slips_out_while_the_dealer_is_asked_about_a_long_round_marks_it_as_the_last() -> None:
    evening = HandFedEvening()
    limit = evening.table.config.book.house.round_card_limit
    behind = 208 - 1 - limit - 1
    evening.open_and_load(behind)
    evening.draw(1 + limit + 1)
    assert evening.session is Session.ASKING_ROUND
    evening.table.run(1.0)
    evening.hands.shoe.gate_open = True  # it leaks
    evening.hands.pull_card()
    evening.table.run(0.5)
    assert evening.state.shoe.behind == behind
    evening.over()
    assert evening.session is Session.EMPTYING_SHOE


@pytest.mark.clause("PT-A6")
def test_a_warning_card_that_slips_out_while_presence_is_asked_is_no_card_of_the_set() -> None:
    evening = HandFedEvening()
    evening.open_and_load(207)
    evening.draw(1)
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert evening.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    evening.table.wait(evening.table.config.book.house.presence_interval_s + 5)
    assert evening.session is Session.ASKING_UNLOAD_PRESENCE
    evening.hands.shoe.gate_open = True
    evening.hands.pull_card()
    evening.table.run(0.5)
    assert (evening.state.shoe.behind, evening.kinds()) == (207, [])


@pytest.mark.clause("SB-7")
def test_a_table_that_closes_counts_nothing_more_and_goes_on_to_its_reading(dealt: HandFedEvening) -> None:
    dealt.over()
    spilled(dealt)
    assert dealt.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert dealt.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert [one.state for one in dealt.state.incidents.values()] == [Incident.RAISED]
    assert dealt.act(SUPERVISOR, Trigger.COUNT_MACHINE) == "SB-7"
    assert not any("step 32" in line for line in asked_of(dealt, "supervisor"))
    assert dealt.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    dealt.table.run(0.5)
    dealt.draw_what_comes()
    assert dealt.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    dealt.verify()
    assert dealt.session is Session.ALL_REGULAR
    dealt.confirm_all()


@pytest.mark.clause("SB-7")
def test_where_no_face_is_read_a_card_too_many_is_found_by_the_number_that_came_out() -> None:
    evening = HandFedEvening(book=otherwise(PORTUGAL, "warning_card.used", False), reads=False)
    evening.open_table()
    evening.until_cut()
    evening.cut()
    evening.hands.add(Card(Face(7), "red", 1))
    evening.lay_in(None)
    evening.yes()
    evening.play_round()
    assert evening.act(SUPERVISOR, Trigger.STOP_PLAY) is None
    evening.draw_what_comes()
    assert evening.kinds() == [IncidentKind.UNEXPECTED_CARD]
    assert [evening.at(one) for one in (Place.SHOE, Place.MACHINE)] == [0, 0]  # it had lain in the shoe unseen
    assert evening.key(DealerKey.YES) is None
    assert evening.session is Session.EMPTYING_SHOE
    assert evening.kinds() == [IncidentKind.UNEXPECTED_CARD, IncidentKind.COUNT_MISMATCH]
