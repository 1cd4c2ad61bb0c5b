"""The codec writes and reads what the layouts allow, and nothing else."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from drivers.cards import Face
from drivers.errors import LocalProtocolError, RemoteProtocolError
from drivers.protocol import batch as b
from drivers.protocol import codec
from drivers.protocol import messages as m

U8 = st.integers(0, 0xFF)
U16 = st.integers(0, 0xFFFF)
U32 = st.integers(0, 0xFFFF_FFFF)
U64 = st.integers(0, 0xFFFF_FFFF_FFFF_FFFF)
FROM_1 = st.integers(1, 0xFFFF_FFFF)
ID = st.integers(1, 0xFFFF_FFFF_FFFF_FFFF)
FACE = st.integers(0, 52).map(Face)
PASSES = st.integers(1, 0xFF)
PURPOSE = st.integers(0, 3)
TEXT = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=24)
TRUTH = st.booleans()

BODIES = st.one_of(
    st.builds(m.CardDrawn, PURPOSE, st.integers(0, 53).map(Face)),
    st.builds(m.CardIn, FACE),
    st.builds(m.CardFed, PURPOSE),
    st.builds(m.HoldConfirmed, U32, U32),
    st.builds(m.Lapsed, U32, U32),
    st.builds(m.LidMoved, TRUTH),
    st.builds(m.TrayChanged, TRUTH),
    st.builds(m.IntakeChanged, TRUTH),
    st.builds(m.FeedEmpty),
    st.builds(m.DealerKeyPressed, st.sampled_from(m.DealerKey), U32),
    st.builds(m.CommandResult, ID, TRUTH),
    st.builds(m.Inventory, ID, U8, st.lists(U8, max_size=64).map(tuple)),
    st.builds(m.EventsLost, FROM_1),
    st.builds(m.JamChanged, st.sampled_from(m.JamPlace), TRUTH),
    st.builds(b.OutputChanged, TRUTH),
    st.builds(b.CycleBegan, U64, st.sampled_from(b.Mode), PASSES),
    st.builds(b.PassDone, U64, PASSES, U16),
    st.builds(b.CycleEnded, U64, st.sampled_from(b.Mode), st.sampled_from(b.Outcome), U8, U16),
    st.builds(b.Faces, U64, st.lists(U16, min_size=53, max_size=53).map(tuple)),
    st.builds(b.Backs, U64, st.lists(U16, min_size=7, max_size=7).map(tuple)),
    st.builds(b.PackOut, PURPOSE, U16),
    st.builds(b.FaultChanged, st.sampled_from(b.MachineFault), TRUTH),
)

_VALUES = {
    m.Level.HOLD: st.just(1),
    m.Level.LAMP: st.integers(0, 2),
    m.Level.LID: st.integers(0, 1),
    m.Level.INTAKE: st.integers(0, 1),
    m.Level.PROMPT: U32,
}


@st.composite
def levels(draw: st.DrawFn) -> m.SetLevel:
    level = draw(st.sampled_from(m.Level))
    return m.SetLevel(draw(U32), level, draw(FROM_1), draw(_VALUES[level]))


@st.composite
def hellos(draw: st.DrawFn) -> m.Hello:
    last = draw(U32)
    return m.Hello(
        nonce=draw(U64),
        link=draw(FROM_1),
        boot=draw(U64),
        memory=draw(U64),
        first_kept=draw(st.integers(1, min(last + 1, 0xFFFF_FFFF))),
        last=last,
        version=m.PROTOCOL_VERSION,
        kind=draw(st.sampled_from(m.Kind)),
        capabilities=m.Capability(draw(U16) & 0xCFF),
        window=draw(st.integers(1, 64)),
        simulated=draw(TRUTH),
        model=draw(TEXT),
        serial=draw(TEXT),
        firmware=draw(TEXT),
        digest=draw(st.binary(min_size=32, max_size=32)),
    )


@st.composite
def heartbeats(draw: st.DrawFn) -> m.Heartbeat:
    last = draw(U32)
    kept = draw(st.integers(1, min(last + 1, 0xFFFF_FFFF)))
    hold, lamp, lid, intake, prompt = (draw(U32) for _ in m.Level)
    held, lapsed, busy = (draw(TRUTH) for _ in range(3))
    return m.Heartbeat(
        *(draw(U32), draw(FROM_1), kept, last),
        *(hold, lamp, lid, intake, prompt),
        *(held, lapsed, busy),
        *(draw(U64), draw(U32)),
    )


MESSAGES = st.one_of(
    st.builds(m.Open, U8, U64),
    st.builds(m.Ask, U32, FROM_1),
    st.builds(m.Ack, U32, FROM_1),
    levels(),
    st.builds(m.Lease, U32, FROM_1, st.sampled_from(m.Purpose), FROM_1),
    st.builds(m.Command, U32, ID, st.sampled_from(m.Operation), U32),
    hellos(),
    heartbeats(),
    st.builds(m.Event, U32, FROM_1, BODIES),
    st.builds(m.Stroke, U32, FROM_1, U32, st.integers(0, 11)),
)

HELLO = m.Hello(
    nonce=1,
    link=2,
    boot=3,
    memory=4,
    first_kept=1,
    last=0,
    version=1,
    kind=m.Kind.LAMP,
    capabilities=m.Capability.SHOWS_LAMP,
    window=8,
    simulated=False,
    model="Lamp",
    serial="L1",
    firmware="1",
    digest=bytes(32),
)
HEARTBEAT = m.Heartbeat(2, 1, 1, 0, 0, 0, 0, 0, 0, True, False, False, 0, 0)
SAMPLES: list[m.Message] = [
    m.Open(1, 5),
    m.Ask(2, 1),
    m.Ack(2, 1),
    m.SetLevel(2, m.Level.HOLD, 1, 1),
    m.Lease(2, 1, m.Purpose.DEAL, 1),
    m.Command(2, 9, m.Operation.INVENTORY, 0),
    HELLO,
    HEARTBEAT,
    m.Event(2, 1, m.CardDrawn(1, Face(52))),
    m.Event(2, 1, m.FeedEmpty()),
    m.Event(2, 1, m.Inventory(9, 10, (1, 2, 3))),
    m.Event(2, 1, b.Faces(9, tuple(range(53)))),
    m.Event(2, 1, b.Backs(9, tuple(range(7)))),
    m.Stroke(2, 1, 0, 11),
]
each_sample = pytest.mark.parametrize("message", SAMPLES, ids=lambda message: type(message).__name__)


@given(MESSAGES)
def test_every_message_comes_back_as_itself(message: m.Message) -> None:
    read = codec.decode(codec.encode(message))
    assert read == message
    assert type(read) is type(message)


@given(st.binary(max_size=196))
def test_what_is_read_is_what_would_be_written(payload: bytes) -> None:
    try:
        message = codec.decode(payload)
    except RemoteProtocolError:
        return
    assert isinstance(message, m.ForeignHello) or codec.encode(message) == payload


@given(st.sampled_from(sorted(codec.MESSAGES)), st.binary(max_size=120))
def test_known_types_with_any_body_are_read_exactly_or_refused(code: int, body: bytes) -> None:
    payload = bytes([code]) + body
    try:
        message = codec.decode(payload)
    except RemoteProtocolError:
        return
    assert isinstance(message, m.ForeignHello) or codec.encode(message) == payload


@each_sample
def test_a_message_cut_short_is_refused(message: m.Message) -> None:
    payload = codec.encode(message)
    for size in range(len(payload)):
        with pytest.raises(RemoteProtocolError):
            codec.decode(payload[:size])


@each_sample
def test_a_message_with_a_byte_too_many_is_refused(message: m.Message) -> None:
    with pytest.raises(RemoteProtocolError):
        codec.decode(codec.encode(message) + b"\0")


@pytest.mark.parametrize("code", sorted(set(range(256)) - set(codec.MESSAGES)))
def test_an_unknown_type_is_refused(code: int) -> None:
    with pytest.raises(RemoteProtocolError, match="message type"):
        codec.decode(bytes([code, 0, 0, 0, 0]))


@pytest.mark.parametrize("kind", sorted(set(range(256)) - set(codec.BODIES)))
def test_an_unknown_event_kind_is_refused(kind: int) -> None:
    with pytest.raises(RemoteProtocolError, match="event kind"):
        codec.decode(struct.pack("<BIIB", 0x83, 2, 1, kind))


# Where each field with a narrower range stands in its payload, and the values just outside it.
OUTSIDE: list[tuple[m.Message, int, str, list[int]]] = [
    (m.Ask(2, 1), 5, "<I", [0]),
    (m.Ack(2, 1), 5, "<I", [0]),
    (m.SetLevel(2, m.Level.HOLD, 1, 1), 5, "<B", [0, 6, 255]),
    (m.SetLevel(2, m.Level.HOLD, 1, 1), 6, "<I", [0]),
    (m.SetLevel(2, m.Level.HOLD, 1, 1), 10, "<I", [0, 2]),
    (m.SetLevel(2, m.Level.LAMP, 1, 1), 10, "<I", [3]),
    (m.SetLevel(2, m.Level.LID, 1, 1), 10, "<I", [2]),
    (m.SetLevel(2, m.Level.INTAKE, 1, 1), 10, "<I", [2]),
    (m.Lease(2, 1, m.Purpose.DEAL, 1), 5, "<I", [0]),
    (m.Lease(2, 1, m.Purpose.DEAL, 1), 9, "<B", [0, 4]),
    (m.Lease(2, 1, m.Purpose.DEAL, 1), 10, "<I", [0]),
    (m.Command(2, 9, m.Operation.INVENTORY, 0), 5, "<Q", [0]),
    (m.Command(2, 9, m.Operation.INVENTORY, 0), 13, "<B", [0, 5]),
    (HELLO, 9, "<I", [0]),
    (HELLO, 29, "<I", [0, 2]),
    (HELLO, 38, "<B", [0, 7]),
    (HELLO, 39, "<I", [1 << 8, 1 << 9, 1 << 12, 1 << 31]),
    (HELLO, 43, "<B", [0, 65]),
    (HELLO, 44, "<B", [2, 128]),
    (HELLO, 45, "<B", [25, 255]),
    (HELLO, 46, "<B", [0x00, 0x1F, 0x7F, 0x80, 0xFF]),
    (HEARTBEAT, 5, "<I", [0]),
    (HEARTBEAT, 9, "<I", [0, 2]),
    (HEARTBEAT, 37, "<B", [8, 255]),
    (m.Event(2, 1, m.FeedEmpty()), 5, "<I", [0]),
    (m.Event(2, 1, m.CardDrawn(1, Face(1))), 10, "<B", [4]),
    (m.Event(2, 1, m.CardDrawn(1, Face(1))), 11, "<B", [54, 255]),
    (m.Event(2, 1, m.CardIn(Face(1))), 10, "<B", [53]),
    (m.Event(2, 1, m.CardFed(1)), 10, "<B", [4]),
    (m.Event(2, 1, m.LidMoved(True)), 10, "<B", [2]),
    (m.Event(2, 1, m.TrayChanged(True)), 10, "<B", [2]),
    (m.Event(2, 1, m.IntakeChanged(True)), 10, "<B", [2]),
    (m.Event(2, 1, m.DealerKeyPressed(m.DealerKey.YES, 0)), 10, "<B", [0, 6]),
    (m.Event(2, 1, m.CommandResult(9, True)), 10, "<Q", [0]),
    (m.Event(2, 1, m.CommandResult(9, True)), 18, "<B", [2]),
    (m.Event(2, 1, m.Inventory(9, 1, (1,))), 10, "<Q", [0]),
    (m.Event(2, 1, m.Inventory(9, 1, (1,))), 19, "<B", [0, 2, 65]),
    (m.Event(2, 1, m.EventsLost(1)), 10, "<I", [0]),
    (m.Event(2, 1, m.JamChanged(m.JamPlace.EXIT, True)), 10, "<B", [0, 4]),
    (m.Event(2, 1, m.JamChanged(m.JamPlace.EXIT, True)), 11, "<B", [2]),
    (m.Event(2, 1, b.OutputChanged(True)), 10, "<B", [2]),
    (m.Event(2, 1, b.CycleBegan(9, b.Mode.SORT, 1)), 18, "<B", [0, 4]),
    (m.Event(2, 1, b.CycleBegan(9, b.Mode.SORT, 1)), 19, "<B", [0]),
    (m.Event(2, 1, b.PassDone(9, 1, 52)), 18, "<B", [0]),
    (m.Event(2, 1, b.CycleEnded(9, b.Mode.SORT, b.Outcome.DONE, 1, 52)), 18, "<B", [0, 4]),
    (m.Event(2, 1, b.CycleEnded(9, b.Mode.SORT, b.Outcome.DONE, 1, 52)), 19, "<B", [0, 5]),
    (m.Event(2, 1, b.PackOut(1, 52)), 10, "<B", [4]),
    (m.Event(2, 1, b.FaultChanged(b.MachineFault.MOVE, True)), 10, "<B", [0, 4, 15, 19, 31, 35]),
    (m.Event(2, 1, b.FaultChanged(b.MachineFault.MOVE, True)), 11, "<B", [2]),
    (m.Stroke(2, 1, 0, 11), 5, "<I", [0]),
    (m.Stroke(2, 1, 0, 11), 13, "<B", [12, 255]),
]


@pytest.mark.parametrize(("message", "at", "code", "values"), OUTSIDE)
def test_a_value_out_of_range_is_refused_when_read(message: m.Message, at: int, code: str, values: list[int]) -> None:
    for value in values:
        payload = bytearray(codec.encode(message))
        struct.pack_into(code, payload, at, value)
        with pytest.raises(RemoteProtocolError):
            codec.decode(bytes(payload))


# ---- a hello of another version

BEFORE_THE_TEXTS = struct.Struct("<BQIQQIIBBIBB")
"""Type, nonce, link, boot, memory, first kept, last, version, kind, capabilities, window, flags."""


def hello_of(version: int, kind: int = 4, texts: bytes = b"\x04Lamp\x02L1\x011" + bytes(32)) -> bytes:
    return BEFORE_THE_TEXTS.pack(0x81, 1, 2, 3, 4, 1, 0, version, kind, 16, 8, 0) + texts


@pytest.mark.parametrize("version", [0, 2, 255])
def test_the_version_of_a_hello_is_judged_before_its_other_values(version: int) -> None:
    numbers = BEFORE_THE_TEXTS.pack(0x81, 1, 0, 3, 4, 9, 0, version, 200, 1 << 31, 0, 0xFF)
    assert codec.decode(numbers + b"\x04Lamp\x02L1\x011" + bytes(32)) == m.ForeignHello(1, 0, version, "Lamp", "L1")
    assert codec.decode(hello_of(version)) == m.ForeignHello(1, 2, version, "Lamp", "L1")


def test_a_hello_of_our_own_version_is_read_strictly() -> None:
    assert codec.decode(hello_of(1)) == HELLO
    with pytest.raises(RemoteProtocolError, match="kind 200"):
        codec.decode(hello_of(1, kind=200))


@pytest.mark.parametrize(
    "texts",
    [
        b"\x04Lamp\x02L1\x011" + bytes(31),
        b"\x04Lamp\x02L1\x011" + bytes(33),
        b"\x19" + b"L" * 25 + b"\x02L1\x011" + bytes(32),
        b"\x04La\np\x02L1\x011" + bytes(32),
    ],
)
def test_a_hello_of_another_version_has_the_layout_of_this_one(texts: bytes) -> None:
    with pytest.raises(RemoteProtocolError):
        codec.decode(hello_of(2, texts=texts))


def test_a_hello_of_another_version_is_not_ours_to_send() -> None:
    with pytest.raises(LocalProtocolError, match="nothing is sent"):
        codec.encode(replace(HELLO, version=2))
    with pytest.raises(LocalProtocolError, match="no place in sabot/1"):
        codec.encode(m.ForeignHello(1, 2, 2, "Lamp", "L1"))


def test_65_compartments_are_refused_though_they_are_there() -> None:
    payload = struct.pack("<BIIBQBB", 0x83, 2, 1, 12, 9, 0, 65) + bytes(65)
    with pytest.raises(RemoteProtocolError, match="compartments"):
        codec.decode(payload)


UNSENDABLE: list[tuple[Struct, dict[str, Any]]] = [
    (m.Open(1, 5), {"version": 256}),
    (m.Open(1, 5), {"nonce": 1 << 64}),
    (m.Open(1, 5), {"nonce": -1}),
    (m.Open(1, 5), {"nonce": "5"}),
    (m.Ask(2, 1), {"number": 0}),
    (m.Ask(2, 1), {"link": 1 << 32}),
    (m.SetLevel(2, m.Level.HOLD, 1, 1), {"value": 0}),
    (m.SetLevel(2, m.Level.LAMP, 1, 1), {"level": 9}),
    (m.SetLevel(2, m.Level.LAMP, 1, 1), {"level": 4, "value": 2}),
    (HELLO, {"model": "x" * 25}),
    (HELLO, {"serial": "naïve"}),
    (HELLO, {"firmware": "1\n"}),
    (HELLO, {"digest": bytes(31)}),
    (HELLO, {"window": 65}),
    (HELLO, {"first_kept": 2}),
    (HEARTBEAT, {"first_kept": 2}),
    (m.Event(2, 1, m.FeedEmpty()), {"body": m.CardIn(Face(53))}),
    (m.Event(2, 1, m.FeedEmpty()), {"body": m.Inventory(9, 0, (0,) * 65)}),
    (m.Event(2, 1, m.FeedEmpty()), {"body": m.Inventory(9, 0, (256,))}),
    (m.Event(2, 1, m.FeedEmpty()), {"body": b.Faces(9, (0,) * 52)}),
    (m.Event(2, 1, m.FeedEmpty()), {"body": b.Faces(9, (65536,) * 53)}),
    (m.Event(2, 1, m.FeedEmpty()), {"body": b.Backs(9, (0,) * 8)}),
    (m.Event(2, 1, m.FeedEmpty()), {"body": b.PackOut(1, 65536)}),
    (m.Event(2, 1, m.FeedEmpty()), {"body": HELLO}),
]


@pytest.mark.parametrize(("message", "change"), UNSENDABLE)
def test_what_has_no_layout_is_not_sent(message: Any, change: dict[str, Any]) -> None:
    with pytest.raises(LocalProtocolError, match="nothing is sent"):
        codec.encode(replace(message, **change))


def test_only_messages_are_sent() -> None:
    with pytest.raises(LocalProtocolError, match="no place in sabot/1"):
        codec.encode(m.FeedEmpty())  # type: ignore[arg-type]


def test_the_longest_messages_fit_a_frame() -> None:
    hello = replace(HELLO, model="m" * 24, serial="s" * 24, firmware="f" * 24)
    inventory = m.Event(2, 1, m.Inventory(9, 10, (1,) * 64))
    faces = m.Event(2, 1, b.Faces(9, (8,) * 53))
    assert [len(codec.encode(message)) for message in (hello, inventory, faces)] == [152, 84, 124]


def test_no_stroke_shows_its_key() -> None:
    assert "7" not in repr(m.Stroke(link=1, counter=2, prompt=3, key=7))
