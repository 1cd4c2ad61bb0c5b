"""By-ways of spills and damaged cards."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import Incident, IncidentKind, Session, Trigger
from tests.table.byways import (
    HURRIED,
    WITHOUT_READER,
    confirm,
    count,
    empty,
    lose_a_card,
    power_cycle,
    stands,
    verify_and_find_no_more,
)
from tests.table.evening import ROOM_MANAGER, SUPERVISOR, Evening
from tests.table.test_damaged_card import lay_replacement, replace, spare, typed
from tests.table.test_damaged_card import standing as replacing


@pytest.mark.clause("SB-7", "PT-A6")
@pytest.mark.field("BR-004")
def test_a_spill_whose_count_differs_is_counted_again_or_the_table_closes_and_the_card_is_named(ready: Evening) -> None:
    lose_a_card(ready)
    assert ready.act(SUPERVISOR, Trigger.DECLARE_SPILL) is None
    for _ in range(2):
        count(ready)
        assert stands(ready, IncidentKind.SPILL, Incident.COUNTING, within=0.1)
        assert stands(ready, IncidentKind.SPILL, Incident.COUNT_DIFFERS)
        assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
        assert ready.hands.pull_card() is None
    empty(ready)
    verify_and_find_no_more(ready)
    assert ready.session is Session.DIFFERENCE
    ready.confirm_all()
    assert ready.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) is None


@pytest.mark.clause("SB-7")
@pytest.mark.field("BR-004")
def test_power_lost_in_the_count_after_a_spill_leaves_the_spill_uncounted(ready: Evening) -> None:
    assert ready.act(SUPERVISOR, Trigger.DECLARE_SPILL) is None
    count(ready)
    power_cycle(ready)
    assert stands(ready, IncidentKind.SPILL, Incident.RAISED, within=0.1)
    for kind in (IncidentKind.POWER_LOST, IncidentKind.SPILL):  # the more urgent first
        count(ready)
        assert stands(ready, kind, Incident.CLEARED)
    confirm(ready)


@pytest.mark.clause("SB-7", "PT-A6")
@pytest.mark.field("BR-004")
def test_cards_spilled_while_they_are_sorted_are_settled_by_reading_every_card(ready: Evening) -> None:
    empty(ready)
    assert ready.act(SUPERVISOR, Trigger.DECLARE_SPILL) is None
    assert ready.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
    ready.verify()
    assert ready.session is Session.ALL_REGULAR
    ready.confirm_all()
    assert ready.act(SUPERVISOR, Trigger.SIGN_RESULT) is None


# ---- a damaged card


@pytest.mark.clause("PT-A1")
def test_two_cards_in_the_tray_are_no_replacement_though_the_first_is_the_right_one() -> None:
    evening = Evening(fittings=HURRIED)
    evening.open_and_load()
    card = evening.deal(6)[0]
    assert evening.key(DealerKey.DAMAGED_CARD) is None
    assert evening.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    two = [spare(card), spare(card, face=1 + card.face % 52)]
    evening.hands.on_table += two
    evening.hands.put_in_shoe_tray(two)
    evening.table.run(0.2)
    assert evening.key(DealerKey.YES) is None
    evening.table.run(2)
    assert replacing(evening) is Incident.WRONG_REPLACEMENT
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 5) == "PT-A1"
    evening.hands.take_shoe_output()
    evening.hands.take_from_shoe_tray()
    replace(evening, card)
    assert evening.state.account.inside + evening.state.account.out == 208


@pytest.mark.clause("PT-A1")
def test_a_replacement_of_the_right_face_and_another_back_is_refused_by_the_supervisor_and_laid_anew() -> None:
    evening = Evening()
    evening.open_and_load()
    card = evening.deal(6)[0]
    assert evening.key(DealerKey.DAMAGED_CARD) is None
    assert evening.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    lay_replacement(evening, spare(card))
    assert replacing(evening) is Incident.ASKING_BACK
    assert evening.act(SUPERVISOR, Trigger.ANSWER_NO) is None
    assert evening.key(DealerKey.YES) == "PT-A6"  # nothing lies in the tray
    evening.hands.take_shoe_output()
    replace(evening, card)


@pytest.mark.clause("PT-A1", "PT-A6")
def test_without_a_reader_the_dealer_says_that_the_replacement_is_right() -> None:
    evening = Evening(fittings=WITHOUT_READER)
    evening.open_and_load()
    card = evening.deal(6)[0]
    assert evening.key(DealerKey.DAMAGED_CARD) is None
    assert evening.act(SUPERVISOR, Trigger.NAME_CARD, typed(card)) is None
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 77) == "PT-A1"
    lay_replacement(evening, spare(card))
    assert replacing(evening) is Incident.ASKING_BACK
    assert evening.key(DealerKey.YES) is None
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, 77) is None
    evening.confirm_all()
    assert evening.state.incidents_closed[number_closed(evening)].envelope == 77


def number_closed(evening: Evening) -> int:
    """The one incident of this session that is closed."""
    (only,) = evening.state.incidents_closed
    return only
