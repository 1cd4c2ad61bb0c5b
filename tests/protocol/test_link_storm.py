"""The link in bad weather: what the model promises holds while it lasts, and all is well soon after (P1 to P9)."""

from __future__ import annotations

import pytest

from drivers.protocol import messages as m
from tests.protocol.storm import Storm

BAD, WORSE = (0.25, 0.01), (0.5, 0.05)
"""Chance of a frame to be struck, chance of an end to be struck in a twentieth of a second."""


@pytest.mark.parametrize("weather", [BAD, WORSE], ids=["bad", "worse"])
@pytest.mark.parametrize("seed", range(16))
def test_the_link_keeps_its_promises_in_a_storm_and_recovers(seed: int, weather: tuple[float, float]) -> None:
    storm = Storm(seed)
    badness, trouble = weather
    storm.run(60, badness, trouble)
    storm.settle(20, badness)
    storm.settle(10, badness=0.0)

    device, controller = storm.device, storm.controller
    memory = device.store.memory
    happened = {at: body for at, body in device.happened.items() if at[0] == memory}
    journalled = {at: body for at, body in controller.journal.items() if at[0] == memory}
    assert storm.links > 1
    assert journalled == happened, "P1, P2, P9: all of it, as it happened, once"
    assert device.store.first_kept == device.store.last + 1, "P9: all of it acked"
    assert controller.confirmed, "P9: the hold wanted is in force and confirmed"
    wanted = {m.Level.LAMP: 1, m.Level.LID: 1, m.Level.PROMPT: 9}
    assert {level: device.values[level] for level in wanted} == wanted, "P9: so is every other level"
    assert controller.ordered is None or controller.ordered.boot != controller.boot, "P9: commands are settled"


def test_the_storm_strikes() -> None:
    """A storm without cards, lapses, new memories or commands would prove nothing."""
    storms = [Storm(seed) for seed in range(16)]
    for storm in storms:
        storm.run(60, *BAD)
    bodies = {type(body) for storm in storms for body in storm.controller.journal.values()}
    assert {m.CardDrawn, m.HoldConfirmed, m.Lapsed, m.CommandResult} <= bodies
    assert all(len({memory for memory, _ in storm.controller.journal}) > 1 for storm in storms)
