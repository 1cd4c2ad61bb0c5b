"""The good course of a session, from opening the table to a verified set."""

from __future__ import annotations

import pytest

from firmware_bridge.core.words import Session, Trigger
from tests.table.evening import SUPERVISOR, Evening


@pytest.mark.parametrize("decks", [4, 6])
@pytest.mark.clause("PT-A4", "PT-A5", "PT-A6", "PT-A10", "PT-E2", "SB-4")
def test_a_whole_session_ends_verified(decks: int) -> None:
    evening = Evening(decks=decks)
    evening.open_and_load()
    for _ in range(3):
        evening.play_round(11)
    evening.close()
    assert evening.session is Session.ALL_REGULAR
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert evening.session is Session.VERIFIED
