"""The last round of a batch shuffler's pack: it is counted, and the count stands for a warning card (GN-2, GN-9)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.changes import ShoeMarked
from firmware_bridge.core.words import Course, Trigger
from tests.table.batch_evening import HOUSE, BatchEvening
from tests.table.evening import SUPERVISOR, otherwise
from tests.table.test_batch_screen import due, shown

TO_THE_LAST = 104 - 75
"""Cards of two decks after which as many are left as the book at most leaves undealt."""


@pytest.fixture
def batch() -> BatchEvening:
    evening = BatchEvening()
    evening.open_and_load()
    return evening


@pytest.mark.clause("GN-9", "PT-S6")
@pytest.mark.field("BR-022")
def test_after_the_round_in_which_few_are_left_no_other_begins_until_the_set_is_shuffled(
    batch: BatchEvening,
) -> None:
    batch.deal(TO_THE_LAST)
    assert any("announce aloud that this round is the last" in ask.text for ask in shown(batch).asks)
    marks = [one for logged in batch.logged() for one in logged.decision.changes if isinstance(one, ShoeMarked)]
    assert marks == [ShoeMarked(75, came=False, counted=True)]
    assert len(batch.deal(5)) == 5  # the round is played to its end
    assert batch.key(DealerKey.ROUND_OVER) is None
    batch.table.run(5)
    assert batch.hands.pull_card() is None
    assert shown(batch).reasons == (
        "the last round of this shoe was played: have the set taken out, and shuffled anew [GN-9]",
    )
    assert due(batch) == ["Supervisor: step 65 - have the set taken out, to be shuffled anew"]
    batch.hands.move(list(batch.hands.on_table), batch.hands.discard)
    batch.take_out_of_shoe()
    batch.load()
    assert batch.reasons() == []
    assert len(batch.deal(3)) == 3


@pytest.mark.clause("GN-2", "GN-9")
def test_with_one_card_more_left_another_round_begins(batch: BatchEvening) -> None:
    batch.play_round(TO_THE_LAST - 1)
    assert batch.reasons() == []
    batch.deal(1)
    assert batch.key(DealerKey.ROUND_OVER) is None
    assert batch.reasons() == ["PT-S6"]  # as the product names it; people read their book's own clause


@pytest.mark.clause("GN-2")
def test_where_the_book_has_no_warning_card_a_shoe_is_dealt_on() -> None:
    batch = BatchEvening(book=otherwise(HOUSE, "warning_card.used", False))
    batch.open_and_load()
    batch.play_round(TO_THE_LAST + 5)
    assert batch.reasons() == []
    assert batch.state.sets_at(Course.IN_SHOE)
    assert batch.act(SUPERVISOR, Trigger.TAKE_SET_OUT) is None  # at the supervisor's word it is shuffled all the same
