"""What the screen says at a table with a batch shuffler: where the set stands, why nothing is dealt, what is next."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import Course, IncidentKind, Trigger
from firmware_bridge.view import TableView
from firmware_bridge.view.table_view import table_view
from tests.table.batch_evening import SLOW, BatchEvening
from tests.table.evening import SUPERVISOR


def shown(evening: BatchEvening) -> TableView:
    """The screen of this moment."""
    controller = evening.table.assembly.controller
    return table_view(evening.state, controller.book, controller.status(), ())


def due(evening: BatchEvening) -> list[str]:
    """What the table waits for, in words."""
    return [ask.text for ask in shown(evening).asks if ask.due]


@pytest.mark.clause("SB-5")
def test_the_screen_leads_through_the_shuffle_of_a_set_and_says_that_it_may_not_be_dealt_before() -> None:
    evening = BatchEvening(build=SLOW)
    evening.open_table()
    assert due(evening)[0] == "Dealer: lay the whole set into the machine's tray: 104 cards, from table and discard too"
    assert any("not shuffled" in reason and "SB-5" in reason for reason in shown(evening).reasons)
    evening.lay_in()
    assert due(evening) == ["Supervisor: step 64 - have the set in the tray shuffled"]
    assert evening.shuffle() is None
    evening.until(Course.IN_CYCLE)
    assert due(evening) == ["Wait: the machine counts and shuffles the set"]
    evening.until(Course.IN_SHOE)
    evening.table.run(1.0)
    assert shown(evening).may_deal
    evening.play_round()
    assert evening.act(SUPERVISOR, Trigger.TAKE_SET_OUT) is None
    assert "draw what was not dealt from the shoe, and lay it with the discard: 95 cards" in due(evening)[0]


@pytest.mark.clause("SB-5")
def test_a_set_that_was_not_shuffled_is_asked_out_of_the_machine() -> None:
    evening = BatchEvening(build=SLOW)
    evening.open_table()
    evening.begin_cycle()
    evening.hands.press_stop()
    evening.until(Course.UNSHUFFLED)
    assert due(evening) == ["Supervisor: step 65 - have the set taken out, to be shuffled anew"]
    assert any("NOT SHUFFLED" in reason for reason in shown(evening).reasons)


@pytest.mark.clause("SB-2")
def test_the_screen_has_words_for_each_moment_of_an_evening_with_trouble() -> None:
    evening = BatchEvening(build=SLOW)
    step, seen = evening.table.step, set()

    def watched(*ticks: int) -> None:
        step(*ticks)
        view = shown(evening)
        seen.update((view.session_state, evening.course, one.kind, one.state) for one in view.incidents)

    evening.table.step = watched  # type: ignore[method-assign]
    evening.open_table()
    evening.begin_cycle()
    evening.hands.blink_lid()
    evening.until(Course.UNSHUFFLED)
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    evening.take_out_of_machine()
    evening.hands.move(evening.hands.take_from_intake_tray(), evening.hands.discard)
    evening.lay_in()
    assert evening.shuffle() is None
    evening.until(Course.SHUFFLED)
    evening.confirm_all()
    evening.until(Course.IN_SHOE)
    evening.play_round()
    evening.key(DealerKey.CALL_SUPERVISOR)
    assert {kind for _, _, kind, _ in seen} >= {IncidentKind.LID_OPENED, IncidentKind.SUPERVISOR_CALLED}
