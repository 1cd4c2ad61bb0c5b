"""The makes that can be simulated, by the names of their drivers; a new make is one file and two lines here."""

from __future__ import annotations

from collections.abc import Mapping

from drivers.protocol.messages import Capability
from sim_hardware.batch_makes import SABOT_SHELVES, SABOT_SLOTS, BatchMake
from sim_hardware.dealer_keys import SABOT_DEALER_KEYS
from sim_hardware.equipment import KEYPAD, LAMP, SHOE, SHUFFLER, Identity, Make
from sim_hardware.keypad import SABOT_KEYPAD, KeypadFirmware
from sim_hardware.lamp import SABOT_LAMP, LampFirmware
from sim_hardware.line_shoe import LINE_SHOE, LineShoe
from sim_hardware.shoe import SABOT_SHOE, ShoeFirmware
from sim_hardware.shuffler import SABOT_CAROUSEL, ShufflerMake
from sim_hardware.stack_light import STACK_LIGHT, StackLight
from sim_hardware.usb_keypad import USB_KEYPAD, UsbKeypad

SHUFFLERS: Mapping[str, ShufflerMake] = {
    "continuous_shuffler": SABOT_CAROUSEL,
}
BATCH_SHUFFLERS: Mapping[str, BatchMake] = {
    "batch_shuffler": SABOT_SHELVES,
    "slot_shuffler": SABOT_SLOTS,
}
SHOES: Mapping[str, Make[type[ShoeFirmware | LineShoe]]] = {
    "shoe": SABOT_SHOE,
    "line_shoe": LINE_SHOE,
    "dealer_keys": SABOT_DEALER_KEYS,
}
KEYPADS: Mapping[str, Make[type[KeypadFirmware | UsbKeypad]]] = {
    "keypad": SABOT_KEYPAD,
    "usb_keypad": USB_KEYPAD,
}
LAMPS: Mapping[str, Make[type[LampFirmware | StackLight]]] = {
    "lamp": SABOT_LAMP,
    "stack_light": STACK_LIGHT,
}


def default_identities(
    reads_faces: bool = True, shoe_holds: bool = True, machine_holds: bool = True
) -> dict[str, Identity]:
    """Return what the four devices say of themselves, by device name; of shoe and machine less, if so asked."""
    shoe = SABOT_SHOE.identity.fitted({Capability.READS_FACES: reads_faces, Capability.CAN_HOLD: shoe_holds})
    return {
        SHUFFLER: SABOT_CAROUSEL.identity.fitted({Capability.CAN_HOLD: machine_holds}),
        SHOE: shoe,
        KEYPAD: SABOT_KEYPAD.identity,
        LAMP: SABOT_LAMP.identity,
    }
