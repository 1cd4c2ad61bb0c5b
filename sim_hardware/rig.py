"""What every rig has: a machine, a shoe, a keypad, a lamp, the cards that lie open, and what hands can do at them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from random import Random
from typing import Generic, Protocol, TypeVar

from drivers.protocol.messages import Capability, JamPlace, Lamp
from sim_hardware.cards import BACKS, Card, make_set
from sim_hardware.dealing_shoe import ShoeParts
from sim_hardware.equipment import ALIKE, KEYPAD, LAMP, SHOE, SHUFFLER, Equipment, Identity, Machine
from sim_hardware.faults import DEVICES, JAM_AT, QUIET, Fault, Faults, Noise, Plan
from sim_hardware.fingers import Fingers, Now
from sim_hardware.firmware import Firmware
from sim_hardware.keypad import KeypadFirmware
from sim_hardware.lamp import LampFirmware
from sim_hardware.line_shoe import LineShoe
from sim_hardware.machine import Inside, MachineMechanism
from sim_hardware.mishaps import Mishaps, slip, slip_in, tamper
from sim_hardware.open_cards import CannotDoError
from sim_hardware.registry import default_identities
from sim_hardware.shoe import ShoeFirmware
from sim_hardware.signals import CardPassed, Signal, Spot
from sim_hardware.stack_light import StackLight
from sim_hardware.usb_keypad import UsbKeypad
from sim_hardware.wire import Line, Wire


class ShoeMechanism(ShoeParts, Protocol):
    """The mechanism that hands and reader find at the shoe."""

    mouth: deque[Card]
    shoe_output: list[Card]
    deadline: float

    def step(self, now: float) -> Signal | None:
        """Run to ``now``, or only to the first signal before it."""
        ...

    def cards(self) -> Iterator[Card]:
        """Every card in it."""
        ...

    def pull(self) -> tuple[list[Card], Signal] | None:
        """Pull what lies at the mouth through gate and reader."""
        ...

    def lay_in_shoe_tray(self, cards: Sequence[Card]) -> bool:
        """Lay cards in the shoe's own tray; False, and none is laid, if they do not all fit."""
        ...

    def take_from(self, place: deque[Card] | list[Card]) -> list[Card]:
        """Take every card out of a tray or off a stack."""
        ...


@dataclass(frozen=True)
class Fitted(ABC):
    """What every table is fitted with: its set of cards, its devices' identities, and what goes wrong."""

    decks: int = 4
    backs: tuple[str, ...] = BACKS
    identities: Mapping[str, Identity] = field(default_factory=default_identities)
    faults: Plan = ()
    """What shall go wrong in each session; ``faults.PLANS`` has some by name."""
    shoe: type[ShoeFirmware | LineShoe] = ShoeFirmware
    keypad: type[KeypadFirmware | UsbKeypad] = KeypadFirmware
    lamp: type[LampFirmware | StackLight] = LampFirmware
    """Of which make they are."""
    noise: Noise = QUIET
    """What shall go wrong on the lines; ``faults.NOISE`` has it by the name of the plan."""

    @abstractmethod
    def set_up(self, rng: Random, now: Now, ids: Random | None = None) -> Table[MachineMechanism]:
        """Return the table that is fitted so."""


M_co = TypeVar("M_co", bound=MachineMechanism, covariant=True)


class Table(Fingers, Generic[M_co]):
    """A table as hands and wires find it; every card is always in exactly one place.

    Hands act at the time of the last ``step``: step to the present first. What a device says on it leaves
    with the next ``step``. A subclass fits the machine and the shoe. ``ids`` draws the numbers of boots, memories and
    links, where these are not to follow from ``rng``.
    """

    def __init__(self, rng: Random, now: Now, fittings: Fitted, ids: Random | None = None) -> None:
        # Random sources of their own: how often a link was opened must not change how the cards fall.
        mechanics, *seeded = (Random(rng.getrandbits(64)) for _ in range(5))
        shuffler, shoe, keypad, lamp = seeded if ids is None else [ids] * 4
        struck_by, self._clumsy = (Random(rng.getrandbits(64)) for _ in range(2))
        super().__init__(now, make_set(fittings.decks, fittings.backs), Faults(fittings.faults, struck_by))
        mishaps, *lines = (Random(rng.getrandbits(64)) for _ in range(1 + 2 * len(DEVICES)))
        self._mishaps = Mishaps(self.faults, mishaps, now.mechanics)
        self.mechanism, self.shoe_mechanism = self._mechanisms(mechanics)
        both: tuple[MachineMechanism | ShoeMechanism, ...] = (self.mechanism, self.shoe_mechanism)
        self._parts = tuple({id(part): part for part in both}.values())  # they may be one
        self._shuffler = self._machine(fittings.identities, shuffler)
        self._shoe = fittings.shoe(fittings.identities[SHOE], shoe, now.link, self.shoe_mechanism)
        self._keypad = fittings.keypad(fittings.identities[KEYPAD], keypad, now.link)
        self._lamp = fittings.lamp(fittings.identities[LAMP], lamp, now.link)
        machine: dict[str, Equipment] = {} if self._shuffler is None else {SHUFFLER: self._shuffler}
        self.equipment = machine | {SHOE: self._shoe, KEYPAD: self._keypad, LAMP: self._lamp}
        self.devices = {name: one for name, one in self.equipment.items() if isinstance(one, Firmware)}
        """Those that speak sabot/1: at most tables all."""
        wires = (Wire(line, fittings.noise, self.faults.struck) for line in lines)
        by_name = {name: Line(next(wires), next(wires)) for name in DEVICES}
        self._lines = {name: by_name[name] for name in self.equipment}

    @abstractmethod
    def _mechanisms(self, rng: Random) -> tuple[M_co, ShoeMechanism]:
        """Return the machine's mechanism, and what the shoe's is; they may be one."""

    @abstractmethod
    def _machine(self, identities: Mapping[str, Identity], rng: Random) -> Machine | None:
        """Return the machine itself; None at a table that has none."""

    @abstractmethod
    def inside(self) -> int:
        """Return how many cards are in the machine or in the shoe; one stuck at the intake, or in a tray, is not."""

    def hidden_cards(self) -> Iterator[Card]:
        """Every card in machine and shoe, in no order that means anything to anyone."""
        for part in self._parts:
            yield from part.cards()

    # ---- time and wires

    @property
    def deadline(self) -> Now:
        """When to step again at the latest, on each clock; mechanics may be inf."""
        press = self._presses[0].at if self._presses else inf
        parts = min([press, self._mishaps.deadline, *(part.deadline for part in self._parts)])
        if any(line.is_late for line in self._lines.values()):
            return Now(self.now.link, parts)
        return Now(min([device.deadline for device in self.equipment.values()]), parts)

    def step(self, now: Now, received: Mapping[str, bytes]) -> dict[str, bytes]:
        """Run to ``now``; take bytes received by device name, return the bytes that devices send, by their names."""
        self.now = now
        # Leases lapse before parts move: who steps too late gets fewer cards, never one too many.
        for device in self.equipment.values():
            if device.deadline <= now.link:
                device.tick(now.link)
        self._press_what_is_due()
        for part in self._parts:
            while (signal := part.step(now.mechanics)) is not None:
                self._hear(signal)
        self._mishaps.step(now.mechanics, self)
        return {
            name: line.exchange(now.link, self.equipment[name], received.get(name, b""))
            for name, line in self._lines.items()
            if name in received or line.is_late or self.equipment[name].has_to_send
        }

    def calm(self) -> None:
        """Let nothing go wrong any more. What is already wrong stays so; cables come back in their time."""
        self.faults.stop()
        for line in self._lines.values():
            line.quieten()

    @property
    def cables_out(self) -> frozenset[str]:
        """Devices whose cable is out: whoever carries the bytes sees the port vanish, and come back."""
        return frozenset(name for name, line in self._lines.items() if not line.plugged)

    def pull_cable(self, device: str) -> None:
        """Pull a device's cable out: what was under way is lost."""
        self._lines[device].pull()
        self.stirs += 1

    def plug_in(self, device: str) -> None:
        """Plug a device's cable in again."""
        if not self._lines[device].plugged:
            self._lines[device].plugged = True
            self.stirs += 1
            self.plugged_in(device)

    def reboot(self, device: str, memory_lost: bool = False) -> None:
        """Cut a device's power and give it back at once. A card that sticks goes on sticking."""
        self.equipment[device].boot(self.now.link, memory_lost)
        self.stirs += 1

    def replace_device(self, device: str, serial: str = "", firmware: str = "", parts: Capability = ALIKE) -> None:
        """Put another device of the same make in a device's place; without ``serial``, the same one, altered."""
        one = self.equipment[device]
        one.identity = one.identity.altered(serial, firmware, parts)
        self.reboot(device, memory_lost=bool(serial))

    def lend_machine(self, commands: int) -> None:
        """Let the machine, kept under power, work at another table, which orders commands up to this number."""
        assert self._shuffler is not None  # a table without a machine lends none
        self.pull_cable(SHUFFLER)
        self._shuffler.served_elsewhere(commands)

    def plugged_in(self, device: str) -> None:
        """Say that a device's line was plugged in anew."""
        self.equipment[device].plugged_in()

    def _hear(self, signal: Signal) -> None:
        if isinstance(signal, CardPassed) and signal.spot is Spot.READER:
            self._shoe.sense(signal)
        elif self._shuffler is not None:
            self._shuffler.sense(signal)
        self._settle()

    def _settle(self) -> None:
        self.stirs += 1
        for device in self.equipment.values():
            device.control()

    # ---- what hands do at the shuffler

    def take_from_mouth(self) -> list[Card]:
        """Take what lies in the shoe by hand, past its reader; it then lies on the table."""
        return []

    def take_from_door(self) -> list[Card]:
        """Take the pack that a machine let out at its door, where it has one; it then lies on the table."""
        return []

    def put_in_intake_tray(self, cards: Sequence[Card]) -> None:
        """Lay cards that lie open in the machine's intake tray. Raises CannotDoError if they do not fit."""
        from_discard = any(card is lying for card in cards for lying in self.discard)
        from_box = any(card is lying for card in cards for lying in self.box)
        picked = self._pick_up(cards)
        if from_discard:
            slip(picked, self.faults, self._clumsy, (self._well, self.set_aside, self.on_table))
        if from_box:
            self.gone += tamper(picked, self.faults, self._clumsy)
        if not self.mechanism.lay_in_intake_tray(picked):
            self.on_table.extend(picked)
            raise CannotDoError("the intake tray has no room for so many; the cards lie on the table")
        self._settle()

    def take_from_intake_tray(self) -> list[Card]:
        """Take what is left in the intake tray; it then lies on the table."""
        return self._lay_on_table(self.mechanism.take_from(self.mechanism.intake_tray))

    def open_lid(self, force: bool = False) -> bool:
        """Lift the lid; False if its lock holds it. ``force`` breaks it open."""
        moved = self.mechanism.move_lid(open_it=True, force=force)
        self._settle()
        if moved:
            slip_in(self.discard or self.on_table, self.faults, self.mechanism)
            self._settle()
        return moved

    def close_lid(self) -> None:
        """Press the lid shut; it latches by itself."""
        self.mechanism.move_lid(open_it=False)
        self._settle()

    def blink_lid(self) -> None:
        """Break the lid open and press it shut in one movement, too quick for anyone who only looks now and then."""
        self.open_lid(force=True)
        self.close_lid()

    @property
    def lid_open(self) -> bool:
        """Whether the lid stands open."""
        return self.mechanism.lid_open

    def look_inside(self) -> Inside:
        """Look under the lid. Raises CannotDoError while it is closed."""
        self._reach_inside()
        return self.mechanism.look_inside()

    def take_stuck_card(self) -> Card:
        """Take out the card that sticks; it then lies on the table. Raises CannotDoError if none, or lid closed."""
        self._reach_inside()
        card = self.mechanism.take_stuck()
        if card is None:
            raise CannotDoError("no card sticks: there is nothing to clear")
        self._lay_on_table([card])
        return card

    def put_inside(self, cards: Sequence[Card]) -> None:
        """Lay cards that lie open into compartments by hand, past every sensor. Raises CannotDoError."""
        self._reach_inside()
        picked = self._pick_up(cards)
        if not self.mechanism.lay_inside(picked):
            self.on_table.extend(picked)
            raise CannotDoError("a card sticks, or there is no room for so many; the cards lie on the table")
        self._settle()

    def take_from_machine(self, count: int | None = None) -> list[Card]:
        """Take so many cards (None: all) out of buffer and compartments by hand; they then lie on the table.

        Raises CannotDoError if the lid is closed or there are not so many. A stuck card is taken on its own.
        """
        self._reach_inside()
        inside = self.mechanism.look_inside()
        lying = inside.buffer + sum(inside.compartments)
        if count is not None and count > lying:
            raise CannotDoError(f"{count} cards: in buffer and compartments are only {lying}")
        return self._lay_on_table(self.mechanism.take_out(lying if count is None else count))

    def _reach_inside(self) -> None:
        if not self.lid_open:
            raise CannotDoError("the lid is closed: nothing inside is to be seen or touched; open it first")

    # ---- what goes wrong at the shuffler

    def jam(self, place: JamPlace, damages: bool = False) -> None:
        """Let the next card on this path stick there, and perhaps be damaged by it."""
        self.faults.arm(JAM_AT[place])
        if damages:
            self.faults.arm(Fault.JAM_DAMAGES)

    def clear_by_itself(self) -> None:
        """Let the stuck card come free, back to where it came from. Raises CannotDoError if none sticks."""
        if not self.mechanism.free_stuck():
            raise CannotDoError("no card sticks: there is nothing to come free")
        self._settle()

    def trip_intake(self, tripped: bool = True) -> None:
        """Open (or close) the thermal cut-out of the intake motor: the machine takes no cards for now."""
        self.mechanism.intake_tripped = tripped
        self._settle()

    # ---- what hands do at the shoe

    def pull_card(self) -> Card | None:
        """Pull at the shoe's mouth. None: no card came. A card that came lies on the table."""
        if self.faults.strikes(Fault.LID_BLINK):
            self.blink_lid()
        if self.faults.strikes(Fault.POWER_CYCLE):
            self.reboot(SHUFFLER)
        pulled = self.shoe_mechanism.pull()
        if pulled is None:
            return None
        cards, signal = pulled
        self.on_table += cards
        self._hear(signal)
        return cards[0]

    def put_in_shoe_tray(self, cards: Sequence[Card]) -> None:
        """Lay cards that lie open in the shoe's own tray. Raises CannotDoError above 52."""
        picked = self._pick_up(cards)
        if not self.shoe_mechanism.lay_in_shoe_tray(picked):
            self.on_table.extend(picked)
            lies = f"{len(self.shoe_mechanism.shoe_tray)} lie in it"
            raise CannotDoError(f"the shoe's tray holds 52 cards and {lies}; those you hold lie on the table again")
        self._settle()

    def take_shoe_output(self) -> list[Card]:
        """Take the stack of cards that the shoe has drawn from its tray; it then lies on the table."""
        return self._lay_on_table(self.shoe_mechanism.take_from(self.shoe_mechanism.shoe_output))

    def take_from_shoe_tray(self) -> list[Card]:
        """Take what is left in the shoe's tray; it then lies on the table."""
        return self._lay_on_table(self.shoe_mechanism.take_from(self.shoe_mechanism.shoe_tray))

    def press_test_key(self) -> None:
        """Press the test key of a shoe that says nothing by itself. Raises CannotDoError where the shoe has none."""
        if not isinstance(self._shoe, LineShoe):
            raise CannotDoError("this shoe has no test key: it says by itself that it is there")
        self._shoe.press_test_key()
        self.stirs += 1

    # ---- lamps

    @property
    def lamp_shown(self) -> Lamp:
        """What the lamp on its pole does."""
        return self._lamp.shown

    @property
    def machine_lamp_shown(self) -> Lamp:
        """What the shuffler's own lamp does."""
        return self.mechanism.lamp
