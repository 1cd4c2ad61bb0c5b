"""Bytes to a checked, typed event, and what garbage on the line costs, against pymodbus RTU."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from pymodbus.framer import FramerRTU
from pymodbus.pdu import DecodePDU
from pymodbus.pdu.register_message import ReadHoldingRegistersResponse

from drivers.protocol import codec
from drivers.protocol.framing import FrameDecoder, encode_frame
from drivers.protocol.messages import CardDrawn, Event, Purpose
from tests.benchmarks.pairing import Bench, Limits, Measured, by_turns, rate

FRAMES = 20_000
CHUNK = 62
"""Bytes of one read: what one packet of a full-speed USB adapter carries.

Of larger reads pymodbus looks at less and less: at the first wrong check it throws away the whole read, good frames and
all. Ours drops what is damaged and nothing else.
"""

SMALL, LARGE = 64 << 10, 16 << 20
SEED = 1

DECODE = Limits(
    "decode: bytes to typed event", "pymodbus RTU: bytes to PDU", "frames/s", floor=8, goal=15, more_is_better=True
)
GARBAGE = Limits("garbage: bytes dropped", "pymodbus RTU", "bytes/s", floor=4, goal=8, more_is_better=True)
FLAT = Limits("garbage without a zero: 16 MB", "the same at 64 KB", "ns/byte", floor=1.5, goal=1.1)
FLAT_NOISE = Limits("garbage at random: 16 MB", "the same at 64 KB", "ns/byte", floor=1.5, goal=1.1)


def measure(bench: Bench) -> Iterator[Measured]:
    """Measure decoding and garbage."""
    yield from decoding(bench)
    yield from garbage(bench)


def decoding(bench: Bench) -> Iterator[Measured]:
    """One frame a read, as devices send them."""
    count = bench.many(FRAMES)
    ours = [encode_frame(codec.encode(Event(7, n, CardDrawn(Purpose.DEAL, 1 + n % 52)))) for n in range(1, count + 1)]
    framer = FramerRTU(DecodePDU(is_server=False))
    theirs = [
        framer.buildFrame(ReadHoldingRegistersResponse(registers=[n % 65536] * 8, dev_id=1)) for n in range(count)
    ]

    def decode_ours() -> None:
        feed, decode = FrameDecoder().feed, codec.decode
        for frame in ours:
            for payload in feed(frame):
                message = decode(payload)
        assert isinstance(message, Event)
        assert message.number == count

    def decode_theirs() -> None:
        handle = framer.handleFrame
        for frame in theirs:
            _, pdu = handle(frame, 1, 0)
        assert isinstance(pdu, ReadHoldingRegistersResponse)
        assert pdu.registers[0] == (count - 1) % 65536

    yield by_turns(DECODE, lambda: rate(decode_ours, count), lambda: rate(decode_theirs, count), bench.rounds)


def garbage(bench: Bench) -> Iterator[Measured]:
    """What a line full of noise costs, and whether a byte of much of it costs more than one of little."""
    large = bench.many(LARGE)
    noise = Random(SEED).randbytes(large)
    silent = noise.replace(b"\0", b"\1")  # no zero ends a frame: what makes a buffer without a cap quadratic
    framer = FramerRTU(DecodePDU(is_server=False))
    few = noise[:SMALL]
    yield by_turns(
        GARBAGE,
        lambda: rate(lambda: drop_ours(few), SMALL),
        lambda: rate(lambda: drop_theirs(framer, few), SMALL),
        bench.rounds,
    )
    for limits, data in (FLAT, silent), (FLAT_NOISE, noise):
        yield by_turns(
            limits,
            lambda data=data: ns_each(data, large),  # type: ignore[misc]
            lambda data=data: ns_each(data, SMALL),  # type: ignore[misc]
            bench.rounds,
        )


def drop_ours(data: bytes) -> None:
    """Feed garbage as it is read from a port, and decode what passes for a frame, if any."""
    decoder = FrameDecoder()
    for at in range(0, len(data), CHUNK):
        assert not decoder.feed(data[at : at + CHUNK])
    assert decoder.errors


def drop_theirs(framer: FramerRTU, data: bytes) -> None:
    """Feed garbage as pymodbus's transaction manager does: what was not used is kept for the next read."""
    buffer = b""
    for at in range(0, len(data), CHUNK):
        buffer += data[at : at + CHUNK]
        used, _ = framer.handleFrame(buffer, 1, 0)
        buffer = buffer[used:]


def ns_each(data: bytes, size: int) -> float:
    """Nanoseconds a byte, over all the data in streams of this size."""
    streams = [data[at : at + size] for at in range(0, len(data), size)]
    return 1e9 / rate(lambda: [drop_ours(stream) for stream in streams], len(data))
