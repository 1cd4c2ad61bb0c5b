"""A deal that is followed is watched: its places, its order, the turns, what is done about a slip (invariant 12)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from drivers.cards import UNREAD
from drivers.protocol.messages import CardDrawn, Purpose
from drivers.protocol.notices import Release
from firmware_bridge.core import changes as c
from firmware_bridge.core import deal_changes as d
from firmware_bridge.core import events as e
from firmware_bridge.core.deal import BANK, Deal, Due
from firmware_bridge.core.records import Logged
from firmware_bridge.core.slips import NamedSlip, Remedy, Slip
from firmware_bridge.core.state import Moment, OpenIncident
from firmware_bridge.core.words import Dealing, IncidentKind, Place, Role, Session, Trigger
from sim_hardware.commands.simulate.invariants.deal import DealtAsDue
from sim_hardware.commands.simulate.shift import Shift
from sim_hardware.commands.simulate.watch import ViolationError
from tests.simulate.test_invariants_bite import play_to

NOTHING = e.BadFrames("shoe", 1, "")
A_CARD = e.Told("shoe", 1, CardDrawn(Purpose.DEAL, UNREAD))
DRAWN = c.Booked(Place.SHOE, Place.TABLE, 1, "deal")
FIRST = (Due(1, 1, True), Due(BANK, 1, True), Due(1, 2, True), Due(BANK, 2, False))
"""What Portugal's deal is to place 1."""
BEGUN = (DRAWN, d.DealBegan((1,), FIRST, ()), d.CardPlaced(FIRST[0]))


class Records:
    """A world in a round, and an invariant that begins anew."""

    def __init__(self, shift: Shift) -> None:
        self.shift = shift
        self.invariant = DealtAsDue(shift.world, shift.watch)
        self.state = shift.watch.state

    def __call__(self, *changes: c.AnyChange, event: e.AnyEvent = NOTHING) -> None:
        self.invariant.recorded(7, Logged(0, event, c.Decision(changes)))

    def marked(self) -> None:
        """The dealer marks place 1 alone."""
        self(moved(Trigger.MARK_PLACES, Dealing.MARKING))
        self(moved(Trigger.PLACE_IN, Dealing.MARKING))
        for _ in range(5):
            self(moved(Trigger.PLACE_OUT, Dealing.MARKING))
        self(d.PlacesMarked((1,)), moved(Trigger.PLACE_OUT, Dealing.NOT_FOLLOWED))

    def begun(self, cards: int = 1) -> None:
        """The deal is followed so far."""
        self.marked()
        self(*BEGUN)
        for card in FIRST[1:cards]:
            self(DRAWN, d.CardPlaced(card))

    def lie(self) -> None:
        """All first cards lie, and the dealer has said so."""
        self.begun(4)
        self(moved(Trigger.DEAL_LIES, Dealing.TURNS))
        self.state.deal = Deal((1,), (), (), FIRST)

    def slip(self, slip: Slip) -> int:
        """A slip is named; return its incident."""
        self.state.incidents[99] = OpenIncident(
            IncidentKind.WRONG_DEAL, "", "", Moment(1, 1, 1), slip=NamedSlip(slip, 1)
        )
        return 99


def moved(trigger: Trigger, target: str) -> c.Moved:
    return c.Moved("deal", trigger, "first_cards", target, "PT-D1")


@pytest.fixture(scope="module")
def shift() -> Shift:
    return play_to(Session.IN_ROUND)


@pytest.fixture
def records(shift: Shift) -> Iterator[Records]:
    yield Records(shift)
    shift.watch.state.incidents.pop(99, None)
    shift.watch.state.deal = None


def places_that_no_key_marked(records: Records) -> None:
    records(moved(Trigger.MARK_PLACES, Dealing.MARKING))
    for _ in range(6):
        records(moved(Trigger.PLACE_OUT, Dealing.MARKING))
    records(d.PlacesMarked((3,)))


def the_marking_ends_early(records: Records) -> None:
    records(moved(Trigger.MARK_PLACES, Dealing.MARKING))
    records(moved(Trigger.PLACE_IN, Dealing.NOT_FOLLOWED))


def dealt_to_a_place_that_is_not_marked(records: Records) -> None:
    records.marked()
    records(DRAWN, d.DealBegan((1, 2), FIRST, ()), d.CardPlaced(FIRST[0]))


def dealt_to_nobody(records: Records) -> None:
    records(DRAWN, d.DealBegan((), FIRST, ()), d.CardPlaced(FIRST[0]))


def the_bank_before_its_turn(records: Records) -> None:
    records.begun()
    records(DRAWN, d.CardPlaced(Due(1, 2, True)))


def the_hole_card_open(records: Records) -> None:
    records.begun(3)
    records(DRAWN, d.CardPlaced(Due(BANK, 2, True)))


def a_card_that_is_placed_nowhere(records: Records) -> None:
    records.begun()
    records(DRAWN)


def a_burned_card_that_lies_on_the_table(records: Records) -> None:
    records.lie()
    records(DRAWN, d.CardPlaced(Due(-1, 1, False)))


def a_card_before_the_dealer_said_that_the_first_ones_lie(records: Records) -> None:
    records.begun(4)
    records(DRAWN, d.CardPlaced(Due(1, 3, True)))


def a_release_before_he_said_so(records: Records) -> None:
    records.begun(4)
    records.invariant.ordered("shoe", Release(Purpose.DEAL, 1, 1))


def first_cards_that_lack_one_and_no_alarm(records: Records) -> None:
    records.begun(3)
    records(moved(Trigger.DEAL_LIES, Dealing.FIRST_CARDS))


def a_round_over_in_its_first_cards_and_no_alarm(records: Records) -> None:
    records.begun(3)
    records(moved(Trigger.ROUND_OVER, Dealing.NOT_FOLLOWED))


def an_alarm_though_all_that_were_due_came(records: Records) -> None:
    records.begun(4)
    records(c.Raised(IncidentKind.WRONG_DEAL, "", ""), moved(Trigger.DEAL_LIES, Dealing.FIRST_CARDS))


def an_alarm_at_a_card_that_was_due(records: Records) -> None:
    records.begun(2)
    records(DRAWN, d.CardPlaced(FIRST[2]), c.Raised(IncidentKind.WRONG_DEAL, "", ""), event=A_CARD)


def the_bank_in_a_players_turn(records: Records) -> None:
    records.lie()
    records(DRAWN, d.CardPlaced(Due(BANK, 3, True)))


def a_player_who_has_finished(records: Records) -> None:
    records.lie()
    records(moved(Trigger.PLACE_DONE, Dealing.TURNS))
    records(DRAWN, d.CardPlaced(Due(1, 3, True)))


def more_turns_than_places(records: Records) -> None:
    records.lie()
    records(moved(Trigger.PLACE_DONE, Dealing.TURNS))
    records(moved(Trigger.PLACE_DONE, Dealing.TURNS))


def by_supervisor(step: Trigger, value: int) -> e.Acted:
    return e.Acted(201, Role.SUPERVISOR, step, 99, value)


def a_deviation_that_is_told_as_the_books_remedy(records: Records) -> None:
    number = records.slip(Slip.BANK_SECOND_TURNED)
    taken = d.RemedyTaken(number, Remedy.STANDS, deviation=False, clause="PT-D2", person=201)
    records(taken, event=by_supervisor(Trigger.TAKE_REMEDY, Remedy.STANDS))


def the_books_remedy_signed_as_a_deviation(records: Records) -> None:
    number = records.slip(Slip.BANK_SECOND_TURNED)
    taken = d.RemedyTaken(number, Remedy.CARD_VOID, deviation=True, clause="PT-D2", person=201)
    records(taken, event=by_supervisor(Trigger.SIGN_DEVIATION, Remedy.CARD_VOID))


def a_deviation_that_nobody_signed(records: Records) -> None:
    number = records.slip(Slip.UNWANTED_SEEN)
    taken = d.RemedyTaken(number, Remedy.TO_THE_NEXT, deviation=True, clause="PT-D4", person=201)
    records(taken, event=by_supervisor(Trigger.TAKE_REMEDY, Remedy.TO_THE_NEXT))


def a_slip_that_its_name_settles(records: Records) -> None:
    settled = c.Moved("incident/99", Trigger.NAME_SLIP, "raised", "cleared", "PT-D1")
    records(d.SlipNamed(99, Slip.EXPOSED, 1, 201), settled, event=by_supervisor(Trigger.NAME_SLIP, 601))


def a_slip_that_is_not_named(records: Records) -> None:
    awaits = c.Moved("incident/99", Trigger.NAME_SLIP, "raised", "awaiting_remedy", "PT-D1")
    records(awaits, event=by_supervisor(Trigger.NAME_SLIP, 4711))


BROKEN = [
    places_that_no_key_marked,
    the_marking_ends_early,
    dealt_to_a_place_that_is_not_marked,
    dealt_to_nobody,
    the_bank_before_its_turn,
    the_hole_card_open,
    a_card_that_is_placed_nowhere,
    a_burned_card_that_lies_on_the_table,
    a_card_before_the_dealer_said_that_the_first_ones_lie,
    a_release_before_he_said_so,
    first_cards_that_lack_one_and_no_alarm,
    a_round_over_in_its_first_cards_and_no_alarm,
    an_alarm_though_all_that_were_due_came,
    an_alarm_at_a_card_that_was_due,
    the_bank_in_a_players_turn,
    a_player_who_has_finished,
    more_turns_than_places,
    a_deviation_that_is_told_as_the_books_remedy,
    the_books_remedy_signed_as_a_deviation,
    a_deviation_that_nobody_signed,
    a_slip_that_its_name_settles,
    a_slip_that_is_not_named,
]


@pytest.mark.parametrize("breaks", BROKEN, ids=lambda one: one.__name__)
def test_what_is_not_dealt_as_it_is_due_is_named(records: Records, breaks: Callable[[Records], None]) -> None:
    with pytest.raises(ViolationError) as broken:
        breaks(records)
    assert broken.value.invariant == 12


def test_a_deal_as_it_is_due_breaks_nothing(records: Records) -> None:
    records.lie()
    records(DRAWN, d.CardPlaced(Due(1, 3, True)))
    records(moved(Trigger.PLACE_DONE, Dealing.TURNS))
    records(DRAWN, d.CardPlaced(Due(BANK, 3, True)))
    records(moved(Trigger.ROUND_OVER, Dealing.NOT_FOLLOWED))
