"""What goes wrong at a table whose shoe people fill: keys, cables and devices, as everywhere."""

from __future__ import annotations

from collections.abc import Mapping

from sim_hardware.faults import Fault, Plan, Planned

HAND_FED_PLANS: Mapping[str, Plan] = {
    "none": (),
    "typical": (
        Planned((Fault.DEALER_KEY_BOUNCES, Fault.DEALER_KEY_TWICE), 1, 60),
        Planned((Fault.KEYPAD_KEY_BOUNCES, Fault.KEYPAD_KEY_TWICE), 1, 400),
    ),
    "storm": (
        Planned((Fault.DEALER_KEY_BOUNCES, Fault.DEALER_KEY_TWICE), 1, 60, times=2),
        Planned((Fault.KEYPAD_KEY_BOUNCES, Fault.KEYPAD_KEY_TWICE), 1, 400, times=2),
        Planned((Fault.KEY_STICKS,), 1, 600),
        Planned((Fault.CABLE_SHOE, Fault.CABLE_KEYPAD, Fault.CABLE_LAMP), 1, 100, times=2),
        Planned((Fault.REBOOT_SHOE, Fault.REBOOT_KEYPAD, Fault.REBOOT_LAMP), 1, 150),
        Planned((Fault.MEMORY_SHOE, Fault.MEMORY_KEYPAD, Fault.MEMORY_LAMP), 1, 250),
    ),
}
"""Plans by name, as ``faults.PLANS``; a machine has no part in them."""
