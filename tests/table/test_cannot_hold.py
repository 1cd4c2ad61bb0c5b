"""A shoe that cannot hold deals whatever the host says: what comes while held opens its incident (SB-1)."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import DealerKey
from firmware_bridge.core.words import IncidentKind, Session, Trigger
from sim_hardware.equipment import default_identities
from sim_hardware.mechanics import QUICK
from sim_hardware.table import Fittings
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
