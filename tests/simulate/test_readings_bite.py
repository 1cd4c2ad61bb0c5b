"""What readers tell is watched: a deck in doubt, a wrong reader, a face too often, a card unread (invariant 5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from drivers.cards import ALL_FACES, UNREAD, Face
from drivers.protocol.messages import CardDrawn, Purpose
from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.records import Logged
from firmware_bridge.core.words import Place, Session, Trigger
from sim_hardware.cards import taken_for
from sim_hardware.commands.simulate.invariants.readings import ReadingsAreDoubted
from sim_hardware.commands.simulate.shift import Shift
from sim_hardware.commands.simulate.watch import ViolationError
from tests.simulate.test_invariants_bite import play_to

NOTHING = e.BadFrames("shoe", 1, "")
JUDGED = c.DeckJudged(1, 52, (), (), 0, by_person=False)
DOUBTED = c.DeckDoubted(JUDGED)
MISREAD = (taken_for(ALL_FACES[0]), *ALL_FACES[1:])
"""A deck of which one card was told as another."""
TWO_WRONG = (*MISREAD[:-1], taken_for(ALL_FACES[-1]))
OVER = c.Moved("session", Trigger.SHOE_TRAY_EMPTIED, Session.READING_DECK, Session.DIFFERENCE, "PT-A6")


@pytest.fixture(scope="module")
def shift() -> Shift:
    return play_to(Session.READY)


@pytest.fixture
def recorded(shift: Shift) -> Callable[..., None]:
    """Have a record looked at by an invariant that begins anew; no incident is open."""
    invariant = ReadingsAreDoubted(shift.world, shift.watch)

    def record(*changes: c.AnyChange, event: e.AnyEvent = NOTHING) -> None:
        invariant.recorded(7, Logged(0, event, c.Decision(changes)))

    return record


def read(faces: Sequence[Face]) -> list[c.AnyChange]:
    """The entries of a deck that is read so."""
    return [c.Booked(Place.UNLOADED, Place.UNLOADED, 1, "verification", face) for face in faces]


def dealt(recorded: Callable[..., None], face: Face) -> None:
    card = e.Told("shoe", 1, CardDrawn(Purpose.DEAL, face))
    recorded(c.Booked(Place.SHOE, Place.TABLE, 1, "deal", face), event=card)


@pytest.mark.field("BR-016")
@pytest.mark.parametrize(
    ("changes", "broken"),
    [
        ([*read(ALL_FACES), DOUBTED], "in which no single read can be wrong"),
        ([*read(TWO_WRONG), DOUBTED], "in which no single read can be wrong"),
        ([*read(MISREAD[1:]), DOUBTED], "in which no single read can be wrong"),
        ([*read(MISREAD), DOUBTED, *read(MISREAD), DOUBTED], "in which no single read can be wrong"),
        ([*read(MISREAD), JUDGED], "in which one read may be wrong"),
        ([*read(MISREAD), DOUBTED, *read(ALL_FACES), JUDGED], "the reader was wrong, and nobody is told"),
        ([*read(MISREAD), DOUBTED, *read(MISREAD), JUDGED, *(4 * [*read(ALL_FACES), JUDGED]), OVER], "too many of a"),
    ],
)
def test_a_deck_that_is_not_doubted_as_it_reads_is_named(
    recorded: Callable[..., None], changes: list[c.AnyChange], broken: str
) -> None:
    with pytest.raises(ViolationError, match=broken) as named:
        recorded(*changes)
    assert named.value.invariant == 5


def test_a_deck_that_is_read_right_or_doubted_once_and_found_wrong_is_no_matter(recorded: Callable[..., None]) -> None:
    recorded(*read(ALL_FACES), JUDGED, *read(MISREAD), DOUBTED, *read(MISREAD), JUDGED, *read(TWO_WRONG), JUDGED)


@pytest.mark.clause("SB-1")
def test_a_card_that_came_unread_with_no_alarm_is_named(recorded: Callable[..., None]) -> None:
    with pytest.raises(ViolationError, match="a card came unread, and play goes on"):
        dealt(recorded, UNREAD)


@pytest.mark.clause("SB-1")
def test_a_face_of_which_more_are_out_than_the_set_has_is_named_unless_one_went_back_meanwhile(
    shift: Shift, recorded: Callable[..., None]
) -> None:
    decks = shift.watch.state.decks
    for _ in range(decks):
        dealt(recorded, ALL_FACES[0])
    recorded(c.Booked(Place.TABLE, Place.MACHINE, 1, "return"))
    for _ in range(decks):
        dealt(recorded, ALL_FACES[0])
    with pytest.raises(ViolationError, match="a face is out too often"):
        dealt(recorded, ALL_FACES[0])
