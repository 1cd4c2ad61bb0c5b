"""Cards that stay inside a machine: no other machine and no word of its own makes up for them (BR-001)."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from drivers.cards import Face, face_name
from drivers.protocol.messages import JamPlace
from firmware_bridge.core.words import CardSet, Incident, IncidentKind, Session, Trigger
from firmware_bridge.readers.report import report_session
from firmware_bridge.view.alarm_asks import alarm_lines
from sim_hardware.cards import Card
from tests.readers.test_report import written
from tests.table.byways import (
    approve,
    begin_to_empty_by_hand,
    count,
    empty,
    stands,
    take_all_out_of,
    verify_and_find_no_more,
)
from tests.table.evening import ROOM_MANAGER, SUPERVISOR, TECHNICIAN, Evening
from tests.table.test_jam import jam, leave_the_round
from tests.table.told import screen

pytestmark = [pytest.mark.clause("SB-4", "SB-7", "PT-A6"), pytest.mark.field("BR-001")]

LEFT = 16
OLD, SPARE = "SC38-0001", "SC38-0002"


@pytest.fixture
def played(ready: Evening) -> Evening:
    """One round was played."""
    ready.play_round()
    return ready


def leave_inside(evening: Evening) -> list[Card]:
    """Sixteen cards slip behind the compartments of this machine: nothing of it sees, counts or feeds them any more."""
    left: list[Card] = []
    for place in evening.hands.mechanism.compartments:
        while place and len(left) < LEFT:
            left.append(place.pop())
    assert len(left) == LEFT
    return left


def swap_in_the_spare(evening: Evening) -> None:
    """The machine is carried away with what is in it; the spare stands in its place, with the other cards laid in."""
    evening.hands.replace_device("shuffler", SPARE)
    evening.table.run(5)
    assert evening.state.machine is not None
    assert evening.state.machine.serial == SPARE


def told(evening: Evening, folder: Path) -> str:
    """The report's page, in one line."""
    return re.sub(r"\s+", " ", report_session(written(evening, folder)))


def all_named(page: str, left: list[Card]) -> bool:
    """Whether the page names each card that is left, and as often as it is left."""
    found = sorted(Counter(card.face for card in left).items())
    names = [face_name(Face(face)) if times == 1 else f"{times} x {face_name(Face(face))}" for face, times in found]
    return f"{208 - LEFT} of 208 cards verified" in page and f"the whole set lacks {', '.join(names)}" in page


def close_with_difference(evening: Evening) -> None:
    """Neither the supervisor nor anybody signs that all is regular; the set opens no table again."""
    assert evening.session is Session.DIFFERENCE
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) == "PT-A6"
    if stands(evening, IncidentKind.IDENTITY_CHANGED, Incident.RAISED):
        approve(evening)
    evening.confirm_all()
    assert evening.act(ROOM_MANAGER, Trigger.SIGN_DIFFERENCE) is None
    assert evening.state.card_set is CardSet.BARRED
    assert evening.act(SUPERVISOR, Trigger.OPEN_TABLE) == "SB-2"


def test_a_spare_machine_swapped_in_between_two_rounds_does_not_go_on_with_a_short_set(
    played: Evening, tmp_path: Path
) -> None:
    left = leave_inside(played)
    swap_in_the_spare(played)
    assert {IncidentKind.MEMORY_LOST, IncidentKind.POWER_LOST} <= set(played.kinds())
    assert played.hands.pull_card() is None
    approve(played)
    expected = played.state.account.countable
    for _ in range(2):
        count(played)
        assert stands(played, IncidentKind.POWER_LOST, Incident.COUNT_DIFFERS)
        played.table.run(1)
        assert played.hands.pull_card() is None
        assert played.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) == "SB-2"
    empty(played)
    verify_and_find_no_more(played)
    close_with_difference(played)
    page = told(played, tmp_path)
    assert page.count(f"counted {expected - LEFT}, NOT {expected} as the books say") == 2
    assert "counted 208 as the books say" in page
    assert re.search(rf"shuffler: Sabot Carousel {OLD}, .*; from .* Sabot Carousel {SPARE}, ", page)
    assert all_named(page, left)


def test_the_alarm_of_another_machine_says_how_many_cards_the_books_have_in_the_one_carried_away(
    played: Evening,
) -> None:
    leave_inside(played)
    swap_in_the_spare(played)
    told = f"by the books 208 cards are in the machine that stood here, Sabot Carousel {OLD}"
    [number] = [n for n, one in played.state.incidents.items() if one.kind is IncidentKind.IDENTITY_CHANGED]
    controller = played.table.assembly.controller
    assert any(told in line.text for line in alarm_lines(controller.state, number, controller.book))


def test_nor_does_it_for_a_machine_out_of_service_whose_shortage_stays_with_the_set(
    played: Evening, tmp_path: Path
) -> None:
    jam(played, JamPlace.CAROUSEL)
    leave_the_round(played)
    assert played.act(SUPERVISOR, Trigger.CALL_TECHNICIAN) is None
    assert played.act(TECHNICIAN, Trigger.TAKE_OUT_OF_SERVICE) is None
    left = leave_inside(played)
    swap_in_the_spare(played)
    assert played.act(SUPERVISOR, Trigger.COUNT_MACHINE) is not None
    assert played.act(TECHNICIAN, Trigger.REPAIRED) is not None
    assert played.act(TECHNICIAN, Trigger.RETURN_TO_SERVICE) is not None
    assert played.act(SUPERVISOR, Trigger.CONFIRM_INCIDENT, 0) is not None
    assert played.hands.pull_card() is None
    begin_to_empty_by_hand(played)
    take_all_out_of(played)
    assert played.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    verify_and_find_no_more(played)
    close_with_difference(played)
    page = told(played, tmp_path)
    assert f"technician {TECHNICIAN} took the machine out of service" in page
    assert f"Sabot Carousel {OLD} is out of service" in page
    assert re.search(rf"shuffler: Sabot Carousel {OLD}, .*; from .* Sabot Carousel {SPARE}, ", page)
    assert "counted 208 as the books say" in page
    assert all_named(page, left)


def test_a_machine_that_says_it_is_empty_with_sixteen_cards_inside_is_not_believed(
    played: Evening, tmp_path: Path
) -> None:
    left = leave_inside(played)
    played.unload()
    assert played.session is Session.LOOKING, "it counted nothing"
    assert screen(played).accounts["machine"] == LEFT, "the books still have them in the machine"
    played.look_inside()  # whoever looks sees none of them
    [ask] = [ask.text for ask in screen(played).asks if ask.trigger == Trigger.CONFIRM_EMPTY]
    assert f"by the books {LEFT} cards should still be inside" in ask
    assert played.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    verify_and_find_no_more(played)
    close_with_difference(played)
    page = told(played, tmp_path)
    assert f"counted 0, NOT {LEFT} as the books say" in page
    assert all_named(page, left)
    assert f"machine {LEFT}; verified {208 - LEFT}" in page
