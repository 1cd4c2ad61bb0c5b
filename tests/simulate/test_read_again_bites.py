"""What lies open and is read again settles its alarm only if all of it was read, and by its faces (invariant 4)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from drivers.cards import ALL_FACES, UNREAD, Face
from drivers.protocol.messages import CardDrawn, Purpose, TrayChanged
from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.records import Logged
from firmware_bridge.core.words import Incident, IncidentKind, Role, Session, Trigger
from sim_hardware.commands.simulate.invariants.readings import ReadAgainInFull
from sim_hardware.commands.simulate.shift import Shift
from sim_hardware.commands.simulate.watch import ViolationError
from tests.simulate.test_invariants_bite import play_to

YES = e.Acted(101, Role.DEALER, Trigger.YES)
EMPTIED = e.Told("shoe", 1, TrayChanged(occupied=False))

Reads = Callable[..., None]


@pytest.fixture(scope="module")
def returning() -> Shift:
    return play_to(Session.RETURNING)


@pytest.fixture(scope="module")
def in_round() -> Shift:
    return play_to(Session.IN_ROUND)


def reading_of(shift: Shift, kind: IncidentKind) -> Reads:
    """Have the steps of an incident of this kind looked at, one record each."""
    invariant = ReadAgainInFull(shift.world, shift.watch)
    shift.watch.raised[:] = [(kind, 1)]

    def step(trigger: Trigger, event: e.AnyEvent, target: Incident = Incident.READING_AGAIN) -> None:
        moved = c.Moved("incident/1", trigger, Incident.READING_AGAIN, target, "SB-1")
        invariant.recorded(7, Logged(0, event, c.Decision((moved,))))

    return step


def drawn(step: Reads, face: Face, target: Incident = Incident.READING_AGAIN) -> None:
    step(Trigger.CARD_DRAWN, e.Told("shoe", 1, CardDrawn(Purpose.VERIFY, face)), target)


@pytest.mark.clause("SB-1")
@pytest.mark.parametrize("of_all", [-1, 1])
def test_a_face_too_often_that_is_settled_by_more_or_fewer_cards_than_are_out_is_named(
    returning: Shift, of_all: int
) -> None:
    step = reading_of(returning, IncidentKind.DUPLICATE)
    step(Trigger.YES, YES)
    for face in ALL_FACES[: returning.watch.state.account.out + of_all]:
        drawn(step, face)
    with pytest.raises(ViolationError, match=r"cards, and \d+ are out") as named:
        step(Trigger.SHOE_TRAY_EMPTIED, EMPTIED, Incident.CLEARED)
    assert named.value.invariant == 4


@pytest.mark.clause("SB-1")
def test_a_face_that_is_read_too_often_again_is_named_unless_a_foreign_card_is_told(returning: Shift) -> None:
    step = reading_of(returning, IncidentKind.DUPLICATE)
    out, decks = returning.watch.state.account.out, returning.watch.state.decks
    step(Trigger.YES, YES)
    for face in [*[ALL_FACES[0]] * (decks + 1), *ALL_FACES[1:]][:out]:
        drawn(step, face)
    with pytest.raises(ViolationError, match="too often again"):
        step(Trigger.SHOE_TRAY_EMPTIED, EMPTIED, Incident.CLEARED)


@pytest.mark.clause("SB-1")
def test_all_that_is_out_once_each_settles_it(returning: Shift) -> None:
    step = reading_of(returning, IncidentKind.DUPLICATE)
    step(Trigger.YES, YES)
    for face in ALL_FACES[: returning.watch.state.account.out]:
        drawn(step, face)
    step(Trigger.SHOE_TRAY_EMPTIED, EMPTIED, Incident.CLEARED)


@pytest.mark.clause("SB-1")
def test_an_unread_card_that_is_settled_unread_again_is_named(returning: Shift) -> None:
    step = reading_of(returning, IncidentKind.UNREADABLE)
    step(Trigger.YES, YES)
    with pytest.raises(ViolationError, match="by a card that was not read"):
        drawn(step, UNREAD, Incident.CLEARED)


@pytest.mark.clause("PT-A10")
def test_a_rounds_cards_that_are_gathered_to_be_read_while_it_runs_are_named(in_round: Shift) -> None:
    step = reading_of(in_round, IncidentKind.UNREADABLE)
    step(Trigger.YES, YES)  # one card passes the reader, wherever the round stands
    step = reading_of(in_round, IncidentKind.DUPLICATE)
    with pytest.raises(ViolationError, match="read again in in_round, at once"):
        step(Trigger.YES, YES)
