"""The makes that can be driven, by their names in a configuration; a new make is one file and one line."""

from __future__ import annotations

from collections.abc import Mapping

from drivers.continuous_shuffler import CONTINUOUS_SHUFFLER
from drivers.device import Driver
from drivers.keypad import KEYPAD
from drivers.lamp import LAMP
from drivers.shoe import SHOE

DRIVERS: Mapping[str, Driver] = {
    "continuous_shuffler": CONTINUOUS_SHUFFLER,
    "shoe": SHOE,
    "keypad": KEYPAD,
    "lamp": LAMP,
}
