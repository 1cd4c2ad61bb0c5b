"""A set that a batch shuffler counts short: where its card is looked for, and what is counted anew (BR-014)."""

from __future__ import annotations

import pytest

from firmware_bridge.core.words import FIRST, SECOND, Course, IncidentKind, Trigger
from firmware_bridge.view.texts import Hand
from sim_hardware.cards import Card
from tests.table.batch_evening import BatchEvening, TwoSets
from tests.table.evening import SUPERVISOR
from tests.table.test_batch_screen import due, shown

WHERE = "the machine's gate and exit; the bottom of the pack in play; the place of the cut card; the floor and the well"


def search(evening: BatchEvening) -> str:
    """Where the screen has people look for a card; empty where it does not."""
    return next((ask.text for ask in shown(evening).asks if ask.trigger == Hand.LOOK_FOR and ask.due), "")


@pytest.fixture
def short() -> tuple[TwoSets, Card]:
    """The red set plays; a card of the blue one was taken for the cut card, and the machine counts 103 blue ones."""
    evening = TwoSets()
    evening.open_and_load()
    evening.play_round()
    cut_card = next(card for card in evening.hands.box if card.back == "blue")
    evening.strays.append(cut_card)
    evening.shuffle_set(SECOND)
    evening.until_at(SECOND, Course.UNSHUFFLED)
    evening.table.run(1.0)
    return evening, cut_card


@pytest.mark.clause("SB-6")
@pytest.mark.field("BR-014")
def test_a_short_set_is_told_with_its_card_and_where_to_look_in_order(short: tuple[TwoSets, Card]) -> None:
    evening, _ = short
    told = search(evening)
    assert told.startswith("Dealer: look for what set 2 (blue) lacks, 1 card (ace of clubs), in this order: " + WHERE)
    assert "both sets are counted anew" in told
    assert evening.hands.pull_card() is None
    # until it is counted anew, whatever is acknowledged meanwhile
    assert evening.act(SUPERVISOR, Trigger.ACKNOWLEDGE) is None
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert search(evening) == told


@pytest.mark.clause("SB-6")
@pytest.mark.field("BR-014")
def test_the_other_set_is_counted_for_a_foreign_card_and_what_is_found_has_both_counted_again(
    short: tuple[TwoSets, Card],
) -> None:
    evening, cut_card = short
    evening.take_out_of_machine_set(SECOND)
    evening.take_out(FIRST)
    evening.shuffle_set(FIRST)  # with the card of the other set, which lay at its cut
    evening.until_at(FIRST, Course.UNSHUFFLED)
    told = [one.detail for one in evening.state.incidents.values() if one.kind is IncidentKind.COUNT_MISMATCH]
    assert "1 with another back than the set's" in told[1]
    assert "set 2 is wrong by as much: ace of clubs likely crossed from the one to the other" in told[1]
    evening.strays.remove(cut_card)
    evening.take_out_of_machine_set(FIRST)
    evening.shuffle_set(SECOND)
    evening.until_at(SECOND, Course.SHUFFLED)
    assert search(evening) == ""
    evening.table.run(5.0)
    assert evening.state.course(SECOND) is Course.SHUFFLED  # one recount is not enough
    evening.take_out_of_machine_set(SECOND)
    evening.shuffle_set(FIRST)
    evening.until_at(FIRST, Course.SHUFFLED)
    evening.confirm_all()
    evening.until_at(FIRST, Course.IN_SHOE)


@pytest.mark.clause("SB-7")
def test_the_only_set_of_a_table_is_counted_anew_alone_and_a_machine_is_not_said_to_count_by_itself() -> None:
    evening = BatchEvening()
    evening.open_table()
    evening.hands.put_in_intake_tray(evening.hands.box[2:])
    evening.table.run(0.3)
    assert evening.shuffle() is None
    evening.until(Course.UNSHUFFLED)
    assert "the set lacks, 2 cards (" in search(evening)
    assert "both sets" not in search(evening)
    asked = "Supervisor: step 32 - say that the set is to be counted anew: its next shuffle counts it"
    assert asked in due(evening)
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    assert "The next shuffle of the set counts it" in due(evening)


@pytest.mark.clause("SB-7")
@pytest.mark.field("BR-016")
def test_nothing_is_looked_for_where_the_number_is_right_and_one_read_may_be_wrong() -> None:
    evening = BatchEvening()
    evening.open_table()
    ace, other = (next(card for card in evening.hands.box if card.face == face) for face in (1, 2))
    evening.hands.carry_away([ace])
    evening.hands.bring([Card(other.face, ace.back, ace.deck)])
    evening.lay_in()
    assert evening.shuffle() is None
    evening.until(Course.UNSHUFFLED)
    assert search(evening) == ""
