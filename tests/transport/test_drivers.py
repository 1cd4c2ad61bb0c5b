"""Each family may tell what is listed here and nothing else; a device that cannot do its job is refused."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import get_args

import pytest
from msgspec.structs import replace

from drivers.cards import UNREAD, Face
from drivers.device import Driver, possible_orders
from drivers.errors import LocalProtocolError
from drivers.protocol import batch as b
from drivers.protocol import messages as m
from drivers.protocol.messages import Capability, Kind, Level, Operation, Purpose
from drivers.protocol.notices import (
    AckEvents,
    Carry,
    DeviceCore,
    EntryBroken,
    EventTold,
    HeartbeatHeard,
    HoldNow,
    LinkLost,
    LinkOpened,
    LinkRefused,
    Notice,
    Order,
    Release,
    RemoteErrors,
    Resume,
    Settled,
    Step,
    StrokeTold,
    Want,
)
from drivers.registry import DRIVERS
from sim_hardware.faults import DEVICES
from sim_hardware.table import CarouselTable, Now
from tests.protocol.lines import DRIVER_OF
from tests.transport.link_bench import HELLO

EVERYTHING = ~Capability(0)

EVENTS: dict[type[m.Body], m.EventBody] = {
    type(body): body
    for body in (
        m.CardDrawn(purpose=1, face=Face(7)),
        m.CardIn(face=UNREAD),
        m.CardFed(purpose=1),
        m.HoldConfirmed(link=2, revision=1),
        m.Lapsed(link=2, revision=1),
        m.LidMoved(open=True),
        m.TrayChanged(occupied=True),
        m.IntakeChanged(ready=True),
        m.FeedEmpty(),
        m.DealerKeyPressed(key=m.DealerKey.YES, prompt=1),
        m.CommandResult(id=1, done=True),
        m.Inventory(id=1, buffer=0, compartments=()),
        m.JamChanged(place=m.JamPlace.EXIT, jammed=True),
        m.EventsLost(dropped=1),
        b.OutputChanged(occupied=True),
        b.CycleBegan(id=1, mode=b.Mode.SHUFFLE, passes=2),
        b.PassDone(id=1, number=1, cards=312),
        b.CycleEnded(id=1, mode=b.Mode.SHUFFLE, outcome=b.Outcome.DONE, passes=2, cards=312),
        b.Faces(id=1, cards=(0, *(6,) * 52)),
        b.Backs(id=1, cards=(0, 312, 0, 0, 0, 0, 0)),
        b.PackOut(purpose=1, cards=312),
        b.FaultChanged(fault=b.MachineFault.HOMING, present=True),
    )
}

HELD: set[type[m.Body]] = {m.HoldConfirmed, m.Lapsed, m.EventsLost}
A_BATCH: set[type[m.Body]] = {
    *HELD,
    *(m.TrayChanged, b.OutputChanged, m.LidMoved, m.JamChanged, b.FaultChanged),
    *(b.CycleBegan, b.PassDone, b.CycleEnded, b.PackOut, m.FeedEmpty),
    *(m.CommandResult, m.Inventory),
}
MAY_TELL: dict[str, set[type[m.Body]]] = {
    "continuous_shuffler": {
        *HELD,
        *(m.CardIn, m.CardFed, m.FeedEmpty, m.TrayChanged, m.IntakeChanged, m.LidMoved),
        *(m.CommandResult, m.Inventory, m.JamChanged),
    },
    "batch_shuffler": {*A_BATCH, b.Faces, b.Backs},
    "slot_shuffler": A_BATCH,
    "shoe": {*HELD, m.CardDrawn, m.DealerKeyPressed, m.TrayChanged},
    "line_shoe": {m.CardDrawn, m.DealerKeyPressed, m.TrayChanged, m.EventsLost},
    "dealer_keys": {m.DealerKeyPressed, m.EventsLost},
    "keypad": set(),
    "usb_keypad": set(),
    "lamp": set(),
    "stack_light": set(),
}
MUST_BE_ABLE_TO = {
    "continuous_shuffler": Capability.COUNTS_CARDS,
    "batch_shuffler": Capability.COUNTS_CARDS,
    "slot_shuffler": Capability.COUNTS_CARDS,
    "shoe": Capability.COUNTS_CARDS,
    "line_shoe": Capability.COUNTS_CARDS | Capability.SEND_ONLY,
    "dealer_keys": Capability.HAS_DEALER_KEYS,
    "keypad": Capability.SENDS_STROKES,
    "usb_keypad": Capability.SENDS_STROKES,
    "lamp": Capability.SHOWS_LAMP,
    "stack_light": Capability.SHOWS_LAMP | Capability.LISTEN_ONLY,
}


class SayingCore:
    """Tells what the test put into ``next`` and keeps the orders that reached it."""

    def __init__(self) -> None:
        self.next: list[Notice] = []
        self.orders: list[Order] = []

    def connected(self, now: float) -> Step:
        return Step((), b"", now)

    def disconnected(self, now: float, reason: str) -> Step:
        return Step((LinkLost(reason),), b"", now)

    def step(self, now: float, received: bytes, orders: Sequence[Order]) -> Step:
        self.orders += orders
        told, self.next = tuple(self.next), []
        return Step(told, received, now + 1.5)


class Bench:
    """A driver over a core that says anything."""

    def __init__(self, driver: Driver, capabilities: Capability = EVERYTHING) -> None:
        self.inner = SayingCore()
        self.core = replace(driver, wire=lambda *_: self.inner).core(nonces=lambda: 1)
        self.core.connected(0.0)
        hello = replace(HELLO, kind=driver.kind, capabilities=capabilities)
        self.opening = self.say(LinkOpened(hello, memory_lost=False, behind=False))

    def say(self, *notices: Notice, now: float = 0.0, orders: Sequence[Order] = ()) -> list[Notice]:
        self.inner.next = list(notices)
        return list(self.core.step(now, b"", orders).notices)


families = pytest.mark.parametrize("name", sorted(DRIVERS))


def test_every_event_of_the_protocol_is_tried_below() -> None:
    assert set(EVENTS) == set(get_args(m.EventBody))


@families
@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
def test_a_family_tells_its_own_events_and_no_other(name: str, kind: type[m.Body]) -> None:
    event = EventTold(number=5, body=EVENTS[kind])
    told = Bench(DRIVERS[name]).say(event)
    if kind in MAY_TELL[name]:
        assert told == [event]
    else:
        (fault,) = told
        assert isinstance(fault, RemoteErrors)
        assert fault.count == 1
        assert f"event 5 is {kind.__name__}, which no {DRIVERS[name].name} may tell" in fault.latest


@families
@pytest.mark.parametrize("stroke", [StrokeTold(key=7, prompt=1), EntryBroken()], ids=["stroke", "entry"])
def test_only_a_keypad_sends_strokes(name: str, stroke: Notice) -> None:
    told = Bench(DRIVERS[name]).say(stroke)
    if name in ("keypad", "usb_keypad"):
        assert told == [stroke]
    else:
        assert [type(notice) for notice in told] == [RemoteErrors]
        assert "7" not in repr(told), "a key is told nowhere"


@families
def test_whoever_may_send_strokes_must_say_so_for_by_that_its_bytes_are_secret(name: str) -> None:
    assert DRIVERS[name].strokes == (Capability.SENDS_STROKES in DRIVERS[name].required)


def test_faults_are_counted_and_told_once_a_second() -> None:
    lamp = Bench(DRIVERS["lamp"])
    fault = EventTold(number=1, body=m.FeedEmpty())
    assert [type(notice) for notice in lamp.say(fault, now=10.0)] == [RemoteErrors]
    assert lamp.say(fault, fault, now=10.5) == []
    assert lamp.say(fault, now=10.9) == []
    (later,) = lamp.say(now=11.0)
    assert isinstance(later, RemoteErrors)
    assert later.count == 3
    assert lamp.say(now=99.0) == []


def test_a_fault_does_not_hide_what_came_with_it() -> None:
    heartbeat = HeartbeatHeard(link=2, number=1, held=True, lapsed=False)
    told = Bench(DRIVERS["shoe"]).say(EventTold(number=1, body=m.FeedEmpty()), heartbeat)
    assert told[0] == heartbeat
    assert isinstance(told[1], RemoteErrors)


# ---- capabilities


@families
def test_a_device_with_what_it_needs_is_admitted(name: str) -> None:
    (opened,) = Bench(DRIVERS[name], MUST_BE_ABLE_TO[name]).opening
    assert isinstance(opened, LinkOpened)


@families
def test_a_device_without_it_is_refused_and_nothing_of_it_is_believed(name: str) -> None:
    driver = DRIVERS[name]
    bench = Bench(driver, EVERYTHING & ~MUST_BE_ABLE_TO[name])
    (refused,) = bench.opening
    assert isinstance(refused, LinkRefused)
    names = ", ".join(str(one.name) for one in MUST_BE_ABLE_TO[name])
    assert f"M1 S1 lacks {names}, which a {driver.name} must have" in refused.reason
    own = [EventTold(number=1, body=EVENTS[kind]) for kind in MAY_TELL[name]]
    assert bench.say(HeartbeatHeard(link=2, number=1, held=True, lapsed=False), *own) == []


def test_a_refused_device_is_held_but_never_released_acked_or_commanded() -> None:
    shuffler = Bench(DRIVERS["continuous_shuffler"], Capability(0))
    release = Release(purpose=Purpose.DEAL, link=2, heartbeat=1)
    command = Carry(id=1, boot=1, operation=Operation.INVENTORY)
    shuffler.say(orders=[HoldNow(), release, AckEvents(number=1, memory=4), command, Settled(id=1)])
    assert shuffler.inner.orders == [HoldNow(), Settled(id=1)]


def test_after_a_refusal_the_right_device_is_admitted() -> None:
    lamp = Bench(DRIVERS["lamp"], Capability(0))
    assert list(lamp.core.disconnected(1.0, "unplugged").notices) == [LinkLost("unplugged")]
    hello = replace(HELLO, capabilities=Capability.SHOWS_LAMP)
    opened = LinkOpened(hello, memory_lost=False, behind=False)
    assert lamp.say(opened) == [opened]


# ---- orders


@pytest.mark.parametrize(
    ("name", "levels"),
    [
        ("continuous_shuffler", {Level.HOLD, Level.LAMP, Level.LID, Level.INTAKE}),
        ("batch_shuffler", {Level.HOLD, Level.LAMP, Level.LID, Level.INTAKE}),
        ("shoe", {Level.HOLD, Level.PROMPT}),
        ("keypad", {Level.PROMPT}),
        ("lamp", {Level.LAMP}),
    ],
)
def test_a_device_is_given_only_the_levels_that_it_has(name: str, levels: set[Level]) -> None:
    wants = [Want(level=level, value=1) for level in Level if level is not Level.HOLD]
    release = Release(purpose=Purpose.DEAL, link=2, heartbeat=1)
    given = possible_orders(DRIVERS[name], [HoldNow(), release, *wants])
    assert {order.level for order in given if isinstance(order, Want)} == levels - {Level.HOLD}
    assert (HoldNow() in given) == (release in given) == (Level.HOLD in levels)


CARRIES_OUT = {
    "continuous_shuffler": {Operation.INVENTORY, Operation.SHUFFLE},
    "batch_shuffler": set(Operation),
    "slot_shuffler": set(Operation) - {Operation.SORT},
}


@families
@pytest.mark.parametrize("operation", Operation)
def test_only_a_machine_takes_commands_and_only_its_own(name: str, operation: Operation) -> None:
    command = Carry(id=1, boot=1, operation=operation)
    bench = Bench(DRIVERS[name])
    if operation in CARRIES_OUT.get(name, ()):
        bench.say(orders=[command])
        assert bench.inner.orders == [command]
    else:
        with pytest.raises(LocalProtocolError, match=f"{operation.name} is no command for a {DRIVERS[name].name}"):
            bench.say(orders=[HoldNow(), command])
        assert bench.inner.orders == [], "nothing is sent then"


# ---- what the driver does not touch


def test_bytes_deadline_and_resume_pass_untouched() -> None:
    asked: list[tuple[Kind, int, Resume | None]] = []

    def wire(kind: Kind, nonces: object, resume: Resume | None) -> DeviceCore:
        assert callable(nonces)
        asked.append((kind, nonces(), resume))
        return SayingCore()

    core = replace(DRIVERS["shoe"], wire=wire).core(nonces=lambda: 9, resume=Resume(memory=4, number=5))
    step = core.step(2.0, b"bytes", [])
    assert (step.to_send, step.deadline) == (b"bytes", 3.5)
    assert asked == [(Kind.SHOE, 9, Resume(memory=4, number=5))]


def test_the_simulated_devices_are_what_these_drivers_expect() -> None:
    """Their hellos are admitted, and nothing they tell by themselves is a fault of their family."""
    rng = Random(7)
    table = CarouselTable(rng, Now(0.0, 0.0))
    cores = {name: DRIVERS[DRIVER_OF[name]].core(nonces=lambda: rng.getrandbits(64)) for name in DEVICES}
    told: dict[str, list[Notice]] = {name: [] for name in DEVICES}
    to_send = {name: cores[name].connected(0.0).to_send for name in DEVICES}
    for tick in range(1, 40):
        now = tick * 0.1
        received = dict.fromkeys(DEVICES, b"") | table.step(Now(now, now), to_send)
        for name in DEVICES:
            step = cores[name].step(now, received[name], [HoldNow(), Want(Level.LAMP, 1)] if tick == 20 else [])
            told[name] += step.notices
            to_send[name] = step.to_send
    for name in DEVICES:
        kinds = {type(notice) for notice in told[name]}
        assert {LinkOpened, HeartbeatHeard} <= kinds, name
        assert not kinds & {RemoteErrors, LinkRefused, LinkLost}, told[name]
