"""What goes wrong in an evening, and the people who set it right by what the screen asks for."""

from __future__ import annotations

import pytest

from firmware_bridge.core import changes as c
from firmware_bridge.core.words import CardSet, Incident, IncidentKind, Role, Session
from sim_hardware.commands.misdeeds import Habit
from sim_hardware.faults import PLANS, Fault
from sim_hardware.table import PhysicalTable
from tests.demo.played import RELIEF, Played, at

JAM_IN_ROUND = at(Fault.JAM_EXIT, 7)
DAMAGED_IN_ROUND = at(Fault.DAMAGED_CARD, 6)

JAMS = (
    # where, at which card on that path, and when that is
    (Fault.JAM_INTAKE, 20),  # the first pack
    (Fault.JAM_INTAKE, 208),  # the very last card of the load
    (Fault.JAM_INTAKE, 212),  # a round's cards go back
    (Fault.JAM_CAROUSEL, 25),  # the load is counted
    (Fault.JAM_CAROUSEL, 45),  # a round is dealt
    (Fault.JAM_CAROUSEL, 200),  # the cards are taken out
    (Fault.JAM_EXIT, 1),  # before the first card
    (Fault.JAM_EXIT, 100),  # the cards are taken out
)


def whole_set_is_in_its_boxes(played: Played) -> bool:
    table = played.table.physical
    return len(table.box) == 208 and not any(card.damaged for card in table.box)


@pytest.mark.parametrize("seed", range(10))
def test_careful_people_set_a_typical_evening_right_and_are_refused_nothing(seed: int) -> None:
    evening = Played(seed=seed, rounds=2, faults=PLANS["typical"])
    assert evening.session is Session.VERIFIED
    assert evening.struck == 2
    assert IncidentKind.JAM in {one.kind for one in evening.incidents}
    assert evening.refusals == set()
    assert len(evening.table.physical.box) == 208


@pytest.mark.clause("PT-A2", "SB-9")
@pytest.mark.parametrize(("where", "card"), JAMS)
def test_a_jam_wherever_it_comes_is_cleared_and_the_evening_ends_verified(where: Fault, card: int) -> None:
    evening = Played(faults=at(where, card))
    assert evening.session is Session.VERIFIED
    assert evening.one(IncidentKind.JAM).acknowledged is not None
    assert evening.refusals == set()
    assert whole_set_is_in_its_boxes(evening)


@pytest.mark.clause("PT-A1", "PT-A2")
@pytest.mark.parametrize(("where", "card"), [(Fault.JAM_INTAKE, 20), (Fault.JAM_CAROUSEL, 45), (Fault.JAM_EXIT, 100)])
def test_a_card_that_its_jam_damaged_is_kept_out_and_replaced(where: Fault, card: int) -> None:
    evening = Played(faults=at(where, card) + at(Fault.JAM_DAMAGES, 1))
    assert evening.session is Session.VERIFIED
    [damaged] = evening.table.physical.set_aside
    replaced = evening.one(IncidentKind.DAMAGED_CARD)
    assert (replaced.face, replaced.deck) == (damaged.face, damaged.deck)
    assert whole_set_is_in_its_boxes(evening)


@pytest.mark.clause("PT-A1", "PT-E4")
def test_a_damaged_card_is_replaced_sealed_and_told_to_the_inspectorate_before_the_result_is_signed() -> None:
    evening = Played(faults=DAMAGED_IN_ROUND)
    assert evening.session is Session.VERIFIED
    [damaged] = evening.table.physical.set_aside
    assert damaged.damaged
    assert evening.one(IncidentKind.DAMAGED_CARD).face == damaged.face
    assert evening.one(IncidentKind.DAMAGED_CARD).envelope > 0
    assert evening.table.state.card_set is CardSet.IMPERFECT
    assert not evening.table.state.notices
    assert whole_set_is_in_its_boxes(evening)


@pytest.mark.clause("PT-A1")
def test_the_wrong_replacement_is_found_and_the_right_one_laid() -> None:
    evening = Played(Habit.WRONG_REPLACEMENT, faults=DAMAGED_IN_ROUND)
    assert Incident.WRONG_REPLACEMENT in evening.moves
    assert evening.session is Session.VERIFIED
    assert whole_set_is_in_its_boxes(evening)


@pytest.mark.clause("PT-A1", "PT-A2")
def test_a_jam_and_a_damaged_card_at_once_are_set_right_one_after_the_other() -> None:
    evening = Played(faults=JAM_IN_ROUND + DAMAGED_IN_ROUND)
    assert {one.kind for one in evening.incidents} == {IncidentKind.JAM, IncidentKind.DAMAGED_CARD}
    assert evening.session is Session.VERIFIED


@pytest.mark.clause("PT-A2")
@pytest.mark.parametrize("more", [Fault.JAM_RETURNS, Fault.JAM_CLEARS_ITSELF])
def test_a_jam_that_returns_or_clears_itself_ends_as_well(more: Fault) -> None:
    evening = Played(faults=at(Fault.JAM_CAROUSEL, 45) + at(more, 1))
    assert evening.session is Session.VERIFIED


@pytest.mark.clause("PT-A2")
def test_a_lid_closed_over_the_stuck_card_is_opened_once_more() -> None:
    evening = Played(Habit.CLOSE_ON_JAM, faults=JAM_IN_ROUND)
    assert Incident.STILL_BLOCKED in evening.moves
    assert evening.session is Session.VERIFIED


@pytest.mark.clause("PT-E2")
def test_a_stuck_card_that_is_laid_in_the_wrong_place_while_loading_is_missed_and_goes_in_after_all() -> None:
    evening = Played(Habit.PUT_BACK_WRONGLY, faults=at(Fault.JAM_INTAKE, 20))
    assert evening.session is Session.VERIFIED
    assert len(evening.table.state.packs) == 3  # the screen said that one was not loaded yet


@pytest.mark.clause("SB-7")
def test_a_count_that_goes_on_differing_closes_the_table_and_the_evening_comes_to_an_end() -> None:
    evening = Played(Habit.PUT_BACK_WRONGLY, faults=JAM_IN_ROUND)
    assert Incident.COUNT_DIFFERS in evening.moves
    assert evening.session in (Session.VERIFIED, Session.CLOSED_WITH_DIFFERENCE)


@pytest.mark.clause("PT-A2")
def test_a_technician_who_is_called_repairs_the_machine_and_play_goes_on() -> None:
    evening = Played(Habit.CALL_TECHNICIAN, rounds=2, faults=JAM_IN_ROUND)
    assert Incident.WITH_TECHNICIAN in evening.moves
    assert evening.session is Session.VERIFIED
    assert len(evening.table.state.rounds) == 2


@pytest.mark.clause("PT-A2", "SB-4")
@pytest.mark.field("BR-001")
@pytest.mark.parametrize(
    ("where", "card", "ends"),
    [
        (Fault.JAM_INTAKE, 20, Session.NOT_OPENED),
        (Fault.JAM_CAROUSEL, 25, Session.NOT_OPENED),
        (Fault.JAM_INTAKE, 212, Session.VERIFIED),
        (Fault.JAM_CAROUSEL, 45, Session.VERIFIED),
        (Fault.JAM_EXIT, 100, Session.VERIFIED),
    ],
)
def test_a_machine_out_of_service_is_emptied_by_hand_and_every_card_read(
    where: Fault, card: int, ends: Session
) -> None:
    evening = Played(Habit.CALL_TECHNICIAN, Habit.GIVE_UP_REPAIR, faults=at(where, card))
    assert Incident.OUT_OF_SERVICE in evening.moves
    assert evening.session is ends
    assert list(evening.table.physical.mechanism.cards()) == []


@pytest.mark.clause("SB-4", "PT-A6")
@pytest.mark.field("BR-001")
def test_a_card_that_is_lost_when_the_machine_is_emptied_by_hand_is_named_as_a_difference() -> None:
    def lose_one(table: PhysicalTable) -> None:
        take = table.take_from_machine

        def and_drop_one(count: int | None = None) -> None:
            taken = take(count)
            if taken:
                table.carry_away(taken[:1])

        table.take_from_machine = and_drop_one  # type: ignore[method-assign,assignment]

    evening = Played(Habit.CALL_TECHNICIAN, Habit.GIVE_UP_REPAIR, faults=JAM_IN_ROUND, before=lose_one)
    assert evening.session is Session.CLOSED_WITH_DIFFERENCE
    [lost] = evening.table.physical.gone
    assert [face for deck in evening.table.state.decks_read for face in deck.missing] == [lost.face]


@pytest.mark.clause("SB-2")
@pytest.mark.field("BR-009")
def test_an_alarm_that_nobody_answers_goes_to_the_room_manager() -> None:
    evening = Played(Habit.ABSENT_AT_ALARM, faults=JAM_IN_ROUND)
    assert evening.one(IncidentKind.JAM).escalated == [Role.ROOM_MANAGER]
    assert evening.session is Session.VERIFIED


@pytest.mark.clause("SB-2")
def test_a_dealer_who_tries_to_confirm_an_alarm_is_refused() -> None:
    evening = Played(Habit.CONFIRM_ALARM, faults=JAM_IN_ROUND)
    assert ("confirm_incident", "SB-2") in evening.refusals
    assert evening.session is Session.VERIFIED


@pytest.mark.clause("SB-2")
def test_a_supervisor_who_acts_on_an_alarm_has_seen_it_without_a_step_for_it() -> None:
    evening = Played(Habit.NO_ACKNOWLEDGING, faults=JAM_IN_ROUND)
    assert evening.one(IncidentKind.JAM).acknowledged is not None


@pytest.mark.clause("SB-7", "SB-9")
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault.LID_BLINK, IncidentKind.LID_OPENED),
        (Fault.POWER_CYCLE, IncidentKind.POWER_LOST),
        (Fault.CARD_LOST, IncidentKind.CARD_LOST),
    ],
)
def test_what_disturbs_the_machine_or_loses_a_card_is_set_right(fault: Fault, kind: IncidentKind) -> None:
    opportunity = 1 if fault is Fault.CARD_LOST else 4
    evening = Played(faults=at(fault, opportunity))
    assert kind in {one.kind for one in evening.incidents}
    assert evening.session is Session.VERIFIED


@pytest.mark.clause("SB-5", "SB-9")
def test_a_machine_that_feeds_its_cards_sorted_is_seen_by_the_cards_and_play_goes_on_shuffled() -> None:
    evening = Played(rounds=3, faults=at(Fault.NOT_SHUFFLED, 1))
    assert {one.kind for one in evening.incidents} <= {IncidentKind.SEQUENCE, IncidentKind.SEQUENCE_WARNING}
    assert IncidentKind.SEQUENCE in {one.kind for one in evening.incidents}
    assert evening.session is Session.VERIFIED


@pytest.mark.field("BR-044")
@pytest.mark.parametrize("fault", [Fault.DEALER_KEY_BOUNCES, Fault.KEYPAD_KEY_BOUNCES, Fault.KEYPAD_KEY_TWICE])
def test_a_key_that_bounces_or_was_pressed_twice_moves_nothing_twice(fault: Fault) -> None:
    evening = Played(faults=at(fault, 5))
    assert evening.session is Session.VERIFIED
    assert evening.incidents == []


@pytest.mark.clause("SB-3")
def test_a_dealer_is_relieved_between_two_rounds_by_one_who_signs_in() -> None:
    evening = Played(rounds=2)
    assert [change.person for change in evening.changes if isinstance(change, c.DealerSigned)][-1] == RELIEF
    assert evening.session is Session.VERIFIED
    assert evening.refusals == set()
