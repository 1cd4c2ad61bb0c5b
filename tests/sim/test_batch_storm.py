"""Batch shufflers under hands, faults and orders that come as they may: what must always hold of what they tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random

import pytest

from drivers.protocol import messages as m
from drivers.protocol.batch import (
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
from sim_hardware.batch_faults import BatchFault
from sim_hardware.batch_table import BatchFittings
from sim_hardware.faults import Fault, Plan, Planned
from sim_hardware.table import CannotDoError
from tests.sim.batch import OPERATIONS, SHELVES, SLOTS, BatchRig
from tests.sim.host import DEAL, UNLOAD, VERIFY

FAULTS = (*BatchFault, Fault.JAM_INTAKE, Fault.JAM_CAROUSEL, Fault.JAM_EXIT, Fault.JAM_CLEARS_ITSELF, Fault.DOUBLE_IN)
SELDOM = (BatchFault.MEMORY, BatchFault.CARDS_LEFT, Fault.JAM_EXIT, Fault.JAM_CLEARS_ITSELF)
"""Those that few deeds give an opportunity to."""
PLAN: Plan = (Planned(FAULTS, 1, 3, times=3), Planned(FAULTS, 1, 80, times=3), Planned(SELDOM, 1, 1, times=2))
DEEDS = 40
SEEDS = range(15)
MAKES = {"shelves": SHELVES, "slots": SLOTS}


class Storm:
    """One rig, and a random course of deeds at it."""

    def __init__(self, fittings: BatchFittings, seed: int) -> None:
        self.rng = Random(seed)
        self.rig = BatchRig(replace(fittings, decks=2, faults=PLAN), seed)
        rig, table, rng = self.rig, self.rig.table, self.rng
        self.deeds: list[Callable[[], object]] = [
            lambda: table.put_in_intake_tray(rng.sample(table.box, min(len(table.box), rng.randint(1, 60)))),
            lambda: table.put_in_intake_tray(list(table.on_table)),
            table.take_from_intake_tray,
            table.take_from_door,
            lambda: table.press_start(rng.choice(list(Mode))),
            table.press_stop,
            lambda: rig.begin(OPERATIONS[rng.choice(list(Mode))], rng.randint(0, 2)),
            lambda: rig.begin(m.Operation.INVENTORY),
            lambda: rig.level("shuffler", m.Level.INTAKE, rng.randint(0, 1)),
            lambda: rig.level("shuffler", m.Level.INTAKE, 1),
            lambda: rig.level("shuffler", m.Level.LID, rng.randint(0, 1)),
            lambda: table.open_lid(force=rng.random() < 0.5),
            table.close_lid,
            table.close_lid,
            table.take_stuck_card,
            table.take_from_machine,
            table.repair,
            lambda: rig.release("shuffler", rng.choice((DEAL, UNLOAD, VERIFY))),
            lambda: rig.hold("shuffler"),
            self.reboot,
            self.set_right,
            self.set_right,
            self.shuffle,
            self.shuffle,
            self.shuffle,
            self.deliver,
            self.deliver,
            self.break_off,
        ]

    def reboot(self) -> None:
        self.rig.table.reboot("shuffler", memory_lost=False)
        self.rig.run(1)
        self.rig.open("shuffler")
        self.rig.begin_events("shuffler")

    def set_right(self) -> None:
        """Do all that hands and host can to have the machine stand empty and ready."""
        rig, table = self.rig, self.rig.table
        table.open_lid(force=True)
        if table.mechanism.jam is not None:
            table.take_stuck_card()
        table.take_from_machine()
        if table.mechanism.repair():
            rig.run()
        table.close_lid()
        table.take_from_intake_tray()
        self.reboot()
        rig.level("shuffler", m.Level.INTAKE, 1)

    def shuffle(self) -> None:
        """Lay cards in and have them shuffled, as far as the machine can."""
        lying = [*self.rig.table.box, *self.rig.table.on_table]
        self.rig.table.put_in_intake_tray(lying[:52])
        self.rig.begin(m.Operation.SHUFFLE)
        if self.rng.random() < 0.7:
            self.rig.run(40)

    def break_off(self) -> None:
        """Begin a cycle and break it off, one way or another."""
        rig, table = self.rig, self.rig.table
        table.put_in_intake_tray([*table.box, *table.on_table][:52])
        rig.begin(m.Operation.SHUFFLE)
        rig.run(self.rng.choice((0.05, 0.1)))
        self.rng.choice((table.press_stop, lambda: table.open_lid(force=True)))()

    def deliver(self) -> None:
        """Shuffle, let out what then lies in the output, and take it."""
        self.set_right()
        self.shuffle()
        self.rig.run(40)
        self.rig.release("shuffler", UNLOAD)
        self.rig.run(10)
        self.rig.table.take_from_door()

    def play(self) -> None:
        cards = sorted(map(id, self.rig.table.all_cards()))
        for _ in range(DEEDS):
            try:
                self.rng.choice(self.deeds)()
            except CannotDoError:
                continue  # hands tried what cannot be done: nothing has moved
            self.rig.run(self.rng.choice((0.0, 0.05, 0.3, 2.0, 30.0)))
            assert sorted(map(id, self.rig.table.all_cards())) == cards

    def standing(self, kind: type[m.Body]) -> m.Body | None:
        """What was last told of this kind."""
        told = self.rig.told(kind)
        return told[-1] if told else None


@cache
def played(make: str, seed: int) -> Storm:
    """One storm, played to its end."""
    storm = Storm(MAKES[make], seed)
    storm.play()
    return storm


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_a_machine_tells_is_true_and_whole_whatever_is_done_at_it(make: str, seed: int) -> None:
    storm = played(make, seed)
    rig, machine = storm.rig, storm.rig.table.mechanism
    rig.run(1)
    assert not rig.bodies("shuffler", m.EventsLost)
    # what stands was told last, and nothing else
    assert storm.standing(OutputChanged) in (OutputChanged(bool(machine.output)), None)
    assert storm.standing(m.TrayChanged) in (m.TrayChanged(bool(machine.intake_tray)), None)
    assert storm.standing(m.LidMoved) in (m.LidMoved(machine.lid_open), None)
    present = {body.fault for body in rig.bodies("shuffler", FaultChanged) if body.present}
    now = {fault for fault in present if last_of(rig, fault).present}
    assert (MachineFault.CARDS_INSIDE in now) == (machine.inside > 0 and machine.cycle is None)
    own = {fault for fault in now if fault >= MachineFault.HOMING}
    assert own == ({machine.fault} if machine.fault is not None else set())
    # every cycle has one end, and only a done one says what it read
    open_cycle: CycleBegan | None = None
    for body in rig.told():
        if isinstance(body, CycleBegan):
            open_cycle = body
        elif isinstance(body, PassDone | Faces | Backs):
            assert open_cycle is not None
            assert body.id == open_cycle.id
        elif isinstance(body, CycleEnded):
            assert open_cycle is not None
            assert (body.id, body.mode) == (open_cycle.id, open_cycle.mode)
            assert (body.outcome is Outcome.DONE) == (body.passes == open_cycle.passes)
            open_cycle = None
        elif isinstance(body, PackOut):
            assert body.purpose in (DEAL, UNLOAD)


def last_of(rig: BatchRig, fault: MachineFault) -> FaultChanged:
    return [body for body in rig.bodies("shuffler", FaultChanged) if body.fault is fault][-1]


def test_the_storms_reach_every_event_every_outcome_and_every_fault() -> None:
    storms = [played(make, seed) for make in MAKES for seed in SEEDS]
    told = {type(body) for storm in storms for body in storm.rig.told()}
    outcomes = {body.outcome for storm in storms for body in storm.rig.bodies("shuffler", CycleEnded)}
    struck = {fault for storm in storms for fault in storm.rig.table.faults.struck}
    assert outcomes == set(Outcome)
    assert told >= {CycleBegan, PassDone, Faces, Backs, PackOut, FaultChanged, m.Inventory, m.FeedEmpty, m.JamChanged}
    assert struck == set(FAULTS)
