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


def an_id_given_again_while_its_old_result_is_not_flushed() -> World:
    """An older journal has an id given again, in another boot; the disk is slow, so the device still keeps its result.

    The last thing written is the order: the old result stands before it, taken, and as little flushed.
    """
    world = World(1, Counter())
    host, device = world.host, world.device
    world.pass_time(BEAT)
    host.order_command()
    world.pass_time(BEAT)
    world.slow_flush(10 * BEAT)
    device.finish()
    world.pass_time(1)
    world.reset(memory_lost=False)
    world.restore(ticks=0)
    world.pass_time(2 * BEAT)
    host.order_command()
    ((_, id_before),) = device.begun_in
    assert host.ordered is not None
    assert host.ordered.id == id_before
    assert m.CommandResult(id_before, done=True) not in host.ever.values()
    return world


@pytest.mark.rule(14)
def test_an_old_result_flushed_together_with_a_new_order_does_not_answer_it() -> None:
    world = an_id_given_again_while_its_old_result_is_not_flushed()
    host, device = world.host, world.device
    world.slow_flush(0)
    world.pass_time(BEAT)
    assert [type(body) for body in host.ever.values()].count(m.CommandResult) == 1
    assert host.ordered is not None, "answered by the result of another boot"
    device.finish()
    world.pass_time(2)
    assert host.ordered is None, "and by its own"


@pytest.mark.rule(14)
def test_an_order_dies_with_the_events_taken_before_it_and_never_outlives_them() -> None:
    world = an_id_given_again_while_its_old_result_is_not_flushed()
    world.kill(ticks=0)
    assert world.host.ordered is None, "it was journalled before an event that it stands behind"
    world.slow_flush(0)
    world.pass_time(2 * BEAT)
    assert len(world.device.begun_in) == 1, "and so it never left"
