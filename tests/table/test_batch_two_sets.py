"""Two sets at a table with a batch shuffler: one is shuffled while the other plays, and they never mix (SB-6)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey, Purpose
from firmware_bridge.core.outputs import purpose
from firmware_bridge.core.words import FIRST, SECOND, Course, Incident, IncidentKind, Place, Session, Trigger
from sim_hardware.cards import Card
from tests.table.batch_evening import SLOW, TwoSets, force_the_lid
from tests.table.evening import SUPERVISOR
from tests.table.test_damaged_card import typed


@pytest.fixture
def two() -> TwoSets:
    """A table that is open: the red set in the shoe, the blue one in its box."""
    evening = TwoSets()
    evening.open_and_load()
    return evening


def shuffle_the_second(evening: TwoSets) -> None:
    """The second set is shuffled while the first one plays, and waits in the machine."""
    evening.shuffle_set(SECOND)
    evening.until_at(SECOND, Course.SHUFFLED)


@pytest.mark.clause("SB-6")
def test_one_set_is_shuffled_while_the_other_plays_and_they_take_turns_until_all_is_verified(two: TwoSets) -> None:
    two.shuffle_set(SECOND)
    two.until_at(SECOND, Course.IN_CYCLE)
    two.play_round()
    two.until_at(SECOND, Course.SHUFFLED)
    two.play_round()
    two.take_out(FIRST)
    two.until_at(SECOND, Course.IN_SHOE)
    assert two.state.playing == SECOND
    two.shuffle_set(FIRST)
    two.until_at(FIRST, Course.IN_CYCLE)
    two.play_round()
    two.until_at(FIRST, Course.SHUFFLED)
    assert {name: cards.account.cards for name, cards in two.state.sets.items()} == {FIRST: 104, SECOND: 104}
    two.close()
    assert two.session is Session.ALL_REGULAR
    assert [deck.regular for deck in two.state.decks_read] == [True] * 4
    assert two.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert two.session is Session.VERIFIED
    assert all(cards.account.at(Place.VERIFIED) == 104 for cards in two.state.sets.values())


@pytest.mark.clause("SB-6")
def test_a_shuffled_set_waits_in_the_machine_until_the_shoe_is_free_of_the_other(two: TwoSets) -> None:
    shuffle_the_second(two)
    two.table.run(10)
    assert two.state.course(SECOND) is Course.SHUFFLED
    assert not any(card.back == "blue" for card in two.hands.shoe.mouth)


@pytest.mark.clause("SB-6")
def test_nothing_is_dealt_while_the_other_set_lies_in_the_discard(two: TwoSets) -> None:
    shuffle_the_second(two)
    two.play_round()
    two.take_out(FIRST)
    two.until_at(SECOND, Course.IN_SHOE)
    two.table.run(2.0)
    assert two.reasons() == ["SB-6"]
    assert purpose(two.state) is None
    assert two.hands.pull_card() is None
    two.shuffle_set(FIRST)
    two.until_at(FIRST, Course.IN_CYCLE)
    assert two.reasons() == []
    assert purpose(two.state) is Purpose.DEAL


@pytest.mark.clause("SB-5")
@pytest.mark.clause("SB-6")
def test_a_set_that_the_machine_cannot_take_is_put_away_before_the_other_is_dealt(two: TwoSets) -> None:
    shuffle_the_second(two)
    two.take_out(FIRST)
    two.until_at(SECOND, Course.IN_SHOE)
    assert two.act(SUPERVISOR, Trigger.TAKE_SET_OUT, int(FIRST)) is None
    assert two.state.sets[FIRST].account.at(Place.OUTSIDE) == 104
    assert two.reasons() == []
    assert two.act(SUPERVISOR, Trigger.TAKE_SET_OUT, int(FIRST)) == "SB-5"


@pytest.mark.clause("SB-5")
def test_the_set_that_plays_is_not_put_away(two: TwoSets) -> None:
    two.play_round()
    two.take_out(FIRST)
    assert two.act(SUPERVISOR, Trigger.TAKE_SET_OUT, int(FIRST)) == "SB-5"
    assert two.state.account.at(Place.DISCARD) == 104


@pytest.mark.clause("SB-6")
def test_a_set_that_is_none_is_not_named(two: TwoSets) -> None:
    two.take_out(FIRST)
    two.lay_in_set("red")
    assert two.act(SUPERVISOR, Trigger.SHUFFLE_SET, 3) == "SB-6"


@pytest.mark.clause("SB-6")
def test_a_set_is_not_shuffled_while_the_other_is_in_the_machine(two: TwoSets) -> None:
    shuffle_the_second(two)
    two.hands.press_dealer_key(DealerKey.DAMAGED_CARD)  # it stays in the machine
    two.table.run(0.5)
    two.take_out(FIRST)
    two.lay_in_set("red")
    assert two.act(SUPERVISOR, Trigger.SHUFFLE_SET, int(FIRST)) == "SB-6"


@pytest.mark.clause("SB-6")
def test_a_set_laid_in_for_the_other_is_seen_by_its_backs(two: TwoSets) -> None:
    two.take_out(FIRST)
    two.lay_in_set("red")
    assert two.act(SUPERVISOR, Trigger.SHUFFLE_SET, int(SECOND)) is None
    two.until_at(SECOND, Course.UNSHUFFLED)
    assert "104 with another back than the set's" in two.state.incidents[1].detail


def swap(evening: TwoSets, face: int) -> Card:
    """One card of the red set lies in the blue one's box."""
    crossed = next(card for card in evening.hands.box if card.back == "red" and card.face == face)
    evening.strays.append(crossed)
    return crossed


@pytest.mark.clause("SB-6")
@pytest.mark.field("BR-002")
@pytest.mark.parametrize(("first", "second"), [(FIRST, SECOND), (SECOND, FIRST)])
def test_a_card_that_crossed_blocks_both_sets_until_both_are_counted_and_is_named_then(first: str, second: str) -> None:
    evening = TwoSets()
    evening.open_table()
    stray = swap(evening, 9)
    evening.shuffle_set(first)
    evening.until_at(first, Course.UNSHUFFLED)
    assert not any(cards.counts_trusted for cards in evening.state.sets.values())
    assert IncidentKind.COUNT_MISMATCH in evening.kinds()
    evening.take_out_of_machine_set(first)
    evening.shuffle_set(second)
    evening.until_at(second, Course.UNSHUFFLED)
    told = [one.detail for one in evening.state.incidents.values() if one.kind is IncidentKind.COUNT_MISMATCH]
    assert len(told) == 2
    assert "likely crossed from the one to the other" in told[1]
    assert evening.hands.pull_card() is None
    # put right: counted anew, both of them, before either is dealt
    evening.take_out_of_machine_set(second)
    evening.strays.remove(stray)
    evening.shuffle_set(first)
    evening.until_at(first, Course.SHUFFLED)
    evening.table.run(5.0)
    assert evening.state.course(first) is Course.SHUFFLED
    assert all(one.state is not Incident.CLEARED for one in evening.state.incidents.values())
    evening.take_out_of_machine_set(first)
    evening.shuffle_set(second)
    evening.until_at(second, Course.SHUFFLED)
    evening.confirm_all()
    evening.until_at(second, Course.IN_SHOE)
    evening.shuffle_set(first)  # the other one lies in the discard no more
    evening.until_at(first, Course.IN_CYCLE)
    assert evening.reasons() == []


@pytest.mark.clause("SB-6")
def test_a_set_that_is_short_while_the_other_plays_has_that_one_counted_too(two: TwoSets) -> None:
    two.strays.append(next(card for card in two.hands.box if card.back == "blue"))  # used as a cut card, say
    two.shuffle_set(SECOND)
    two.until_at(SECOND, Course.UNSHUFFLED)
    two.table.run(1.0)
    assert "SB-7" in two.reasons()
    assert not two.state.sets[FIRST].counts_trusted
    assert two.hands.pull_card() is None


@pytest.mark.clause("PT-A1")
def test_a_damaged_card_of_the_second_set_is_one_that_came_out_too(two: TwoSets) -> None:
    shuffle_the_second(two)
    two.take_out(FIRST)
    two.until_at(SECOND, Course.IN_SHOE)
    two.shuffle_set(FIRST)
    two.until_at(FIRST, Course.IN_CYCLE)
    dealt = two.deal(4)
    inside = next(card for card in two.hands.shoe.mouth if card.face not in {one.face for one in dealt})
    assert two.key(DealerKey.DAMAGED_CARD) is None
    assert two.act(SUPERVISOR, Trigger.NAME_CARD, typed(inside)) == "house.damaged_card.replaced_by"
    assert two.act(SUPERVISOR, Trigger.NAME_CARD, typed(dealt[0])) is None


@pytest.mark.clause("SB-7")
def test_what_touched_the_machine_leaves_the_count_of_the_set_that_plays_as_it_was() -> None:
    evening = TwoSets(build=SLOW)
    evening.open_and_load()
    evening.shuffle_set(SECOND)
    evening.until_at(SECOND, Course.IN_CYCLE)
    force_the_lid(evening)
    evening.until_at(SECOND, Course.UNSHUFFLED)
    assert {name: cards.counts_trusted for name, cards in evening.state.sets.items()} == {FIRST: True, SECOND: False}
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    evening.take_out_of_machine_set(SECOND)
    evening.hands.move(evening.hands.take_from_intake_tray(), evening.hands.discard)
    evening.shuffle_set(SECOND)
    evening.until_at(SECOND, Course.SHUFFLED)
    evening.confirm_all()
    assert len(evening.deal(3)) == 3, "the set in the shoe is counted by nobody anew"


@pytest.mark.clause("SB-6")
def test_decks_that_are_sorted_again_begin_with_the_first_set() -> None:
    evening = TwoSets()
    evening.open_and_load()
    piles = evening.close_with_a_card_crossed()
    assert evening.session is Session.DIFFERENCE
    assert evening.act(SUPERVISOR, Trigger.SORT_AGAIN) is None
    piles[0][5], piles[2][9] = piles[2][9], piles[0][5]
    for cards in piles:
        evening.read_deck(cards)
    assert evening.session is Session.ALL_REGULAR
    assert all(cards.account.at(Place.VERIFIED) == 104 for cards in evening.state.sets.values())
