"""The rig of a table with a batch shuffler: the machine, the shoe docked to it, what lies open, what hands can do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from drivers.protocol.batch import Mode
from drivers.protocol.messages import Capability, DealerKey, Kind
from sim_hardware.batch_mechanics import BatchMechanism, Build
from sim_hardware.batch_shuffler import BatchFirmware
from sim_hardware.cards import BACKS, Card, make_set
from sim_hardware.dealing_shoe import DealingShoe
from sim_hardware.equipment import SHOE, SHUFFLER, Identity, default_identities
from sim_hardware.faults import Faults, Plan
from sim_hardware.firmware import Firmware
from sim_hardware.shoe import ShoeFirmware
from sim_hardware.signals import CardPassed
from sim_hardware.table import CannotDoError, Now

CAN = Capability.CAN_HOLD | Capability.CAN_LOCK_LID | Capability.COUNTS_CARDS | Capability.SHOWS_LAMP
CAN |= Capability.CAN_SHUT_INTAKE
READS = Capability.READS_FACES | Capability.READS_BACKS | Capability.CAN_SORT

SHELF_IDENTITY = Identity(Kind.BATCH_SHUFFLER, CAN | READS, "Sabot Shelves 10", "SB10-0001")
"""A shelf machine that reads faces and backs, and sorts."""


@dataclass(frozen=True)
class BatchFittings:
    """What a table with a batch shuffler is fitted with: its cards, its machine, and what goes wrong."""

    decks: int = 6
    backs: tuple[str, ...] = BACKS
    machine: type[BatchMechanism] = BatchMechanism
    build: Build | None = None
    """How it is built; None: as its make is."""
    identity: Identity = SHELF_IDENTITY
    faults: Plan = ()


class BatchTable:
    """A table as hands and wires find it; every card is always in exactly one place. Hands act as at ``PhysicalTable``.

    The shoe is docked: the machine lays the pack in. What comes out at its door lies on the table.
    """

    def __init__(self, rng: Random, now: Now, fittings: BatchFittings = BatchFittings()) -> None:
        self.now = now
        mechanics, machine, shoe, struck_by = (Random(rng.getrandbits(64)) for _ in range(4))
        self.faults = Faults(fittings.faults, struck_by)
        self.shoe = DealingShoe(now.mechanics)
        self.mechanism = fittings.machine(mechanics, now.mechanics, fittings.build, self.faults, self.shoe.take_pack)
        self.shuffler = BatchFirmware(fittings.identity, machine, now.link, self.mechanism)
        self._shoe = ShoeFirmware(default_identities()[SHOE], shoe, now.link, self.shoe)
        self.devices: dict[str, Firmware] = {SHUFFLER: self.shuffler, SHOE: self._shoe}
        self.box: list[Card] = make_set(fittings.decks, fittings.backs)
        self.on_table: list[Card] = []
        self.discard: list[Card] = []

    # ---- time and wires

    @property
    def deadline(self) -> Now:
        """When to step again at the latest, on each clock; mechanics may be inf."""
        links = [device.deadline for device in self.devices.values()]
        return Now(min(links), min(self.mechanism.deadline, self.shoe.deadline))

    def step(self, now: Now, received: Mapping[str, bytes]) -> dict[str, bytes]:
        """Run to ``now``; take bytes received by device name, return the bytes that devices send, by their names."""
        self.now = now
        for device in self.devices.values():
            if device.deadline <= now.link:
                device.tick(now.link)
        while (signal := self.mechanism.step(now.mechanics)) is not None:
            self.shuffler.sense(signal)
            self._settle()
        while isinstance(drawn := self.shoe.step(now.mechanics), CardPassed):
            self._shoe.sense(drawn)
            self._settle()
        return {name: device.step(now.link, received.get(name, b"")) for name, device in self.devices.items()}

    def reboot(self, device: str, memory_lost: bool = False) -> None:
        """Cut a device's power and give it back at once."""
        self.devices[device].boot(self.now.link, memory_lost)

    def _settle(self) -> None:
        for device in self.devices.values():
            device.control()

    # ---- cards that lie open

    def all_cards(self) -> Iterator[Card]:
        """Every card there is, wherever it is; for checks that none is made or lost, not for players."""
        for place in (self.box, self.on_table, self.discard):
            yield from place
        yield from self.mechanism.cards()
        yield from self.shoe.cards()

    def move(self, cards: Sequence[Card], to: list[Card]) -> None:
        """Move cards that lie open to another open place."""
        to.extend(self._pick_up(cards))

    def _pick_up(self, picked: Sequence[Card]) -> list[Card]:
        cards = list(picked)
        wanted = {id(card) for card in cards}
        places = (self.box, self.on_table, self.discard)
        if sum(id(card) in wanted for place in places for card in place) != len(cards):
            raise CannotDoError(f"not all of these {len(cards)} cards lie open: take them out first")
        for place in places:
            place[:] = [card for card in place if id(card) not in wanted]
        return cards

    def _lay_on_table(self, cards: list[Card]) -> list[Card]:
        self.on_table.extend(cards)
        self._settle()
        return cards

    # ---- what hands do at the machine

    def put_in_tray(self, cards: Sequence[Card]) -> None:
        """Lay cards that lie open in the machine's tray."""
        self.mechanism.lay_in_tray(self._pick_up(cards))
        self._settle()

    def take_from_tray(self) -> list[Card]:
        """Take what lies in the machine's tray; it then lies on the table, as it lay there."""
        taken = list(self.mechanism.tray)
        self.mechanism.tray.clear()
        self.mechanism.settle()
        return self._lay_on_table(taken)

    def take_from_door(self) -> list[Card]:
        """Take the pack that the machine let out; it then lies on the table."""
        taken = list(self.mechanism.door)
        self.mechanism.door.clear()
        return self._lay_on_table(taken)

    def press_start(self, mode: Mode = Mode.SHUFFLE) -> bool:
        """Choose a mode at the machine's panel and press start; False if no cycle begins."""
        return self.shuffler.press_start(mode)

    def press_stop(self) -> None:
        """Press the machine's stop button."""
        self.shuffler.press_stop()

    def open_lid(self, force: bool = False) -> bool:
        """Lift the lid; False if its lock holds it. ``force`` breaks it open."""
        moved = self.mechanism.move_lid(open_it=True, force=force)
        self._settle()
        return moved

    def close_lid(self) -> None:
        """Press the lid shut; it latches by itself."""
        self.mechanism.move_lid(open_it=False)
        self._settle()

    def take_stuck_card(self) -> Card:
        """Take out the card that sticks; it then lies on the table. Raises CannotDoError if none, or lid closed."""
        self._reach_inside()
        card = self.mechanism.take_stuck()
        if card is None:
            raise CannotDoError("no card sticks: there is nothing to clear")
        self._lay_on_table([card])
        return card

    def take_all(self) -> list[Card]:
        """Take every card out of the machine by hand, also what was left behind; it then lies on the table."""
        self._reach_inside()
        return self._lay_on_table(self.mechanism.take_all())

    def repair(self) -> None:
        """Free what keeps the carousel from moving. Raises CannotDoError if a hand can free nothing, or lid closed."""
        self._reach_inside()
        if not self.mechanism.repair():
            raise CannotDoError("nothing here that a hand could free: it is the maker's to repair")
        self._settle()

    def _reach_inside(self) -> None:
        if not self.mechanism.lid_open:
            raise CannotDoError("the lid is closed: nothing inside is to be seen or touched; open it first")

    # ---- what hands do at the shoe

    def put_in_shoe(self, cards: Sequence[Card]) -> None:
        """Lay cards that lie open in the shoe, as they are. Raises CannotDoError if they do not fit."""
        picked = self._pick_up(cards)
        if not self.shoe.take_pack(picked):
            self.on_table.extend(picked)
            raise CannotDoError("the shoe has no room for so many; the cards lie on the table")
        self._settle()

    def pull_card(self) -> Card | None:
        """Pull at the shoe's mouth. None: no card came. A card that came lies on the table."""
        pulled = self.shoe.pull()
        if pulled is None:
            return None
        card, signal = pulled
        self.on_table.append(card)
        self._shoe.sense(signal)
        self._settle()
        return card

    def press_dealer_key(self, key: DealerKey) -> None:
        """Press one of the dealer's keys on the shoe."""
        self._shoe.press(key, self.now.mechanics)
