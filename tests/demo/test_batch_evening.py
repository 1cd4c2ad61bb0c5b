"""Scripted people at a table with a batch shuffler, on a stepped clock: by the screen alone, to a verified end."""

from __future__ import annotations

import pytest

from firmware_bridge.core import changes as c
from firmware_bridge.core.records import Logged
from firmware_bridge.core.words import FIRST, SECOND, THE_ONLY, Course, IncidentKind, Session
from sim_hardware.batch_mechanics import QUICK_SHELVES
from sim_hardware.batch_table import BatchFittings
from sim_hardware.commands.people import Evening
from sim_hardware.commands.stepped import SteppedTable
from sim_hardware.faults import Fault, Plan, Planned
from tests.demo.played import people, play
from tests.table.batch_evening import HOUSE
from tests.table.evening import BACKS, config, credentials

DECKS = 2


class BatchPlayed:
    """One evening with so many sets, played until its session is over."""

    def __init__(self, sets: int = 1, faults: Plan = (), seed: int = 5) -> None:
        backs = BACKS[: DECKS * sets]
        fittings = BatchFittings(decks=len(backs), backs=backs, build=QUICK_SHELVES, faults=faults)
        cards = {"backs": backs[:DECKS], "second_backs": backs[DECKS:]}
        settings = config(DECKS, book=HOUSE, drivers={"shuffler": "batch_shuffler"}, cards=cards)
        table = SteppedTable(settings, credentials, seed, fittings)
        evening = Evening(rounds=4, backs=backs, sets=sets)
        self.while_the_other_played = False

        def look() -> None:
            one_is_dealt = bool(table.state.sets_at(Course.IN_SHOE))
            self.while_the_other_played |= one_is_dealt and bool(table.state.sets_at(Course.IN_CYCLE))

        view = play(table, evening, people(evening, seed), after=look)
        self.state, self.seconds, self.asks = table.state, table.seconds, view.asks
        self.struck = table.physical.faults.struck
        self._decided = [Logged.from_body(record.body).decision for record in table.store.records()]

    @property
    def shuffled(self) -> list[str]:
        """The sets that were shuffled, in turn."""
        changes = (change for one in self._decided for change in one.changes)
        return [change.set for change in changes if isinstance(change, c.SetShuffled)]


@pytest.mark.clause("SB-5")
def test_people_who_see_the_screen_alone_shuffle_the_set_twice_and_end_verified() -> None:
    played = BatchPlayed()
    assert played.state.session is Session.VERIFIED, (played.seconds, played.state.session, played.asks)
    assert played.shuffled == [THE_ONLY] * 2
    assert len(played.state.rounds) == 4


@pytest.mark.clause("SB-6")
def test_of_two_sets_people_have_one_shuffled_while_the_other_plays_and_end_verified() -> None:
    played = BatchPlayed(sets=2)
    assert played.state.session is Session.VERIFIED, (played.seconds, played.state.session, played.asks)
    assert played.while_the_other_played
    assert played.shuffled == [FIRST, SECOND, FIRST]
    assert len(played.state.rounds) == 4


@pytest.mark.clause("PT-A2")
@pytest.mark.parametrize("sets", [1, 2])
def test_people_clear_a_jam_in_the_machine_and_have_the_set_counted_by_its_next_cycle(sets: int) -> None:
    played = BatchPlayed(sets, (Planned((Fault.JAM_CAROUSEL,), 10, 300),), seed=1)
    assert played.struck[Fault.JAM_CAROUSEL] == 1
    assert played.state.session is Session.VERIFIED, (played.seconds, played.state.session, played.asks)
    assert [one.kind for one in played.state.incidents_closed.values()] == [IncidentKind.JAM]
