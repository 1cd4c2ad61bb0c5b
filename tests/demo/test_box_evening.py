"""Scripted people at a metal box, on a stepped clock: by the screen alone, round after round, to a verified end."""

from __future__ import annotations

import pytest

from firmware_bridge.core import changes as c
from firmware_bridge.core.records import Logged
from firmware_bridge.core.words import Session
from sim_hardware.commands.people import Evening
from sim_hardware.commands.stage import COLOURS
from tests.demo.played import people, play
from tests.table.box_evening import BoxEvening

LATEST = 2000.0
ROUNDS = 4


@pytest.mark.clause("MO-1b", "MO-2a", "MO-2f", "MO-4a")
def test_people_who_see_the_screen_alone_play_a_box_round_by_round_and_end_verified() -> None:
    table = BoxEvening(5).table
    evening = Evening(rounds=ROUNDS, backs=COLOURS[:1])
    in_discard: list[int] = []

    def look() -> None:
        if table.state.session is Session.IN_ROUND:
            in_discard.append(len(table.physical.discard))

    view = play(table, evening, people(evening, 5), LATEST, look)
    assert table.state.session is Session.VERIFIED, (table.seconds, table.state.session, view.asks)
    decided = [Logged.from_body(record.body).decision for record in table.store.records()]
    filled = [one for decision in decided for one in decision.changes if isinstance(one, c.ShoeFilled)]
    assert len(filled) >= ROUNDS
    assert len(table.state.rounds) == ROUNDS
    assert min(in_discard) == 1, "the dealer burns one before he says that the round begins"
