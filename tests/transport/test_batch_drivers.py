"""The drivers of batch shufflers against the simulated machines: orders in, notices out, bytes between."""

from __future__ import annotations

from random import Random

import pytest

from drivers.device import Driver
from drivers.protocol import messages as m
from drivers.protocol.batch import CycleBegan, CycleEnded, Mode, Outcome, OutputChanged, PackOut, PassDone
from drivers.protocol.notices import (
    AckEvents,
    Carry,
    EventTold,
    HeartbeatHeard,
    LinkLost,
    LinkOpened,
    LinkRefused,
    Notice,
    Order,
    Release,
    RemoteErrors,
    Want,
)
from drivers.registry import DRIVERS
from sim_hardware.batch_table import BatchFittings, BatchTable
from sim_hardware.table import Now
from tests.sim.batch import SHELVES, SLOTS, with_decks

DEVICE = "shuffler"
TICK = 0.1


class Bench:
    """One driver's core at one simulated machine; every event is acked as if journalled at once."""

    def __init__(self, driver: Driver, fittings: BatchFittings) -> None:
        self.table = BatchTable(Random(1), Now(0.0, 0.0), fittings)
        rng = Random(2)
        self.core = driver.core(nonces=lambda: rng.getrandbits(64))
        self.now = 0.0
        self.told: list[Notice] = []
        self.released: m.Purpose | None = None
        self._to_send = self.core.connected(0.0).to_send

    def run(self, seconds: float, *orders: Order) -> None:
        waiting = list(orders)
        for _ in range(round(seconds / TICK)):
            self.now += TICK
            received = self.table.step(Now(self.now, self.now), {DEVICE: self._to_send})[DEVICE]
            step = self.core.step(self.now, received, waiting)
            self.told += step.notices
            waiting = [answer for notice in step.notices for answer in self._answers(notice)]
            self._to_send = step.to_send

    def _answers(self, notice: Notice) -> list[Order]:
        if isinstance(notice, EventTold):
            return [AckEvents(notice.number, self.hello.memory)]
        if isinstance(notice, HeartbeatHeard) and self.released is not None:
            return [Release(self.released, notice.link, notice.number)]
        return []

    @property
    def hello(self) -> m.Hello:
        return next(notice.hello for notice in reversed(self.told) if isinstance(notice, LinkOpened))

    @property
    def events(self) -> list[m.EventBody]:
        return [notice.body for notice in self.told if isinstance(notice, EventTold)]

    def order(self, number: int, operation: m.Operation, argument: int = 0) -> Carry:
        return Carry(number, self.hello.boot, operation, argument)

    def faults(self) -> list[Notice]:
        return [notice for notice in self.told if isinstance(notice, RemoteErrors | LinkRefused | LinkLost)]


MAKES = [("batch_shuffler", with_decks(6), 312, 2), ("slot_shuffler", SLOTS, 52, 1)]


@pytest.mark.parametrize(("name", "fittings", "cards", "passes"), MAKES, ids=[name for name, *_ in MAKES])
def test_a_pack_goes_in_is_shuffled_and_handed_over(
    name: str, fittings: BatchFittings, cards: int, passes: int
) -> None:
    bench = Bench(DRIVERS[name], fittings)
    bench.run(2, Want(m.Level.INTAKE, 1))
    bench.table.put_in_intake_tray(bench.table.box)
    bench.run(60, bench.order(9, m.Operation.SHUFFLE))
    bench.released = m.Purpose.DEAL
    bench.run(10)
    told = [body for body in bench.events if isinstance(body, CycleBegan | PassDone | CycleEnded | PackOut)]
    assert told == [
        CycleBegan(9, Mode.SHUFFLE, passes),
        *(PassDone(9, number, cards) for number in range(1, passes + 1)),
        CycleEnded(9, Mode.SHUFFLE, Outcome.DONE, passes, cards),
        PackOut(m.Purpose.DEAL, cards),
    ]
    assert bench.events[-1] == OutputChanged(occupied=False)
    assert bench.hello.kind is m.Kind.BATCH_SHUFFLER
    assert bench.hello.simulated
    assert len(bench.table.shoe.mouth) == cards
    assert not bench.faults()


@pytest.mark.rule(14)
def test_the_number_of_passes_reaches_the_machine_with_the_order() -> None:
    bench = Bench(DRIVERS["batch_shuffler"], SHELVES)
    bench.run(2, Want(m.Level.INTAKE, 1))
    bench.table.put_in_intake_tray(bench.table.box)
    bench.run(10, bench.order(9, m.Operation.SHUFFLE, argument=1))
    assert CycleBegan(9, Mode.SHUFFLE, 1) in bench.events


def test_a_machine_that_reads_is_not_believed_where_one_is_configured_that_does_not() -> None:
    bench = Bench(DRIVERS["slot_shuffler"], SHELVES)
    bench.run(2, Want(m.Level.INTAKE, 1))
    bench.table.put_in_intake_tray(bench.table.box)
    bench.run(10, bench.order(9, m.Operation.SHUFFLE))
    [fault] = bench.faults()
    assert isinstance(fault, RemoteErrors)
    assert fault.count == 2, "its faces, and its backs"
    assert "is Backs, which no slot shuffler may tell" in fault.latest
    assert CycleEnded in [type(body) for body in bench.events], "the rest of it is"


@pytest.mark.parametrize("other", ["continuous_shuffler", "shoe"])
def test_a_batch_shuffler_is_refused_where_another_device_is_configured(other: str) -> None:
    bench = Bench(DRIVERS[other], SHELVES)
    bench.run(2)
    [refused] = [notice for notice in bench.told if isinstance(notice, LinkRefused)]
    assert f"is a batch shuffler where a {DRIVERS[other].name} is configured" in refused.reason
    assert not bench.events
