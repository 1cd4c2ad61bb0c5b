"""The lamp within 200 ms of what the machine tells, and keys that bounce or are pressed twice (BR-044, PT-A2)."""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random

import pytest

from drivers.protocol.messages import DealerKey, JamPlace, Key, Lamp
from firmware_bridge.core import changes as c
from firmware_bridge.core.outputs import desired
from firmware_bridge.core.words import IncidentKind, Trigger
from sim_hardware.commands.stepped import TICK_NS
from tests.table.evening import SUPERVISOR, Evening

pytestmark = pytest.mark.field("BR-044")

TICKS = 200_000_000 // TICK_NS
"""200 ms of the stepped clock, on which both the link's and the table's time run."""

RHYTHMS = 10_000 if os.environ.get("SABOT_RHYTHMS") == "all" else 300
"""How many uneven rhythms are pressed; ``SABOT_RHYTHMS=all``, which ``make soak`` sets, presses ten thousand."""

AT_ONE_TABLE = 100


def ticks_until(evening: Evening, done: Callable[[], bool]) -> int:
    for tick in range(1_000):
        if done():
            return tick
        evening.table.step()
    raise AssertionError("it never came")


def acknowledgements(evening: Evening) -> list[int]:
    """The incidents that were acknowledged, as often as they were."""
    changes = [change for record in evening.logged() for change in record.decision.changes]
    return [change.incident for change in changes if isinstance(change, c.Acknowledged)]


@pytest.mark.clause("PT-A2")
@pytest.mark.parametrize("place", list(JamPlace))
def test_the_lamp_is_lit_within_200_ms_of_a_jam(ready: Evening, place: JamPlace) -> None:
    """Counted from the moment that the card sticks in the mechanism to the lamp that people see.

    The machine's firmware, both ways over the wires, and the controller's turn lie between.
    """
    if place is JamPlace.INTAKE:
        ready.deal(9)
        assert ready.key(DealerKey.ROUND_OVER) is None
        ready.hands.jam(place)
        ready.hands.put_in_intake_tray(ready.hands.on_table)
    else:
        ready.hands.jam(place)
    assert ready.hands.lamp_shown is Lamp.OFF

    def stuck() -> bool:
        if place is not JamPlace.INTAKE:
            ready.hands.pull_card()
        return ready.hands.mechanism.jam_place is not None

    ticks_until(ready, stuck)
    assert ticks_until(ready, lambda: ready.hands.lamp_shown is not Lamp.OFF) <= TICKS
    assert ready.kinds() == [IncidentKind.JAM]


@pytest.mark.clause("SB-2")
@pytest.mark.parametrize("bounces", [0, 4])
def test_a_second_press_80_ms_later_acknowledges_neither_twice_nor_the_alarm_that_came_between(
    ready: Evening, bounces: int
) -> None:
    ready.key(DealerKey.CALL_SUPERVISOR)
    ready.identify(SUPERVISOR)
    ready.hands.press_key(2, bounces)
    ready.table.run(0.1)
    ready.hands.press_key(Key.ENTER, bounces)
    ready.table.run(0.04)
    ready.hands.press_dealer_key(DealerKey.DAMAGED_CARD)
    ready.table.run(0.04)
    ready.hands.press_key(Key.ENTER, bounces)
    ready.table.run(1)
    assert ready.kinds() == [IncidentKind.SUPERVISOR_CALLED, IncidentKind.DAMAGED_CARD]
    assert acknowledgements(ready) == [1]


@pytest.mark.clause("SB-2")
@pytest.mark.parametrize("seed", range(RHYTHMS // AT_ONE_TABLE))
def test_in_whatever_rhythm_keys_are_pressed_lamp_and_state_agree_within_200_ms(ready: Evening, seed: int) -> None:
    """A hundred times somebody calls, acknowledges, confirms or cancels, pressing unevenly and with bounces."""
    rng = Random(seed)
    controller = ready.table.assembly.controller
    pin = [*map(int, ready.people[SUPERVISOR][0]), Key.ENTER]
    steps = [[2, Key.ENTER], [3, 1, Key.ENTER, 0, Key.ENTER], [Key.CLEAR], [Key.ENTER]]
    shown = set()
    for _ in range(AT_ONE_TABLE):
        if rng.random() < 0.3:
            ready.hands.press_dealer_key(DealerKey.CALL_SUPERVISOR, rng.randrange(5))
        for key in [Key.CLEAR, 2, 0, 1, Key.ENTER, *pin, *rng.choice(steps)]:
            ready.hands.press_key(key, rng.randrange(5))
            ready.table.run(rng.choice((0.03, 0.05, 0.08, 0.12)))
        ready.table.run(0.2)
        wanted = desired(controller.state, controller.book)["lamp"].lamp
        assert ready.hands.lamp_shown is wanted
        shown.add(wanted)
    assert len(shown) > 1, "it was lit and put out"
    seen = acknowledgements(ready)
    assert len(seen) == len(set(seen)) > 0
    assert ready.act(SUPERVISOR, Trigger.ACKNOWLEDGE) in (None, "SB-2")
