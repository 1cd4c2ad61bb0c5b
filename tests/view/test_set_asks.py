"""What hands are asked to do with two sets at a batch shuffler, and which of it the table waits for."""

from __future__ import annotations

import pytest

from firmware_bridge.core.words import FIRST, SECOND, Course, Trigger
from firmware_bridge.view import Hand
from firmware_bridge.view.set_asks import look_for, set_lines
from sim_hardware.batch_faults import BatchFault
from tests.table.batch_evening import SLOW, TwoSets
from tests.table.evening import SUPERVISOR


@pytest.mark.clause("SB-6")
def test_the_table_waits_for_a_set_to_be_laid_in_only_while_none_can_be_dealt() -> None:
    evening = TwoSets()
    evening.open_table()
    [line] = set_lines(evening.state)
    assert (line.trigger, line.due, f"set {FIRST} (" in line.text) == (Hand.PUT_CARDS_IN, True, True)
    evening.shuffle_set(FIRST)
    evening.until_at(FIRST, Course.IN_SHOE)
    [line] = set_lines(evening.state)
    assert (line.trigger, line.due, f"set {SECOND} (" in line.text) == (Hand.PUT_CARDS_IN, False, True)


@pytest.mark.field("BR-014")
def test_a_card_that_a_set_lacks_is_named_only_where_every_other_was_read() -> None:
    evening = TwoSets(build=SLOW)
    evening.open_table()
    evening.strays.append(evening.of_set("red")[0])
    evening.shuffle_set(FIRST)
    assert evening.table.run(60, lambda: len(evening.state.sets[FIRST].passes) == 1)
    evening.hands.faults.arm(BatchFault.UNREADABLE)
    evening.until_at(FIRST, Course.UNSHUFFLED)
    read = evening.state.sets[FIRST].faces_read
    assert read is not None
    assert (len(read.missing), read.unread) == (2, 1)
    [line] = look_for(evening.state)
    assert line.text.startswith("Dealer: look for what set 1 (red) lacks, 1 card, in this order: ")


@pytest.mark.clause("SB-6")
def test_of_two_sets_in_doubt_the_one_not_counted_yet_is_laid_in_first_and_none_once_the_table_closes() -> None:
    evening = TwoSets()
    evening.open_table()
    evening.state.sets[SECOND].counts_trusted = False
    [line] = set_lines(evening.state)
    assert f"set {SECOND} (" in line.text
    evening.state.sets[SECOND].counts_trusted = True
    evening.shuffle_set(FIRST)
    evening.until_at(FIRST, Course.IN_SHOE)
    assert evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert not [one for one in set_lines(evening.state) if one.trigger == Hand.PUT_CARDS_IN]
