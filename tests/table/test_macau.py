"""A table in Macau, with a house's permissions: what its order says of an automatic shuffler (MO-2c, 2e, 2g, 4a)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.changes import Moved
from firmware_bridge.core.words import Place, Procedure, Session, Trigger
from firmware_bridge.rulebooks import load_for_table
from sim_hardware.commands.stage import book_of
from tests.table.evening import SUPERVISOR, Evening
from tests.table.told import asked, screen

MACAU = load_for_table(book_of("macau"))


@pytest.fixture
def opened() -> Evening:
    """A table that was opened, its cards not loaded yet."""
    evening = Evening(decks=MACAU.equipment.decks_allowed[0], book=MACAU)
    evening.open_table()
    return evening


@pytest.fixture
def loaded(opened: Evening) -> Evening:
    """A table between its loading and its first round."""
    opened.show_and_mix()
    opened.load()
    return opened


@pytest.mark.clause("MO-2c")
def test_the_cards_are_simply_put_in_unmixed_uncut_in_one_pack_and_dealt_from_the_machine(opened: Evening) -> None:
    opened.show_and_mix()
    assert told(opened)[-2:] == ["mixing>cutting by not_asked [MO-2c]", "cutting>awaiting_pack by not_asked [MO-2c]"]
    assert opened.act(SUPERVISOR, Trigger.CUT) == "MO-2c"
    assert opened.act(SUPERVISOR, Trigger.START_PACK) is None
    while opened.hands.box:  # one pack, in as many handfuls as the tray takes
        opened.hands.put_in_intake_tray(opened.hands.box[:104])
        assert opened.table.run(30, lambda: not opened.hands.mechanism.intake_tray)
    opened.table.run(0.2)
    assert opened.end_pack() is None
    assert opened.act(SUPERVISOR, Trigger.CUT) == "MO-2c"
    assert opened.act(SUPERVISOR, Trigger.DECLARE_LOADED) is None
    assert opened.table.run(60, lambda: opened.session is Session.READY)
    opened.table.run(1)
    assert opened.deal(1)


def told(evening: Evening) -> list[str]:
    """The session's moves, each with its trigger and the clause that it is recorded with."""
    changes = [change for logged in evening.logged() for change in logged.decision.changes]
    moved = [change for change in changes if isinstance(change, Moved) and change.procedure == Procedure.SESSION]
    return [f"{one.source}>{one.target} by {one.trigger} [{one.clause}]" for one in moved]


@pytest.mark.clause("MO-4a")
def test_one_card_is_burned_into_the_discard_before_the_first_round_and_is_no_card_of_a_round(loaded: Evening) -> None:
    assert "burn it: to the discard, face down [MO-4a]" in asked(loaded)
    loaded.hands.move(loaded.deal(1), loaded.hands.discard)
    assert (loaded.session, loaded.state.account.at(Place.DISCARD), loaded.state.rounds) == (Session.READY, 1, [])
    assert "MO-4a" not in asked(loaded)
    loaded.play_round(5)
    assert loaded.state.account.out == 0  # it went in with the cards of the first round
    loaded.deal(1)
    assert loaded.session is Session.IN_ROUND


@pytest.mark.clause("MO-2g")
def test_no_next_round_is_dealt_before_all_used_cards_are_back_in_the_machine(loaded: Evening) -> None:
    loaded.deal(1 + 6)
    assert loaded.key(DealerKey.ROUND_OVER) is None
    assert "put 7 cards into the machine: all from table and discard [MO-2g]" in asked(loaded)
    used = loaded.hands.on_table
    loaded.hands.put_in_intake_tray(used[:-1])
    loaded.table.run(20)
    assert (loaded.session, loaded.state.account.out) == (Session.RETURNING, 1)
    assert loaded.hands.pull_card() is None
    loaded.put_back()
    assert loaded.session is Session.READY
    assert loaded.deal(1)


@pytest.mark.clause("MO-2g")
def test_no_used_card_stays_in_the_discard_though_the_machine_takes_none(loaded: Evening) -> None:
    loaded.deal(1 + 6)
    loaded.hands.trip_intake()
    loaded.table.run(0.5)
    assert loaded.key(DealerKey.ROUND_OVER) is None
    assert loaded.key(DealerKey.YES) == "MO-2g"
    assert loaded.session is Session.RETURNING
    assert loaded.hands.pull_card() is None


@pytest.mark.clause("MO-2e")
def test_after_any_round_the_dealer_may_have_all_cards_shuffled_before_the_next(loaded: Evening) -> None:
    assert loaded.key(DealerKey.YES) == "SB-1"  # there is no round yet that it could follow
    loaded.hands.move(loaded.deal(1), loaded.hands.discard)
    for _ in range(2):
        loaded.play_round()
        assert "press YES to have all cards shuffled first [MO-2e]" in asked(loaded)
        assert loaded.key(DealerKey.YES) is None
        assert "shuffling" in screen(loaded).session_state
        assert loaded.hands.pull_card() is None
        assert loaded.table.run(60, lambda: loaded.session is Session.READY)
        loaded.table.run(1)
    assert told(loaded)[-2].endswith("ready>shuffling by yes [MO-2e]")


@pytest.mark.clause("MO-2e")
def test_no_shuffle_begins_at_the_dealers_wish_in_a_machine_that_is_not_there(loaded: Evening) -> None:
    loaded.hands.move(loaded.deal(1), loaded.hands.discard)
    loaded.play_round()
    loaded.table.unplug("shuffler")
    loaded.table.run(1)
    assert loaded.key(DealerKey.YES) == "SB-1"
    assert loaded.session is Session.READY
