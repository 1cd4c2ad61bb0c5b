"""What comes over a line is at most counted: whatever it is, however much, and from whomever (BR-048, SB-1)."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import pytest

from drivers.protocol.codec import encode
from drivers.protocol.event_order import MOST_KEPT
from drivers.protocol.framing import encode_frame
from drivers.protocol.link_core import LinkCore
from drivers.protocol.messages import CardDrawn, Event, Hello, Kind
from drivers.protocol.notices import AckEvents, EventTold, LinkLost, LinkOpened, Notice, RemoteErrors
from drivers.protocol.openings import BURST, PERIOD
from firmware_bridge.core.events import BadFrames, DeviceCaughtUp, LinkDown, LinkUp, TimerDue, Told
from firmware_bridge.core.outputs import why_not_deal
from firmware_bridge.core.words import Session
from sim_hardware.faults import DEVICES
from tests.hostile.streams import FULL, PIECE, SIZE, STREAMS, mixed, pieces
from tests.table.evening import Evening

Tell = Callable[[str, object], None]

MEMORY = 400_000
"""Bytes that a link may hold at most, whatever comes: a step's notices, one frame, the codec's 1,024 last bodies."""

FLAT = 4.0
"""The last bytes may cost so many times what the first ones did: a cost that grew would be far beyond."""

HELLO = Hello(
    nonce=0x9E37_79B9_7F4A_7C15,
    link=0x5851_F42D,
    boot=3,
    memory=4,
    first_kept=1,
    last=0,
    version=1,
    kind=Kind.SHOE,
    capabilities=0x45,  # type: ignore[arg-type]
    window=8,
    simulated=True,
    model="M",
    serial="S",
    firmware="F",
    digest=bytes(32),
)


def opened() -> LinkCore:
    """A core whose link is open."""
    core = LinkCore(kind=Kind.SHOE, nonces=lambda: HELLO.nonce, resume=None)
    core.connected(0.0)
    step = core.step(0.0, encode_frame(encode(HELLO)), ())
    assert any(isinstance(notice, LinkOpened) for notice in step.notices)
    return core


@pytest.mark.timeout(900 if FULL else 60)
@pytest.mark.parametrize("name", STREAMS)
def test_bytes_of_no_device_are_counted_at_a_flat_cost_and_answered_with_nothing(
    name: str, record_property: Tell
) -> None:
    core, now, sent, told = opened(), 0.0, 0, list[Notice]()
    costs = []
    for piece in pieces(name, SIZE):
        began = time.process_time()
        now += PIECE / 11_520  # as fast as the line carries them
        step = core.step(now, piece, ())
        costs.append(time.process_time() - began)
        sent += len(step.to_send)
        told += step.notices
        assert len(told) < 100 + 2 * now, "errors are told once a second"
    assert sent < 100 + SIZE // 10, "noise is not answered with noise"
    assert {type(notice) for notice in told} <= {RemoteErrors, LinkLost}
    quarter = len(costs) // 4
    first, last = sum(costs[:quarter]), sum(costs[-quarter:])
    assert last < FLAT * first + 0.05
    cost = 1e6 * sum(costs) / SIZE
    record_property("told", f"{name}: {cost:.3f} µs a byte, the last quarter {last / first:.2f} of the first")


@pytest.mark.parametrize("name", STREAMS)
def test_bytes_of_no_device_fill_no_memory(name: str, record_property: Tell) -> None:
    core, now = opened(), 0.0
    stream = list(pieces(name, 10 * PIECE))
    core.step(now, stream[0], ())
    tracemalloc.start()
    try:
        for piece in stream:
            now += 0.4
            core.step(now, piece, ())
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < MEMORY
    record_property("told", f"{name}: at most {most} bytes held")


@pytest.mark.rule(6, 7)
def test_a_device_that_numbers_events_without_end_is_heard_as_far_as_it_can_keep_them() -> None:
    """So the controller's queue is bounded, however slow its disk: nothing beyond is taken before it is acked."""
    core = opened()
    flood = b"".join(
        encode_frame(encode(Event(HELLO.link, number, CardDrawn(1, 5)))) for number in range(1, 20 * MOST_KEPT)
    )
    notices = list(core.step(0.1, flood, ()).notices)
    taken = [notice.number for notice in notices if isinstance(notice, EventTold)]
    assert taken == list(range(1, MOST_KEPT + 1))
    assert any(isinstance(notice, RemoteErrors) for notice in notices)
    core.step(0.2, b"", (AckEvents(10, HELLO.memory),))
    again = core.step(0.3, flood, ()).notices
    assert len([notice for notice in again if isinstance(notice, EventTold)]) == 10, "what is acked makes room"


# ---- at a table in play


class Line:
    """What a device's line carries to the controller: kept for a replay, and mixed with a stranger's bytes."""

    def __init__(self, evening: Evening, device: str) -> None:
        self._table = evening.table
        self._wire = evening.table._to_host[device]
        self._put = self._wire.put
        self.carried = bytearray()
        self._wire.put = self._carry  # type: ignore[method-assign]

    def _carry(self, at: int, data: bytes) -> None:
        self.carried += data
        self._put(at, data)

    def flood(self, data: bytes, seconds: float) -> None:
        """Carry a stranger's bytes between the device's own for so long, in pieces."""
        steps = int(seconds / 0.05)
        size = len(data) // steps + 1
        for step in range(steps):
            self._put(self._table.ns + 1_000_000, data[step * size : (step + 1) * size])
            self._table.step(50_000_000)


FLOOD_S = 8.0
OWN = (BadFrames, LinkDown, LinkUp, DeviceCaughtUp, Told, TimerDue)
"""What a flood on one line may add to the journal."""


def in_round() -> Evening:
    evening = Evening()
    evening.open_and_load()
    evening.deal(4)
    return evening


def look_at_the_flood(evening: Evening, device: str, before: int) -> None:
    """Only this device is affected, what is told is bounded, and where its link is gone the table is held."""
    events = [record.event for record in evening.logged()[before:]]
    assert all(isinstance(event, OWN) for event in events), {type(event) for event in events}
    assert {getattr(event, "device", device) for event in events if not isinstance(event, Told)} <= {device}
    assert sum(isinstance(event, BadFrames) for event in events) <= FLOOD_S + 2
    state = evening.state
    assert all(other.open and other.caught_up for name, other in state.devices.items() if name != device)
    if not (state.devices[device].open and state.devices[device].caught_up) or state.incidents:
        assert why_not_deal(state)
        evening.table.wait(3.5)
        assert evening.hands.pull_card() is None, "what is not sure is held"
    assert evening.session is Session.IN_ROUND


def look_after_the_flood(evening: Evening, out: int) -> None:
    """The line is quiet: the device is heard again by itself, and every card is where it was."""
    devices = evening.state.devices.values()
    assert evening.table.run(20, lambda: all(one.open and one.caught_up for one in devices))
    assert evening.state.account.out == out
    assert evening.state.account.inside + out == 208
    assert evening.state.counts_trusted


@pytest.mark.clause("SB-1")
@pytest.mark.field("BR-048")
@pytest.mark.parametrize("device", DEVICES)
def test_a_flood_on_one_line_touches_no_other_and_no_card(device: str) -> None:
    evening = in_round()
    line, before = Line(evening, device), evening.state.record
    line.flood(mixed(2_000_000 if FULL else 120_000, seed=3), FLOOD_S)
    look_at_the_flood(evening, device, before)
    look_after_the_flood(evening, out=4)


@pytest.mark.clause("SB-1")
@pytest.mark.parametrize("device", DEVICES)
def test_what_an_earlier_session_said_is_not_taken_again(device: str) -> None:
    evening = Evening()
    line = Line(evening, device)
    evening.open_and_load()
    evening.play_round()
    evening.deal(4)
    evening.identify(201)
    earlier = bytes(line.carried)
    evening.table.start_controller()
    assert evening.table.run(5, lambda: all(one.caught_up for one in evening.state.devices.values()))
    evening.table.wait(1)
    before = evening.state.record
    line.flood(earlier, FLOOD_S)
    look_at_the_flood(evening, device, before)
    told = [record.event for record in evening.logged()[before:] if isinstance(record.event, Told)]
    assert all(event.number > 0 and type(event.body).__name__ in OWN_STATE for event in told), told
    look_after_the_flood(evening, out=4)


OWN_STATE = ("HoldConfirmed", "Lapsed", "CardFed")
"""What the devices themselves tell while a link comes and goes."""


@pytest.mark.clause("SB-1")
def test_another_devices_hello_opens_nothing() -> None:
    """The shoe's line, crossed onto the keypad's: its every word is one of a link that is not the keypad's."""
    evening = in_round()
    keypad = Line(evening, "keypad")
    shoe = evening.table._to_host["shoe"]
    put = shoe.put

    def crossed(at: int, data: bytes) -> None:
        put(at, data)
        keypad._put(at, data)

    shoe.put = crossed  # type: ignore[method-assign]
    evening.table.unplug("shoe")
    evening.table.replug("shoe")  # so that it says hello
    before = evening.state.record
    evening.table.run(5)
    assert evening.state.devices["keypad"].model == "Sabot Keypad"
    ups = [one.event for one in evening.logged()[before:] if isinstance(one.event, LinkUp)]
    assert {up.device for up in ups} == {"shoe"} | ({"keypad"} if len(ups) > 1 else set())
    assert all(up.hello.serial.startswith("SK") for up in ups if up.device == "keypad")


@pytest.mark.clause("SB-1")
@pytest.mark.parametrize("device", DEVICES)
def test_a_device_that_begins_anew_for_ever_is_held_and_fills_no_journal(device: str) -> None:
    evening = in_round()
    hands, before = evening.hands, evening.state.record
    for _ in range(200):
        hands.reboot(device)
        evening.table.wait(0.5)
    records = evening.logged()[before:]
    assert len([one for one in records if isinstance(one.event, LinkUp)]) <= BURST + 100 / PERIOD
    assert len(records) < 6 * (BURST + 100 / PERIOD)
    assert why_not_deal(evening.state)
    assert hands.pull_card() is None
    evening.table.wait(PERIOD)
    assert evening.table.run(5, lambda: all(one.is_there for one in evening.state.devices.values())), "it is calm"
