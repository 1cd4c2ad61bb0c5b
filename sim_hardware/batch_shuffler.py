"""Firmware of a batch shuffler: its cycles, what it counts and reads in them, the pack's way out, its faults.

Of a cycle it keeps how many of each face and back it saw, never in which order, and tells them once, when it is done.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from drivers.cards import DECK_SIZE, Face
from drivers.protocol.batch import (
    Back,
    Backs,
    CycleBegan,
    CycleEnded,
    Faces,
    FaultChanged,
    MachineFault,
    Mode,
    Outcome,
    OutputChanged,
    PackOut,
    PassDone,
)
from drivers.protocol.messages import (
    Capability,
    Command,
    CommandResult,
    Inventory,
    Level,
    Operation,
    Purpose,
)
from sim_hardware.batch_faults import BatchFault
from sim_hardware.batch_mechanics import BatchMechanism, Way
from sim_hardware.machine_firmware import MachineFirmware
from sim_hardware.signals import Counted, Imaged, PackLeft, PassOver, Signal

MODES = {Operation.SHUFFLE: Mode.SHUFFLE, Operation.SORT: Mode.SORT, Operation.INSPECT: Mode.INSPECT}
"""What each command makes of a pack."""

WAYS = {Purpose.DEAL: Way.SHOE, Purpose.UNLOAD: Way.DOOR}
"""Where a pack may leave to under each release; under another purpose it may not."""

AT_THE_MACHINE = 0
"""The id of a cycle that no command began."""


@dataclass
class Run:
    """What the machine knows of the cycle under way."""

    id: int
    mode: Mode
    passes: int = 0
    """Those made to their end."""
    cards: int = 0
    """What the last of these counted."""
    counted: int = 0
    """What the pass under way has counted so far."""
    faces: Counter[Face] = field(default_factory=Counter, repr=False)
    backs: Counter[Back] = field(default_factory=Counter, repr=False)

    def see(self, image: Imaged) -> None:
        """Count a card that went past the count sensor, and what was seen of it."""
        self.counted += 1
        self.faces[image.face] += 1
        self.backs[image.back] += 1

    def end_pass(self) -> None:
        """Every card of the pack went past."""
        self.passes += 1
        self.cards = self.counted

    def begin_pass(self) -> None:
        """The next pass counts and reads for itself."""
        self.counted = 0
        self.faces.clear()
        self.backs.clear()

    def ended(self, outcome: Outcome) -> CycleEnded:
        """What is told of its end."""
        return CycleEnded(self.id, self.mode, outcome, self.passes, self.cards)


class BatchFirmware(MachineFirmware[BatchMechanism]):
    """Counts each pass by itself; reads faces and backs as far as it has readers."""

    def on_boot(self, memory_lost: bool) -> None:
        """Forget the cycle under way: it gets no end, and no pack of it is a counted one."""
        self._mechanism.power_up()
        self._run: Run | None = None
        self._pack_cards = 0
        self._output_refused = False
        super().on_boot(memory_lost)
        if memory_lost:
            self._told_faults: frozenset[MachineFault] = frozenset()
        self.control()

    # ---- what hands do at its panel

    def press_start(self, mode: Mode = Mode.SHUFFLE) -> bool:
        """Begin a cycle at the machine itself; False if it does not begin."""
        began = self._begin(AT_THE_MACHINE, mode, self._mechanism.build.passes)
        self.control()
        return began

    def press_stop(self) -> None:
        """Break off whatever cycle is under way."""
        self.control(stop_pressed=True)

    # ---- commands

    def carry_out(self, command: Command) -> bool:
        """Begin a cycle or a count by place; not with the lid open, a card stuck, or a fault."""
        self.control()  # a level that came in the same bytes is in force
        if command.operation is Operation.INVENTORY:
            if not self._is_idle():
                return False
            self._mechanism.start_count()
            return True
        most = self._mechanism.build.passes
        return command.argument <= most and self._begin(command.id, MODES[command.operation], command.argument or most)

    def _begin(self, asked_by: int, mode: Mode, passes: int) -> bool:
        machine = self._mechanism
        self._output_refused = bool(machine.output)
        may = (
            self._is_idle()
            and machine.motors_on
            and bool(machine.intake_tray)
            and not machine.output
            and not machine.inside
        )
        if not may or (mode is Mode.SORT and not self.can(Capability.CAN_SORT)):
            return False
        if mode is Mode.SHUFFLE and self.can(Capability.CAN_SORT) and machine.faults.strikes(BatchFault.WRONG_MODE):
            mode = Mode.SORT
        cycle = machine.start_cycle(mode, passes)
        self._run = Run(asked_by, mode)
        self.tell(CycleBegan(asked_by, mode, cycle.passes))
        return True

    def _is_idle(self) -> bool:
        machine = self._mechanism
        free = machine.cycle is None and not machine.counting and not machine.lid_open
        return free and machine.jam_place is None and machine.fault is None

    # ---- what is sensed

    def sense(self, signal: Signal) -> None:
        """A card, a pass, a count or a pack is done. Path sensors and faults are read by ``control``."""
        if isinstance(signal, Imaged) and self._run is not None:
            self._run.see(signal)
        elif isinstance(signal, PassOver) and self._run is not None:
            self._end_pass(self._run, signal.last)
        elif isinstance(signal, PackLeft):
            self.tell(PackOut(self.released_for or 0, self._pack_cards))
        elif isinstance(signal, Counted) and self.busy_with is not None:
            finished, self.busy_with = self.busy_with, None
            self.tell(Inventory(finished, signal.buffer, signal.compartments))

    def _end_pass(self, run: Run, last: bool) -> None:
        run.end_pass()
        self.tell(PassDone(run.id, run.passes, run.cards))
        if not last:
            run.begin_pass()
            return
        if self.can(Capability.READS_FACES):
            self.tell(Faces(run.id, tuple(run.faces[Face(number)] for number in range(DECK_SIZE + 1))))
        if self.can(Capability.READS_BACKS):
            self.tell(Backs(run.id, tuple(run.backs[back] for back in Back)))
        self._pack_cards = run.cards
        self._run = self.busy_with = None
        self.tell(run.ended(Outcome.DONE))

    # ---- actuators, and what stands

    def control(self, stop_pressed: bool = False) -> None:
        """Set motors, way out, lock and lamp; end what cannot go on; tell what differs from what was told."""
        machine = self._mechanism
        stands = machine.jam_place is not None or machine.fault is not None
        intake_open = self.values[Level.INTAKE] == 1 or not self.can(Capability.CAN_SHUT_INTAKE)
        machine.motors_on = intake_open and not stands
        machine.way = self._way() if not stands else None
        self._set_lock_and_lamp(stands)
        machine.settle()
        if machine.lid_open:
            self._break_off(Outcome.LID_OPENED)
        elif stands or (machine.overfull and self._run is not None):
            self._break_off(Outcome.FAILED)
        elif stop_pressed or not intake_open:
            self._break_off(Outcome.STOPPED)
        else:
            self._tell_conditions()
        self._tell_places()

    def _way(self) -> Way | None:
        may = self.store.card_place_free and self.busy_with is None
        return WAYS.get(self.released_for) if may and self.released_for is not None else None

    def _break_off(self, outcome: Outcome) -> None:
        """End a cycle, and a count that the outcome hinders; what hinders them is told before their ends."""
        run, self._run = self._run, None
        if run is not None:
            self._mechanism.stop()
        self._tell_conditions()
        if run is not None:
            self.busy_with = None
            self.tell(run.ended(outcome))
        elif self.busy_with is not None and outcome is not Outcome.STOPPED:
            self._mechanism.stop()
            finished, self.busy_with = self.busy_with, None
            self.tell(CommandResult(finished, done=False))

    def _tell_conditions(self) -> None:
        self._tell_jam()
        present, told_faults = self._faults(), self._told_faults
        self._told_faults = present
        for fault in sorted(present ^ told_faults):
            self.tell(FaultChanged(fault, fault in present))

    def _faults(self) -> frozenset[MachineFault]:
        machine = self._mechanism
        self._output_refused &= bool(machine.output)
        standing = {
            MachineFault.TOO_MANY_CARDS: machine.overfull and bool(machine.intake_tray),
            MachineFault.OUTPUT_NOT_TAKEN: self._output_refused,
            MachineFault.CARDS_INSIDE: machine.inside > 0 and self._run is None,
        }
        own = {machine.fault} if machine.fault is not None else set()
        return frozenset(own | {fault for fault, present in standing.items() if present})

    def _tell_places(self) -> None:
        machine = self._mechanism
        if not machine.output:
            self._pack_cards = 0
        empty = not machine.inside and not machine.output and machine.jam_place is None
        self._tell_changes(OutputChanged(occupied=bool(machine.output)), empty)
