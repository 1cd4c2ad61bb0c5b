"""A shoe or a machine that cannot hold moves cards whatever the host says: what comes while held is told (SB-1)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import IncidentKind, Place, Session, Trigger
from sim_hardware.mechanics import QUICK
from sim_hardware.registry import default_identities
from sim_hardware.table import Fittings
from tests.table.byways import pull_until
from tests.table.evening import BACKS, SUPERVISOR, Evening


@pytest.fixture
def without_gate() -> Evening:
    """A table whose shoe cannot hold, open and loaded."""
    identities = default_identities(reads_faces=False, shoe_holds=False)
    evening = Evening(fittings=Fittings(decks=4, backs=BACKS[:4], rates=QUICK, identities=identities))
    evening.open_table()
    evening.hands.press_dealer_key(DealerKey.YES)
    evening.table.run(2.0)  # no hold was confirmed: this is the shoe's first event, and waits for its next heartbeat
    for _ in range(2):
        assert evening.key(DealerKey.YES) is None
    evening.load()
    return evening


@pytest.mark.clause("SB-1")
def test_a_card_that_comes_where_dealing_is_released_is_one_of_the_round(without_gate: Evening) -> None:
    without_gate.play_round()
    assert without_gate.session is Session.READY
    assert not without_gate.kinds()


@pytest.mark.clause("SB-1")
def test_a_card_that_comes_while_dealing_is_held_opens_its_incident_at_that_card(without_gate: Evening) -> None:
    without_gate.deal(5)
    assert without_gate.act(SUPERVISOR, Trigger.DECLARE_SPILL) is None
    assert without_gate.hands.pull_card() is not None
    without_gate.table.run(0.2)
    assert IncidentKind.UNEXPECTED_CARD in without_gate.kinds()


@pytest.mark.clause("PT-A6")
def test_it_is_unloaded_like_any_other(without_gate: Evening) -> None:
    without_gate.play_round()
    without_gate.unload()
    assert without_gate.session is Session.LOOKING
    assert not without_gate.kinds()


@pytest.mark.clause("SB-1", "SB-4")
def test_a_card_out_of_turn_beyond_those_inside_went_in_unseen(without_gate: Evening) -> None:
    without_gate.play_round()
    assert without_gate.act(SUPERVISOR, Trigger.DECLARE_CLOSED) is None
    assert without_gate.act(SUPERVISOR, Trigger.BEGIN_UNLOADING) is None
    pull_until(without_gate, lambda: without_gate.session is Session.COUNTING_EMPTY)
    mechanism, account = without_gate.hands.mechanism, without_gate.state.account
    mechanism.mouth.append(without_gate.hands.on_table.pop())  # laid at the mouth from behind
    assert without_gate.hands.pull_card() is not None
    without_gate.table.run(0.2)
    assert IncidentKind.UNEXPECTED_CARD in without_gate.kinds()
    assert (account.inside, account.at(Place.UNLOADED), account.at(Place.OVER)) == (0, 209, 1)


@pytest.fixture
def feeds_always() -> Evening:
    """A table whose machine cannot hold, open and not loaded yet: it feeds its shoe whenever the mouth is free."""
    identities = default_identities(machine_holds=False)
    evening = Evening(fittings=Fittings(decks=4, backs=BACKS[:4], rates=QUICK, identities=identities))
    evening.open_table()
    evening.show_and_mix()
    return evening


@pytest.mark.clause("PT-E2")
def test_a_card_that_the_machine_fed_to_its_shoe_while_it_was_loaded_is_one_of_the_load(feeds_always: Evening) -> None:
    feeds_always.load()
    assert feeds_always.state.account.at(Place.SHOE) == 1
    assert not feeds_always.kinds()


@pytest.mark.clause("PT-E2")
def test_a_load_that_lacks_a_card_is_wrong_wherever_its_cards_lie(feeds_always: Evening) -> None:
    feeds_always.load_pack(104)
    feeds_always.end_pack()
    feeds_always.load_pack(103)
    feeds_always.end_pack()
    assert feeds_always.act(SUPERVISOR, Trigger.DECLARE_LOADED) is None
    assert feeds_always.session is Session.WRONG_LOAD


@pytest.mark.clause("PT-A6")
def test_a_machine_that_cannot_hold_is_played_and_emptied_like_any_other(feeds_always: Evening) -> None:
    feeds_always.load()
    feeds_always.play_round()
    feeds_always.close()
    assert feeds_always.session is Session.ALL_REGULAR


@pytest.mark.clause("SB-1")
def test_that_more_was_drawn_than_fed_is_told_no_more_once_every_card_was_read() -> None:
    evening = Evening()
    evening.open_and_load()
    evening.close()
    evening.state.account.places |= {Place.MACHINE: 1, Place.SHOE: -1}  # what was fed as one, and a card over
    evening.table.run(60)
    assert not evening.kinds()


@pytest.mark.clause("SB-7")
def test_a_card_that_the_shoe_forgot_is_told_by_the_card_fed_after_it(feeds_always: Evening) -> None:
    feeds_always.load()
    shoe, lag = feeds_always.hands.devices["shoe"], feeds_always.table.config.book.house.split_lag_s
    feeds_always.table.unplug("shoe")
    assert feeds_always.hands.pull_card() is not None
    feeds_always.table.run(0.5)
    shoe.store.ack(shoe.store.last)
    feeds_always.table.replug("shoe")
    feeds_always.table.run(lag + 1)
    assert IncidentKind.COUNT_MISMATCH in feeds_always.kinds()
    assert feeds_always.state.account.at(Place.SHOE) == 1
