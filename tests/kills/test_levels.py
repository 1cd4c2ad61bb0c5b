"""What a controller that is gone left at the devices: the next one orders every level anew, also those at rest."""

from __future__ import annotations

import pytest

from drivers.protocol.messages import Lamp, Level
from tests.table.evening import Evening


@pytest.mark.clause("SB-4")
def test_a_lid_an_intake_and_a_lamp_left_open_and_lit_are_put_right_by_the_next_controller(ready: Evening) -> None:
    """Its process was gone between the flush that shut them and the orders: the journal says shut, the devices not."""
    shuffler, lamp = ready.hands.devices["shuffler"], ready.hands.devices["lamp"]
    for device, level, left in ((shuffler, Level.LID, 1), (shuffler, Level.INTAKE, 1), (lamp, Level.LAMP, Lamp.STEADY)):
        device.values[level] = left
    ready.hands.put_in_shoe_tray([])  # so that each device sets its parts as its levels say
    assert ready.hands.lamp_shown is Lamp.STEADY
    ready.table.start_controller()
    ready.table.run(2.5)
    assert ready.hands.lamp_shown is Lamp.OFF
    assert not ready.hands.open_lid()
    assert shuffler.values[Level.INTAKE] == 0
