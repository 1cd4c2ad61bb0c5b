"""The link in bad weather: what the model promises holds while it lasts, and all is well soon after (P1 to P11)."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from drivers.protocol import messages as m
from sim_hardware.firmware import HEARTBEAT_PERIOD
from tests.protocol.storm import TICKS, WEATHERS, storm
from tests.protocol.wire import Fate
from tests.protocol.world import RECOVERY, TICK, World


@pytest.mark.parametrize("weather", WEATHERS, ids=["bad", "worse", "restless"])
@pytest.mark.parametrize("seed", range(12))
def test_the_link_keeps_its_promises_in_a_storm_and_recovers(seed: int, weather: tuple[float, float]) -> None:
    world = World(seed, Counter())
    storm(world, Random(seed), TICKS, *weather)
    world.calm_down()
    world.deafen()
    world.calm_down()


def test_the_storm_strikes() -> None:
    """A storm without cards, lapses, new memories, commands or entries would prove nothing."""
    worlds = [World(seed, Counter()) for seed in range(16)]
    for seed, world in enumerate(worlds):
        storm(world, Random(seed), TICKS, *WEATHERS[0])
    bodies = {type(body) for world in worlds for body in world.host.ever.values()}
    assert {m.CardDrawn, m.HoldConfirmed, m.Lapsed, m.CommandResult, m.EventsLost} <= bodies
    assert sum(len({memory for memory, _ in world.host.known}) > 1 for world in worlds) > 8
    assert any(world.host.taken for world in worlds)


@pytest.mark.rule(9)
def test_the_slowest_recovery_takes_three_heartbeats_where_a_zero_ends_the_half_frame_at_the_device() -> None:
    """Four are allowed: half a frame at either end, and a device that keeps nothing is asked for its hold last of all.

    While the hello is awaited a lone zero each second comes to the half frame at the device before the third does.
    """
    world = World(1, Counter())
    world.pass_time(40)
    world.down.planned.extend([Fate.LOST, Fate.MERGED])  # the OPENs that the new boot's first two heartbeats call for
    world.up.planned.extend([None, None, Fate.MERGED])  # the third heartbeat
    world.reset(memory_lost=False)
    world.pass_time(12)
    world.calm_down()
    assert 2 * HEARTBEAT_PERIOD + 6 * TICK < world.slowest < RECOVERY
