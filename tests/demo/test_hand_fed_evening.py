"""Scripted people at a table whose shoe they fill, on a stepped clock: by the screen alone, to a verified end."""

from __future__ import annotations

import pytest

from firmware_bridge.core import changes as c
from firmware_bridge.core.records import Logged
from firmware_bridge.core.words import Session
from firmware_bridge.rulebooks import BOOKS
from sim_hardware.commands.people import Evening
from sim_hardware.commands.stage import COLOURS, book_to_play
from sim_hardware.commands.stepped import SteppedTable
from sim_hardware.hand_fed_table import HandFedFittings
from tests.demo.played import people, play
from tests.table.evening import config, credentials

LATEST = 4000.0
ROUNDS_A_DECK = 4
"""So many rounds a deck use a shoe up, and begin another."""


@pytest.mark.clause("PT-S1", "PT-S4", "PT-S6", "MO-2a", "MO-2b", "GN-2", "GN-9", "LD-1")
@pytest.mark.parametrize("name", BOOKS)
def test_by_each_book_people_who_see_the_screen_alone_fill_a_shoe_twice_and_end_verified(name: str) -> None:
    book = book_to_play(name)
    decks = book.equipment.decks_allowed[0]
    by_hand = {"fed_by_hand": True, "backs": COLOURS[:decks]}
    settings = config(decks, book=book, drivers={"shuffler": ""}, cards=by_hand)
    table = SteppedTable(settings, credentials, 5, HandFedFittings(decks=decks, backs=COLOURS[:decks]))
    evening = Evening(rounds=ROUNDS_A_DECK * decks, backs=COLOURS[:decks])
    view = play(table, evening, people(evening, 5), LATEST)
    assert table.state.session is Session.VERIFIED, (table.seconds, table.state.session, view.asks)
    decided = [Logged.from_body(record.body).decision for record in table.store.records()]
    filled = [one for decision in decided for one in decision.changes if isinstance(one, c.ShoeFilled)]
    assert len(filled) >= 2
    assert len(table.state.rounds) == ROUNDS_A_DECK * decks
