"""Bad weather from a seed: long runs in which everything of a world happens by chance."""

from __future__ import annotations

from random import Random

from tests.protocol.world import World

WEATHERS = ((0.25, 0.01), (0.5, 0.05), (0.6, 0.03))
"""Chance of a frame to be struck, chance of an end to be struck in a tick."""

TICKS = 1200
"""A minute."""


def storm(world: World, weather: Random, ticks: int, badness: float, trouble: float) -> None:
    """Let time pass; ``badness`` is a frame's chance to be struck, ``trouble`` a tick's to see an end struck."""
    world.lively = True
    world.up.badness = world.down.badness = badness
    strikes = (
        lambda: world.kill(weather.randint(0, 40)),
        lambda: world.restore(weather.randint(0, 40)),
        lambda: world.reset(memory_lost=False),
        lambda: world.reset(memory_lost=True),
        world.unplug,
        lambda: world.hang(weather.randint(1, 60)),
        lambda: world.slow_flush(weather.randint(20, 100)),
    )
    for _ in range(ticks):
        if weather.random() < trouble:
            weather.choice(strikes)()
        if weather.random() < 0.1:
            world.replug()
        world.pass_time(1)
