"""A result that comes when nobody waits for it any more answers nothing else (18, 19; BR-025)."""

from __future__ import annotations

from collections import Counter

import pytest

from drivers.protocol import messages as m
from tests.protocol.world import World

EXCHANGES = 100
BEAT = 11
"""Ticks in which a heartbeat comes, and what it calls for."""


@pytest.mark.field("BR-025")
@pytest.mark.rule(16)
@pytest.mark.rule(19)
def test_a_late_result_settles_no_later_command_in_a_hundred_exchanges() -> None:
    world = World(1, Counter())
    host, device = world.host, world.device
    world.pass_time(BEAT)
    for exchange in range(EXCHANGES):
        late, asked = 2 * exchange + 1, 2 * exchange + 2
        host.order_command()
        world.pass_time(BEAT)
        host.give_up()  # its deadline has passed
        host.order_command()
        device.finish()
        world.pass_time(1)
        assert m.CommandResult(late, done=True) in host.ever.values(), "a late result is recorded as what it is"
        assert host.ordered is not None
        assert host.ordered.id == asked, "and answers nothing else"
        world.pass_time(BEAT)
        device.finish()
        world.pass_time(2)
        assert host.ordered is None
    results = [body.id for body in host.ever.values() if isinstance(body, m.CommandResult)]
    assert results == list(range(1, 2 * EXCHANGES + 1))
