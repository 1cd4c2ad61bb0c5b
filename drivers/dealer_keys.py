"""The dealer's keys by themselves: for a table that deals from a metal box, which has no wire (MO-1b)."""

from __future__ import annotations

from drivers.device import Driver
from drivers.protocol.messages import Capability, DealerKeyPressed, EventsLost, Kind, Level

DEALER_KEYS = Driver(
    name="dealer's keys",
    kind=Kind.DEALER_KEYS,
    required=Capability.HAS_DEALER_KEYS,
    bodies=frozenset({DealerKeyPressed, EventsLost}),
    levels=frozenset({Level.PROMPT}),
)
