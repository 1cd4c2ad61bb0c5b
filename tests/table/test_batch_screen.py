"""What the screen says at a table with a batch shuffler: where the set stands, why nothing is dealt, what is next."""

from __future__ import annotations

from dataclasses import replace

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import FIRST, SECOND, Course, Incident, IncidentKind, Trigger
from firmware_bridge.view import TableView
from firmware_bridge.view.table_view import table_view
from tests.table.batch_evening import SLOW, BatchEvening, TwoSets, force_the_lid
from tests.table.evening import SUPERVISOR
from tests.table.test_damaged_card import typed


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
    assert (
        due(evening)[0] == "Dealer: lay the set into the machine's tray, whole: 104 cards, from table and discard too"
    )
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


@pytest.mark.clause("SB-7")
def test_a_count_that_lacks_many_cards_names_the_first_few_and_says_how_many_there_are() -> None:
    evening = BatchEvening(build=SLOW)
    evening.open_table()
    evening.hands.put_in_intake_tray(evening.hands.box[52:])
    evening.table.run(0.3)
    assert evening.shuffle() is None
    evening.until(Course.UNSHUFFLED)
    alarm = shown(evening).alarm
    assert alarm is not None
    assert "52 cards (ace of clubs, " in alarm.text
    assert alarm.text.count(" of ") == 6
    assert "and others) not read" in alarm.text


@pytest.mark.clause("SB-7")
def test_where_only_the_next_shuffle_counts_nobody_is_told_to_wait_for_the_machine() -> None:
    evening = BatchEvening(build=SLOW)
    evening.open_and_load()
    force_the_lid(evening)
    evening.table.run(1)
    assert evening.act(SUPERVISOR, Trigger.COUNT_MACHINE) is None
    view = shown(evening)
    assert view.alarm is not None
    assert view.alarm.stands == "the next shuffle of the set counts it"
    assert not any("machine counts" in ask.text for ask in view.asks)
    assert "Supervisor: step 65 - have the set taken out, to be shuffled anew" in due(evening)


@pytest.mark.clause("PT-A1")
def test_while_the_shoe_reads_a_replacement_nobody_is_told_that_a_shuffle_counts() -> None:
    evening = BatchEvening()
    evening.open_and_load()
    card = evening.deal(3)[0]
    assert evening.key(DealerKey.DAMAGED_CARD) is None
    assert evening.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    evening.hands.on_table.append(laid := replace(card, damaged=False))
    evening.hands.put_in_shoe_tray([laid])
    evening.table.run(0.2)
    evening.hands.press_dealer_key(DealerKey.YES)
    reads = Incident.READING_REPLACEMENT
    assert evening.table.run(5, lambda: evening.state.incidents[1].state is reads)
    assert "Wait: the shoe reads the replacement" in due(evening)


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
    evening.shuffle_anew()
    evening.play_round()
    evening.key(DealerKey.CALL_SUPERVISOR)
    assert {kind for _, _, kind, _ in seen} >= {IncidentKind.LID_OPENED, IncidentKind.SUPERVISOR_CALLED}


@pytest.mark.clause("SB-6")
def test_the_screen_tells_two_sets_apart_and_what_is_to_be_done_with_each() -> None:
    evening = TwoSets(build=SLOW)
    evening.open_table()
    assert due(evening)[0].startswith("Dealer: lay set 1 (red) into the machine's tray, whole: 104 cards")
    evening.lay_in_set("red")
    assert due(evening) == [
        "Supervisor: step 64 - have the set in the tray shuffled; type its number: 1 (red) or 2 (blue)"
    ]
    assert evening.act(SUPERVISOR, Trigger.SHUFFLE_SET, int(FIRST)) is None
    evening.until_at(FIRST, Course.IN_SHOE)
    evening.shuffle_set(SECOND)
    evening.until_at(SECOND, Course.IN_CYCLE)
    evening.deal(3)
    assert shown(evening).sets == (
        "set 1 (red): in the shoe; shoe 101, table 3",
        "set 2 (blue): being shuffled; machine 104",
    )
    assert evening.key(DealerKey.ROUND_OVER) is None
    evening.until_at(SECOND, Course.SHUFFLED)
    evening.take_out(FIRST)
    evening.until_at(SECOND, Course.IN_SHOE)
    assert any("set 1 lies in the discard" in reason and "SB-6" in reason for reason in shown(evening).reasons)
    assert due(evening)[0].startswith("Dealer: lay set 1 (red) into the machine's tray, whole: 104 cards")


@pytest.mark.clause("SB-6")
def test_at_the_closing_a_card_that_crossed_is_told_by_the_set_that_lacks_it_and_the_one_that_has_it() -> None:
    evening = TwoSets()
    evening.open_and_load()
    evening.close_with_a_card_crossed()
    told = shown(evening).difference
    assert any(line.startswith("set 1: the whole set lacks") for line in told)
    assert any(line.startswith("set 2: the whole set has too many") for line in told)
