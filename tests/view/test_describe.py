"""A record in one plain line."""

from __future__ import annotations

import pytest

from drivers.cards import Face
from drivers.protocol.messages import CardDrawn, CardIn, DealerKey, DealerKeyPressed
from firmware_bridge.core import changes as c
from firmware_bridge.core import events as e
from firmware_bridge.core.records import Logged
from firmware_bridge.core.words import IncidentKind, Place, Procedure, Role, Session, Trigger
from firmware_bridge.rulebooks import load_rulebook
from firmware_bridge.view import describe


def told(event: e.AnyEvent, *changes: c.AnyChange) -> str | None:
    return describe(Logged(0, event, c.Decision(changes)), 1)


def test_a_step_is_told_with_role_number_and_where_it_led() -> None:
    step = e.Acted(201, Role.SUPERVISOR, Trigger.START_PACK)
    row = c.Moved(Procedure.SESSION, step.step, Session.AWAITING_PACK, Session.LOADING_PACK, "PT-A5")
    assert told(step, row) == "supervisor 201: start the next pack; loading: a pack goes in"


@pytest.mark.parametrize(("clause", "shown"), [("PT-A5", "[PT-A5]"), ("house.min_pack", "[house: min_pack]")])
def test_a_refusal_names_its_clause(clause: str, shown: str) -> None:
    refused = c.Refused(Procedure.SESSION, Trigger.END_PACK, clause, "3 cards are in")
    line = told(e.Acted(201, Role.SUPERVISOR, Trigger.END_PACK), refused)
    assert line == f"supervisor 201: refused - end the pack: 3 cards are in {shown}"


def test_a_refused_key_is_the_dealers() -> None:
    refused = c.Refused(Procedure.CLAIM, Trigger.CLAIM, "PT-A12", "too late")
    line = told(e.Told("shoe", 1, DealerKeyPressed(DealerKey.CLAIM, 3)), refused)
    assert line == "dealer: refused - CLAIM: too late [PT-A12]"


def test_no_line_tells_the_face_of_a_card() -> None:
    drawn = e.Told("shoe", 1, CardDrawn(1, Face(12)))
    first = c.Moved(Procedure.SESSION, Trigger.CARD_DRAWN, Session.READY, Session.IN_ROUND, "SB-1")
    booked = c.Booked(Place.SHOE, Place.TABLE, 1, "deal", Face(12))
    assert told(drawn, c.Taken("shoe", 1), c.RoundBegan(), booked, first) == "a round is under way"
    assert told(drawn, c.Taken("shoe", 1), booked) is None


def test_what_is_not_worth_a_line_has_none() -> None:
    card = c.Booked(Place.OUTSIDE, Place.MACHINE, 1, "loading")
    assert told(e.Told("shuffler", 2, CardIn(Face(0))), card) is None
    assert told(e.Identified(201, Role.SUPERVISOR)) is None
    assert told(e.DeviceCaughtUp("shoe"), c.Seen("shoe", c.Sight.CAUGHT_UP, True)) is None


def test_an_entry_turned_away_does_not_tell_whose_number_was_tried() -> None:
    assert told(e.Rejected(4711)) == "keypad: number or PIN is not right"


def test_an_incident_is_told_with_its_clause_by_the_book_in_force() -> None:
    raised = c.Raised(IncidentKind.LID_OPENED, "shuffler", "the lid was opened though it was not released")
    logged = Logged(0, e.LinkDown("keypad", "unplugged"), c.Decision((raised,)))
    without = describe(logged, 1)
    assert without is not None
    assert without.startswith("INCIDENT: lid opened unreleased, shuffler")
    assert describe(logged, 1, load_rulebook("portugal")) == f"{without} [PT-A2]"
    assert describe(logged, 1, load_rulebook("macau")) == f"{without} [house: jam.lid_opened_by]"
