"""PINs of scripted people: from the seed, and from a source of their own, so that no pause depends on a digit."""

from __future__ import annotations

from random import Random

from firmware_bridge.service.people import Pin, weakness

DIGITS = 9
"""So many that no journal holds one by chance: then a search for it means something."""


def scripted_pin(seed: int, number: int) -> str:
    """Return the PIN of the scripted person with this number: good enough to be enrolled, and never printed."""
    source = Random(f"PIN {seed} {number}")
    while True:
        pin = "".join(str(source.randrange(10)) for _ in range(DIGITS))
        if weakness(Pin(pin)) is None:
            return pin
