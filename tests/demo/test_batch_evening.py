"""Scripted people at a table with a batch shuffler, on a stepped clock: by the screen alone, to a verified end."""

from __future__ import annotations

import pytest

from firmware_bridge.core import changes as c
from firmware_bridge.core.records import Logged
from firmware_bridge.core.words import Session
from firmware_bridge.view import table_view
from sim_hardware.batch_mechanics import QUICK_SHELVES
from sim_hardware.batch_table import BatchFittings
from sim_hardware.commands.people import Evening
from sim_hardware.commands.stepped import SteppedTable
from tests.demo.played import LATEST, LOOK_NS, people
from tests.table.batch_evening import HOUSE
from tests.table.evening import BACKS, config, credentials


@pytest.mark.clause("SB-5")
def test_people_who_see_the_screen_alone_shuffle_the_set_twice_and_end_verified() -> None:
    decks = 2
    fittings = BatchFittings(decks=decks, backs=BACKS[:decks], build=QUICK_SHELVES)
    table = SteppedTable(config(decks, book=HOUSE, drivers={"shuffler": "batch_shuffler"}), credentials, 5, fittings)
    evening = Evening(rounds=4, backs=BACKS[:decks])
    everybody = people(evening, 5)
    while evening.sessions and table.seconds < LATEST:
        table.step(LOOK_NS)
        status = table.assembly.controller.status()
        view = table_view(table.state, table.config.book, status, ())
        for person in everybody:
            person.step(table.seconds, view, table.physical)
    assert table.state.session is Session.VERIFIED, (table.seconds, table.state.session, view.asks)
    decided = [Logged.from_body(record.body).decision for record in table.store.records()]
    assert sum(isinstance(change, c.SetShuffled) for one in decided for change in one.changes) == 2
    assert len(table.state.rounds) == 4
