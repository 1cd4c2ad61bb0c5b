"""Whole evenings of scripted people on a stepped clock: the good course, and what comes of each bad habit."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from firmware_bridge.core import changes as c
from firmware_bridge.core.words import Session
from sim_hardware.cards import Card
from sim_hardware.commands.misdeeds import Habit
from sim_hardware.table import PhysicalTable
from tests.demo.played import Played


@pytest.mark.parametrize("decks", [4, 6])
def test_careful_people_end_their_session_verified_and_are_refused_nothing(decks: int) -> None:
    evening = Played(decks=decks)
    assert evening.session is Session.VERIFIED
    assert evening.refusals == set()
    assert len(evening.table.physical.box) == decks * 52


@pytest.mark.parametrize(
    ("habit", "refused"),
    [
        (Habit.ONE_PACK_ONLY, ("declare_loaded", "PT-A5")),
        (Habit.SECOND_LOADING, ("start_pack", "PT-A5")),
        (Habit.CUT_ASKED, ("cut", "PT-A3")),
        (Habit.UNLOAD_BEFORE_CLOSE, ("begin_unloading", "PT-A8")),
        (Habit.KEEP_A_CARD, ("yes", "PT-A11")),
        (Habit.CLAIM_LATE, ("claim", "PT-A12")),
    ],
)
def test_a_bad_habit_is_refused_by_its_clause_and_the_evening_still_ends_verified(
    habit: Habit, refused: tuple[str, str]
) -> None:
    evening = Played(habit)
    assert refused in evening.refusals
    assert evening.session is Session.VERIFIED


@pytest.mark.clause("SB-1")
def test_a_dealer_who_pulls_while_dealing_is_held_gets_no_card() -> None:
    evening = Played(Habit.PULL_WHILE_HELD)
    assert evening.dealer.tugs > 20
    assert evening.dealer.tugged_out == 0


@pytest.mark.clause("PT-A5")
def test_a_supervisor_who_walks_off_while_cards_are_loaded_is_asked_for() -> None:
    evening = Played(Habit.ABSENT_AT_LOADING)
    assert Session.ASKING_PRESENCE in evening.moves
    assert evening.session is Session.VERIFIED


@pytest.mark.clause("PT-A12", "SB-8")
def test_a_claim_in_time_is_heard_and_the_evening_goes_on_when_it_is_closed() -> None:
    evening = Played(Habit.CLAIM_IN_TIME)
    assert "open" in evening.moves
    assert evening.session is Session.VERIFIED


@pytest.mark.clause("PT-A6")
def test_a_card_that_is_gone_ends_in_a_difference_that_the_room_manager_signs() -> None:
    evening = Played(Habit.LOSE_A_CARD)
    assert Session.DIFFERENCE in evening.moves
    assert evening.session is Session.CLOSED_WITH_DIFFERENCE


@pytest.mark.clause("PT-A6")
@pytest.mark.field("BR-016")
def test_a_card_in_the_wrong_deck_is_found_when_the_deck_in_doubt_is_sorted_and_read_again() -> None:
    evening = Played(Habit.SWAP_A_CARD)
    assert [change.read.deck for change in evening.changes if isinstance(change, c.DeckDoubted)] == [1]
    assert Session.DIFFERENCE not in evening.moves
    assert evening.session is Session.VERIFIED


def _take_one(table: PhysicalTable) -> None:
    table.carry_away([table.box[17]])


def _add_one(table: PhysicalTable) -> None:
    table.box.append(Card(table.box[3].face, table.box[3].back, 1))


@pytest.mark.clause("PT-E2")
@pytest.mark.parametrize("before", [_take_one, _add_one])
def test_a_set_that_lacks_a_card_or_has_one_too_many_opens_no_session(
    before: Callable[[PhysicalTable], object],
) -> None:
    assert Played(before=before).session is Session.NOT_OPENED
