"""The screen: first and largest whether cards may be dealt; readable without colour, and on a narrow terminal."""

from __future__ import annotations

import re

import msgspec
import pytest

from firmware_bridge.core import changes as c
from firmware_bridge.core.state import State
from firmware_bridge.core.words import CLEAR_FIRST, Incident, IncidentKind, Place, Session
from firmware_bridge.readers.follow import Status
from firmware_bridge.readers.terminal import render
from firmware_bridge.view import TableView, table_view
from tests.view.states import BOOK, UTC, at, booked, in_round, moved, state_of

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def view_of(state: State, digits: int = 0) -> TableView:
    status = Status("b1", state.record, UTC, "pin" if digits else "number", "", digits, "")
    return table_view(state, BOOK, status, ("04:00:01Z controller started", "04:00:03Z a round is under way"))


ROUND = """\
BJ 7 | a round is under way | session 1 | round 1 | SIMULATED | 04:00:04Z

####  #####  ###  #
#   # #     #   # #
#   # ####  ##### #
#   # #     #   # #
####  ##### #   # #####

NEXT
> Dealer: press ROUND OVER when the round is over
  Dealer: deal
  Dealer: cards out of play go to the discard at once [PT-A9]
  Dealer: a hand over 21 is collected at once, into the discard [PT-D9]
  Dealer: the bank shows an ace: offer insurance when the second cards lie [PT-H6]
KEYPAD  your number, then Enter:
CARDS   machine 204 | shoe 1 | table 3 (1 of 100 rounds since the last full count)
LAST EVENTS
  04:00:01Z controller started
  04:00:03Z a round is under way
ALSO OPEN
  Dealer: step 11 - sign in
  Supervisor: step 50 - mark a deck imperfect: type its number
DEVICES
- shuffler: connected, Carousel S1, simulated
- shoe: connected, Carousel S1, simulated
- keypad: connected, Carousel S1, simulated"""


def asked(state: State, journal: str = "") -> list[str]:
    """The lines beneath the alarm that say what is to be done."""
    status = Status("b1", state.record, UTC, "number", "", 0, "", journal=journal)
    lines = COLOUR.sub("", render(table_view(state, BOOK, status, ()), width=200, height=60)).splitlines()
    return [line for line in lines if "step 34" in line or "step 33" in line]


def test_what_is_open_beside_stands_as_that_only_beside_what_the_table_waits_for() -> None:
    jam = c.Raised(IncidentKind.JAM, "shuffler", "exit")
    state = at(Session.READY, jam, moved(Incident.ASKING_DAMAGE, "incident/1"))
    assert [line[:4] for line in asked(state)[:2]] == ["> Su", "  or"]
    assert {line[:4] for line in asked(state, "the disk is full")[:2]} == {"  Su"}


NARROW = """\
BJ 7 | loading: a pack goes in | session
  1 | SIMULATED | 04:00:04Z

*** DO NOT DEAL ***

- loading: a pack goes in [SB-1]
NEXT
> Dealer: lay the pack into the intake
  tray: at most 82 cards more
> Supervisor: step 21 - end the pack
  when the intake tray is empty
KEYPAD  your PIN, then Enter: ****
CARDS   not loaded yet 108 | machine 100
LAST EVENTS
  04:00:03Z a round is under way
... 13 more lines"""


def loading() -> State:
    begun: list[c.AnyChange] = [c.SessionBegan(201, 208), c.DealerSigned(101), c.PackBegan(201)]
    return state_of(begun, [moved(Session.LOADING_PACK)], [booked(Place.OUTSIDE, Place.MACHINE, 100, "loading")])


def test_a_round_on_a_wide_terminal() -> None:
    assert render(view_of(in_round()), 100, 40, colour=False) == ROUND


def test_loading_on_a_narrow_and_low_one() -> None:
    assert render(view_of(loading(), digits=4), 40, 16, colour=False) == NARROW


@pytest.mark.parametrize(("width", "height"), [(20, 6), (40, 16), (60, 24), (80, 24), (132, 50), (1, 1)])
@pytest.mark.parametrize("session", [Session.READY, Session.LOADING_PACK, Session.DIFFERENCE])
def test_the_screen_fits_its_terminal(session: Session, width: int, height: int) -> None:
    lines = render(view_of(at(session)), width, height, colour=False).split("\n")
    assert len(lines) <= max(height, 4)
    assert all(len(line) <= max(width, 16) for line in lines)


def test_without_colour_nothing_is_lost() -> None:
    view = view_of(at(Session.DIFFERENCE))
    assert COLOUR.sub("", render(view, 80, 40)) == render(view, 80, 40, colour=False)


def test_why_cards_may_not_be_dealt_stands_right_below() -> None:
    lines = render(view_of(at(Session.MIXING)), 40, 20, colour=False).split("\n")
    headline = lines.index("*** DO NOT DEAL ***")
    assert lines[headline + 2].startswith("- the cards are mixed")


def test_nothing_that_a_device_says_steers_the_terminal() -> None:
    view = msgspec.structs.replace(view_of(at(Session.READY)), events=("\x1b[2Jcleared\r\n",))
    assert "\x1b" not in render(view, 80, 40, colour=False)


def test_the_first_screen_orders_one_thing_at_the_keypad() -> None:
    status = Status("b1", 3, UTC, "number", "", 0, CLEAR_FIRST, 0)
    screen = render(table_view(State(), BOOK, status, ()), 100, 60, colour=False)
    assert f"KEYPAD  {CLEAR_FIRST}\n" in screen
