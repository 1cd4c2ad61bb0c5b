"""The makes that can be driven, by their names in a configuration; a new make is one file and two lines here."""

from __future__ import annotations

from collections.abc import Mapping

from drivers.batch_shuffler import BATCH_SHUFFLER
from drivers.continuous_shuffler import CONTINUOUS_SHUFFLER
from drivers.dealer_keys import DEALER_KEYS
from drivers.device import Driver
from drivers.keypad import KEYPAD
from drivers.lamp import LAMP
from drivers.line_shoe import LINE_SHOE
from drivers.shoe import SHOE
from drivers.slot_shuffler import SLOT_SHUFFLER
from drivers.stack_light import STACK_LIGHT
from drivers.usb_keypad import USB_KEYPAD

DRIVERS: Mapping[str, Driver] = {
    "continuous_shuffler": CONTINUOUS_SHUFFLER,
    "batch_shuffler": BATCH_SHUFFLER,
    "slot_shuffler": SLOT_SHUFFLER,
    "shoe": SHOE,
    "line_shoe": LINE_SHOE,
    "dealer_keys": DEALER_KEYS,
    "keypad": KEYPAD,
    "usb_keypad": USB_KEYPAD,
    "lamp": LAMP,
    "stack_light": STACK_LIGHT,
}
