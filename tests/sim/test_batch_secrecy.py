"""The order of the cards leaves a batch shuffler in no frame, nor by the moment at which a frame is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import get_type_hints

import pytest

from drivers.batch_shuffler import BATCH_SHUFFLER
from drivers.cards import DECK_SIZE, Face
from drivers.protocol import messages as m
from drivers.protocol.batch import Back, Backs, Faces, Mode
from drivers.protocol.framing import FrameDecoder
from sim_hardware.batch_shuffler import BatchFirmware
from sim_hardware.batch_table import BatchFittings, BatchTable
from sim_hardware.signals import Imaged, Signal
from sim_hardware.table import Now
from tests.sim.batch import SHELVES, BatchRig, with_decks
from tests.sim.batch import SLOTS as SLOT_TABLE
from tests.sim.host import DEAL, UNLOAD

Sent = list[tuple[float, bytes]]
"""Every frame that a machine sent, and when."""

Course = Callable[[BatchRig], object]


def listen(rig: BatchRig, device: str) -> Sent:
    """Keep every frame that a device sends from now on."""
    sent: Sent = []
    frames, step = FrameDecoder(), rig.table.step

    def stepped(now: Now, received: Mapping[str, bytes]) -> dict[str, bytes]:
        told = step(now, received)
        sent.extend((now.link, payload) for payload in frames.feed(told.get(device, b"")))
        return told

    rig.table.step = stepped  # type: ignore[method-assign]
    return sent


def frames_of(fittings: BatchFittings, course: Course, order: int, device: str = "shuffler") -> Sent:
    """Play a course with the cards laid in by this order, and all else the same."""
    rig = BatchRig(fittings)
    Random(order).shuffle(rig.table.box)
    sent = listen(rig, device)
    rig.load()
    course(rig)
    return sent


def dealt(rig: BatchRig) -> None:
    rig.cycle()
    for device in ("shuffler", "shoe"):
        rig.release(device, DEAL)
    rig.run(5)
    for _ in range(20):
        assert rig.table.pull_card() is not None
        rig.run(0.3)


def unloaded(rig: BatchRig) -> None:
    rig.cycle(Mode.INSPECT)
    rig.release("shuffler", UNLOAD)
    rig.run(10)


def sorted_by_the_machine(rig: BatchRig) -> None:
    rig.cycle(Mode.SORT)


def stopped_in_the_middle(rig: BatchRig) -> None:
    rig.begin(m.Operation.SHUFFLE)
    rig.run(0.3)
    rig.table.press_stop()
    rig.release("shuffler", UNLOAD)
    rig.run(10)


def cut_in_the_middle(rig: BatchRig) -> None:
    rig.begin(m.Operation.SHUFFLE)
    rig.run(0.3)
    rig.table.reboot("shuffler")
    rig.run(1)
    rig.open("shuffler")
    rig.run(5)


COURSES: list[Course] = [dealt, unloaded, stopped_in_the_middle, cut_in_the_middle]
SORTS: list[tuple[BatchFittings, Course]] = [(with_decks(6), sorted_by_the_machine)]
PLAYED = [(fittings, course) for fittings in (with_decks(6), SLOT_TABLE) for course in COURSES] + SORTS


@pytest.mark.parametrize(("fittings", "course"), PLAYED, ids=[f"{f.machine.__name__}, {c.__name__}" for f, c in PLAYED])
def test_no_frame_of_the_machine_depends_on_how_the_cards_lie(fittings: BatchFittings, course: Course) -> None:
    first, second = (frames_of(fittings, course, order) for order in (1, 2))
    assert first == second
    assert len(first) > 10


class Leaking(BatchFirmware):
    """A machine that tells each card as it passes, as one must not."""

    def sense(self, signal: Signal) -> None:
        super().sense(signal)
        if isinstance(signal, Imaged):
            self.tell(m.CardIn(signal.face))


def test_a_machine_that_told_each_card_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim_hardware.batch_table.BatchFirmware", Leaking)
    first, second = (frames_of(SHELVES, unloaded, order) for order in (1, 2))
    assert first != second


def test_what_is_dealt_is_told_and_so_the_shoes_frames_do_depend_on_it() -> None:
    first, second = (frames_of(with_decks(6), dealt, order, "shoe") for order in (1, 2))
    assert first != second


def test_no_event_of_a_batch_shuffler_has_room_for_an_order() -> None:
    fields = {body: get_type_hints(body) for body in BATCH_SHUFFLER.bodies}
    assert not [body for body, hints in fields.items() if Face in hints.values()], "no card is told by its face"
    rows = {body for body, hints in fields.items() if tuple[int, ...] in hints.values()}
    assert rows == {Faces, Backs, m.Inventory}, "counts by face, by back, by compartment"
    assert (1 + DECK_SIZE, len(Back)) == (53, 7)


def test_faces_are_told_of_no_cycle_but_one_that_is_done() -> None:
    for course in (stopped_in_the_middle, cut_in_the_middle):
        rig = BatchRig(with_decks(6))
        rig.load()
        course(rig)
        assert not rig.told(Faces, Backs)


def test_nothing_that_a_machine_shows_of_itself_names_a_face() -> None:
    table = BatchTable(Random(1), Now(0.0, 0.0), replace(SHELVES, decks=1))
    table.put_in_intake_tray(table.box)
    table.mechanism.motors_on = True
    table.mechanism.start_cycle(Mode.SHUFFLE, 2)
    signal = table.mechanism.step(table.mechanism.deadline)
    assert isinstance(signal, Imaged)
    assert repr(signal) == "Imaged()"
    assert "face" not in repr(table.mechanism.cycle)
