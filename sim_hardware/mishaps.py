"""What happens to a table as time passes (cables, reboots, a forced lid), and to cards on their way to the tray."""

from __future__ import annotations

from math import inf
from random import Random
from typing import Protocol

from sim_hardware.cards import Card, taken_for
from sim_hardware.faults import DEVICES, Fault, Faults
from sim_hardware.machine import MachineMechanism

PERIOD = 10.0
"""Seconds of the mechanics' clock from one opportunity to the next."""

SHORTEST, LONGEST = 1.0, 45.0
"""Seconds that a cable is out."""

COOLS_AFTER = 90.0
"""Seconds after which a cut-out closes again."""

STICKS_TO_ANOTHER = 0.5
"""Share of cards too many that go in as one with another."""

FOREIGN = "foreign"
"""The back of a card that is of no deck of the table."""

SLIPS = Fault.CARD_LOST, Fault.CARD_KEPT, Fault.CARD_DROPPED
"""What may happen to a card on its way from the discard to the tray."""


def slip(cards: list[Card], faults: Faults, rng: Random, places: tuple[list[Card], list[Card], list[Card]]) -> None:
    """Let cards go astray on their way back: into the well, kept back, dropped on the table (``places``, in turn)."""
    for fault, place in zip(SLIPS, places, strict=True):
        if cards and faults.strikes(fault):
            place.append(cards.pop(rng.randrange(len(cards))))


def slip_in(lying: list[Card], faults: Faults, mechanism: MachineMechanism) -> None:
    """Let a hand that the lid lets in lay a card into a compartment, past every sensor."""
    if faults.strikes(Fault.CARD_SLIPPED_IN) and lying and mechanism.lay_inside(lying[-1:]):
        lying.pop()


def tamper(cards: list[Card], faults: Faults, rng: Random) -> list[Card]:
    """Let somebody change a card on its way from the boxes, or add one; return what is in his pocket then.

    The card that is added may stick to another: then the intake counts a full load, and a card too many is in.
    """
    pocket = []
    if faults.strikes(Fault.FOREIGN_BACK):
        at = rng.randrange(len(cards))
        pocket.append(cards[at])
        cards[at] = Card(cards[at].face, FOREIGN, 0)
    if faults.strikes(Fault.BOXED):
        rng.choice(cards).boxed = True
    if faults.strikes(Fault.FOREIGN_FACE):
        at = rng.randrange(len(cards))
        pocket.append(cards[at])
        cards[at] = Card(taken_for(cards[at].face), cards[at].back, cards[at].deck)
    if faults.strikes(Fault.EXTRA_CARD):
        alike = rng.choice(cards)
        cards.append(Card(alike.face, alike.back, alike.deck))
        if rng.random() < STICKS_TO_ANOTHER:
            faults.arm(Fault.DOUBLE_IN)
    return pocket


class Victim(Protocol):
    """The table, as far as it can be struck."""

    def open_lid(self, force: bool = False) -> bool:
        """Lift the lid."""
        ...

    def trip_intake(self, tripped: bool = True) -> None:
        """Open or close the intake motor's cut-out."""
        ...

    def pull_cable(self, device: str) -> None:
        """Pull a device's cable out."""
        ...

    def plug_in(self, device: str) -> None:
        """Plug a device's cable in."""
        ...

    def reboot(self, device: str, memory_lost: bool = False) -> None:
        """Cut a device's power and give it back."""
        ...


class Mishaps:
    """Asks every ten seconds what strikes, and undoes what does not last. ``now`` is on the mechanics' clock."""

    def __init__(self, faults: Faults, rng: Random, now: float) -> None:
        self._faults = faults
        self._rng = rng
        self._next = now + PERIOD
        self._plug_in: dict[str, float] = {}
        self._cools_at = inf

    @property
    def deadline(self) -> float:
        """When something may happen next; inf where nothing is planned or under way."""
        asks = self._next if self._faults.planned else inf
        return min([asks, self._cools_at, *self._plug_in.values()])

    def step(self, now: float, table: Victim) -> None:
        """Let happen what is due."""
        for device in [device for device, at in self._plug_in.items() if now >= at]:
            del self._plug_in[device]
            table.plug_in(device)
        if now >= self._cools_at:
            self._cools_at = inf
            table.trip_intake(False)
        if not self._faults.planned:
            self._next = now + PERIOD
        while now >= self._next:
            self._next += PERIOD
            self._strike(now, table)

    def _strike(self, now: float, table: Victim) -> None:
        strikes = self._faults.strikes
        if strikes(Fault.LID_FORCED):
            table.open_lid(force=True)
        if strikes(Fault.INTAKE_TRIPS):
            self._cools_at = now + COOLS_AFTER
            table.trip_intake()
        for device in DEVICES:
            if strikes(Fault[f"CABLE_{device.upper()}"]):
                self._plug_in[device] = now + self._rng.uniform(SHORTEST, LONGEST)
                table.pull_cable(device)
            if strikes(Fault[f"REBOOT_{device.upper()}"]):
                table.reboot(device)
            if strikes(Fault[f"MEMORY_{device.upper()}"]):
                table.reboot(device, memory_lost=True)
