"""The controller's process gone at the k-th call of its ports, in a session with a jam and a damaged card."""

from __future__ import annotations

import os

import pytest

from tests.kills.player import Player
from tests.kills.world import KilledEvening, look_at_the_journal

EVERY = os.environ.get("SABOT_KILLS") == "all"
"""`make soak` sets it: every call is a point. `make check` takes a fixed share of them, spread over the evening."""

GROUPS = 8
"""The points are played in so many tests, so that two processes share them."""

STRIDE, FIRST = (1, 1) if EVERY else (61, 25)


def played(call: int) -> KilledEvening:
    """Play the evening with the process gone at this call (0: never)."""
    evening = KilledEvening()
    evening.world.die_at(call or -1)
    player = Player(evening)
    player.play()
    look_at_the_journal(evening)
    assert player.restarts == bool(call)
    return evening


@pytest.fixture(scope="module")
def calls() -> int:
    """How many calls the evening makes when nothing befalls it."""
    return played(0).world.calls


@pytest.mark.timeout(7200 if EVERY else 120)
@pytest.mark.clause("SB-2", "SB-11")
@pytest.mark.parametrize("group", range(GROUPS))
def test_wherever_the_process_is_gone_the_evening_goes_on_and_nothing_is_lost_or_twice(calls: int, group: int) -> None:
    for call in range(FIRST + STRIDE * group, calls, STRIDE * GROUPS):
        try:
            played(call)
        except Exception as error:
            error.add_note(f"the process was gone at call {call} of {calls}")
            raise
